"""``selector-sql diff``: a message on which two selectors, filters or topologies part, or a proof that none exists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from transpiler import SelectorSyntaxError, TranspilerError, parse_selector, route_message
from transpiler.cli import main
from transpiler.language.selector.dialects import DIALECTS
from transpiler.tools.dialect_tools.compare_dialects import compare_dialects
from transpiler.tools.dialect_tools.diff import diff_filters, diff_selectors, diff_topologies
from transpiler.tools.dialect_tools.diff.topology_changes import Change
from transpiler.topology import topology_from_dict

DEFINITIONS = str(Path(__file__).parents[3] / "examples" / "data" / "definitions.json")


def run(*words: str, given: str = "") -> Result:
    return CliRunner().invoke(main, ["diff", *words], input=given)


#: Old, new, the message that is won, and the one that is lost; None where it is proved that there is none.
PARTING: tuple[tuple[str, str, dict[str, Any] | None, dict[str, Any] | None], ...] = (
    ("color = 'red' AND weight > 2600", "color = 'red' AND weight >= 2600", {"color": "red", "weight": 2600}, None),
    ("a = 1", "a = 1 OR b IS NULL", {}, None),
    ("a = 1", "a = 2", {"a": 2}, {"a": 1}),
    ("region <> 'eu'", "region <> 'eu' OR region IS NULL", {}, None),
    ("region = 'eu'", "region IN ('eu', 'uk')", {"region": "uk"}, None),
    ("a LIKE 'x%'", "a LIKE 'x_%'", None, {"a": "x"}),
    ("", "a = 1", None, {}),
    ("JMSPriority > 4", "JMSPriority > 5", None, {"JMSPriority": 5}),
    ("JMSDeliveryMode = 'PERSISTENT'", "JMSDeliveryMode = 'PERSISTENT' OR a = 1", {"a": 1}, None),
    (
        "a = 1 AND b = 2 AND c = 3 AND d = 4 AND e = 5 AND f = 6 AND g = 7 AND h = 8",
        "a = 1 AND b = 2 AND c = 3 AND d = 4 AND e = 5 AND f = 6 AND g = 7",
        {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7},
        None,
    ),
)


@pytest.mark.parametrize(("old", "new", "won", "lost"), PARTING)
def test_the_smallest_message_is_shown_for_each_direction(
    old: str, new: str, won: dict[str, Any] | None, lost: dict[str, Any] | None
) -> None:
    result = diff_selectors(old, new)
    shown = {name: part and part["message"] for name, part in result.to_dict().items() if name in ("won", "lost")}
    assert shown == {"won": won, "lost": lost}
    assert (result.no_won, result.no_lost) == (won is None, lost is None)


SAME = (
    ("a = 1 AND b LIKE '%x%'", "b LIKE '%x%' AND a = 1"),
    ("weight BETWEEN 1 AND 5", "weight >= 1 AND weight <= 5"),
    ("JMSPriority > 4", "JMSPriority >= 5"),
    ("NOT (a = 1 OR b = 2)", "NOT a = 1 AND NOT b = 2"),
    ("color IN ('red', 'blue')", "color = 'blue' OR color = 'red'"),
    ("a + b > 5 AND c = 1", "c = 1 AND b + a > 5"),
    ("price > bid", "bid < price"),
    ("JMSDeliveryMode <> 'PERSISTENT'", "JMSDeliveryMode = 'NON_PERSISTENT'"),
    ("JMSPriority > 4 AND JMSPriority < 5", "a = 1 AND a = 2"),
    ("(a = 1 AND b = 1 OR a = 2 AND b = 1) AND b = 2", "a = 1 AND a = 2"),
    (
        " OR ".join(f"a{n} = {n} AND b{n} > 5" for n in range(40)),
        " OR ".join(f"b{n} > 5 AND a{n} = {n}" for n in range(40)[::-1]),
    ),
    ("", " "),
)


@pytest.mark.parametrize(("old", "new"), SAME)
def test_selectors_that_select_the_same_messages_are_proved_to(old: str, new: str) -> None:
    assert str(diff_selectors(old, new)) == "OLD and NEW select the same messages."


def test_what_is_not_decided_says_why() -> None:
    result = diff_selectors("price * 2 > 10", "price + price > 10")
    assert not result.differs
    assert not result.is_same
    assert str(result).splitlines()[0] == "It is not decided whether OLD and NEW differ."
    assert result.not_decided.endswith("> 10 is beyond proof")


def test_constants_that_were_not_tried_are_counted() -> None:
    old = " OR ".join(f"a + {number} > {number * number}" for number in range(2, 32))
    new = " OR ".join(f"a + {number} > {number * number}" for number in range(2, 31))
    result = diff_selectors(old, new)
    assert not result.is_same
    assert result.not_decided.startswith("40 of ")
    assert result.not_decided.endswith(" constants were tried")


#: A difference in one of many parts was overlooked while constants beyond forty were dropped in silence.
MANY = " OR ".join(f"(region = 'R{n}' AND weight > {n} AND tile LIKE '%{n}%')" for n in range(20))


def test_a_difference_in_one_of_many_parts_is_found() -> None:
    result = diff_selectors(MANY, MANY.replace("weight > 13", "weight >= 13"))
    assert result.to_dict()["won"]["message"] == {"region": "R13", "weight": 13, "tile": "13"}
    assert result.no_lost


def test_a_difference_of_odd_types_is_marked() -> None:
    won = diff_selectors("status <> 'A'", "NOT status = 'A'").won
    assert won is not None
    assert won.only == "status is no text"
    assert "(only where status is no text)" in str(won)
    plain = diff_selectors("a > 5", "a >= 5").won
    assert plain is not None
    assert plain.only == ""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_selector_is_the_same_as_itself(dialect: str) -> None:
    texts = ("a = b AND a > b", "a LIKE '%x_y%z' OR NOT b", "a = b OR c BETWEEN 1 AND 5 AND JMSType = 'x'", "a <> b")
    for text in (*texts, MANY):
        try:
            parse_selector(text, dialect)
        except TranspilerError:
            # One has no BETWEEN, and takes no long selectors.
            continue
        assert str(diff_selectors(text, text, dialect)) == "OLD and NEW select the same messages."


def test_two_dialects_part_by_a_rule() -> None:
    won = diff_selectors("a <> 5", "a <> 5", "jms", "activemq").won
    assert won is not None
    assert "a <> 5 is FALSE" in str(won)
    assert won.rule is not None
    assert won.rule.startswith("comparison of unlike types: ")


@pytest.mark.parametrize(
    ("selector", "dialect"),
    [
        ("b OR a * 2 = 4", "rabbitmq-jms"),
        ("NOT (a LIKE 'x%' AND b)", "rabbitmq-jms"),
        ("c OR a LIKE 'x%'", "qpid-java"),
    ],
)
def test_a_comparison_of_dialects_names_the_rule_of_the_difference(selector: str, dialect: str) -> None:
    result = diff_selectors(selector, selector, "jms", dialect)
    for difference in filter(None, (result.won, result.lost)):
        [row] = compare_dialects(selector, difference.message, [dialect])
        assert row.rule is not None
        assert difference.rule is not None
        assert difference.rule.partition(":")[0] == row.rule.partition(":")[0]


def test_a_rare_message_is_marked() -> None:
    lost = diff_selectors("n > 5", "n > 5", "activemq", "jms").lost
    assert lost is not None
    assert lost.rare
    assert '{"type": "double", "value": "NaN"}}   (few messages are like this one)' in str(lost)


def topic(pattern: str) -> dict[str, Any]:
    return {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": pattern}


def headers(**pairs: Any) -> dict[str, Any]:
    return {"descriptor": "apache.org:legacy-amqp-headers-binding:map", "value": {"x-match": "all", **pairs}}


def test_filters_part_on_a_message_too() -> None:
    assert str(diff_filters({"t": topic("usd.#")}, {"t": topic("usd.*")}).lost).startswith('- {"JMSType": "usd')
    more = {"t": topic("usd.#"), "h": headers(color="red", n=5)}
    result = diff_filters({"t": topic("usd.#"), "h": headers(color="red")}, more)
    assert result.won is None
    assert '"color": "red"' in str(result.lost)
    assert diff_filters(more, dict(reversed(more.items()))).is_same


OLD: dict[str, Any] = {
    "broker": "qpid-java",
    "exchanges": [{"name": "orders", "type": "topic"}],
    "queues": ["audit", "eu", "legacy"],
    "bindings": [
        {"source": "orders", "queue": "audit", "key": "orders.#"},
        {"source": "orders", "queue": "eu", "key": "orders.*", "selector": "region = 'eu'"},
        {"source": "amq.match", "queue": "eu", "arguments": {"x-match": "all", "a": 1, "b": "x"}},
        {"source": "amq.direct", "queue": "legacy", "key": "old"},
    ],
}
NEW: dict[str, Any] = {
    "broker": "qpid-java",
    "exchanges": [{"name": "orders", "type": "topic", "unroutable": "reject"}],
    "queues": ["audit", "eu", "fresh"],
    "bindings": [
        {"source": "orders", "queue": "audit", "key": "orders.*"},
        {"source": "orders", "queue": "eu", "key": "orders.*", "selector": "region IN ('eu', 'uk')"},
        {"source": "amq.match", "queue": "eu", "arguments": {"x-match": "all", "a": 2, "b": "x"}},
    ],
}


def test_topologies_part_in_their_parts_and_on_messages() -> None:
    old, new = topology_from_dict(OLD), topology_from_dict(NEW)
    result = diff_topologies(old, new, examples=10)
    assert result.changes == (
        Change("exchange", "changed", "orders: unroutable reject, was discard"),
        Change("queue", "removed", "legacy"),
        Change("queue", "added", "fresh"),
        Change("binding", "removed", "amq.direct -> legacy: key 'old'"),
        Change("binding", "changed", "orders -> audit: key 'orders.*', was key 'orders.#'"),
        Change(
            "binding",
            "changed",
            "orders -> eu: key 'orders.*', selector \"region IN ('eu', 'uk')\", "
            "was key 'orders.*', selector \"region = 'eu'\"",
        ),
        Change("binding", "changed", "amq.match -> eu: x-match 'all', a 2, b 'x', was x-match 'all', a 1, b 'x'"),
    )
    lines = str(result).splitlines()
    assert '  to orders with key \'orders.x\': {"region": "uk"}' in lines
    for example in result.examples:
        assert example.old == route_message(old, example.message, example.exchange, [example.key])
        assert example.new == route_message(new, example.message, example.exchange, [example.key])
        assert example.old != example.new
    parting = {(queue, queue in one.new) for one in result.examples for queue in set(one.old) ^ set(one.new)}
    assert parting == {("audit", False), ("eu", True), ("eu", False), ("legacy", False), ("fresh", True)}


def test_a_topology_with_its_parts_in_another_order_is_the_same() -> None:
    turned = OLD | {"bindings": OLD["bindings"][::-1], "queues": OLD["queues"][::-1]}
    assert str(diff_topologies(topology_from_dict(OLD), topology_from_dict(turned))) == (
        "OLD and NEW are the same topology."
    )


SELECTOR_FILE = "weight > 5\n"
FILTER = json.dumps({"t": topic("usd.#")})

COMMANDS: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (("a = 1", "a  =  1"), 0, "OLD and NEW select the same messages.\n"),
    (("a = 1", "a = 2"), 1, '+ {"a": 2}\n'),
    (("a + b > 5", "b + a > 5"), 0, "the same messages"),
    (("price * 2 > 10", "price + price > 10"), 3, "> 10 is beyond proof"),
    (("@sel.txt", "weight > 6"), 1, '- {"weight": 6}\n'),
    (("sel.txt", "weight > 6"), 1, '- {"weight": 6}\n'),
    (("filter.json", "@filter.json"), 0, "the same messages"),
    (("filter.json", FILTER), 0, "the same messages"),
    (("old.json", "new.json"), 1, "Messages that go elsewhere\n"),
    (("old.json", "old.json"), 0, "the same topology"),
    (("old.json", "new.yaml"), 1, "Messages that go elsewhere\n"),
    (("old.json", "new.json", "--examples", "0"), 1, "No message was found that goes elsewhere (0 tried)"),
    (("a <> 5", "a <> 5", "--new-dialect", "ActiveMQ"), 1, "rule: "),
    (("a = 1", "a = 2", "--format", "JSON"), 1, '"differs": true'),
    (("old.json", "new.json", "--format", "json"), 1, '"messages_tried": '),
    (("a = 1", "old.json"), 2, "OLD is a selector and NEW is a topology: give two of a kind\n"),
    (("a = 1", "filter.json"), 2, "OLD is a selector and NEW is a filter: give two of a kind\n"),
    (("a = 1", "a ="), 2, "NEW:1:4: syntax.unexpected-end"),
    (("sel.txt", "bad.txt"), 2, "bad.txt:1:"),
    (("a = 1", "@nowhere.txt"), 2, "file 'nowhere.txt' does not exist\n"),
    (("a = 1", "nowhere.json"), 2, "file 'nowhere.json' does not exist\n"),
    (("filter.json", "broken.json"), 2, "broken.json:1:"),
    (("a = 1", "a = 1", "--new-dialect", "activmq"), 2, "did you mean activemq?"),
    (("old.json", "new.json", "--new-dialect", "jms"), 2, "--new-dialect is for selectors and filters"),
    (("old.json", "new.json", "--vhost", "x"), 2, "there is no virtual host 'x'"),
    (("a = 1",), 2, "Missing argument"),
)


@pytest.mark.parametrize(("words", "code", "printed"), COMMANDS)
def test_the_command_answers(
    words: tuple[str, ...], code: int, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"sel.txt": SELECTOR_FILE, "bad.txt": "weight >\n", "filter.json": FILTER, "broken.json": "{"}
    texts |= {"old.json": json.dumps(OLD), "new.json": json.dumps(NEW), "new.yaml": json.dumps(NEW)}
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    result = run(*words)
    assert result.exit_code == code, result.output
    assert printed in result.output
    assert "Traceback" not in result.output


def test_one_side_is_read_from_standard_input() -> None:
    assert run("a = 1", "-", given="a = 2\n").exit_code == 1
    assert run("-", DEFINITIONS, given=Path(DEFINITIONS).read_text(encoding="utf-8")).exit_code == 0
    assert "twice" in run("-", "-", given="a = 2\n").output


def test_a_selector_that_does_not_parse_is_an_error() -> None:
    with pytest.raises(SelectorSyntaxError):
        diff_selectors("a = 1", "a = ")
