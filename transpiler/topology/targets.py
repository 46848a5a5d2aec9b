"""Targets of bindings, alternates and links: queues and exchanges, and what else a send to a JMS broker comes to.

What a broker does with a send is a target like others: the queue that has the name of the key, which the broker makes,
or an outcome, such as that the send fails. Both stand where a queue or an exchange stands, and neither has a name that
a queue could have as well.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

#: The kinds of targets. An ``own-queue`` has the name of the destination that was sent to, and none of its own; the
#: name of an ``outcome`` is one of ``ENDS``.
TargetType = Literal["queue", "exchange", "own-queue", "outcome"]

#: The fate of a message: it reached queues, or reached them only through alternates; it was dropped, sent back to
#: its publisher, or refused; ``no-exchange`` is one that was published to an exchange that is not there.
#: ``undecided`` is one that reaches a queue or none by what an exchange chooses, at random or by a hash. JMS brokers
#: also send what no queue of an address took to a ``dead-letter`` address, or fail to send at all: ``error``. A send to
#: them is ``undecided``, too, where it is not known if it fails or goes to a dead letter address.
Outcome = Literal[
    "delivered", "alternate", "undecided", "discarded", "returned", "rejected", "no-exchange", "dead-letter", "error"
]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

#: The outcomes that a binding of a JMS broker can lead to, the weightiest first.
ENDS: tuple[Outcome, ...] = ("error", "rejected", "dead-letter", "undecided")


class Target(NamedTuple):
    """A target by its kind and name, and the key that a message goes on with, if it is not its own."""

    type: TargetType
    name: str = ""
    key: str | None = None


class Entered(NamedTuple):
    """The sends to a JMS broker that come to an exchange: their routing type, or the kind of their destination.

    With ``qualified`` the keys there begin with the name of a queue. With ``affixes`` a key is the part of a
    destination's name between these two.
    """

    by: str | None
    qualified: bool = False
    affixes: tuple[str, str] | None = None


#: The queue that has the name of the destination that was sent to.
OWN_QUEUE = Target("own-queue")

#: The send fails; the broker refuses it; no queue of the address took the message; who gets it besides is not known.
FAILED, REJECTED, DEAD_LETTER, UNKNOWN = (Target("outcome", outcome) for outcome in ENDS)

#: The target of a link that leads nowhere: the queue does not let go of a message in this way.
NOWHERE = Target("outcome", "discarded")
