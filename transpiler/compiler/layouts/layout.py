"""The base class of layouts, which describe where a DataFrame holds the fields and properties of a message.

A layout depends only on columns: on no dialect, no topology and no SQL. A layout that a user specifies, such as a store
or a preset, may not know the columns of the table. Only ``Layout.over`` binds a layout to the schema of a table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeGuard

from transpiler.base.diagnostics import Advice
from transpiler.base.errors import LayoutError
from transpiler.compiler.layouts.columns import Fields
from transpiler.compiler.layouts.stored import Stored
from transpiler.message.header_fields import MessageField

if TYPE_CHECKING:
    # Imported only for type checkers, to save start-up time.
    from transpiler.compiler.layouts.collations import Collations
    from transpiler.compiler.layouts.table_columns import Table
    from transpiler.message.message import Message


class Layout(ABC):
    """A mapping from message fields and properties to the columns or keys of a DataFrame that hold their values.

    A custom layout has to define ``name``, ``field``, ``property`` and ``names``. The other methods have defaults.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        # The property exists only for type checkers. In a subclass that is a data class with a field ``name``, the
        # property would otherwise become the default value of the field.
        @property
        def name(self) -> str:
            """The name of the layout in error messages."""

    @abstractmethod
    def field(self, message_field: MessageField) -> Stored | None:
        """Return what the DataFrame stores for a field of a message section, or for an annotation; None if nothing.

        ``fields.PUBLISHER_CONNECTION`` is the connection on which a message was published, for no-local filters;
        ``fields.PUBLISHED_KEYS`` and ``fields.PUBLISHED_EXCHANGE`` are the routing key and the exchange.

        Args:
            message_field: The field of a section, such as ``MessageField("header", "priority")``.
        """

    @abstractmethod
    def property(self, name: str) -> Stored | None:
        """Return what the DataFrame stores for an application property; None if nothing.

        Args:
            name: The property's name.

        Raises:
            LayoutError: The column ``name`` has a type that no property has.
        """

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return the names of the stored properties, for suggestions; empty if any name can be stored."""

    def over(self, schema: Mapping[str, Any], *, case_sensitive: bool = False) -> Layout:
        """Return the layout bound to a table: each column is looked up in ``schema`` by Spark's rules for names.

        Args:
            schema: The schema of the table in Spark's JSON form.
            case_sensitive: The setting ``spark.sql.caseSensitive``: True if names that differ in case are different.

        Returns:
            The layout of the table.

        Raises:
            LayoutError: The layout reads a column that the table does not have.
        """
        # Imported in the function to save start-up time: a layout that is given by name needs no schema.
        from transpiler.compiler.layouts.table_columns import Table

        return self.bound(Table(schema, case_sensitive))

    def bound(self, table: Table) -> Self:  # noqa: ARG002
        """Return the layout that ``over`` returns for ``table``. Subclasses look up their columns here."""
        return self

    def known_schema(self) -> Mapping[str, Any] | None:
        """Return the schema of the table that the layout is bound to, in Spark's JSON form; None if it is not bound."""
        return None

    def message(self, row: object) -> Message:  # noqa: ARG002
        """Return the message in a row. Python code reads it according to the layout; no SQL is evaluated.

        Args:
            row: A mapping or a ``pyspark.sql.Row``. Its times are ``datetime`` objects or milliseconds; a row from JSON
                has bytes in base64 and times in ISO 8601.

        Returns:
            The message.

        Raises:
            LayoutError: The layout does not read rows.
            DecodeError: A value does not have the type of its column.
            TypeError: ``row`` is neither a mapping nor a row.
        """
        raise LayoutError.at("layout.rows", f"the layout {self.name} cannot convert rows to messages in Python")

    def declaration(self, name: str, kind: str) -> Advice | None:  # noqa: ARG002
        """Return the advice for declaring that the property ``name`` contains values of a kind.

        ``kind`` is ``a number``, ``a boolean`` or ``a string``. Return None if the layout has no declared types.
        """
        return None

    def ambiguity(self, message_field: MessageField) -> tuple[str, Advice] | None:  # noqa: ARG002
        """Return the warning for a field that could be stored in two columns or keys.

        The warning is a message that states which of the two is read, and the advice for reading the other. Return None
        if ``message_field`` is unambiguous.
        """
        return None

    def has_ambiguities(self) -> bool:
        """Return True if ``ambiguity`` can return a warning for some property, and False if it never does."""
        return False

    def offers(self, message_field: MessageField) -> tuple[Advice, ...]:  # noqa: ARG002
        """Return advice for a field that the layout does not read: columns that may hold it, and options."""
        return ()

    def has_field(self, message_field: MessageField) -> bool:
        """Return True if the field has its own column or key, False if it is read from a property of the same name."""
        return self.field(message_field) is not None

    def named_header(self, name: str) -> Stored | None:  # noqa: ARG002
        """Return the column ``name``, if it holds exactly the value that a selector sees for the header field ``name``.

        Return None if there is no such column. The header field is then computed from message fields.
        """
        return None


class ArchiveLayout(Layout):
    """A layout whose columns are known without a DataFrame, so that messages can be written as rows."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def schema(self) -> Fields:
            """The type of each column, by name."""

    @abstractmethod
    def row(self, message: Message) -> Mapping[str, Any]:
        """Return ``message`` as one row: value by column. A time is a number of milliseconds."""


def by_bytes(stored: Stored | None, collations: Collations | None) -> Stored | None:
    """Return ``stored`` with strings that are compared by bytes; unchanged if ``collations`` is None."""
    return stored if collations is None else collations.by_bytes(stored)


def is_layout(value: object) -> TypeGuard[Layout]:
    """Return True if ``value`` is a layout, and False if it is a preset name or a schema."""
    return isinstance(value, Layout)


def archive_of(layout: Layout) -> ArchiveLayout | None:
    """Return ``layout`` if its columns are known without a DataFrame; otherwise None."""
    return layout if isinstance(layout, ArchiveLayout) else None


def reads_rows(layout: Layout) -> bool:
    """Return True if ``layout`` can also read rows in Python, so that its results can be compared with Spark's."""
    return type(layout).message is not Layout.message
