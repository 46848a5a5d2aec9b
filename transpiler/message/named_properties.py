"""Messages by the names that a selector has: ``JMSPriority`` is a header field, and ``color`` an application property.

A header field has the value that a selector sees: a delivery mode is text, a time is milliseconds since the epoch, an
id is text that may have JMS's prefixes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from uuid import UUID

from transpiler.diagnostics import nearest
from transpiler.errors import DecodeError
from transpiler.message.fields import DELIVERY_MODES, FOLD, MessageField
from transpiler.message.header_fields import Conversion
from transpiler.message.ids import read_id
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.message.json import SECTION_NAMES, kind_of, read_field, read_value
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.times import since_epoch

if TYPE_CHECKING:
    from transpiler.message.message import Message


class _Field(NamedTuple):
    """A header field: its place in a message, and the reader of its value, by the field's name."""

    place: MessageField
    read: Callable[[str, Any], Any]


def _refuse(path: str, expected: str, value: object, hint: str | None = None) -> NoReturn:
    raise DecodeError.at("message.type", f"{path}: expected {expected}, found {_shown(value)}", hint=hint)


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str) and len(value) < 40 else kind_of(value)


def _field(section: str, name: str) -> _Field:
    return _Field(MessageField(section, name), lambda path, value: read_field(section, name, path, value))


def _delivery_mode(path: str, value: Any) -> bool:
    for durable, word in DELIVERY_MODES.items():
        if value == word or (value == durable + 1 and not isinstance(value, bool)):
            return durable
    _refuse(path, "PERSISTENT, NON_PERSISTENT, 2 or 1", value)


def _redelivered(path: str, value: Any) -> int:
    if not isinstance(value, bool):
        _refuse(path, "true or false", value)
    return int(value)


def _integer(path: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        _refuse(path, f"an integer from {least} to {most}", value)
    return value


def _delivery_count(path: str, value: Any) -> int:
    return _integer(path, value, 1, 2**31 - 1) - 1


def _group_sequence(path: str, value: Any) -> int:
    return _integer(path, value, -(2**31), 2**31 - 1) % FOLD


def _time(path: str, value: Any) -> int:
    hint = "write milliseconds since the epoch, or ISO 8601 with its zone: 2024-06-24T13:38:20Z"
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            _refuse(path, "a time", value, hint)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            _refuse(path, "a time with its zone", str(value), hint)
        return since_epoch(value)
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
        _refuse(path, "a time", value, hint)
    return value


def _delivery_time(path: str, value: Any) -> AmqpValue:
    return AmqpValue(AmqpType.LONG, _time(path, value))


def _id(name: str) -> _Field:
    def read(path: str, value: Any) -> AmqpValue:
        if not isinstance(value, str):
            identifier: AmqpValue = read_field("properties", name, path, value)
            return identifier
        try:
            return read_id(value)
        except DecodeError as error:
            [finding] = error.diagnostics
            raise DecodeError.at(finding.code, f"{path}: {finding.message}", hint=finding.hint) from None

    return _Field(MessageField("properties", name), read)


def _user_id(path: str, value: Any) -> bytes:
    if isinstance(value, str):
        text: str = read_field("properties", "group_id", path, value)
        return text.encode()
    if not isinstance(value, bytes):
        _refuse(path, "text", value)
    return value


_STRUCTS = ("header", "properties")


def _unconverted() -> dict[str, _Field]:
    """Return the fields that a selector sees as they are, each by the first place that it is read from."""
    first = {name: field.origins[0] for name, field in JMS_FIELDS.table.items() if field.origins}
    return {
        name: _field(origin.places[0].section, origin.places[0].field)
        for name, origin in first.items()
        if origin.conversion is Conversion.AS_IS and origin.places[0].section in _STRUCTS
        if not name.startswith(JMS_FIELDS.wire_prefix)
    }


#: The header fields by their JMS names. A flag of redelivery gives way to the count.
HEADERS: Mapping[str, _Field] = MappingProxyType(
    {
        **_unconverted(),
        "JMSMessageID": _id("message_id"),
        "JMSCorrelationID": _id("correlation_id"),
        "JMSTimestamp": _Field(MessageField("properties", "creation_time"), _time),
        "JMSExpiration": _Field(MessageField("properties", "absolute_expiry_time"), _time),
        "JMSDeliveryTime": _Field(MessageField("message_annotations", "x-opt-delivery-time"), _delivery_time),
        "JMSPriority": _field("header", "priority"),
        "JMSDeliveryMode": _Field(MessageField("header", "durable"), _delivery_mode),
        "JMSRedelivered": _Field(MessageField("header", "delivery_count"), _redelivered),
        "JMSXDeliveryCount": _Field(MessageField("header", "delivery_count"), _delivery_count),
        "JMSXUserID": _Field(MessageField("properties", "user_id"), _user_id),
        "JMSXGroupSeq": _Field(MessageField("properties", "group_sequence"), _group_sequence),
    }
)


def with_headers(message: Message, values: Mapping[str, Any]) -> Message:
    """Return the message with other values of some header fields, by their JMS names; None is an absent one.

    ``DecodeError`` with the name of a field that cannot have its value.
    """
    for name, entry in HEADERS.items():
        if name not in values or (name == "JMSRedelivered" and values.get("JMSXDeliveryCount") is not None):
            continue
        place, given = entry.place, values[name]
        value = None if given is None else entry.read(name, given)
        if place.section == "header":
            header = message.header or Header()
            message = replace(message, header=replace(header, **{place.field: value}))
        elif place.section == "properties":
            properties = message.properties or Properties()
            message = replace(message, properties=replace(properties, **{place.field: value}))
        elif value is not None:
            annotations = {**(message.message_annotations or {}), place.field: value}
            message = replace(message, message_annotations=annotations)
    return message


def named_message(message: Message, values: Mapping[str, Any]) -> Message:
    """Return the message with header fields and application properties by the names that a selector has for them.

    ``DecodeError`` with the name of what does not fit.
    """
    properties = {name: property_value(name, value) for name, value in values.items() if name not in HEADERS}
    own = {name: value for name, value in values.items() if value is not None}
    return replace(with_headers(message, own), application_properties=properties or None)


def property_value(name: str, value: Any) -> AmqpValue:
    """Return an application property: a plain value of Python or JSON, or ``{"type": T, "value": X}``.

    ``DecodeError`` for anything else.
    """
    match value:
        case bytes():
            return AmqpValue(AmqpType.BINARY, value)
        case UUID():
            return AmqpValue(AmqpType.UUID, value)
        case Decimal():
            return AmqpValue(AmqpType.DECIMAL128, value)
        case datetime():
            return AmqpValue(AmqpType.TIMESTAMP, _time(name, value))
        case Mapping() if "type" not in value:
            near = nearest(name, SECTION_NAMES)
            hint = (
                f"did you mean {near[0]}? That is a section of message JSON"
                if near
                else "a property with a type is {type, value}"
            )
            _refuse(name, "a simple value", value, hint)
        case _:
            return read_value(name, value)
