"""``Message.of`` creates a message from the names that a selector uses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from transpiler import DecodeError, Message, evaluate
from transpiler.message.message import HEADERS
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue


def test_names_are_header_fields_and_application_properties() -> None:
    assert Message.of(color="red", weight=2600, JMSPriority=7) == Message(
        header=Header(priority=7),
        application_properties={
            "color": AmqpValue(AmqpType.STRING, "red"),
            "weight": AmqpValue(AmqpType.LONG, 2600),
        },
    )
    assert Message.of() == Message()


@pytest.mark.parametrize(
    ("name", "value", "condition"),
    [
        ("JMSMessageID", "ID:a", "= 'ID:a'"),
        ("JMSMessageID", "ID:AMQP_ULONG:42", "= 'ID:AMQP_ULONG:42'"),
        ("JMSCorrelationID", "order-1", "= 'order-1'"),
        ("JMSTimestamp", 1_719_236_300_000, "= 1719236300000"),
        ("JMSTimestamp", "2024-06-24T13:38:20Z", "= 1719236300000"),
        ("JMSTimestamp", datetime(2024, 6, 24, 15, 38, 20, tzinfo=timezone(timedelta(hours=2))), "= 1719236300000"),
        ("JMSExpiration", 5, "= 5"),
        ("JMSDeliveryTime", 5, "= 5"),
        ("JMSReplyTo", "q", "= 'q'"),
        ("JMSDestination", "q", "= 'q'"),
        ("JMSType", "order", "= 'order'"),
        ("JMSPriority", 9, "= 9"),
        ("JMSDeliveryMode", "PERSISTENT", "= 'PERSISTENT'"),
        ("JMSDeliveryMode", 2, "= 'PERSISTENT'"),
        ("JMSDeliveryMode", 1, "= 'NON_PERSISTENT'"),
        ("JMSRedelivered", True, "= TRUE"),
        ("JMSXDeliveryCount", 3, "= 3"),
        ("JMSXUserID", "guest", "= 'guest'"),
        ("JMSXGroupID", "g", "= 'g'"),
        ("JMSXGroupSeq", -5, "= -5"),
        ("JMS_AMQP_TTL", 60_000, "= 60000"),
        ("JMS_AMQP_FIRST_ACQUIRER", True, "= TRUE"),
        ("JMS_AMQP_REPLY_TO_GROUP_ID", "g", "= 'g'"),
        ("JMSXAppID", "shop", "= 'shop'"),
        ("JMS_IBM_Format", "MQSTR", "= 'MQSTR'"),
    ],
)
def test_a_selector_sees_the_value_that_was_given(name: str, value: Any, condition: str) -> None:
    assert evaluate(f"{name} {condition}", Message.of(**{name: value})) is True


def test_every_header_field_that_a_selector_can_read_is_known() -> None:
    from transpiler.message.jms_fields import JMS_FIELDS

    named = {name for name, field in JMS_FIELDS.table.items() if name.startswith("JMS") and field.message_fields}
    assert named - {"JMSXAppID"} == set(HEADERS)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, AmqpValue(AmqpType.NULL, None)),
        (True, AmqpValue(AmqpType.BOOLEAN, True)),
        (5, AmqpValue(AmqpType.LONG, 5)),
        (0.5, AmqpValue(AmqpType.DOUBLE, 0.5)),
        ("a", AmqpValue(AmqpType.STRING, "a")),
        (b"a", AmqpValue(AmqpType.BINARY, b"a")),
        (UUID(int=5), AmqpValue(AmqpType.UUID, UUID(int=5))),
        (Decimal("0.1"), AmqpValue(AmqpType.DECIMAL128, Decimal("0.1"))),
        (datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), AmqpValue(AmqpType.TIMESTAMP, 1000)),
        ({"type": "short", "value": 5}, AmqpValue(AmqpType.SHORT, 5)),
        (AmqpValue(AmqpType.CHAR, "a"), AmqpValue(AmqpType.CHAR, "a")),
    ],
)
def test_a_property_has_the_type_of_its_plain_value(value: Any, expected: AmqpValue) -> None:
    assert Message.of(x=value).application_properties == {"x": expected}


def test_a_count_of_deliveries_goes_before_the_flag() -> None:
    message = Message.of(JMSXDeliveryCount=4, JMSRedelivered=True)
    assert evaluate("JMSXDeliveryCount = 4 AND JMSRedelivered = TRUE", message) is True
    assert Message.of(JMSRedelivered=False).header == Header(delivery_count=0)


def test_names_that_python_uses_itself_are_names_of_properties() -> None:
    assert evaluate("self = 1 AND cls = 2", Message.of(self=1, cls=2)) is True


def test_a_header_field_that_is_null_is_absent() -> None:
    assert Message.of(JMSType=None, JMSPriority=None) == Message()
    assert Message.of(JMSType="").properties == Properties(subject="")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"JMSPriority": "7"}, "JMSPriority: expected an integer, found text"),
        ({"JMSPriority": 256}, "JMSPriority: 256 is outside the range 0 to 255"),
        ({"JMSDeliveryMode": "persistent"}, "JMSDeliveryMode: expected PERSISTENT, NON_PERSISTENT, 2 or 1, found"),
        ({"JMSTimestamp": "2024-06-24T13:38:20"}, "JMSTimestamp: expected a time with its zone"),
        ({"JMSTimestamp": "yesterday"}, "JMSTimestamp: expected a time, found 'yesterday'"),
        ({"JMSXDeliveryCount": 0}, "JMSXDeliveryCount: expected an integer from 1"),
        (
            {"JMSMessageID": "ID:AMQP_ULONG:x"},
            "JMSMessageID: 'ID:AMQP_ULONG:x' is not a valid ID of the AMQP type ulong",
        ),
        ({"weight": 2**70}, "weight: "),
        ({"tags": ["a"]}, "tags: expected a simple value, found an array"),
        ({"place": {"city": "Bonn"}}, "place: expected a simple value, found an object"),
        ({"aplication_properties": {"color": "red"}}, "did you mean application_properties?"),
    ],
)
def test_what_does_not_fit_is_an_error_with_its_name(values: dict[str, Any], text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        Message.of(**values)
    assert text in str(caught.value)
