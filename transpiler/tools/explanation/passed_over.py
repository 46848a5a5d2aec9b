"""The reasons why bindings at an address of a JMS broker were not evaluated for a message sent to the address.

The exchanges that route are internal cases, and a message comes only to its own case. So no binding there states that a
queue has another routing type, or that an exclusive divert took the message before. The topology in the form for users
(``Topology.displayed``) has all bindings of an address.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from transpiler.reference.routed import Traced
from transpiler.topology.displayed_addresses import bindings_at
from transpiler.topology.importers.display_builder import UNREAD
from transpiler.topology.model import Topology
from transpiler.topology.records import (
    CHOICE_ARGUMENT,
    DIVERT_ARGUMENT,
    EXCLUSIVE_ARGUMENT,
    ROUTING_TYPE_ARGUMENT,
    SELECTOR_ARGUMENT,
    Binding,
)


class PassedOver(NamedTuple):
    """A binding of a JMS broker that was not evaluated although the message reached its address, with the reason."""

    source: str
    binding: Binding
    reason: str


def passed_over(
    traced: Traced, reached: Collection[tuple[str, str]], exclusive: Mapping[str, str]
) -> Iterator[PassedOver]:
    """Yield the bindings that were not evaluated at the addresses that the message reached.

    ``reached`` contains the (address, destination) pairs of the bindings that were evaluated; these are skipped.
    ``exclusive`` maps an address to the names of the exclusive diverts that took the message, as text.
    """
    displayed = traced.topology.displayed
    if displayed is None:
        return
    came: dict[tuple[str, str | None], None] = {}
    for visit in (*traced.visits, *traced.possible_visits):
        if visit.exchange.entered is not None:
            entered = visit.exchange.entered
            name = traced.topology.rules.addressing.destination(entered, visit.keys[0] or "")
            came.setdefault((name, entered.by))
    for address, sent_as in came:
        for binding in bindings_at(displayed, address):
            if (address, binding.destination) in reached:
                continue
            routing_type = binding.text(ROUTING_TYPE_ARGUMENT)
            if address in exclusive:
                reason = f"the exclusive divert {exclusive[address]} took the message"
            elif routing_type is not None and sent_as not in (None, routing_type):
                reason = f"its routing type is {routing_type}, and the message was sent as {sent_as}"
            elif binding.text(CHOICE_ARGUMENT) == UNREAD:
                reason = "it has no consumer, and the virtual topic is selectorAware"
            else:
                continue
            yield PassedOver(address, binding, reason)


class Written:
    """The bindings as they are in a JMS broker's file, found by their location in the file.

    The topology routes with internal bindings. Each of them is made from one binding of the file and covers one of its
    cases.
    """

    def __init__(self, topology: Topology) -> None:
        self._found: dict[tuple[str, str | None], list[Binding]] = {}
        displayed = topology.displayed.bindings if topology.displayed is not None else ()
        for binding in (one for one in displayed if one.path):
            self._found.setdefault((binding.path, binding.text(DIVERT_ARGUMENT)), []).append(binding)

    def of(self, binding: Binding) -> list[Binding]:
        """Return the bindings of the broker's file from which ``binding`` was made, one for each address of a divert.

        The list is empty if the bindings of the file are not known.
        """
        divert = binding.text(DIVERT_ARGUMENT)
        found = self._found.get((binding.path, divert), [])
        return found if len(found) == 1 or divert is not None else []

    def selector(self, binding: Binding) -> str | None:
        """Return the selector of ``binding`` as in the broker's file; None for no selector or an unknown file."""
        return next((one.text(SELECTOR_ARGUMENT) for one in self.of(binding)), None)


def exclusive_diverts(topology: Topology, diverts: Collection[tuple[str, str]]) -> dict[str, str]:
    """Return for each address the names of its exclusive diverts, as text.

    ``diverts`` contains pairs of an address and a divert's name.
    """
    found: dict[str, dict[str, None]] = {}
    for address, name in diverts:
        for binding in () if topology.displayed is None else bindings_at(topology.displayed, address):
            if binding.text(DIVERT_ARGUMENT) == name and EXCLUSIVE_ARGUMENT in binding.arguments:
                found.setdefault(address, {})[name] = None
    return {address: " or ".join(names) for address, names in found.items()}


#: Sentences for outcomes of a message to a JMS broker that have other causes than its bindings.
_NOTES: Mapping[str, str] = {
    "rejected": "the broker has no such address, and creates none: the sender gets an error",
    "error": "the sender gets an error: the message comes back to where it was, or a filter cannot be evaluated",
    "dead-letter": "no queue of its address took it, so that it goes to the dead letter address as well",
}


_WHO = "who subscribes to the topic"


def note_of_send(traced: Traced, is_asked: bool) -> str | None:
    """Return why a message to a JMS broker reached no queue, if its bindings are not the reason; else None.

    ``is_asked`` is True if at least one binding was evaluated.
    """
    routed, topology = traced.routed, traced.topology
    if traced.unknown and not routed.queues:
        who = "which queues subscribers have made" if topology.rules.addressing.names_subscribers else _WHO
        return f"{who} is not in the broker's file: its state says so (--state FILE)"
    unasked = None if is_asked else topology.rules.addressing.unasked.get(routed.outcome)
    return unasked or _NOTES.get(routed.outcome)
