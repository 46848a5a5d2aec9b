"""Exchanges that route each message to one of their bindings, by a hash or at random: the queues that it may reach.

The choice depends on the broker's hash function, on the order in which bindings were created, or on chance, so it is
not computed. In an exchange that the file does not describe, any bindings may match, or no binding. A queue is
*certain* if the message reaches it whatever is chosen, and *possible* if some choice leads to it. Both sets are
computed with topologies without choices: ``certain_topology`` has none of the bindings that may be chosen,
``possible_topology`` has all of them at once. In RabbitMQ an exchange's alternate depends only on the exchange's own
bindings, so additional bindings never make a queue unreachable.
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

#: The arguments of a binding that contain its selector and the dialect of the selector.
_CONDITION = (SELECTOR_ARGUMENT, DIALECT_ARGUMENT)


class Choice(NamedTuple):
    """The bindings among which an exchange chooses one for each message. If ``total`` is False, it may choose none.

    If ``by_match`` is True, the exchange chooses only among the bindings that the message matches, and chooses none if
    the message matches none of them.
    """

    bindings: tuple[Binding, ...]
    total: bool
    by_match: bool = False

    @property
    def reaches_queue(self) -> bool:
        """True if a binding is always chosen and every binding leads to a queue."""
        return self.total and all(binding.destination_type in ("queue", "own-queue") for binding in self.bindings)


def choice_of(topology: Topology, exchange: Exchange) -> Choice | None:
    """Return the choice that ``exchange`` makes for every message; None if it does not choose.

    An exchange without bindings does not choose, nor does an exchange whose bindings all lead to one target that is
    always chosen. An exchange that a file does not describe may do anything with a message, even without bindings.
    """
    choosing = exchange.kind.choosing
    if choosing is None:
        return None
    bindings = topology.bindings_by_source.get(exchange.name, ())
    if not bindings and not exchange.is_unknown:
        return None
    total = not choosing.may_choose_none
    if choosing.by_partition:
        # An exchange for a super stream chooses the binding whose key is the hash modulo the number of bindings. If
        # there is no binding with this key, it chooses none.
        numbers = {str(number) for number in range(len(bindings))}
        bindings = tuple(binding for binding in bindings if binding.key in numbers)
        total = len({binding.key for binding in bindings}) == len(numbers)
    destinations = {target_of(topology, binding) for binding in bindings}
    return None if total and len(destinations) < 2 else Choice(bindings, total, choosing.among_matches)


#: The kind and name of a binding's destination, and the key that replaces the message's key, or None if the key stays.
_Target = tuple[TargetType, str, str | None]


def target_of(topology: Topology, binding: Binding) -> _Target:
    """Return the queue or exchange to which ``binding`` leads, with the new routing key.

    A choice among bindings with equal targets makes no difference.
    """
    return binding.destination_type, binding.destination, topology.replacement_key(binding)


def leaves_open(topology: Topology, choice: Choice, matched: Sequence[Binding]) -> bool:
    """Return True if it is unknown to which target a message goes that matches the bindings ``matched``."""
    return bool(matched) and (not choice.total or len({target_of(topology, each) for each in matched}) > 1)


def choices(topology: Topology) -> dict[str, Choice]:
    """Return the choices of a topology's exchanges, by name of the exchange."""
    return {
        exchange.name: choice
        for exchange in topology.exchanges
        if (choice := choice_of(topology, exchange)) is not None
    }


def chosen_queue(topology: Topology) -> str:
    """Return a name for an added queue that no queue of the topology has, and that no routing key reaches."""
    name = f"{topology.rules.direct_replies or ''}chosen"
    while name in topology.queue_names:
        name += "_"
    return name


def certain_topology(topology: Topology, chosen_queue: str) -> Topology:
    """Return the topology that contains only certain routes: the bindings among which exchanges choose are removed.

    The queue ``chosen_queue`` is added. A message reaches it if an exchange certainly chooses a queue for the message,
    but it is unknown which queue.
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
            # Remove the alternate exchange: the exchange may choose a binding, so no message certainly goes to the
            # alternate exchange.
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
    """Add exchanges and bindings for messages whose target is certain, although the exchange chooses a binding.

    These are the messages that match only bindings with the same target. For each target, add an exchange that gets the
    messages of all bindings with this target, and that drops the messages that match a binding with another target. The
    remaining messages go to its alternate destination, which is the target.
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
        # Keep all bindings, but let them lead to ``nowhere``: a message that matches a binding must not go to the
        # alternate destination of this exchange, or of an exchange before it.
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
    """Return ``binding`` with ``exchange`` as its destination, and the same key and selector."""
    arguments = {name: value for name, value in binding.arguments.items() if name in _CONDITION}
    return replace(binding, destination=exchange, destination_type="exchange", arguments=arguments)


def possible_topology(topology: Topology, chosen_queue: str) -> Topology:
    """Return the topology that contains all possible routes: exchanges route to every binding that they may choose.

    If an exchange may choose no binding, it also routes to its alternate destination. The queue ``chosen_queue`` is
    added. Every exchange that the file does not describe leads to this queue.
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
    """Yield a binding from the exchange ``name`` to its alternate destination, if it may choose no binding."""
    alternate = None if choice.total else topology.alternate(topology.exchange_by_name[name])
    if alternate is not None:
        yield Binding(name, alternate.name, destination_type=alternate.type)
