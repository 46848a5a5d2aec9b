"""``selector-sql diff`` finds a message for which selectors, filters or topologies differ, or proves there is none."""

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
from transpiler.topology import Topology, parse_topology, topology_from_dict
from transpiler.topology.importers.rabbitmq import topology_from_definitions

Json = dict[str, Any]

DEFINITIONS = str(Path(__file__).parents[3] / "examples" / "data" / "definitions.json")


def run(*words: str, given: str = "") -> Result:
    return CliRunner().invoke(main, ["diff", *words], input=given)


#: Old selector, new selector, the message that is gained, and the message that is lost; None if it is proved that there
#: is none.
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


#: A selector with many terms. A difference in one term was overlooked when constants beyond forty were silently
#: ignored.
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
            # One dialect has no BETWEEN, and rejects long selectors.
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
        Change("exchange", "changed", "orders", "unroutable reject, was discard"),
        Change("queue", "removed", "legacy"),
        Change("queue", "added", "fresh"),
        Change("binding", "removed", "amq.direct -> legacy", "key 'old'"),
        Change("binding", "changed", "orders -> audit", "key 'orders.*', was key 'orders.#'"),
        Change(
            "binding",
            "changed",
            "orders -> eu",
            "key 'orders.*', selector \"region IN ('eu', 'uk')\", was key 'orders.*', selector \"region = 'eu'\"",
        ),
        Change("binding", "changed", "amq.match -> eu", "x-match 'all', a 2, b 'x', was x-match 'all', a 1, b 'x'"),
    )
    lines = str(result).splitlines()
    assert '  to orders with key \'orders.x\': {"region": "uk"}' in lines
    for example in result.examples:
        assert example.old == route_message(old, example.message, example.exchange, [example.key])
        assert example.new == route_message(new, example.message, example.exchange, [example.key])
        assert example.old != example.new
    parting = {(queue, queue in one.new) for one in result.examples for queue in set(one.old) ^ set(one.new)}
    assert parting == {("audit", False), ("eu", True), ("eu", False), ("legacy", False), ("fresh", True)}


@pytest.mark.parametrize(("old", "new"), [("ab", "c"), ("a", "bc"), ("ab", "cd")])
def test_bindings_are_a_change_only_where_one_is_in_the_place_of_one(old: str, new: str) -> None:
    sides = [
        topology_from_dict(OLD | {"bindings": [{"source": "orders", "queue": "audit", "key": key} for key in keys]})
        for keys in (old, new)
    ]
    reported = [(each.change, each.detail) for each in diff_topologies(*sides, examples=1).changes]
    assert reported == [("removed", f"key '{key}'") for key in old] + [("added", f"key '{key}'") for key in new]


def test_a_topology_with_its_parts_in_another_order_is_the_same() -> None:
    turned = OLD | {"bindings": OLD["bindings"][::-1], "queues": OLD["queues"][::-1]}
    assert str(diff_topologies(topology_from_dict(OLD), topology_from_dict(turned))) == (
        "OLD and NEW have the same routes."
    )


def exported(**parts: Any) -> Topology:
    """Return RabbitMQ's export of an exchange in that delivers to the queues q and r, with the members ``parts``."""
    bindings = [{"source": "in", "destination": name, "routing_key": "#"} for name in ("q", "r")]
    whole = {"queues": [{"name": "q"}, {"name": "r"}], "exchanges": [{"name": "in", "type": "topic"}]}
    return topology_from_definitions({"rabbitmq_version": "4.1.0", "bindings": bindings} | whole | parts)


def queues(**arguments: Any) -> Json:
    return {"queues": [{"name": "q", "arguments": arguments}, {"name": "r"}]}


def policy(pattern: str = "^q$", kind: str = "policies", **definition: Any) -> Json:
    return {kind: [{"name": "p", "pattern": pattern, "apply-to": "queues", "definition": definition}]}


def operator_policy(definition: Any) -> Json:
    value = {"pattern": "", "apply-to": "queues", "definition": definition}
    return {"parameters": [{"component": "operator_policy", "name": "o", "value": value}]}


def shovel(**value: Any) -> Json:
    return {
        "parameters": [{"component": "shovel", "name": "s", "value": {"src-queue": "q", "dest-queue": "r"} | value}]
    }


