"""The answers that depend on how senders name places: whole, and those of two brokers in each other's terms."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import Message, TopologyError, route_message, topology_from_dict
from transpiler.base.topics import MANY_WORDS
from transpiler.reference.route import publish
from transpiler.tools.explanation.routes import explain_route
from transpiler.topology.addressing import Addressing, Send
from transpiler.topology.broker_rules import ACTIVEMQ, ARTEMIS, QPID_CPP, RABBITMQ, RULES, Rules
from transpiler.topology.model import Topology
from transpiler.topology.records import Exchange, Queue

ALL = [pytest.param(rules, id=name) for name, rules in RULES.items()]


@pytest.mark.parametrize("rules", ALL)
def test_each_broker_has_each_answer(rules: Rules) -> None:
    for name in Addressing.__annotations__:
        assert hasattr(rules.addressing, name), name


def test_brokers_whose_senders_name_places_alike_have_equal_answers() -> None:
    assert RABBITMQ.addressing == QPID_CPP.addressing
    assert len({rules.addressing for rules in RULES.values()}) == 3


@pytest.mark.parametrize(
    ("rules", "destination", "routing_type", "sends"),
    [
        (ARTEMIS, "a.b", None, (Send("untyped", "a.b"),)),
        (ARTEMIS, "a::q", "ANYCAST", (Send("ANYCAST::", "a::q"),)),
        (ARTEMIS, "a,b", None, (Send("untyped", "a,b"),)),
        (ACTIVEMQ, "a", None, (Send("queue", "a"),)),
        (ACTIVEMQ, "topic://a, b?x=1,, queue://c", None, (Send("topic", "a"), Send("topic", "b"), Send("queue", "c"))),
        (ACTIVEMQ, " , ", None, ()),
    ],
)
def test_a_send_enters_by_its_routing_type_or_its_kind(
    rules: Rules, destination: str, routing_type: str | None, sends: tuple[Send, ...]
) -> None:
    assert rules.addressing.sends(destination, routing_type, ()) == sends


@pytest.mark.parametrize("rules", [ARTEMIS, ACTIVEMQ])
def test_a_routing_type_that_is_none_is_refused(rules: Rules) -> None:
    with pytest.raises(ValueError, match="ANYCAST"):
        rules.addressing.sends("a", "anycast", ())


@pytest.mark.parametrize(
    ("rules", "name", "pattern"),
    [
        (RABBITMQ, "a.#", ("", ("a.#",))),
        (ARTEMIS, "a.#", ("", ("a", MANY_WORDS))),
        (ACTIVEMQ, "queue://a.>", ("queue://", ("a", MANY_WORDS))),
        (ACTIVEMQ, "client.>", ("", ("client.>",))),
    ],
)
def test_names_of_places_are_patterns_where_a_broker_reads_them_so(rules: Rules, name: str, pattern: Any) -> None:
    assert rules.addressing.pattern(name, rules.topic) == pattern


@pytest.mark.parametrize(
    ("rules", "name", "said"),
    [
        (RABBITMQ, "x", "exchange x"),
        (RABBITMQ, "", "the default exchange"),
        (ARTEMIS, "x", "address x"),
        (ACTIVEMQ, "topic://x", "topic://x"),
    ],
)
def test_a_sentence_names_a_place_by_what_it_is(rules: Rules, name: str, said: str) -> None:
    assert rules.addressing.place(name) == said


@pytest.mark.parametrize(
    ("rules", "name", "routing_type", "kinds"),
    [
        (RABBITMQ, "a", None, ()),
        (ARTEMIS, "a", None, ("queue", "topic")),
        (ARTEMIS, "a", "MULTICAST", ("topic", "queue")),
        (ACTIVEMQ, "topic://a", None, ("topic",)),
        (ACTIVEMQ, "client.subscription", None, ()),
    ],
)
def test_the_likeliest_kind_of_a_name_is_first(
    rules: Rules, name: str, routing_type: str | None, kinds: tuple[str, ...]
) -> None:
    assert rules.addressing.kinds(name, routing_type) == kinds


@pytest.mark.parametrize(("rules", "missing"), [(ARTEMIS, "untyped, untyped::, ANYCAST"), (ACTIVEMQ, "queue, topic")])
def test_a_topology_without_entries_is_no_place_to_send_to(rules: Rules, missing: str) -> None:
    told = f"exchanges: messages to {rules.name} enter at exchanges that are not there: {missing}"
    with pytest.raises(TopologyError, match=told):
        topology_from_dict({"broker": rules.name, "queues": ["a"]})
    topology = Topology(rules, (), (Queue("a"),))
    for send in (route_message, publish, explain_route):
        with pytest.raises(TopologyError, match=told):
            send(topology, Message(), "a")


@pytest.mark.parametrize("rules", [ARTEMIS, ACTIVEMQ])
def test_the_entries_are_those_that_destinations_enter_at(rules: Rules) -> None:
    types = (None, *rules.addressing.routing_types)
    names = ("queue://a", "topic://a", "a::b")
    entered = {send.exchange for name in names for each in types for send in rules.addressing.sends(name, each, ())}
    assert set(rules.addressing.entries) == entered
    exchanges = tuple(Exchange(name, rules.types[0]) for name in rules.addressing.entries)
    assert route_message(Topology(rules, exchanges), Message(), "a") == ()
