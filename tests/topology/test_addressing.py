"""The answers that depend on how senders address destinations: in full, and for two brokers in each other's terms."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import Message, TopologyError, route_message, topology_from_dict
from transpiler.base.topics import MANY_WORDS
from transpiler.reference.route import publish
from transpiler.tools.explanation.routes import explain_route
from transpiler.topology.addressing import Addressing, Send
from transpiler.topology.broker_rules import ACTIVEMQ, ARTEMIS, QPID_CPP, QPID_JAVA, RABBITMQ, RULES, Rules
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.publishing import Publisher, Target, relay_target
from transpiler.topology.receivers import Sender, resolve_sender
from transpiler.topology.records import Exchange, Queue, Unroutable
from transpiler.topology.targets import Outcome

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
def test_an_invalid_routing_type_is_rejected(rules: Rules) -> None:
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
    ("rules", "name", "expected_text"),
    [
        (RABBITMQ, "x", "exchange x"),
        (RABBITMQ, "", "the default exchange"),
        (ARTEMIS, "x", "address x"),
        (ACTIVEMQ, "topic://x", "topic://x"),
    ],
)
def test_a_sentence_names_a_place_by_what_it_is(rules: Rules, name: str, expected_text: str) -> None:
    assert rules.addressing.label(name) == expected_text


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
def test_a_topology_without_entries_rejects_every_send(rules: Rules, missing: str) -> None:
    expected_text = f"exchanges: messages to {rules.name} enter at exchanges that do not exist: {missing}"
    with pytest.raises(TopologyError, match=expected_text):
        topology_from_dict({"broker": rules.name, "queues": ["a"]})
    topology = Topology(rules, (), (Queue("a"),))
    for send in (route_message, publish, explain_route):
        with pytest.raises(TopologyError, match=expected_text):
            send(topology, Message(), "a")


@pytest.mark.parametrize("rules", [ARTEMIS, ACTIVEMQ])
def test_the_entries_are_those_that_destinations_enter_at(rules: Rules) -> None:
    types = (None, *rules.addressing.routing_types)
    names = ("queue://a", "topic://a", "a::b")
    entered = {send.exchange for name in names for each in types for send in rules.addressing.sends(name, each, ())}
    assert set(rules.addressing.entries) == entered
    exchanges = tuple(Exchange(name, rules.types[0]) for name in rules.addressing.entries)
    assert route_message(Topology(rules, exchanges), Message(), "a") == ()


@pytest.mark.parametrize(
    ("publisher", "unroutable", "outcome"),
    [
        (Publisher(), "return", "returned"),
        (Publisher(mandatory=True), "reject", "returned"),
        (Publisher("0-9-1"), "reject", "discarded"),
        (Publisher("0-9-1"), "return", "returned"),
        (Publisher("0-9-1", mandatory=True), "discard", "returned"),
        (Publisher("0-10", mandatory=True, reject_unroutable=True), "return", "discarded"),
        (Publisher("1.0"), "return", "discarded"),
        (Publisher("1.0"), "reject", "rejected"),
        (Publisher("1.0", reject_unroutable=True), "discard", "rejected"),
    ],
)
def test_the_protocol_decides_which_settings_count_for_a_message_without_a_queue(
    publisher: Publisher, unroutable: Unroutable, outcome: Outcome
) -> None:
    assert publisher.outcome(Exchange("x", "direct", unroutable=unroutable), QPID_JAVA) == outcome


TO_RELAY = Topology(QPID_JAVA, (Exchange("x", "direct"),), (Queue("q"),))


@pytest.mark.parametrize(
    ("to", "target"),
    [
        ("q", Target("", "q")),
        ("x", Target("x", None)),
        ("x/k", Target("x", "k")),
        ("x/", Target("x", None)),
        ("q/k", None),
        ("y", None),
        (None, None),
    ],
)
def test_the_anonymous_relay_sends_on_to_the_place_that_is_named(to: str | None, target: Target | None) -> None:
    assert relay_target(TO_RELAY, to) == target


IN_PATHS = Topology(RABBITMQ, (Exchange("x", "direct"), Exchange("a/é %", "topic")), (Queue("q"),))


@pytest.mark.parametrize(
    ("to", "target"),
    [
        ("/queues/q", Target("", "q")),
        ("/queues/a%2Fb", Target("", "a/b")),
        ("/queues/nowhere", Target("", "nowhere")),
        ("/exchanges/x", Target("x", "")),
        ("/exchanges/x/", Target("x", "")),
        ("/exchanges/x/k.l", Target("x", "k.l")),
        ("/exchanges/x/k%2Fl+%C3%A9", Target("x", "k/l+é")),
        ("/exchanges/a%2F%C3%A9%20%25/k", Target("a/é %", "k")),
        ("/queues/", None),
        ("/queues/100%", None),
        ("/queues/%zz", None),
        ("/queues/%FF", None),
        ("/exchanges/", None),
        ("/exchanges//k", None),
        ("/exchanges/x/k/l", None),
        ("/exchanges/x/50%", None),
        ("/exchanges/nowhere/k", None),
        ("/topics/x", None),
        ("queues/q", None),
        ("q", None),
        ("", None),
        (None, None),
    ],
)
def test_a_path_of_rabbitmq_names_a_queue_or_an_exchange_with_its_key(to: str | None, target: Target | None) -> None:
    assert relay_target(IN_PATHS, to) == target


@pytest.mark.parametrize(
    ("address", "exchange", "key", "subject"),
    [("q", "", "q", None), ("q/red", "", "q", "red"), ("x", "x", None, None), ("x/red", "x", None, "red")],
)
def test_a_sender_has_the_place_and_the_subject_of_its_address(
    address: str, exchange: str, key: str | None, subject: str | None
) -> None:
    assert resolve_sender(TO_RELAY, address) == Sender(TO_RELAY, exchange, key, subject)


def test_a_name_in_place_of_a_topology_is_refused_with_what_reads_it() -> None:
    with pytest.raises(TypeError, match=r"^topology: expected a Topology.*read_topology\('x\.json'\)"):
        check_topology("x.json")
    with pytest.raises(TypeError, match=r"^topology: expected a Topology.*topology_from_dict converts"):
        check_topology({})
