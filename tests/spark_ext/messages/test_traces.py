"""RabbitMQ's tracing log, read by Spark, and routed as the broker did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_ext import compile_selector, create_messages, deliveries, route, trace_messages
from tests.spark_ext.harness import COMPILED, largest_method, settings
from transpiler import route_message
from transpiler.cli.messages import read_messages
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.message.rabbitmq_trace import entry_message
from transpiler.topology import topology_from_dict
from transpiler.topology.files import read_topology

DATA = Path(__file__).parents[3] / "examples" / "data"
STORES = Path(__file__).parents[2] / "data" / "stores"
TOPOLOGY = read_topology(DATA / "definitions.json")


@pytest.fixture(scope="module")
def trace(spark: SparkSession) -> DataFrame:
    return trace_messages(spark.read.text(str(DATA / "trace.jsonl.gz"))).cache()


def test_spark_reads_the_log_as_python_does(spark: SparkSession, trace: DataFrame) -> None:
    publications = list(read_messages([str(DATA / "trace.jsonl.gz")]))
    messages = create_messages(spark, [found.message for found in publications])
    assert trace.select(*messages.columns).collect() == messages.collect()
    others = trace.select("exchange", "routing_keys", "routed_queues").collect()
    assert [(row.exchange, tuple(row.routing_keys), tuple(row.routed_queues)) for row in others] == [
        (*found.sent()[:2], found.recorded("routed_queues")) for found in publications
    ]


@pytest.mark.full
@pytest.mark.parametrize("wholly_compiled", ["true", "false"])
def test_every_message_gets_the_queues_that_the_broker_gave_it(
    spark: SparkSession, trace: DataFrame, wholly_compiled: str
) -> None:
    with settings(spark, COMPILED | {"spark.sql.codegen.wholeStage": wholly_compiled}):
        rows = route(trace, TOPOLOGY).select("exchange", "queues", "routed_queues").collect()
    assert len(rows) == 3000
    # The log names the queue of the default exchange before the broker checks whether the queue exists.
    recorded = [[] if row.routed_queues == ["nobody"] else sorted(row.routed_queues) for row in rows]
    assert [row.queues for row in rows] == recorded
    assert {row.exchange for row in rows if row.routed_queues == ["nobody"]} == {""}


def test_a_delivery_is_a_row_of_its_own(trace: DataFrame) -> None:
    routed = route(trace, TOPOLOGY)
    one_each = deliveries(routed)
    assert "queues" not in one_each.columns
    counted = {row.queue: row["count"] for row in one_each.groupBy("queue").count().collect()}
    recorded = [queue for row in trace.select("routed_queues").collect() for queue in row.routed_queues]
    assert counted == {queue: recorded.count(queue) for queue in {*recorded} - {"nobody"}}


def test_headers_keep_their_types_and_other_lines_are_distinguished(spark: SparkSession) -> None:
    headers = {"s": "5", "n": 5, "x": 2.5, "b": True, "none": None, "table": {"a": 1}, "list": [1]}
    entry = {"type": "published", "exchange": "e", "routing_keys": ["k", "cc"], "routed_queues": "none"}
    lines = [
        json.dumps(entry | {"properties": {"headers": headers}}),
        json.dumps(entry | {"type": "received", "properties": {}}),
        "",
        "{oops",
    ]
    frame = trace_messages(spark.createDataFrame([(line,) for line in lines], "value STRING"))
    first, second = frame.collect()
    found = {
        name: (value.type, *(content for content in value[1:] if content is not None))
        for name, value in first.application_properties.items()
    }
    assert found == {
        "s": ("string", "5"),
        "n": ("long", 5),
        "x": ("double", 2.5),
        "b": ("boolean", True),
        "none": ("null",),
        # Tables and lists are present, but the log does not contain their content.
        "table": ("map", b""),
        "list": ("list", b""),
    }
    row = AmqpLayout().row(entry_message(json.loads(lines[0])))["application_properties"]
    assert row == {name: value.asDict() for name, value in first.application_properties.items()}
    assert (first.exchange, first.routing_keys, first.properties.subject) == ("e", ["k", "cc"], None)
    assert first.routed_queues == []
    assert (second.exchange, second.routed_queues) == (None, None)


def test_jms_type_is_the_basic_property_type(spark: SparkSession) -> None:
    trace = trace_messages(spark.read.text(str(STORES / "raw" / "trace.jsonl")))
    rabbitmq = json.loads((STORES / "stores.json").read_text(encoding="utf-8"))["rabbitmq_trace"]
    for name, selector in rabbitmq["selectors"].items():
        matching = trace.filter(compile_selector(selector)).select("properties.message_id.string").collect()
        assert " ".join(sorted(row.string for row in matching)) == rabbitmq["expected"]["typed"][name], name


def test_a_broker_with_one_routing_key_a_message_reads_the_first(spark: SparkSession) -> None:
    entry = {"exchange": "x", "routing_keys": ["eu", "us"], "routed_queues": ["q"], "properties": {"type": "us"}}
    topology = {
        "broker": "qpid-java",
        "exchanges": [{"name": "x", "type": "direct"}],
        "queues": ["eu", "us"],
        "bindings": [{"source": "x", "queue": name, "key": name} for name in ("eu", "us")],
    }
    trace = trace_messages(spark.createDataFrame([(json.dumps(entry),)], "value STRING"))
    found = topology_from_dict(topology)
    assert route_message(found, entry_message(entry), "x", ["eu", "us"]) == ("eu",)
    for keys in (None, trace):
        assert [row.queues for row in route(trace, found, keys=keys).collect()] == [["eu"]]


@pytest.mark.parametrize("keys", ["several", "one"])
def test_no_method_is_too_long_for_the_jit(spark: SparkSession, keys: str) -> None:
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        read = trace_messages(spark.read.text(str(DATA / "trace.jsonl.gz")))
        routed = route(read if keys == "several" else read.drop("routing_keys"), TOPOLOGY)
        assert largest_method(routed) < 8_000
