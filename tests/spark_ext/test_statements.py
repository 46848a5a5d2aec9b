"""The statements that ``sql --as`` prints: Spark runs them, and plans what it plans for the Column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession

from spark_ext import MESSAGE_SCHEMA, compile_selector, create_messages
from transpiler.cli import main

SCHEMA = "region STRING, weight BIGINT, `my col` STRING, day DATE, tags MAP<STRING, BIGINT>"


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["sql", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def plan(frame: DataFrame) -> str:
    """Return the physical plan without the numbers of its columns and the catalog's names."""
    text = frame._jdf.queryExecution().executedPlan().toString()
    return re.sub(r"#\d+L?", "", text).replace("spark_catalog.default.", "")


@pytest.mark.parametrize(
    ("layout", "selector"),
    [
        ("typed", "region LIKE 'eu-%' AND weight > 2500 OR NOT weight < 7"),
        ("amqp", "color = 'blue' OR JMSPriority > 6"),
    ],
)
def test_a_function_a_view_and_a_query_have_the_plan_of_the_column(
    layout: str, selector: str, spark: SparkSession, tmp_path: Path
) -> None:
    if layout == "typed":
        rows = [("eu-1", 2501, "abc", None, {"a": 1}), ("us", 2501, "abc", None, None), (None, 3, None, None, None)]
        frame = spark.createDataFrame(rows, SCHEMA)
        shown = ["--schema", SCHEMA]
    else:
        messages = [{"color": "blue"}, {"color": "red", "JMSPriority": 9}, {"color": "red"}]
        frame, shown = create_messages(spark, messages), []
        assert frame.schema == MESSAGE_SCHEMA
    frame.write.parquet(str(tmp_path / "messages"))
    stored = spark.read.parquet(str(tmp_path / "messages"))
    stored.createOrReplaceTempView("stored_messages")
    wanted = stored.filter(compile_selector(selector, stored if layout == "typed" else None))

    function = printed(selector, *shown, "--as", "function", "is_wanted")
    parameters = {"typed": "region, weight", "amqp": "header, application_properties"}[layout]
    spark.sql(function.replace("CREATE", "CREATE OR REPLACE TEMPORARY"))
    view = printed(selector, *shown, "--as", "view", "wanted", "--from", "stored_messages")
    spark.sql(view.replace("CREATE", "CREATE OR REPLACE TEMPORARY"))
    query = printed(selector, *shown, "--as", "where", "stored_messages")

    assert wanted.count() == 2
    for found in (
        spark.sql(f"SELECT * FROM stored_messages WHERE is_wanted({parameters})"),
        spark.table("wanted"),
        spark.sql(query),
    ):
        assert found.collect() == wanted.collect()
        assert plan(found) == plan(wanted)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a = 1", "--as", "where", "a b"], "is no name in SQL"),
        (["a = 1", "--as", "view", "v"], "--from TABLE"),
        (["a = 1", "--layout", "kafka-headers", "--as", "function", "f"], "give the columns with --schema"),
        (["a = 1", "--from", "t"], "--as view NAME"),
        (["a = 1", "--as", "where", "t", "--from", "t"], "--as view NAME"),
        (["a = 1", "--names", "jms", "--as", "where", "t"], "give one of the two"),
        (["a = 1", "--as", "table", "t"], "'table' is not one of"),
        (["a = 1", "--as", "function"], "--as takes KIND NAME, as in: selector-sql sql"),
        (["--as", "where", "a = 1"], "'a = 1' is no name in SQL"),
    ],
)
def test_a_statement_that_cannot_be_written_is_refused(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["sql", *arguments])
    assert result.exit_code == 2
    assert said in result.output


def test_a_function_has_no_parameter_for_a_field_or_a_word_of_sql() -> None:
    schema = "color STRING, STRING STRING, rlike STRING, h STRING, properties STRUCT<color: STRING>"
    text = printed("color = 'h'", "--schema", schema, "--as", "function", "f")
    assert text.startswith("CREATE FUNCTION f(color STRING) RETURNS BOOLEAN")
