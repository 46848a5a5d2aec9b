"""The statements that ``sql --as`` prints: Spark runs them with the same plan as the Column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import MESSAGE_SCHEMA, compile_selector, create_messages, infer_layout
from transpiler import transpile_selector
from transpiler.cli import main

SCHEMA = "region STRING, weight BIGINT, `my col` STRING, day DATE, tags MAP<STRING, BIGINT>"


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["sql", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


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
    wanted = stored.filter(compile_selector(selector, stored if layout == "typed" else None, lint=False))

    function = printed(selector, *shown, "--as", "temp-function", "is_wanted", "--or-replace")
    parameters = {"typed": "region, weight", "amqp": "header, application_properties"}[layout]
    spark.sql(function)
    spark.sql(printed(selector, *shown, "--as", "temp-view", "wanted", "--from", "stored_messages", "--or-replace"))
    query = printed(selector, *shown, "--as", "where", "stored_messages")

    assert wanted.count() == 2
    for found in (
        spark.sql(f"SELECT * FROM stored_messages WHERE is_wanted({parameters})"),
        spark.table("wanted"),
        spark.sql(query),
    ):
        assert found.collect() == wanted.collect()
        assert plan(found) == plan(wanted)


_TEMPLATE = ("--dialect", "qpid-cpp", "--schema", "`{{ x }}` INT")


@pytest.mark.parametrize(
    ("arguments", "expected_text"),
    [
        (["a = 1", "--as", "where", "a b"], "is not a name in SQL"),
        (["a = 1", "--as", "view", "v"], "--from TABLE"),
        (["a = 1", "--layout", "kafka-headers", "--as", "function", "f"], "give the columns with --schema"),
        (['"{{ x }}" = 1', *_TEMPLATE, "--as", "function", "f"], "`{{ x }}` INT would begin a variable or a Jinja tag"),
        (["a.b = 1", "--schema", "a STRUCT<b: INT, `{% c`: INT>", "--as", "temp-function", "f"], "rename the column"),
        (["a = 1", "--from", "t"], "--as view NAME"),
        (["a = 1", "--as", "where", "t", "--from", "t"], "--as view NAME"),
        (["a = 1", "--names", "jms", "--as", "where", "t"], "give one of the two"),
        (["a = 1", "--as", "temp-view", "lake.v", "--from", "t"], "give a name without a dot"),
        (["a = 1", "--as", "where", "t", "--or-replace"], "--or-replace applies only to a function or a view"),
        (["a = 1", "--or-replace"], "--or-replace applies only to a function or a view"),
        (["a = 1", "--as", "where", "t", "--alias", "t"], "omit one of them"),
        (["a = 1", "--alias", ""], "alias is empty"),
        (["a = 1", "--as", "table", "t"], "'table' is not one of"),
        (["a = 1", "--as", "function"], "--as takes KIND NAME, as in: selector-sql sql"),
        (["--as", "where", "a = 1"], "'a = 1' is not a name in SQL"),
    ],
)
def test_a_statement_that_cannot_be_written_is_refused(arguments: list[str], expected_text: str) -> None:
    result = CliRunner().invoke(main, ["sql", *arguments])
    assert result.exit_code == 2
    assert expected_text in result.output


def test_a_function_has_no_parameter_for_a_field_or_a_word_of_sql() -> None:
    schema = "color STRING, STRING STRING, rlike STRING, h STRING, properties STRUCT<color: STRING>"
    text = printed("color = 'h'", "--schema", schema, "--as", "function", "f")
    assert text.startswith("CREATE FUNCTION f(color STRING) RETURNS BOOLEAN")


@pytest.mark.parametrize(
    ("arguments", "statement"),
    [
        (["view", "lake.v", "--from", "t"], "CREATE VIEW lake.v AS SELECT * FROM t WHERE (c = 'a')"),
        (["view", "v", "--from", "t", "--or-replace"], "CREATE OR REPLACE VIEW v AS SELECT * FROM t WHERE (c = 'a')"),
        (["temp-view", "v", "--from", "t"], "CREATE TEMPORARY VIEW v AS SELECT * FROM t WHERE (c = 'a')"),
        (["temp-function", "f"], "CREATE TEMPORARY FUNCTION f(c STRING) RETURNS BOOLEAN RETURN (c = 'a')"),
        (["function", "f", "--or-replace"], "CREATE OR REPLACE FUNCTION f(c STRING) RETURNS BOOLEAN RETURN (c = 'a')"),
    ],
)
def test_a_statement_is_of_the_session_or_replaces_what_there_is(arguments: list[str], statement: str) -> None:
    assert printed("c = 'a'", "--schema", "c STRING", "--as", *arguments).strip() == statement


@pytest.mark.parametrize("selector", ["color = 'x'", "color LIKE '%x' OR id > 5", "NOT id > 5 AND color = 'x'"])
def test_an_alias_names_a_table_of_a_join(spark: SparkSession, selector: str) -> None:
    columns = "id INT, color STRING"
    first = spark.createDataFrame([(1, "x"), (2, "y")], columns)
    second = spark.createDataFrame([(1, "z"), (2, "x")], columns)
    joined = first.alias("o").join(second.alias("p q"), sf.expr("o.id = `p q`.id"))
    layout = infer_layout(first)
    for alias, wanted in (("o", [1]), ("p q", [2])):
        found = joined.filter(compile_selector(selector, layout, alias=alias)).select("o.id")
        assert [row.id for row in found.collect()] == wanted
        text = transpile_selector(selector, layout, alias=alias, result="ternary").sql
        assert [row.id for row in joined.filter(text).select("o.id").collect()] == wanted


def test_an_alias_is_before_each_column_and_before_nothing_else() -> None:
    assert transpile_selector("JMSPriority = 5", alias="t").sql == "(t.header.priority = 5)"
    listed = " OR ".join(f"(a = {number} AND b > {number})" for number in range(40))
    text = transpile_selector(listed, "a INT, b INT", alias="r").sql
    assert "r.a IN (" in text
    assert "r_ -> r.b > r_.c1" in text
    with pytest.raises(TypeError, match="alias: expected the name of a table in the query, found a value of type int"):
        transpile_selector("a = 1", "a INT", alias=5)  # type: ignore[arg-type]
