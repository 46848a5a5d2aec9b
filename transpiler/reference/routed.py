"""Outcomes of one message: the queues that it reaches from an exchange, and what became of it by its broker's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from transpiler.message.message import Message
from transpiler.reference.exchange_walk import ExchangeWalk, Keys, Visit
from transpiler.topology.destinations import FAILED, MARKS, UNDECLARED
from transpiler.topology.model import Exchange, Topology
from transpiler.topology.publishing import OUTCOMES, Outcome, Publisher

#: Queues that are listed in words.
_MAX_QUEUES = 8

#: The outcomes of the parts of a list of destinations, in the order in which one stands for all.
_WEIGHTS: tuple[Outcome, ...] = ("delivered", "alternate", "undecided", *OUTCOMES)


@dataclass(frozen=True, slots=True)
class Routed:
    """The queues that a message reaches, distinct and sorted, and what became of it.

    ``exchange`` is where it was published; None where the anonymous relay rejected it. ``possible_queues`` are those
    that it may reach besides, by what an exchange chooses with a hash, at random or by what the broker has seen: one of
    several, or some. Of a JMS broker ``exchange`` is the destination.
    """

    queues: tuple[str, ...]
    outcome: Outcome
    exchange: str | None = None
    possible_queues: tuple[str, ...] = ()

    @property
    def reached(self) -> str:
        """The queues, up to some, and the outcome in words."""
        certain, perhaps = _listed(self.queues), _listed(self.possible_queues)
        parts = [certain] if certain else []
        parts += [f"perhaps {perhaps}"] if perhaps else []
        return f"{', '.join(parts) or 'no queue'} ({self.outcome})"


def _listed(queues: Sequence[str]) -> str:
    more = f" and {len(queues) - _MAX_QUEUES} more" if len(queues) > _MAX_QUEUES else ""
    return ", ".join(queues[:_MAX_QUEUES]) + more


class Traced(NamedTuple):
    """The outcome of a message, and the exchanges that it came to, each once for each set of keys.

    ``message`` and ``topology`` are as the address of the sender has changed them.
    """

    routed: Routed
    message: Message
    topology: Topology
    visits: tuple[Visit, ...] = ()


def arrive(topology: Topology, message: Message, exchange: Exchange, keys: Keys, publisher: Publisher) -> Traced:
    """Return what becomes of a message that comes to an exchange under some keys."""
    route = ExchangeWalk(topology, message)
    queues = route.queues(exchange, keys)
    if route.comes_back:
        queues |= {FAILED}
    possible: frozenset[str] = frozenset()
    if route.used_choices:
        possible = ExchangeWalk(topology, message, chosen=True).queues(exchange, keys) - queues
    outcome: Outcome = "delivered"
    if not queues and not route.chose_queue:
        # "Otherwise, the message is discarded."
        outcome = "undecided" if possible else publisher.outcome(exchange, topology.rules)
    elif route.used_alternates:
        without = ExchangeWalk(topology, message, alternates=False)
        if not without.queues(exchange, keys) and not without.chose_queue:
            outcome = "alternate"
    routed = Routed(tuple(sorted(queues)), outcome, exchange.name, tuple(sorted(possible)))
    return Traced(routed, message, topology, tuple(route.visits.values()))


def settle(topology: Topology, message: Message, destination: str, parts: Sequence[Traced]) -> Traced:
    """Return what became of a message to a JMS broker, by the parts that a list of destinations has."""
    queues = {queue for part in parts for queue in part.routed.queues}
    possible = {queue for part in parts for queue in part.routed.possible_queues} - queues
    outcome: Outcome = "discarded"
    if parts:
        outcome = min((part.routed.outcome for part in parts), key=_WEIGHTS.index)
    marked = next((MARKS[mark] for mark in MARKS if mark in queues), None)
    if marked == "error":
        # The order of bindings decides which queues got it before the failure.
        queues, possible = set(), queues | possible
    elif marked == "rejected":
        queues, possible = set(), set()
    queues, possible = queues - UNDECLARED, possible - UNDECLARED
    if marked is not None:
        outcome = marked
    elif outcome == "alternate":
        # A chain of cases, and no fallback of the broker's.
        outcome = "delivered"
    elif not queues and not possible and outcome not in ("delivered", "undecided"):
        outcome = "discarded"
    routed = Routed(tuple(sorted(queues)), outcome, destination, tuple(sorted(possible)))
    return Traced(routed, message, topology, tuple(visit for part in parts for visit in part.visits))
