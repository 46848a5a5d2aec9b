"""The receiver of a message: the circumstances of a delivery that change what a header field reads."""

from __future__ import annotations

import time
from typing import NamedTuple

from transpiler.message.header_fields import DESTINATION, NOW, MessageField


class Receiver(NamedTuple):
    """The receiver: ``now`` is the time in milliseconds since the epoch, of the clock where it is None.

    ``destination`` is the address that the consumer was created with.
    """

    now: int | None = None
    destination: str | None = None

    @property
    def time(self) -> int:
        """The time that was given, else the clock's."""
        return time.time_ns() // 1_000_000 if self.now is None else self.now

    def value(self, place: MessageField) -> int | str | None:
        """The value at a place of the receiver; None for a destination that is not known."""
        if place == NOW:
            return self.time
        assert place == DESTINATION
        return self.destination


#: A receiver of which nothing is known.
ANYONE = Receiver()
