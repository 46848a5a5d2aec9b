"""The layout of AMQP 0-10 archives: the structs message-properties and delivery-properties, under AMQP 1.0 names.

Source: the Qpid chapter on the AMQP 0-10 mapping, Table 19.1; AMQP 0-10 for the types. The table lacks the creation
time and the expiry time; these are read from the struct delivery-properties, and so are the exchange and the routing
key with which a message was published. Fields that 0-10 lacks (``to``, the group, the first acquirer, annotations) are
not stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BINARY, BOOLEAN, SMALLINT, STRING, TIMESTAMP, ColumnType, Key
from transpiler.compiler.layouts.collations import Collations
from transpiler.compiler.layouts.columns import PERSISTENT, SUBJECT, Fields, UnionShape
from transpiler.compiler.layouts.layout import ArchiveLayout, by_bytes
from transpiler.compiler.layouts.message_rows import unions
from transpiler.compiler.layouts.stored import Stored, case_of_constants, stored_column, stored_union, stored_value
from transpiler.message.header_fields import MessageField
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue

if TYPE_CHECKING:
    from transpiler.compiler.layouts.table_columns import Table
    from transpiler.message.message import Message

_MESSAGE: Fields = {
    "content_length": BIGINT,
    "message_id": BINARY,
    "correlation_id": BINARY,
    "reply_to": {"exchange": STRING, "routing_key": STRING},
    "content_type": STRING,
    "content_encoding": STRING,
    "user_id": BINARY,
    "app_id": BINARY,
    "application_headers": UnionShape.UNIONS,
}
_DELIVERY: Fields = {
    "discard_unroutable": BOOLEAN,
    "immediate": BOOLEAN,
    "redelivered": BOOLEAN,
    "priority": SMALLINT,
    "delivery_mode": SMALLINT,
    "ttl": BIGINT,
    "timestamp": TIMESTAMP,
    "expiration": TIMESTAMP,
    "exchange": STRING,
    "routing_key": STRING,
    "resume_id": STRING,
    "resume_ttl": BIGINT,
}

#: The columns: the two property structs of AMQP 0-10, with underscores in names.
SCHEMA: Fields = MappingProxyType({"message_properties": _MESSAGE, "delivery_properties": _DELIVERY})

#: The number of the delivery mode that means not durable.
_TRANSIENT = 1

_REPLY_TO = ("message_properties", "reply_to")
_HEADERS = ("message_properties", "application_headers")


def _message(name: str, column_type: ColumnType) -> Stored:
    return stored_column(("message_properties", name), column_type)


def _delivery(name: str, column_type: ColumnType) -> Stored:
    return stored_column(("delivery_properties", name), column_type)


_REDELIVERED = ir.Column(("delivery_properties", "redelivered"), BOOLEAN)
_MODE = ir.Column(("delivery_properties", "delivery_mode"), SMALLINT)
_REPLY_TO_PARTS = tuple(
    ir.Column(("message_properties", "reply_to", name), STRING) for name in ("exchange", "routing_key")
)


#: The content of Table 19.1 of Qpid's documentation, which maps AMQP 0-10 to 1.0: what is stored for each AMQP 1.0
#: field.
_FIELDS: Mapping[MessageField, Stored] = MappingProxyType(
    {
        MessageField("header", "durable"): case_of_constants(
            _MODE,
            (
                (ir.Compare(Comparison.EQ, _MODE, ir.constant(PERSISTENT)), True),
                (ir.Compare(Comparison.NE, _MODE, ir.constant(PERSISTENT)), False),
            ),
        ),
        MessageField("header", "priority"): _delivery("priority", SMALLINT),
        MessageField("header", "ttl"): _delivery("ttl", BIGINT),
        # A redelivered message counts as failed once, because the number of failures is not stored.
        MessageField("header", "delivery_count"): case_of_constants(
            _REDELIVERED, ((ir.IsTrue(_REDELIVERED), 1), (ir.IsTrue(_REDELIVERED, negated=True), 0))
        ),
        MessageField("delivery_properties", "exchange"): _delivery("exchange", STRING),
        MessageField("delivery_properties", "routing_key"): _delivery("routing_key", STRING),
        MessageField("properties", "message_id"): stored_value(
            AmqpType.UUID, ir.Column(("message_properties", "message_id"), BINARY)
        ),
        MessageField("properties", "user_id"): _message("user_id", BINARY),
        # Only the text of the header is the subject; if the header has another type, the subject is absent.
        MessageField("properties", "subject"): stored_column((*_HEADERS, Key(SUBJECT), "string"), STRING),
        MessageField("properties", "reply_to"): stored_value(
            AmqpType.STRING, ir.Apply(ir.Function.ADDRESS, _REPLY_TO_PARTS, STRING)
        ),
        MessageField("properties", "correlation_id"): stored_value(
            AmqpType.STRING,
            ir.Apply(ir.Function.TEXT, (ir.Column(("message_properties", "correlation_id"), BINARY),), STRING),
        ),
        MessageField("properties", "content_type"): _message("content_type", STRING),
        MessageField("properties", "content_encoding"): _message("content_encoding", STRING),
        MessageField("properties", "creation_time"): _delivery("timestamp", TIMESTAMP),
        MessageField("properties", "absolute_expiry_time"): _delivery("expiration", TIMESTAMP),
    }
)


@dataclass(frozen=True, slots=True)
class ZeroTenLayout(ArchiveLayout):
    """The layout of the two property structs of AMQP 0-10."""

    name: str = "amqp-0-10"
    collations: Collations | None = None
    #: The schema of the table whose rows the layout reads; None if it is not known.
    table: Mapping[str, Any] | None = field(default=None, compare=False)

    @property
    def schema(self) -> Fields:
        """The columns of both structs."""
        return SCHEMA

    def bound(self, table: Table) -> Self:
        """Return the layout with the collations that the strings have in the schema of ``table``."""
        return replace(self, collations=Collations.of(table.schema), table=table.schema)

    def known_schema(self) -> Mapping[str, Any] | None:
        """Return the schema of the table whose rows the layout reads; None if it is not known."""
        return self.table

    def field(self, message_field: MessageField) -> Stored | None:
        """Return what is stored for a field of AMQP 1.0, from ``_FIELDS``; None if AMQP 0-10 lacks the field."""
        if message_field.section == "application_properties":
            return self.property(message_field.field)
        return by_bytes(_FIELDS.get(message_field), self.collations)

    def property(self, name: str) -> Stored | None:
        """Return the application header ``name``; any name is possible."""
        return by_bytes(stored_union((*_HEADERS, Key(name))), self.collations)

    def names(self) -> tuple[str, ...]:
        """Return an empty tuple, because any name is possible."""
        return ()

    def message(self, row: object) -> Message:
        """Return the message in ``row`` with the field names of AMQP 1.0, without fields that AMQP 1.0 lacks."""
        from transpiler.compiler.layouts.amqp_rows import zero_ten_message
        from transpiler.compiler.layouts.rows import row_columns

        return zero_ten_message(row_columns(row))

    def row(self, message: Message) -> Mapping[str, Any]:
        """Return ``message`` as one row, without fields that AMQP 0-10 lacks; a time is a number of milliseconds."""
        return {
            "message_properties": _message_properties(message),
            "delivery_properties": _delivery_properties(message),
        }


def _message_properties(message: Message) -> dict[str, Any]:
    properties = message.properties or Properties()
    headers = unions(message.application_properties)
    if properties.subject is not None:
        headers = (headers or {}) | (unions({SUBJECT: AmqpValue(AmqpType.STRING, properties.subject)}) or {})
    row: dict[str, Any] = dict.fromkeys(_MESSAGE)
    match properties.message_id:
        case AmqpValue(AmqpType.UUID, value) if value is not None:
            row["message_id"] = value.bytes  # type: ignore[union-attr]
    match properties.correlation_id:
        case AmqpValue(AmqpType.STRING, str() as text):
            row["correlation_id"] = text.encode()
    return row | {
        "reply_to": _reply_to(properties.reply_to),
        "content_type": properties.content_type,
        "content_encoding": properties.content_encoding,
        "user_id": properties.user_id,
        "application_headers": headers,
    }


def _delivery_properties(message: Message) -> dict[str, Any]:
    header, properties = message.header or Header(), message.properties or Properties()
    row: dict[str, Any] = dict.fromkeys(_DELIVERY)
    return row | {
        "redelivered": None if header.delivery_count is None else header.delivery_count > 0,
        "priority": header.priority,
        "delivery_mode": None if header.durable is None else PERSISTENT if header.durable else _TRANSIENT,
        "ttl": header.ttl,
        "timestamp": properties.creation_time,
        "expiration": properties.absolute_expiry_time,
    }


def _reply_to(address: str | None) -> dict[str, str | None] | None:
    """Split the reply address ``EXCHANGE/KEY`` into an exchange and a routing key; return None if the message has none.

    An address without a slash is the name of a queue, which is its routing key at the default exchange.
    """
    if address is None:
        return None
    exchange, slash, key = address.partition("/")
    if exchange and slash and key:
        return {"exchange": exchange, "routing_key": key}
    return {"exchange": None, "routing_key": address}
