"""Header names in JMS's form and in the wire form: each is replaced by its only counterpart in the standard's table."""

from __future__ import annotations

import pytest

from transpiler import UnsupportedFeatureError, translate_names
from transpiler.language.translation.header_names import STANDARD
from transpiler.message.jms_fields import JMS_FIELDS

#: Selectors that are translated in both directions.
EQUAL = [
    ("JMSCorrelationID = 'abc' AND color = 'blue'", "amqp.correlation_id = 'abc' AND color = 'blue'"),
    ("JMSCorrelationID <> 'ID:AMQP_ULONG:5'", "amqp.correlation_id <> 'ID:AMQP_ULONG:5'"),
    ("JMSDeliveryMode = 'PERSISTENT'", "amqp.durable = TRUE"),
    ("JMSDeliveryMode <> 'NON_PERSISTENT'", "amqp.durable <> FALSE"),
    ("JMSDeliveryMode IS NULL OR JMSRedelivered", "amqp.durable IS NULL OR amqp.delivery_count > 0"),
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


#: Selectors that are translated in one direction only, because the other form prefers another spelling.
ONE_WAY = [
    ("amqp", "'PERSISTENT' = JMSDeliveryMode", "amqp.durable = TRUE"),
    ("amqp", "JMSDeliveryMode IN ('PERSISTENT', 'x')", "amqp.durable = TRUE"),
    ("amqp", "JMSDeliveryMode NOT IN ('NON_PERSISTENT')", "amqp.durable <> FALSE"),
    ("amqp", "JMSDeliveryMode IN ('x') OR a = 1", "FALSE OR a = 1"),
    ("amqp", "JMSRedelivered IS NOT NULL", "amqp.delivery_count IS NOT NULL"),
    ("amqp", "JMSXGroupID = 'g' AND JMSDeliveryTime > 5", "JMSXGroupID = 'g' AND JMSDeliveryTime > 5"),
    ("jms", "amqp.durable AND x = 1", "JMSDeliveryMode = 'PERSISTENT' AND x = 1"),
    ("jms", "amqp.durable = flag", "(JMSDeliveryMode = 'PERSISTENT') = flag"),
    ("jms", "TRUE = amqp.durable", "JMSDeliveryMode = 'PERSISTENT'"),
]


@pytest.mark.parametrize(("jms", "wire"), EQUAL)
def test_names_are_exchanged_one_to_one(jms: str, wire: str) -> None:
    assert translate_names(jms, "amqp") == wire
    assert translate_names(wire, "jms") == jms


@pytest.mark.parametrize(("form", "given", "expected"), ONE_WAY)
def test_a_form_is_said_in_the_other(form: str, given: str, expected: str) -> None:
    assert translate_names(given, form) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "text", "expected_text"),
    [
        ("amqp", "JMSDeliveryMode = 'durable'", "JMSDeliveryMode is PERSISTENT or NON_PERSISTENT"),
        ("amqp", "JMSDeliveryMode LIKE 'P%'", "JMSDeliveryMode is PERSISTENT or NON_PERSISTENT"),
        ("jms", "amqp.delivery_count > 5", "says only whether the count is above 0"),
        ("jms", "amqp.content_type = 'x'", "JMS has no name for amqp.content_type"),
        ("jms", "amqp.subject = 'x'", "JMS has no name for amqp.subject"),
        ("jms", "amqp.annotation.x_opt_a = 1", "JMS has no name for amqp.annotation.x_opt_a"),
    ],
)
def test_what_has_no_counterpart_is_an_error(form: str, text: str, expected_text: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        translate_names(text, form)  # type: ignore[arg-type]
    [finding] = caught.value.diagnostics
    assert finding.code == "names.no-counterpart"
    assert expected_text in finding.message
    assert finding.span is not None
    assert finding.hint


def test_the_table_has_the_ten_headers_of_the_document() -> None:
    assert set(STANDARD) == {field.name for field in JMS_FIELDS.table.values() if "filters 2.2" in field.source} - {
        "amqp.jms_type"
    }


def test_every_condition_without_a_counterpart_is_reported() -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        translate_names("amqp.content_type = 'x' OR a = 1 OR amqp.subject = 'y'", "jms")
    assert [finding.span.start for finding in caught.value.diagnostics if finding.span] == [0, 36]


def test_an_empty_selector_stays_empty() -> None:
    assert translate_names(" ", "amqp") == ""