#: Members of an old and of a new export, and how their difference is listed as a setting.
SETTINGS: tuple[tuple[Json, Json, list[str]], ...] = (
    (queues(), queues(**{"x-message-ttl": 5}), ["q: message-ttl 5, was none"]),
    (queues(**{"x-max-length": 5}), queues(**{"x-max-length": 6}), ["q: max-length 6, was 5"]),
    (queues(**{"x-overflow": "drop-head"}), queues(), ["q: overflow none, was drop-head"]),
    (
        queues(**{"x-expires": 5}),
        queues(**{"x-expires": 6, "x-queue-mode": "lazy"}),
        ["q: expires 6, was 5", "q: queue-mode lazy, was none"],
    ),
    (queues(**{"x-delivery-limit": 5}), queues(**{"x-delivery-limit": 6}), ["q: delivery-limit 6, was 5"]),
    (policy(**{"message-ttl": 5}), policy(**{"message-ttl": 6}), ["p: message-ttl 6, was 5"]),
    (policy(**{"max-length": 5}), policy("^r$", **{"max-length": 5}), ["p: pattern ^r$, was ^q$"]),
    (operator_policy([["max-length", 5]]), operator_policy({"max-length": 6}), ["o: max-length 6, was 5"]),
    (
        shovel(**{"dest-uri": "amqp://", "ack-mode": "on-confirm"}),
        shovel(**{"dest-uri": "amqp://", "ack-mode": "no-ack"}),
        ["s: ack-mode no-ack, was on-confirm"],
    ),
    # The password must not be displayed.
    (shovel(**{"dest-uri": "amqp://u:one@localhost"}), shovel(**{"dest-uri": "amqp://u:two@localhost"}), []),
)


@pytest.mark.parametrize(("old", "new", "listed"), SETTINGS)
def test_settings_that_decide_no_route_are_listed_and_not_judged(old: Json, new: Json, listed: list[str]) -> None:
    diff = diff_topologies(exported(**old), exported(**new))
    assert ([change.text for change in diff.settings], diff.same_routes) == (listed, True)
    assert diff.differs is bool(listed)
    assert str(diff).startswith("OLD and NEW have the same routes.")
    assert "same topology" not in str(diff)


XML = (
    (
        "<broker xmlns='http://activemq.apache.org/schema/core'><destinationPolicy><policyMap><policyEntries>"
        "<policyEntry queue='&gt;' memoryLimit='{}'/></policyEntries></policyMap></destinationPolicy></broker>",
        "queue >: memoryLimit 2mb, was 1mb",
    ),
    (
        "<broker xmlns='http://activemq.apache.org/schema/core'><systemUsage><systemUsage><memoryUsage>"
        "<memoryUsage limit='{}'/></memoryUsage></systemUsage></systemUsage></broker>",
        "memoryUsage.memoryUsage.limit 2mb, was 1mb",
    ),
    (
        "<configuration><core><address-settings><address-setting match='#'><max-size-bytes>{}</max-size-bytes>"
        "</address-setting></address-settings></core></configuration>",
        "#: max-size-bytes 2mb, was 1mb",
    ),
    (
        "<configuration><core><global-max-size>{}</global-max-size></core></configuration>",
        "global-max-size 2mb, was 1mb",
    ),
    (
        '{{"name": "h", "modelVersion": "9", "type": "JSON", "queues": '
        '[{{"name": "q", "maximumQueueDepthBytes": "{}"}}]}}',
        "q: maximumQueueDepthBytes 2mb, was 1mb",
    ),
)


@pytest.mark.parametrize(("text", "listed"), XML)
def test_settings_of_other_brokers_are_listed_too(text: str, listed: str) -> None:
    name = "x.xml" if text.startswith("<") else "x.json"
    diff = diff_topologies(*(parse_topology(text.format(size), name) for size in ("1mb", "2mb")))
    assert ([change.text for change in diff.settings], diff.same_routes) == ([listed], True)


DEAD = {"x-dead-letter-exchange": ""}


