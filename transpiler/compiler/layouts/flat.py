"""Typed columns: each column, or each field of one named struct, is the property of exactly that name.

Built from Spark's JSON form of a schema (``StructType.jsonValue()``), so that no Spark is needed. Sections of the
canonical schema that stand beside the columns serve the header names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from transpiler.base.diagnostics import Advice, ColumnFix, OptionFix, Remedy, first_of
from transpiler.base.errors import LayoutError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import AMQP_TYPES, ColumnType, Path, SparkType
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.collations import Collations, type_with_collations
from transpiler.compiler.layouts.columns import SECTIONS, UNION, Fields, UnionShape, like_columns, read_type
from transpiler.compiler.layouts.header_readings import NAMES
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.stored import Stored, stored_column
from transpiler.message.header_fields import PUBLISHER_CONNECTION, MessageField
from transpiler.message.sections import FIELD_TYPES
from transpiler.message.types import AmqpType

if TYPE_CHECKING:
    from transpiler.message.message import Message

#: One field of a schema in Spark's JSON form.
SchemaField = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unusable:
    """A column that cannot be a property, and why; ``store`` is the layout that reads properties in it.

    ``fix`` is what the hint says to do. ``ordered`` is another hint, for a column that is compared with numbers.
    """

    reason: str
    hint: str
    store: str = ""
    fix: Remedy | None = None
    ordered: Unusable | None = None

    def refusal(self, subject: str) -> LayoutError:
        """Return the error of a name that reads the column."""
        return LayoutError.at("layout.column-type", f"{subject}: {self.reason}", hint=self.hint, fix=self.fix)


_TEXTS = (SparkType.STRING, SparkType.CHAR, SparkType.VARCHAR)
#: Columns in a ``repr``.
MAX_NAMES = 8
#: Columns that often are JSON, where they are text.
_JSON = frozenset("body data headers json message payload properties value".split())


@dataclass(frozen=True, slots=True, repr=False)
class FlatLayout:
    """Properties in typed columns, header names in the canonical sections beside them, if any."""

    columns: Mapping[str, ir.Column | Unusable]
    sections: AmqpLayout
    name: str = "flat"

    def __repr__(self) -> str:
        return f"FlatLayout({self.name}: {first_of(self.columns, MAX_NAMES)})"

    def field(self, place: MessageField) -> Stored | None:
        """The place of a section's field where the DataFrame has that section.

        A column with the name of its annotation holds the publisher's connection.
        """
        stored = self.sections.field(place)
        return self.property(place.field) if stored is None and place == PUBLISHER_CONNECTION else stored

    def property(self, name: str) -> Stored | None:
        """The column of exactly that name; ``LayoutError`` where its type has no AMQP counterpart."""
        column = self.columns.get(name)
        if isinstance(column, Unusable):
            raise column.refusal(f"column {name}")
        return None if column is None else stored_column(column.path, column.type)

    def offers(self, place: MessageField) -> tuple[Advice, ...]:
        """Return the columns that may have a header field, or the stores that read properties from one."""
        if place.section == "application_properties":
            json = (
                _reading(f"if the column {name} is JSON: ", f"stores.variant({name!r}, json=True)")
                for name, column in self.columns.items()
                if name.lower() in _JSON and isinstance(column, ir.Column) and column.type.kind is SparkType.STRING
            )
            unusable = (
                _reading(f"for a key of the column {name}: ", column.store)
                for name, column in self.columns.items()
                if isinstance(column, Unusable) and column.store
            )
            return (*unusable, *json)
        name = NAMES.get(place)
        like = [] if name is None else like_columns(name, self._columns_like(place))
        return tuple(
            Advice(
                f"if the column {column} has it: df.withColumnRenamed({column!r}, {name!r}), "
                f"or infer_layout(df, headers={{{name!r}: {column!r}}})",
                OptionFix("headers", f"{{{name!r}: {column!r}}}"),
            )
            for column in like
        )

    def _columns_like(self, place: MessageField) -> Iterator[str]:
        """Yield the columns of a type that a header field may have: text is no time and no number."""
        is_text = AmqpType.STRING in FIELD_TYPES.get(place.section, {}).get(place.field, ())
        for name, column in self.columns.items():
            if isinstance(column, ir.Column) and (column.type.kind in _TEXTS or not is_text):
                yield name

    def named_header(self, name: str) -> Stored | None:
        """Return the column of a header field's name."""
        return self.property(name)

    def declaration(self, name: str, kind: str) -> Advice | None:
        """The column to make of one that has another type than a selector compares it with."""
        if name == "JMSDeliveryMode" and kind == "a string":
            modes = "CASE JMSDeliveryMode WHEN 2 THEN 'PERSISTENT' WHEN 1 THEN 'NON_PERSISTENT' END"
            made, fix = replaced((name,), modes)
            return Advice(f"{made} has the words that a selector reads", fix)
        column, types = self.columns.get(name), {"a number": "DOUBLE", "a boolean": "BOOLEAN"}
        if (
            not isinstance(column, ir.Column)
            or kind not in types
            or AMQP_TYPES[column.type.kind] is not AmqpType.STRING
        ):
            return None
        made, fix = replaced(column.path, f"try_cast({spelled(column.path)} AS {types[kind]})")
        return Advice(f"{made} makes {kind} of the column", fix)

    def names(self) -> tuple[str, ...]:
        """The columns that can be properties."""
        return tuple(name for name, column in self.columns.items() if isinstance(column, ir.Column))

    def message(self, row: object) -> Message:
        """The message in a row: columns are properties, and header fields where they have the name of one."""
        from transpiler.compiler.layouts.amqp_rows import flat_message
        from transpiler.compiler.layouts.rows import row_columns

        typed = {name: column for name, column in self.columns.items() if isinstance(column, ir.Column)}
        return flat_message(row_columns(row), typed, self.sections.sections)


