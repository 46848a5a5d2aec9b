"""The assertions of ``transpiler.testing`` pass if they hold, and otherwise explain why they fail."""

from __future__ import annotations

import json
from typing import Any

import pytest

from transpiler import Message, SelectorSyntaxError, matches, parse_selector
from transpiler.testing import assert_matches, assert_not_matches, assert_unknown

pytest_plugins = ["pytester"]


def test_assertions_hold() -> None:
    assert_matches("color = 'red' AND JMSPriority > 4", color="red", JMSPriority=7)
    assert_matches("color = 'red'", {"color": "red"})
    assert_matches("color = 'red'", Message.of(color="red"))
    assert_matches("color = 'red'", {"color": "red", "dialect": "x"}, dialect="artemis")
    assert_matches("weight > 5", {"weight": 7}, layout="color STRING, weight BIGINT")
    assert_matches("region <> 'eu'", dialect="qpid-java", color="red")
    assert_matches("UTC() = 7", now=7, dialect="rabbitmq")
    assert_matches("JMSDestination = 'q'", destination="q")
    assert_not_matches("color = 'red'", color="blue")
    assert_not_matches("color = 'red'", weight=5)
    assert_unknown("color = 'red'", weight=5)
    assert_unknown("color = 'red'")


FILTERS = {"color": {"descriptor": "apache.org:selector-filter:string", "value": "color = 'red'"}}


def test_assertions_and_matches_take_selectors_and_filters_alike() -> None:
    for condition in ("color = 'red'", parse_selector("color = 'red'"), FILTERS, json.dumps(FILTERS)):
        for color in ("red", "blue", None):
            message = Message.of(color=color)
            (assert_matches if matches(condition, message) else assert_not_matches)(condition, message)
            assert matches(condition, message) is (color == "red")
    assert matches(None, {})
    assert matches("UTC() = 7", {}, "rabbitmq", now=7)
    with pytest.raises(AssertionError, match="expected a match:\n  color does not let it pass\n  message: "):
        assert_matches(FILTERS, color="blue")
    with pytest.raises(AssertionError, match="expected no match:\n  each filter lets it pass\n  message: "):
        assert_not_matches(FILTERS, color="red")
    with pytest.raises(TypeError, match="filters are TRUE or FALSE on a message and never unknown"):
        assert_unknown(FILTERS, color="red")


@pytest.mark.parametrize(
    ("assertion", "selector", "properties", "text"),
    [
        (
            assert_matches,
            "color = 'red' AND weight > 2500",
            {"color": "red", "weight": "2600"},
            "expected a match, but the message does not match: "
            "weight is the text '2600'; text is never above a number\n"
            "  1 | color = 'red' AND weight > 2500\n"
            "    |                   ^^^^^^^^^^^^^\n"
            '  message: {"color": "red", "weight": "2600"}',
        ),
        (assert_matches, "a = 1", {}, "expected a match, but the message does not match (unknown): a is missing, so"),
        (assert_not_matches, "a = 1", {"a": 1}, "expected no match, but the message matches: a is 1\n"),
        (assert_unknown, "a = 1", {"a": 2}, "expected unknown, but the selector is FALSE: a is 2, not 1\n"),
        (assert_unknown, "a = 1", {"a": 1}, "expected unknown, but the message matches: a is 1\n"),
    ],
)
def test_a_failure_says_why(assertion: Any, selector: str, properties: dict[str, Any], text: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assertion(selector, **properties)
    assert str(caught.value).startswith(text)


def test_what_a_broker_throws_is_reported() -> None:
    with pytest.raises(AssertionError, match=r"does not match \(throws\): .*\n.*\n.*\n  in activemq: the exception"):
        assert_matches("a - 1 = 0", a="x", dialect="activemq")


def test_a_message_is_given_once() -> None:
    with pytest.raises(TypeError, match="as one argument or as keywords, not both"):
        assert_matches("a = 1", {"a": 1}, a=1)
    with pytest.raises(TypeError, match="a row of a layout is given as one argument"):
        assert_matches("a = 1", layout="amqp", a=1)
    with pytest.raises(SelectorSyntaxError):
        assert_not_matches("a = = 1", a=1)


def test_a_failure_in_pytest_is_the_explanation_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_it="""
        from transpiler.testing import assert_matches

        def test_it():
            assert_matches("color = 'red'", color="blue")
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E * expected a match, but the message does not match: color is 'blue', not 'red'"])
    result.stdout.no_fnmatch_line("*_check*")
    result.stdout.no_fnmatch_line("*testing.py*")


def test_a_selector_that_does_not_read_shows_the_tests_line_and_no_frame_of_the_library(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        "from transpiler.testing import assert_matches\n\ndef test_it():\n    assert_matches('a = 1 AND AND b', a=1)\n"
    )
    result = pytester.runpytest_inprocess("-p", "no:xdist")
    result.stdout.fnmatch_lines(
        ["*assert_matches('a = 1 AND AND b', a=1)", "E *expected an operand after AND, found AND"]
    )
    result.stdout.no_fnmatch_line("*explain_selector*")
    result.stdout.no_fnmatch_line("*transpiler/testing.py*")
