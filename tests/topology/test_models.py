"""The certain queues of a route are reached in each world of a small model, and no world reaches an impossible one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from tests.tools.topology_report.configurations import Configuration, Sent, configuration, universe
from tests.topology.models import ActiveMQ, Artemis, RabbitMQ, SendError, world
from transpiler import Message
from transpiler.reference.route import trace
from transpiler.reference.route_path import RoutePath, follow
from transpiler.reference.routed import Routed
from transpiler.topology import topology_from_dict, topology_to_dict
from transpiler.topology.choices import choice_of
from transpiler.topology.model import Topology

#: Number of worlds that are drawn for each configuration.
WORLDS = 12


def plain(message: Message) -> Mapping[str, Any]:
    """Return the properties and the priority of ``message`` as Python values."""
    header = message.header
    priority = 4 if header is None or header.priority is None else header.priority
    return {name: one.value for name, one in (message.application_properties or {}).items()} | {"priority": priority}


def outcome_of(model: RabbitMQ | Artemis | ActiveMQ, one: Sent) -> set[str] | str:
    """Return the queues of a message in a world, or the outcome of a send that fails."""
    try:
        match model:
            case RabbitMQ():
                return model.route(one.to, one.key or "", plain(one.message))
            case Artemis():
                return model.send(one.to, one.routing_type, plain(one.message))
            case _:
                return model.send(one.to, plain(one.message))
    except SendError as error:
        return error.outcome


def contradicts(routed: Routed, got: set[str] | str) -> bool:
    """Return True if ``routed`` does not allow what happened to the message."""
    if isinstance(got, str):
        # If a send is rejected at one address and returns to another, the order decides the outcome.
        return bool(routed.queues) or routed.outcome not in ("rejected", "error", "undecided")
    certain, possible = set(routed.queues), {*routed.queues, *routed.possible_queues}
    is_lost = routed.outcome in ("discarded", "rejected", "error")
    return not certain <= got <= possible or (is_lost and bool(got)) or (routed.outcome == "delivered" and not got)


def strays(model: RabbitMQ, path: RoutePath, got: set[str], one: Sent) -> Iterator[str]:
    """Yield each difference between a path and a world in the dead letters of queues."""
    for queue in got:
        letters = model.letters(queue)
        steps = [step for step in path.steps if step.queue == queue and step.link.kind == "dead-letter"]
        if letters is None:
            yield from (f"{queue}: {step}" for step in steps if ", if " not in step.link.when)
            continue
        exchange, key = letters
        to = key if exchange == "" and key is not None else exchange
        ways = [step for step in steps if step.to == to and (step.link.key == key or exchange == "")]
        if not ways:
            yield f"{queue}: no way to {to!r} under {key!r}"
        elif exchange in model.types:
            landed = model.route(exchange, (one.key or "") if key is None else key, plain(one.message))
            yield from (f"{queue}: {way}" for way in ways[:1] if way.traced and contradicts(way.routed, landed))


def absences(model: Artemis | ActiveMQ, path: RoutePath, got: set[str]) -> Iterator[str]:
    """Yield each queue whose links to other brokers in a path differ from those of a world."""
    for queue in got:
        texts = [step.link.when for step in path.steps if step.queue == queue and step.to is None]
        shown = {match[1] for text in texts if (match := _LEAVING.search(text)) and ", if " not in text}
        possible = {match[1] for text in texts if (match := _LEAVING.search(text))}
        if not shown <= model.leaving(queue) <= possible:
            yield f"{queue}: leaves by {model.leaving(queue)}, and {shown} is shown"


#: The name of a connection in the text of a link by which messages leave for another broker.
_LEAVING = re.compile(r"by the ((?:bridge|connection|network connector|downstream) [^ ,]+(?: of federation [^ ,]+)?)")


def contradictions(broker: str, given_: Configuration, topology: Topology, draw: Random) -> list[str]:
    """Return the statements about a configuration's messages that do not hold in some world."""
    sent = [(one, trace(topology, one.message, **one.options)) for one in universe(topology)]
    found = []
    for _ in range(WORLDS):
        model = world(broker, given_.text, given_.state, draw)
        for one, traced in sent:
            got = outcome_of(model, one)
            if contradicts(traced.routed, got):
                found.append(f"{one}: {traced.routed}, and {got}")
            elif isinstance(model, RabbitMQ) and isinstance(got, set):
                found += strays(model, follow(traced), got, one)
            elif not isinstance(model, RabbitMQ) and isinstance(got, set):
                found += absences(model, follow(traced), got)
    return found


def drawn_of_models(broker: str, draw: Random) -> Configuration:
    """Return a configuration that the models support: they have one interceptor of ActiveMQ, and no mirrors."""
    while True:
        drawn = configuration(broker, draw)
        if "<mirroredQueue" not in drawn.text and drawn.text.count("<virtualDestinationInterceptor>") < 2:
            return drawn


@pytest.mark.parametrize("broker", ["rabbitmq", "artemis", "activemq"])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=size(2, 25), deadline=None)
def test_no_world_contradicts_a_route(broker: str, seed: int) -> None:
    draw = Random(seed)
    drawn = drawn_of_models(broker, draw)
    assert contradictions(broker, drawn, drawn.read(), draw) == []


@pytest.mark.parametrize("broker", ["artemis", "activemq"])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=size(5, 50), deadline=None)
def test_each_choice_of_an_importer_has_a_reason_in_words(broker: str, seed: int) -> None:
    topology = configuration(broker, Random(seed)).read()
    choosing = [one for one in topology.exchanges if choice_of(topology, one) is not None]
    read = topology_from_dict(topology_to_dict(topology)).exchange_by_name
    for exchange in choosing:
        # The name of the exchange is the importer's and says nothing to users.
        assert exchange.reason
        assert exchange.reason not in exchange.name
        assert read[exchange.name].reason == exchange.reason
