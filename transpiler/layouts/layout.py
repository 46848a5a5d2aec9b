"""The Layout protocol: where the fields and properties of a message are in a DataFrame.

A layout knows columns and nothing else: no dialect, no topology, no SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from transpiler.layouts.columns import Fields
from transpiler.layouts.stored import Stored
from transpiler.message.fields import MessageField

if TYPE_CHECKING:
    from transpiler.message.message import Message


@runtime_checkable
class Layout(Protocol):
    """Answers where a value is; None says that there is no place for it."""

    @property
    def name(self) -> str:
        """The name that errors use."""
        ...

    def field(self, place: MessageField) -> Stored | None:
        """The place of a field of a section, or of an annotation by its key.

        ``fields.PUBLISHER_CONNECTION`` asks where the connection is that a message was published on, for no-local;
        ``fields.ROUTING_KEYS`` and ``fields.PUBLISHED_EXCHANGE`` where the routing key and the exchange are.
        """
        ...

    def property(self, name: str) -> Stored | None:
        """The place of an application property.

        ``LayoutError`` where a column has that name but a type that no property has.
        """
        ...

    def names(self) -> tuple[str, ...]:
        """The properties that have a place, for suggestions; empty where any name has one."""
        ...


def bound(layout: Layout, schema: Mapping[str, Any]) -> Layout:
    """Return a layout over a schema in Spark's JSON form, which tells the types of header columns, and collations."""
    bind = getattr(layout, "bind", None)
    over_schema: Layout = layout if bind is None else bind(schema)
    return over_schema


@runtime_checkable
class DeclarableLayout(Layout, Protocol):
    """A layout whose owner can declare the type of a property that it has lost."""

    def declaration(self, name: str, kind: str) -> str | None:
        """Return the hint that makes a property ``a number``, ``a boolean`` or ``a string``; None for none."""
        ...


@runtime_checkable
class OfferingLayout(Layout, Protocol):
    """A layout that tells what else may be meant by a name: columns that it does not read, and options that would."""

    def doubt(self, place: MessageField) -> tuple[str, str] | None:
        """Return how a name is read that could be read in another way, too, and how to get that; None for others."""
        ...

    def offers(self, place: MessageField) -> tuple[str, ...]:
        """Return what gives a name without a place one."""
        ...


@runtime_checkable
class NamedHeadersLayout(Layout, Protocol):
    """A layout with columns under the names of header fields, which hold what a selector sees under those names."""

    def named_header(self, name: str) -> Stored | None:
        """Return the column of exactly that name; None where there is none, and the field's own places are read."""
        ...


@runtime_checkable
class ReadableLayout(Layout, Protocol):
    """A layout that reads a row in Python as well, so that what Spark answers can be compared with the reference."""

    def message(self, row: object) -> Message:
        """The message in a row, a mapping or a ``pyspark.sql.Row``, by the definition of the layout, not by the SQL.

        A time is a ``datetime`` or milliseconds; a row in JSON has bytes in base64 and times in ISO 8601.
        ``DecodeError`` for a value that is not of its column's type, ``TypeError`` for anything else than a row.
        """
        ...


@runtime_checkable
class ArchiveLayout(Layout, Protocol):
    """A layout whose columns are known without looking at a DataFrame, so that one can be made from messages."""

    @property
    def schema(self) -> Fields:
        """The columns, by name."""
        ...

    def row(self, message: Message) -> Mapping[str, Any]:
        """The message as one row, by column; a time is its milliseconds."""
        ...
