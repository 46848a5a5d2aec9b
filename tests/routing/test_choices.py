"""Exchanges that choose one of their bindings: a message's certain queues, its possible queues, and its outcome."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.routing import topologies
from tests.sizes import size
from transpiler import Message
from transpiler.reference.route import publish
from transpiler.tools.explanation.routes import explain_route
from transpiler.tools.topology_report.findings import report
from transpiler.tools.topology_report.picture import draw as picture
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology import topology_from_dict, topology_to_dict
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.choices import certain_topology, choices, chosen_queue, possible_topology
from transpiler.topology.exchange_types import CHOOSING_TYPES
from transpiler.topology.model import Topology
from transpiler.topology.records import DEFAULT_EXCHANGE, Binding

#: A topology with an exchange of each choosing kind, and with their alternates and queues.
FORM: dict[str, Any] = {
    "broker": "rabbitmq",
    "queues": ["a", "b", "c", "near", "lost", "sure"],
    "exchanges": [
        {"name": "hash", "type": "x-consistent-hash", "alternate": "rest"},
        {"name": "local", "type": "x-local-random", "alternate": "rest"},
        {"name": "sole", "type": "x-random"},
        {"name": "none", "type": "x-modulus-hash", "alternate": "rest"},
        {"name": "twice", "type": "x-random"},
        {"name": "partitions", "type": "x-super-stream"},
        {"name": "gap", "type": "x-super-stream", "alternate": "rest"},
        {"name": "rest", "type": "fanout"},
        {"name": "hidden", "type": "unknown", "alternate": "rest"},
        {"name": "empty", "type": "unknown", "alternate": "rest"},
        {"name": "blind", "type": "unknown"},
        {"name": "before", "type": "topic"},
        {"name": "on", "type": "fanout"},
        {"name": "first", "type": "topic", "alternate": "hash"},
    ],
    "bindings": [
        {"source": "hash", "queue": "a", "key": "10"},
        {"source": "hash", "queue": "b", "key": "20"},
        {"source": "local", "queue": "near"},
        {"source": "sole", "queue": "sure"},
        {"source": "sole", "queue": "sure", "key": "again"},
        {"source": "twice", "exchange": "on"},
        {"source": "twice", "queue": "a"},
        {"source": "partitions", "queue": "b", "key": "0"},
        {"source": "partitions", "queue": "c", "key": "1"},
        {"source": "gap", "queue": "b", "key": "0"},
        {"source": "gap", "queue": "c", "key": "5"},
        {"source": "on", "queue": "c"},
        {"source": "on", "exchange": "hash"},
        {"source": "rest", "queue": "lost"},
        {"source": "first", "queue": "sure", "key": "s.#"},
        {"source": "first", "exchange": "hash", "key": "s.h"},
        {"source": "hidden", "queue": "a", "key": "k"},
        {"source": "before", "exchange": "hidden", "key": "k"},
        {"source": "before", "queue": "b", "key": "k.#"},
    ],
}
TOPOLOGY = topology_from_dict(FORM)

ROUTED = (
    ("hash", "10", (), ("a", "b"), "delivered"),
    ("local", "", (), ("lost", "near"), "undecided"),
    ("sole", "", ("sure",), (), "delivered"),
    ("none", "", ("lost",), (), "alternate"),
    ("twice", "", (), ("a", "b", "c"), "undecided"),
    ("partitions", "1", (), ("b", "c"), "delivered"),
    ("gap", "", (), ("b", "lost"), "undecided"),
    ("on", "", ("c",), ("a", "b"), "delivered"),
    ("first", "s.x", ("sure",), (), "delivered"),
    ("first", "s.h", ("sure",), ("a", "b"), "delivered"),
    ("first", "t", (), ("a", "b"), "alternate"),
    ("hidden", "k", (), ("a", "lost"), "undecided"),
    ("empty", "k", (), ("lost",), "undecided"),
    ("blind", "k", (), (), "undecided"),
    ("before", "k", ("b",), ("a", "lost"), "delivered"),
    ("before", "k.l", ("b",), (), "delivered"),
)


@pytest.mark.parametrize(("exchange", "key", "queues", "possible", "outcome"), ROUTED)
def test_a_message_reaches_some_queues_and_may_reach_others(
    exchange: str, key: str, queues: tuple[str, ...], possible: tuple[str, ...], outcome: str
) -> None:
    routed = publish(TOPOLOGY, Message(), exchange, [key])
    assert (routed.queues, routed.possible_queues, routed.outcome) == (queues, possible, outcome)


def _decided(topology: Topology) -> Iterator[Topology]:
    """Yield each topology in which every exchange has made its choice, for messages that reach each exchange once."""
    made = choices(topology)
    options = [[*choice.bindings, *([] if choice.total else [None])] for choice in made.values()]
    for chosen in itertools.product(*options):
        by_name: dict[str, Binding | None] = dict(zip(made, chosen, strict=True))
        bindings = [binding for binding in topology.bindings if binding.source not in made]
        bindings += [binding for binding in by_name.values() if binding is not None]
        exchanges = tuple(
            replace(exchange, type="fanout") if exchange.type in CHOOSING_TYPES else exchange
            for exchange in topology.exchanges
        )
        yield replace(topology, exchanges=exchanges, bindings=tuple(bindings))


@given(data=st.data())
@settings(max_examples=size(80, 320), suppress_health_check=list(HealthCheck), deadline=None)
def test_the_answers_hold_for_every_choice(data: st.DataObject) -> None:
    """The results are checked against the routes in all topologies with every choice made."""
    topology = data.draw(topologies.topologies(RABBITMQ, choosing=True))
    assume(choices(topology))
    decided = list(itertools.islice(_decided(topology), 400))
    assume(len(decided) < 400)
    message, key = data.draw(topologies.messages()), data.draw(topologies.keys)
    exchange = data.draw(st.sampled_from([*topologies.NAMES, "amq.topic", "amq.fanout", DEFAULT_EXCHANGE]))
    routed = publish(topology, message, exchange, [key])
    reached = [set(publish(one, message, exchange, [key]).queues) for one in decided]
    assert set(routed.queues) <= set.intersection(*reached)
    assert set(routed.queues) | set(routed.possible_queues) == set.union(*reached)
    assert not set(routed.queues) & set(routed.possible_queues)
    if routed.outcome in ("delivered", "alternate"):
        assert all(reached)
    elif routed.outcome != "undecided":
        assert not any(reached)
    # Spark routes by two topologies without choices: the certain and the possible bindings.
    added = chosen_queue(topology)
    certain = set(publish(certain_topology(topology, added), message, exchange, [key]).queues)
    assert certain - {added} == set(routed.queues)
    assert bool(certain) is (routed.outcome in ("delivered", "alternate"))
    possible = set(publish(possible_topology(topology, added), message, exchange, [key]).queues)
    assert possible - {added} == set.union(*reached)


def test_the_project_form_has_the_types() -> None:
    assert topology_from_dict(topology_to_dict(TOPOLOGY)) == TOPOLOGY


def test_no_key_reaches_the_queue_that_stands_for_a_choice() -> None:
    added = chosen_queue(TOPOLOGY)
    assert publish(certain_topology(TOPOLOGY, added), Message(), "", [added]).queues == ()


def test_a_picture_marks_what_is_chosen() -> None:
    text = picture(TOPOLOGY, "mermaid")
    for label in ("one of, weight 10", "one of, partition 0", "x-consistent-hash", '|"one of"|'):
        assert label in text


def test_a_report_does_not_call_dead_what_may_have_been_chosen() -> None:
    counted = Summary({"hash": 5, "local": 0}, {"sure": 1}, {"delivered": 5})
    dead = [finding.subject for finding in report(TOPOLOGY, counted).findings if finding.kind == "dead-binding"]
    assert dead == ["before → b: k.#"]


def test_an_explanation_names_the_candidates() -> None:
    explained = explain_route(TOPOLOGY, Message(), "first", ["s.h"])
    assert str(explained).splitlines() == [
        "exchange first, key 's.h' → sure, perhaps a, b (delivered)",
        "  took it",
        "    first → sure           key 's.#'",
        "    first → exchange hash  key 's.h'",
        "  may take it",
        "    hash → a  one of, weight 10",
        "    hash → b  one of, weight 20",
    ]
    assert explained.to_dict()["possible_queues"] == ["a", "b"]