@pytest.mark.parametrize(
    ("old", "new", "ways"),
    [
        (queues(), queues(**DEAD, **{"x-dead-letter-routing-key": "r"}), ((), ("q: rejected or expired → r",))),
        (
            queues(**DEAD, **{"x-dead-letter-routing-key": "gone"}),
            queues(**DEAD, **{"x-dead-letter-routing-key": "r"}),
            (("q: rejected or expired → no queue",), ("q: rejected or expired → r",)),
        ),
        (
            queues(**DEAD, **{"x-dead-letter-routing-key": "r"}),
            queues(**DEAD, **{"x-dead-letter-routing-key": "r", "x-max-length": 5}),
            (("q: rejected or expired → r",), ("q: rejected, expired or over the queue's length → r",)),
        ),
    ],
)
def test_where_a_message_goes_next_is_compared(old: Json, new: Json, ways: tuple[tuple[str, ...], ...]) -> None:
    diff = diff_topologies(exported(**old), exported(**new))
    [example] = diff.examples
    assert (example.old, example.new) == (("q",), ("q",))
    assert (example.next_of_old, example.next_of_new) == ways


def inner(color: str, *bindings: Json, alternate: str | None = None, links: list[Json] | None = None) -> Topology:
    """Return a topology with the queue q after an internal exchange, which bindings, an alternate or links lead to."""
    e = {"name": "e", "type": "topic"} | ({"alternate": alternate} if alternate else {})
    to_q = {"source": "last", "queue": "q", "arguments": {"x-match": "all", "color": color}}
    form: Json = {
        "broker": "rabbitmq",
        "queues": ["q", "work"],
        "exchanges": [
            e,
            {"name": "between", "type": "fanout", "internal": True},
            {"name": "last", "type": "headers", "internal": True},
        ],
        "bindings": [*bindings, to_q],
        "links": links or [],
    }
    return topology_from_dict(form)


INNER: tuple[tuple[str, Json], ...] = (
    (
        "two exchanges",
        {"bindings": [{"source": "e", "exchange": "between", "key": "a.#"}, {"source": "between", "exchange": "last"}]},
    ),
    ("an alternate", {"alternate": "last"}),
    ("an alternate and a binding", {"alternate": "between", "bindings": [{"source": "between", "exchange": "last"}]}),
    (
        "a dead letter",
        {
            "bindings": [{"source": "e", "queue": "work", "key": "w"}],
            "links": [{"kind": "dead-letter", "from": {"queue": "work"}, "to": {"exchange": "last"}}],
        },
    ),
)


@pytest.mark.parametrize("parts", [row[1] for row in INNER], ids=[row[0] for row in INNER])
def test_a_message_is_found_for_a_change_behind_exchanges_that_nobody_publishes_to(parts: Json) -> None:
    before, after = (
        inner(color, *parts.get("bindings", ()), alternate=parts.get("alternate"), links=parts.get("links"))
        for color in ("red", "blue")
    )
    examples = diff_topologies(before, after).examples
    assert {example.exchange for example in examples} <= {"e", ""}
    gone = [set(one.old) ^ set(one.new) or set(one.next_of_old) ^ set(one.next_of_new) for one in examples]
    assert len(gone) == 2
    swapped = diff_topologies(after, before).examples
    assert {(str(one.message), one.old, one.new) for one in swapped} == {
        (str(one.message), one.new, one.old) for one in examples
    }


@pytest.mark.parametrize(
    "brokers", [("rabbitmq", "qpid-java"), ("rabbitmq-3.12", "rabbitmq"), ("qpid-java", "qpid-cpp")]
)
def test_old_and_new_of_two_brokers_are_not_exchanged(brokers: tuple[str, str]) -> None:
    """The keys and headers of each side are evaluated by the rules of its own broker."""
    form: Json = {
        "queues": ["q", "h", "some"],
        "exchanges": [{"name": "t", "type": "topic"}, {"name": "m", "type": "headers"}],
        "bindings": [
            {"source": "t", "queue": "q", "key": "a."},
            {"source": "m", "queue": "h", "arguments": {"x-match": "all", "n": 1}},
            {"source": "m", "queue": "some", "arguments": {"x-match": "any", "s": ""}},
        ],
    }
    old, new = (topology_from_dict(form | {"broker": name}) for name in brokers)
    for first, second in ((old, new), (new, old)):
        diff = diff_topologies(first, second, examples=9)
        assert diff.changes[0].text == f"{second.broker}, was {first.broker}"
        for example in diff.examples:
            assert example.old == route_message(first, example.message, example.exchange, [example.key])
            assert example.new == route_message(second, example.message, example.exchange, [example.key])
    assert diff.examples