def _reading(condition: str, store: str) -> Advice:
    return Advice(condition + store, OptionFix("layout", store))


def replaced(path: Path, expression: str) -> tuple[str, ColumnFix]:
    """Return an expression in the place of a column, or of a field of a struct, as Python and as a fix."""
    return _written(path, f'expr("{expression}")'), ColumnFix(".".join(map(str, path)), expression)


def _cast(path: Path, kind: str) -> tuple[str, ColumnFix]:
    """Return a cast of a column in its place, as Python and as a fix."""
    fix = ColumnFix(".".join(map(str, path)), f"CAST({spelled(path)} AS {kind.upper()})")
    return _written(path, f'col("{spelled(path)}").cast("{kind}")'), fix


def _written(path: Path, column: str) -> str:
    first, *fields = map(str, path)
    if fields:
        column = f'col("{first}").withField("{".".join(fields)}", {column})'
    return f'df.withColumn("{first}", {column})'


def spelled(path: Path) -> str:
    """Return the path of a column in SQL, with quotes about what is no plain name."""
    names = map(str, path)
    return ".".join(
        name if name.isascii() and name.isidentifier() else f"`{name.replace('`', '``')}`" for name in names
    )


def typed_columns_of(layout: Layout) -> FlatLayout | None:
    """Return a layout as one of typed columns; None for one of another kind."""
    return layout if isinstance(layout, FlatLayout) else None


def flat_layout(schema: Mapping[str, Any], struct: str | None = None, *, case_sensitive: bool = False) -> FlatLayout:
    """A layout from a schema in Spark's JSON form; ``struct`` names the column whose fields are the properties.

    Spark resolves names without regard to case unless told otherwise, so two columns that differ only in case are
    unusable unless ``case_sensitive``. ``LayoutError`` where ``struct`` is no struct of the schema.
    """
    fields = {field["name"]: field for field in schema["fields"]}
    twice = [name for name, count in Counter(field["name"] for field in schema["fields"]).items() if count > 1]
    sections = tuple(name for name in SECTIONS if name != struct and is_section(name, fields.get(name)))
    if struct is None:
        columns = dict(_columns([field for name, field in fields.items() if name not in sections], (), ""))
    elif struct in fields and is_struct(fields[struct]):
        columns = dict(_columns(fields[struct]["type"]["fields"], (struct,), ""))
    else:
        raise LayoutError.at(
            "layout.no-struct",
            f"the schema has no struct column called {struct!r}",
            hint=f"its columns are {', '.join(fields)}",
        )
    if not case_sensitive:
        columns |= _ambiguous(columns)
    if struct is None:
        columns |= dict.fromkeys(twice, _TWICE)
    return FlatLayout(MappingProxyType(columns), AmqpLayout(sections=sections, collations=Collations.of(schema)))


def every_typed_column(schema: Mapping[str, Any]) -> dict[str, ir.Column]:
    """Return the columns of a schema that have one type, and fields of structs by their dotted names."""
    columns = _columns(schema["fields"], (), "")
    return {name: column for name, column in columns if isinstance(column, ir.Column)}


def typed_columns(schema: Mapping[str, Any]) -> dict[str, ir.Column]:
    """Return those of them that Spark tells apart from all other columns, whatever the case of letters."""
    ambiguous = _ambiguous(dict(_columns(schema["fields"], (), "")))
    return {name: column for name, column in every_typed_column(schema).items() if name not in ambiguous}


def _columns(fields: list[SchemaField], path: Path, prefix: str) -> Iterator[tuple[str, ir.Column | Unusable]]:
    """Each field by its name; a field of a nested struct by its dotted path."""
    for field in fields:
        name, place = prefix + field["name"], (*path, field["name"])
        column_type = type_of(field)
        if column_type is not None:
            yield name, ir.Column(place, column_type)
        elif is_struct(field):
            hint = f"perhaps one of its fields is meant, for example {name}.{_first(field)}"
            yield name, Unusable("a struct is no property", hint)
            yield from _columns(field["type"]["fields"], place, f"{name}.")
        else:
            yield name, _unusable(name, place, field["type"])


