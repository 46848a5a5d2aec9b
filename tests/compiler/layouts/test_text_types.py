"""Policies for text: a selector has the same result for each text in SQL and in the reference evaluator."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.compiler.layouts.texts import NASTY, ask
from tests.conformance.vectors import DIALECTS
from tests.sizes import sample
from tests.spark_ext.harness import settings
from tests.spark_ext.test_dialect_agreement import takes
from transpiler import LayoutError, evaluate, stores, transpile_selector
from transpiler.compiler.layouts.text_types import DECLARABLE, POLICIES, Types, text_types
from transpiler.message.types import AmqpType, AmqpValue

SELECTORS = (
    *("x = 5", "x <> 5", "x = 5.0", "x > 2500", "x <= 2500.5", "x > -1 AND x < 1e3", "x = 9007199254740993"),
    *(
        "x >= 9223372036854775807",
        "x = 9223372036854775808.0",
        "x BETWEEN 0 AND 10",
        "NOT (x BETWEEN 0 AND 10)",
        "x = 0.1",
    ),
    *(
        "x = '5'",
        "x <> '5'",
        "x = 'true'",
        "x IN ('5', 'true', 'red')",
        "x NOT IN ('5', 'red')",
        "x LIKE '5%'",
        "x LIKE '%e%'",
    ),
    *("x = TRUE", "x <> TRUE", "x = FALSE", "x", "NOT x", "x OR weight = 1", "x IS NULL", "x IS NOT NULL"),
    *(
        "x + 1 > 5",
        "x * 2 = 10",
        "-x < 0",
        "+x = 5",
        "x / 2 > 1",
        "x = x",
        "x <> x",
        "x < y",
        "x = y",
        "x > y + 1",
        "x = '1e3'",
    ),
    *("NOT (x = 5)", "NOT (x = 'red')", "NOT (x = TRUE)", "(x = 5) = TRUE", "x > '5'", "5 < x", "'5' = x", "TRUE = x"),
)
POLICY_CASES: tuple[Types, ...] = (*POLICIES, *({"x": name, "*": "by-use"} for name in DECLARABLE))


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize(
    "types", sample(POLICY_CASES, 8), ids=lambda types: types if isinstance(types, str) else types["x"]
)
def test_a_text_is_in_spark_what_it_is_to_the_reference(spark: SparkSession, types: Types, ansi: str) -> None:
    layout = stores.text_map(types=types)
    number = POLICY_CASES.index(types)
    dialect = ("jms", "jms", *DIALECTS)[(number + (ansi == "true") * 3) % (len(DIALECTS) + 2)]
    selectors = [text for text in SELECTORS if takes(text, dialect)]
    sqls = [transpile_selector(text, layout, dialect=dialect, result="ternary").sql for text in selectors]
    properties_map = "map('x', t, 'y', '5')"
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        answers = ask(spark, NASTY, [sql.replace("properties", properties_map) for sql in sqls])
    messages = [layout.message({"properties": {"x": text, "y": "5"}}) for text in NASTY]
    wrong = {}
    for selector, sql, column in zip(selectors, sqls, answers, strict=True):
        truths = [evaluate(selector, message, dialect) for message in messages]
        differ = [
            (text, truth, answer)
            for text, truth, answer in zip(NASTY, truths, column, strict=True)
            if truth is not answer
        ]
        if differ:
            wrong[dialect, selector, sql] = differ
    assert wrong == {}


@pytest.mark.full
def test_a_text_beside_a_sum_that_is_a_number_or_a_text_is_read_by_the_row(spark: SparkSession) -> None:
    """In Java's dialects '5' + 1 is 6 if the text is read by use, and 'a' + 1 is 'a1'."""
    layout = stores.text_map(types="by-use")
    rows = [("7", "5"), ("6", "5"), ("b", "a"), ("a", "a"), ("7", "a"), ("b", "5")]
    sql = transpile_selector("x > y + 1", layout, dialect="qpid-java", result="ternary").sql
    messages = [layout.message({"properties": {"x": x, "y": y}}) for x, y in rows]
    expected = [evaluate("x > y + 1", message, "qpid-java") for message in messages]
    assert expected == [True, False, True, False, False, False]
    frame = spark.createDataFrame([({"x": x, "y": y},) for x, y in rows], "properties MAP<STRING, STRING>")
    assert [row.answer for row in frame.selectExpr(f"{sql} AS answer").collect()] == expected


