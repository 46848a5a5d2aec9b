"""The Layout protocol: where the fields and properties of a message are in a DataFrame.

A layout knows columns and nothing else: no dialect, no topology, no SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, runtime_checkable

from transpiler.base.diagnostics import Advice
from transpiler.base.errors import LayoutError
from transpiler.compiler.layouts.columns import Fields
from transpiler.compiler.layouts.stored import Stored
from transpiler.message.header_fields import MessageField

if TYPE_CHECKING:
    # Only texts with collations need the module.
    from transpiler.compiler.layouts.collations import Collations
    from transpiler.message.message import Message


@runtime_checkable
class Layout(Protocol):
    """The places of values in a DataFrame; None says that there is no place for one.

    A layout may have more methods, which the functions of this module ask: ``message``, ``bind``, ``declaration``,
    ``doubt``, ``offers`` and ``named_header``.
    """

    @property
    def name(self) -> str:
        """The name that errors use."""
        ...

    def field(self, place: MessageField) -> Stored | None:
        """Return the place of a field of a section, or of an annotation by its key.

        ``fields.PUBLISHER_CONNECTION`` asks where the connection is that a message was published on, for no-local;
        ``fields.PUBLISHED_KEYS`` and ``fields.PUBLISHED_EXCHANGE`` where the routing key and the exchange are.

        Args:
            place: The field of a section, such as ``MessageField("header", "priority")``.
        """
        ...

    def property(self, name: str) -> Stored | None:
        """Return the place of an application property.

        Args:
            name: The property's name.

        Raises:
            LayoutError: A column has that name but a type that no property has.
        """
        ...

    def names(self) -> tuple[str, ...]:
        """The properties that have a place, for suggestions; empty where any name has one."""
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


def by_bytes(stored: Stored | None, collations: Collations | None) -> Stored | None:
    """Return what is stored at a place as texts that are compared by bytes; as it is where no text is collated."""
    return stored if collations is None else collations.by_bytes(stored)


def is_layout(value: object) -> TypeGuard[Layout]:
    """Return True for a layout, and False for the name or the schema of one."""
    # isinstance() would collect the members of the protocol anew each time in Python 3.11.
    return all(hasattr(value, member) for member in ("name", "field", "property", "names"))


def archive_of(layout: Layout) -> ArchiveLayout | None:
    """Return the layout as one whose columns are known; None where a DataFrame has to tell them."""
    return layout if isinstance(layout, ArchiveLayout) else None


def reads_rows(layout: Layout) -> bool:
    """Return True if a layout reads rows in Python as well, so that Spark's answers can be compared."""
    return hasattr(layout, "message")


def message_in(layout: Layout, row: object) -> Message:
    """Return the message in a row, a mapping or a ``pyspark.sql.Row``, by the layout's definition, not by the SQL.

    A time is a ``datetime`` or milliseconds; a row in JSON has bytes in base64 and times in ISO 8601. ``LayoutError``
    where the layout does not read rows, ``DecodeError`` for a value that is not of its column's type, ``TypeError`` for
    anything else than a row.
    """
    if not reads_rows(layout):
        raise LayoutError.at("layout.rows", f"the layout {layout.name} does not read rows")
    message: Message = layout.message(row)  # type: ignore[attr-defined]
    return message


def bound(layout: Layout, schema: Mapping[str, Any]) -> Layout:
    """Return a layout over a schema in Spark's JSON form, which tells the types of header columns, and collations."""
    over_schema: Layout = layout.bind(schema) if hasattr(layout, "bind") else layout
    return over_schema


def declaration(layout: Layout, name: str, kind: str) -> Advice | None:
    """Return the advice that makes a property ``a number``, ``a boolean`` or ``a string``; None for none."""
    return layout.declaration(name, kind) if hasattr(layout, "declaration") else None


def doubt(layout: Layout, place: MessageField) -> tuple[str, Advice] | None:
    """Return how a name is read that could be read in another way, too, and how to get that; None for others."""
    return layout.doubt(place) if hasattr(layout, "doubt") else None


def offers(layout: Layout, place: MessageField) -> tuple[Advice, ...]:
    """Return what gives a name without a place one: columns that are not read, and options that would read them."""
    return layout.offers(place) if hasattr(layout, "offers") else ()


def named_header(layout: Layout, name: str) -> Stored | None:
    """Return the column under the name of a header field, which holds what a selector sees under that name.

    None where there is none, and the field's own places are read.
    """
    return layout.named_header(name) if hasattr(layout, "named_header") else None
