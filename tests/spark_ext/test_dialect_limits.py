"""Limits of Spark's agreement with a broker: beyond them the result is unknown or an error, never wrong."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.sizes import size
from tests.spark_ext.harness import answers, numbered, settings
from transpiler import Dialect, Message, UnsupportedFeatureError, evaluate, transpile_selector
from transpiler.language.selector.broker_dialects import ACTIVEMQ, RABBITMQ
from transpiler.language.selector.dialect_rules import Division, IntegerArithmetic, NumericPromotion
from transpiler.language.selector.dialects import JMS

ENDS = (2**63 - 1, -(2**63), 5, 0, 2**53 + 1)
MESSAGES = [
    Message.from_dict(
        {"application_properties": {"x": {"type": "long", "value": x}, "y": {"type": "long", "value": y}}}
    )
    for x in ENDS
    for y in ENDS
]
#: Selectors whose integers may have more than 38 digits, and the number of messages for which they have.
LONG = {
    "x * y + x * y > 5": 4,
    "NOT (x * y + x * y > 5)": 4,
    "x * y - (0 - x * y) < 5": 4,
    "x + 99999999999999999999999999999999999999 > 5": 15,
    "x * x * y > 5": 11,
    "x * y > 5": 0,
    "x + y > 18446744073709551613": 0,
    "x * y % 7 = 1": 0,
    "x * y + 1.5 > 0": 0,
}


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_an_integer_beyond_38_digits_is_unknown_and_never_wrong(spark: SparkSession, ansi: str) -> None:
    # In a sample, each setting gets every sixth selector, because the SQL of the brokers' integers is long.
    tried = dict(list(LONG.items())[size(int(ansi == "false"), 0) :: size(6, 1)])
    assert any(tried.values())
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        frame = numbered(create_messages(spark, MESSAGES))
        sqls = [transpile_selector(text, dialect="rabbitmq", result="ternary").sql for text in tried]
        columns = answers(frame, sqls)
    for (text, beyond), column in zip(tried.items(), columns, strict=True):
        wanted = [evaluate(text, message, "rabbitmq") for message in MESSAGES]
        other = [
            (expected_text, found)
            for expected_text, found in zip(wanted, column, strict=True)
            if expected_text is not found
        ]
        assert [found for _, found in other] == [None] * beyond, text


def test_a_literal_beyond_38_digits_is_an_error() -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        transpile_selector("x < 1" + "0" * 38, dialect="rabbitmq")
    [error] = caught.value.diagnostics
    assert (error.code, error.hint) == (
        "limit.digits",
        "write the integer as a floating point number, with .0 at the end",
    )
    # No double can represent this number, so that a hint to write a double would lead to the next error.
    with pytest.raises(UnsupportedFeatureError) as caught:
        transpile_selector("x < 1" + "0" * 400, dialect="rabbitmq")
    assert (caught.value.diagnostics[0].code, caught.value.diagnostics[0].hint) == ("limit.digits", None)
    assert transpile_selector("x < 1" + "0" * 37, dialect="rabbitmq").sql


REFUSED = (
    (replace(JMS, integer_arithmetic=IntegerArithmetic.BIGNUM), "types"),
    (replace(RABBITMQ, integer_arithmetic=IntegerArithmetic.LONG), "types"),
    (replace(RABBITMQ, division=Division.TRUNCATING), "division"),
    (replace(ACTIVEMQ, numeric_promotion=NumericPromotion.EXACT), "float_order"),
)


@pytest.mark.parametrize(("dialect", "name"), REFUSED)
def test_answers_that_no_sql_joins_are_refused_by_name(dialect: Dialect, name: str) -> None:
    with pytest.raises(
        UnsupportedFeatureError, match=rf"dialect\.rules: the dialect own combines .* \(its field {name}\)"
    ):
        transpile_selector("a = 1", dialect=replace(dialect, name="own"))


#: XPath expressions on which Java fails, or that only one engine accepts: the position and the message of the error.
NO_XPATH = [
    ("a[", 3, "the expression ends too early"),
    ("", 1, "the expression ends too early"),
    ("a b", 3, "b is not expected here"),
    ("a[frob(b)]", 3, "the function frob is not supported"),
    ("contains(a)", 1, "contains takes 2 arguments"),
    ("a = $b", 5, "the variable $b is not supported"),
    ("ancestor::a", 1, "the axis ancestor is not supported"),
    ("a/p:b", 3, "a name with a prefix is not supported"),
    ("2/a[@b=1]", 2, "only a set of nodes is followed by /"),
    ("(a = 1)//b", 8, "only a set of nodes is followed by //"),
    ("concat(a, b)[1]", 13, "only a set of nodes is followed by ["),
    ("a | 2", 5, "only a set of nodes has a union"),
    ("true() | a", 1, "only a set of nodes has a union"),
    ("count(2)", 7, "only a set of nodes is taken by count"),
    ("sum(a + b)", 5, "only a set of nodes is taken by sum"),
    ("name(-a)", 6, "only a set of nodes is taken by name"),
    ("1 - --2", 6, "- is not expected here"),
    ("position() = 1", 1, "position is supported only in a predicate"),
    ("a[1] and last()", 10, "last is supported only in a predicate"),
    ("a | b = c", 9, "a union can only be compared with a constant"),
    ("1 = ((a | b)) and string(.)", 19, "a union can only be compared with a constant"),
]


@pytest.mark.parametrize(("expression", "column", "expected_text"), NO_XPATH)
def test_what_is_no_xpath_is_refused_before_java_fails_on_it(expression: str, column: int, expected_text: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match=re.escape(expected_text)) as refused:
        transpile_selector(f"XPATH '{expression}'", dialect="activemq")
    [found] = refused.value.diagnostics
    assert (found.code, found.span.start) == ("spark.xpath", len("XPATH '") + column - 1)


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ('//root/b/text()="b"', True),
        ("count(//b) > 1 or not(/a)", True),
        ("/", True),
        ("root/b[1]/c[last()] = -3.5", True),
        ("//@*", False),
        ("* * *", False),
        ("(root | //b)[1]/..", True),
        ("count((root/b)) = 2", True),
        ('name(//none) = ""', True),
        ("-(root/b[2]/c) > 3", True),
        ('(root/b[1] | //c) = -4 or root/b[2] | root = "?"', True),
        ("(root | //c)[1]/b = concat(1, -3.5)", True),
        ("true() > 2 or 0 div -0 = 0 or 1 div -0 > 0", False),
    ],
)
def test_xpath_of_every_kind_is_read_by_both(spark: SparkSession, expression: str, holds: bool) -> None:
    body = {"value": {"type": "string", "value": "<root><b><c>1</c><c>-3.5</c></b><b>b<c>-4</c></b></root>"}}
    text, message = f"XPATH '{expression}'", Message.from_dict({"body": body})
    assert evaluate(text, message, "activemq") is holds
    frame = create_messages(spark, [message])
    assert frame.filter(transpile_selector(text, dialect="activemq").sql).count() == holds
