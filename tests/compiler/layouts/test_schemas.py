"""Schemas as text: DDL is parsed as Spark's own parser parses it, and errors point at the wrong word."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from transpiler import LayoutError, transpile_selector
from transpiler.compiler.layouts.schemas import parse_ddl, parse_schema, schema_in

SCHEMAS = (
    "color STRING, weight BIGINT",
    "color string,weight bigint not null",
    "a BOOLEAN, b TINYINT, c BYTE, d SMALLINT, e SHORT, f INT, g INTEGER, h BIGINT, i LONG",
    "a FLOAT, b REAL, c DOUBLE, d STRING, e BINARY, f DATE, g TIMESTAMP, h TIMESTAMP_LTZ, i TIMESTAMP_NTZ, j VARIANT",
    "a DECIMAL, b DECIMAL(12), c DECIMAL(12, 2), d DEC(3,1), e NUMERIC(5)",
    "a VOID",
    "a INTERVAL, b INTERVAL DAY TO SECOND, c interval year to month, d INTERVAL DAY, e INTERVAL HOUR TO MINUTE",
    "a TIMESTAMP WITHOUT TIME ZONE, b TIMESTAMP WITH LOCAL TIME ZONE",
    "a INT COMMENT \"x, y\", b STRING COMMENT 'it\\'s', 2c INT",
    "a MAP<STRING,INT> NOT NULL COMMENT 'x'",
    "a: STRING, b: INT",
    "`x-y` STRING, `a``b` INT, `order` BIGINT",
    "properties MAP<STRING, STRING>",
    "headers ARRAY<STRUCT<key: STRING, value: BINARY>>",
    "p STRUCT<a: INT, b: STRUCT<c: STRING NOT NULL>>, q MAP<STRING, STRUCT<member0: BIGINT, member1: DOUBLE>>",
    "p STRUCT<a INT, b STRING>",
    "x STRING COMMENT 'it''s', y INT NOT NULL COMMENT 'y'",
    "x STRING COLLATE UTF8_LCASE, y STRING",
    "m MAP<STRING COLLATE UTF8_LCASE, STRING>, n MAP<STRING, STRING COLLATE UNICODE_CI>",
    "l ARRAY<STRING COLLATE UNICODE>",
    "s STRUCT<a: STRING COLLATE UTF8_LCASE, m: MAP<STRING, MAP<STRING, STRING COLLATE UNICODE>>>",
    "l ARRAY<STRUCT<key: STRING COLLATE UTF8_LCASE, value: BINARY>>",
    "  x\n INT ,\t y\r\n STRING ",
    "a ARRAY<ARRAY<INT>>, b MAP<STRING, MAP<STRING, ARRAY<DOUBLE>>>",
)


def _bare(schema: Any) -> Any:
    """Return ``schema`` without comments, which no layout reads."""
    match schema:
        case dict():
            return {key: _bare(value) for key, value in schema.items() if key != "comment"}
        case list():
            return [_bare(item) for item in schema]
        case _:
            return schema


@pytest.mark.parametrize("text", SCHEMAS)
def test_the_schema_is_that_of_spark(spark: SparkSession, text: str) -> None:
    del spark
    assert parse_ddl(text) == _bare(StructType.fromDDL(text).jsonValue())


@pytest.mark.parametrize(("text", "kind"), [("a CHAR(5)", "char(5)"), ("a VARCHAR(5)", "varchar(5)")])
def test_a_length_is_kept(text: str, kind: str) -> None:
    [field] = parse_ddl(text)["fields"]
    assert field["type"] == kind


CREATED = """CREATE TABLE spark_catalog.default.orders (
  color STRING DEFAULT 'a, (b' COMMENT 'it\\'s',
  n INT NOT NULL DEFAULT (1 + 2) * 3,
  m BIGINT GENERATED ALWAYS AS (n + 1),
  `x-y` DECIMAL(10,2),
  CONSTRAINT pk PRIMARY KEY (n))
USING parquet
PARTITIONED BY (n)
COMMENT 'orders (all'"""

TREE = """root
 |-- color: string (nullable = true)
 |-- p: struct (nullable = false)
 |    |-- a: integer (nullable = true)
 |    |-- m: map (nullable = true)
 |    |    |-- key: string
 |    |    |-- value: array (valueContainsNull = true)
 |    |    |    |-- element: string (containsNull = true)
 |-- x: y: decimal(10,2) (nullable = true)
