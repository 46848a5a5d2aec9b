"""Header fields in Spark: AMQP 0-10 archives, ids of all types in one column, message classes."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_ext import compile_selector, create_messages, destination_type, infer_layout, message_type, reply_to_type
from tests.compiler.sql_text import bare
from tests.sizes import sample, size
from tests.spark_ext import strategies
from tests.spark_ext.harness import numbered
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import EXAMPLES, INTERPRETED, MESSAGES, PHASES, assert_agreement
from transpiler import LayoutError, Message, evaluate, print_selector, transpile_selector
from transpiler.compiler.layouts.amqp_0_10 import ZeroTenLayout
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.message.sections import Body, Header, Properties
from transpiler.message.types import AmqpType, AmqpValue, Compound

#: Names that AMQP 0-10 cannot represent: it knows whether a message was delivered before, but not how often.
COUNTED = ("JMSXDeliveryCount", "amqp.delivery_count")
ZERO_TEN_NAMES = tuple(name for name in JMS_FIELDS.table if name not in COUNTED)

uuids = st.sampled_from(strategies.UUIDS).map(lambda uuid: AmqpValue(AmqpType.UUID, uuid))
strings = strategies.texts.map(lambda text: AmqpValue(AmqpType.STRING, text))
addresses = st.sampled_from(("q", "amq.topic/usd.stock", "a/b/c", "/x", "x/", "été"))
optional = st.none()

zero_ten_messages = st.builds(
    Message,
    header=st.one_of(
        optional,
        st.builds(
            Header,
            durable=st.sampled_from((None, True, False)),
            priority=st.one_of(optional, st.integers(0, 12)),
            ttl=st.one_of(optional, strategies.uints),
            delivery_count=st.sampled_from((None, 0, 1)),
        ),
    ),
    properties=st.one_of(
        optional,
        st.builds(
            Properties,
            message_id=st.one_of(optional, uuids),
            user_id=st.one_of(optional, st.sampled_from(strategies.BYTES)),
            subject=st.one_of(optional, strategies.texts),
            reply_to=st.one_of(optional, addresses),
            correlation_id=st.one_of(optional, strings),
            content_type=st.sampled_from((None, "a", "text/plain")),
            creation_time=strategies.times,
            absolute_expiry_time=strategies.times,
        ),
    ),
    application_properties=st.one_of(
        optional, st.dictionaries(st.sampled_from(strategies.NAMES[:-1]), strategies.values, max_size=3)
    ),
)


@given(data=st.data())
@settings(max_examples=EXAMPLES // 2, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_an_archive_of_amqp_0_10(spark: SparkSession, data: st.DataObject) -> None:
    trees = data.draw(st.lists(strategies.selectors(strategies.NAMES * 2 + ZERO_TEN_NAMES), min_size=30, max_size=30))
    messages = data.draw(st.lists(zero_ten_messages, min_size=MESSAGES, max_size=MESSAGES))
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, messages, "amqp-0-10"))
        assert_agreement(frame, "amqp-0-10", [print_selector(tree) for tree in trees], messages)


@pytest.mark.parametrize(
    ("selector", "sql"),
    [
        ("JMSType = 'x'", "message_properties.application_headers['qpid.subject'].string = 'x'"),
        ("JMSDeliveryMode = 'PERSISTENT'", "delivery_properties.delivery_mode = 2"),
        ("JMSPriority > 6", "delivery_properties.priority > 6"),
        ("JMSRedelivered", "delivery_properties.redelivered"),
        ("JMSCorrelationID = 'c'", "message_properties.correlation_id = X'63'"),
        ("JMSXUserID = 'bob'", "message_properties.user_id = X'626F62'"),
        ("amqp.content_type = 'a'", "message_properties.content_type = 'a'"),
        ("JMS_AMQP_TTL > 5", "delivery_properties.ttl > 5"),
        ("color = 'blue'", "message_properties.application_headers['color'].string = 'blue'"),
        (
            "JMSMessageID = 'ID:AMQP_UUID:0123abcd-0123-0123-0123-0123456789ab'",
            "message_properties.message_id = X'0123ABCD0123012301230123456789AB'",
        ),
    ],
)
def test_the_names_resolve_over_amqp_0_10_by_table_19_1(selector: str, sql: str) -> None:
    assert bare(transpile_selector(selector, "amqp-0-10").sql) == sql


def test_an_archive_of_amqp_0_10_shows_what_it_is(spark: SparkSession) -> None:
    frame = create_messages(spark, [Message()], "amqp-0-10")
    assert infer_layout(frame) == ZeroTenLayout()
    with pytest.raises(LayoutError, match=r"JMSDestination is read from properties\.to"):
        compile_selector("JMSDestination = 'q'", frame)


MIXED = (*strategies.IDS, None)


@pytest.mark.parametrize(
    "selector",
    [
        "amqp.annotation.x-opt-offset > '100'",
        "amqp.annotation.x-opt-offset BETWEEN '8' AND 150.5",
        "amqp.annotation.x-opt-offset = '99'",
        "amqp.annotation.x-opt-offset + 1 <= 200",
        "amqp.annotation.x-opt-offset IS NULL",
    ],
)
def test_an_annotation_with_a_number_in_a_text_is_ordered_as_the_number(spark: SparkSession, selector: str) -> None:
    values = ("200", "99", "0100", "1e3", "@latest", "", 150, 99.5, True, None)
    messages = [Message.from_dict({"message_annotations": {"x-opt-offset": value}}) for value in values]
    messages.append(Message())
    rows = create_messages(spark, messages).select(compile_selector(selector, result="ternary").alias("t")).collect()
    assert [row.t for row in rows] == [evaluate(selector, message) for message in messages]


@pytest.mark.parametrize(("name", "field"), [("JMSMessageID", "message_id"), ("JMSCorrelationID", "correlation_id")])
def test_ids_of_all_types_mix_in_one_column(spark: SparkSession, name: str, field: str) -> None:
    messages = [Message(properties=Properties(**{field: value})) for value in MIXED]  # type: ignore[arg-type]
    selectors = [
        selector
        for text in sorted(set(strategies.ID_TEXTS))
        for selector in (
            f"{name} = '{text}'",
            f"{name} <> '{text}'",
            f"{name} IN ('{text}', 'ID:a', 'ID:AMQP_ULONG:5')",
            f"{name} NOT IN ('{text}', 'abc')",
            f"{name} LIKE '{text}%'",
            f"{name} LIKE '%{text[-1:]}'",
        )
    ]
    selectors += [f"{name} NOT LIKE 'ID:AMQP!_%' ESCAPE '!'", f"{name} IS NULL"]
    selectors = sample(selectors, 60)
    with spark_settings(spark, INTERPRETED):
        assert_agreement(numbered(create_messages(spark, messages)), "amqp", selectors, messages)


#: Ids, and what Artemis reads as AMQUserID: the text of Proton's classes with the prefix ID:.
USER_IDS = (
    (AmqpValue(AmqpType.STRING, "a"), "ID:a"),
    (AmqpValue(AmqpType.STRING, "ID:a"), "ID:a"),
    (AmqpValue(AmqpType.STRING, "id:\\"), "ID:id:\\"),
    (AmqpValue(AmqpType.ULONG, 5), "ID:5"),
    (AmqpValue(AmqpType.ULONG, 2**64 - 1), "ID:18446744073709551615"),
    (
        AmqpValue(AmqpType.UUID, UUID("0123abcd-0123-0123-0123-0123456789ab")),
        "ID:0123abcd-0123-0123-0123-0123456789ab",
    ),
    (AmqpValue(AmqpType.BINARY, b"ID:x ~"), "ID:x ~"),
    (AmqpValue(AmqpType.BINARY, b"\x00a\\\x7f\xff"), r"ID:\x00a\x5c\x7f\xff"),
    (AmqpValue(AmqpType.BINARY, b""), "ID:"),
)


@pytest.mark.parametrize("name", ["AMQUserID", "JMSMessageID"])
def test_artemis_reads_an_id_as_the_text_that_proton_writes(spark: SparkSession, name: str) -> None:
    messages = [Message(properties=Properties(message_id=value)) for value, _ in USER_IDS] + [Message()]
    texts = [text for _, text in USER_IDS]
    equal = [f"{name} = '{text}'" for text in texts]
    for selector, text in zip(equal, texts, strict=True):
        matched = [evaluate(selector, message, "artemis") for message in messages]
        assert matched == [*(other == text for other in texts), None]
    others = [f"{name} <> '{text}'" for text in texts]
    others += [f"{name} IS NULL", f"{name} LIKE 'ID:x%'", f"{name} IN ('ID:5', 'ID:a')", f"{name} NOT LIKE '%x5c%'"]
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, messages))
        assert_agreement(frame, "amqp", [*equal, *others], messages, dialect="artemis")


@pytest.mark.parametrize(
    ("selector", "sql"),
    [
        ("JMSMessageID = 'ID:a'", "properties.message_id.string = 'ID:a'"),
        ("JMSMessageID = 'ID:AMQP_NO_PREFIX:a'", "properties.message_id.string = 'a'"),
        ("JMSMessageID = 'ID:AMQP_ULONG:18446744073709551615'", "properties.message_id.long = -1"),
        (
            "JMSMessageID = 'ID:AMQP_UUID:0123ABCD-0123-0123-0123-0123456789ab'",
            "properties.message_id.type = 'uuid' "
            "AND properties.message_id.binary = X'0123ABCD0123012301230123456789AB'",
        ),
        ("JMSMessageID = 'ID:AMQP_BINARY:abc'", "false"),
        ("JMSCorrelationID = 'abc'", "properties.correlation_id.string = 'abc'"),
        ("JMSCorrelationID LIKE 'order-%'", "startswith(properties.correlation_id.string, 'order-')"),
    ],
)
def test_an_id_is_compared_as_what_it_is(selector: str, sql: str) -> None:
    assert bare(transpile_selector(selector).sql) == sql


CONTENT_TYPES = (
    *(None, "text/plain", "Text/HTML; a=b", "application/json", "application/a+XML ;q", "a/b", "application/+xml"),
    *("application/x-java-serialized-object", "application/octet-stream", "xtext/plain", "application/xml+"),
)
values = st.one_of(optional, strategies.values, st.sampled_from(Compound))
kinds = st.builds(
    Message,
    message_annotations=st.one_of(
        optional,
        st.dictionaries(
            st.sampled_from(("x-opt-jms-msg-type", "x-opt-jms-dest", "x-opt-jms-reply-to")),
            st.one_of(strategies.values, st.integers(0, 6).map(lambda code: AmqpValue(AmqpType.BYTE, code))),
        ),
    ),
    properties=st.one_of(
        optional,
        st.builds(
            Properties,
            content_type=st.sampled_from(CONTENT_TYPES),
        ),
    ),
    body=st.one_of(
        optional,
        st.builds(Body, section=st.sampled_from((None, "data", "amqp-value", "amqp-sequence")), value=values),
    ),
)


@given(messages=st.lists(kinds, min_size=200, max_size=200))
@settings(max_examples=size(2, 6), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_the_class_of_a_message_and_the_kinds_of_its_destinations_are_columns(
    spark: SparkSession, messages: list[Message]
) -> None:
    frame = numbered(create_messages(spark, messages)).select(
        "id", message_type(), destination_type(), reply_to_type(consumer="topic")
    )
    found = [tuple(row)[1:] for row in sorted(frame.collect(), key=lambda row: row[0])]
    assert found == [
        (message.message_type, message.destination_type, message.reply_to_type or "topic") for message in messages
    ]
