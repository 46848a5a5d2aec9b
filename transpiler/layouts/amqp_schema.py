"""The canonical schema: one column a section, and the struct ``V`` of a value that tells its type."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from transpiler.ir.column_types import BIGINT, BINARY, BOOLEAN, DOUBLE, SMALLINT, STRING, TIMESTAMP, ColumnType
from transpiler.layouts.columns import UnionShape

#: The fields of the struct sections.
STRUCTS: Mapping[str, Mapping[str, ColumnType | UnionShape]] = MappingProxyType(
    {
        "header": {
            "durable": BOOLEAN,
            "priority": SMALLINT,
            "ttl": BIGINT,
            "first_acquirer": BOOLEAN,
            "delivery_count": BIGINT,
        },
        "properties": {
            "message_id": UnionShape.UNION,
            "user_id": BINARY,
            "to": STRING,
            "subject": STRING,
            "reply_to": STRING,
            "correlation_id": UnionShape.UNION,
            "content_type": STRING,
            "content_encoding": STRING,
            "absolute_expiry_time": TIMESTAMP,
            "creation_time": TIMESTAMP,
            "group_id": STRING,
            "group_sequence": BIGINT,
            "reply_to_group_id": STRING,
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
