"""The canonical layout: one column for each section, names with underscores, tagged unions for values of any type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from transpiler.base.errors import LayoutError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, Key, Path
from transpiler.compiler.layouts.columns import MAPS, SECTIONS, SIMPLE_TYPES, STRUCTS, UNION, Fields, UnionShape
from transpiler.compiler.layouts.layout import ArchiveLayout, Layout, by_bytes
from transpiler.compiler.layouts.stored import Stored, stored_beside, stored_column, stored_union
from transpiler.message.header_fields import MessageField

if TYPE_CHECKING:
    from transpiler.compiler.layouts.collations import Collations
    from transpiler.compiler.layouts.table_columns import Table
    from transpiler.message.message import Message


@dataclass(frozen=True, slots=True)
class AmqpLayout(ArchiveLayout):
    """The layout of the canonical schema, or of only those of its ``sections`` that a DataFrame has.

    ``promoted`` maps each application property that has its own column to the column's type: ``{"color": "STRING"}``.
    The column is read instead of the map, because file readers can skip rows by it. All values of the property must
    have the AMQP type of that Spark type.

    If a promoted property is in ``mixed``, its column has all values of one class (any integer in BIGINT, any text in
    STRING), and other values are read from the map. An invalid name or type raises ``LayoutError``.
    """

    name: str = "amqp"
    sections: tuple[str, ...] = SECTIONS
    promoted: Mapping[str, str] = field(default_factory=dict)
    mixed: frozenset[str] = frozenset()
    collations: Collations | None = None
    #: Names, in lower case, of the table's top-level columns that are also fields of a section. Spark could confuse the
    #: two, so such a field is written in brackets.
    beside: frozenset[str] = frozenset()
    #: The schema of the table whose rows the layout reads; None if it is not known.
    table: Mapping[str, Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name, type_name in self.promoted.items():
            if type_name not in SIMPLE_TYPES:
                raise LayoutError.at(
                    "layout.promoted",
                    f"the promoted property {name} cannot have the type {type_name}",
                    hint=f"a promoted property has its own column, whose type must be one of {', '.join(SIMPLE_TYPES)}",
                )
            if name in SECTIONS:
                message = f"a property called {name} cannot be promoted to a column, because a section has this name"
                raise LayoutError.at(
                    "layout.promoted", message, hint="perhaps keep the property in the map of application properties"
                )
        for name in sorted(self.mixed.difference(self.promoted)):
            raise LayoutError.at(
                "layout.promoted",
                f"the property {name} is listed in mixed, but is not promoted to a column",
                hint="perhaps add the property, with the type of its column, to the promoted properties",
            )
        for name in sorted(self.mixed):
            if SIMPLE_TYPES[self.promoted[name]] not in UNION.values():
                message = f"the mixed property {name} cannot have the type {self.promoted[name]}"
                hint = "a mixed property has one of the types BOOLEAN, BIGINT, DOUBLE, STRING and BINARY"
                raise LayoutError.at("layout.promoted", message, hint=hint)

    @property
    def schema(self) -> Fields:
        """The columns of the sections and of the promoted properties: type by name."""
        columns = {name: SIMPLE_TYPES[type_name] for name, type_name in self.promoted.items()}
        return {
            **{section: UnionShape.UNIONS if section in MAPS else STRUCTS[section] for section in self.sections},
            **columns,
        }

    def bound(self, table: Table) -> Self:
        """Return the layout with the sections that ``table`` has, and with the collations of its strings.

        If the table lacks the column of a promoted property, raise ``LayoutError``.
        """
        # Imported in the function to save start-up time: a layout that is given by name needs no schema.
        from transpiler.compiler.layouts.collations import Collations

        for name in self.promoted:
            table.required(name, f"the property {name} is read")
        sections = tuple(name for name in self.sections if table.find((name,)) is not None)
        beside = frozenset(column["name"].lower() for column in table.schema["fields"]) & _FIELDS
        collations = Collations.of(table.schema)
        return replace(self, sections=sections, collations=collations, beside=beside, table=table.schema)

    def known_schema(self) -> Mapping[str, Any] | None:
        """Return the schema of the table whose rows the layout reads; None if it is not known."""
        return self.table

    def field(self, message_field: MessageField) -> Stored | None:
        """Return what is stored for ``message_field``: a typed column or, for IDs and annotations, a tagged union.

        Return None if the table lacks the section.
        """
        return by_bytes(self._field(message_field), self.collations)

    def _field(self, message_field: MessageField) -> Stored | None:
        if message_field.section == "application_properties" and message_field.field in self.promoted:
            return self._promoted(message_field.field)
        if message_field.section not in self.sections:
            return None
        if message_field.section in MAPS:
            return stored_union((message_field.section, Key(message_field.field)))
        column_type = STRUCTS[message_field.section][message_field.field]
        path: Path = (message_field.section, message_field.field)
        if message_field.field in self.beside:
            # Use brackets instead of a dot. If the table is called ``properties`` and has a column ``subject``, Spark
            # would read ``properties.subject`` as that column, not as the field of the struct ``properties``.
            path = (message_field.section, Key(message_field.field))
        return stored_column(path, column_type) if isinstance(column_type, ColumnType) else stored_union(path)

    def property(self, name: str) -> Stored | None:
        """Return the value at the key ``name`` of the map of application properties; any name is possible."""
        return self.field(MessageField("application_properties", name))

    def _promoted(self, name: str) -> Stored:
        column_type = SIMPLE_TYPES[self.promoted[name]]
        if name not in self.mixed:
            return stored_column((name,), column_type)
        return stored_beside(ir.Column((name,), column_type), stored_union(("application_properties", Key(name))))

    def names(self) -> tuple[str, ...]:
        """Return an empty tuple, because any name is possible."""
        return ()

    def message(self, row: object) -> Message:
        """Return the message in ``row``; a promoted property is read from its column."""
        # Imported in the function to save start-up time: most programs do not read rows in Python.
        from transpiler.compiler.layouts.amqp_rows import message_with_promoted
        from transpiler.compiler.layouts.rows import row_columns

        return message_with_promoted(row_columns(row), self.sections, self.promoted, self.mixed)

    def row(self, message: Message) -> Mapping[str, Any]:
        """Return ``message`` as a row of the canonical schema; a time is a number of milliseconds.

        If the value of a promoted property that is not mixed has another type than its column, raise ``LayoutError``.
        """
        # Imported in the function to save start-up time: most programs do not write rows.
        from transpiler.compiler.layouts.message_rows import canonical_row

        return canonical_row(message, self.sections, self.promoted, self.mixed)


#: The names of the fields of all sections that are structs.
_FIELDS = frozenset(name for fields in STRUCTS.values() for name in fields)


def with_promoted(layout: Layout, promoted: Mapping[str, str], mixed: Iterable[str]) -> AmqpLayout:
    """Return ``layout`` with columns for the properties ``promoted``. A layout other than ``amqp`` is an error."""
    if not isinstance(layout, AmqpLayout):
        raise LayoutError.at(
            "layout.promoted",
            f"the layout {layout.name} has no map of application properties, so no property can be "
            "promoted to a column",
        )
    return replace(layout, promoted=dict(promoted), mixed=frozenset(mixed))
