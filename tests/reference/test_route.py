"""Routing between exchanges: alternates, cycles, replaced keys, and unroutable messages."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from transpiler import DecodeError, Message, Topology, TopologyError, route_message
from transpiler.reference.route import publish
from transpiler.routing.exchange_graph import build_exchange_graph
from transpiler.tools.explanation.routes import explain_route
from transpiler.topology import topology_from_dict
from transpiler.topology.publishing import Publisher

BROKERS = ("qpid-java", "qpid-cpp", "rabbitmq")


def topology(broker: str, *bindings: dict[str, Any], **more: Any) -> Topology:
    """Return a topology with the queues q1 to q4, and with the given bindings and exchanges."""
    data = {"broker": broker, "queues": ["q1", "q2", "q3", "q4"], "bindings": list(bindings)} | more
    return topology_from_dict(data)


def message(subject: str | None = None, **headers: Any) -> Message:
    return Message.from_dict({"properties": {"subject": subject}, "application_properties": headers})


@pytest.mark.parametrize("broker", BROKERS)
def test_the_default_exchange_has_every_queue_under_its_name(broker: str) -> None:
    assert route_message(topology(broker), message("q2"), "") == ("q2",)
    assert route_message(topology(broker), message("Q2"), "")[:1] != ("q2",)
    assert route_message(topology(broker), message(), "") == ()


def test_the_default_exchange_delivers_to_queues_that_are_there() -> None:
    assert route_message(topology("rabbitmq"), message("q1"), "") == ("q1",)
    assert route_message(topology("rabbitmq"), message("hidden"), "") == ()
    assert route_message(topology("qpid-java"), message("hidden"), "") == ()
    assert route_message(topology("rabbitmq"), message("amq.rabbitmq.reply-to.g1h2"), "") == ()


@pytest.mark.parametrize(
    ("broker", "exchange"),
    [("qpid-java", "amq.match"), ("qpid-cpp", "amq.match"), ("rabbitmq", "amq.match"), ("rabbitmq", "amq.headers")],
)
def test_predeclared_exchanges_are_there(broker: str, exchange: str) -> None:
    bound = topology(broker, {"source": exchange, "queue": "q1", "arguments": {"x-match": "all", "a": "x"}})
    assert route_message(bound, message(a="x"), exchange) == ("q1",)


@pytest.mark.parametrize("broker", BROKERS)
def test_an_exchange_is_given_where_there_are_several(broker: str) -> None:
    bound = topology(broker, {"source": "amq.topic", "queue": "q1", "key": "#"})
    with pytest.raises(TopologyError, match=r"(?s)route.no-exchange.*exchange=NAME, where NAME is one of .*amq.topic"):
        route_message(bound, message("a"))
    own = replace(bound, default_exchange="amq.topic")
    assert route_message(own, message("a")) == ("q1",)
    assert route_message(own, message("q2"), "") == ("q2",)


def test_a_queue_gets_a_message_once() -> None:
    bindings = [{"source": "amq.topic", "queue": "q1", "key": key} for key in ("a", "*", "#")]
    assert route_message(topology("rabbitmq", *bindings), message("a"), "amq.topic") == ("q1",)


@pytest.mark.parametrize("broker", BROKERS)
def test_an_absent_routing_key_matches_only_many_words_and_the_empty_direct_key(broker: str) -> None:
    bound = topology(
        broker,
        {"source": "amq.topic", "queue": "q1", "key": "#"},
        {"source": "amq.topic", "queue": "q2", "key": "*"},
        {"source": "amq.direct", "queue": "q3"},
        {"source": "amq.direct", "queue": "q4", "key": "a"},
    )
    assert route_message(bound, message(), "amq.topic") == ("q1",)
    assert route_message(bound, message(), "amq.direct") == ("q3",)


def test_broker_j_asks_the_selector_of_any_binding_and_others_do_not() -> None:
    bindings = [
        {"source": f"amq.{name}", "queue": "q1", "key": "k", "selector": "area IN ('Forties', 'Cromarty')"}
        for name in ("direct", "topic", "fanout", "match")
    ]
    bindings[3]["arguments"] = {"x-match": "all"}
    for name in ("direct", "topic", "fanout", "match"):
        bound = topology("qpid-java", *bindings)
        assert route_message(bound, message("k", area="Forties"), f"amq.{name}") == ("q1",)
        assert route_message(bound, message("k", area="Viking"), f"amq.{name}") == ()
        assert route_message(bound, message("k"), f"amq.{name}") == ()
        assert route_message(topology("rabbitmq", *bindings), message("k"), f"amq.{name}") == ("q1",)


def alternates(broker: str, **unmatched: Any) -> Topology:
    """Return a topology in which x routes the key to-y to y. The alternate of x is a, that of y is b."""
    return topology(
        broker,
        {"source": "x", "exchange": "y", "key": "to-y"},
        {"source": "y", "queue": "q1", "key": "never"},
        {"source": "a", "queue": "q2"},
        {"source": "b", "queue": "q3"},
        exchanges=[
            {"name": "x", "type": "direct", "alternate": "a"},
            {"name": "y", "type": "direct"} | unmatched,
            {"name": "a", "type": "fanout"},
            {"name": "b", "type": "fanout"},
        ],
    )


def test_rabbitmqs_alternate_gets_what_no_binding_matched_and_broker_js_what_reached_no_queue() -> None:
    assert route_message(alternates("rabbitmq"), message("to-y"), "x") == ()
    assert route_message(alternates("qpid-java"), message("to-y"), "x") == ("q2",)
    for broker in ("rabbitmq", "qpid-java"):
        assert route_message(alternates(broker), message("other"), "x") == ("q2",)
        assert route_message(alternates(broker, alternate="b"), message("to-y"), "x") == ("q3",)


def test_qpid_cpp_does_not_ask_the_alternate_of_an_alternate() -> None:
    chain = {
        "exchanges": [
            {"name": "x", "type": "direct", "alternate": "y"},
            {"name": "y", "type": "direct", "alternate": "amq.fanout"},
        ]
    }
    binding = {"source": "amq.fanout", "queue": "q1"}
    assert route_message(topology("qpid-cpp", binding, **chain), message("k"), "x") == ()
    assert route_message(topology("qpid-java", binding, **chain), message("k"), "x") == ("q1",)
    assert route_message(topology("rabbitmq", binding, **chain), message("k"), "x") == ("q1",)


def test_an_alternate_of_broker_j_can_be_a_queue() -> None:
    exchanges = [{"name": "x", "type": "direct", "alternate": {"queue": "q4"}}]
    assert route_message(topology("qpid-java", exchanges=exchanges), message("k"), "x") == ("q4",)


def test_the_default_exchange_as_an_alternate_knows_no_queues_in_rabbitmq() -> None:
    """Observed in RabbitMQ 3.10: the implied bindings of the default exchange apply only to a published message."""
    exchanges = [{"name": "x", "type": "direct", "alternate": ""}]
    assert route_message(topology("rabbitmq", exchanges=exchanges), message("q1"), "x") == ()
    assert route_message(topology("qpid-java", exchanges=exchanges), message("q1"), "x") == ("q1",)


@pytest.mark.parametrize("broker", ["qpid-java", "rabbitmq"])
def test_a_cycle_of_exchanges_ends(broker: str) -> None:
    names = [f"x{number}" for number in range(6)]
    bindings = [{"source": one, "exchange": other} for one in names for other in names]
    bindings += [{"source": name, "queue": f"q{number % 4 + 1}"} for number, name in enumerate(names)]
    ring = topology(broker, *bindings, exchanges=[{"name": name, "type": "fanout"} for name in names])
    assert route_message(ring, message(), "x0") == ("q1", "q2", "q3", "q4")


@pytest.mark.parametrize("broker", ["qpid-java", "rabbitmq"])
def test_exchanges_can_be_each_others_alternates(broker: str) -> None:
    exchanges = [
        {"name": "x", "type": "direct", "alternate": "y"},
        {"name": "y", "type": "direct", "alternate": "x"},
    ]
    both = topology(broker, {"source": "y", "queue": "q1", "key": "k"}, exchanges=exchanges)
    assert route_message(both, message("k"), "x") == ("q1",)
    assert route_message(both, message("other"), "x") == ()


def test_the_outcome_at_an_exchange_does_not_depend_on_the_path_to_it() -> None:
    """y and z lead to w, which has the queue. No alternate is used, whichever binding comes first."""
    bindings = [
        {"source": "x", "exchange": "y"},
        {"source": "x", "exchange": "z"},
        {"source": "y", "exchange": "w"},
        {"source": "z", "exchange": "w"},
        {"source": "w", "queue": "q1"},
    ]
    exchanges = [{"name": name, "type": "fanout", "alternate": {"queue": "q2"}} for name in "xyzw"]
    for order in (bindings, bindings[::-1]):
        assert route_message(topology("qpid-java", *order, exchanges=exchanges), message(), "x") == ("q1",)


def test_broker_j_replaces_the_key_on_the_way_to_another_exchange() -> None:
    bound = topology(
        "qpid-java",
        {
            "source": "amq.topic",
            "exchange": "amq.direct",
            "key": "a.#",
            "arguments": {"x-replacement-routing-key": "k"},
        },
        {"source": "amq.direct", "queue": "q1", "key": "k"},
        {"source": "amq.direct", "queue": "q2", "key": "a.b"},
    )
    assert route_message(bound, message("a.b"), "amq.topic") == ("q1",)


def test_rabbitmqs_copies_have_keys_of_their_own() -> None:
    bound = topology("rabbitmq", {"source": "amq.topic", "queue": "q1", "key": "copy.*"})
    assert route_message(bound, message("k"), "amq.topic") == ()
    assert route_message(bound, message("k"), "amq.topic", ["k", "copy.x"]) == ("q1",)
    assert route_message(bound, message("k"), "", ["q2", "q3"]) == ("q2", "q3")


@pytest.mark.parametrize(
    ("unroutable", "mandatory", "outcome"),
    [
        ("discard", False, "discarded"),
        ("discard", True, "returned"),
        ("reject", False, "rejected"),
        ("return", False, "returned"),
    ],
)
def test_what_becomes_of_an_unroutable_message_is_data(unroutable: str, mandatory: bool, outcome: str) -> None:
    exchanges = [{"name": "x", "type": "direct", "unroutable": unroutable}]
    one = topology("qpid-java", {"source": "x", "queue": "q1", "key": "k"}, exchanges=exchanges)
    lost = publish(one, message("other"), "x", publisher=Publisher(mandatory=mandatory))
    assert (lost.queues, lost.outcome) == ((), outcome)
    assert publish(one, message("k"), "x", publisher=Publisher(mandatory=mandatory)).outcome == "delivered"


def test_a_message_that_only_alternates_bring_to_a_queue_is_distinguished() -> None:
    """A message is delivered if bindings alone lead it to at least one queue, wherever else an alternate sends it."""
    bindings = [
        {"source": "x", "exchange": "y", "key": "k"},
        {"source": "x", "exchange": "y", "key": "both"},
        {"source": "x", "queue": "q1", "key": "both"},
        {"source": "a", "queue": "q2"},
    ]
    exchanges = [
        {"name": "x", "type": "direct", "alternate": "a"},
        {"name": "y", "type": "topic", "alternate": "a"},
        {"name": "a", "type": "fanout"},
    ]
    for broker in ("qpid-java", "rabbitmq"):
        found = topology(broker, *bindings, exchanges=exchanges)
        wanted = {"k": ("q2",), "both": ("q1", "q2"), "other": ("q2",)}
        outcomes = {key: publish(found, message(key), "x") for key in wanted}
        assert {key: routed.queues for key, routed in outcomes.items()} == wanted
        assert [routed.outcome for routed in outcomes.values()] == ["alternate", "delivered", "alternate"]
    assert publish(topology("qpid-cpp", bindings[3], exchanges=exchanges), message("k"), "y").outcome == "alternate"


def test_an_exchange_that_is_not_there_or_internal_takes_nothing() -> None:
    one = topology("rabbitmq", exchanges=[{"name": "x", "type": "fanout", "internal": True}])
    assert publish(one, message("k"), "nowhere").outcome == "no-exchange"
    assert route_message(one, {"exchange": "nowhere", "routing_key": "k"}) == ()
    with pytest.raises(TopologyError, match=r"there is no exchange called 'y'"):
        route_message(one, message("k"), "y")
    assert publish(one, message("k"), "x").outcome == "rejected"


def test_the_topology_says_where_a_message_goes_that_names_no_exchange() -> None:
    one = topology("rabbitmq", {"source": "amq.fanout", "queue": "q1"}, default_exchange="amq.fanout")
    assert route_message(one, message("q2")) == ("q1",)
    assert route_message(one, message("q2"), "") == ("q2",)


@pytest.mark.parametrize(
    ("broker", "wanted", "given", "matches"),
    [
        ("rabbitmq", 5, {"type": "int", "value": 5}, True),
        ("rabbitmq", 1, 1.0, False),
        ("rabbitmq", 5, "5", False),
        ("rabbitmq", "", "", True),
        ("rabbitmq", "", "x", False),
        ("rabbitmq", None, {"type": "null", "value": None}, True),
        ("qpid-java", {"type": "int", "value": 5}, {"type": "int", "value": 5}, True),
        ("qpid-java", {"type": "int", "value": 5}, 5, False),
        ("qpid-java", "", "x", True),
        ("qpid-java", "a", {"type": "symbol", "value": "a"}, True),
        ("qpid-java", {"type": "binary", "value": "AA=="}, {"type": "binary", "value": "AA=="}, False),
        ("qpid-cpp", 1, True, True),
        ("qpid-cpp", True, 0, False),
        ("qpid-cpp", {"type": "float", "value": 1}, {"type": "float", "value": 1}, False),
        ("qpid-cpp", 1.0, {"type": "float", "value": 1}, True),
    ],
)
def test_headers_are_equal_as_the_broker_has_it(broker: str, wanted: Any, given: Any, matches: bool) -> None:
    arguments = {"x-match": "all", "h": wanted}
    bound = topology(broker, {"source": "amq.match", "queue": "q1", "arguments": arguments})
    assert bool(route_message(bound, message(h=given), "amq.match")) is matches


def test_keys_with_x_count_where_the_broker_counts_them() -> None:
    for mode, matches in (("all", True), ("all-with-x", False)):
        arguments = {"x-match": mode, "x-origin": "eu"}
        bound = topology("rabbitmq", {"source": "amq.match", "queue": "q1", "arguments": arguments})
        assert bool(route_message(bound, message(), "amq.match")) is matches
    bound = topology("qpid-cpp", {"source": "amq.match", "queue": "q1", "arguments": {"x-match": "all", "x-a": 1}})
    assert route_message(bound, message(), "amq.match") == ()


def test_a_headers_binding_of_qpid_cpp_sees_the_subject_among_the_headers() -> None:
    arguments = {"x-match": "all", "qpid.subject": "red"}
    bound = topology("qpid-cpp", {"source": "amq.match", "queue": "q1", "arguments": arguments})
    assert route_message(bound, message("red"), "amq.match") == ("q1",)
    assert route_message(bound, message("blue"), "amq.match") == ()


def chain(broker: str, length: int, *bindings: dict[str, Any]) -> Topology:
    """Return a chain of exchanges, each bound to the next and the last to q1, with further ``bindings``."""
    names = [f"x{number}" for number in range(length)]
    onward = [{"source": one, "exchange": other} for one, other in pairwise(names)]
    end = {"source": names[-1], "queue": "q1"}
    return topology(broker, *onward, end, *bindings, exchanges=[{"name": name, "type": "fanout"} for name in names])


def ring(broker: str, length: int) -> Topology:
    """Return a ring of exchanges, each of which is the alternate of the one before. The last has q1 for the key k."""
    exchanges = [
        {"name": f"x{number}", "type": "direct", "alternate": f"x{(number + 1) % length}"} for number in range(length)
    ]
    return topology(broker, {"source": f"x{length - 1}", "queue": "q1", "key": "k"}, exchanges=exchanges)


LENGTH = 2 * sys.getrecursionlimit()


@pytest.mark.parametrize("broker", ["qpid-java", "rabbitmq"])
def test_no_chain_of_exchanges_is_too_long(broker: str) -> None:
    """This holds for the reference router and for the graph that Spark uses."""
    back = {"source": f"x{LENGTH - 1}", "exchange": "x0"}
    for whole in (chain(broker, LENGTH), chain(broker, LENGTH, back)):
        assert route_message(whole, message(), "x0") == ("q1",)
    for length in (LENGTH // 4, LENGTH):
        assert route_message(ring(broker, length), message("k"), "x0") == ("q1",)
        assert route_message(ring(broker, length), message("other"), "x0") == ()
    stops = build_exchange_graph(ring(broker, LENGTH // 4), "x0").entries["x0"]
    assert len(stops.states) == LENGTH // 4
    assert len(stops.steps) in (0, LENGTH // 4)


def test_a_dict_says_where_its_message_was_published() -> None:
    bound = topology("rabbitmq", {"source": "amq.topic", "queue": "q1", "key": "eu.#"})
    sent: dict[str, Any] = {"exchange": "amq.topic", "routing_key": "eu.x", "properties": {"subject": "us.x"}}
    assert route_message(bound, sent) == ("q1",)
    assert route_message(bound, {**sent, "routing_key": None}) == ()
    assert route_message(bound, {**sent, "routing_keys": ["us.x", "eu.x"]}) == ("q1",)
    assert route_message(bound, sent, "amq.fanout") == ()
    assert route_message(bound, sent, routing_keys=["us.x"]) == ()
    assert route_message(bound, {"exchange": "amq.topic", "routing_keys": ["eu.x"], "color": "red"}) == ("q1",)
    # An exchange of None means that the log has a field for the exchange but no value: the default exchange.
    named: dict[str, Any] = {**sent, "exchange": None, "routing_key": "q2"}
    assert route_message(bound, named) == ("q2",)
    own = topology("rabbitmq", {"source": "amq.topic", "queue": "q1"}, default_exchange="amq.fanout")
    assert publish(own, named).exchange == "amq.fanout"
    with pytest.raises(DecodeError, match="routing_key: expected text"):
        route_message(bound, {**sent, "routing_key": 5})


def test_an_array_of_routing_keys_takes_precedence_even_if_it_is_empty() -> None:
    binding = {"source": "amq.topic", "queue": "q1", "key": "eu.#"}
    every = {"source": "amq.topic", "queue": "q2", "key": "#"}
    keys: list[list[str | None]] = [[], [None], [None, "eu.x"], ["us", "eu.x"]]
    for broker, expected in (
        ("rabbitmq", [(), ("q2",), ("q1", "q2"), ("q1", "q2")]),
        # A broker with one key for each message reads the first key of the array. An empty array means no key.
        ("qpid-java", [("q2",)] * 4),
    ):
        bound = topology(broker, binding, every)
        sent: dict[str, Any] = {"exchange": "amq.topic", "routing_key": "eu.x"}
        assert [route_message(bound, {**sent, "routing_keys": each}) for each in keys] == expected
        assert [route_message(bound, sent, routing_keys=each) for each in keys] == expected
    relayed = {"properties": {"to": "amq.topic", "subject": "eu.x"}}
    assert route_message(bound, relayed, publish_to="to") == ("q1", "q2")
    for each in keys:
        assert route_message(bound, {**relayed, "routing_keys": each}, publish_to="to") == ("q2",)
        assert route_message(bound, relayed, routing_keys=each, publish_to="to") == ("q2",)
    with pytest.raises(DecodeError, match="routing_keys: expected an array of texts"):
        route_message(bound, {"exchange": "amq.topic", "routing_keys": [5]})


def test_an_option_that_the_topology_does_not_have_is_an_error() -> None:
    one: Any = topology("rabbitmq", exchanges=[{"name": "orders", "type": "topic"}])
    wrong: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (TypeError, "exchange: expected the name of an exchange, found a value of type int", {"exchange": 5}),
        (TypeError, r"routing_keys: expected a list of texts.*routing_keys=\['eu.x'\]", {"routing_keys": "eu.x"}),
        (TypeError, "routing_keys: expected a list of texts, found a value of type int", {"routing_keys": [5]}),
        (TypeError, "routing_keys: expected a list of texts, found a value of type int", {"routing_keys": 5}),
        (TypeError, "address: expected the address of a sender", {"exchange": None, "address": 5}),
        (TypeError, "publisher: expected a Publisher", {"publisher": "0-9-1"}),
        (
            ValueError,
            "rabbitmq: routing_type applies only to messages to an Artemis broker",
            {"routing_type": "ANYCAST"},
        ),
    ]
    for kind, expected_text, options in wrong:
        for ask in (publish, explain_route, *([] if "publisher" in options else [route_message])):
            with pytest.raises(kind, match=expected_text) as refused:
                ask(one, Message(), **{"exchange": "orders", **options})
            assert len(str(refused.value)) < 200
