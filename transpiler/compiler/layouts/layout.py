"""What a layout is: where the fields and properties of a message are in a DataFrame.

A layout knows columns and nothing else: no dialect, no topology, no SQL. What a user writes, such as a store or the
name of a preset, may not know the columns of the table; ``Layout.over`` returns the layout over a table's schema, and
is the only way to one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from transpiler.base.diagnostics import Advice
from transpiler.base.errors import LayoutError
from transpiler.compiler.layouts.columns import Fields
from transpiler.compiler.layouts.stored import Stored
from transpiler.message.header_fields import MessageField

if TYPE_CHECKING:
    # Only texts with collations need the module.
    from transpiler.compiler.layouts.collations import Collations
    from transpiler.message.message import Message


class Layout(ABC):
    """The places of values in a DataFrame; None says that there is no place for one.

    A layout of your own has ``name``, ``field``, ``property`` and ``names``. The other methods have defaults.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        # A property here would be taken for the default of a data class' field.
        @property
        def name(self) -> str:
            """The name that errors use."""

    @abstractmethod
    def field(self, place: MessageField) -> Stored | None:
        """Return the place of a field of a section, or of an annotation by its key.

        ``fields.PUBLISHER_CONNECTION`` asks where the connection is that a message was published on, for no-local;
        ``fields.PUBLISHED_KEYS`` and ``fields.PUBLISHED_EXCHANGE`` where the routing key and the exchange are.

        Args:
            place: The field of a section, such as ``MessageField("header", "priority")``.
        """

    @abstractmethod
    def property(self, name: str) -> Stored | None:
        """Return the place of an application property.

        Args:
            name: The property's name.

        Raises:
            LayoutError: A column has that name but a type that no property has.
        """

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The properties that have a place, for suggestions; empty where any name has one."""

    def over(self, schema: Mapping[str, Any], *, case_sensitive: bool = False) -> Layout:  # noqa: ARG002
        """Return the layout over a table: each place is resolved there, by Spark's rules for names.

        Args:
            schema: The schema of the table in Spark's JSON form.
            case_sensitive: The setting ``spark.sql.caseSensitive``: whether names that differ in case are different.

        Returns:
            The layout that answers questions about the table.

        Raises:
            LayoutError: The layout reads a column that the table does not have.
        """
        return self

    def known_schema(self) -> Mapping[str, Any] | None:
        """Return the schema of the table that the layout is over, in Spark's JSON form; None if it is over none."""
        return None

    def message(self, row: object) -> Message:  # noqa: ARG002
        """Return the message in a row, by the layout's definition and not by the SQL.

        Args:
            row: A mapping or a ``pyspark.sql.Row``. A time in it is a ``datetime`` or milliseconds; a row in JSON has
                bytes in base64 and times in ISO 8601.

        Returns:
            The message.

        Raises:
            LayoutError: The layout does not read rows.
            DecodeError: A value does not have the type of its column.
            TypeError: ``row`` is neither a mapping nor a row.
        """
        raise LayoutError.at("layout.rows", f"the layout {self.name} does not read rows")

    def declaration(self, name: str, kind: str) -> Advice | None:  # noqa: ARG002
        """Return the advice that makes a property ``a number``, ``a boolean`` or ``a string``; None for none."""
        return None

    def doubt(self, place: MessageField) -> tuple[str, Advice] | None:  # noqa: ARG002
        """Return how a name is read that could be read in another way, too, and how to get that; None for others."""
        return None

    def may_doubt(self) -> bool:
        """Return True if the layout has a doubt about the name of some property."""
        return False

    def offers(self, place: MessageField) -> tuple[Advice, ...]:  # noqa: ARG002
        """Return what gives a name without a place one: columns that are not read, and options that would read them."""
        return ()

    def has_place(self, place: MessageField) -> bool:
        """Return True if a field has a place of its own, and is not read from a property that may have its name."""
        return self.field(place) is not None

    def named_header(self, name: str) -> Stored | None:  # noqa: ARG002
        """Return the column under the name of a header field, which holds what a selector sees under that name.

        None where there is none, and the field's own places are read.
        """
        return None


class ArchiveLayout(Layout):
    """A layout whose columns are known without looking at a DataFrame, so that one can be made from messages."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def schema(self) -> Fields:
            """The columns, by name."""

    @abstractmethod
    def row(self, message: Message) -> Mapping[str, Any]:
        """The message as one row, by column; a time is its milliseconds."""


def by_bytes(stored: Stored | None, collations: Collations | None) -> Stored | None:
    """Return what is stored at a place as texts that are compared by bytes; as it is where no text is collated."""
    return stored if collations is None else collations.by_bytes(stored)


def is_layout(value: object) -> TypeGuard[Layout]:
    """Return True for a layout, and False for the name or the schema of one."""
    return isinstance(value, Layout)


def archive_of(layout: Layout) -> ArchiveLayout | None:
    """Return the layout as one whose columns are known; None where a DataFrame has to tell them."""
    return layout if isinstance(layout, ArchiveLayout) else None


def reads_rows(layout: Layout) -> bool:
    """Return True if a layout reads rows in Python as well, so that Spark's answers can be compared."""
    return type(layout).message is not Layout.message
