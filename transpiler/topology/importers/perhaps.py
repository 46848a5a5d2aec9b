"""Bindings whose condition exceeds a limit of this project: they may match any message that matches their key.

The broker evaluates such a condition, so the file is valid. The binding is redirected to an exchange of unknown type,
which leads to the binding's destination and, if the source uses its alternate when no binding matches, also to this
alternate. The path to the alternate goes through an exchange with the other bindings of the source, which withhold the
messages that they certainly take.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.exchange_types import UNKNOWN
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Alternate, Binding, Exchange

#: A selector that every message matches, for bindings that must have a selector.
EVERY_MESSAGE = AmqpValue(AmqpType.STRING, "TRUE")


def bound_perhaps(topology: Topology, numbers: Collection[int]) -> Topology:
    """Return ``topology`` with the routes through some bindings possible instead of certain.

    These bindings are given by their indices, ``numbers``. Their selectors, which cannot be evaluated, are removed.
    """
    if not numbers:
        return topology
    exchanges, bindings = [*topology.exchanges], [*topology.bindings]
    names = set(topology.exchange_by_name)
    decided: dict[str, list[Binding]] = {}
    for number, binding in enumerate(topology.bindings):
        if number not in numbers:
            decided.setdefault(binding.source, []).append(binding)
    alternates: dict[str, Alternate | None] = {}
    for number in sorted(numbers):
        binding = bindings[number]
        source = topology.exchange_by_name[binding.source]
        name = free_name(f"{binding.source}, not evaluated", names)
        exchanges.append(Exchange(name, UNKNOWN, internal=True, path=binding.path))
        arguments = {of: value for of, value in binding.arguments.items() if of != SELECTOR_ARGUMENT}
        if source.type == "x-jms-topic":
            arguments[SELECTOR_ARGUMENT] = EVERY_MESSAGE
        bindings[number] = replace(binding, destination=name, destination_type="exchange", arguments=arguments)
        bindings.append(
            Binding(name, binding.destination, destination_type=binding.destination_type, path=binding.path)
        )
        if source.name not in alternates:
            alternate = topology.alternate(source) if topology.rules.alternate_on_no_match else None
            if alternate is not None and source.name in decided:
                unless = free_name(f"{source.name}, unless taken", names)
                exchanges.append(Exchange(unless, source.type, alternate, internal=True, path=source.path))
                # Copy the bindings of ``source`` that can be evaluated. The copies deliver nothing: they only keep a
                # message that matches one of them from going to the alternate destination of ``source``.
                bindings += [replace(each, source=unless) for each in decided[source.name]]
                alternate = Alternate(unless)
            alternates[source.name] = alternate
        alternate = alternates[source.name]
        if alternate is not None:
            bindings.append(Binding(name, alternate.name, destination_type=alternate.type, path=binding.path))
    return replace(topology, exchanges=tuple(exchanges), bindings=tuple(bindings))


def free_name(name: str, taken: set[str]) -> str:
    """Return ``name``, or ``name`` with a number if it is in ``taken``, and add the result to ``taken``."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name} {number}"
    taken.add(free)
    return free
