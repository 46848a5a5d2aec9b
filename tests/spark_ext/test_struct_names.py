"""A struct's field is never confused with a column or an alias of a table with the struct's name."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from spark_ext import MESSAGE_SCHEMA, compile_selector, create_messages, infer_layout, route
from transpiler import stores, topology_from_dict, transpile_selector

#: A table with a column named like a field of its struct, with another value.
SHIPMENT = "SELECT 1 AS id, named_struct('color', 'blue', 'size', 5) AS shipment, 'red' AS color"


@pytest.mark.parametrize("alias", ["shipment", "t"])
@pytest.mark.parametrize("selector", ["shipment.color = 'blue'", "shipment.color = 'blue' AND shipment.size > 4"])
def test_the_field_of_a_struct_is_read_whatever_the_table_is_called(
    spark: SparkSession, alias: str, selector: str
) -> None:
    frame = spark.sql(SHIPMENT).alias(alias)
    assert frame.filter(compile_selector(selector, frame)).count() == 1
    frame.createOrReplaceTempView(alias)
    sql = transpile_selector(selector, frame.schema.jsonValue()).sql
    assert spark.sql(f"SELECT * FROM {alias} WHERE {sql}").count() == 1
    assert spark.sql(f"SELECT * FROM {alias} AS shipment WHERE {sql}").count() == 1
    # A field without such a column is written in the usual form.
    assert transpile_selector("shipment.size > 4", frame.schema.jsonValue()).sql == "(shipment.size > 4)"


def test_every_layout_keeps_a_struct_apart_from_its_table(spark: SparkSession) -> None:
    frame = spark.sql(
        "SELECT named_struct('rk', 's.north', 'kind', 'stock', "
        "'properties', map('hue', 'blue'), 'fields', named_struct('hue', 'blue')) AS m, "
        "'x' AS rk, 'y' AS kind, map('hue', 'red') AS properties, named_struct('hue', 'red') AS fields"
    ).alias("m")
    headers = {"JMSType": "m.kind", "routing-key": "m.rk"}
    layouts = (
        stores.text_map("m.properties", types="by-use", headers=headers, schema=frame.schema),
        stores.struct("m.fields", headers=headers, schema=frame.schema),
        infer_layout(frame, "m.fields", headers=headers),
    )
    topology = topology_from_dict(
        {
            "broker": "rabbitmq",
            "queues": ["north"],
            "exchanges": [{"name": "sales", "type": "topic"}],
            "bindings": [{"source": "sales", "queue": "north", "key": "*.north"}],
        }
    )
    for layout in layouts:
        assert frame.filter(compile_selector("hue = 'blue' AND JMSType = 'stock'", layout)).count() == 1
        assert [row.queues for row in route(frame, topology, layout, exchange="sales").collect()] == [["north"]]
        assert layout.message(frame.collect()[0]).application_properties["hue"].value == "blue"  # type: ignore[index]


def test_a_section_is_read_beside_a_column_of_its_fields_name(spark: SparkSession) -> None:
    frame = create_messages(spark, [{"header": {"priority": 7}}]).selectExpr("*", "1 AS priority").alias("header")
    assert frame.filter(compile_selector("JMSPriority = 7", frame)).count() == 1
    assert [row.queues for row in route(frame, ALL, exchange="x").collect()] == [["q"]]
    assert transpile_selector("JMSPriority = 7", MESSAGE_SCHEMA).sql == "(header.priority = 7)"


ALL = topology_from_dict(
    {
        "broker": "qpid-java",
        "queues": ["q"],
        "exchanges": [{"name": "x", "type": "fanout"}],
        "bindings": [{"source": "x", "queue": "q", "arguments": {"x-filter-jms-selector": "JMSPriority = 7"}}],
    }
)
