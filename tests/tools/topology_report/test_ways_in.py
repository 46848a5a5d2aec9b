"""The ways back from a queue: each one has a message, and the router delivers the message to the queue."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import route_message
from transpiler.base.errors import TopologyError
from transpiler.reference.route import publish, route_path
from transpiler.tools.topology_report.ways_in import fills
from transpiler.topology.files import parse_topology, topology_from_dict
from transpiler.topology.model import Topology

Json = dict[str, Any]


def definitions(**more: Any) -> Topology:
    return topology_from_dict({"rabbitmq_version": "4.1.0", **more})


CHAIN: Json = {
    "exchanges": [
        {"name": "in", "type": "topic"},
        {"name": "orders", "type": "direct", "arguments": {"alternate-exchange": "rest"}},
        {"name": "rest", "type": "fanout"},
        {"name": "dlx", "type": "topic"},
        {"name": "inner", "type": "headers", "internal": True},
    ],
    "queues": [
        {"name": "work", "arguments": {"x-dead-letter-exchange": "dlx", "x-dead-letter-routing-key": "late"}},
        {"name": "dead"},
        {"name": "big"},
    ],
    "bindings": [
        {"source": "in", "destination": "orders", "destination_type": "exchange", "routing_key": "#.new"},
        {"source": "orders", "destination": "work", "routing_key": "a.new"},
        {"source": "rest", "destination": "work", "routing_key": ""},
        {"source": "dlx", "destination": "dead", "routing_key": "late"},
        {"source": "orders", "destination": "inner", "destination_type": "exchange", "routing_key": "b.new"},
        {"source": "inner", "destination": "big", "arguments": {"x-match": "all", "size": "big"}, "routing_key": ""},
    ],
}


def answers(topology: Topology, queue: str) -> dict[str, str]:
    return {finding.subject: finding.reason for finding in fills(topology, queue)}


def test_each_way_of_a_queue_has_a_message() -> None:
    assert answers(definitions(**CHAIN), "work") == {
        "default exchange (work) → work": "key 'work'",
        "orders (a.new) → work": "key 'a.new'",
        "rest (every message) → work": "any message",
        "in (#.new) → orders (a.new) → work": "key 'a.new'",
        "orders (otherwise) → rest (every message) → work": "any message",
        "in (#.new) → orders (otherwise) → rest (every message) → work": "key 'new'",
    }


def test_publishers_cannot_begin_at_an_internal_exchange() -> None:
    assert answers(definitions(**CHAIN), "big") == {
        "default exchange (big) → big": "key 'big'",
        "orders (b.new) → inner (all: size=big) → big": 'key \'b.new\', {"size": "big"}',
        "in (#.new) → orders (b.new) → inner (all: size=big) → big": 'key \'b.new\', {"size": "big"}',
    }


def test_a_dead_letter_is_a_way_with_the_message_that_the_other_queue_gets() -> None:
    found = answers(definitions(**CHAIN), "dead")
    way = "work (rejected or expired, to dlx, key 'late') → dlx (late) → dead"
    assert found[way] == "key 'work' comes to work, and from there when it is rejected or expired"


def test_a_way_whose_conditions_exclude_each_other_has_no_message() -> None:
    bindings = [
        {"source": "a", "destination": "b", "destination_type": "exchange", "routing_key": "x"},
        {"source": "b", "destination": "q", "routing_key": "y"},
    ]
    exchanges = [{"name": "a", "type": "direct"}, {"name": "b", "type": "direct"}]
    found = answers(definitions(exchanges=exchanges, queues=[{"name": "q"}], bindings=bindings), "q")
    impossible = "no message takes this way: the conditions of its steps exclude each other"
    assert found["a (x) → b (y) → q"] == impossible


def test_an_unknown_queue_is_an_error_with_near_names() -> None:
    with pytest.raises(TopologyError, match="did you mean work"):
        next(fills(definitions(**CHAIN), "wrk"))


BROKER = """<configuration><core>
<diverts><divert name="d"><address>in</address><forwarding-address>orders</forwarding-address>
  <filter string="color = 'red'"/><exclusive>true</exclusive></divert></diverts>
<address-settings><address-setting match="orders"><dead-letter-address>DLQ</dead-letter-address></address-setting>
</address-settings>
<addresses><address name="in"><multicast/></address><address name="DLQ"><anycast><queue name="DLQ"/></anycast></address>
  <address name="orders"><anycast><queue name="orders"/></anycast>
  <multicast><queue name="big"><filter string="weight > 5"/></queue></multicast></address></addresses>
</core></configuration>"""


def test_the_ways_of_artemis_pass_diverts_and_filters() -> None:
    found = answers(parse_topology(BROKER, "broker.xml"), "big")
    assert found == {
        "orders (weight > 5) → big": 'to orders, {"weight": 6}',
        "in (divert d | exclusive | color = 'red') → orders (weight > 5) → big": (
            'to in, {"color": "red", "weight": 6}'
        ),
    }
    dead = answers(parse_topology(BROKER, "broker.xml"), "DLQ")
    assert any(way.startswith("big (rejected") and "comes to big" in reason for way, reason in dead.items())


_NAMES = st.sampled_from(["a", "b", "c"])
_KEYS = st.sampled_from(["x", "y", "x.#", "*.y", "#", ""])


@st.composite
def _topologies(draw: st.DrawFn) -> Topology:
    types = {name: draw(st.sampled_from(["direct", "topic", "fanout", "headers"])) for name in "abc"}
    exchanges: list[Json] = [{"name": name, "type": kind} for name, kind in types.items()]
    for exchange in exchanges:
        if draw(st.booleans()):
            exchange["arguments"] = {"alternate-exchange": draw(_NAMES)}
        exchange["internal"] = draw(st.integers(0, 3)) == 0
    bindings = []
    for _ in range(draw(st.integers(1, 6))):
        to = draw(st.sampled_from(["q", "r", "a", "b", "c"]))
        kind = "queue" if to in "qr" else "exchange"
        arguments = {"x-match": draw(st.sampled_from(["any", "all"])), "n": draw(st.integers(0, 1))}
        binding = {"source": draw(_NAMES), "destination": to, "destination_type": kind, "routing_key": draw(_KEYS)}
        bindings.append(binding | ({"arguments": arguments} if types[binding["source"]] == "headers" else {}))
    dead = {"x-dead-letter-exchange": draw(_NAMES)} if draw(st.booleans()) else {}
    return definitions(exchanges=exchanges, queues=[{"name": "q", "arguments": dead}, {"name": "r"}], bindings=bindings)


@given(_topologies())
def test_the_router_delivers_each_message_that_is_shown(topology: Topology) -> None:
    shown = [(queue, one) for queue in ("q", "r") for one in fills(topology, queue)]
    for queue, finding in shown:
        if "message" not in finding.details:
            continue
        message = dict(finding.details["message"])
        if "comes to" in finding.reason:
            steps = route_path(topology, message).steps
            assert any(queue in step.routed.queues for step in steps), finding
        else:
            assert queue in route_message(topology, message), finding


@given(_topologies(), st.sampled_from(["a", "b", "c"]), st.sampled_from(["x", "y", "x.y", "z"]), st.integers(0, 2))
def test_what_a_queue_gets_comes_by_a_way_that_has_a_message(
    topology: Topology, exchange: str, key: str, number: int
) -> None:
    routed = publish(topology, {"n": number}, exchange, [key])
    for queue in routed.queues:
        ways = [one for one in fills(topology, queue) if one.subject.startswith(f"{exchange} (")]
        assert any("message" in way.details for way in ways), (queue, ways)
