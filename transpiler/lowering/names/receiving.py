"""The receiver of the messages: the values that a selector sees and no row has."""

from __future__ import annotations

from typing import NamedTuple

from transpiler import ir
from transpiler.ir.column_types import BIGINT, STRING
from transpiler.message.fields import DESTINATION, NOW, MessageField


class Receiver(NamedTuple):
    """``now`` is the time in milliseconds since the epoch, of the query or micro-batch where it is None.

    ``destination`` is the address that the consumer was created with.
    """

    now: int | None = None
    destination: str | None = None

    @property
    def time(self) -> ir.Value:
        """The time that was given, else the query's."""
        return ir.Apply(ir.Function.NOW, (), BIGINT) if self.now is None else ir.Constant(self.now, BIGINT)

    def value(self, place: MessageField) -> ir.Value | None:
        """The value at a place of the receiver; None for a destination that is not known."""
        if place == NOW:
            return self.time
        assert place == DESTINATION
        return None if self.destination is None else ir.Constant(self.destination, STRING)


#: A receiver of which nothing is known.
ANYONE = Receiver()
