"""Sources of application properties: the protocol, and the text that producers write for a value.

Each source answers three times: with the values of the intermediate form, with the properties of one row in Python,
and with the columns that some properties are written to.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Protocol

from transpiler.layouts.stored import Stored
from transpiler.message.types import AmqpValue, Compound, coerce

#: The properties of a message by their names.
Properties = Mapping[str, AmqpValue]


class PropertySource(Protocol):
    """The columns of a store that have the application properties."""

    def stored(self, name: str) -> Stored | None:
        """The values at a property's name; None where it has no place."""
        ...

    def plain(self, name: str) -> Stored | None:
        """The same, but a text is a string whatever policy the others have."""
        ...

    def names(self) -> tuple[str, ...]:
        """The properties that have a place; empty where any name has one."""
        ...

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The properties of a row."""
        ...

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """One property of a row, a text as a string."""
        ...

    def write(self, properties: Properties) -> dict[str, Any]:
        """The columns of a row that has these properties; what the store cannot say is left out."""
        ...


def java_text(value: AmqpValue) -> str | None:
    """Return a value as the text that a producer writes for it; None for a null and for what holds other values."""
    match coerce(value):
        case None:
            return None
        case bool() as truth:
            return "true" if truth else "false"
        case bytes() as octets:
            return None if isinstance(value.type, Compound) else base64.b64encode(octets).decode()
        case float() as number:
            return _java_double(number)
        case other:
            return str(other)


def _java_double(number: float) -> str:
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    return repr(number).replace("e+", "E").replace("e", "E")
