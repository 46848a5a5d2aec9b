"""An AMQP 1.0 message in plain Python: its sections, any of which may be absent, and its JMS types.

The structure is the canonical schema's: sections, and in them fields with underscores. ``json`` and ``codec`` read and
write the two external formats of a message. A message can also be built from the names that selectors use:
``JMSPriority`` sets a header field, and ``color`` an application property. A header field is given as the value that a
selector sees: a delivery mode is text, a time is milliseconds since the epoch, an id is text that may have JMS's
prefixes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import Any, NoReturn
from uuid import UUID

from transpiler.base import html
from transpiler.base.arguments import unexpected
from transpiler.base.diagnostics import nearest, shortened
from transpiler.base.documents.entries import kind_of
from transpiler.base.errors import DecodeError, TranspilerError
from transpiler.base.times import since_epoch
from transpiler.message import jms_types
from transpiler.message.codec import decode_sections
from transpiler.message.header_fields import DELIVERY_MODES, FOLD, PROPERTIES, MessageField
from transpiler.message.ids import read_id
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.message.json import SECTION_NAMES, read_field, read_sections, read_value, section_to_json
from transpiler.message.sections import PROPERTY_TYPES, Body, Header, Properties, Values
from transpiler.message.types import AmqpType, AmqpValue


class _ReadOnly(dict[str, Any]):
    """A read-only mapping of names to values: the content of a section of a message.

    A copy of it is a plain dict, which can be changed.
    """

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a Message is immutable; create a changed copy with dataclasses.replace or Message.from_dict")

    __setitem__ = __delitem__ = __ior__ = update = pop = popitem = clear = setdefault = _refuse

    def __reduce__(self) -> tuple[type[_ReadOnly], tuple[dict[str, Any]]]:
        return _ReadOnly, (dict(self),)


#: Maximum length of the JSON form in the ``repr`` of a message, in characters.
MAX_REPR = 500


#: The sections that map names to values. The other sections are records with fixed fields.
_WITH_VALUES = (
    *("delivery_annotations", "message_annotations", "application_properties", "footer"),
    "header_values",
)


@dataclass(frozen=True, slots=True, repr=False)
class Message:
    """A message, section by section; None is an absent section.

    ``header_values`` is not a section of AMQP. It maps names of header fields in selectors to values, for rows with one
    typed column for each. Its values take precedence over the sections; a null in it makes the field NULL.
    """

    header: Header | None = None
    delivery_annotations: Values | None = None
    message_annotations: Values | None = None
    properties: Properties | None = None
    application_properties: Values | None = None
    body: Body | None = None
    footer: Values | None = None
    header_values: Values | None = None

    def __post_init__(self) -> None:
        for name in _WITH_VALUES:
            values = getattr(self, name)
            if type(values) is dict:
                object.__setattr__(self, name, _ReadOnly(values))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Message:
        """Return the message that is given as message JSON.

        Args:
            data: The message in message JSON, parsed into a dict.

        Raises:
            DecodeError: A name or value is invalid; the error names its path.
        """
        return cls(**read_sections(data))

    @classmethod
    def of(cls, /, **properties: Any) -> Message:
        """Return a message from names as in a selector: ``Message.of(color="red", weight=2600, JMSPriority=7)``.

        Args:
            properties: The values by name. The JMS name of a header field sets this field to the value that a selector
                sees; any other name sets an application property. A value is plain Python, or ``{"type": "short",
                "value": 5}``; None is a null.

        Raises:
            DecodeError: A value is invalid; the error names the property or header field.
        """
        return named_message(cls(), properties)

    @classmethod
    def from_amqp(cls, data: bytes) -> Message:
        """Decode a bare or annotated message, encoded as AMQP 1.0 clients encode it.

        Args:
            data: The bytes of the message's sections.

        Raises:
            DecodeError: The bytes are not a message; the error has the byte range of the invalid value.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise unexpected("data", "bytes", data)
        return cls(**decode_sections(bytes(data)))

    @property
    def destination_type(self) -> str | None:
        """The kind of JMSDestination: ``queue``, ``topic``, ``temporary-queue`` or ``temporary-topic``.

        None if the message does not contain the kind: it is then the kind with which the consumer was created. Source:
        the JMS mapping, 5.1.
        """
        return jms_types.destination_type((self.message_annotations or {}).get(jms_types.DESTINATION))

    @property
    def reply_to_type(self) -> str | None:
        """The kind of JMSReplyTo, with the same values as ``destination_type``; None if the message lacks it."""
        return jms_types.destination_type((self.message_annotations or {}).get(jms_types.REPLY_TO))

    @property
    def message_type(self) -> str:
        """The JMS class of the message: ``TextMessage``, ``BytesMessage``, ``ObjectMessage``, ``MapMessage``,
        ``StreamMessage`` or ``Message``. Source: the JMS mapping, 3.3.4.
        """
        body = self.body or Body()
        return jms_types.message_type(
            (self.message_annotations or {}).get(jms_types.MESSAGE_TYPE),
            self.properties.content_type if self.properties else None,
            body.section,
            body.value,
        )

    def __repr__(self) -> str:
        return f"Message.from_dict({shortened(repr(self.to_dict()), MAX_REPR)})"

    def _repr_html_(self) -> str:
        rows = (
            (section, name, json.dumps(value, ensure_ascii=False))
            for section, content in self.to_dict().items()
            for name, value in content.items()
        )
        return html.table(("section", "name", "value"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the message as message JSON.

        Absent sections and fields are omitted. A value is plain JSON if plain JSON determines its AMQP type.
        """
        contents = {section.name: getattr(self, section.name) for section in fields(self)}
        return {name: section_to_json(content) for name, content in contents.items() if content is not None}


#: The argument types that functions accept for a message: see ``as_message``.
MessageLike = Message | Mapping[str, Any]


def as_message(value: MessageLike) -> Message:
    """Return ``value`` as a message; a mapping may be message JSON or plain properties.

    It is message JSON if at least one key is the name of a section and has a mapping or None as its value. There is one
    exception: ``{"properties": {…}}`` with no name of AMQP's properties section in it contains application properties.

    Raise ``DecodeError`` with the path of an invalid value, and ``TypeError`` if ``value`` has another type.
    """
    if isinstance(value, Message):
        return value
    if not isinstance(value, Mapping):
        raise unexpected("message", "a Message, or a dict of message JSON or of plain properties", value)
    for odd in (name for name in value if not isinstance(name, str)):
        hint = f"perhaps write the name as a string, {str(odd)!r}" if isinstance(odd, int | float) else None
        raise DecodeError.at("message.name", f"the name of a property must be a string, not {odd!r}", hint=hint)
    if value and not any(name in SECTION_NAMES and _is_section(value[name]) for name in value):
        return Message.of(**value)
    if are_application_properties(value):
        return Message.of(**value["properties"])
    return Message.from_dict(value)


def _is_section(value: object) -> bool:
    return value is None or isinstance(value, Mapping)


def are_application_properties(data: Mapping[str, Any]) -> bool:
    """Return True if ``data`` is ``{"properties": {…}}``, and no name in it is a field of AMQP's properties section.

    The names are then application properties.
    """
    own = data.get("properties")
    return len(data) == 1 and isinstance(own, Mapping) and bool(own) and not PROPERTY_TYPES.keys() & own.keys()


def _refuse(path: str, expected: str, value: object, hint: str | None = None) -> NoReturn:
    raise DecodeError.at("message.type", f"{path}: expected {expected}, found {_shown(value)}", hint=hint)


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str) and len(value) < 40 else kind_of(value)


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


def _id(path: str, value: Any) -> AmqpValue:
    if not isinstance(value, str):
        identifier: AmqpValue = read_field("properties", "message_id", path, value)
        return identifier
    try:
        return read_id(value)
    except DecodeError as error:
        [finding] = error.diagnostics
        raise DecodeError.at(finding.code, f"{path}: {finding.message}", hint=finding.hint) from None


def _user_id(path: str, value: Any) -> bytes:
    if isinstance(value, str):
        text: str = read_field("properties", "group_id", path, value)
        return text.encode()
    if not isinstance(value, bytes):
        _refuse(path, "text", value)
    return value


#: For some header fields, the function that converts the value in a selector to that of the AMQP field. Its arguments
#: are the path for errors and the value. For the other fields, the two values are equal.
_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "JMSMessageID": _id,
    "JMSCorrelationID": _id,
    "JMSTimestamp": _time,
    "JMSExpiration": _time,
    "JMSDeliveryTime": _delivery_time,
    "JMSDeliveryMode": _delivery_mode,
    "JMSRedelivered": _redelivered,
    "JMSXDeliveryCount": _delivery_count,
    "JMSXUserID": _user_id,
    "JMSXGroupSeq": _group_sequence,
}

#: For each JMS name of a header field, the message field from which it is read first.
HEADERS: Mapping[str, MessageField] = MappingProxyType(
    {
        name: field.origins[0].message_fields[0]
        for name, field in JMS_FIELDS.table.items()
        if field.origins and field.origins[0].message_fields[0].section != PROPERTIES
        if not name.startswith(JMS_FIELDS.wire_prefix)
    }
)
#: The JMS names in ``HEADERS`` that determine the value of their AMQP field. JMSRedelivered only says that the delivery
#: count is above 0.
_EXACT = tuple(name for name in HEADERS if name != "JMSRedelivered")


def with_headers(message: Message, values: Mapping[str, Any]) -> Message:
    """Return ``message`` with the header fields in ``values`` replaced, by JMS name; None makes a field absent.

    If ``values`` contains JMSXDeliveryCount, JMSRedelivered is ignored. Raise ``DecodeError`` with the name of a field
    whose value is invalid.
    """
    for name, message_field in HEADERS.items():
        if name not in values or (name == "JMSRedelivered" and values.get("JMSXDeliveryCount") is not None):
            continue
        value = values[name]
        if value is not None:
            read = _READERS.get(name) or partial(read_field, message_field.section, message_field.field)
            value = read(name, value)
        if message_field.section == "header":
            header = message.header or Header()
            message = replace(message, header=replace(header, **{message_field.field: value}))
        elif message_field.section == "properties":
            properties = message.properties or Properties()
            message = replace(message, properties=replace(properties, **{message_field.field: value}))
        elif value is not None:
            annotations = {**(message.message_annotations or {}), message_field.field: value}
            message = replace(message, message_annotations=annotations)
    return message


def named_message(message: Message, values: Mapping[str, Any]) -> Message:
    """Return ``message`` with the values in ``values`` set. Their keys are names as in selectors.

    A key is the name of a header field or of an application property. Raise ``DecodeError`` with the name of an invalid
    value.
    """
    properties = {name: property_value(name, value) for name, value in values.items() if name not in HEADERS}
    own = {name: value for name, value in values.items() if value is not None}
    return replace(with_headers(message, own), application_properties=properties or None)


def plain_message(message: Message) -> dict[str, Any]:
    """Return ``message`` as plain properties if ``Message.of`` restores it from them; otherwise as message JSON."""
    sections = message.to_dict()
    plain: dict[str, Any] = dict(sections.get("application_properties", {}))
    for name in _EXACT:
        message_field = HEADERS[name]
        value = sections.get(message_field.section, {}).get(message_field.field)
        if value is None:
            continue
        match message_field.field:
            case "durable":
                value = "PERSISTENT" if value else "NON_PERSISTENT"
            case "delivery_count":
                value += 1
            case "user_id" if message.properties is not None and message.properties.user_id is not None:
                value = message.properties.user_id.decode("utf-8", "replace")
            case "group_sequence" if value >= 2**31:
                value -= 2**32
        plain[name] = value
    try:
        return plain if _compact(Message.of(**plain)) == _compact(message) else sections
    except (TranspilerError, TypeError):
        return sections


def _compact(message: Message) -> dict[str, Any]:
    return {name: content for name, content in message.to_dict().items() if content}


def property_value(name: str, value: Any) -> AmqpValue:
    """Return the AMQP value of an application property, from a plain value or ``{"type": T, "value": X}``.

    A plain value is one of Python or JSON. Raise ``DecodeError`` with ``name`` for any other value.
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
                else "a property with a type is an object with the keys type and value"
            )
            _refuse(name, "a simple value", value, hint)
        case _:
            return read_value(name, value)
