"""Concurrency: threads in one session, sessions of one Spark, and a file that changes while a stream runs."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row, SparkSession

from spark_ext import compile_selector, compile_topology, route, route_stream
from spark_ext.routing import route_stream as source
from tests.sizes import size
from transpiler import Message, TopologyError, TranspilerError, evaluate, route_message
from transpiler.base.local_files import replace_file
from transpiler.routing.compiled_file import is_compiled
from transpiler.topologies import topology_from_dict
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.model import Topology

THREADS = 16

#: Routing keys of messages and of bindings.
KEYS = ("a.b", "a.c", "b", "none")


def version(number: int) -> Topology:
    """Return a topology whose queue names contain ``number``: a message with two numbers was routed by two versions."""
    bindings: list[dict[str, Any]] = [
        {"source": "t", "queue": f"{key} {number}", "key": key, "selector": f"n < {10**6 + number}"}
        for key in ("a.b", "a.c", "b")
    ]
    bindings += [{"source": "t", "queue": f"a.* {number}", "key": "a.*"}]
    return topology_from_dict(
        {
            "broker": "qpid-java",
            "default_exchange": "t",
            "queues": [f"{name} {number}" for name in ("a.b", "a.c", "b", "a.*")],
            "exchanges": [{"name": "t", "type": "topic"}],
            "bindings": bindings,
        }
    )


def queues(key: str, number: int) -> list[str]:
    """Return the queues of a message with ``key`` in the version ``number``."""
    named = {"a.b": ["a.* {}", "a.b {}"], "a.c": ["a.* {}", "a.c {}"], "b": ["b {}"], "none": []}[key]
    return [name.format(number) for name in named]


@pytest.fixture(scope="module")
def messages(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(key, n) for n, key in enumerate(KEYS * 3)], "routing_key STRING, n BIGINT")


@pytest.mark.full
def test_threads_that_compile_evaluate_and_route_at_once_get_what_one_gets(messages: DataFrame) -> None:
    """Each thread routes by a shared, its own and a compiled topology, and evaluates with and without Spark."""
    shared, compiled = version(0), compile_topology(version(1), messages)
    expected = {row.n: row.routing_key for row in messages.collect()}
    barrier = Barrier(THREADS)

    def routed(topology: Any, number: int) -> None:
        rows = route(messages, topology, outcome="outcome").collect()
        assert {row.n: row.queues for row in rows} == {n: queues(key, number) for n, key in expected.items()}
        assert {row.outcome for row in rows if row.queues} == {"delivered"}

    def work(thread: int) -> int:
        barrier.wait()
        for turn in range(size(1, 4)):
            own = 100 * thread + turn + 2
            routed(shared, 0)
            routed(version(own), own)
            routed(compiled, 1)
            found = messages.filter(compile_selector(f"n > {thread % 12}", messages)).collect()
            assert sorted(row.n for row in found) == [*range(thread % 12 + 1, 12)]
            for n, key in expected.items():
                message = Message.from_dict({"properties": {"subject": key}, "application_properties": {"n": n}})
                assert evaluate(f"n >= {n} AND n < {n + own}", message) is True
                assert [*route_message(version(own), message)] == queues(key, own)
        return thread

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            assert [*pool.map(work, range(THREADS))] == [*range(THREADS)]
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.full
def test_two_sessions_of_one_spark_share_tables_and_nothing_else(spark: SparkSession, messages: DataFrame) -> None:
    """The tables of a plan belong to Spark. Settings, views and tables of a session belong to that session."""
    other = spark.newSession()
    other.conf.set("spark.sql.caseSensitive", "true")
    other.conf.set("spark.sql.ansi.enabled", "false")
    other.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")

    def tables() -> list[list[Row]]:
        return [sorted(each.sql("SHOW TABLES").collect()) for each in (spark, other)]

    before = tables()
    theirs = other.createDataFrame(messages.collect(), messages.schema)
    compiled = compile_topology(version(1), messages)
    for topology, number in ((version(0), 0), (compiled, 1)):
        # Each session is the first to create the tables of one topology, and then uses those that the other session
        # created.
        first, second = (messages, theirs) if number else (theirs, messages)
        for frame in (first, second, first):
            rows = route(frame, topology).collect()
            assert {(row.routing_key, *row.queues) for row in rows} == {(key, *queues(key, number)) for key in KEYS}
    assert tables() == before
    assert other.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    # The two sessions differ in case sensitivity: in the second, these names are two columns.
    cased = other.sql("SELECT 'a.b' AS routing_key, 5 AS n, 'x' AS N")
    assert [row.queues for row in route(cased, version(0)).collect()] == [queues("a.b", 0)]
    for active in (other, spark):
        # A session becomes the active one when it creates a DataFrame.
        active.createDataFrame([], "a INT")
        first, second = (frame.withColumnRenamed("routing_key", "Routing_Key") for frame in (messages, theirs))
        rows = route(first, version(0)).collect()
        assert {(row.Routing_Key, *row.queues) for row in rows} == {(key, *queues(key, 0)) for key in KEYS}
        assert len(route(first, compiled).collect()) == len(rows)
        for topology, code in ((version(0), "route.no-key"), (compiled, "compiled.other-columns")):
            with pytest.raises(TranspilerError, match=code):
                route(second, topology)


def test_a_file_that_is_replaced_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look found the form of one version, and the text that is then read is that of the next version."""
    file, columns = tmp_path / "topology", "routing_key STRING, n BIGINT"
    texts = [json.dumps(topology_to_dict(version(number))).encode() for number in range(4)]
    compile_topology(version(9), columns).save(file)
    texts[1:1] = [file.read_bytes()]
    shown = [iter(texts)]

    def replaced_after(name: Any) -> bool:
        found = is_compiled(name)
        text = next(shown[0], None)
        if text is not None:
            replace_file(file, text)
        return found

    monkeypatch.setattr(source, "is_compiled", replaced_after)
    read, stamp = source._read_whole(file)
    assert read == version(3)
    assert stamp == source._stamp(file)
    shown = [cycle(texts)]
    with pytest.raises(TopologyError, match="topology changed 100 times while it was being read"):
        source._read_whole(file)


