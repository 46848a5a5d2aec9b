"""The canonical schema: one column a section, and the struct ``V`` of a value that tells its type."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from transpiler.ir.column_types import BIGINT, BINARY, BOOLEAN, DOUBLE, SMALLINT, STRING, TIMESTAMP, ColumnType
from transpiler.layouts.columns import UnionShape
from transpiler.message.sections import FIELD_TYPES
from transpiler.message.types import AmqpType

#: The columns of fields that have one type.
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


#: The fields of the struct sections.
STRUCTS: Mapping[str, Mapping[str, ColumnType | UnionShape]] = MappingProxyType(
    {
        **{
            section: {name: _column_type(types) for name, types in fields.items()}
            for section, fields in FIELD_TYPES.items()
        },
        "body": {"section": STRING, "data": BINARY, "value": UnionShape.UNION},
    }
)

#: The sections that map names to tagged unions.
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

#: The fields of the struct ``V``: the type's name, and one field for each class of values.
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

#: The header of AMQP 0-10 that holds the subject.
SUBJECT = "qpid.subject"
