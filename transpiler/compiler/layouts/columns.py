"""Columns as data: Spark's JSON form of each type, the value that a selector sees in a column, the canonical schema.

The canonical schema has one column for each section of a message; the struct ``V`` holds a value and its type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    SMALLINT,
    STRING,
    TIMESTAMP,
    ColumnType,
    SparkType,
)
from transpiler.message.sections import FIELD_TYPES
from transpiler.message.types import AmqpType

#: The types without parameters that a user can declare for a property, by SQL name.
SIMPLE_TYPES: Mapping[str, ColumnType] = MappingProxyType(
    {
        kind.value: ColumnType(kind)
        for kind in (
            SparkType.BOOLEAN,
            SparkType.TINYINT,
            SparkType.SMALLINT,
            SparkType.INT,
            SparkType.BIGINT,
            SparkType.FLOAT,
            SparkType.DOUBLE,
            SparkType.STRING,
            SparkType.BINARY,
        )
    }
)


#: The number of the delivery mode of AMQP 0-8 to 0-10 that means durable.
PERSISTENT = 2


class UnionShape(Enum):
    """The column types of the canonical schema that store a value together with the name of its AMQP type."""

    #: The struct ``V`` of the canonical schema: one field for each type, of which one is set, and the type's name.
    UNION = "V"
    #: A map from names of properties to structs ``V``.
    UNIONS = "MAP<STRING, V>"


#: The columns of a layout, or the fields of a struct: type by name.
Fields = Mapping[str, "ColumnType | UnionShape | Fields"]

#: Synonyms of SQL type names, with the name that is used here.
SYNONYMS: Mapping[str, str] = MappingProxyType(
    {"LONG": "BIGINT", "INTEGER": "INT", "SHORT": "SMALLINT", "BYTE": "TINYINT", "REAL": "FLOAT"}
)

#: The types without parameters, by their names in Spark's JSON form.
JSON_TYPES: Mapping[str, SparkType] = {
    "boolean": SparkType.BOOLEAN,
    "byte": SparkType.TINYINT,
    "short": SparkType.SMALLINT,
    "integer": SparkType.INT,
    "long": SparkType.BIGINT,
    "float": SparkType.FLOAT,
    "double": SparkType.DOUBLE,
    "string": SparkType.STRING,
    "binary": SparkType.BINARY,
    "timestamp": SparkType.TIMESTAMP,
    "timestamp_ntz": SparkType.TIMESTAMP_NTZ,
}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
_SIZED = re.compile(r"(char|varchar)\(\d+\)")
_COLLATED = re.compile(r"string collate (\w+)", re.IGNORECASE)


def read_type(name: object, collation: str | None = None) -> ColumnType | None:
    """Return the type called ``name`` in Spark's JSON form of a schema; None if AMQP has no corresponding type."""
    if not isinstance(name, str):
        return None
    if name in JSON_TYPES:
        return ColumnType(JSON_TYPES[name], collation=collation or "UTF8_BINARY")
    if decimal := _DECIMAL.fullmatch(name):
        return ColumnType(SparkType.DECIMAL, int(decimal[1]), int(decimal[2]))
    if sized := _SIZED.fullmatch(name):
        return ColumnType(SparkType[sized[1].upper()], collation=collation or "UTF8_BINARY")
    if collated := _COLLATED.fullmatch(name):
        return ColumnType(SparkType.STRING, collation=collated[1])
    return None


def seen(column: ir.Column) -> ir.Value:
    """Return what a selector sees in ``column``: a DOUBLE for a DECIMAL, milliseconds for a timestamp, and so on."""
    match column.type.kind:
        case SparkType.FLOAT | SparkType.DECIMAL:
            return ir.Apply(ir.Function.TO_DOUBLE, (column,), DOUBLE)
        case SparkType.TIMESTAMP | SparkType.TIMESTAMP_NTZ:
            return ir.Apply(ir.Function.MILLISECONDS, (column,), BIGINT)
        case SparkType.CHAR:
            return ir.Apply(ir.Function.UNPADDED, (_by_bytes(column),), STRING)
        case SparkType.STRING | SparkType.VARCHAR:
            return _by_bytes(column)
        case _:
            return column


def _by_bytes(column: ir.Column) -> ir.Value:
    if column.type.collation == "UTF8_BINARY":
        return column
    return ir.Apply(ir.Function.BY_BYTES, (column,), STRING)


def like_columns(header: str, columns: Iterable[str]) -> list[str]:
    """Return the columns whose names suggest that they hold ``header``: for JMSType, ``type`` or ``order_type``."""

    def bare(name: str) -> str:
        return re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].lower()).removeprefix("jms")

    return [name for name in columns if bare(name).endswith(bare(header)) and name != header]


#: The type of the column for a field whose values all have one AMQP type.
_COLUMN_TYPES = {
    AmqpType.BOOLEAN: BOOLEAN,
    AmqpType.UBYTE: SMALLINT,
    AmqpType.UINT: BIGINT,
    AmqpType.BINARY: BINARY,
    AmqpType.STRING: STRING,
    AmqpType.SYMBOL: STRING,
    AmqpType.TIMESTAMP: TIMESTAMP,
}


def _column_type(types: tuple[AmqpType, ...]) -> ColumnType | UnionShape:
    return UnionShape.UNION if len(types) > 1 else _COLUMN_TYPES[types[0]]


#: The fields of each section that is a struct column: the type of each field, by name.
STRUCTS: Mapping[str, Mapping[str, ColumnType | UnionShape]] = MappingProxyType(
    {
        **{
            section: {name: _column_type(types) for name, types in fields.items()}
            for section, fields in FIELD_TYPES.items()
        },
        "body": {"section": STRING, "data": BINARY, "value": UnionShape.UNION},
    }
)

#: The sections that are map columns from names to tagged unions.
MAPS = ("delivery_annotations", "message_annotations", "application_properties", "footer")

#: All sections in the order of the schema.
SECTIONS = (
    "header",
    "delivery_annotations",
    "message_annotations",
    "properties",
    "application_properties",
    "body",
    "footer",
)

#: The fields of the struct ``V``: the name of the type, and one field for each class of values.
UNION: Mapping[str, ColumnType] = MappingProxyType(
    {
        "type": STRING,
        "boolean": BOOLEAN,
        "long": BIGINT,
        "double": DOUBLE,
        "string": STRING,
        "binary": BINARY,
    }
)

#: The name of the AMQP 0-10 header that holds the subject.
SUBJECT = "qpid.subject"
