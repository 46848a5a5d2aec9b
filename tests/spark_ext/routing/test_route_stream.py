"""Streams whose topology changes while they run."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import RoutingWarning, compile_topology, route_stream
from spark_ext.routing import constant_tables
from transpiler import LayoutError, TopologyError
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.routing import tuning
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Exchange, Queue

pytestmark = pytest.mark.full

QUEUES = tuple(Queue(name) for name in ("first", "second"))
BEFORE = Topology(RABBITMQ, (Exchange("d", "direct"),), QUEUES, (Binding("d", "first", "k"),))
ADDED = Binding("d", "second", "k")
BLUE = {"x-match": AmqpValue(AmqpType.STRING, "all"), "color": AmqpValue(AmqpType.STRING, "blue")}
BY_COLOR = Topology(
    RABBITMQ, (Exchange("h", "headers"),), QUEUES, (Binding("h", "first", "", BLUE),), default_exchange="h"
)


def test_a_stream_takes_up_a_new_version_between_batches(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MIN_ROWS", 1)
    made: list[str] = []
    make = constant_tables.constant_table
    monkeypatch.setattr(constant_tables, "constant_table", lambda *given: made.append("table") or make(*given))
    archive, file = tmp_path / "archive", tmp_path / "topology"
    messages = spark.createDataFrame([("d", "k"), ("d", "other")], "exchange STRING, routing_key STRING")
    first = compile_topology(BEFORE, messages, version="monday")
    first.save(file)
    written: list[tuple[object, ...]] = []
    tables: list[int] = []

    def write(routed: DataFrame, _: int) -> None:
        tables.append(len(made))
        written.extend(tuple(row) for row in routed.orderBy("routing_key").collect())

    for _ in range(2):
        messages.coalesce(1).write.mode("append").parquet(str(archive))
    stream = spark.readStream.schema(messages.schema).option("maxFilesPerTrigger", 1).parquet(str(archive))
    writer = route_stream(stream, file, write, outcome="outcome").option("checkpointLocation", str(tmp_path / "state"))
    at_first = len(made)
    query = writer.start()
    query.processAllAvailable()
    first.updated([ADDED], version="tuesday").save(file)
    messages.coalesce(1).write.mode("append").parquet(str(archive))
    query.processAllAvailable()
    query.stop()
    before = [("d", "k", ["first"], "delivered", "monday"), ("d", "other", [], "discarded", "monday")]
    after = [("d", "k", ["first", "second"], "delivered", "tuesday"), ("d", "other", [], "discarded", "tuesday")]
    assert written == [*before, *before, *after]
    # All batches of a version use the tables that were created for the version when the stream started.
    assert 0 < at_first == tables[0] == tables[1] < tables[2]


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
    file = tmp_path / "file"
    compile_topology(BEFORE, stream, exchange="d").save(file)
    writer = route_stream(stream, file, lambda *_: file.write_bytes(WRONG))
    # A version that was read before must not be reported as a version that cannot be read.
    for _ in range(2):
        with pytest.raises(StreamingQueryException, match="file was written by another version"):
            writer.start().awaitTermination(60)


WRONG = b"selector-sql compiled topology\n"


def test_a_version_that_fails_leaves_the_last_one_in_place(spark: SparkSession, tmp_path: Path) -> None:
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    stream = stream.selectExpr("'k' AS routing_key", "value AS n")
    file = tmp_path / "routing.compiled"
    first = compile_topology(BEFORE, stream, exchange="d", version="monday")
    first.save(file)
    # The change of the file after each batch, and the reason in the next batch's warning, or None.
    changes: list[tuple[Callable[[], object], str | None]] = [
        (lambda: file.write_bytes(WRONG), "was written by another version"),
        (lambda: None, None),
        (lambda: file.write_text('{"rabbit_version": '), "this is not JSON"),
        (file.unlink, "No such file"),
        (file.mkdir, "contains no definitions"),
        (
            lambda: (file.rmdir(), file.write_text(json.dumps(topology_to_dict(BEFORE)))),
            "the exchange of the messages is unknown",
        ),
        (lambda: compile_topology(BY_COLOR, "color STRING").save(file), "compiled for messages with a column color"),
        (lambda: first.updated([ADDED], version="tuesday").save(file), None),
    ]
    versions: list[tuple[str, list[str]]] = []

    def write(routed: DataFrame, number: int) -> None:
        [row] = routed.collect()
        versions.append((row.topology_version, row.queues))
        if number == len(changes):
            raise RuntimeError("that is enough")
        changes[number][0]()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        query = route_stream(stream, file, write, on_error="keep").start()
        with pytest.raises(StreamingQueryException, match="that is enough"):
            query.awaitTermination(120)
    assert versions == [("monday", ["first"])] * len(changes) + [("tuesday", ["first", "second"])]
    reported = [str(one.message) for one in caught if one.category is RoutingWarning]
    expected = [(number, reason) for number, (_, reason) in enumerate(changes, 1) if reason is not None]
    assert len(reported) == len(expected)
    for text, (number, reason) in zip(reported, expected, strict=True):
        assert text.startswith(
            f"batch {number}: {file} failed, so the messages are still routed by version monday as before: "
        )
        assert reason in text


def test_a_function_that_fails_leaves_the_last_version_in_place_after_the_first(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    stream = stream.selectExpr("'k' AS routing_key")
    asked: list[str] = []

    def current() -> Topology:
        asked.append("")
        if len(asked) in (2, 3):
            raise KeyError("the service has no topology")
        return BEFORE

    def write(routed: DataFrame, number: int) -> None:
        assert routed.first()["queues"] == ["first"]  # type: ignore[index]
        if number == 4:
            raise RuntimeError("that is enough")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        query = route_stream(stream, current, write, exchange="d", on_error="keep").start()
        with pytest.raises(StreamingQueryException, match="that is enough"):
            query.awaitTermination(120)
    assert len(asked) == 5
    [reported] = [str(one.message) for one in caught if one.category is RoutingWarning]
    assert reported.startswith("batch 1: the function of the topology failed")
    assert "KeyError: 'the service has no topology'" in reported
    asked[:] = [""]
    query = route_stream(stream, current, write, exchange="d", on_error="keep").start()
    with pytest.raises(StreamingQueryException, match="the service has no topology"):
        query.awaitTermination(60)


def test_what_a_file_and_the_columns_show_is_reported_before_the_stream_starts(
    spark: SparkSession, tmp_path: Path
) -> None:
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    stream = stream.selectExpr("'k' AS routing_key", "1 AS n")
    number = stream.selectExpr("n AS routing_key")
    (tmp_path / "plain").write_text(json.dumps(topology_to_dict(BEFORE)))
    (tmp_path / "wrong").write_bytes(WRONG)
    compiled = compile_topology(BEFORE, stream, exchange="d")
    compiled.save(tmp_path / "compiled")
    is_decided = "is fixed when the topology is compiled: pass it to compile_topology"
    reported: list[tuple[type[Exception], str, DataFrame, str, dict[str, Any]]] = [
        (ValueError, f"^exchange {is_decided}", stream, "compiled", {"exchange": "e"}),
        (ValueError, f"^exchange {is_decided}", stream, "compiled", {"exchange": sf.col("routing_key")}),
        (ValueError, f"^address {is_decided}", stream, "compiled", {"address": "d/k"}),
        (LayoutError, "the column routing_key has the type INT", number, "compiled", {}),
        (LayoutError, "with a column routing_key, but these messages lack this", stream.select("n"), "compiled", {}),
        (TopologyError, "the exchange of the messages is unknown", stream, "plain", {}),
        (TopologyError, "there is no exchange called 'dd'", stream, "plain", {"exchange": "dd"}),
        (LayoutError, "the column n has the type INT", stream, "plain", {"exchange": "n"}),
        (LayoutError, "the column routing_key has the type INT", number, "plain", {"exchange": "d"}),
        (TypeError, "keys: expected a DataFrame", stream, "plain", {"exchange": "d", "keys": 5}),
        (TopologyError, "wrong was written by another version", stream, "wrong", {"exchange": "d"}),
    ]
    for kind, text, messages, file, options in reported:
        with pytest.raises(kind, match=text):
            route_stream(messages, tmp_path / file, print, **options)
    query = route_stream(stream, lambda: compiled, print, exchange="e").start()
    with pytest.raises(StreamingQueryException, match=f"exchange {is_decided}"):
        query.awaitTermination(60)


def test_a_stream_takes_the_exchange_from_a_column_as_route_does(spark: SparkSession, tmp_path: Path) -> None:
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    stream = stream.selectExpr("'k' AS routing_key", "'d' AS ex", "'none' AS exchange")
    keys = spark.sql("SELECT 'k' AS routing_key, 'd' AS ex, 'none' AS exchange")
    (tmp_path / "plain").write_text(json.dumps(topology_to_dict(BEFORE)))
    written: list[Any] = []

    def write(routed: DataFrame, _: int) -> None:
        written.append((routed.columns, routed.first()["queues"]))
        raise RuntimeError("that is enough")

    ways: list[tuple[Any, dict[str, Any]]] = [
        (tmp_path / "plain", {"exchange": "EX", "keys": keys}),
        (lambda: BEFORE, {"exchange": stream["ex"]}),
        (lambda: BEFORE, {"exchange": sf.lower("ex"), "keys": keys}),
    ]
    for topology, options in ways:
        query = route_stream(stream, topology, write, **options).start()
        with pytest.raises(StreamingQueryException, match="that is enough"):
            query.awaitTermination(60)
    assert written == [([*stream.columns, "queues", "topology_version"], ["first"])] * len(ways)