#: Program whose driver has little memory or a low limit for results. It prints the errors of a stream and of a diff.
SMALL = """
import random
import sys
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from spark_ext import diff, route_stream
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Exchange, Queue

builder = SparkSession.builder.master("local[2]")
for setting in ["spark.ui.enabled=false", "spark.ui.showConsoleProgress=false", *sys.argv[3:]]:
    builder = builder.config(*setting.split("="))
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
count, length = map(int, sys.argv[1:3])
# Keys that do not compress: Spark keeps the rows that it has collected until it has made a table of them.
keys = [random.randbytes(length // 2).hex() for _ in range(count)]
bindings = tuple(Binding("d", "q", key) for key in keys)
topology = Topology(RABBITMQ, (Exchange("d", "direct"),), (Queue("q"),), bindings)
stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
stream = stream.selectExpr("'k' AS routing_key")
query = route_stream(stream, lambda: topology, lambda frame, _: frame.collect(), exchange="d").start()
try:
    query.awaitTermination(300)
except StreamingQueryException as error:
    print(error)
messages = spark.range(1).selectExpr("CAST(id AS STRING) AS routing_key")
try:
    diff(messages, Topology(RABBITMQ, (Exchange("d", "direct"),)), topology, exchange="d")
except UnsupportedFeatureError as error:
    print(error)
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("arguments", "setting"),
    [
        (["20000", "500", "spark.driver.maxResultSize=100k"], "spark.driver.maxResultSize"),
        (["24000", "5000", "spark.driver.memory=512m"], "spark.driver.memory"),
    ],
)
def test_tables_that_the_driver_cannot_hold_are_an_error_that_names_the_topology(
    arguments: list[str], setting: str
) -> None:
    done = subprocess.run([sys.executable, "-c", SMALL, *arguments], capture_output=True, text=True, timeout=500)
    assert "limit.broadcast: the topology of version " in done.stdout, done.stdout[-3_000:] + done.stderr[-3_000:]
    assert f"Spark cannot broadcast the tables of the bindings within the limit {setting}" in done.stdout
    assert done.stdout.count(f"perhaps start Spark with a larger {setting}, or route by parts of the topology") == 2
    both = "the topology rabbitmq: 1 exchange, 0 queues, 0 bindings, or the topology rabbitmq: 1 exchange, 1 queue, "
    assert f"limit.broadcast: {both}" in done.stdout


@pytest.mark.full
def test_a_stream_is_routed_by_whole_versions_of_a_file_that_is_replaced_all_the_time(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Each row is routed once, by one version, and all rows of a batch by the same version. The versions ascend."""
    file, count = tmp_path / "topology", size(100, 1_000)
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 40).load()
    stream = stream.selectExpr(f"element_at(array{KEYS}, CAST(value % 4 AS INT) + 1) AS routing_key", "value AS n")
    versions = [version(number) for number in range(count)]
    texts = [json.dumps(topology_to_dict(each)).encode() for each in versions]
    compiled = tmp_path / "compiled"
    for number in range(0, count, 3):
        # Every third version is compiled, so that the format of the file changes, too.
        compile_topology(versions[number], stream).save(compiled)
        texts[number] = compiled.read_bytes()
    written: list[list[tuple[int, str, tuple[str, ...], str]]] = []
    replaced, done = 0, threading.Event()

    def write(batch: DataFrame, _: int) -> None:
        written.append([(row.n, row.routing_key, tuple(row.queues), row.topology_version) for row in batch.collect()])
        if done.is_set():
            raise RuntimeError("that is enough")

    replace_file(file, texts[0])
    query = route_stream(stream, file, write).start()
    try:
        for text in texts:
            replace_file(file, text)
            replaced += 1
            assert not query.exception()
            # The pause spreads the replacements over many batches.
            done.wait(0.02)
        done.set()
        with pytest.raises(StreamingQueryException, match="that is enough"):
            query.awaitTermination(120)
    finally:
        query.stop()
    rows = [row for batch in written for row in batch]
    assert sorted(row[0] for row in rows) == [*range(len(rows))]
    numbers: list[int] = []
    for batch in written:
        [number] = {int(name.rpartition(" ")[2]) for row in batch for name in row[2]}
        [_] = {row[3] for row in batch}
        numbers.append(number)
        assert [row[2] for row in batch] == [tuple(queues(row[1], number)) for row in batch]
    assert numbers == sorted(numbers)
    print(f"{replaced} versions, {len(written)} batches of {len(rows)} rows, {len({*numbers})} versions seen")
    assert len({*numbers}) > 2
