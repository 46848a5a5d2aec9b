"""DDL text of a schema is what Spark's own parser makes of it, and errors point at the word."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from transpiler import LayoutError
from transpiler.compiler.layouts.schemas import parse_ddl

SCHEMAS = (
    "color STRING, weight BIGINT",
    "color string,weight bigint not null",
    "a BOOLEAN, b TINYINT, c BYTE, d SMALLINT, e SHORT, f INT, g INTEGER, h BIGINT, i LONG",
    "a FLOAT, b REAL, c DOUBLE, d STRING, e BINARY, f DATE, g TIMESTAMP, h TIMESTAMP_LTZ, i TIMESTAMP_NTZ, j VARIANT",
    "a DECIMAL, b DECIMAL(12), c DECIMAL(12, 2), d DEC(3,1), e NUMERIC(5)",
    "a VOID",
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
    """The schema without comments, which no layout reads."""
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


ERRORS = (
    ("color STRING, weight BIG", "expected a type of Spark", "BIG"),
    ("color", "expected a type, and the text ends", ""),
    ("", "expected a column's name, and the text ends", ""),
    ("color STRING,", "expected a column's name, and the text ends", ""),
    ("color STRING weight BIGINT", "expected a comma, or the end", "weight"),
    ("p MAP<STRING>", "expected ,", ">"),
    ("p ARRAY STRING", "expected <", "STRING"),
    ("p STRUCT<a: INT", "expected >", ""),
    ("p STRUCT<>", "expected a column's name", ">"),
    ("a INT NOT", "expected NULL", ""),
    ("'a' INT", "expected a column's name", "'a'"),
    ("a INT; DROP TABLE x", "expected a comma, or the end", ";"),
    ("a DECIMAL(", "expected a number, and the text ends", ""),
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
