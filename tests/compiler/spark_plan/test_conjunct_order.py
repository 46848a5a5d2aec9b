"""Tests of plain columns before those that look into maps, arrays and JSON."""

from __future__ import annotations

import pytest

from tests.compiler.sql_text import bare
from transpiler import stores, transpile_selector
from transpiler.compiler.presets import LayoutLike

ORDERED: dict[str, tuple[LayoutLike, str, str]] = {
    "a map": (
        "amqp",
        "color = 'red' AND JMSPriority > 4",
        "header.priority > 4 AND application_properties['color'].string = 'red'",
    ),
    "members of a union": (
        stores.confluent_jms(),
        "color = 'red' AND JMSType = 'order' AND JMSPriority > 4",
        "type = 'order' AND priority > 4"
        " AND CASE WHEN properties['color'].propertyType = 'string' THEN properties['color'].string END = 'red'",
    ),
    "a VARIANT": (
        stores.variant(schema="JMSType STRING, properties VARIANT"),
        "urgent = TRUE AND JMSType = 'order'",
        "JMSType = 'order' AND schema_of_variant(try_variant_get(properties, '$.urgent', 'variant')) = 'BOOLEAN' AND "
        "try_variant_get(properties, '$.urgent', 'boolean')",
    ),
    "columns only": ("a STRING, b BIGINT", "b = 1 AND a = 'x'", "b = 1 AND a = 'x'"),
    "entries only": (
        stores.kafka_headers(types="string"),
        "b = '1' AND a = 'x'",
        "CAST(try_element_at(filter(headers, h -> h.key = 'b'), -1).value AS STRING) = '1' AND "
        "CAST(try_element_at(filter(headers, h -> h.key = 'a'), -1).value AS STRING) = 'x'",
    ),
    "a disjunction": (
        "amqp",
        "color = 'red' OR JMSPriority > 4",
        "application_properties['color'].string = 'red' OR header.priority > 4",
    ),
}


@pytest.mark.parametrize(("layout", "selector", "sql"), ORDERED.values(), ids=ORDERED)
def test_plain_columns_come_first(layout: LayoutLike, selector: str, sql: str) -> None:
    assert bare(transpile_selector(selector, layout).sql) == sql
