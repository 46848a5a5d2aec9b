"""Messages in JSON: message JSON, plain properties, and rows of layouts as Spark's ``to_json`` writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_ext import create_messages, infer_layout
from spark_ext.messages.schemas import message_columns
from tests.compiler.layouts.written_rows import row_of
from tests.message.identity import identity
from tests.spark_ext.strategies import messages
from transpiler import DecodeError, Layout, Message, stores
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.amqp_0_10 import ZeroTenLayout
from transpiler.compiler.layouts.json_rows import check_columns, message_from_json, message_from_json_row
from transpiler.compiler.layouts.schemas import parse_ddl
from transpiler.message.types import AmqpType

TABLES = Path(__file__).parents[2] / "data" / "stores"
NAMED: dict[str, Layout] = {
    "plain_map": stores.text_map(types="by-use"),
    "json_string": stores.variant(json=True),
    "kafka_camel": stores.camel_kafka(),
    "kafka_confluent_rabbitmq": stores.confluent_rabbitmq(),
}


@given(messages)
def test_message_json_is_read_as_it_is(message: Message) -> None:
    data = message.to_dict()
    assert identity(message_from_json(data)) == identity(Message.from_dict(data))
    assert identity(message_from_json_row(data, AmqpLayout())) == identity(Message.from_dict(data))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"color": "red", "JMSPriority": 7}, Message.of(color="red", JMSPriority=7)),
        ({"x": {"type": "short", "value": 5}}, Message.of(x={"type": "short", "value": 5})),
        ({}, Message()),
        ({"header": {"priority": 7}}, Message.of(JMSPriority=7)),
        ({"properties": {"subject": "a"}}, Message.of(JMSType="a")),
    ],
)
def test_an_object_without_a_section_is_plain_properties(value: Any, message: Message) -> None:
    assert message_from_json(value) == message


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"header": {}, "color": "red"}, "there is no section called 'color'"),
        ({"headers": {}}, "did you mean header?"),
        ([1], "a message must be a JSON object of sections, not an array"),
        ({"x": [1]}, "x: expected a simple value, found an array"),
    ],
)
def test_what_is_neither_is_an_error(value: Any, text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        message_from_json(value)
    assert text in str(caught.value)


def shown(message: Message) -> str:
    """Return ``message`` as text that does not depend on the order of its properties or the width of their numbers."""
    properties = {
        name: float(value.value) if value.type in (AmqpType.LONG, AmqpType.DOUBLE) else value
        for name, value in sorted((message.application_properties or {}).items())
    }
    return identity(replace(message, application_properties=None)) + repr(properties)


@pytest.mark.parametrize("name", json.loads((TABLES / "stores.json").read_text(encoding="utf-8")))
def test_rows_that_spark_writes_are_those_that_it_reads(spark: SparkSession, name: str) -> None:
    df = spark.read.parquet(str(TABLES / f"{name}.parquet"))
    layout = message_columns(df, NAMED.get(name)).layout
    # PySpark returns timestamps in the time zone of the process. Another test compares them.
    plain = df.select(*(sf.col(f"`{field.name}`") for field in df.schema if field.dataType.typeName() != "timestamp"))
    for row, text in zip(plain.collect(), plain.select(sf.to_json(sf.struct("*"))).collect(), strict=True):
        assert shown(message_from_json_row(json.loads(text[0]), layout)) == shown(layout.message(row))


def test_the_canonical_rows_that_spark_writes_are_read(spark: SparkSession) -> None:
    message = Message.from_dict(
        {
            "header": {"durable": True, "priority": 7},
            "properties": {
                "message_id": {"type": "ulong", "value": 2**64 - 1},
                "correlation_id": {"type": "uuid", "value": "0123abcd-0123-0123-0123-0123456789ab"},
                "creation_time": 1_719_236_300_000,
                "user_id": "Z3Vlc3Q=",
            },
            "application_properties": {
                "color": "red",
                "weight": {"type": "short", "value": 5},
                "nothing": None,
                "double": {"type": "double", "value": "NaN"},
                "bytes": {"type": "binary", "value": "YWJj"},
                "many": {"type": "list"},
            },
            "body": {"section": "amqp-value", "value": {"type": "map"}},
        }
    )
    df = create_messages(spark, [message])
    [row] = df.select(sf.to_json(sf.struct("*", sf.lit(1).alias("line")))).collect()
    assert shown(message_from_json_row(json.loads(row[0]), infer_layout(df))) == shown(message)


def flat(ddl: str) -> Layout:
    return layout_from_schema(parse_ddl(ddl))


@pytest.mark.parametrize(
    ("layout", "value", "message"),
    [
        (flat("color STRING, JMSPriority INT"), {"color": "red", "JMSPriority": 7, "line": 1}, Message.of(color="red")),
        (flat("color STRING"), {"application_properties": {"color": "red"}}, Message.of(color="red")),
        (
            ZeroTenLayout(),
            {"message_properties": {"application_headers": {"color": "red"}}},
            Message.of(color="red"),
        ),
        (AmqpLayout(promoted={"color": "STRING"}), {"color": "red"}, Message.of(color="red")),
        (stores.confluent_jms(), {"messageID": "ID:a"}, Message()),
    ],
)
def test_a_row_has_the_columns_of_its_layout_among_others(layout: Layout, value: Any, message: Message) -> None:
    read = message_from_json_row(value, layout).application_properties or {}
    expected = message.application_properties or {}
    assert {name: item for name, item in read.items() if not name.startswith("JMS")} == expected


@pytest.mark.parametrize(
    ("layout", "value", "text"),
    [
        (AmqpLayout(), {"header": {"prio": 5}}, "there is no field called 'prio'"),
        (AmqpLayout(), {"application_properties": {"x": {"type": "string", "long": "a"}}}, "expected an integer"),
        (ZeroTenLayout(), {"message_propertys": {}}, "did you mean message_properties?"),
        (stores.confluent_jms(), "a", "a message must be a JSON object"),
    ],
)
def test_a_row_of_something_else_is_an_error(layout: Layout, value: Any, text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        message_from_json_row(value, layout)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("layout", "value", "text"),
    [
        (
            stores.kafka_headers(),
            {"color": "red"},
            "the row has no column of the layout kafka-headers: the layout reads headers",
        ),
        (flat("color STRING"), {"colour": "red"}, "the layout reads color, but the row has colour"),
        (
            flat("v VARIANT"),
            {"v": {"color": "red"}},
            "the layout reads none, but the row has v\n  hint: to read a key of the column v",
        ),
        (AmqpLayout(), {"color": "red"}, "the layout reads header, delivery_annotations, message_annotations"),
    ],
)
def test_a_row_without_any_column_of_the_layout_is_reported(layout: Layout, value: Any, text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        check_columns(value, layout)
    assert text in str(caught.value)
    check_columns({}, layout)
    check_columns(row_of(layout, Message()), layout)
