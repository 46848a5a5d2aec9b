"""Sources of application properties: the protocol, and the text that producers write for a value.

Each source answers three times: with the values of the intermediate form, with the properties of one row in Python,
and with the columns that some properties are written to.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from transpiler.errors import LayoutError
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


def column_of(source: PropertySource) -> str:
    """Return the column that a source is in; an empty name where it is in several, or does not tell."""
    path = getattr(source, "path", None) or getattr(source, "map", None)
    return str(path[0]) if path else getattr(source, "column", "")


@dataclass(frozen=True, slots=True)
class UnchosenTexts:
    """A column of text that may be numbers, or JSON: a selector that reads it is refused until somebody says which."""

    column: str
    message: str
    hint: str

    @property
    def refusal(self) -> LayoutError:
        """The error that names the choices."""
        return LayoutError.at("layout.types", self.message, hint=self.hint)

    def stored(self, name: str) -> Stored | None:  # noqa: ARG002
        """``LayoutError`` with the choices."""
        raise self.refusal

    plain = stored

    def names(self) -> tuple[str, ...]:
        """Empty, for any name may have a place."""
        return ()

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:  # noqa: ARG002
        """Nothing: a selector that names one of the properties does not compile."""
        return {}

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:  # noqa: ARG002
        """Nothing, likewise."""
        return None

    def write(self, properties: Properties) -> dict[str, Any]:  # noqa: ARG002
        """Nothing, likewise."""
        return {}


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