def test_equal_changes_are_one_line_with_their_number() -> None:
    def many(key: str, count: int = 300) -> Topology:
        names = [f"q{number}" for number in range(count)]
        bindings = [{"source": "e", "queue": name, "key": key} for name in names]
        exchanges = [{"name": "e", "type": "topic"}]
        form = {"broker": "rabbitmq", "queues": names, "exchanges": exchanges, "bindings": bindings}
        return topology_from_dict(form)

    lines = str(diff_topologies(many("a.#"), many("b.#"))).splitlines()
    assert lines[:2] == ["300 changes", "  ~ binding   e -> 300 of them (q0, q1, q2, …): key 'b.#', was key 'a.#'"]
    assert max(map(len, lines)) < 100
    assert str(diff_topologies(many("a.#", 3), many("b.#", 3))).count("  ~ binding") == 3
    lines = str(diff_topologies(many("a.#", 0), many("a.#"))).splitlines()
    assert lines[1:3] == [
        "  + queue     300 of them (q0, q1, q2, …)",
        "  + binding   e -> 300 of them (q0, q1, q2, …): key 'a.#'",
    ]


OF_ACTIVEMQ = """<broker xmlns="http://activemq.apache.org/schema/core"><destinationInterceptors>
<virtualDestinationInterceptor><virtualDestinations><compositeQueue name="IN" forwardOnly="false"><forwardTo>
<filteredDestination selector="odd = 'yes'" queue="FOO"/></forwardTo></compositeQueue></virtualDestinations>
</virtualDestinationInterceptor></destinationInterceptors><destinations><queue physicalName="IN"/>
<queue physicalName="FOO"/></destinations></broker>"""
OF_ARTEMIS = """<configuration><core><diverts><divert name="foo"><address>IN</address>
<forwarding-address>FOO</forwarding-address><filter string="odd = '{}'"/></divert></diverts><addresses>
<address name="IN"><anycast><queue name="IN"/></anycast></address><address name="FOO"><anycast><queue name="FOO"/>
</anycast></address></addresses></core></configuration>"""


@pytest.mark.parametrize("odd", ["yes", "no"])
def test_destinations_of_two_jms_brokers_that_mean_one_are_matched(odd: str) -> None:
    sides = parse_topology(OF_ACTIVEMQ, "a.xml"), parse_topology(OF_ARTEMIS.format(odd), "b.xml")
    for old, new in (sides, sides[::-1]):
        diff = diff_topologies(old, new)
        assert not [change for change in diff.changes if change.kind == "queue" and "DLQ" not in change.subject]
        bindings = [change.text for change in diff.changes if change.kind == "binding"]
        assert (bindings == []) is (odd == "yes")
        sent = [one for one in diff.examples if one.routing_type != "MULTICAST" and one.exchange.endswith("IN")]
        assert any(example.old != example.new for example in sent) is (odd == "no")
    [link] = [change.subject for change in diff.changes if change.kind == "queue"]
    assert link == "queue://ActiveMQ.DLQ"


def test_mapped_names_are_treated_as_the_same_object() -> None:
    def one(broker: str, exchange: str, queue: str) -> Topology:
        binding = {"source": exchange, "queue": queue, "key": "k"}
        exchanges = [{"name": exchange, "type": "direct"}]
        form = {"broker": broker, "queues": [queue], "exchanges": exchanges, "bindings": [binding]}
        return topology_from_dict(form)

    old, new = one("rabbitmq", "e", "q"), one("rabbitmq", "E", "Q")
    assert len(diff_topologies(old, new).changes) == 6
    mapped = diff_topologies(old, new, names={"e": "E", "q": "Q"})
    assert (mapped.same_routes, mapped.differs) == (True, False)
    # If only one of the two names is mapped, the other keeps its own meaning.
    assert diff_topologies(old, new, names={"e": "E"}).changes[0].text == "q"


