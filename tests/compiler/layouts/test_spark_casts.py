"""The cast of a text in Python has the same result as Spark's ``try_cast``, and so has the SQL for a declared type."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import SparkSession

from tests.compiler.layouts.texts import NASTY, ask
from tests.spark_ext.harness import settings
from transpiler import stores, transpile_selector
from transpiler.compiler.ir.column_types import SparkType
from transpiler.compiler.layouts.spark_texts import cast_text, parse_json

KINDS = (
    SparkType.BOOLEAN,
    SparkType.TINYINT,
    SparkType.SMALLINT,
    SparkType.INT,
    SparkType.BIGINT,
    SparkType.FLOAT,
    SparkType.DOUBLE,
    SparkType.STRING,
)


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_a_text_casts_as_in_spark(spark: SparkSession, ansi: str) -> None:
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        answers = ask(spark, NASTY, [f"try_cast(t AS {kind.value})" for kind in KINDS])
    wrong = {
        (kind.value, text): (repr(cast_text(text, kind)), repr(answer))
        for kind, column in zip(KINDS, answers, strict=True)
        for text, answer in zip(NASTY, column, strict=True)
        # The representations are compared, because NaN != NaN and -0.0 == 0.0.
        if repr(cast_text(text, kind)) != repr(answer)
    }
    assert wrong == {}
    assert all(any(answer is not None for answer in column) for column in answers)


#: Texts of ordinary data which are no value of the type, or of JSON. A cast of one of them costs 8 to 20 µs.
OTHERS = {
    "BOOLEAN": ("", "many", "7", "7.5", "2024-01-01", "north", "yesterday", "{}"),
    "TINYINT": ("", "many", "7.5", "true", "2024-01-01", "1e3", "12 kg", "3f2c-77"),
    "BIGINT": ("", "many", "7.5", "true", "2024-01-01", "1e3", "12 kg", "3f2c-77"),
    "DOUBLE": ("", "many", "true", "eu-west", "north", "-", "{}"),
    "json": ("", "many", "eu-west", "north", "2024-01-01", "3f2c-77", "12kg", "True", "NaN"),
}


def _types(name: str) -> str | dict[str, str]:
    return name if name.islower() else {"p": name}


@pytest.mark.parametrize("name", ["json", *(kind.value for kind in KINDS if kind is not SparkType.STRING)])
def test_a_declared_type_converts_each_text_that_spark_converts(spark: SparkSession, name: str) -> None:
    convert = parse_json if name == "json" else lambda text: cast_text(text, SparkType(name))
    present = transpile_selector("p IS NOT NULL", stores.text_map("m", types=_types(name))).sql
    [answers] = ask(spark, NASTY, [present.replace("m['p']", "t")])
    wrong = {
        text: answer
        for text, answer in zip(NASTY, answers, strict=True)
        # A filter is NULL where its test of the text is FALSE.
        if bool(answer) is not (convert(text) is not None and text != "null")
    }
    assert wrong == {}


@pytest.mark.parametrize("name", OTHERS)
def test_ordinary_texts_of_other_types_are_not_cast(name: str) -> None:
    sql = transpile_selector("p IS NOT NULL", stores.text_map("m", types=_types(name))).sql
    guard = re.match(r"rlike\(m\['p'\], '(.*?)'\) AND ", sql.strip("("))
    assert guard is not None, sql
    assert [text for text in OTHERS[name] if re.search(guard[1], text)] == []
