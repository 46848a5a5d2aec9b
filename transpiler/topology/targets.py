"""Targets of bindings, alternates and links: queues and exchanges, and further targets at JMS brokers.

At a JMS broker, a target can also be the queue that the broker creates with the name of the destination, or an outcome,
such as a failure of the send. These targets have types of their own, so their names cannot conflict with the names of
queues.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

#: The kinds of targets. A target ``own-queue`` means the queue with the name of the destination of the send; the name
#: of this target is empty. The name of an ``outcome`` is one of ``ENDS``.
TargetType = Literal["queue", "exchange", "own-queue", "outcome"]

#: The fate of a message. ``delivered``: it reached queues; ``alternate``: it reached queues only through alternates;
#: ``discarded``; ``returned`` to its publisher; ``rejected``; ``no-exchange``: the exchange of publication does not
#: exist; ``undecided``: whether it reaches a queue depends on the choice of an exchange, at random or by a hash. At JMS
#: brokers also ``dead-letter``: it went to the dead letter address because no queue of its address took it; ``error``:
#: the send failed; and ``undecided`` if it is unknown whether the send fails or the message is a dead letter.
Outcome = Literal[
    "delivered", "alternate", "undecided", "discarded", "returned", "rejected", "no-exchange", "dead-letter", "error"
]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

#: The outcomes to which a binding of a JMS broker can lead, in order of precedence.
ENDS: tuple[Outcome, ...] = ("error", "rejected", "dead-letter", "undecided")


class Target(NamedTuple):
    """A target: its kind, its name, and the routing key that replaces the message's key; None if the key stays."""

    type: TargetType
    name: str = ""
    key: str | None = None


class Entered(NamedTuple):
    """The sends to a JMS broker that enter at an exchange; ``by`` is their routing type or the kind of destination.

    If ``qualified`` is True, the keys of these sends begin with the name of a queue. If ``affixes`` is set, a key is
    the part of a destination's name between these two texts.
    """

    by: str | None
    qualified: bool = False
    affixes: tuple[str, str] | None = None


#: The target for the queue with the name of the destination of the send.
OWN_QUEUE = Target("own-queue")

#: The outcome targets. ``FAILED``: the send fails. ``REJECTED``: the broker rejects the send. ``DEAD_LETTER``: no queue
#: of the address took the message. ``UNKNOWN``: it is unknown whether the message has more receivers.
FAILED, REJECTED, DEAD_LETTER, UNKNOWN = (Target("outcome", outcome) for outcome in ENDS)

#: The target of a link without a destination: the queue has no address for such messages, so they go no further.
NOWHERE = Target("outcome", "discarded")
