"""No text of a user leaves its literal or its name, under any setting of Spark's parser."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import LongType, StringType, StructField, StructType

from spark_ext import compile_selector, create_messages, infer_layout
from tests.spark.harness import settings
from transpiler.selector import ast
from transpiler.selector.printer import print_selector

SETTINGS = [
    {},
    {"spark.sql.ansi.enabled": "false"},
    {"spark.sql.parser.escapedStringLiterals": "true"},
    {"spark.sql.ansi.doubleQuotedIdentifiers": "true"},
    {"spark.sql.ansi.enforceReservedKeywords": "true"},
    {"spark.sql.legacy.consecutiveStringLiterals.enabled": "true"},
    {"spark.sql.variable.substitute": "false"},
    {"spark.sql.caseSensitive": "true"},
    {"spark.sql.legacy.setopsPrecedence.enabled": "true"},
    {"spark.sql.session.timeZone": "Asia/Kathmandu"},
]

TEXTS = [
    "it's",
    "''",
    "\\",
    "a\\'b",
    "${env:HOME}",
    "${spark.app.name}",
    "$${x}",
    '"',
    "`",
    "-- x",
    "/* x */",
    "a\nb",
    "\x00",
    "\u202e",
    "%s",
    "é😀",
    "\\u0041",
    "X'41'",
]

NAMES = ["to", "select", "a b", "a`b", "${env:HOME}", "it's", "é", "a.b", "from", "$x", "_1", "NULL", "x", "interval"]


@pytest.mark.parametrize("values", SETTINGS, ids=lambda values: next(iter(values), "default"))
def test_a_literal_is_compared_as_it_was_written(spark: SparkSession, values: dict[str, str]) -> None:
    messages = create_messages(spark, [{"application_properties": {"a": text}} for text in TEXTS])
    with settings(spark, values):
        for text in TEXTS:
            selector = print_selector(ast.Compare(ast.Comparison.EQ, ast.Identifier("a"), ast.StringLiteral(text)))
            rows = messages.filter(compile_selector(selector)).collect()
            assert [row["application_properties"]["a"]["string"] for row in rows] == [text]
            pattern = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
            like = ast.Like(ast.Identifier("a"), ast.StringLiteral(f"_%{pattern[1:]}"), ast.StringLiteral("!"))
            if pattern[:1] not in "!":
                rows = messages.filter(compile_selector(print_selector(like))).collect()
                assert text in [row["application_properties"]["a"]["string"] for row in rows]


@pytest.mark.parametrize("values", SETTINGS, ids=lambda values: next(iter(values), "default"))
def test_a_column_of_any_name_is_reached(spark: SparkSession, values: dict[str, str]) -> None:
    schema = StructType([StructField(name, LongType()) for name in NAMES])
    frame = spark.createDataFrame([tuple(range(len(NAMES)))], schema)
    layout = infer_layout(frame)
    from transpiler.analysis.operands import at
    from transpiler.predicate.core import Compare, constant
    from transpiler.sql import emit_filter

    with settings(spark, values):
        for index, name in enumerate(NAMES):
            location = layout.property(name)
            assert location is not None
            value = at(location).alternatives[0].value
            text = emit_filter(Compare(ast.Comparison.EQ, value, constant(index)))
            assert frame.filter(text).count() == 1, text


def test_a_collated_column_is_compared_by_its_bytes(spark: SparkSession) -> None:
    schema = StructType([StructField("s", StringType("UTF8_LCASE"))])
    frame = spark.createDataFrame([("abc",), ("ABC",)], schema)
    for selector in ("s = 'ABC'", "s IN ('ABC', 'x')", "s LIKE 'AB%'", "s LIKE '%BC'", "s LIKE '%B%'", "s LIKE 'A_C'"):
        assert [row["s"] for row in frame.filter(compile_selector(selector, frame)).collect()] == ["ABC"], selector


def test_names_are_case_sensitive_and_spark_is_not(spark: SparkSession) -> None:
    from transpiler import LayoutError

    frame = spark.createDataFrame([(1,)], "Color INT")
    with pytest.raises(LayoutError, match="did you mean Color"):
        compile_selector("color = 1", frame)
    assert frame.filter(compile_selector("Color = 1", frame)).count() == 1
