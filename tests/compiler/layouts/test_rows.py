"""``layout.message`` returns the message of a row without SQL, in every layout."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from inspect import signature
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from pyspark.sql import Row

from tests.compiler.layouts.written_rows import row_of
from tests.message.identity import identity
from tests.spark_ext.strategies import messages
from transpiler import DecodeError, Layout, Message, evaluate, stores
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.amqp_0_10 import ZeroTenLayout
from transpiler.compiler.layouts.schemas import parse_ddl
from transpiler.compiler.layouts.sent import SENT_HEADER, SENT_SUBJECT, SentLayout
from transpiler.compiler.layouts.text_types import POLICIES
from transpiler.message.sections import Body, Header, Properties
from transpiler.message.types import AmqpType, AmqpValue, Compound

#: 2024-06-24T13:38:20Z in milliseconds since the epoch.
TIME = 1_719_236_300_000


def flat(ddl: str) -> Layout:
    return layout_from_schema(parse_ddl(ddl))


def properties(message: Message) -> dict[str, Any]:
    return {name: value.value for name, value in (message.application_properties or {}).items()}


@given(messages)
def test_the_canonical_layout_keeps_a_message(message: Message) -> None:
    layout = AmqpLayout()
    kept = layout.message(row_of(layout, message))
    assert repr(row_of(layout, kept)) == repr(row_of(layout, message))
    if "DECIMAL" not in identity(message):
        # A decimal becomes the double that a selector sees.
        assert identity(kept) == identity(message)


@given(messages)
def test_amqp_0_10_keeps_what_it_can_say(message: Message) -> None:
    layout = ZeroTenLayout()
    kept = layout.message(row_of(layout, message))
    assert identity(layout.message(row_of(layout, kept))) == identity(kept)


V = {"type": None, "boolean": None, "long": None, "double": None, "string": None, "binary": None}


@pytest.mark.parametrize(
    ("union", "value"),
    [
        ({"type": "string", "string": "a"}, AmqpValue(AmqpType.STRING, "a")),
        ({"type": "ulong", "long": -1}, AmqpValue(AmqpType.ULONG, 2**64 - 1)),
        ({"type": "uuid", "binary": bytearray(16)}, AmqpValue(AmqpType.UUID, UUID(int=0))),
        ({"type": "uuid", "binary": b"abc"}, AmqpValue(AmqpType.BINARY, b"abc")),
        ({"type": "decimal64", "double": 0.5}, AmqpValue(AmqpType.DECIMAL64, Decimal("0.5"))),
        ({"type": "timestamp", "long": 5}, AmqpValue(AmqpType.TIMESTAMP, 5)),
        ({"type": "null"}, AmqpValue(AmqpType.NULL, None)),
        ({"type": "list", "binary": b""}, AmqpValue(Compound.LIST, b"")),
        ({"type": "varchar", "string": "a"}, AmqpValue(AmqpType.STRING, "a")),
        ({"type": None, "string": "a"}, None),
        (None, None),
        # In the form that to_json writes.
        ({"type": "binary", "binary": "YWJj"}, AmqpValue(AmqpType.BINARY, b"abc")),
        ({"type": "double", "double": "-Infinity"}, AmqpValue(AmqpType.DOUBLE, float("-inf"))),
    ],
)
def test_a_tagged_union_is_read_by_its_type(union: dict[str, Any] | None, value: AmqpValue | None) -> None:
    row = {"application_properties": {"x": None if union is None else V | union}}
    assert (AmqpLayout().message(row).application_properties or {}).get("x") == value


def test_a_row_of_spark_is_read_as_a_mapping_is() -> None:
    row = Row(
        header=Row(durable=True, priority=7, ttl=None, first_acquirer=None, delivery_count=1),
        properties=Row(
            message_id=Row(**V | {"type": "ulong", "long": 5}),
            creation_time=datetime(2024, 6, 24, 13, 38, 20, tzinfo=UTC),
        ),
        application_properties={"color": Row(**V | {"type": "string", "string": "red"})},
        body=Row(section="amqp-value", data=None, value=Row(**V | {"type": "list"})),
    )
    assert AmqpLayout().message(row) == Message(
        header=Header(durable=True, priority=7, delivery_count=1),
        properties=Properties(message_id=AmqpValue(AmqpType.ULONG, 5), creation_time=TIME),
        application_properties={"color": AmqpValue(AmqpType.STRING, "red")},
        body=Body("amqp-value", value=Compound.LIST),
    )
    assert AmqpLayout().message({}) == Message()


def test_a_promoted_property_is_its_column() -> None:
    layout = AmqpLayout(promoted={"color": "STRING", "size": "BIGINT", "weight": "BIGINT"}, mixed=frozenset({"size"}))
    message = Message.of(color="red", size="XL", weight=5)
    assert layout.message(row_of(layout, message)) == message
    row = dict(row_of(layout, message)) | {"color": "blue", "weight": None}
    assert properties(layout.message(row)) == {"color": "blue", "size": "XL"}


class Flat(NamedTuple):
    ddl: str
    row: dict[str, Any]
    message: Message


FLAT = [
    Flat("color STRING, weight BIGINT", {"color": "red", "weight": 5}, Message.of(color="red", weight=5)),
    Flat("color STRING, weight BIGINT", {"color": None}, Message(application_properties={})),
    Flat("x CHAR(4)", {"x": "a   "}, Message.of(x="a")),
    Flat("x SMALLINT", {"x": 5}, Message.of(x={"type": "short", "value": 5})),
    Flat("x DECIMAL(5,2)", {"x": Decimal("2.50")}, Message.of(x=Decimal("2.50"))),
    Flat("x FLOAT", {"x": 0.1}, Message.of(x=AmqpValue(AmqpType.FLOAT, 0.10000000149011612))),
    Flat("x TIMESTAMP", {"x": "2024-06-24T13:38:20Z"}, Message.of(x={"type": "timestamp", "value": TIME})),
    # The wall-clock time of a TIMESTAMP_NTZ has no time zone.
    Flat("x TIMESTAMP_NTZ", {"x": datetime(1970, 1, 1, 0, 0, 1)}, Message.of(x={"type": "timestamp", "value": 1000})),
    Flat("place STRUCT<city: STRING>", {"place": {"city": "Bonn"}}, Message.of(**{"place.city": "Bonn"})),
    Flat("tags ARRAY<STRING>, x INT", {"tags": ["a"], "x": None}, Message(application_properties={})),
]


@pytest.mark.parametrize("case", FLAT, ids=lambda case: case.ddl)
def test_typed_columns_are_properties(case: Flat) -> None:
    assert flat(case.ddl).message(case.row) == case.message


def test_a_typed_column_with_the_name_of_a_header_field_is_its_value() -> None:
    layout = flat("JMSPriority INT, JMSDeliveryMode STRING, JMSTimestamp TIMESTAMP, JMSMessageID STRING, color STRING")
    # These values are not possible in the AMQP header fields for the priority, the delivery mode and the id.
    row = {"JMSPriority": 12, "JMSDeliveryMode": "eager", "JMSTimestamp": TIME, "JMSMessageID": "a", "color": "red"}
    message = layout.message(row)
    assert properties(message) == row
    assert (message.header, message.properties) == (None, None)
    for selector in ("JMSPriority = 12", "JMSDeliveryMode = 'eager'", f"JMSTimestamp = {TIME}", "JMSMessageID = 'a'"):
        assert evaluate(selector, message) is True
    assert Message.from_dict(message.to_dict()) == message


def test_a_typed_column_hides_the_field_of_a_section() -> None:
    layout = flat(
        "JMSPriority INT, x INT, header STRUCT<durable: BOOLEAN, priority: SMALLINT, ttl: BIGINT, "
        "first_acquirer: BOOLEAN, delivery_count: BIGINT>"
    )
    row = {"JMSPriority": None, "x": 1, "header": {"priority": 8, "durable": True}}
    message = layout.message(row)
    assert evaluate("JMSPriority = 4 AND JMSDeliveryMode = 'PERSISTENT'", message) is True
    assert evaluate("amqp.priority = 8", message, dialect="qpid-cpp") is True


def test_a_row_of_amqp_0_10_is_read_by_the_table_of_the_mapping() -> None:
    row = {
        "message_properties": {
            "message_id": bytes(16),
            "correlation_id": b"order-1",
            "reply_to": {"exchange": "amq.topic", "routing_key": "a.b"},
            "application_headers": {"qpid.subject": V | {"type": "string", "string": "news"}},
        },
        "delivery_properties": {"delivery_mode": 2, "priority": 7, "redelivered": True, "timestamp": TIME},
    }
    subject = {"qpid.subject": AmqpValue(AmqpType.STRING, "news")}
    message = Message(
        header=Header(durable=True, priority=7, delivery_count=1),
        properties=Properties(
            message_id=AmqpValue(AmqpType.UUID, UUID(int=0)),
            correlation_id=AmqpValue(AmqpType.STRING, "order-1"),
            reply_to="amq.topic/a.b",
            subject="news",
            creation_time=TIME,
        ),
        application_properties=subject,
    )
    assert ZeroTenLayout().message(row) == message
    sent = row | {SENT_SUBJECT: "sport", SENT_HEADER: "sport"}
    read = SentLayout(ZeroTenLayout()).message(sent)
    assert read.properties is not None
    assert (read.properties.subject, properties(read)) == ("sport", {"qpid.subject": "sport"})
    assert SentLayout(ZeroTenLayout()).message(row) == message


KAFKA = stores.kafka_headers(types="string")
ARTEMIS = stores.artemis_xml()


@pytest.mark.parametrize(
    ("layout", "row", "message"),
    [
        (
            stores.confluent_jms(),
            {
                "messageID": "ID:a",
                "priority": 7,
                "deliveryMode": 2,
                "timestamp": TIME,
                "properties": {"weight": {"propertyType": "long", "long": 5}},
            },
            Message.of(JMSMessageID="ID:a", JMSPriority=7, JMSDeliveryMode=2, JMSTimestamp=TIME, weight=5),
        ),
        # Bytes are base64, as in the output of to_json.
        (KAFKA, {"headers": [{"key": "color", "value": "cmVk"}]}, Message.of(color="red")),
        (stores.variant(), {"properties": {"color": "red", "JMSPriority": 7}}, {"color": "red", "JMSPriority": 7}),
        (
            stores.variant(headers={"JMSTimestamp": "ts"}),
            {"properties": {"x": 1}, "ts": "2024-06-24T13:38:20.000Z"},
            Message.of(x=1, JMSTimestamp=TIME),
        ),
        (stores.event_hubs(), {"enqueuedTime": "2024-06-24T13:38:20Z"}, Message.of(JMSTimestamp=TIME)),
        (stores.event_hubs(), {"enqueuedTime": TIME, "properties": None}, Message.of(JMSTimestamp=TIME)),
    ],
)
def test_a_row_of_a_store_may_be_json(layout: Layout, row: dict[str, Any], message: Message | dict[str, Any]) -> None:
    read = layout.message(row)
    if isinstance(message, dict):
        assert properties(read) == message
        return
    for section in ("header", "properties"):
        given, expected = getattr(read, section), getattr(message, section)
        assert given == expected or (expected is None and given == type(given)())
    assert (read.application_properties or None) == message.application_properties


@pytest.mark.parametrize(
    ("layout", "row", "text"),
    [
        (
            KAFKA,
            {"headers": [{"key": "color", "value": "red!"}]},
            "headers.color: expected bytes in base64, found text",
        ),
        (KAFKA, {"headers": {"color": "red"}}, "headers: expected an array of objects, found an object"),
        (KAFKA, {"headers": ["color"]}, "headers: expected an object, found text"),
        (KAFKA, {"headers": [{"key": 5, "value": "cmVk"}]}, "headers.key: expected text, found a number"),
        (ARTEMIS, {"properties": {"property": [{"_name": 5}]}}, "properties.property._name: expected text"),
        (
            ARTEMIS,
            {"properties": {"property": [{"_name": "a", "_type": []}]}},
            "a._type: expected text, found an array",
        ),
        (stores.text_map(types="by-use"), {"properties": {"x": 5}}, "properties.x: expected text, found a number"),
        (stores.text_map(types="by-use"), {"properties": "x"}, "properties: expected an object, found text"),
        (stores.confluent_jms(), {"priority": "7"}, "priority: expected an integer, found text"),
        (stores.confluent_jms(), {"priority": 2**40}, "priority: expected an integer of 32 bits"),
        (stores.confluent_jms(), {"redelivered": 1}, "redelivered: expected true or false, found a number"),
        (stores.confluent_jms(), {"properties": {"x": 5}}, "properties.x: expected an object, found a number"),
        (stores.event_hubs(), {"enqueuedTime": "noon"}, "enqueuedTime: expected a time, found text"),
        (stores.variant(json=True), {"properties": {"x": 1}}, "properties: expected text, found an object"),
        (flat("x DOUBLE"), {"x": "5"}, "x: expected a number, found text"),
        (flat("x DOUBLE"), {"x": True}, "x: expected a number, found a boolean"),
        (AmqpLayout(), {"header": 5}, "header: expected an object, found a number"),
        (AmqpLayout(), {"application_properties": {"x": 5}}, "application_properties.x: expected an object"),
    ],
)
def test_a_value_of_another_type_is_an_error_with_its_path(layout: Layout, row: dict[str, Any], text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        layout.message(row)
    assert text in str(caught.value)


@pytest.mark.parametrize("layout", [AmqpLayout(), ZeroTenLayout(), flat("x INT"), KAFKA, SentLayout(AmqpLayout())])
def test_only_a_row_is_read(layout: Layout) -> None:
    with pytest.raises(TypeError, match="a row must be a mapping or a pyspark Row, not list"):
        layout.message([1])


def presets() -> list[Layout]:
    """Return every store that needs no schema, with each policy for text."""
    found: list[Layout] = []
    for name, function in stores.STORES.items():
        if "types" in signature(function).parameters:
            found += [function(types=policy) for policy in POLICIES]
        elif name != "struct":
            found.append(function())
    return found


@pytest.mark.parametrize("layout", presets(), ids=lambda layout: layout.name)
@given(message=messages)
def test_a_store_keeps_what_it_can_hold(layout: Layout, message: Message) -> None:
    kept = layout.message(row_of(layout, message))
    assert identity(layout.message(row_of(layout, kept))) == identity(kept)
