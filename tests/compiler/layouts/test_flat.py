"""Typed columns: the AMQP type of each Spark type, and the Spark types that cannot be a property."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from spark_ext import MESSAGE_SCHEMA, compile_selector, infer_layout
from tests.compiler.sql_text import bare
from transpiler import LayoutError, transpile_selector
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.flat import FlatLayout

# Spark's own parser parses a DDL string, and it needs a session.
pytestmark = pytest.mark.usefixtures("spark")


def sql(schema: str, selector: str, **options: str) -> str:
    layout = infer_layout(StructType.fromDDL(schema))
    return transpile_selector(selector, layout, **options).sql  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spark_type", "selector", "text"),
    [
        ("BOOLEAN", "x", "x"),
        ("TINYINT", "x > 5", "x > 5"),
        ("SMALLINT", "x > 5.5", "x > 5"),
        ("INT", "x = 3000000000", "x = 3000000000"),
        ("INT", "x > 3000000000.5", "false"),
        ("BIGINT", "x = 9007199254740993.0", "x >= 9007199254740992 AND x < 9007199254740994"),
        ("FLOAT", "x >= 0.5", "x >= 0.5F AND NOT isnan(x)"),
        ("DOUBLE", "x >= 5", "x >= 5D AND NOT isnan(x)"),
        ("DECIMAL(10,2)", "x = 2.5", "x = 2.50BD"),
        ("DECIMAL(10,2)", "x = 2.555", "false"),
        ("DECIMAL(10,2)", "x < 2.555", "x <= 2.55BD"),
        ("STRING", "x = 'a'", "x = 'a'"),
        ("STRING COLLATE UTF8_LCASE", "x = 'a'", "x COLLATE UTF8_BINARY = 'a'"),
        ("CHAR(5)", "x = 'a'", "rtrim(x) = 'a'"),
        ("VARCHAR(5)", "x LIKE 'a%'", "startswith(x, 'a')"),
        ("BINARY", "x = y", "x = y"),
        ("TIMESTAMP", "x > 5", "x >= timestamp_millis(6)"),
        ("TIMESTAMP", "x > 9223372036854775807", "false"),
        ("TIMESTAMP_NTZ", "x < 5", "x < TIMESTAMP_NTZ'1970-01-01 00:00:00.005000'"),
    ],
)
def test_a_column_of_every_type_compares(spark_type: str, selector: str, text: str) -> None:
    assert bare(sql(f"x {spark_type}, y {spark_type}", selector)) == text


@pytest.mark.parametrize(
    "spark_type", ["DATE", "ARRAY<INT>", "MAP<STRING, STRING>", "INTERVAL DAY TO SECOND", "VARIANT"]
)
def test_a_column_of_another_type_is_an_error_that_says_so(spark_type: str) -> None:
    with pytest.raises(LayoutError, match="no message property has the type") as caught:
        sql(f"x {spark_type}, y INT", "x = 5")
    assert caught.value.diagnostics[0].span == (0, 1)
    assert bare(sql(f"x {spark_type}, y INT", "y = 5")) == "y = 5"


def test_a_field_of_a_struct_goes_by_its_dotted_name() -> None:
    assert (
        sql("p STRUCT<size: BIGINT, q: STRUCT<n: STRING>>", "p.size > 5 AND p.q.n = 'x'")
        == "(p.size > 5 AND p.q.n = 'x')"
    )
    with pytest.raises(LayoutError, match="a struct cannot be a property"):
        sql("p STRUCT<size: BIGINT>", "p IS NULL")


def test_the_fields_of_one_struct_can_be_the_properties() -> None:
    schema = StructType.fromDDL("id BIGINT, props STRUCT<color: STRING>")
    assert bare(transpile_selector("color = 'x'", infer_layout(schema, "props")).sql) == "props.color = 'x'"
    with pytest.raises(LayoutError, match="no struct column called 'prop'"):
        infer_layout(schema, "prop")


@pytest.mark.parametrize(
    ("column", "hint"),
    [
        ("p STRING", "if the column p contains JSON: stores.variant('p', json=True)"),
        ("p VARIANT", "stores.variant('p')"),
        ("p MAP<STRING, STRING>", "stores.text_map('p', types='by-use')"),
        ("p ARRAY<STRUCT<key: STRING, value: BINARY>>", "stores.kafka_headers('p')"),
        ("p BIGINT", "the columns are id, p"),
    ],
)
def test_a_named_column_that_is_no_struct_has_the_hint_for_its_type(column: str, hint: str) -> None:
    with pytest.raises(LayoutError, match="no struct column called 'p', but has a column of the type") as raised:
        infer_layout(f"id BIGINT, {column}", "p")
    assert hint in str(raised.value.diagnostics[0].hint)


def test_canonical_sections_beside_typed_columns_serve_the_headers() -> None:
    schema = StructType([MESSAGE_SCHEMA["header"], *StructType.fromDDL("weight BIGINT")])
    layout = infer_layout(schema)
    assert isinstance(layout, FlatLayout)
    assert (
        bare(transpile_selector("weight > 5 AND JMSPriority > 6", layout).sql) == "weight > 5 AND header.priority > 6"
    )


def test_the_canonical_schema_is_recognized() -> None:
    assert infer_layout(MESSAGE_SCHEMA) == AmqpLayout()


def test_a_missing_column_is_an_error_or_null() -> None:
    with pytest.raises(LayoutError, match="did you mean weight"):
        sql("weight BIGINT", "wieght > 5")
    with pytest.raises(LayoutError, match="JMSPriority is read from"):
        sql("weight BIGINT", "JMSPriority > 5")
    assert sql("weight BIGINT", "wieght > 5", missing="null") == "false"
    assert sql("weight BIGINT", "wieght IS NULL", missing="null") == "true"
    assert sql("weight BIGINT", "JMSPriority = 4", missing="null") == "true"


def test_columns_that_differ_only_in_case_are_ambiguous_unless_spark_distinguishes_them(spark: SparkSession) -> None:
    schema = StructType.fromDDL("Color STRING, color STRING, n INT")
    with pytest.raises(LayoutError, match="Spark cannot distinguish"):
        compile_selector("color = 'x'", schema)
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        frame = spark.createDataFrame([("a", "x", 1), ("x", "a", 2)], schema)
        assert [row["n"] for row in frame.filter(compile_selector("color = 'x'", frame)).collect()] == [1]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_like_anything_keeps_unknown_where_it_must(spark: SparkSession) -> None:
    for selector, answers in (("x LIKE '%'", [True, None]), ("x NOT LIKE '%'", [False, None])):
        frame = spark.createDataFrame([("a",), (None,)], "x STRING")
        column = compile_selector(selector, frame, result="ternary", lint=False)
        assert [row[0] for row in frame.select(column).collect()] == answers
