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

#: The outcomes by precedence. If a message is sent to several destinations, the first of their outcomes in this order
#: is the outcome of the whole.
_WEIGHTS: tuple[Outcome, ...] = ("delivered", "alternate", "undecided", *OUTCOMES)


@dataclass(frozen=True, slots=True)
class Routed:
    """The queues that a message reaches, distinct and sorted, and its outcome.

    ``possible_queues`` are queues that the message may reach in addition, because an exchange chooses by a hash, at
    random or by the broker's state. ``exchange`` is the exchange (for a JMS broker, the destination) of publication;
    None if the anonymous relay rejected the message.
    """

    queues: tuple[str, ...]
    outcome: Outcome
    exchange: str | None = None
    possible_queues: tuple[str, ...] = ()
    #: Sentences that say why possible queues are not certain. They do not take part in comparisons of results.
    reasons: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def reached(self) -> str:
        """The outcome and the names of the queues as text. Of many queues, only the first ``_MAX_QUEUES`` are named."""
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
    """The route of a message: its result, and the exchanges that it reached, with a visit for each set of keys.

    ``possible_visits`` are visits that depend on a choice of an exchange. ``message`` and ``topology`` include the
    changes that the sender's address makes. ``unknown`` is True if the message reaches, or may reach, a topic whose
    subscribers are unknown.
    """

    routed: Routed
    message: Message
    topology: Topology
    visits: tuple[Visit, ...] = ()
    unknown: bool = False
    possible_visits: tuple[Visit, ...] = ()


class Arrival(NamedTuple):
    """The queues and outcomes that a message reaches from one exchange.

    It always reaches ``ends``, and may also reach ``possible``, depending on an exchange's choice. ``outcome`` applies
    if both contain only queues.
    """

    ends: Ends
    possible: Ends
    outcome: Outcome
    visits: tuple[Visit, ...] = ()
    possible_visits: tuple[Visit, ...] = ()


def arrival(topology: Topology, message: Message, exchange: Exchange, keys: Keys, publisher: Publisher) -> Arrival:
    """Return the queues and outcomes that a message with the routing keys ``keys`` reaches from ``exchange``."""
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
        # The Qpid Broker-J book, on a message without a matching queue or alternate: "Otherwise, the message is
        # discarded."
        outcome = "undecided" if possible or unknown else publisher.outcome(exchange, topology.rules)
    elif route.used_alternates:
        without = ExchangeWalk(topology, message, alternates=False)
        if not without.ends(exchange, keys) and not without.chose_queue:
            outcome = "alternate"
    return Arrival(ends, possible, outcome, tuple(route.visits.values()), possible_visits)


def arrive(topology: Topology, message: Message, exchange: Exchange, keys: Keys, publisher: Publisher) -> Traced:
    """Return the route of a message that was published to ``exchange``, at a broker whose publishers name exchanges."""
    found = arrival(topology, message, exchange, keys, publisher)
    routed = Routed(_queues(found.ends), found.outcome, exchange.name, _queues(found.possible))
    if routed.possible_queues or routed.outcome == "undecided":
        routed = replace(routed, reasons=_reasons(topology, (*found.visits, *found.possible_visits)))
    return Traced(routed, message, topology, found.visits, possible_visits=found.possible_visits)


def settle(topology: Topology, message: Message, destination: str, parts: Sequence[Arrival]) -> Traced:
    """Combine the results ``parts`` of a message that was sent to ``destination`` of a JMS broker.

    If the destination is a list of destinations, ``parts`` has one result for each.
    """
    ends = frozenset(end for part in parts for end in part.ends)
    possible = frozenset(end for part in parts for end in part.possible) - ends
    outcome: Outcome = "discarded"
    if parts:
        outcome = min((part.outcome for part in parts), key=_WEIGHTS.index)
    queues, others = _queues(ends), _queues(possible)
    unknown = UNKNOWN in ends or UNKNOWN in possible
    if FAILED in ends or REJECTED in ends:
        # The send fails for one binding. The order of the bindings is not known, so any queue may or may not have
        # received the message before.
        outcome = "error" if FAILED in ends else "rejected"
        queues, others = (), _queues(ends | possible) if FAILED in ends else ()
    elif FAILED in possible or REJECTED in possible:
        # The send may fail, and then each queue may or may not have received the message.
        outcome, queues, others = "undecided", (), _queues(ends | possible)
    elif DEAD_LETTER in ends or DEAD_LETTER in possible:
        outcome = "dead-letter" if DEAD_LETTER in ends else "undecided"
    elif not queues and unknown:
        outcome = "undecided"
    elif outcome == "alternate":
        # For a JMS broker, the alternate exchanges were made by the importer to express ordinary routing, so the
        # outcome is not "alternate".
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
    """Return sentences that say why it is not certain which queues the message reaches; ``visits`` is its route."""
    reasons: dict[str, None] = {}
    for visit in visits:
        exchange, key = visit.exchange, visit.keys[0] or "" if visit.keys else ""
        if choice_of(topology, exchange) is not None:
            reasons[_choice_reason(exchange)] = None
        bindings = topology.bindings_by_source.get(exchange.name, ()) if visit.matched else ()
        for binding, is_match in zip(bindings, visit.matched, strict=False):
            if is_match and exchange.entered is not None and (binding.destination_type, binding.destination) == _OPEN:
                name = topology.rules.addressing.destination(exchange.entered, key)
                reasons[f"the subscribers of {name} are not known"] = None
    return tuple(reasons)


#: The destination of a binding that stands for unknown subscribers.
_OPEN = UNKNOWN.type, UNKNOWN.name


def _choice_reason(exchange: Exchange) -> str:
    if exchange.reason:
        return exchange.reason
    if exchange.is_unknown:
        return f"what {exchange.name or 'the default exchange'} does with a message is not known"
    return f"{exchange.name} hands each message to one of its bindings"


def _queues(ends: Ends) -> tuple[str, ...]:
    return tuple(sorted(end.name for end in ends if end.type == "queue"))
