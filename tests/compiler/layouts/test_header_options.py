"""Header fields in columns and keys that the user chooses: how they are read, and which options are rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.compiler.sql_text import bare
from transpiler import LayoutError, SelectorTypeError, evaluate, stores, transpile_selector
from transpiler.base.source import Span
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.ir import type_class
from transpiler.compiler.layouts.header_places import HeaderOption
from transpiler.compiler.layouts.named_fields import FIELDS
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.compiler.layouts.store import StoreLayout, refuse_unchosen

#: The type of application properties in the canonical schema.
UNIONS = (
    "MAP<STRING, STRUCT<type: STRING, boolean: BOOLEAN, long: BIGINT, double: DOUBLE, string: STRING, binary: BINARY>>"
)

TEXT_MAP = (
    "JMSTimestamp STRING, JMSPriority STRING, JMSDeliveryMode INT, ts BIGINT, mode BOOLEAN, p MAP<STRING, STRING>"
)


def layout(**headers: Any) -> Any:
    return stores.text_map("p", types="by-use", headers=headers).over(schema_in(TEXT_MAP))


SQL = (
    ({"JMSType": "order_type"}, "JMSType = 'a'", "p['order_type'] = 'a'"),
    ({"JMSTimestamp": stores.time("ts")}, "JMSTimestamp >= 5000", "ts >= 5000"),
    ({"JMSDeliveryMode": stores.mode("mode")}, "JMSDeliveryMode = 'PERSISTENT'", "mode"),
    ({"JMSDeliveryMode": stores.mode("JMSDeliveryMode")}, "JMSDeliveryMode = 'PERSISTENT'", "JMSDeliveryMode = 2"),
    ({"JMSPriority": stores.number("JMSPriority")}, "JMSPriority > 6", "try_cast(JMSPriority AS BIGINT) > 6"),
)


@pytest.mark.parametrize(("headers", "selector", "sql"), SQL)
def test_a_header_is_read_where_the_user_says(headers: dict[str, Any], selector: str, sql: str) -> None:
    assert bare(transpile_selector(selector, layout(**headers)).sql) == sql


REFUSED_OPTIONS: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"JMSTyp": "x"}, "JMS has no header field 'JMSTyp' that a store can contain", "did you mean JMSType?"),
    ({"color": "x"}, "JMS has no header field 'color'", ""),
    ({"JMSType": 5}, "the header field JMSType is int, not the name of a column or a key", "stores.time"),
    ({"JMSPriority": stores.mode("p")}, "JMSPriority cannot be read as a delivery mode", "are JMSDeliveryMode"),
    ({"JMSType": stores.number("p")}, "JMSType cannot be read as an integer", "are JMSPriority, JMSXDeliveryCount"),
)


@pytest.mark.parametrize(("headers", "message", "hint"), REFUSED_OPTIONS)
def test_a_struct_of_unknown_fields_refuses_the_same_options(headers: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(LayoutError, match=message) as caught:
        stores.struct(headers=headers)
    assert hint in str(caught.value)


@pytest.mark.parametrize(("headers", "message", "hint"), REFUSED_OPTIONS)
def test_an_option_that_is_none_is_refused(headers: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(LayoutError, match=message) as caught:
        layout(**headers)
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.code == "layout.headers"
    assert hint in str(diagnostic.hint)


_TIMES = {"JMSTimestamp", "JMSExpiration"}

#: The header fields that each reading fits.
FITTING: dict[Callable[[str], HeaderOption], set[str]] = {
    stores.time: _TIMES,
    stores.mode: {"JMSDeliveryMode"},
    stores.number: {"JMSPriority", "JMSXDeliveryCount", "JMS_AMQP_TTL", "JMSXGroupSeq"} | _TIMES,
}


@pytest.mark.parametrize("read", FITTING)
@pytest.mark.parametrize("name", FIELDS)
def test_a_reading_has_values_of_the_type_of_the_header_field_or_is_refused(
    name: str, read: Callable[[str], HeaderOption]
) -> None:
    """The SQL of other values ends in an error: ``true > 9`` for a priority that is read as a delivery mode."""
    if name not in FITTING[read]:
        with pytest.raises(LayoutError, match=f"{name} cannot be read as"):
            stores.text_map("p", types="string", headers={name: read("kind")})
        return
    usual = stores.text_map("p", types="string").field(FIELDS[name])
    found = stores.text_map("p", types="string", headers={name: read("kind")}).field(FIELDS[name])
    assert found is not None
    assert usual is not None
    assert {type_class(item.value.type) for item in found.values} == {
        type_class(item.value.type) for item in usual.values
    }


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            stores.struct(headers={"JMSType": stores.key("kind"), "JMSPriority": "prio"}),
            "StoreLayout('struct', properties: properties, JMSPriority: prio, JMSRedelivered: JMSRedelivered)",
        ),
        (
            layout(JMSPriority="JMSPriority", JMSType="kind"),
            "StoreLayout('text-map', properties: p text by-use in MAP, JMSType: p['kind'])",
        ),
    ],
    ids=["struct", "text map"],
)
def test_the_text_of_a_layout_leaves_out_what_it_cannot_read(given: StoreLayout, text: str) -> None:
    assert repr(given) == text


def test_headers_that_are_no_mapping_are_refused() -> None:
    with pytest.raises(LayoutError, match="headers must be a mapping from JMS names to columns or keys, not list"):
        stores.text_map("p", types="string", headers=["JMSType"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("unit", "zone", "message"),
    [
        ("yyyy G", "UTC", "contains the unsupported letter G"),
        ("us", "UTC", "contains the unsupported letter u"),
        ("yyyy", "Mars/Olympus", "there is no time zone 'Mars/Olympus'"),
    ],
)
def test_a_time_that_cannot_be_read_is_refused(unit: str, zone: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message) as caught:
        stores.time("ts", unit, zone)
    assert caught.value.diagnostics[0].code == "layout.time"


UNLIKE = (
    ("JMSTimestamp > 5", "JMSTimestamp is STRING", "stores.time('JMSTimestamp', unit="),
    ("JMSPriority > 5", "JMSPriority is STRING", "stores.number('JMSPriority')"),
    ("JMSDeliveryMode = 'PERSISTENT'", "JMSDeliveryMode is INT", "stores.mode('JMSDeliveryMode')"),
)


@pytest.mark.parametrize(("selector", "message", "hint"), UNLIKE)
def test_a_header_column_of_an_unlike_type_is_refused_where_it_is_used(selector: str, message: str, hint: str) -> None:
    with pytest.raises(LayoutError, match=message) as caught:
        transpile_selector(selector, layout())
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.code == "layout.header-type"
    assert hint in str(diagnostic.hint)
    assert bare(transpile_selector("color = 'red'", layout()).sql) == "p['color'] = 'red'"


def test_a_preset_lists_its_options() -> None:
    with pytest.raises(LayoutError, match="the layout confluent-jms has no option types") as caught:
        stores.preset("confluent-jms", {"types": "by-use"})
    assert caught.value.diagnostics[0].hint == "the options of confluent-jms are column, headers"
    with pytest.raises(LayoutError, match="the layout text-map requires the option types"):
        stores.preset("text-map")


def test_a_struct_without_a_schema_asks_for_it() -> None:
    with pytest.raises(LayoutError, match=r"the type of properties\.color is not known"):
        transpile_selector("color = 'red'", stores.struct())


def test_a_column_of_text_maps_is_inferred_only_beside_header_columns() -> None:
    layout = layout_from_schema(schema_in("JMSType STRING, p MAP<STRING, BINARY>"))
    assert bare(transpile_selector("JMSType = 'order'", layout).sql) == "JMSType = 'order'"
    with pytest.raises(LayoutError, match="the column p stores every value as text") as caught:
        transpile_selector("JMSType = 'order' AND x = 1", layout)
    [finding] = caught.value.diagnostics
    assert "stores.text_map('p', types=" in str(finding.hint)
    assert finding.span == Span(22, 23)
    with pytest.raises(LayoutError, match="the column p stores every value as text"):
        refuse_unchosen(layout)


#: A schema, a selector, its SQL, and the text of the warning and its hint.
READINGS = [
    (
        "headers ARRAY<STRUCT<key: STRING, value: BINARY>>, topic STRING, order_type STRING",
        "JMSType = 'stock'",
        "CAST(try_element_at(filter(headers, h -> h.key = 'JMSType'), -1).value AS STRING) "
        "= 'stock' COLLATE UTF8_BINARY",
        "JMSType is read from the property of that name: the layout kafka-headers has no such field",
        "headers={'JMSType': 'order_type'}",
    ),
    (
        "message_timestamp BIGINT, mode INT, type STRING, properties MAP<STRING, STRING>",
        "type = 'stock'",
        "properties['type'] = 'stock'",
        "type is read from properties, although the column type contains JMSType",
        "write JMSType",
    ),
    (
        "JMSType STRING, color STRING, properties STRUCT<color: STRING>",
        "color = 'red'",
        "properties['color'] = 'red'",
        "color is read from properties, although the table also has a column color",
        "rename the column",
    ),
    (
        "JMSPriority INT, Color STRING, v VARIANT",
        "color = 'red'",
        "schema_of_variant(variant_get(v, '$.color')) = 'STRING' "
        "AND try_variant_get(v, '$.color', 'string') = 'red' COLLATE UTF8_BINARY",
        "color is read from v, although the table also has a column Color",
        "write Color",
    ),
    (
        "headers ARRAY<STRUCT<key: STRING, value: BINARY>>, Tenant STRING",
        "tenant = 'a'",
        "CAST(try_element_at(filter(headers, h -> h.key = 'tenant'), -1).value AS STRING) = 'a' COLLATE UTF8_BINARY",
        "tenant is read from headers, although the table also has a column Tenant",
        "write Tenant",
    ),
]

#: Schemas with properties in one column and other columns: a name that is unambiguously a column or a key, and its SQL.
PLAIN = [
    ("JMSPriority INT, color STRING, payload VARIANT", "color = 'red'", "color = 'red'"),
    ("JMSPriority INT, color STRING, m MAP<STRING, STRING>", "color = 'red'", "color = 'red'"),
    ("headers ARRAY<STRUCT<key: STRING, value: BINARY>>, topic STRING", "topic = 'orders'", "topic = 'orders'"),
    (
        "JMSPriority INT, v VARIANT",
        "v.x = 'red'",
        "schema_of_variant(variant_get(v, '$.x')) = 'STRING' "
        "AND try_variant_get(v, '$.x', 'string') = 'red' COLLATE UTF8_BINARY",
    ),
]


@pytest.mark.parametrize(("schema", "selector", "sql"), PLAIN)
def test_a_name_that_is_plainly_a_column_or_a_key_warns_of_nothing(schema: str, selector: str, sql: str) -> None:
    transpiled = transpile_selector(selector, schema)
    assert (bare(transpiled.sql), transpiled.diagnostics) == (sql, ())


@pytest.mark.parametrize(
    ("columns", "name", "expected_text"),
    [
        ("day DATE", "day", "column day: no message property has the type DATE"),
        ("tags ARRAY<STRING>", "tags", "column tags: no message property has the type ARRAY"),
        ("x INT, X INT", "x", "the table has the columns x and X"),
    ],
)
@pytest.mark.parametrize("beside", ["JMSPriority INT, v VARIANT", "headers ARRAY<STRUCT<key: STRING, value: BINARY>>"])
def test_a_column_of_a_type_that_no_property_has_is_reported_beside_keys_of_any_name(
    columns: str, name: str, expected_text: str, beside: str
) -> None:
    with pytest.raises(LayoutError, match=expected_text):
        transpile_selector(f"{name} = 5", f"{beside}, {columns}")


def test_a_key_of_a_column_is_read_by_the_evaluator_as_by_the_sql() -> None:
    layout = layout_from_schema(schema_in("JMSPriority INT, v VARIANT"))
    message = layout.message({"JMSPriority": 7, "v": {"x": 91}})
    assert [evaluate(text, message) for text in ("v.x > 90", "x > 90", "v.y IS NULL")] == [True, True, True]


@pytest.mark.parametrize(("schema", "selector", "sql", "message", "hint"), READINGS)
def test_one_of_two_readings_is_never_chosen_in_silence(
    schema: str, selector: str, sql: str, message: str, hint: str
) -> None:
    transpiled = transpile_selector(selector, schema)
    assert bare(transpiled.sql) == sql
    [finding] = transpiled.diagnostics
    assert (finding.severity, finding.message) == ("warning", message)
    assert hint in str(finding.hint)


def test_a_column_beside_a_store_is_a_property_of_the_message_in_a_row() -> None:
    layout = layout_from_schema(schema_in("JMSPriority INT, color STRING, n INT, payload VARIANT"))
    message = layout.message(
        {"JMSPriority": 7, "color": "red", "n": None, "payload": {"a": 1, "color": "blue", "n": 5}}
    )
    assert [evaluate(text, message) for text in ("color = 'red'", "a = 1", "n IS NULL")] == [True, True, True]
    assert transpile_selector("nope = 1", "d INT, JMSType STRING, properties STRUCT<a: INT>", missing="null")
    with pytest.raises(LayoutError, match="the columns are a, d"):
        transpile_selector("nope = 1", "d INT, JMSType STRING, properties STRUCT<a: INT>")


@pytest.mark.parametrize(
    ("schema", "selector", "expected_text"),
    [
        ("priority INT", "JMSPriority > 4", "infer_layout(df, headers={'JMSPriority': 'priority'})"),
        ("order_type STRING", "JMSType = 'a'", "df.withColumnRenamed('order_type', 'JMSType')"),
        (
            "color STRING",
            "JMSType = 'a'",
            "add a column JMSType to the table; perhaps treat the field properties.subject as absent: missing='null'",
        ),
        ("v VARIANT, c STRING", "x = 1", "stores.variant('v')"),
        (
            "id STRING, Payload STRING",
            "x = 1",
            "if the column Payload contains JSON: stores.variant('Payload', json=True)",
        ),
        (
            "id STRING, value INT",
            "x = 1",
            "the columns are id, value; perhaps treat unknown names as missing properties: missing",
        ),
        ("m MAP<STRING, STRING>", "x = 1", "stores.text_map('m', types='by-use')"),
        ("v VARIANT", "v = 1", "perhaps read the properties from this column: stores.variant('v')"),
        (
            "`my col` STRING, `order-type` STRING, c INT",
            "x = 1",
            "contain the column name my col, order-type: perhaps rename",
        ),
        (
            "`order-type` STRING, c INT",
            "order-type = 1",
            "a selector cannot contain the column name order-type: perhaps rename",
        ),
        ("day DATE", "day > 1767225600000", 'col("day").cast("timestamp_ntz")'),
    ],
)
def test_the_error_of_a_name_without_a_place_says_what_gives_it_one(
    schema: str, selector: str, expected_text: str
) -> None:
    with pytest.raises(LayoutError) as caught:
        transpile_selector(selector, schema)
    [finding] = caught.value.diagnostics
    assert expected_text in str(finding.hint)
    assert finding.span is not None


def test_the_hint_of_a_time_as_text_says_that_a_date_is_to_be_cast() -> None:
    with pytest.raises(SelectorTypeError) as caught:
        transpile_selector("day > '2026-01-01'", "day DATE, color STRING")
    hint = str(caught.value.diagnostics[0].hint)
    assert "1767225600000" in hint
    assert 'df.withColumn("day", col("day").cast("timestamp_ntz"))' in hint
    assert 'df.withColumn("day", col("day").cast("string"))' in hint


@pytest.mark.parametrize(
    ("name", "expected_text"), [("kafka", "kafka-headers"), ("flat", "pass the DataFrame or its schema")]
)
def test_a_word_that_is_no_preset_says_the_one_that_is_meant(name: str, expected_text: str) -> None:
    with pytest.raises(LayoutError) as caught:
        transpile_selector("x = 1", name)
    assert expected_text in str(caught.value.diagnostics[0].hint)


def test_flat_tables_take_header_fields_in_columns_of_other_names() -> None:
    schema = schema_in("prio INT, color STRING, sent BIGINT")
    headers = {"JMSPriority": "prio", "JMSTimestamp": stores.time("sent", unit="s")}
    layout = layout_from_schema(schema, headers=headers)
    transpiled = transpile_selector("JMSPriority > 4 AND JMSTimestamp > 0 AND color = 'red'", layout)
    assert bare(transpiled.sql) == "prio > 4 AND try_multiply(sent, 1000) > 0 AND color = 'red'"
    assert transpiled.diagnostics == ()
    message = layout.message({"prio": 7, "color": "red", "sent": 5})
    assert evaluate("JMSPriority = 7 AND JMSTimestamp = 5000 AND color = 'red'", message) is True
    with pytest.raises(LayoutError, match="no column contains the property nope"):
        transpile_selector("nope = 1", layout)
    with pytest.raises(LayoutError, match="the layout amqp stores each header field in its own column"):
        layout_from_schema(schema_in("application_properties " + UNIONS), headers=headers)


def test_a_key_of_a_store_with_a_prefix_is_named_as_it_is_stored() -> None:
    headers = {"JMSTimestamp": stores.time("rabbitmq.timestamp", unit="s"), "JMSType": "kind"}
    layout = stores.confluent_rabbitmq(headers=headers)
    row = {"headers": [{"key": "rabbitmq.timestamp", "value": b"5"}, {"key": "rabbitmq.kind", "value": b"news"}]}
    assert evaluate("JMSTimestamp = 5000 AND JMSType = 'news'", layout.message(row)) is True
    assert "'rabbitmq.timestamp'" in transpile_selector("JMSTimestamp > 5", layout).sql


def test_records_of_kafka_without_headers_say_how_to_read_them() -> None:
    schema = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"
    with pytest.raises(LayoutError, match="the option includeHeaders; if the column value contains JSON, cast"):
        transpile_selector("color = 'red'", schema)
