"""Header fields in columns and keys of the user's own: what is read there, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sql_text import bare
from transpiler import LayoutError, evaluate, stores, transpile_selector
from transpiler.inference import layout_from_schema
from transpiler.layouts.schemas import schema_in

TEXT_MAP = (
    "JMSTimestamp STRING, JMSPriority STRING, JMSDeliveryMode INT, ts BIGINT, mode BOOLEAN, p MAP<STRING, STRING>"
)


def layout(**headers: Any) -> Any:
    return stores.text_map("p", types="by-use", headers=headers).bind(schema_in(TEXT_MAP))


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
    ({"JMSTyp": "x"}, "JMS has no header field 'JMSTyp' that a store can have", "did you mean JMSType?"),
    ({"color": "x"}, "JMS has no header field 'color'", ""),
    ({"JMSType": 5}, "the header field JMSType is int, and no name of a column or a key", "stores.time"),
)


@pytest.mark.parametrize(("headers", "message", "hint"), REFUSED_OPTIONS)
def test_an_option_that_is_none_is_refused(headers: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(LayoutError, match=message) as caught:
        layout(**headers)
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.code == "layout.headers"
    assert hint in str(diagnostic.hint)


def test_headers_that_are_no_mapping_are_refused() -> None:
    with pytest.raises(LayoutError, match="headers are a mapping from JMS names to columns or keys, not list"):
        stores.text_map("p", types="string", headers=["JMSType"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("unit", "zone", "message"),
    [
        ("yyyy G", "UTC", "has the letter G"),
        ("us", "UTC", "has the letter u"),
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
    assert caught.value.diagnostics[0].hint == "it has column, headers"
    with pytest.raises(LayoutError, match="the layout text-map needs the option types"):
        stores.preset("text-map")


def test_a_struct_without_a_schema_asks_for_it() -> None:
    with pytest.raises(LayoutError, match=r"the type of properties\.color is not known"):
        transpile_selector("color = 'red'", stores.struct())


def test_a_column_of_text_maps_is_inferred_only_beside_header_columns() -> None:
    with pytest.raises(LayoutError, match="the column p has all values as text") as caught:
        layout_from_schema(schema_in("JMSType STRING, p MAP<STRING, BINARY>"))
    assert "stores.text_map('p', types=" in str(caught.value.diagnostics[0].hint)


def test_a_key_of_a_store_with_a_prefix_is_named_as_it_is_stored() -> None:
    headers = {"JMSTimestamp": stores.time("rabbitmq.timestamp", unit="s"), "JMSType": "kind"}
    layout = stores.confluent_rabbitmq(headers=headers)
    row = {"headers": [{"key": "rabbitmq.timestamp", "value": b"5"}, {"key": "rabbitmq.kind", "value": b"news"}]}
    assert evaluate("JMSTimestamp = 5000 AND JMSType = 'news'", layout.message(row)) is True
    assert "'rabbitmq.timestamp'" in transpile_selector("JMSTimestamp > 5", layout).sql
