"""The sections of an AMQP 1.0 message that have fields, in plain Python: part 3 of the standard, section 3.2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transpiler.message.types import AmqpType, AmqpValue, Compound

#: A section that maps names to values: application properties, annotations, footer.
Values = Mapping[str, AmqpValue]


@dataclass(frozen=True, slots=True)
class Header:
    """The transport header section; None is a field that the sender omitted. ``ttl`` is in milliseconds."""

    durable: bool | None = None
    priority: int | None = None
    ttl: int | None = None
    first_acquirer: bool | None = None
    delivery_count: int | None = None


@dataclass(frozen=True, slots=True)
class Properties:
    """The properties section; None is a field that the sender omitted. Times are milliseconds since the epoch."""

    message_id: AmqpValue | None = None
    user_id: bytes | None = None
    to: str | None = None
    subject: str | None = None
    reply_to: str | None = None
    correlation_id: AmqpValue | None = None
    content_type: str | None = None
    content_encoding: str | None = None
    absolute_expiry_time: int | None = None
    creation_time: int | None = None
    group_id: str | None = None
    group_sequence: int | None = None
    reply_to_group_id: str | None = None


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a message: the name of its section, and its bytes or value.

    The section is ``data``, ``amqp-sequence`` or ``amqp-value``. Of a list, map, array or described value, only the
    type is stored.
    """

    section: str | None = None
    data: bytes | None = None
    value: AmqpValue | Compound | None = None


_ID = (AmqpType.STRING, AmqpType.ULONG, AmqpType.UUID, AmqpType.BINARY)

#: The allowed types of each field of the header section, in the order of the encoding (AMQP 1.0, part 3, 3.2.1).
HEADER_TYPES: Mapping[str, tuple[AmqpType, ...]] = {
    "durable": (AmqpType.BOOLEAN,),
    "priority": (AmqpType.UBYTE,),
    "ttl": (AmqpType.UINT,),
    "first_acquirer": (AmqpType.BOOLEAN,),
    "delivery_count": (AmqpType.UINT,),
}

#: The allowed types of each field of the properties section, in the order of the encoding (AMQP 1.0, part 3, 3.2.4).
PROPERTY_TYPES: Mapping[str, tuple[AmqpType, ...]] = {
    "message_id": _ID,
    "user_id": (AmqpType.BINARY,),
    "to": (AmqpType.STRING,),
    "subject": (AmqpType.STRING,),
    "reply_to": (AmqpType.STRING,),
    "correlation_id": _ID,
    "content_type": (AmqpType.SYMBOL,),
    "content_encoding": (AmqpType.SYMBOL,),
    "absolute_expiry_time": (AmqpType.TIMESTAMP,),
    "creation_time": (AmqpType.TIMESTAMP,),
    "group_id": (AmqpType.STRING,),
    "group_sequence": (AmqpType.UINT,),
    "reply_to_group_id": (AmqpType.STRING,),
}

#: The allowed types of each field of the header and properties sections.
FIELD_TYPES: Mapping[str, Mapping[str, tuple[AmqpType, ...]]] = {"header": HEADER_TYPES, "properties": PROPERTY_TYPES}
