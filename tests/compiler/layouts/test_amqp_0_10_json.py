"""JSON lines of AMQP 0-10: the two structs as a person writes them, and as Spark writes them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.spark_ext.test_headers import zero_ten_messages
from transpiler import DecodeError, Message
from transpiler.compiler.layouts.amqp_0_10 import ZeroTenLayout
from transpiler.compiler.layouts.json_rows import read_row
from transpiler.message.sections import Properties

UUID = "01234567-89ab-cdef-0123-456789abcdef"


def test_every_field_is_read() -> None:
    row = read_row(
        {
            "message_properties": {
                "content_length": 5,
                "message_id": UUID,
                "correlation_id": "YWI=",
                "reply_to": {"exchange": "x", "routing_key": "k"},
                "application_headers": {
                    "plain": "a",
                    "tagged": {"type": "int", "value": 7},
                    "from spark": {"type": "long", "boolean": None, "long": 5, "string": None},
                    "short": {"type": "string", "string": "b"},
                    "null": None,
                },
            },
            "delivery_properties": {
                "priority": 4,
                "timestamp": "1970-01-01T00:00:01.5Z",
                "expiration": 7,
                "exchange": "news",
                "routing_key": "eu.x",
            },
        }
    )
    message, delivery = row["message_properties"], row["delivery_properties"]
    assert (message["content_length"], message["message_id"].hex()) == (5, UUID.replace("-", ""))
    assert (message["correlation_id"], message["reply_to"]) == (b"ab", {"exchange": "x", "routing_key": "k"})
    headers = {
        name: {k: v for k, v in value.items() if v is not None}
        for name, value in message["application_headers"].items()
    }
    assert headers == {
        "plain": {"type": "string", "string": "a"},
        "tagged": {"type": "int", "long": 7},
        "from spark": {"type": "long", "long": 5},
        "short": {"type": "string", "string": "b"},
        "null": {"type": "null"},
    }
    assert (delivery["timestamp"], delivery["expiration"], delivery["priority"]) == (1500, 7, 4)
    assert (delivery["exchange"], delivery["routing_key"], delivery["ttl"]) == ("news", "eu.x", None)


def test_absent_structs_are_null() -> None:
    assert read_row({}) == {"message_properties": None, "delivery_properties": None}


@given(message=zero_ten_messages)
def test_what_a_row_holds_reads_back(message: Message) -> None:
    row = ZeroTenLayout().row(message)
    assert read_row(row) == row


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"mesage_properties": {}}, "did you mean message_properties?"),
        ({"delivery_properties": []}, "delivery_properties: expected an object of fields, found an array"),
        ({"delivery_properties": {"key": 1}}, "delivery_properties: AMQP 0-10 has no field called 'key'"),
        ({"delivery_properties": {"routing_key": 5}}, "delivery_properties.routing_key: expected text, found a number"),
        (
            {"delivery_properties": {"priority": 2**15}},
            "delivery_properties.priority: expected an integer of 16 bits, found a number",
        ),
        ({"delivery_properties": {"ttl": True}}, "delivery_properties.ttl: expected an integer, found a boolean"),
        ({"delivery_properties": {"redelivered": 1}}, "expected true or false, found a number"),
        ({"delivery_properties": {"timestamp": "soon"}}, "delivery_properties.timestamp: expected a time, found text"),
        ({"message_properties": {"user_id": "?"}}, "message_properties.user_id: expected bytes in base64, found text"),
        ({"message_properties": {"application_headers": 5}}, "expected an object of names and values, found a number"),
        (
            {"message_properties": {"application_headers": {"a": {"type": "strng", "string": "x"}}}},
            "did you mean string?",
        ),
        ({"message_properties": {"application_headers": {"a": []}}}, "application_headers.a: expected a simple value"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(data: dict[str, Any], expected: str) -> None:
    with pytest.raises(DecodeError) as error:
        read_row(data)
    assert expected in str(error.value)


@pytest.mark.parametrize(
    ("address", "stored"),
    [
        ("replies/eu", {"exchange": "replies", "routing_key": "eu"}),
        ("replies/eu/west", {"exchange": "replies", "routing_key": "eu/west"}),
        ("replies", {"exchange": None, "routing_key": "replies"}),
        ("/eu", {"exchange": None, "routing_key": "/eu"}),
        ("replies/", {"exchange": None, "routing_key": "replies/"}),
        (None, None),
    ],
)
def test_a_reply_address_is_stored_as_an_exchange_and_a_key(address: str | None, stored: dict[str, str] | None) -> None:
    message = Message(properties=Properties(reply_to=address))
    assert ZeroTenLayout().row(message)["message_properties"]["reply_to"] == stored
