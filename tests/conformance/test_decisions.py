"""Decisions of the default dialect for operands of unlike types, in the evaluator and in Spark on every layout.

Jakarta Messaging 3.8.1 leaves them open, and the brokers disagree. The TCK, ActiveMQ, Artemis, Broker-J and Open MQ
agree with what is decided here. A broker's dialect has the results of its broker.
"""

from __future__ import annotations

import re

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages, infer_layout
from tests.compiler.layouts.written_rows import row_of
from tests.sizes import sample
from tests.spark_ext.harness import answers, numbered, settings
from tests.spark_ext.test_agreement import INTERPRETED
from transpiler import Message, SelectorTypeError, evaluate, parse_selector, transpile_selector
from transpiler.compiler.layouts.layout import Layout
from transpiler.message.types import Truth

#: A message with one property of each class of types. No message has the property ``missing``.
MESSAGE = Message.from_dict(
    {
        "application_properties": {
            "s": "abc",
            "n": {"type": "long", "value": 5},
            "x": {"type": "double", "value": 2.5},
            "flag": True,
            "raw": {"type": "binary", "value": "YWJj"},
        }
    }
)
NAME = re.compile(r"\b(s|n|x|flag|raw|missing)\b")
COLUMNS = "s string, n bigint, x double, flag boolean, raw binary"

NOT_STRINGS = ("n", "x", "flag", "raw", "missing")
NOT_NUMBERS = ("s", "flag", "raw", "missing")

#: Selectors over the message, and their results.
TRUTHS: dict[str, Truth] = {
    # LIKE and IN on a value that is not a string are unknown, and so is their NOT.
    **{
        text.format(name): None
        for name in NOT_STRINGS
        for text in (
            "{} LIKE '%'",
            "{} NOT LIKE 'a%'",
            "NOT ({} LIKE 'a%')",
            "{} IN ('5', 'abc')",
            "{} NOT IN ('x')",
            "NOT ({} IN ('x'))",
        )
    },
    "s LIKE 'a%'": True,
    "s NOT LIKE 'a%'": False,
    "s IN ('abc', 'x')": True,
    "NOT (s NOT IN ('x'))": False,
    # They are unknown, not FALSE, inside AND and OR, too.
    "n LIKE 'a%' OR s = 'abc'": True,
    "n NOT LIKE 'a%' AND s = 'x'": False,
    "(n LIKE 'a%') = FALSE": None,
    # A sign is arithmetic, which is unknown for a value that is not a number.
    **{text.format(name): None for name in NOT_NUMBERS for text in ("+{0} = {0}", "NOT (+{0} <> {0})", "-{0} = 5")},
    "+s = 'abc'": None,
    "+flag = TRUE": None,
    "+n = 5": True,
    "+ +x <> 2.5": False,
    "+n = -5 * -1 AND - +n = -5": True,
    # A comparison of two properties of unlike types is FALSE.
    "s = n": False,
    "s <> n": False,
    "NOT (s <> n)": True,
}

#: Selectors that do not compile: the code of the error, and the text that it underlines.
ERRORS = (
    ("TRUE = 0", "type.unlike", "TRUE = 0"),
    ("0 <> FALSE", "type.unlike", "0 <> FALSE"),
    ("4 = 'red'", "type.unlike", "4 = 'red'"),
    ("'red' <> 4.5", "type.unlike", "'red' <> 4.5"),
    ("s = 'abc' AND -4 = 'red'", "type.unlike", "-4 = 'red'"),
    ("'a' = TRUE", "type.unlike", "'a' = TRUE"),
    ("4 < 'red'", "type.ordering", "'red'"),
    ("3 IS NULL", "type.not-a-name", "3"),
    ("n + 1 IS NOT NULL", "type.not-a-name", "n + 1"),
    ("+n IS NULL", "type.not-a-name", "+n"),
    ("(n = 5) IS NULL", "type.not-a-name", "(n = 5)"),
    ("+flag", "type.not-a-condition", "+flag"),
    ("n = 5 OR + +flag", "type.not-a-condition", "+ +flag"),
    ("NOT +flag", "type.not-a-condition", "+flag"),
    ("+'a' = s", "type.not-a-number", "'a'"),
    ("+TRUE = flag", "type.not-a-number", "TRUE"),
)

#: Selectors for which a broker's result differs from that of ``jms``.
BROKERS: tuple[tuple[str, str, object], ...] = (
    ("activemq", "n NOT LIKE 'a%'", True),
    ("artemis", "n NOT LIKE 'a%'", True),
    ("qpid-java", "NOT (n LIKE 'a%')", True),
    ("activemq", "+s = 'abc'", True),
    ("qpid-java", "+flag", True),
    ("qpid-cpp", "+s = 'abc'", True),
    ("qpid-cpp", "n NOT IN ('x')", False),
    ("rabbitmq", "n NOT IN ('x')", True),
    ("rabbitmq-jms", "n NOT IN ('x')", True),
    ("activemq", "3 IS NULL", False),
    ("qpid-cpp", "n + 1 IS NOT NULL", True),
    ("activemq", "4 = 'red'", False),
    ("qpid-cpp", "TRUE = 0", False),
)


def test_the_reference_says_what_is_decided() -> None:
    found = {text: evaluate(text, MESSAGE) for text in TRUTHS}
    assert found == TRUTHS


@pytest.mark.parametrize("layout", ["amqp", "amqp-0-10", COLUMNS])
def test_spark_says_what_is_decided_on_every_layout(spark: SparkSession, layout: str) -> None:
    where: str | Layout = layout
    if layout == COLUMNS:
        where = infer_layout(spark.createDataFrame([], COLUMNS))
        frame = spark.createDataFrame([row_of(where, MESSAGE)], COLUMNS)
    else:
        frame = create_messages(spark, [MESSAGE], layout)
    truths = {text: TRUTHS[text] for text in sample(TRUTHS, 30, lambda text: NAME.sub("p", text))}
    with settings(spark, INTERPRETED):
        sqls = [transpile_selector(text, where, result="ternary", missing="null").sql for text in truths]
        found = answers(numbered(frame), sqls)
    assert dict(zip(truths, (column[0] for column in found), strict=True)) == truths


@pytest.mark.parametrize(("text", "code", "part"), ERRORS)
def test_what_no_message_can_make_sense_of_is_an_error(text: str, code: str, part: str) -> None:
    with pytest.raises(SelectorTypeError) as caught:
        parse_selector(text)
    first = caught.value.diagnostics[0]
    assert first.span is not None
    assert (first.code, text[first.span.start : first.span.end]) == (code, part)


@pytest.mark.parametrize(("dialect", "text", "truth"), BROKERS)
def test_a_broker_keeps_its_own_answer(dialect: str, text: str, truth: object) -> None:
    assert evaluate(text, MESSAGE, dialect) is truth
