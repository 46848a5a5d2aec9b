"""Sources of application properties: the protocol, and the one that refuses until the types of texts are known.

Each source answers twice: with the values of the intermediate form, and with the properties of one row in Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from transpiler.errors import LayoutError
from transpiler.layouts.stored import Stored
from transpiler.message.types import AmqpValue


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