def _unusable(name: str, path: Path, spark_type: Any) -> Unusable:
    """Return why a column of no simple type is no property."""
    reason = f"no message property has the type {_describe(spark_type)}"
    match spark_type:
        case "date":
            text, time = (_cast(path, kind) for kind in ("string", "timestamp_ntz"))
            in_words = f"{text[0]} makes text of it, such as '2025-06-01'"
            milliseconds = f"{time[0]} makes a time of it, in milliseconds since 1970-01-01 in UTC"
            # A TIMESTAMP would be midnight of the session's zone.
            ordered = Unusable(reason, f"{milliseconds}; {in_words}", fix=time[1])
            return Unusable(reason, f"{in_words}; {milliseconds}", fix=text[1], ordered=ordered)
        case "variant":
            store = f"stores.variant({name!r})"
        case {"type": "map", "keyType": "string", "valueType": "string" | "binary"}:
            store = f"stores.text_map({name!r}, types='by-use')"
        case {"type": "map", "keyType": "string", "valueType": str() as values} if read_type(values) is not None:
            store = f"stores.text_map({name!r}, types='by-use')"
        case {"type": "array", "elementType": {"type": "struct", "fields": [*fields]}} if _is_entry(fields):
            store = f"stores.kafka_headers({name!r})"
        case _:
            return Unusable(
                reason, "perhaps select a column of a simple type: BOOLEAN, a number, STRING, BINARY or a TIMESTAMP"
            )
    return Unusable(reason, f"{store} reads properties in it", store, OptionFix("layout", store))


def _is_entry(fields: list[SchemaField]) -> bool:
    """Return True for the fields of a record header: a key and a value."""
    types = {field["name"]: field["type"] for field in fields}
    return types.get("key") == "string" and types.get("value") in ("string", "binary")


_TWICE = Unusable(
    "the schema has several columns of this name, between which Spark does not choose",
    "perhaps select the columns of one table, or rename one of the two, before the selector",
)


def _ambiguous(columns: Mapping[str, ir.Column | Unusable]) -> dict[str, Unusable]:
    spellings: dict[str, list[str]] = {}
    for name in columns:
        spellings.setdefault(name.lower(), []).append(name)
    return {
        name: Unusable(
            f"the schema also has {next(other for other in group if other != name)}, which Spark does not tell apart",
            "perhaps rename one of the two, or set spark.sql.caseSensitive to true",
        )
        for group in spellings.values()
        if len(group) > 1
        for name in group
    }


def type_of(field: SchemaField) -> ColumnType | None:
    """Return the type of a column, with its collation; None where AMQP has no counterpart."""
    own = read_type(type_with_collations(field))
    # A table reports CHAR and VARCHAR columns as strings and keeps what was declared in the metadata.
    declared = (field.get("metadata") or {}).get("__CHAR_VARCHAR_TYPE_STRING")
    return own if declared is None or own is None else read_type(declared, own.collation)


def is_struct(field: SchemaField) -> bool:
    """Return True if a column is a struct."""
    return isinstance(field["type"], Mapping) and field["type"].get("type") == "struct"


def _first(field: SchemaField) -> str:
    return str(next((inner["name"] for inner in field["type"]["fields"]), "field"))


def _describe(spark_type: object) -> str:
    if isinstance(spark_type, Mapping):
        return str(spark_type.get("type", "unknown")).upper()
    return str(spark_type).upper()


def is_section(name: str, field: SchemaField | None) -> bool:
    """Return True if a column has the shape that the canonical schema gives that section."""
    return field is not None and fits(field["type"], _SECTIONS[name])


_SECTIONS = AmqpLayout().schema


def fits(spark_type: object, shape: ColumnType | UnionShape | Fields) -> bool:
    """Return True if a Spark type has a shape; a struct may have more fields."""
    match shape:
        case ColumnType():
            return read_type(spark_type) == shape
        case UnionShape.UNIONS:
            return (
                isinstance(spark_type, Mapping)
                and spark_type.get("type") == "map"
                and spark_type.get("keyType") == "string"
                and fits(spark_type.get("valueType"), UnionShape.UNION)
            )
        case _:
            wanted = UNION if shape is UnionShape.UNION else shape
            if not isinstance(spark_type, Mapping) or spark_type.get("type") != "struct":
                return False
            types = {inner["name"]: inner["type"] for inner in spark_type["fields"]}
            if shape is UnionShape.UNION and len(types) > len(wanted):
                return False
            return all(name in types and fits(types[name], inner) for name, inner in wanted.items())
