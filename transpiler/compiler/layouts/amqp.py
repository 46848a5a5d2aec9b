"""The canonical layout: one column a section, names with underscores, tagged unions where AMQP leaves the type open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from transpiler.base.errors import LayoutError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, Key, Path
from transpiler.compiler.layouts.columns import MAPS, SECTIONS, SIMPLE_TYPES, STRUCTS, UNION, Fields, UnionShape
from transpiler.compiler.layouts.layout import ArchiveLayout, Layout, by_bytes
from transpiler.compiler.layouts.stored import Stored, stored_beside, stored_column, stored_union
from transpiler.message.header_fields import MessageField

if TYPE_CHECKING:
    from transpiler.compiler.layouts.collations import Collations
    from transpiler.message.message import Message


@dataclass(frozen=True, slots=True)
class AmqpLayout(ArchiveLayout):
    """The canonical schema, or the sections of it that a DataFrame has, and columns for some application properties.

    ``promoted`` names application properties that are also columns, each with its Spark type (``{"color": "STRING",
    "weight": "BIGINT"}``): these are read instead of the map, so that a file reader skips by them. All their values
    have the AMQP type of the Spark type. ``mixed`` are the promoted properties whose values may be of other types:
    their column has all values of a class (any integer in BIGINT, any text in STRING), and the others are read from the
    map. ``LayoutError`` for a type or a name that cannot be.
    """

    name: str = "amqp"
    sections: tuple[str, ...] = SECTIONS
    promoted: Mapping[str, str] = field(default_factory=dict)
    mixed: frozenset[str] = frozenset()
    collations: Collations | None = None
    #: The columns of the table, in lower case, that have the name of a section's field.
    beside: frozenset[str] = frozenset()
    #: The schema of the table that the layout is over; None if it is over none.
    table: Mapping[str, Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name, type_name in self.promoted.items():
            if type_name not in SIMPLE_TYPES:
                raise LayoutError.at(
                    "layout.promoted",
                    f"the promoted property {name} has the type {type_name}",
                    hint=f"the types of promoted properties are {', '.join(SIMPLE_TYPES)}",
                )
            if name in SECTIONS:
                message = f"a promoted property has the name of the section {name}"
                raise LayoutError.at("layout.promoted", message, hint="perhaps leave it in the map")
        for name in sorted(self.mixed.difference(self.promoted)):
            raise LayoutError.at("layout.promoted", f"{name} is mixed, and not promoted", hint="perhaps give it a type")
        for name in sorted(self.mixed):
            if SIMPLE_TYPES[self.promoted[name]] not in UNION.values():
                message = f"the mixed property {name} has the type {self.promoted[name]}"
                hint = "the types of classes of values are BOOLEAN, BIGINT, DOUBLE, STRING and BINARY"
                raise LayoutError.at("layout.promoted", message, hint=hint)

    @property
    def schema(self) -> Fields:
        """The columns of the sections, and those of the promoted properties."""
        columns = {name: SIMPLE_TYPES[type_name] for name, type_name in self.promoted.items()}
        return {
            **{section: UnionShape.UNIONS if section in MAPS else STRUCTS[section] for section in self.sections},
            **columns,
        }

    def over(self, schema: Mapping[str, Any], *, case_sensitive: bool = False) -> AmqpLayout:
        """The sections that a table has, whose schema in Spark's JSON form tells the collations of its texts.

        ``LayoutError`` for a promoted property whose column the table does not have.
        """
        # A layout by name knows no schema.
        from transpiler.compiler.layouts.collations import Collations
        from transpiler.compiler.layouts.table_columns import Table

        table = Table(schema, case_sensitive)
        for name in self.promoted:
            table.required(name, f"the property {name} is read")
        sections = tuple(name for name in self.sections if table.find((name,)) is not None)
        beside = frozenset(column["name"].lower() for column in schema["fields"]) & _FIELDS
        return replace(self, sections=sections, collations=Collations.of(schema), beside=beside, table=schema)

    def known_schema(self) -> Mapping[str, Any] | None:
        """The schema of the table that the layout is over."""
        return self.table

    def field(self, place: MessageField) -> Stored | None:
        """A column for a field with one type, a tagged union for an id or an annotation."""
        return by_bytes(self._field(place), self.collations)

    def _field(self, place: MessageField) -> Stored | None:
        if place.section == "application_properties" and place.field in self.promoted:
            return self._promoted(place.field)
        if place.section not in self.sections:
            return None
        if place.section in MAPS:
            return stored_union((place.section, Key(place.field)))
        column_type = STRUCTS[place.section][place.field]
        path: Path = (place.section, place.field)
        if place.field in self.beside:
            # Over a table called as the section, the path would be that of the column beside it.
            path = (place.section, Key(place.field))
        return stored_column(path, column_type) if isinstance(column_type, ColumnType) else stored_union(path)

    def property(self, name: str) -> Stored | None:
        """Every name has a place: the value of the application-properties map at that key."""
        return self.field(MessageField("application_properties", name))

    def _promoted(self, name: str) -> Stored:
        column_type = SIMPLE_TYPES[self.promoted[name]]
        if name not in self.mixed:
            return stored_column((name,), column_type)
        return stored_beside(ir.Column((name,), column_type), stored_union(("application_properties", Key(name))))

    def names(self) -> tuple[str, ...]:
        """Empty, for any name has a place."""
        return ()

    def message(self, row: object) -> Message:
        """The message in a row; a promoted property comes from its column."""
        # Most programs read no rows in Python.
        from transpiler.compiler.layouts.amqp_rows import message_with_promoted
        from transpiler.compiler.layouts.rows import row_columns

        return message_with_promoted(row_columns(row), self.sections, self.promoted, self.mixed)

    def row(self, message: Message) -> Mapping[str, Any]:
        """The message in the canonical schema, a time in milliseconds.

        ``LayoutError`` for a promoted property whose value has another type than its column, unless it is mixed.
        """
        # Most programs make no rows.
        from transpiler.compiler.layouts.message_rows import canonical_row

        return canonical_row(message, self.sections, self.promoted, self.mixed)


#: The names of all fields of sections.
_FIELDS = frozenset(name for fields in STRUCTS.values() for name in fields)


def with_promoted(layout: Layout, promoted: Mapping[str, str], mixed: Iterable[str]) -> AmqpLayout:
    """Return the layout with columns for some application properties; ``LayoutError`` for another than ``amqp``."""
    if not isinstance(layout, AmqpLayout):
        raise LayoutError.at("layout.promoted", f"the layout {layout.name} has no map of which to promote")
    return replace(layout, promoted=dict(promoted), mixed=frozenset(mixed))
