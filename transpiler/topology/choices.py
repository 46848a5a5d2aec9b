"""Exchanges that hand each message to one of their bindings, by a hash or at random: the queues that it may reach.

The choice depends on the broker's hash function, on the order in which bindings were made, or on chance, so it is not
computed; any bindings, or none, may match in an exchange that a file does not describe. A queue is *certain* where no
choice leads to it, and *possible* where one may. Both follow from a topology without choices: ``certain_topology`` has
none of the bindings that may be chosen, ``possible_topology`` has all of them at once. An exchange's alternate in
RabbitMQ depends on its own bindings alone, so that more bindings never take a queue away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from transpiler.topology.model import Topology
from transpiler.topology.records import (
    DIALECT_ARGUMENT,
    REPLACEMENT_ARGUMENT,
    SELECTOR_ARGUMENT,
    Alternate,
    Binding,
    Exchange,
    Queue,
)
from transpiler.topology.targets import TargetType

#: The arguments that a message has to match.
_CONDITION = (SELECTOR_ARGUMENT, DIALECT_ARGUMENT)


class Choice(NamedTuple):
    """The bindings of which an exchange chooses one, or some; where it is not ``total`` it may choose none.

    With ``by_match`` it chooses among those that the message matches, and where it matches none nothing is chosen.
    """

    bindings: tuple[Binding, ...]
    total: bool
    by_match: bool = False

    @property
    def reaches_queue(self) -> bool:
        """Return True if every choice is a queue."""
        return self.total and all(binding.destination_type in ("queue", "own-queue") for binding in self.bindings)


def choice_of(topology: Topology, exchange: Exchange) -> Choice | None:
    """Return the choice that an exchange makes for every message; None where its bindings decide without one.

    There is none to make without bindings, or where all of them have one destination and it is always chosen. An
    exchange that a file does not describe may do anything with a message, with bindings or without.
    """
    choosing = exchange.kind.choosing
    if choosing is None:
        return None
    bindings = topology.bindings_by_source.get(exchange.name, ())
    if not bindings and not exchange.is_unknown:
        return None
    total = not choosing.may_choose_none
    if choosing.by_partition:
        # The hash modulo the number of bindings is the key of the chosen one, and there may be no such binding.
        numbers = {str(number) for number in range(len(bindings))}
        bindings = tuple(binding for binding in bindings if binding.key in numbers)
        total = len({binding.key for binding in bindings}) == len(numbers)
    destinations = {target_of(topology, binding) for binding in bindings}
    return None if total and len(destinations) < 2 else Choice(bindings, total, choosing.among_matches)


#: The kind and the name of a binding's destination, and the key that the message goes on with, if it is not its own.
_Target = tuple[TargetType, str, str | None]


def target_of(topology: Topology, binding: Binding) -> _Target:
    """Return the target of a binding; bindings with one target leave no choice."""
    return binding.destination_type, binding.destination, topology.replacement_key(binding)


def leaves_open(topology: Topology, choice: Choice, matched: Sequence[Binding]) -> bool:
    """Return True if it is open which of the bindings that a message matches an exchange chooses, if any."""
    return bool(matched) and (not choice.total or len({target_of(topology, each) for each in matched}) > 1)


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
    exchanges: list[Exchange] = []
    for exchange in topology.exchanges:
        choice = made.get(exchange.name)
        if choice is None:
            exchanges.append(_without_choice(exchange))
        elif choice.by_match:
            exchanges.append(_without_choice(exchange))
            _add_only_matches(topology, choice, chosen_queue, exchanges, bindings)
        else:
            # A binding that may be chosen is matched, so that the alternate gets nothing for certain.
            exchanges.append(replace(_without_choice(exchange), alternate=None))
            bindings += [Binding(exchange.name, chosen_queue)] if choice.reaches_queue else []
    return replace(
        topology, exchanges=tuple(exchanges), queues=(*topology.queues, Queue(chosen_queue)), bindings=tuple(bindings)
    )


def _without_choice(exchange: Exchange) -> Exchange:
    choosing = exchange.kind.choosing
    if choosing is None:
        return exchange
    return replace(exchange, type="topic" if choosing.among_matches else "fanout")


def _add_only_matches(
    topology: Topology, choice: Choice, chosen_queue: str, exchanges: list[Exchange], bindings: list[Binding]
) -> None:
    """Add what lets each binding through where no binding with another target matches.

    The message goes to an exchange of the other bindings, which lead nowhere, and whose alternate is the target.
    """
    by_target: dict[_Target, list[Binding]] = {}
    for binding in choice.bindings:
        by_target.setdefault(target_of(topology, binding), []).append(binding)
    source = choice.bindings[0].source
    nowhere = f"{source}: nowhere"
    exchanges.append(Exchange(nowhere, "fanout", internal=True))
    for number, (target, own) in enumerate(by_target.items()):
        others = [binding for other, listed in by_target.items() if other != target for binding in listed]
        if choice.reaches_queue:
            bindings += [replace(binding, destination=chosen_queue, destination_type="queue") for binding in own]
        # A match counts for the alternates of the exchanges before and of this one.
        bindings += [_led(binding, nowhere) for binding in own]
        taken = {binding.key for binding in others if binding.text(SELECTOR_ARGUMENT) is None}
        if not choice.total or all(binding.key in taken for binding in own):
            continue
        kind, name, key = target
        only, then = f"{source}: only {number}", f"{source}: then {number}"
        bindings += [_led(binding, only) for binding in own]
        bindings += [replace(_led(binding, nowhere), source=only) for binding in others]
        if kind != "exchange":
            exchanges.append(Exchange(only, "topic", Alternate(name, kind), internal=True))
        elif key is None:
            exchanges.append(Exchange(only, "topic", Alternate(name), internal=True))
        else:
            exchanges.append(Exchange(only, "topic", Alternate(then), internal=True))
            exchanges.append(Exchange(then, "fanout", internal=True))
            arguments = {REPLACEMENT_ARGUMENT: own[0].arguments[REPLACEMENT_ARGUMENT]}
            bindings.append(Binding(then, name, arguments=arguments, destination_type="exchange"))


def _led(binding: Binding, exchange: str) -> Binding:
    """Return a binding that leads to another exchange, with the same key and selector."""
    arguments = {name: value for name, value in binding.arguments.items() if name in _CONDITION}
    return replace(binding, destination=exchange, destination_type="exchange", arguments=arguments)


def possible_topology(topology: Topology, chosen_queue: str) -> Topology:
    """Return the topology in which exchanges choose all of their bindings, and none as well where they may.

    A message that comes to an exchange of which nothing is known reaches the queue ``chosen_queue``, which is added.
    """
    made = choices(topology)
    bindings = [binding for binding in topology.bindings if binding.source not in made]
    for name, choice in made.items():
        bindings += choice.bindings
        bindings += [] if choice.by_match else _instead(topology, name, choice)
        bindings += [Binding(name, chosen_queue)] if topology.exchange_by_name[name].is_unknown else []
    exchanges = tuple(map(_without_choice, topology.exchanges))
    queues = (*topology.queues, Queue(chosen_queue))
    return replace(topology, exchanges=exchanges, queues=queues, bindings=tuple(bindings))


def _instead(topology: Topology, name: str, choice: Choice) -> Iterator[Binding]:
    """Yield the way to the alternate of an exchange that may choose none of its bindings."""
    alternate = None if choice.total else topology.alternate(topology.exchange_by_name[name])
    if alternate is not None:
        yield Binding(name, alternate.name, destination_type=alternate.type)
