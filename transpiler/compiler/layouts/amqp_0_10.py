"""Archives of AMQP 0-10: the structs message-properties and delivery-properties, read with the names of AMQP 1.0.

Source: the Qpid chapter on the AMQP 0-10 mapping, Table 19.1; AMQP 0-10 for the types. The table has no creation time
and no time of expiry; the struct delivery-properties has both, and they are read from there, and so are the exchange
and the routing key that a message was published with. What 0-10 does not have (``to``, the group, the first acquirer,
annotations) has no place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

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

#: The columns: both structs of AMQP 0-10, names with underscores.
SCHEMA: Fields = MappingProxyType({"message_properties": _MESSAGE, "delivery_properties": _DELIVERY})

#: The delivery mode that is not durable.
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


#: Table 19.1, by the place of AMQP 1.0 that says the same.
_PLACES: Mapping[MessageField, Stored] = MappingProxyType(
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
        # A redelivered message has failed once: how often is not kept.
        MessageField("header", "delivery_count"): case_of_constants(
            _REDELIVERED, ((ir.IsTrue(_REDELIVERED), 1), (ir.IsTrue(_REDELIVERED, negated=True), 0))
        ),
        MessageField("delivery_properties", "exchange"): _delivery("exchange", STRING),
        MessageField("delivery_properties", "routing_key"): _delivery("routing_key", STRING),
        MessageField("properties", "message_id"): stored_value(
            AmqpType.UUID, ir.Column(("message_properties", "message_id"), BINARY)
        ),
        MessageField("properties", "user_id"): _message("user_id", BINARY),
        # A header of that name that is no text is a header only.
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
    """The two property structs of AMQP 0-10."""

    name: str = "amqp-0-10"
    collations: Collations | None = None
    #: The schema of the table that the layout is over; None if it is over none.
    table: Mapping[str, Any] | None = field(default=None, compare=False)

    @property
    def schema(self) -> Fields:
        """The columns of both structs."""
        return SCHEMA

    def over(self, schema: Mapping[str, Any], *, case_sensitive: bool = False) -> ZeroTenLayout:  # noqa: ARG002
        """The layout over a table, whose schema in Spark's JSON form tells the collations of its texts."""
        return replace(self, collations=Collations.of(schema), table=schema)

    def known_schema(self) -> Mapping[str, Any] | None:
        """The schema of the table that the layout is over."""
        return self.table

    def field(self, place: MessageField) -> Stored | None:
        """The place by Table 19.1; None for what 0-10 does not have."""
        if place.section == "application_properties":
            return self.property(place.field)
        return by_bytes(_PLACES.get(place), self.collations)

    def property(self, name: str) -> Stored | None:
        """Every name has a place: the application header of that name."""
        return by_bytes(stored_union((*_HEADERS, Key(name))), self.collations)

    def names(self) -> tuple[str, ...]:
        """Empty, for any name has a place."""
        return ()

    def message(self, row: object) -> Message:
        """The message in a row, with the names of AMQP 1.0; what AMQP 1.0 has no field for is left out."""
        from transpiler.compiler.layouts.amqp_rows import zero_ten_message
        from transpiler.compiler.layouts.rows import row_columns

        return zero_ten_message(row_columns(row))

    def row(self, message: Message) -> Mapping[str, Any]:
        """The part of a message that AMQP 0-10 can say, as one row; a time is its milliseconds."""
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
    """An address as exchange and routing key; a name alone is a queue, which the default exchange routes to."""
    if address is None:
        return None
    exchange, slash, key = address.partition("/")
    if exchange and slash and key:
        return {"exchange": exchange, "routing_key": key}
    return {"exchange": None, "routing_key": address}
