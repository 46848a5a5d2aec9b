"""Results of routing one message: the queues that it reaches from an exchange, and its outcome at the broker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from transpiler.message.message import Message
from transpiler.reference.conditions import Keys
from transpiler.reference.exchange_walk import Ends, ExchangeWalk, Visit
from transpiler.topology.choices import choice_of
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Publisher
from transpiler.topology.records import Exchange
from transpiler.topology.targets import DEAD_LETTER, FAILED, OUTCOMES, REJECTED, UNKNOWN, Outcome, Target

#: Maximum number of queues that ``Routed.reached`` lists by name.
_MAX_QUEUES = 8

#: The outcomes in order of precedence: the first outcome of any destination in a list is the outcome of the whole list.
_WEIGHTS: tuple[Outcome, ...] = ("delivered", "alternate", "undecided", *OUTCOMES)


@dataclass(frozen=True, slots=True)
class Routed:
    """The queues that a message reaches, distinct and sorted, and its outcome.

    ``exchange`` is the exchange (for a JMS broker, the destination) to which the message was published; None if the
    anonymous relay rejected the message. ``possible_queues`` are further queues of which the message may reach some,
    because an exchange chooses by a hash, at random or by the broker's state.
    """

    queues: tuple[str, ...]
    outcome: Outcome
    exchange: str | None = None
    possible_queues: tuple[str, ...] = ()
    #: Sentences about facts that are unknown on the message's path. Results that differ only in reasons are equal.
    reasons: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def reached(self) -> str:
        """A text with the outcome and the names of the queues, at most ``_MAX_QUEUES`` names."""
        certain, perhaps = _listed(self.queues), _listed(self.possible_queues)
        parts = [certain] if certain else []
        parts += [f"perhaps {perhaps}"] if perhaps else []
        return f"{', '.join(parts) or 'no queue'} ({self.outcome})"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON, with ``possible_queues`` and ``reasons`` if they are not empty."""
        listed = (("possible_queues", self.possible_queues), ("reasons", self.reasons))
        more = {name: list(texts) for name, texts in listed if texts}
        return {"queues": list(self.queues), "outcome": self.outcome, **more}


def _listed(queues: Sequence[str]) -> str:
    more = f" and {len(queues) - _MAX_QUEUES} more" if len(queues) > _MAX_QUEUES else ""
    return ", ".join(queues[:_MAX_QUEUES]) + more


class Traced(NamedTuple):
    """The outcome of a message, and the exchanges that it reached, one visit for each set of keys.

    ``message`` and ``topology`` include the changes that the sender's address makes. ``unknown`` is True if the message
    reaches, or may reach, a topic whose subscribers are unknown. ``possible_visits`` are the visits of exchanges that
    the message reaches only if an exchange chooses so.
    """

    routed: Routed
    message: Message
    topology: Topology
    visits: tuple[Visit, ...] = ()
    unknown: bool = False
    possible_visits: tuple[Visit, ...] = ()


class Arrival(NamedTuple):
    """Where one exchange routes a message.

    ``ends`` are the queues and outcomes that the message always reaches, ``possible`` those that it may also reach.
    ``outcome`` is the outcome if ``ends`` and ``possible`` contain only queues.
    """

    ends: Ends
    possible: Ends
    outcome: Outcome
    visits: tuple[Visit, ...] = ()
    possible_visits: tuple[Visit, ...] = ()


def arrival(topology: Topology, message: Message, exchange: Exchange, keys: Keys, publisher: Publisher) -> Arrival:
    """Return where ``exchange`` routes a message with the routing keys ``keys``."""
    route = ExchangeWalk(topology, message)
    ends = route.ends(exchange, keys) | ({FAILED} if route.comes_back else set())
    possible, unknown = frozenset[Target](), False
    possible_visits: tuple[Visit, ...] = ()
    if route.used_choices:
        chosen = ExchangeWalk(topology, message, chosen=True)
        possible = (chosen.ends(exchange, keys) | ({FAILED} if chosen.comes_back else set())) - ends
        unknown = chosen.came_to_unknown
        possible_visits = tuple(visit for state, visit in chosen.visits.items() if state not in route.visits)
    outcome: Outcome = "delivered"
    if not ends and not route.chose_queue:
        # "Otherwise, the message is discarded."
        outcome = "undecided" if possible or unknown else publisher.outcome(exchange, topology.rules)
    elif route.used_alternates:
        without = ExchangeWalk(topology, message, alternates=False)
        if not without.ends(exchange, keys) and not without.chose_queue:
            outcome = "alternate"
    return Arrival(ends, possible, outcome, tuple(route.visits.values()), possible_visits)


