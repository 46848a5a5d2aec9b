"""Streams whose topology changes while they run."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from spark_ext import compile_topology, route_stream
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Exchange, Queue

QUEUES = tuple(Queue(name) for name in ("first", "second"))
BEFORE = Topology(RABBITMQ, (Exchange("d", "direct"),), QUEUES, (Binding("d", "first", "k"),))
ADDED = Binding("d", "second", "k")


def test_a_stream_takes_up_a_new_version_between_batches(spark: SparkSession, tmp_path: Path) -> None:
    archive, file = tmp_path / "archive", tmp_path / "topology"
    messages = spark.createDataFrame([("d", "k"), ("d", "other")], "exchange STRING, routing_key STRING")
    first = compile_topology(BEFORE, messages, version="monday")
    first.save(file)
    written: list[tuple[object, ...]] = []

    def write(routed: DataFrame, _: int) -> None:
        written.extend(tuple(row) for row in routed.orderBy("routing_key").collect())

    for _ in range(2):
        messages.coalesce(1).write.mode("append").parquet(str(archive))
    stream = spark.readStream.schema(messages.schema).option("maxFilesPerTrigger", 1).parquet(str(archive))
    writer = route_stream(stream, file, write, outcome="outcome").option("checkpointLocation", str(tmp_path / "state"))
    query = writer.start()
    query.processAllAvailable()
    first.updated([ADDED], version="tuesday").save(file)
    messages.coalesce(1).write.mode("append").parquet(str(archive))
    query.processAllAvailable()
    query.stop()
    before = [("d", "k", ["first"], "delivered", "monday"), ("d", "other", [], "discarded", "monday")]
    after = [("d", "k", ["first", "second"], "delivered", "tuesday"), ("d", "other", [], "discarded", "tuesday")]
    assert written == [*before, *before, *after]


def test_a_function_gives_the_topology_and_a_wrong_file_ends_the_stream(spark: SparkSession, tmp_path: Path) -> None:
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 2).load()
    stream = stream.selectExpr("'k' AS routing_key")
    now, versions = [BEFORE], []

    def write(routed: DataFrame, number: int) -> None:
        versions.append({row.topology_version: row.queues for row in routed.collect()})
        if number == 1:
            now[0] = Topology(RABBITMQ, BEFORE.exchanges, QUEUES, (*BEFORE.bindings, ADDED))
        if number == 2:
            raise RuntimeError("that is enough")

    query = route_stream(stream, lambda: now[0], write, exchange="d").start()
    with pytest.raises(StreamingQueryException, match="that is enough"):
        query.awaitTermination(60)
    [before, same, after] = versions
    assert before == same == {next(iter(before)): ["first"]}
    assert list(after.values()) == [["first", "second"]]
    assert after.keys() != before.keys()
    (tmp_path / "wrong").write_bytes(b"selector-sql compiled topology\n")
    query = route_stream(stream, tmp_path / "wrong", write).start()
    with pytest.raises(StreamingQueryException, match="wrong was written by another version"):
        query.awaitTermination(60)