STRING, LONG, DOUBLE, BOOLEAN = AmqpType.STRING, AmqpType.LONG, AmqpType.DOUBLE, AmqpType.BOOLEAN

#: A policy, a text, and its value under the policy, as ``transpiler.stores`` defines it; None if there is no value.
VALUES: tuple[tuple[str, str, tuple[AmqpType, Any] | None], ...] = (
    ("string", "5", (STRING, "5")),
    ("string", "", (STRING, "")),
    ("by-use", "5", (STRING, "5")),
    ("parsed", "5", (LONG, 5)),
    ("parsed", " 5 ", (LONG, 5)),
    ("parsed", "+5.0", (DOUBLE, 5.0)),
    ("parsed", "9223372036854775808", (DOUBLE, 2.0**63)),
    ("parsed", ".5", (STRING, ".5")),
    ("parsed", "NaN", (STRING, "NaN")),
    ("parsed", "true", (BOOLEAN, True)),
    ("parsed", "TRUE", (STRING, "TRUE")),
    ("parsed", "null", None),
    ("parsed", " null", (STRING, " null")),
    ("parsed", '"5"', (STRING, '"5"')),
    ("json", "5", (LONG, 5)),
    ("json", '"5"', (STRING, "5")),
    ("json", "5.0", (DOUBLE, 5.0)),
    ("json", "true", (BOOLEAN, True)),
    ("json", "red", None),
    ("json", "null", None),
    ("json", "NaN", None),
    ("DOUBLE", "NaN", (DOUBLE, float("nan"))),
    ("DOUBLE", "red", None),
    ("INT", "2147483648", None),
    ("long", "2147483648", (LONG, 2**31)),
    ("BOOLEAN", "yes", (BOOLEAN, True)),
    ("STRING", "5", (STRING, "5")),
)


@pytest.mark.parametrize(("policy", "text", "value"), VALUES)
def test_a_text_has_the_value_of_its_policy(policy: str, text: str, value: tuple[AmqpType, Any] | None) -> None:
    found = text_types({"x": policy}).of("x").read(text)
    assert repr(found) == repr(None if value is None else AmqpValue(*value))


def test_properties_that_are_not_named_are_by_use_or_as_the_asterisk_says() -> None:
    assert text_types({"x": "DOUBLE"}).of("y").name == "by-use"
    assert text_types({"x": "DOUBLE", "*": "string"}).of("y").name == "string"


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("byuse", "'byuse' is neither a policy for text nor a type to which text can be converted"),
        (
            {"x": "DECIMAL(3,2)"},
            "'DECIMAL\\(3,2\\)' is neither a policy for text nor a type to which text can be converted",
        ),
        ({"x": 5}, "5 is neither a policy for text nor a type to which text can be converted"),
        (5, "types must be a policy's name or a mapping from properties to types, not int"),
    ],
)
def test_a_policy_that_there_is_not_is_refused(types: Any, message: str) -> None:
    with pytest.raises(LayoutError, match=message) as caught:
        text_types(types)
    assert "by-use" in str(caught.value.diagnostics[0].hint)


@pytest.mark.parametrize("dialect", ["jms", "qpid-cpp"])
@pytest.mark.parametrize(
    ("selector", "truth"),
    [
        ("price > limit", True),
        ("NOT price > limit", False),
        ("price BETWEEN low AND price", True),
        ("price = ten", False),
        ("limit < blue", False),
    ],
)
def test_two_texts_are_numbers_where_only_numbers_have_an_order(selector: str, truth: bool, dialect: str) -> None:
    row = {"p": {"price": "10", "limit": "9", "low": "2.5", "ten": "10.0", "blue": "blue"}}
    assert evaluate(selector, stores.text_map("p", types="by-use").message(row), dialect) is truth
    sql = transpile_selector(selector, stores.text_map("p", types="by-use"), dialect=dialect).sql
    assert all(f"p['{name}']" in sql for name in re.findall("price|limit|low|ten|blue", selector))


def test_two_texts_are_texts_where_texts_have_an_order() -> None:
    layout = stores.text_map("p", types="by-use")
    assert evaluate("price > limit", layout.message({"p": {"price": "10", "limit": "9"}}), "activemq") is False
