"""Header names in JMS's form and the wire's: a translated selector selects the same messages, or there is an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.spark import strategies
from transpiler import Message, UnsupportedFeatureError, evaluate, parse_selector, print_selector, translate_names
from transpiler.message.jms_fields import JMS_FIELDS, WIRE
from transpiler.selector.header_links import STANDARD as VOCABULARY

#: Both ways.
EQUAL = [
    ("JMSCorrelationID = 'abc' AND color = 'blue'", "amqp.correlation_id = 'abc' AND color = 'blue'"),
    ("JMSCorrelationID IN ('a', 'b')", "amqp.correlation_id IN ('a', 'b')"),
    ("JMSCorrelationID LIKE 'order-%'", "amqp.correlation_id LIKE 'order-%'"),
    ("JMSMessageID = 'ID:a'", "amqp.message_id = 'ID:a'"),
    ("JMSMessageID = 'ID:AMQP_NO_PREFIX:a'", "amqp.message_id = 'a'"),
    ("JMSMessageID = 'ID:AMQP_ULONG:42'", "amqp.message_id = 42"),
    ("JMSMessageID IS NULL", "amqp.message_id IS NULL"),
    ("JMSDeliveryMode = 'PERSISTENT'", "amqp.durable = TRUE"),
    ("JMSDeliveryMode <> 'PERSISTENT'", "amqp.durable <> TRUE"),
    ("NOT JMSDeliveryMode = 'NON_PERSISTENT'", "NOT amqp.durable = FALSE"),
    ("JMSPriority > 6", "amqp.priority > 6"),
    ("JMSPriority BETWEEN 2 AND 5", "amqp.priority BETWEEN 2 AND 5"),
    ("JMSXDeliveryCount > 2", "amqp.delivery_count > 1"),
    ("JMSXGroupID = 'g'", "amqp.group_id = 'g'"),
    ("JMSXGroupSeq = -1", "amqp.group_sequence = 4294967295"),
    ("JMSReplyTo LIKE 'q.%'", "amqp.reply_to LIKE 'q.%'"),
    ("JMSDestination = 'q' OR x > 1", "amqp.to = 'q' OR x > 1"),
    ("JMSTimestamp > 5", "amqp.creation_time > 5"),
    ("NOT JMSTimestamp < 5", "NOT amqp.creation_time < 5"),
    ("JMS_AMQP_TTL > 5", "amqp.ttl > 5"),
    ("JMSXUserID IS NOT NULL", "amqp.user_id IS NOT NULL"),
    ("JMSXAppID = 'billing'", "JMSXAppID = 'billing'"),
]

#: One way only, for the other form says it at greater length.
ONE_WAY = [
    ("amqp", "JMSPriority <> 9", "amqp.priority <= 8"),
    ("amqp", "JMSPriority = 9", "amqp.priority >= 9"),
    ("amqp", "JMSRedelivered", "amqp.delivery_count > 0"),
    ("amqp", "JMSRedelivered = FALSE", "(amqp.delivery_count > 0) = FALSE"),
    ("amqp", "JMSMessageID <> 'ID:a'", "NOT amqp.message_id = 'ID:a'"),
    ("amqp", "JMSMessageID = 'ID:AMQP_ULONG:18446744073709551615'", "amqp.message_id = -1"),
    ("amqp", "JMSDeliveryMode IN ('PERSISTENT')", "amqp.durable = TRUE"),
    ("amqp", "5 < JMSPriority", "amqp.priority > 5"),
    ("amqp", "JMSPriority > 9.5", "amqp.priority < 0"),
    (
        "amqp",
        "JMSTimestamp < 5",
        "amqp.creation_time IS NOT NULL AND amqp.creation_time < 5 OR amqp.creation_time IS NULL",
    ),
    ("amqp", "JMSTimestamp IS NULL", "FALSE"),
    # LIKE and IN are unknown of an id that is no string, and the JMS text of such an id is one.
    (
        "amqp",
        "JMSCorrelationID NOT LIKE 'order-%'",
        "amqp.correlation_id NOT LIKE 'order-%' OR NOT (amqp.correlation_id = '' OR amqp.correlation_id <> '')",
    ),
    ("amqp", "JMSCorrelationID NOT IN ('a', 'b')", "NOT (amqp.correlation_id = 'a' OR amqp.correlation_id = 'b')"),
    (
        "jms",
        "amqp.correlation_id NOT IN ('a')",
        "JMSCorrelationID NOT IN ('a') AND JMSCorrelationID NOT LIKE 'ID:AMQP!_BINARY:%' ESCAPE '!' "
        "AND JMSCorrelationID NOT LIKE 'ID:AMQP!_UUID:%' ESCAPE '!' "
        "AND JMSCorrelationID NOT LIKE 'ID:AMQP!_ULONG:%' ESCAPE '!'",
    ),
    ("jms", "amqp.durable IS NULL", "JMSDeliveryMode IS NULL"),
    (
        "amqp",
        "JMSType = 'x'",
        "amqp.subject IS NOT NULL AND amqp.subject = 'x' OR amqp.subject IS NULL AND amqp.jms_type = 'x'",
    ),
    ("amqp", "JMSType IS NULL", "amqp.subject IS NULL AND amqp.jms_type IS NULL"),
    ("amqp", "JMSXDeliveryCount + 1 > x", "amqp.delivery_count + 1 + 1 > x"),
    ("jms", "amqp.durable AND x = 1", "JMSDeliveryMode = 'PERSISTENT' AND x = 1"),
    ("jms", "amqp.durable = flag", "(JMSDeliveryMode = 'PERSISTENT') = flag"),
    ("jms", "amqp.group_sequence > 100", "JMSXGroupSeq <= -1 OR JMSXGroupSeq >= 101"),
    ("jms", "amqp.delivery_count > 0", "JMSXDeliveryCount > 1"),
]


@pytest.mark.parametrize(("jms", "wire"), EQUAL)
def test_both_forms_translate_into_each_other(jms: str, wire: str) -> None:
    assert translate_names(jms, "amqp") == wire
    assert translate_names(wire, "jms") == jms


@pytest.mark.parametrize(("form", "given_", "expected"), ONE_WAY)
def test_a_form_is_said_in_the_other(form: str, given_: str, expected: str) -> None:
    assert translate_names(given_, form) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("amqp", "JMSXUserID = 'bob'", "no literal of a selector is the bytes"),
        ("amqp", "JMSMessageID = 'ID:AMQP_BINARY:AB'", "no literal of a selector is binary"),
        ("amqp", "JMSMessageID = 'abc'", "no id has the text 'abc'"),
        ("amqp", "JMSMessageID LIKE '%x'", "may match the text of an id that is no string"),
        ("amqp", "JMSXState = 1", "AMQP has no counterpart"),
        ("amqp", "JMSPriority * 2 > 5", "beside a literal only"),
        ("amqp", "JMSDeliveryTime > 5", "an integer only"),
        ("amqp", "JMSExpiration > 5", "the wire has no name for now"),
        ("jms", "amqp.priority = 9", "does not tell all of these values apart"),
        ("jms", "amqp.priority > 100", "does not tell all of these values apart"),
        ("jms", "amqp.creation_time < 5", "where the field is absent"),
        ("jms", "NOT amqp.creation_time > 5", "where the field is absent"),
        ("jms", "amqp.message_id <> 'a'", "an id is not like this"),
        ("jms", "amqp.subject = 'x'", "JMSType reads amqp.subject, and other fields"),
        ("jms", "amqp.jms_type = 'x'", "JMSType reads amqp.jms_type, and other fields"),
        ("jms", "amqp.content_type = 'x'", "JMS has no name for amqp.content_type"),
        ("jms", "amqp.annotation.x_opt_a = 1", "JMS has no name for amqp.annotation.x_opt_a"),
    ],
)
def test_what_has_no_exact_counterpart_is_an_error(form: str, text: str, said: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        translate_names(text, form)  # type: ignore[arg-type]
    [finding] = caught.value.diagnostics
    assert finding.code == "names.no-counterpart"
    assert said in finding.message
    assert finding.span is not None
    assert finding.hint


#: By the table of the older document, both ways: whatever stands beside the name.
STANDARD = [
    ("JMSCorrelationID = 'abc' AND color = 'blue'", "amqp.correlation_id = 'abc' AND color = 'blue'"),
    ("JMSCorrelationID <> 'ID:AMQP_ULONG:5'", "amqp.correlation_id <> 'ID:AMQP_ULONG:5'"),
    ("JMSDeliveryMode = 'PERSISTENT'", "amqp.durable = TRUE"),
    ("JMSDestination IS NULL", "amqp.to IS NULL"),
    ("JMSExpiration < 5 OR JMSExpiration = x", "amqp.absolute_expiry_time < 5 OR amqp.absolute_expiry_time = x"),
    ("JMSMessageID LIKE '%x'", "amqp.message_id LIKE '%x'"),
    ("JMSPriority * 2 > 9", "amqp.priority * 2 > 9"),
    ("JMSRedelivered", "amqp.delivery_count > 0"),
    ("NOT JMSRedelivered AND a = 1", "NOT amqp.delivery_count > 0 AND a = 1"),
    ("JMSRedelivered = TRUE", "(amqp.delivery_count > 0) = TRUE"),
    ("JMSReplyTo IN ('a', 'b')", "amqp.reply_to IN ('a', 'b')"),
    ("JMSTimestamp < 5", "amqp.creation_time < 5"),
    ("JMSType = 'x' AND JMSXAppID = 'y'", "amqp.jms_type = 'x' AND JMSXAppID = 'y'"),
]


@pytest.mark.parametrize(("jms", "wire"), STANDARD)
def test_by_the_standards_table_names_are_exchanged_one_to_one(jms: str, wire: str) -> None:
    assert translate_names(jms, "amqp", table="standard") == wire
    assert translate_names(wire, "jms", table="standard") == jms


def test_the_standards_table_has_the_ten_headers_and_leaves_other_jms_names() -> None:
    assert set(VOCABULARY) == {field.name for field in JMS_FIELDS.table.values() if "filters 2.2" in field.source} - {
        "amqp.jms_type"
    }
    text = "JMSXGroupID = 'g' AND JMSDeliveryTime > 5 AND JMSXUserID = 'bob'"
    assert translate_names(text, "amqp", table="standard") == text
    with pytest.raises(UnsupportedFeatureError):
        translate_names("amqp.subject = 'x'", "jms", table="standard")
    with pytest.raises(ValueError, match="meaning or standard"):
        translate_names("a = 1", "jms", table="both")  # type: ignore[arg-type]


def test_every_condition_without_a_counterpart_is_reported() -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        translate_names("amqp.content_type = 'x' OR a = 1 OR amqp.subject = 'y'", "jms")
    assert [finding.span.start for finding in caught.value.diagnostics if finding.span] == [0, 36]


def test_an_empty_selector_stays_empty() -> None:
    assert translate_names(" ", "amqp") == ""


JMS_NAMES = tuple(name for name in JMS_FIELDS.table if not name.startswith(WIRE))
WIRE_NAMES = tuple(name for name in JMS_FIELDS.table if name.startswith(WIRE))


@pytest.mark.parametrize(("form", "names"), [("amqp", JMS_NAMES), ("jms", WIRE_NAMES)])
@given(data=st.data())
def test_a_translation_selects_the_same_messages(form: str, names: tuple[str, ...], data: st.DataObject) -> None:
    tree = data.draw(strategies.selectors((*names, "a")))
    text = print_selector(tree)
    try:
        translated = translate_names(text, form)  # type: ignore[arg-type]
    except UnsupportedFeatureError:
        return
    left = parse_selector(translated)
    for message in data.draw(st.lists(strategies.messages, min_size=8, max_size=8)):
        assert isinstance(message, Message)
        wanted, found = evaluate(tree, message) is True, evaluate(left, message) is True
        assert found is wanted, f"{text}\n{translated}\n{message}"
