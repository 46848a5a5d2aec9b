"""The graph of a message's path, evaluated as an engine does, leads to the queues of the reference router."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import Message, route_message
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.message.sections import Properties
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.routing import exchange_graph
from transpiler.routing.exchange_graph import Entry, ExchangeGraph, Hop, State, Visit, build_exchange_graph
from transpiler.routing.plan import build_plan
from transpiler.routing.tuning import MIN_INDEXED
from transpiler.topology.broker_rules import RULES
from transpiler.topology.model import Topology
from transpiler.topology.records import REPLACEMENT_ARGUMENT, SELECTOR_ARGUMENT, Alternate, Binding, Exchange, Queue

NAMES = ("x0", "x1", "x2", "x3")
QUEUES = ("q0", "q1", "q2")
KEYS = ("a", "b")

#: Brokers whose alternates get messages that no binding matched, and brokers whose alternates get messages that reached
#: no queue. Of the latter, the alternates of one have alternates themselves, those of the other do not.
BROKERS = ("rabbitmq", "qpid-java", "qpid-cpp")


def exchange(name: str, alternate: str | None = None, kind: str = "direct") -> Exchange:
    to = None if alternate is None else Alternate(alternate, "queue" if alternate.startswith("q") else "exchange")
    return Exchange(name, kind, alternate=to)


def onward(source: str, target: str, key: str, replacement: str | None = None) -> Binding:
    given = {} if replacement is None else {REPLACEMENT_ARGUMENT: AmqpValue(AmqpType.STRING, replacement)}
    return Binding(source, target, key, given, destination_type="queue" if target.startswith("q") else "exchange")


def topology(broker: str, exchanges: list[Exchange], bindings: list[Binding]) -> Topology:
    queues = tuple(Queue(name) for name in QUEUES)
    return Topology(RULES[broker], tuple(exchanges), queues, tuple(bindings), default_exchange="x0")


@st.composite
def topologies(draw: st.DrawFn, broker: str) -> Topology:
    """Draw direct exchanges with cycles, replacement keys and alternates."""
    rules = RULES[broker]
    alternates = st.none() | st.sampled_from((*NAMES, *QUEUES) if rules.alternate_queues else NAMES)
    exchanges = [exchange(name, draw(alternates)) for name in NAMES]
    targets = st.sampled_from((*NAMES, *QUEUES) if rules.exchange_to_exchange else QUEUES)
    keys = st.sampled_from(KEYS)
    bindings = st.builds(onward, st.sampled_from(NAMES), targets, keys, st.none() | keys)
    return topology(broker, exchanges, draw(st.lists(bindings, max_size=10, unique_by=repr)))


def followed(where: Topology, graph: ExchangeGraph, entry: Entry, subject: str) -> set[str]:
    """Return the queues that a message reaches in ``graph``, given which bindings match in each state."""
    queues: dict[int, list[str]] = {}
    ways: dict[int, set[int]] = {}
    for number in entry.states:
        state = graph.states[number]
        for binding in where.bindings_by_source.get(state.exchange, ()):
            if binding.key != (subject if state.key is None else state.key):
                continue
            if binding.destination_type == "queue":
                queues.setdefault(number, []).append(binding.destination)
            else:
                ways.setdefault(number, set()).add(graph.states.index(exchange_graph.onward(where, binding, state)))
    if not where.rules.alternate_on_no_match:
        return set(_by_stops(entry, queues, ways, subject))
    unanswered = [each for each in entry.alternates if each[0] not in queues and each[0] not in ways]
    for number, to, queue in unanswered:
        if queue is not None:
            queues.setdefault(number, []).append(queue)
        else:
            assert to is not None
            ways.setdefault(number, set()).add(to)
    active = {entry.states[0]}
    for _ in range(entry.length):
        active |= {to for number in active for to in ways.get(number, ())}
    return {queue for number in active for queue in queues.get(number, ())}


def _by_stops(entry: Entry, queues: dict[int, list[str]], ways: dict[int, set[int]], subject: str) -> list[str]:
    answers: list[list[str]] = []
    for stop in entry.steps or (Visit(entry.states[0]),):
        own = list(queues.get(stop.state, ()))
        for state, hop in stop.onward:
            if state in ways.get(stop.state, ()) and hop.unless != subject:
                own += answers[hop.stop]
        if not own and stop.alternate_queue is not None:
            own = [stop.alternate_queue]
        elif not own and stop.alternate is not None and stop.alternate.unless != subject:
            own = answers[stop.alternate.stop]
        answers.append(own)
    return answers[-1]


@pytest.mark.parametrize("broker", BROKERS)
@given(st.data())
def test_the_graph_leads_where_the_reference_goes(broker: str, data: st.DataObject) -> None:
    where = data.draw(topologies(broker))
    graph = build_exchange_graph(where)
    for subject in (*KEYS, "c"):
        for name, entry in graph.entries.items():
            if name in NAMES:
                expected = route_message(where, Message(properties=Properties(subject=subject)), name)
                assert followed(where, graph, entry, subject) == set(expected)


#: Two exchanges that lead to each other under new keys. The second has an alternate.
LOOP = [onward("x0", "x1", "a", "b"), onward("x1", "x0", "b", "a"), onward("x1", "q0", "b"), onward("x0", "q1", "a")]


def test_a_way_back_to_a_state_ends_unless_the_messages_own_key_is_another() -> None:
    graph = build_exchange_graph(topology("qpid-java", [exchange("x0"), exchange("x1", "q2")], LOOP), "x0")
    assert graph.states == [State("x0"), State("x1", "b"), State("x0", "a")]
    first, second, third = range(3)
    [entry] = graph.entries.values()
    assert entry == Entry(
        (first, second, third),
        ((second, None, "q2"),),
        (
            # At x0 again, under the key a. From here on, x1 has been visited.
            Visit(third),
            Visit(second, ((third, Hop(0, "a")),), "q2"),
            Visit(first, ((second, Hop(1)),)),
        ),
        2,
    )


@pytest.mark.parametrize(
    ("bindings", "alternate", "rings", "length"),
    [
        ([onward("x0", "q0", "a")], None, False, 0),
        ([onward("x0", "x1", "a")], None, False, 1),
        ([onward("x0", "x1", "a"), onward("x1", "x2", "a"), onward("x0", "x2", "a")], None, False, 2),
        ([onward("x0", "x0", "a")], None, True, 0),
        ([onward("x0", "x1", "a"), onward("x1", "x0", "a")], None, True, 1),
        ([onward("x0", "x1", "a"), onward("x1", "x2", "a"), onward("x2", "x1", "a")], None, True, 2),
        ([onward("x0", "x1", "a")], "x0", True, 1),
        ([onward("x0", "x1", "a")], "x2", False, 2),
    ],
)
def test_the_longest_path_and_rings(bindings: list[Binding], alternate: str | None, rings: bool, length: int) -> None:
    """``alternate`` is the alternate of x1. In Artemis, a send that returns to the same exchange fails."""
    exchanges = [exchange(name, to, "topic") for name, to in (("x0", None), ("x1", alternate), ("x2", None))]
    graph = build_exchange_graph(topology("artemis", exchanges, bindings), "x0")
    assert (graph.rings, graph.entries["x0"].length) == (rings, length)
    assert not build_exchange_graph(topology("rabbitmq", exchanges, bindings), "x0").rings


@pytest.mark.parametrize("alternate", [None, "x1"])
def test_a_binding_back_to_its_own_state_is_compiled_only_if_there_is_an_alternate(alternate: str | None) -> None:
    bindings = [onward("x0", "x0", "a"), onward("x0", "q1", "b"), onward("x1", "q0", "a")]
    where = topology("rabbitmq", [exchange("x0", alternate), exchange("x1")], bindings)
    assert route_message(where, Message(properties=Properties(subject="a")), "x0") == ()
    plan = build_plan(where, AmqpLayout(), "error", "x0")
    back = [each for each in plan.compiled if each.delivery.onward == each.delivery.state]
    assert len(back) == (alternate is not None)


def test_an_exchange_is_entered_unless_it_is_internal_or_absent() -> None:
    inner = Exchange("x1", "direct", internal=True)
    where = topology("rabbitmq", [exchange("x0"), inner], [onward("x0", "x1", "a")])
    entries = build_exchange_graph(where).entries
    assert "x0" in entries
    assert "x1" not in entries
    assert build_exchange_graph(where, "x1").entries == {}
    assert build_exchange_graph(where, "x9").entries == {}


def test_more_paths_than_are_followed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    where = topology("qpid-java", [exchange("x0"), exchange("x1", "q2")], LOOP)
    monkeypatch.setattr(exchange_graph, "MAX_PATHS", 3)
    assert len(build_exchange_graph(where, "x0").entries["x0"].steps) == 3
    monkeypatch.setattr(exchange_graph, "MAX_PATHS", 2)
    with pytest.raises(UnsupportedFeatureError, match="more than 2 paths"):
        build_exchange_graph(where, "x0")


def selected(*pairs: tuple[str, str]) -> list[Binding]:
    """Return bindings from x0 to queues, each with a key."""
    return [onward("x0", queue, key) for queue, key in pairs]


@pytest.mark.parametrize("again", [False, True])
def test_a_plan_knows_the_queues_of_its_tables(again: bool) -> None:
    queues = tuple(Queue(f"q{number}") for number in range(20))
    bindings = [onward("x0", queue.name, f"k{number}") for number, queue in enumerate(queues)]
    bindings += [onward("x0", "q0", "other")] * again
    where = Topology(RULES["rabbitmq"], (exchange("x0"),), queues, tuple(bindings))
    plan = build_plan(where, AmqpLayout(), "error", "x0")
    assert len(plan.tables) == 1
    assert plan.distinct is not again


@pytest.mark.parametrize(
    ("kind", "bindings", "distinct"),
    [
        ("direct", selected(("q0", "a"), ("q1", "b")), True),
        ("direct", selected(("q0", "a"), ("q0", "b")), False),
        ("direct", selected(("q0", "a"), ("q1", "a")), True),
        ("topic", selected(("q0", "a.*"), ("q1", "#")), True),
        ("topic", selected(("q0", "a.*"), ("q0", "#")), False),
        ("topic", selected(("q0", "#.a.#"), ("q1", "b")), False),
        ("topic", selected(("q0", "a.#"), ("q0", "b")), False),
        ("direct", [*selected(("q0", "a")), onward("x0", "x1", "b")], False),
        ("fanout", [onward("x0", "x1", "b"), onward("x1", "q0", "a"), onward("x1", "q1", "a")], True),
        ("fanout", [*selected(("q0", "a")), onward("x0", "x1", "b"), onward("x1", "q0", "a")], False),
    ],
)
def test_a_plan_knows_that_no_queue_is_delivered_twice(kind: str, bindings: list[Binding], distinct: bool) -> None:
    where = topology("rabbitmq", [Exchange("x0", kind), exchange("x1")], bindings)
    assert build_plan(where, AmqpLayout(), "error", "x0").distinct is distinct


#: A fanout exchange before two others, and bindings with their keys.
CLOSED = [onward("x0", "x1", ""), onward("x1", "x2", "#"), onward("x2", "q0", "a"), onward("x2", "q1", "b")]


@pytest.mark.parametrize(
    ("broker", "exchanges", "bindings", "simple"),
    [
        ("rabbitmq", (), (), True),
        ("qpid-java", (), (), True),
        ("rabbitmq", (), (onward("x2", "x2", "a"),), True),
        ("rabbitmq", (), (onward("x1", "x0", "#"),), True),
        ("artemis", (), (onward("x1", "x0", "#"),), False),
        ("rabbitmq", (), (onward("x0", "x3", ""), onward("x3", "q1", "a")), True),
        ("rabbitmq", (), (onward("x1", "x3", "a"),), False),
        ("rabbitmq", (exchange("x3", "x1", "topic"),), (onward("x0", "x3", ""),), False),
    ],
    ids=["RabbitMQ", "Qpid", "to itself", "a cycle", "a send that fails", "two", "a condition", "an alternate"],
)
def test_what_bindings_without_a_condition_lead_to_is_one_look_up(
    broker: str, exchanges: tuple[Exchange, ...], bindings: tuple[Binding, ...], simple: bool
) -> None:
    named = {name: exchange(name, kind="topic") for name in NAMES} | {"x0": exchange("x0", kind="fanout")}
    named |= {each.name: each for each in exchanges}
    plan = build_plan(topology(broker, [*named.values()], [*CLOSED, *bindings]), AmqpLayout(), "error", "x0")
    assert plan.simple is simple
    onwards = [each.delivery.onward for each in plan.compiled] + [
        delivery.onward for table in plan.tables for delivery in table.deliveries
    ]
    assert any(each is not None for each in onwards) is not simple


def test_a_queue_may_be_named_once_for_each_exchange_that_messages_are_published_to() -> None:
    bindings = [*CLOSED, onward("x3", "q0", "c")]
    kinds = {"x0": "fanout", "x1": "topic", "x2": "direct", "x3": "direct"}
    exchanges = [Exchange(name, kind) for name, kind in kinds.items()]
    for more, distinct in (((), True), ((onward("x3", "q0", "d"),), False)):
        plan = build_plan(topology("rabbitmq", exchanges, [*bindings, *more]), AmqpLayout(), "error")
        assert plan.distinct is distinct


def test_a_message_with_several_keys_may_be_delivered_twice() -> None:
    where = topology("rabbitmq", [exchange("x0")], selected(("q0", "a"), ("q1", "b")))
    assert build_plan(where, AmqpLayout(), "error", "x0").distinct
    assert not build_plan(where, AmqpLayout(), "error", "x0", several=True).distinct


@pytest.mark.parametrize(("count", "distinct"), [(MIN_INDEXED - 1, True), (MIN_INDEXED, False)])
def test_a_row_of_an_index_may_be_found_twice(count: int, distinct: bool) -> None:
    texts = [f"color LIKE '%{number:03}%'" for number in range(count)]
    arguments = [{SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)} for text in texts]
    bindings = tuple(Binding("amq.fanout", f"q{number}", "", each) for number, each in enumerate(arguments))
    queues = tuple(Queue(f"q{number}") for number in range(count))
    where = Topology(RULES["qpid-java"], (), queues, bindings)
    assert build_plan(where, AmqpLayout(), "error", "amq.fanout").distinct is distinct
