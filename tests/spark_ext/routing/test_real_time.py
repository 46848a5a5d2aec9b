"""Routes in the real-time mode of streams, which Spark has since version 4.3."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import route, route_stream
from tests.benchmarks.routing_shapes import COLUMNS, as_message
from tests.spark_ext.harness import SPARK
from tests.spark_ext.memory_stream import MemoryStream
from tests.spark_ext.routing.test_shapes import SCHEMA, all_shapes
from transpiler import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Exchange, Queue

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(SPARK < (4, 3), reason="Spark before 4.3 has no real-time mode"),
]

TRIGGER = "5 seconds"


def answered(stream: MemoryStream, routed: DataFrame, texts: list[str], directory: Path) -> list[str]:
    """Start a query with one column of texts, send ``texts``, and return as many texts from the sink."""
    query = stream.start(routed, directory, TRIGGER)
    stream.send(texts)
    while stream.received < len(texts):
        assert query.isActive(), query.exception().get().getMessage()
        time.sleep(0.05)
    query.stop()
    return stream.texts()[: len(texts)]


def text(value: str) -> AmqpValue:
    return AmqpValue(AmqpType.STRING, value)


TOPICS = Topology(
    QPID_JAVA,
    (Exchange("x", "fanout"), Exchange("t", "topic"), Exchange("h", "headers")),
    tuple(map(Queue, "abcd")),
    (
        Binding("x", "t", destination_type="exchange"),
        Binding("x", "h", destination_type="exchange"),
        Binding("t", "a", "r1.*"),
        Binding("t", "b", "#.5"),
        Binding("h", "c", "", {"region": text("r5"), "x-match": text("any")}),
        Binding("x", "d"),
    ),
)


@pytest.mark.parametrize("where", [all_shapes(100), TOPICS], ids=["selectors of every shape", "topics and headers"])
def test_every_shape_of_bindings_is_routed_in_real_time(spark: SparkSession, tmp_path: Path, where: Topology) -> None:
    stream = MemoryStream(spark)
    columns = [f"{sql} AS {name}" for name, sql in COLUMNS.items()]
    rows = spark.range(0, 20_000, 2_000).selectExpr(*columns, "concat(region, '.', id % 10) AS routing_key").collect()
    schema = f"{SCHEMA}, routing_key STRING"
    texts = [json.dumps(row.asDict(), default=str) for row in rows]
    frame = stream.frame.select(sf.from_json("value", schema).alias("message")).select("message.*")
    routed = route(frame, where, schema, exchange="x").select(sf.to_json("queues"))

    def expected(row: Any) -> list[str]:
        message: Message = as_message(row)
        return list(route_message(where, message, "x", [row.routing_key]))

    answers = [json.loads(answer) for answer in answered(stream, routed, texts, tmp_path)]
    assert answers == list(map(expected, rows))
    assert any(answers)


def test_a_stream_whose_topology_changes_is_for_micro_batches(spark: SparkSession, tmp_path: Path) -> None:
    stream = MemoryStream(spark).frame.selectExpr("value AS routing_key")
    writer = route_stream(stream, lambda: TOPICS, lambda *_: None, exchange="x").outputMode("update")
    writer = writer.option("checkpointLocation", str(tmp_path)).trigger(realTime=TRIGGER)
    with pytest.raises(PySparkException, match="ForeachBatchSink is not in the sink allowlist"):
        writer.start()