@pytest.mark.parametrize(
    ("old", "new", "expected_text"),
    [
        (
            "<anycast><queue name='a'/></anycast>",
            "<multicast><queue name='a'/></multicast>",
            "a: multicast, was anycast",
        ),
        ("<anycast/>", "<anycast/><multicast/>", "a: anycast, multicast, was anycast"),
    ],
)
def test_routing_types_of_an_address_are_reported_in_their_words(old: str, new: str, expected_text: str) -> None:
    text = "<configuration><core><addresses><address name='a'>{}</address></addresses></core></configuration>"
    sides = (parse_topology(text.format(inside), "broker.xml") for inside in (old, new))
    assert expected_text in [change.text for change in diff_topologies(*sides).changes]


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
    (("old.json", "old.json"), 0, "the same routes"),
    (("old.json", "new.json", "--map", "map.json"), 1, "NEW  audit, eu"),
    (("old.json", "new.json", "--map", "sel.txt"), 2, "sel.txt:1:1: "),
    (("old.json", "new.json", "--map", "list.json"), 2, "list.json: a map of names must be an object such as"),
    (("a = 1", "a = 1", "--map", "map.json"), 2, "--map applies only to topologies, not to selectors and filters"),
    (("old.json", "new.yaml"), 1, "Messages that go elsewhere\n"),
    (("old.json", "my new.yml"), 1, "Messages that go elsewhere\n"),
    (("old.properties", "new.properties"), 1, "Messages that go elsewhere\n"),
    (("a = 1", "nowhere.properties"), 2, "file 'nowhere.properties' does not exist\n"),
    (("old.json", "new.json", "--examples", "0"), 1, "No message was found that goes elsewhere (0 tried)"),
    (("a <> 5", "a <> 5", "--new-dialect", "ActiveMQ"), 1, "rule: "),
    (("a = 1", "a = 2", "--format", "JSON"), 1, '"differs": true'),
    (("old.json", "new.json", "--format", "json"), 1, '"messages_tried": '),
    (
        ("a = 1", "old.json"),
        2,
        "OLD is a selector and NEW is a topology: give two selectors, two filter sets or two topologies\n",
    ),
    (
        ("a = 1", "filter.json"),
        2,
        "OLD is a selector and NEW is a filter: give two selectors, two filter sets or two topologies\n",
    ),
    (("a = 1", "a ="), 2, "NEW:1:4: syntax.unexpected-end"),
    (("sel.txt", "bad.txt"), 2, "bad.txt:1:"),
    (("a = 1", "@nowhere.txt"), 2, "file 'nowhere.txt' does not exist\n"),
    (("a = 1", "nowhere.json"), 2, "file 'nowhere.json' does not exist\n"),
    (("filter.json", "broken.json"), 2, "broken.json:1:"),
    (("a = 1", "a = 1", "--new-dialect", "activmq"), 2, "did you mean activemq?"),
    (("old.json", "new.json", "--new-dialect", "jms"), 2, "--new-dialect applies only to selectors and filters"),
    (("old.json", "new.json", "--vhost", "x"), 2, "there is no virtual host 'x'"),
    (("a = 1",), 2, "Missing argument"),
)


SIDES = (("old", "color = 'red'"), ("new", "color = 'blue'"))


@pytest.mark.parametrize(("words", "code", "printed"), COMMANDS)
def test_the_command_answers(
    words: tuple[str, ...], code: int, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"sel.txt": SELECTOR_FILE, "bad.txt": "weight >\n", "filter.json": FILTER, "broken.json": "{"}
    texts |= {"old.json": json.dumps(OLD), "new.json": json.dumps(NEW), "new.yaml": json.dumps(NEW)}
    texts["my new.yml"] = texts["new.yaml"]
    audit = 'addressConfigurations."orders".queueConfigs.audit.'
    texts |= {f"{name}.properties": f"{audit}routingType=ANYCAST\n{audit}filterString={text}\n" for name, text in SIDES}
    texts |= {"map.json": '{"legacy": "fresh"}', "list.json": "[1]"}
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


def test_what_is_judged_of_a_queue_is_not_said_to_be_a_setting_without_a_judgement() -> None:
    def host(attempts: int, durability: str) -> Topology:
        queue = {"name": "a", "type": "standard", "maximumDeliveryAttempts": attempts, "messageDurability": durability}
        queue |= {"alternateBinding": {"destination": "b"}}
        data = {"modelVersion": "9.0", "name": "h", "queues": [queue, {"name": "b", "type": "standard"}]}
        return parse_topology(json.dumps(data), "h.json")

    found = diff_topologies(host(4, "ALWAYS"), host(6, "NEVER"))
    assert [one.detail for one in found.changes] == [
        "arguments maximumDeliveryAttempts 6, was maximumDeliveryAttempts 4"
    ]
    assert [one.detail for one in found.settings] == ["messageDurability NEVER, was ALWAYS"]
