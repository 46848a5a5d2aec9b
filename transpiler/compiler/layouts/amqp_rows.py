"""Read messages from rows of the canonical schema, of typed columns and of AMQP 0-10, in Python and not in SQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    SMALLINT,
    STRING,
    TIMESTAMP,
    ColumnType,
    Key,
    Path,
)
from transpiler.compiler.layouts.columns import MAPS, PERSISTENT, SIMPLE_TYPES, STRUCTS, SUBJECT, UNION
from transpiler.compiler.layouts.rows import amqp_value, struct_of, value_at
from transpiler.message.broker_fields import names_header_field
from transpiler.message.header_fields import PUBLISHER_CONNECTION
from transpiler.message.message import Message
from transpiler.message.sections import Body, Header, Properties, Values
from transpiler.message.types import CLASS_OF, DECIMALS, AmqpType, AmqpValue, Compound, Primitive

#: The types of values, by their names in a tagged union ``V``.
TYPES: Mapping[str, AmqpType | Compound] = {kind.value: kind for kind in (*AmqpType, *Compound)}
_NULL = AmqpValue(AmqpType.NULL, None)


def union_value(struct: object, path: Path) -> AmqpValue | None:
    """Return the value in ``struct``, a tagged union ``V`` at ``path``; None if the struct or its type name is NULL."""
    fields = struct_of(struct, path)
    name = None if fields is None else fields.get("type")
    if fields is None or name is None:
        return None
    contents = {
        field: amqp_value(fields.get(field), column.kind, (*path, field))
        for field, column in UNION.items()
        if field != "type"
    }
    own = TYPES.get(name)
    if isinstance(own, Compound):
        binary = contents["binary"]
        return AmqpValue(own, b"" if binary is None else binary.value)
    if own is None:
        return next((item for item in contents.values() if item is not None), None)
    item = contents[CLASS_OF[own].value] if own in CLASS_OF else None
    return AmqpValue(AmqpType.NULL, None) if item is None else _typed(own, item.value)


def _typed(own: AmqpType, value: Primitive) -> AmqpValue:
    """Return ``value``, which a tagged union stores with the type name ``own``, as an AMQP value of that type."""
    match value:
        case bytes() if own is AmqpType.UUID:
            return AmqpValue(own, UUID(bytes=value)) if len(value) == 16 else AmqpValue(AmqpType.BINARY, value)
        case int() if own is AmqpType.ULONG:
            return AmqpValue(own, value % 2**64)
        case float() if own in DECIMALS:
            return AmqpValue(own, Decimal(value))
        case _:
            return AmqpValue(own, value)


def _map_section(value: object, path: Path) -> Values | None:
    unions = struct_of(value, path)
    if unions is None:
        return None
    values = {name: union_value(item, (*path, Key(name))) for name, item in unions.items()}
    return {name: item for name, item in values.items() if item is not None}


def _struct_section(section: str, value: object) -> Header | Properties | Body | None:
    fields = struct_of(value, (section,))
    if fields is None:
        return None
    contents: dict[str, Any] = {}
    for name, shape in STRUCTS[section].items():
        path = (section, name)
        if isinstance(shape, ColumnType):
            item = amqp_value(fields.get(name), shape.kind, path)
            contents[name] = None if item is None else item.value
        else:
            contents[name] = union_value(fields.get(name), path)
    own = contents.get("value")
    if isinstance(own, AmqpValue) and isinstance(own.type, Compound):
        # If the value of a body is a list, map or array, only its type is stored.
        contents["value"] = own.type
    return _SECTIONS[section](**contents)


_SECTIONS: Mapping[str, Callable[..., Header | Properties | Body]] = {
    "header": Header,
    "properties": Properties,
    "body": Body,
}


def canonical_message(row: Mapping[str, Any], sections: Iterable[str]) -> Message:
    """Return the message in ``row``, a row of the canonical schema that has the columns ``sections``."""
    contents: dict[str, Any] = {
        name: _map_section(row.get(name), (name,)) if name in MAPS else _struct_section(name, row.get(name))
        for name in sections
    }
    return Message(**contents)


def message_with_promoted(
    row: Mapping[str, Any], sections: Iterable[str], promoted: Mapping[str, str], mixed: Collection[str]
) -> Message:
    """Return the message in ``row``, a row of the canonical schema with extra columns for the properties ``promoted``.

    A promoted property is read from its column. If the property is in ``mixed``, it is read from the map, because the
    map has all its values.
    """
    message = canonical_message(row, sections)
    if not promoted:
        return message
    properties = dict(message.application_properties or {})
    for name, type_name in promoted.items():
        if name not in mixed:
            properties.pop(name, None)
            value = amqp_value(row.get(name), SIMPLE_TYPES[type_name].kind, (name,))
            if value is not None:
                properties[name] = value
    return replace(message, application_properties=properties)


def flat_message(row: Mapping[str, Any], columns: Mapping[str, ir.Column], sections: Collection[str]) -> Message:
    """Return the message in a row of typed columns.

    A column named after a header field, such as JMSType, holds the value that a selector sees under that name. It takes
    precedence over the same field in a column of ``sections``.
    """
    message = canonical_message(row, sections)
    values: dict[str, AmqpValue] = {}
    headers: dict[str, AmqpValue] = {}
    for name, column in columns.items():
        value = amqp_value(value_at(row, column.path), column.type.kind, column.path)
        if value is not None:
            values[name] = value
        if names_header_field(name):
            headers[name] = _NULL if value is None else value
    connection = values.get(PUBLISHER_CONNECTION.field)
    if connection is not None and PUBLISHER_CONNECTION.section not in sections:
        message = replace(message, message_annotations={PUBLISHER_CONNECTION.field: connection})
    return replace(message, application_properties=values, header_values=headers or None)


def zero_ten_message(row: Mapping[str, Any]) -> Message:
    """Return the message in an AMQP 0-10 row, whose fields Table 19.1 of Qpid's documentation maps to AMQP 1.0.

    A redelivered message counts as failed once. The exchange, the routing key and other fields that AMQP 1.0 lacks are
    left out.
    """

    def scalar(section: str, name: str | tuple[str, ...], column: ColumnType) -> Any:
        path: Path = (section, *((name,) if isinstance(name, str) else name))
        value = amqp_value(value_at(row, path), column.kind, path)
        return None if value is None else value.value

    sent, delivered = "message_properties", "delivery_properties"
    headers = _map_section(value_at(row, (sent, "application_headers")), (sent, "application_headers"))
    subject = (headers or {}).get(SUBJECT)
    mode, redelivered = scalar(delivered, "delivery_mode", SMALLINT), scalar(delivered, "redelivered", BOOLEAN)
    message_id, correlation_id = scalar(sent, "message_id", BINARY), scalar(sent, "correlation_id", BINARY)
    exchange, key = (scalar(sent, ("reply_to", name), STRING) for name in ("exchange", "routing_key"))
    address = "/".join(filter(None, (exchange, key)))
    return Message(
        header=Header(
            durable=None if mode is None else mode == PERSISTENT,
            priority=scalar(delivered, "priority", SMALLINT),
            ttl=scalar(delivered, "ttl", BIGINT),
            delivery_count=None if redelivered is None else int(redelivered),
        ),
        properties=Properties(
            message_id=None if message_id is None else _typed(AmqpType.UUID, message_id),
            user_id=scalar(sent, "user_id", BINARY),
            subject=subject.value if subject is not None and isinstance(subject.value, str) else None,
            reply_to=address or None,
            correlation_id=None
            if correlation_id is None
            else AmqpValue(AmqpType.STRING, correlation_id.decode("utf-8", "replace")),
            content_type=scalar(sent, "content_type", STRING),
            content_encoding=scalar(sent, "content_encoding", STRING),
            absolute_expiry_time=scalar(delivered, "expiration", TIMESTAMP),
            creation_time=scalar(delivered, "timestamp", TIMESTAMP),
        ),
        application_properties=headers,
    )


def sent_message(message: Message, subject: str | None, header: object) -> Message:
    """Return ``message`` with the ``subject`` and the header ``qpid.subject`` that its sender added on sending."""
    value = AmqpValue(AmqpType.STRING, header) if isinstance(header, str) else union_value(header, (SUBJECT,))
    properties = {name: item for name, item in (message.application_properties or {}).items() if name != SUBJECT}
    return replace(
        message,
        properties=replace(message.properties or Properties(), subject=subject),
        application_properties=properties if value is None else properties | {SUBJECT: value},
    )
