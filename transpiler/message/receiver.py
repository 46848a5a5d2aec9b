"""The receiver of a message: the circumstances of a delivery that change what a header field reads."""

from __future__ import annotations

import time
from typing import NamedTuple, TypedDict

from transpiler.message.header_fields import DESTINATION, NOW, MessageField


class ReceiverOptions(TypedDict, total=False):
    """The keywords of public functions that say who receives a message: the fields of ``Receiver``."""

    now: int | None
    destination: str | None


class Receiver(NamedTuple):
    """The receiver: ``now`` is the current time in milliseconds since the epoch.

    Where ``now`` is None, it is the clock's in Python, and in SQL that of the query or micro-batch. ``destination`` is
    the address that the consumer was created with; None where it is not known.
    """

    now: int | None = None
    destination: str | None = None

    @property
    def time(self) -> int:
        """The time that was given, else the clock's."""
        return time.time_ns() // 1_000_000 if self.now is None else self.now

    @property
    def timed(self) -> Receiver:
        """The receiver of several messages at one time: the time that was given, else that of the clock now."""
        return self._replace(now=self.time)

    @property
    def keywords(self) -> ReceiverOptions:
        """The receiver as keywords of a public function."""
        return ReceiverOptions(now=self.now, destination=self.destination)

    def value(self, place: MessageField) -> int | str | None:
        """Return the value at a place of the receiver; None for a destination that is not known."""
        if place == NOW:
            return self.time
        assert place == DESTINATION
        return self.destination


#: A receiver of which nothing is known.
ANYONE = Receiver()
