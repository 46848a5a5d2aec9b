"""Exchanges that hand each message to one of their bindings, by a hash or at random: the queues that it may reach.

The choice depends on the broker's hash function, on the order in which bindings were made, or on chance, so it is not
computed: a queue is *certain* where no choice leads to it, and *possible* where one may. Both follow from a topology
without choices: ``certain_topology`` has none of the bindings that may be chosen, ``possible_topology`` has all of
them at once. By RabbitMQ's rules an exchange's alternate depends on its own bindings alone, so that more bindings
never take a queue away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from transpiler.topology.broker_rules import CHOOSING_TYPES
from transpiler.topology.model import DEFAULT_EXCHANGE, Binding, Exchange, Queue, Topology


class Choice(NamedTuple):
    """The bindings of which an exchange chooses one; where it is not ``total`` it may choose none."""

    bindings: tuple[Binding, ...]
    total: bool

    @property
    def reaches_queue(self) -> bool:
        """Return True if every choice is a queue."""
        return self.total and all(binding.destination_type == "queue" for binding in self.bindings)


def is_choosing(exchange: Exchange) -> bool:
    """Return True if an exchange hands each message to one of its bindings."""
    return exchange.type in CHOOSING_TYPES


def choice_of(topology: Topology, exchange: Exchange) -> Choice | None:
    """Return the choice that an exchange makes for every message; None where its bindings decide without one.

    There is none to make without bindings, or where all of them have one destination and it is always chosen.
    """
    if not is_choosing(exchange):
        return None
    bindings = topology.bindings_by_source.get(exchange.name, ())
    if not bindings:
        return None
    # Queues on other nodes than the publisher's are passed over.
    total = exchange.type != "x-local-random"
    if exchange.type == "x-super-stream":
        # The hash modulo the number of bindings is the key of the chosen one, and there may be no such binding.
        numbers = {str(number) for number in range(len(bindings))}
        bindings = tuple(binding for binding in bindings if binding.key in numbers)
        total = len({binding.key for binding in bindings}) == len(numbers)
    destinations = {(binding.destination_type, binding.destination) for binding in bindings}
    return None if total and len(destinations) < 2 else Choice(bindings, total)


def choices(topology: Topology) -> dict[str, Choice]:
    """Return the choices of a topology's exchanges, by their names."""
    return {
        exchange.name: choice
        for exchange in topology.exchanges
        if (choice := choice_of(topology, exchange)) is not None
    }


def chosen_queue(topology: Topology) -> str:
    """Return the name of a queue that the topology has not, and that no message reaches by its key."""
    name = f"{topology.rules.direct_replies or ''}chosen"
    while name in topology.queue_names:
        name += "_"
    return name


def certain_topology(topology: Topology, chosen_queue: str) -> Topology:
    """Return the topology without the bindings that are chosen from.

    A message for which some queue is chosen, but not which, reaches the queue ``chosen_queue``, which is added.
    """
    made = choices(topology)
    bindings = [binding for binding in topology.bindings if binding.source not in made]
    bindings += [Binding(name, chosen_queue) for name, choice in made.items() if choice.reaches_queue]
    exchanges = tuple(
        # What may be chosen is matched, so that the alternate gets nothing for certain.
        replace(exchange, type="fanout", alternate=None if exchange.name in made else exchange.alternate)
        if is_choosing(exchange)
        else exchange
        for exchange in topology.exchanges
    )
    return replace(
        topology, exchanges=exchanges, queues=(*topology.queues, Queue(chosen_queue)), bindings=tuple(bindings)
    )


def possible_topology(topology: Topology) -> Topology:
    """Return the topology in which exchanges choose all of their bindings, and none as well where they may."""
    made = choices(topology)
    bindings = [binding for binding in topology.bindings if binding.source not in made]
    for name, choice in made.items():
        bindings += choice.bindings
        bindings += _instead(topology, name, choice)
    exchanges = tuple(
        replace(exchange, type="fanout") if is_choosing(exchange) else exchange for exchange in topology.exchanges
    )
    return replace(topology, exchanges=exchanges, bindings=tuple(bindings))


def _instead(topology: Topology, name: str, choice: Choice) -> Iterator[Binding]:
    """Yield the way to the alternate of an exchange that may choose none of its bindings."""
    alternate = None if choice.total else topology.alternate(topology.exchange_by_name[name])
    if alternate is not None and alternate.name != DEFAULT_EXCHANGE:
        yield Binding(name, alternate.name, destination_type=alternate.type)
