"""For a missing name the explanation names a similar header field, for a number as text its prefix."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import Message, explain_selector


@pytest.mark.parametrize(
    ("selector", "message", "near"),
    [
        ("priority > 3", {"JMSPriority": 4}, "the message has the header field JMSPriority"),
        ("CorrelationID = 'a'", {"JMSCorrelationID": "a"}, "the message has the header field JMSCorrelationID"),
        ("GroupID = 'a'", {"JMSXGroupID": "a"}, "the message has the header field JMSXGroupID"),
        ("Color = 'red'", {"color": "red"}, "the message has color"),
        # A default value is not a value of the message.
        ("priority > 3", {"color": "red"}, "priority is missing, "),
    ],
)
def test_a_missing_name_has_a_near_one(selector: str, message: dict[str, Any], near: str) -> None:
    assert near in f"{explain_selector(selector, Message.of(**message)).reason}, "


@pytest.mark.parametrize(
    ("dialect", "value", "is_reported"),
    [("activemq", "21", True), ("activemq", "old", False), ("rabbitmq", "21", False)],
)
def test_a_text_that_spells_a_number_has_the_prefix_where_there_is_one(
    dialect: str, value: str, is_reported: bool
) -> None:
    reason = explain_selector("age > 18", Message.of(age=value), dialect).reason
    assert ("convert_string_expressions:" in reason) is is_reported
