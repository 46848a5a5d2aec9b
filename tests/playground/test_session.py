"""The playground's answers in CPython: the page displays the library's results."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from playground.session import handle
from playground.session.examples import SELECTORS, TOPOLOGIES
from tests.playground.cases import HOSTILE, WORDS, cases
from transpiler import port_selector, transpile_selector
from transpiler.language.selector.dialects import DIALECTS

DEFINITIONS = json.dumps(TOPOLOGIES[0].topology)


def ask(question: str, **parameters: Any) -> dict[str, Any]:
    """Send ``question`` as the page does, and return the parsed answer."""
    answer: dict[str, Any] = json.loads(handle(json.dumps({"ask": question, **parameters})))
    return answer


def judge(selector: str, message: object = None, dialect: str = "jms") -> dict[str, Any]:
    return ask("judge", selector=selector, message=json.dumps(message or {}), dialect=dialect)


def test_the_verdict_of_two_hundred_cases_is_that_of_evaluate() -> None:
    for case in cases(200):
        answer = ask("judge", selector=case.selector, message=case.message, dialect=case.dialect)
        explanation = answer["explanation"]
        assert case.verdict == ("none" if explanation is None else WORDS[explanation["verdict"]]), case


@pytest.mark.parametrize("example", SELECTORS, ids=lambda example: example.title)
def test_an_example_of_a_selector_says_something_in_its_dialect(example: Any) -> None:
    answer = judge(example.selector, example.message, example.dialect)
    refused = any(finding["severity"] == "error" for finding in answer["findings"])
    assert answer["problem"] is None
    assert refused == (answer["explanation"] is None) == (example.title == "Wrong quotes")
    rows = ask("dialects", selector=example.selector, message=json.dumps(example.message))["rows"]
    assert [row["dialect"] for row in rows] == list(DIALECTS)


@pytest.mark.parametrize(
    ("selector", "dialect", "changed"),
    [
        ("JMSPriorty > 4", "jms", "JMSPriority > 4"),
        ("JMSType = ’car’ AND color = ’blue’", "jms", "JMSType = 'car' AND color = 'blue'"),
        ('color = "red"', "jms", "color = 'red'"),
        ("color == 'red'", "jms", "color = 'red'"),
        ("a = 1 && b = 2", "jms", "a = 1 AND b = 2"),
        ("a != 1", "jms", "a <> 1"),
        ("a = 1 AND b = 2 OR c = 3", "jms", "(a = 1 AND b = 2) OR c = 3"),
        ("c = 3 or a = 1 and b = 2", "jms", "c = 3 or (a = 1 and b = 2)"),
        ("x > 1 AND (a = 1 AND b = 2 OR c = 3)", "jms", "x > 1 AND ((a = 1 AND b = 2) OR c = 3)"),
        ("JMSType IN ('closed, saleUpdate')", "jms", "JMSType IN ('closed', 'saleUpdate')"),
        ("service = order", "jms", "service = 'order'"),
        ("weight > '2500'", "jms", "weight > 2500"),
        ("viaje LIKE '17'", "jms", "viaje = '17'"),
        ("Type = 'PING' AND Type = 'ELECTION'", "jms", None),
        ("source = @stringParam", "jms", None),
    ],
)
def test_a_fix_is_offered_where_it_removes_the_finding(selector: str, dialect: str, changed: str | None) -> None:
    fixes = [finding["fix"]["selector"] for finding in judge(selector, {}, dialect)["findings"] if "fix" in finding]
    assert fixes[:1] == ([] if changed is None else [changed])


def test_the_parts_have_their_verdicts_and_values_in_the_order_of_the_text() -> None:
    parts = judge("color = 'red' AND weight > 2500", {"color": "red", "weight": 5})["explanation"]["parts"]
    shown = [(part["depth"], part["text"], part.get("verdict"), part.get("value")) for part in parts]
    assert shown == [
        (0, "color = 'red' AND weight > 2500", False, None),
        (1, "color = 'red'", True, None),
        (2, "color", None, "red"),
        (1, "weight > 2500", False, None),
        (2, "weight", None, 5),
    ]
    assert [part["text"] for part in parts if part.get("decides")] == ["weight > 2500"]


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("{'a': 1}", "this is not JSON: Expecting property name enclosed in double quotes"),
        ("[1]", "a message is a JSON object"),
        ('{"JMSPriority": "high"}', "JMSPriority: expected an integer, found text"),
        ('{"header": {"priorty": 1}}', "there is no field called 'priorty'"),
        ("[" * 100_000, "the JSON is nested too deeply"),
    ],
)
def test_what_is_no_message_is_a_problem_beside_the_findings(text: str, expected_text: str) -> None:
    answer = ask("judge", selector="a = ", message=text, dialect="jms")
    assert expected_text in answer["problem"]["message"]
    assert answer["findings"][0]["code"] == "syntax.unexpected-end"


def test_a_form_has_a_row_for_each_property_and_none_for_sections() -> None:
    text = '{"a": 1, "b": 2.0, "c": "x", "d": true, "e": null, "f": {"type": "short", "value": 5}}'
    rows = ask("message", text=text)["rows"]
    kinds = ["integer", "decimal", "text", "boolean", "null", "json"]
    assert [(row["name"], row["kind"]) for row in rows] == list(zip("abcdef", kinds, strict=True))
    assert [row["text"] for row in rows] == ["1", "2.0", "x", "true", "", '{"type": "short", "value": 5}']
    assert ask("message", text='{"header": {"priority": 5}}') == {"problem": None, "rows": None}
    assert ask("message", text="{")["rows"] is None
    assert ask("message", text=" ")["rows"] == []


def test_sql_is_that_of_the_library_in_each_layout_and_result() -> None:
    for layout in ask("choices")["layouts"]:
        for result in ("filter", "boolean", "ternary"):
            schema = "color STRING, weight BIGINT"
            answer = ask("sql", selector="weight > 5", dialect="jms", layout=layout, result=result, schema=schema)
            assert answer["sql"], (layout, answer)
    own = {"dialect": "jms", "layout": "schema", "result": "ternary", "schema": "weight BIGINT"}
    sql = transpile_selector("weight > 5", "weight BIGINT", result="ternary").sql
    assert ask("sql", selector="weight > 5", **own) == {"sql": sql, "schema": "weight BIGINT", "findings": []}
    [reported] = ask("sql", selector="color LIKE '*bl*'", **own | {"schema": "color STRING"})["findings"]
    assert reported["code"] == "lint.like-without-wildcard"
    refused = ask("sql", selector="a > 5", **own)
    assert (refused["sql"], refused["findings"][0]["code"]) == (None, "layout.no-column")


@pytest.mark.parametrize(
    ("selector", "message", "dialect", "schema"),
    [
        (
            "JMSType = 'car' AND weight > 2500",
            {"weight": 2.5, "new": True},
            "jms",
            "JMSType STRING, weight DOUBLE, new BOOLEAN",
        ),
        ("a = 1 OR b < 2.5 OR c = TRUE OR d LIKE 'x%'", {}, "jms", "a BIGINT, b DOUBLE, c BOOLEAN, d STRING"),
        ("JMSTimestamp > 5 AND JMSPriority > 6", {}, "jms", "JMSTimestamp TIMESTAMP, JMSPriority INT"),
        # Spark does not distinguish these two names, which differ only in case.
        ("appId <> 'a'", {"appid": "a"}, "jms", "appId STRING"),
        ("a = ", {"b": 1}, "jms", "b BIGINT"),
        ("", {}, "jms", "JMSType STRING"),
        ("a = 1", [], "jms", "a BIGINT"),
    ],
)
def test_the_first_layout_has_the_columns_of_the_selector_and_the_message(
    selector: str, message: object, dialect: str, schema: str
) -> None:
    assert ask("choices")["layouts"][0] == "schema"
    request = {"dialect": dialect, "layout": "schema", "result": "filter", "message": json.dumps(message)}
    assert ask("sql", selector=selector, **request)["schema"] == schema


@pytest.mark.parametrize("example", SELECTORS, ids=lambda example: example.title)
def test_an_example_of_a_selector_has_sql_in_its_layout(example: Any) -> None:
    request = {"dialect": example.dialect, "layout": example.layout, "message": json.dumps(example.message)}
    answer = ask("sql", selector=example.selector, result="filter", **request)
    assert (answer["sql"] is None) == (example.title == "Wrong quotes")


def test_dialects_part_with_the_rule_behind_it() -> None:
    rows = {row["dialect"]: row for row in ask("dialects", selector="appId <> 'x'", message="{}")["rows"]}
    assert (rows["jms"]["verdict"], rows["qpid-java"]["verdict"]) == (None, True)
    assert "NULL" in rows["qpid-java"]["rule"]
    assert not ask("dialects", selector="appId <> 'x'", message="{")["rows"][0]["judged"]


def test_port_is_that_of_the_library_or_says_why_not() -> None:
    answer = ask("port", selector="color <> 5", source="jms", target="artemis")
    assert answer["text"] == port_selector("color <> 5", "jms", "artemis").text
    refused = ask("port", selector="XPATH '//a'", source="activemq", target="jms")
    assert refused["text"] is None
    assert refused["findings"]


def test_a_long_selector_is_left_to_the_commands() -> None:
    selector = " OR ".join(f"a = {number}" for number in range(500))
    assert "selector-sql compare" in ask("dialects", selector=selector, message="{}")["note"]
    assert ask("port", selector=selector, source="jms", target="activemq")["findings"][0]["code"] == "port.long"
    assert judge(selector, {"a": 499})["explanation"]["verdict"] is True


@pytest.mark.parametrize("example", TOPOLOGIES, ids=lambda example: example.title)
def test_an_example_of_a_topology_is_drawn_and_routed(example: Any) -> None:
    text = json.dumps(example.topology)
    drawn = ask("topology", text=text)
    assert drawn["findings"] == []
    assert "nothing is dead" in drawn["report"]
    route = ask(
        "publish",
        text=text,
        exchange=example.exchange,
        routing_key=example.routing_key,
        message=json.dumps(example.message),
    )
    assert route["problem"] is None
    assert route["queues"]
    assert all(f"{source} -> {target}" in drawn["dot"] for source, target, _ in route["arrows"])


@pytest.mark.parametrize(
    ("exchange", "key", "message", "arrows", "queues"),
    [
        ("orders", "order.paid.us", {}, {"orders>billing", "orders>by-type"}, ["billing"]),
        ("orders", "invoice", {}, {"orders>unrouted alternate", "unrouted>lost-and-found"}, ["lost-and-found"]),
        ("by-type", "", {"new": True}, {"by-type>fraud-check"}, ["fraud-check"]),
        ("", "billing", {}, set(), ["billing"]),
        ("by-type", "", {}, set(), []),
    ],
)
def test_the_path_is_the_arrows_that_the_message_passed(
    exchange: str, key: str, message: dict[str, Any], arrows: set[str], queues: list[str]
) -> None:
    dot = ask("topology", text=DEFINITIONS)["dot"]
    names = dict(line.strip().split(" [shape=") for line in dot.splitlines() if "[shape=" in line)
    titles = {node: rest.split('label="')[1].split("\\n")[0].rstrip('"];') for node, rest in names.items()}
    route = ask("publish", text=DEFINITIONS, exchange=exchange, routing_key=key, message=json.dumps(message))
    lit = {f"{titles[a]}>{titles[b]}{' alternate' if alternate else ''}" for a, b, alternate in route["arrows"]}
    assert (lit, route["queues"]) == (arrows, queues)
    assert {titles[node] for node in route["nodes"]} >= set(queues)


def test_a_topology_that_does_not_read_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    # The browser has no yaml module either.
    monkeypatch.setitem(sys.modules, "yaml", None)
    for text, expected_text in (
        ("{", "this is not JSON"),
        ('{"a": ' * 5_000, "the JSON is nested too deeply"),
        ("broker: rabbitmq", "the page reads no YAML"),
        ('{"broker": "rabbitmq", "bindings": [{"source": "x", "queue": "q"}]}', "there is no exchange called 'x'"),
    ):
        answer = ask("topology", text=text)
        assert answer["dot"] is None
        assert expected_text in answer["findings"][0]["message"]
        assert ask("publish", text=text, exchange="", routing_key="", message="{}")["problem"] is not None


def test_of_several_virtual_hosts_one_is_chosen() -> None:
    hosts = [{"name": "/"}, {"name": "test"}]
    queues = [{"name": "a", "vhost": "/"}, {"name": "b", "vhost": "test"}]
    text = json.dumps({"rabbit_version": "3.13.7", "vhosts": hosts, "queues": queues, "exchanges": [], "bindings": []})
    first, second = ask("topology", text=text), ask("topology", text=text, vhost="test")
    assert first["vhosts"] == ["/", "test"]
    assert ('label="a"' in first["dot"], 'label="b"' in second["dot"]) == (True, True)
    assert ask("publish", text=text, vhost="test", exchange="", routing_key="b", message="{}")["queues"] == ["b"]


def test_hostile_texts_are_answered() -> None:
    for selector in HOSTILE:
        answer = judge(selector)
        assert answer["findings"] or answer["explanation"]
