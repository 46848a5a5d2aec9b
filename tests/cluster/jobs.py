"""The program that runs on a cluster. It runs in its own process, because its Spark session is not that of the tests.

Run: spark-submit --master MASTER tests/cluster/jobs.py DIRECTORY WORKER_PID. The worker is killed during the last
route. The executors have no Python, so that a task that calls Python would end the program.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import backtest, compile_selector, compile_topology, route, route_stream
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Exchange, Queue

BINDINGS, MESSAGES = 20_000, 200_000

#: Path of the Python interpreter for executors; it does not exist.
NO_PYTHON = "/there/is/no/python"


def topology() -> Topology:
    bindings = []
    for number in range(BINDINGS):
        text = f"region = 'r{number % (BINDINGS // 2)}' AND weight >= {number // (BINDINGS // 2) * 50}"
        arguments = {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)}
        bindings.append(Binding("x", f"q{number}", "", arguments))
    queues = tuple(Queue(binding.destination) for binding in bindings)
    return Topology(QPID_JAVA, (Exchange("x", "fanout"),), queues, tuple(bindings), default_exchange="x")


def messages(spark: SparkSession) -> DataFrame:
    """Return messages in 64 partitions, each with its expected queues, computed by plain arithmetic."""
    frame = spark.range(0, MESSAGES, numPartitions=64)
    frame = frame.selectExpr("id", f"concat('r', id % {BINDINGS}) AS region", "id % 100 AS weight")
    first, second = f"concat('q', id % {BINDINGS})", f"concat('q', id % {BINDINGS} + {BINDINGS // 2})"
    expected = (
        f"CASE WHEN id % {BINDINGS} >= {BINDINGS // 2} THEN CAST(array() AS ARRAY<STRING>) "
        f"WHEN weight >= 50 THEN array_sort(array({first}, {second})) ELSE array({first}) END AS routed_queues"
    )
    return frame.selectExpr("*", expected)


def check(routed: DataFrame, count: int) -> None:
    """Exit with an error unless ``routed`` contains each of the ``count`` messages once, with its expected queues."""
    [row] = routed.agg(
        sf.count("*").alias("rows"),
        sf.count_distinct("id").alias("ids"),
        sf.count_if(sf.expr("queues = routed_queues")).alias("right"),
    ).collect()
    if tuple(row) != (count, count, count):
        sys.exit(f"rows, ids and right ones of {count}: {tuple(row)}")


def kill_later(pid: int, spark: SparkSession) -> threading.Thread:
    """Start a thread that kills the worker ``pid`` and its executor when some tasks of the running job have ended."""

    def kill() -> None:
        tracker = spark.sparkContext.statusTracker()
        while not any(
            (stage := tracker.getStageInfo(number)) is not None and stage.numTasks == 64 and stage.numCompletedTasks > 4
            for number in tracker.getActiveStageIds()
        ):
            time.sleep(0.02)
        os.killpg(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread


def main(directory: str, worker: int) -> None:
    """Run a filter, a route, a backtest, a stream, and a route that loses a worker."""
    spark = (
        SparkSession.builder.config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "600m")
        .config("spark.executor.cores", "1")
        .config("spark.cores.max", "2")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    deadline = time.monotonic() + 60
    while len(spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    frame = messages(spark)
    try:
        frame.limit(1).select(sf.udf(str)("id")).collect()
        sys.exit("the executors have Python, so that this job proves nothing")
    except Py4JJavaError as error:
        if NO_PYTHON not in str(error):
            raise
    kept = frame.filter(compile_selector("region = 'r7' AND weight < 50", frame))
    print("filter", kept.count(), flush=True)
    compiled = compile_topology(topology(), frame, version="one")
    check(route(frame, compiled), MESSAGES)
    print("route", flush=True)
    found = backtest(route(frame, compiled), layout=frame, topology=compiled.topology)
    print("backtest", found.passed, flush=True)
    archive = Path(directory) / "archive"
    frame.limit(1_000).coalesce(4).write.parquet(str(archive))
    stream = spark.readStream.schema(frame.schema).option("maxFilesPerTrigger", 1).parquet(str(archive))

    def write(routed: DataFrame, _: int) -> None:
        routed.write.mode("append").parquet(str(Path(directory) / "routed"))

    query = route_stream(stream, lambda: compiled, write).trigger(availableNow=True).start()
    query.awaitTermination()
    check(spark.read.parquet(str(Path(directory) / "routed")), 1_000)
    print("stream", flush=True)
    # The filter is slow enough that a worker can be killed before the job ends.
    slow = frame.filter("aggregate(sequence(1, 3000), 0L, (a, n) -> a + n * id) >= 0")
    thread = kill_later(worker, spark)
    check(route(slow, compiled), MESSAGES)
    thread.join(1)
    print("killed", not thread.is_alive(), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
