"""The receiver of a message: the facts about a delivery on which the values of some header fields depend."""

from __future__ import annotations

import time
from typing import NamedTuple, TypedDict

from transpiler.message.header_fields import DESTINATION, NOW, MessageField


class ReceiverOptions(TypedDict, total=False):
    """The keywords of public functions that describe the receiver of a message: the fields of ``Receiver``."""

    now: int | None
    destination: str | None


class Receiver(NamedTuple):
    """The receiver of a message.

    ``now`` is the current time in milliseconds since the epoch. If it is None, the time is the clock's in Python, and
    in SQL the time of the query or micro-batch. ``destination`` is the address with which the consumer was created;
    None if the address is unknown.
    """

    now: int | None = None
    destination: str | None = None

    @property
    def time(self) -> int:
        """The current time in milliseconds since the epoch: ``now`` if it is set, otherwise that of the clock."""
        return time.time_ns() // 1_000_000 if self.now is None else self.now

    @property
    def timed(self) -> Receiver:
        """A copy with ``now`` set to the current time, so that the time is the same for all messages."""
        return self._replace(now=self.time)

    @property
    def keywords(self) -> ReceiverOptions:
        """The receiver as keyword arguments of a public function."""
        return ReceiverOptions(now=self.now, destination=self.destination)

    def value(self, message_field: MessageField) -> int | str | None:
        """Return the receiver's value for ``message_field``, which is ``NOW`` or ``DESTINATION``.

        It is None for an unknown destination.
        """
        if message_field == NOW:
            return self.time
        assert message_field == DESTINATION
        return self.destination


#: A receiver without a given time or destination.
ANYONE = Receiver()
