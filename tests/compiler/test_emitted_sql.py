"""SQL and errors of selectors with header fields, options, columns or functions that no other test here covers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compiler.sql_text import bare
from transpiler import Layout, stores, transpile_selector
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.compiler.layouts.publication import documented, header_hints
from transpiler.compiler.layouts.schemas import parse_ddl
from transpiler.compiler.presets import find_layout

ANNOTATION = "message_annotations['x-opt-delivery-time'].long"


@pytest.mark.parametrize(
    ("selector", "layout", "options", "sql"),
    [
        # An annotation that is not an integer defines no delivery time.
        (
            "JMSDeliveryTime > 5",
            "amqp",
            {},
            f"{ANNOTATION} > 5 OR {ANNOTATION} IS NULL AND properties.creation_time >= timestamp_millis(6)",
        ),
        # A message without an address was sent to the consumer's address.
        ("JMSDestination = 'q'", "amqp", {"destination": "q"}, "properties.`to` = 'q' OR properties.`to` IS NULL"),
        ("JMSDestination = 'q'", "color STRING", {"destination": "q"}, "true"),
        ("JMSDestination = 'r'", "color STRING", {"destination": "q"}, "false"),
    ],
)
def test_header_fields_are_read_from_their_places(
    selector: str, layout: str, options: dict[str, Any], sql: str
) -> None:
    assert bare(transpile_selector(selector, layout, **options).sql) == sql


def test_a_header_in_a_collated_column_is_compared_by_bytes() -> None:
    store = stores.text_map("headers", types="string", headers={"JMSType": "kind"})
    table = parse_ddl("kind STRING COLLATE UNICODE, headers MAP<STRING, STRING>")
    layout: Layout = store.over(table)
    assert bare(transpile_selector("JMSType = 'b'", layout).sql) == "kind COLLATE UTF8_BINARY = 'b'"


@pytest.mark.parametrize("fields", ["key: STRING, v: BINARY", "k: STRING, value: BINARY", "key: STRING, value: INT"])
def test_structs_that_are_no_record_headers_are_refused(fields: str) -> None:
    with pytest.raises(LayoutError, match="ARRAY, not an array of structs with key, value"):
        stores.kafka_headers().over(parse_ddl(f"headers ARRAY<STRUCT<{fields}>>"))


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        ("INT", "CAST(m AS MAP<STRING, STRING>)"),
        ("TIMESTAMP", "transform_values(m, (k, v) -> CAST(unix_millis(v) AS STRING))"),
        ("ARRAY<INT>", "transform_values(m, (k, v) -> CAST(get(v, 0) AS STRING))"),
        ("STRUCT<t: INT, value: INT>", "transform_values(m, (k, v) -> CAST(v.value AS STRING))"),
        ("ARRAY<ARRAY<INT>>", 'col("m")[KEY]'),
    ],
)
def test_a_map_that_is_no_property_is_offered_as_texts(values: str, hint: str) -> None:
    with pytest.raises(LayoutError, match="no message property has the type MAP") as caught:
        transpile_selector("m = 1", f"m MAP<STRING, {values}>")
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("header", "column"),
    [("routing-key", "Routing-Key"), ("routing-key", "rk"), ("exchange", "exchange_name"), ("exchange", "SentTo")],
)
def test_a_column_that_looks_like_a_place_of_publication_is_offered(header: str, column: str) -> None:
    hints = header_hints(header, find_layout("a STRING"), parse_ddl(f"`{column}` STRING, a STRING"))
    assert hints == [f"perhaps read the {header} from {column}: infer_layout(df, headers={{'{header}': '{column}'}})"]


#: Column types, and whether their values are texts.
TEXT_TYPES = (
    *((text, True) for text in ("STRING", "STRING COLLATE UTF8_LCASE", "CHAR(5)", "VARCHAR(5)")),
    *((other, False) for other in ("BOOLEAN", "BIGINT", "DOUBLE", "BINARY", "TIMESTAMP", "DATE", "VARIANT")),
    *((nested, False) for nested in ("ARRAY<STRING>", "MAP<STRING, STRING>", "STRUCT<x: STRING>")),
)


@pytest.mark.parametrize(("column_type", "is_text"), TEXT_TYPES)
def test_only_a_text_column_is_offered_as_a_place_of_publication(column_type: str, is_text: bool) -> None:
    for schema, name in ((f"rk {column_type}", "rk"), (f"s STRUCT<rk: {column_type}>", "s.rk")):
        [hint] = header_hints("routing-key", find_layout("a STRING"), parse_ddl(schema))
        assert (f" from {name}: " in hint) is is_text


@pytest.mark.parametrize(("column_type", "is_text"), TEXT_TYPES)
def test_only_a_text_column_jmstype_is_the_routing_key_of_a_row(column_type: str, is_text: bool) -> None:
    found = documented({"JMSType": "a.b", "a": "x"}, find_layout(f"JMSType {column_type}, a STRING"))
    assert found.routing_key == ("a.b" if is_text else None)


def test_a_split_with_a_limit_is_refused() -> None:
    with pytest.raises(
        UnsupportedFeatureError, match="SPLIT in Spark SQL requires a literal separator, and accepts no limit"
    ):
        transpile_selector("INLIST(SPLIT('a,b', ',', 2), a)", dialect="activemq")


@pytest.mark.parametrize(("column", "width"), [("f", "FLOAT"), ("d", "DOUBLE")])
def test_a_text_is_converted_to_the_width_of_the_number_beside_it(column: str, width: str) -> None:
    selector = f"convert_string_expressions:s > {column}"
    sql = transpile_selector(selector, "f FLOAT, d DOUBLE, s STRING", "artemis").sql
    assert f"AS {width}) END" in sql


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (
            "a > b",
            "is_integer(a) AND is_integer(b) AND bigint(a) > bigint(b)"
            " OR is_number(a) AND is_number(b) AND double(a) > double(b)",
        ),
        (
            "a >= b",
            "CASE WHEN is_integer(a) AND is_integer(b) THEN bigint(a) >= bigint(b) END OR is_number(a)"
            " AND CASE WHEN is_integer(a) AND is_integer(b) THEN bigint(a) IS NOT NULL AND bigint(b) IS NOT NULL END"
            " IS NOT TRUE AND is_number(b) AND double(a) >= double(b)",
        ),
    ],
)
def test_the_example_of_two_untyped_texts_is_what_is_emitted(selector: str, expected: str) -> None:
    sql = bare(transpile_selector(selector, stores.text_map("p", types="by-use")).sql)
    for name in "ab":
        text = f"p['{name}']"
        sql = sql.replace(f"rlike({text}, '(?s)^[+-]?[0-9]+(?!.)')", f"is_integer({name})")
        sql = sql.replace(f"NOT rlike({text}, '[^-+.0-9eE]')", f"is_number({name})")
        sql = sql.replace(f"try_cast({text} AS BIGINT)", f"bigint({name})")
        sql = sql.replace(f"try_cast({text} AS DOUBLE)", f"double({name})")
    assert sql == expected


def test_two_results_of_one_selector_are_equal() -> None:
    first, second = (transpile_selector("a = 1 AND b LIKE 'x%'", "amqp") for _ in range(2))
    assert first == second
    assert first != transpile_selector("a = 2 AND b LIKE 'x%'", "amqp")
