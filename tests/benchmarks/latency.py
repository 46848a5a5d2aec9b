"""Real time: latency from a message's arrival until its queues are known, within a batch and between batches.

Source and sink are in memory, and the sender runs in this process. The end time of a message is Java's clock when its
row passes the operator after the routing. Between two batches Spark plans again and broadcasts the tables again. A
stream that routes nothing runs for comparison, so that the difference is the cost of routing. Messages that wait
between two batches, or arrive while such messages are processed, do not count as within a batch.
"""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_topology, route
from tests.benchmarks.measure import Table
from tests.benchmarks.routing import selector_messages, selector_topology
from tests.spark_ext.memory_stream import MemoryStream

BINDINGS = (0, 1_000, 100_000)
RATES = (100, 200, 300, 400, 600, 1_000)

#: Target for the 99th percentile of the latency within a batch, in milliseconds.
TARGET = 50.0

#: Length of a batch in seconds (at least Spark's 5), and number of batches for each row. The first batch, in which Java
#: compiles, does not count.
BATCH, BATCHES = 20, 5

#: The time of each row in nanoseconds, by Java's monotonic clock, which on Linux is the clock of ``time.monotonic_ns``.
_CLOCK = "CAST(reflect('java.lang.System', 'nanoTime') AS BIGINT)"

#: The task of a row. A batch has one task. The time of a batch would be a literal of the generated code, which Java
#: would have to compile again for each batch.
_TASK = "reflect('org.apache.spark.TaskContext', 'get')"


def latency_table(spark: SparkSession, directory: Path, scale: int) -> Table:
    """Return the table of each number of bindings at each rate.

    If ``scale`` is not 1, measure one rate and two short batches.
    """
    sizes, rates = (BINDINGS, RATES) if scale == 1 else (BINDINGS[:2], RATES[:1])
    seconds, batches = (BATCH, BATCHES) if scale == 1 else (5, 2)
    table = Table(
        "Real time: milliseconds from a message in to its queues out",
        ("bindings", "messages a second", "of them sent", "p50", "p99", "between batches, median", "the longest"),
        f"By the clock, on all cores of the machine, of which the sender has one. Batches of {seconds} seconds. "
        "Between batches: the time that the first message of a batch waited. Without bindings a message is "
        "read and written, and not routed.",
        unit="milliseconds, p99",
    )
    for bindings in sizes:
        carried = 0
        for rate in rates:
            row = _measure(spark, directory / f"latency-{bindings}-{rate}", bindings, rate, seconds, batches)
            table.add(bindings, rate, *row)
            if math.isfinite(row[2]):
                table.bars.append((f"{bindings:,} bindings, {rate:,} a second", row[2], TARGET))
            if row[2] <= TARGET:
                carried = rate
        table.note += f" With {bindings:,} bindings the highest rate with a p99 of {TARGET:.0f} is {carried or 'none'}."
    return table


def _measure(
    spark: SparkSession, directory: Path, bindings: int, rate: int, seconds: int, batches: int
) -> tuple[str, float, float, float, float]:
    rows = selector_messages(spark, 1_000, max(1, bindings // 10)).select(sf.to_json(sf.struct("*"))).collect()
    texts = [row[0] for row in rows]
    schema = selector_messages(spark, 1, 1).schema
    stream = MemoryStream(spark)
    fields = sf.from_json("value", schema).alias("message")
    sent = stream.frame.select(fields, sf.get_json_object("value", "$.sent").alias("sent")).select("message.*", "sent")
    out = _routed(sent, bindings).withColumn("out", sf.expr(_CLOCK)).withColumn("task", sf.expr(_TASK))
    query = stream.start(
        out.select(sf.to_json(sf.struct("sent", "out", "task", "queues"))), directory, f"{seconds} seconds"
    )
    count = 0
    started = time.monotonic()
    while (now := time.monotonic() - started) < seconds * batches:
        due = int(now * rate) + 1
        if count < due:
            # All messages that are due are sent together: at a high rate, a call of Java takes longer than a message.
            moment = f'{{"sent":"{time.monotonic_ns()}",'
            stream.send(moment + texts[number % len(texts)][1:] for number in range(count, due))
            count = due
        else:
            time.sleep(count / rate - now)
    while stream.received < count:
        if not query.isActive():
            raise RuntimeError(query.exception().get().getMessage())
        time.sleep(0.1)
    query.stop()
    within, between = [], []
    for number, batch in enumerate(_batches(stream.texts())):
        first = batch[0][1]
        if number:
            caught_up = max(out for sent, out in batch if sent <= first)
            within += [(out - sent) / 1e6 for sent, out in batch if sent > caught_up]
            between.append((first - batch[0][0]) / 1e6)
    percentiles = statistics.quantiles(within, n=100) if len(within) > 1 else [math.inf] * 99
    sent_share = count / (rate * seconds * batches)
    return f"{sent_share:.0%}", percentiles[49], percentiles[98], statistics.median(between), max(between)


def _routed(messages: DataFrame, bindings: int) -> DataFrame:
    if not bindings:
        return messages.withColumn("queues", sf.expr("CAST(array() AS ARRAY<STRING>)"))
    topology = selector_topology(bindings, max(1, bindings // 10))
    return route(messages, compile_topology(topology, messages))


def _batches(texts: list[str]) -> Iterator[list[tuple[int, int]]]:
    """Yield the arrival and end times of the messages of each batch, in order."""
    rows = map(json.loads, texts)
    for _, batch in groupby(rows, key=lambda row: row["task"]):
        yield [(int(row["sent"]), int(row["out"])) for row in batch]
