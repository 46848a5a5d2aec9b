"""The JMS mapping, working draft 10, for reading a message: every MUST, in the order of the document."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import Message, evaluate
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.message.receiver import ANYONE, Receiver
from transpiler.reference.headers import header_value


def read(name: str, receiver: Receiver = ANYONE, **sections: Any) -> Any:
    operand = header_value(JMS_FIELDS.table[name], Message.from_dict(sections), receiver=receiver)
    return None if operand is None else operand.value


def annotated(**annotations: Any) -> dict[str, Any]:
    return {key.replace("_", "-"): value for key, value in annotations.items()}


def test_3_2_1_1_binary_ids_read_in_upper_case_and_both_cases_are_accepted() -> None:
    message = Message.from_dict({"properties": {"correlation_id": {"type": "binary", "value": "q83v"}}})
    assert read("JMSCorrelationID", properties=message.to_dict()["properties"]) == "ID:AMQP_BINARY:ABCDEF"
    assert evaluate("JMSCorrelationID = 'ID:AMQP_BINARY:abcdef'", message) is True
    assert evaluate("JMSCorrelationID IN ('ID:AMQP_BINARY:abcdef')", message) is True


def test_3_2_2_jmsxappid_is_stored_in_the_application_properties() -> None:
    assert read("JMSXAppID", application_properties={"JMSXAppID": "billing"}) == "billing"


@pytest.mark.parametrize(
    ("durable", "mode"), [(True, "PERSISTENT"), (False, "NON_PERSISTENT"), (None, "NON_PERSISTENT")]
)
def test_3_3_1_durable_is_the_delivery_mode(durable: bool | None, mode: str) -> None:
    assert read("JMSDeliveryMode", header={"durable": durable}) == mode
    assert read("JMSDeliveryMode") == "NON_PERSISTENT"


@pytest.mark.parametrize(("priority", "seen"), [(0, 0), (9, 9), (10, 9), (255, 9), (None, 4)])
def test_3_3_1_a_priority_above_9_is_9_and_an_unset_one_the_default(priority: int | None, seen: int) -> None:
    assert read("JMSPriority", header={"priority": priority}) == seen
    assert read("JMSPriority") == 4


@pytest.mark.parametrize(
    ("count", "redelivered", "seen"), [(0, False, 1), (1, True, 2), (7, True, 8), (None, False, 1)]
)
def test_3_3_1_redelivered_is_true_if_and_only_if_the_delivery_count_is_above_0(
    count: int | None, redelivered: bool, seen: int
) -> None:
    assert read("JMSRedelivered", header={"delivery_count": count}) is redelivered
    assert read("JMSXDeliveryCount", header={"delivery_count": count}) == seen


def test_3_3_2_an_absolute_expiry_time_is_the_expiration() -> None:
    times = {"absolute_expiry_time": 1_800_000_000_000, "creation_time": 1_700_000_000_000}
    assert read("JMSExpiration", properties=times, header={"ttl": 5}) == 1_800_000_000_000


def test_3_3_2_without_an_absolute_expiry_time_the_expiration_is_based_on_the_ttl() -> None:
    assert read("JMSExpiration", properties={"creation_time": 1_000}, header={"ttl": 5}) == 1_005
    assert read("JMSExpiration", properties={"creation_time": 1_000}) == 0
    assert read("JMSExpiration", receiver=Receiver(now=2_000), header={"ttl": 5}) == 2_005
    assert read("JMSExpiration", receiver=Receiver(now=2_000), properties={"creation_time": 1_000}) == 0
    assert read("JMSExpiration", receiver=Receiver(now=2_000)) == 0
    times = {"creation_time": 1_000, "absolute_expiry_time": 1_500}
    assert read("JMSExpiration", receiver=Receiver(now=2_000), properties=times, header={"ttl": 5}) == 1_500


def test_3_3_2_without_a_to_the_destination_is_that_of_the_consumer() -> None:
    consumer = Receiver(destination="q")
    assert read("JMSDestination", receiver=consumer) == "q"
    assert read("JMSDestination", receiver=consumer, properties={}) == "q"
    assert read("JMSDestination", receiver=consumer, properties={"to": "r"}) == "r"
    assert read("JMSDestination", receiver=consumer, properties={"to": ""}) == ""
    assert read("amqp.to", receiver=consumer) is None
    assert read("JMSDestination") is None


def test_3_3_2_without_a_creation_time_the_timestamp_is_zero() -> None:
    assert read("JMSTimestamp", properties={}) == 0
    assert read("JMSTimestamp") == 0


def test_3_3_2_a_creation_time_is_the_timestamp() -> None:
    assert read("JMSTimestamp", properties={"creation_time": 1_700_000_000_123}) == 1_700_000_000_123


@pytest.mark.parametrize(
    ("sequence", "seen"), [(0, 0), (2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (2**32 - 1, -1), (None, None)]
)
def test_3_3_2_a_group_sequence_from_2_to_the_31st_is_negative(sequence: int | None, seen: int | None) -> None:
    assert read("JMSXGroupSeq", properties={"group_sequence": sequence}) == seen


def test_3_3_2_the_reply_to_group_id_is_a_vendor_property() -> None:
    assert read("JMS_AMQP_REPLY_TO_GROUP_ID", properties={"reply_to_group_id": "g"}) == "g"
    assert read("JMS_AMQP_REPLY_TO_GROUP_ID") is None


@pytest.mark.parametrize("code", range(6))
@pytest.mark.parametrize("integral", ["byte", "ubyte", "short", "int", "long", "ulong"])
def test_3_3_4_1_the_annotation_decides_the_type_of_the_message(code: int, integral: str) -> None:
    names = ("Message", "ObjectMessage", "MapMessage", "BytesMessage", "StreamMessage", "TextMessage")
    annotations = {"x-opt-jms-msg-type": {"type": integral, "value": code}}
    body = {"section": "data", "data": "AA=="}
    assert Message.from_dict({"message_annotations": annotations, "body": body}).message_type == names[code]


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        (None, "BytesMessage"),
        ("application/octet-stream", "BytesMessage"),
        ("image/png", "BytesMessage"),
        ("application/x-java-serialized-object", "ObjectMessage"),
        ("text/plain", "TextMessage"),
        ("text/plain; charset=utf-8", "TextMessage"),
        ("TEXT/HTML", "TextMessage"),
        ("application/xml", "TextMessage"),
        ("application/xml-dtd", "TextMessage"),
        ("application/soap+xml", "TextMessage"),
        ("application/json", "TextMessage"),
        ("application/cloudevents+json;charset=utf-8", "TextMessage"),
        ("application/javascript", "TextMessage"),
        ("application/ecmascript", "TextMessage"),
        ("application/jsonish", "BytesMessage"),
        ("model/x+xml", "BytesMessage"),
    ],
)
def test_3_3_4_3_the_content_type_of_data_decides(content_type: str | None, kind: str) -> None:
    message = {"properties": {"content_type": content_type}, "body": {"section": "data", "data": ""}}
    assert Message.from_dict(message).message_type == kind


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("text", "TextMessage"),
        (None, "TextMessage"),
        ({"type": "binary", "value": "AA=="}, "BytesMessage"),
        (5, "ObjectMessage"),
        ({"type": "symbol", "value": "a"}, "ObjectMessage"),
        ({"type": "timestamp", "value": 5}, "ObjectMessage"),
        ({"type": "map"}, "ObjectMessage"),
        ({"type": "list"}, "ObjectMessage"),
    ],
)
def test_3_3_4_4_an_amqp_value_decides_by_its_type(value: Any, kind: str) -> None:
    assert Message.from_dict({"body": {"section": "amqp-value", "value": value}}).message_type == kind


def test_3_3_4_5_an_amqp_sequence_is_an_object_message() -> None:
    assert Message.from_dict({"body": {"section": "amqp-sequence"}}).message_type == "ObjectMessage"


def test_4_the_vendor_properties_have_the_types_of_their_fields() -> None:
    header = {"ttl": 2**32 - 1, "first_acquirer": True}
    assert read("JMS_AMQP_TTL", header=header) == 2**32 - 1
    assert read("JMS_AMQP_FIRST_ACQUIRER", header=header) is True
    assert read("JMS_AMQP_TTL") is read("JMS_AMQP_FIRST_ACQUIRER") is None


@pytest.mark.parametrize("integral", ["ubyte", "ushort", "uint", "ulong", "byte", "short", "int", "long"])
def test_5_1_any_integral_type_says_the_kind_of_a_destination(integral: str) -> None:
    for code, kind in enumerate(("queue", "topic", "temporary-queue", "temporary-topic")):
        value = {"type": integral, "value": code}
        annotations = {"x-opt-jms-dest": value, "x-opt-jms-reply-to": value}
        message = Message.from_dict({"message_annotations": annotations})
        assert message.destination_type == message.reply_to_type == kind


@pytest.mark.parametrize("value", [None, 4, -1, "queue", True, {"type": "double", "value": 0}])
def test_5_1_without_a_kind_it_is_the_consumers(value: Any) -> None:
    message = Message.from_dict({"message_annotations": {"x-opt-jms-dest": value}})
    assert message.destination_type is None
    assert Message().destination_type is Message().reply_to_type is None


def test_9_the_annotation_is_the_delivery_time_and_without_it_the_timestamp() -> None:
    created = {"creation_time": 1_000}
    annotations = annotated(x_opt_delivery_time=5_000)
    assert read("JMSDeliveryTime", message_annotations=annotations, properties=created) == 5_000
    assert read("JMSDeliveryTime", properties=created) == 1_000
    assert (
        read("JMSDeliveryTime", message_annotations=annotated(x_opt_delivery_time="late"), properties=created) == 1_000
    )
    assert read("JMSDeliveryTime") == 0


def test_a_user_id_is_its_utf_8_text() -> None:
    assert read("JMSXUserID", properties={"user_id": "w6l0w6k="}) == "été"
    assert read("JMSXUserID", properties={"user_id": "/wA="}) == "\N{REPLACEMENT CHARACTER}\0"


@pytest.mark.parametrize("name", ["JMSXProducerTXID", "JMSXConsumerTXID", "JMSXRcvTimestamp", "JMSXState"])
def test_what_amqp_does_not_carry_is_missing(name: str) -> None:
    assert evaluate(f"{name} IS NULL", Message.from_dict({"application_properties": {name: "x"}})) is True


@pytest.mark.parametrize(
    ("sections", "selector", "verdict"),
    [
        ({"header": {"durable": True}}, "amqp.durable = TRUE", True),
        ({}, "amqp.durable", False),
        ({"header": {"priority": 200}}, "amqp.priority = 200 AND JMSPriority = 9", True),
        ({}, "amqp.priority = 4", True),
        ({}, "amqp.first_acquirer = FALSE AND amqp.delivery_count = 0", True),
        ({}, "amqp.ttl IS NULL AND amqp.creation_time IS NULL", True),
        ({"properties": {"message_id": 42}}, "amqp.message_id = 42", True),
        ({"properties": {"message_id": "m-1"}}, "amqp.message_id = 'm-1'", True),
        ({"properties": {"message_id": "m-1"}}, "JMSMessageID = 'ID:AMQP_NO_PREFIX:m-1'", True),
        ({"properties": {"subject": "s"}}, "JMSType = 's' AND amqp.subject = 's' AND amqp.jms_type IS NULL", True),
        ({"message_annotations": {"x-opt-jms-type": "t"}}, "JMSType = 't' AND amqp.jms_type = 't'", True),
        ({"message_annotations": {"jms-type": "t"}}, "JMSType = 't' AND amqp.jms_type = 't'", True),
        ({"message_annotations": {"x-opt-tenant": 7}}, "amqp.annotation.x_opt_tenant = 7", True),
        ({"message_annotations": {"a_b": 1, "a-b": 2}}, "amqp.annotation.a_b = 1", True),
        ({}, "amqp.annotation.x_opt_tenant = 7", None),
        # A hyphen after the prefix belongs to the name, up to a blank or an operator.
        (
            {"message_annotations": {"x-opt-n": 7}},
            "amqp.annotation.x-opt-n=7 AND amqp.annotation.x-opt-n - 2 = 5",
            True,
        ),
        (
            {"message_annotations": {"x-opt-n": 7}},
            "amqp.annotation.x-opt-n+1 = 8 AND (amqp.annotation.x-opt-n)-1=6",
            True,
        ),
        ({"message_annotations": {"x-a_b": 1, "x-a-b": 2}}, "amqp.annotation.x-a_b = 1", True),
        ({"message_annotations": {"x-a-b": 2}}, "amqp.annotation.x-a_b = 2", True),
        ({"message_annotations": {"x-opt-n": 7}}, "amqp.annotation.x-opt-n > 6 AND 8 > amqp.annotation.x-opt-n", True),
        # Event Hubs' offset is a number as text.
        ({"message_annotations": {"x-opt-offset": "200"}}, "amqp.annotation.x-opt-offset > '100'", True),
        ({"message_annotations": {"x-opt-offset": "99"}}, "amqp.annotation.x-opt-offset > '100'", False),
        ({"message_annotations": {"x-opt-offset": 99}}, "'100.5' > amqp.annotation.x-opt-offset", True),
        ({"message_annotations": {"x-opt-offset": "9"}}, "amqp.annotation.x-opt-offset BETWEEN '8' AND '10'", True),
        ({"message_annotations": {"x-opt-offset": "0100"}}, "amqp.annotation.x-opt-offset = '100'", False),
        ({"message_annotations": {"x-opt-offset": "@latest"}}, "amqp.annotation.x-opt-offset > '100'", False),
        ({}, "amqp.annotation.x-opt-offset > '100'", None),
        ({"properties": {"group_sequence": 2**32 - 1}}, "amqp.group_sequence = 4294967295 AND JMSXGroupSeq = -1", True),
    ],
)
def test_the_names_of_the_wire_yield_the_field_itself(
    sections: dict[str, Any], selector: str, verdict: bool | None
) -> None:
    assert evaluate(selector, Message.from_dict(sections)) is verdict
