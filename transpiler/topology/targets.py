"""Targets of bindings, alternates and links: queues and exchanges, and further targets at JMS brokers.

At a JMS broker, a target can also be the queue that the broker creates with the name of the destination, or an outcome,
such as a failure of the send. These targets have types of their own, so their names cannot conflict with the names of
queues.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

#: The kinds of targets. The target ``own-queue`` stands for the queue that has the name to which the message was sent;
#: the target itself has an empty name. The name of an ``outcome`` is one of ``ENDS``.
TargetType = Literal["queue", "exchange", "own-queue", "outcome"]

#: The outcome of a message. ``delivered``: it reached queues; ``alternate``: it did so only by alternate destinations.
#: ``discarded``, ``returned`` (to its publisher), ``rejected``: it reached no queue. ``no-exchange``: the exchange to
#: which it was published does not exist. ``undecided``: an exchange decides at random or by a hash, or a JMS broker
#: decides, what happens. ``dead-letter``: no queue of its address at a JMS broker took it. ``error``: a JMS broker
#: fails the send.
Outcome = Literal[
    "delivered", "alternate", "undecided", "discarded", "returned", "rejected", "no-exchange", "dead-letter", "error"
]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

#: The outcomes to which a binding of a JMS broker can lead, in order of precedence.
ENDS: tuple[Outcome, ...] = ("error", "rejected", "dead-letter", "undecided")


class Target(NamedTuple):
    """The target of a binding or link: its kind, its name, and a routing key.

    The routing key replaces that of the message; None if the message keeps its routing key.
    """

    type: TargetType
    name: str = ""
    key: str | None = None


class Entered(NamedTuple):
    """The messages that enter the topology of a JMS broker at one exchange.

    ``by`` is their routing type at Artemis, or the kind of their destination (queue or topic) at ActiveMQ. If
    ``qualified`` is True, their routing keys begin with the name of a queue. If ``affixes`` is set, their destinations
    have this prefix and suffix, and the routing keys do not.
    """

    by: str | None
    qualified: bool = False
    affixes: tuple[str, str] | None = None


#: The target for the queue that has the name to which the message was sent.
OWN_QUEUE = Target("own-queue")

#: The outcome targets. ``FAILED``: the send fails. ``REJECTED``: the broker rejects the send. ``DEAD_LETTER``: no queue
#: of the address took the message. ``UNKNOWN``: it is unknown whether the message has more receivers.
FAILED, REJECTED, DEAD_LETTER, UNKNOWN = (Target("outcome", outcome) for outcome in ENDS)

#: The target of a dead-letter or expiry link of a queue that has no address for such messages: the broker drops them.
NOWHERE = Target("outcome", "discarded")
