"""Typed columns in a schema: a layout of them, and which of them can be no property.

A schema comes in as Spark's JSON form (``StructType.jsonValue()``), so that no Spark is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, StoreCall
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, Path
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.collations import Collations, type_with_collations
from transpiler.compiler.layouts.columns import SECTIONS, UNION, Fields, UnionShape, read_type
from transpiler.compiler.layouts.flat import FlatLayout, Unusable, recast, replaced, spelled

#: One field of a schema in Spark's JSON form.
SchemaField = Mapping[str, Any]


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
    """Return the typed columns that Spark tells apart from all other columns, whatever the case of letters."""
    ambiguous = _ambiguous(dict(_columns(schema["fields"], (), "")))
    return {name: column for name, column in every_typed_column(schema).items() if name not in ambiguous}


_NO_PART = "perhaps rename the column: a name with a dot is no part of a path"


def _columns(fields: list[SchemaField], path: Path, prefix: str) -> Iterator[tuple[str, ir.Column | Unusable]]:
    """Yield each field by its name; a field of a nested struct by its dotted path, unless another one has that name.

    A name with a dot is a column's own, and no part of a path.
    """
    fields = [field for field in fields if not prefix or "." not in field["name"]]
    own = {prefix + field["name"] for field in fields}
    for field in fields:
        is_part = "." not in field["name"]
        name, place = prefix + field["name"], (*path, field["name"])
        column_type = type_of(field)
        if column_type is not None:
            yield name, ir.Column(place, column_type)
        elif is_struct(field):
            hint = f"perhaps one of its fields is meant, for example {name}.{_first(field)}"
            yield name, Unusable("a struct is no property", hint if is_part else _NO_PART)
            inner = _columns(field["type"]["fields"], place, f"{name}.") if is_part else ()
            yield from (each for each in inner if each[0] not in own)
        else:
            yield name, _unusable(place, field["type"])


def _unusable(path: Path, spark_type: Any) -> Unusable:
    """Return why a column of no simple type is no property."""
    reason, column = f"no message property has the type {_describe(spark_type)}", str(path[-1])
    match spark_type:
        case "date":
            text, time = (recast(path, kind) for kind in ("string", "timestamp_ntz"))
            in_words = f"{text[0]} makes text of it, such as '2025-06-01'"
            milliseconds = f"{time[0]} makes a time of it, in milliseconds since 1970-01-01 in UTC"
            # A TIMESTAMP would be midnight of the session's zone.
            ordered = Unusable(reason, f"{milliseconds}; {in_words}", fix=time[1])
            return Unusable(reason, f"{in_words}; {milliseconds}", fix=text[1], ordered=ordered)
        case "variant":
            store = StoreCall("variant", column)
        case {"type": "map", "keyType": "string", "valueType": str() as values} if read_type(values) is not None:
            store = StoreCall("text_map", column, {"types": "by-use"})
        case {"type": "array", "elementType": {"type": "struct", "fields": [*fields]}} if _is_entry(fields):
            store = StoreCall("kafka_headers", column)
        case {"type": "array", "elementType": {"type": "struct", "fields": [*fields]}} if _entry_in(fields):
            return _beside(reason, _as_entries(path, *_entry_in(fields)), column, StoreCall("kafka_headers", column))
        case {"type": "map"}:
            key = 'col("{}")[KEY]'.format(".".join(map(str, path)))
            hint = f"perhaps make a column of the value that is meant, as in df.withColumn(NAME, {key})"
            return Unusable(reason, hint, has_keys=True)
        case _:
            return Unusable(
                reason, "perhaps select a column of a simple type: BOOLEAN, a number, STRING, BINARY or a TIMESTAMP"
            )
    if len(path) > 1:
        return _beside(reason, spelled(path), column, store)
    return Unusable(reason, Hint(store, " reads properties in it"), store, store.fix)


def _beside(reason: str, expression: str, column: str, store: StoreCall) -> Unusable:
    """Return why a column is no property that a store reads as it is: the store is that of an expression."""
    # A store's column is one of the table, and no field of a struct.
    made, fix = replaced((column,), expression)
    return Unusable(reason, Hint(f"{made}, which ", store, " reads"), fix=fix, has_keys=True)


def _is_entry(fields: list[SchemaField]) -> bool:
    """Return True for the fields of a record header: a key and a value."""
    types = {field["name"]: field["type"] for field in fields}
    return types.get("key") == "string" and types.get("value") in ("string", "binary")


#: The names of the two fields of an entry that is no record header.
_KEYS, _VALUES = ("key", "name", "k", "header"), ("value", "val", "v")


def _entry_in(fields: list[SchemaField]) -> tuple[str, ...]:
    """Return the fields of a key and its value in the structs of an array; nothing where there is no such pair."""
    simple = [field["name"] for field in fields if read_type(field["type"]) is not None]
    found = [next((name for name in simple if name.lower() in names), None) for names in (_KEYS, _VALUES)]
    return tuple(name for name in found if name is not None) if None not in found else ()


def _as_entries(path: Path, key: str, value: str) -> str:
    """Return an array of entries in the form of record headers, as SQL."""
    parts = (f"'{part}', CAST(x.{spelled((name,))} AS STRING)" for part, name in (("key", key), ("value", value)))
    return f"transform({spelled(path)}, x -> named_struct({', '.join(parts)}))"


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