def arrive(topology: Topology, message: Message, exchange: Exchange, keys: Keys, publisher: Publisher) -> Traced:
    """Route a message that was published to ``exchange``, at a broker whose senders name exchanges."""
    found = arrival(topology, message, exchange, keys, publisher)
    routed = Routed(_queues(found.ends), found.outcome, exchange.name, _queues(found.possible))
    if routed.possible_queues or routed.outcome == "undecided":
        routed = replace(routed, reasons=_reasons(topology, (*found.visits, *found.possible_visits)))
    return Traced(routed, message, topology, found.visits, possible_visits=found.possible_visits)


def settle(topology: Topology, message: Message, destination: str, parts: Sequence[Arrival]) -> Traced:
    """Return the outcome of a message to a JMS broker; ``parts`` has one item for each destination in a list."""
    ends = frozenset(end for part in parts for end in part.ends)
    possible = frozenset(end for part in parts for end in part.possible) - ends
    outcome: Outcome = "discarded"
    if parts:
        outcome = min((part.outcome for part in parts), key=_WEIGHTS.index)
    queues, others = _queues(ends), _queues(possible)
    unknown = UNKNOWN in ends or UNKNOWN in possible
    if FAILED in ends or REJECTED in ends:
        # No queue is certain: the order of the bindings, which is not known, decides which queues received the message
        # before the failure.
        outcome = "error" if FAILED in ends else "rejected"
        queues, others = (), _queues(ends | possible) if FAILED in ends else ()
    elif FAILED in possible or REJECTED in possible:
        # If the send may fail, it is not certain for any queue that it receives the message.
        outcome, queues, others = "undecided", (), _queues(ends | possible)
    elif DEAD_LETTER in ends or DEAD_LETTER in possible:
        outcome = "dead-letter" if DEAD_LETTER in ends else "undecided"
    elif not queues and unknown:
        outcome = "undecided"
    elif outcome == "alternate":
        # The importer of a JMS broker expresses ordinary routing with alternate exchanges, so a message that went
        # through such an exchange was delivered normally.
        outcome = "delivered"
    elif not queues and not others and outcome not in ("delivered", "undecided"):
        outcome = "discarded"
    visits = tuple(visit for part in parts for visit in part.visits)
    possible_visits = tuple(visit for part in parts for visit in part.possible_visits)
    routed = Routed(queues, outcome, destination, others)
    if others or unknown or outcome == "undecided":
        routed = replace(routed, reasons=_reasons(topology, (*visits, *possible_visits)))
    return Traced(routed, message, topology, visits, unknown, possible_visits)


def _reasons(topology: Topology, visits: Iterable[Visit]) -> tuple[str, ...]:
    """Return sentences about the facts that are unknown on a message's path through the exchanges in ``visits``."""
    reasons: dict[str, None] = {}
    for visit in visits:
        exchange, key = visit.exchange, visit.keys[0] or "" if visit.keys else ""
        if choice_of(topology, exchange) is not None:
            reasons[_choice_reason(topology, exchange)] = None
        bindings = topology.bindings_by_source.get(exchange.name, ()) if visit.matched else ()
        for binding, is_match in zip(bindings, visit.matched, strict=False):
            if is_match and exchange.entered is not None and (binding.destination_type, binding.destination) == _OPEN:
                name = topology.rules.addressing.destination(exchange.entered, key)
                reasons[f"the subscribers of {name} are not known"] = None
    return tuple(reasons)


#: The destination type and name of a binding to unknown subscribers.
_OPEN = UNKNOWN.type, UNKNOWN.name


def _choice_reason(topology: Topology, exchange: Exchange) -> str:
    if not topology.rules.addressing.has_exchanges:
        # The importer of a JMS broker names an exchange that may choose "address, condition"; the condition is the
        # reason for the choice.
        return exchange.name.partition(", ")[2] or exchange.name
    if exchange.is_unknown:
        return f"what {exchange.name or 'the default exchange'} does with a message is not known"
    return f"{exchange.name} hands each message to one of its bindings"


def _queues(ends: Ends) -> tuple[str, ...]:
    return tuple(sorted(end.name for end in ends if end.type == "queue"))