"""

IN_TREE = "color STRING, p STRUCT<a: INT, m: MAP<STRING, ARRAY<STRING>>> NOT NULL, `x: y` DECIMAL(10,2)"

TEXTS = (
    (CREATED, "color STRING, n INT NOT NULL, m BIGINT, `x-y` DECIMAL(10,2)"),
    (TREE, "color STRING, p STRUCT<a: INT, m: MAP<STRING, ARRAY<STRING>>> NOT NULL, `x: y` DECIMAL(10,2)"),
    (
        TREE.replace("root\n", ""),
        "color STRING, p STRUCT<a: INT, m: MAP<STRING, ARRAY<STRING>>> NOT NULL, `x: y` DECIMAL(10,2)",
    ),
    ("struct<color:string,x-y:int,p:struct<a:bigint>>", "color STRING, `x-y` INT, p STRUCT<a: BIGINT>"),
    ("color: string, weight: int", "color STRING, weight INT"),
    ("Color String, WEIGHT Bigint", "Color STRING, WEIGHT BIGINT"),
    ('"color STRING"', "color STRING"),
    ("color STRING DEFAULT 'a', n INT DEFAULT 5 NOT NULL", "color STRING, n INT NOT NULL"),
)


@pytest.mark.parametrize(("text", "ddl"), TEXTS)
def test_a_schema_is_read_in_each_form_that_spark_prints(text: str, ddl: str, tmp_path: Path) -> None:
    wanted = parse_ddl(ddl)
    assert parse_schema(text) == wanted == schema_in(text) == parse_schema(json.dumps(wanted))
    file = tmp_path / "schema.txt"
    file.write_text(text, encoding="utf-8")
    assert schema_in(file) == schema_in(str(file)) == wanted
    selector = f"{wanted['fields'][0]['name']} IS NOT NULL"
    assert transpile_selector(selector, file).sql == transpile_selector(selector, text).sql


UNUSABLE = (
    ("INTERVAL DAY TO SECOND", "INTERVAL DAY TO SECOND"),
    ("TIME(6)", "TIME(6)"),
    ("TIME WITHOUT TIME ZONE", "TIME(6)"),
    ("TIME(3) WITHOUT TIME ZONE", "TIME(3)"),
    ("GEOMETRY(4326)", "GEOMETRY(OGC:CRS84)"),
    ("GEOGRAPHY(ANY)", "GEOGRAPHY(SRID:ANY)"),
)


@pytest.mark.parametrize(("written", "shown"), UNUSABLE)
def test_a_type_that_no_selector_can_use_is_an_error_where_it_is_named(written: str, shown: str) -> None:
    schema = f"color STRING, i {written}"
    assert transpile_selector("color = 'a'", schema).sql == "(color = 'a')"
    with pytest.raises(LayoutError, match=re.escape(f"column i: no message property has the type {shown}")):
        transpile_selector("i = 1", schema)


def test_a_selector_on_headers_compiles_over_texts_whose_types_are_lost() -> None:
    schema = "JMSType STRING, properties MAP<STRING, STRING>"
    for text in (schema, json.dumps(parse_ddl(schema))):
        assert "JMSType" in transpile_selector("JMSType = 'a'", text).sql
        with pytest.raises(LayoutError, match="the original types are lost"):
            transpile_selector("color = 'a'", text)


WRONG = (
    ('{"type":"struct","fields":[{"name":"a"}]}', "1:28", "fields[0]: the field a has no type"),
    ('{"type":"struct",\n "fields":["a"]}', "2:12", "fields[0]: expected an object with a name and a type"),
    ('{"fields":[{"type":"string"}]}', "1:12", "fields[0]: this field has no name"),
    ('{"fields": 5}', "1:1", "expected an object with a list of fields"),
    ('{"fields":[{"name":"a","type":{"type":"array","elementType":5}}]}', "1:61", "this is not a type of Spark"),
    ('{"fields":[{"name":"a","type":{"type":"map"}}]}', "1:31", "fields[0].type: this is not a type of Spark"),
    ('{"fields": [}', "1:13", "this is not JSON"),
    ("root\n |-- a string\n", "2:2", "this line does not have the form in which printSchema prints a schema"),
    (
        "root\n |-- a: string\n |    |-- b: int\n",
        "3:2",
        "this line does not have the form in which printSchema prints a schema",
    ),
    ("struct<a:string,... 3 more fields>", "1:17", "this schema is truncated"),
)


@pytest.mark.parametrize(("text", "location", "message"), WRONG)
def test_an_error_of_a_schema_has_line_and_column(text: str, location: str, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse_schema(text)
    assert str(caught.value).startswith(f"schema:{location}: layout.schema: ")
    assert message in str(caught.value)


ERRORS = (
    ("color STRING, weight BIG", "expected a type of Spark", "BIG"),
    ("color", "expected a type, found the end of the text", ""),
    ("", "expected a column's name, found the end of the text", ""),
    ("color STRING,", "expected a column's name, found the end of the text", ""),
    ("color STRING weight BIGINT", "expected a comma, or the end", "weight"),
    ("p MAP<STRING>", "expected ,", ">"),
    ("p ARRAY STRING", "expected <", "STRING"),
    ("p STRUCT<a: INT", "expected >", ""),
    ("p STRUCT<>", "expected a column's name", ">"),
    ("a INT NOT", "expected NULL", ""),
    ("'a' INT", "expected a column's name", "'a'"),
    ("a INT; DROP TABLE x", "expected a comma, or the end", ";"),
    ("a DECIMAL(", "expected a number, found the end of the text", ""),
    ("😀 INT", "expected a column's name", "😀"),
)


@pytest.mark.parametrize(("text", "message", "word"), ERRORS)
def test_an_error_points_at_the_word(text: str, message: str, word: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse_ddl(text)
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.code == "layout.schema"
    assert diagnostic.message == message
    assert diagnostic.span is not None
    assert text[diagnostic.span.start : diagnostic.span.end] == word


def test_the_caret_stands_under_the_word() -> None:
    with pytest.raises(LayoutError) as caught:
        parse_ddl("color STRING,\nweight BIG")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("selector:2:8: layout.schema:") or ":2:8:" in lines[0]
    assert lines[2].index("^^^") == lines[1].index("BIG")
