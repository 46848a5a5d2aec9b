"""Compiled topologies: the time to compile, save, load and change one, of a micro-batch, and the peaks of memory.

Python's work is measured in CPU seconds of this process, batches in seconds by the clock. A micro-batch has 1,000
messages. After each batch, the same messages are routed by a topology of the same shapes with 100 bindings, so that the
difference is the cost of the number of bindings.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from pyspark.sql import DataFrame, SparkSession

from spark_ext import CompiledTopology, compile_topology, route
from tests.benchmarks.measure import Table, written
from tests.benchmarks.routing import selector_messages, selector_topology
from transpiler.routing.gc_pause import pause_garbage_collection
from transpiler.topology.records import Binding, Queue

T = TypeVar("T")

MESSAGES = 1_000
BINDINGS = (100_000, 1_000_000)
BATCHES = 20

#: Target times at 1,000,000 bindings, in seconds, by step.
TARGETS = {"compile": 15.0, "load": 2.0}


def peak_of_spark(spark: SparkSession) -> float:
    """Return the peak memory of Spark's process in MB, as Linux reports it."""
    status = Path(f"/proc/{spark.sparkContext._gateway.proc.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def compiled_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table for each number of bindings. ``scale`` divides these numbers."""
    table = Table(
        "Compiled topologies",
        ("bindings", "step", "CPU of Python, s", "by the clock, s", "peak of Python, MB"),
        "Targets at 1,000,000 bindings: compile 15 s, load 2 s.",
        unit="seconds",
    )
    for count in sorted({max(1_000, size // scale) for size in BINDINGS}):
        _measure(spark, directory, count, max(2, BATCHES * rounds // 5), table)
    return table


def _measure(spark: SparkSession, directory: Path, count: int, batches: int, table: Table) -> None:
    def timed(step: str, run: Callable[[], T]) -> T:
        before, started = time.process_time(), time.perf_counter()
        result = run()
        used, clock = time.process_time() - before, time.perf_counter() - started
        added(step, used, clock)
        return result

    def added(step: str, used: float | str, clock: float) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.add(count, step, used, clock, peak)
        if count == BINDINGS[-1]:
            table.bars.append((step, clock if isinstance(used, str) else used, TARGETS.get(step)))

    with pause_garbage_collection():
        topology = selector_topology(count, count // 10)
    small = compile_topology(selector_topology(100, 10), layout := selector_messages(spark, 1, 10))
    file = directory / f"compiled-{count}"
    compiled = timed("compile", partial(compile_topology, topology, layout, version="benchmark"))
    timed("save", partial(compiled.save, file))
    del topology, compiled
    loaded = timed("load", lambda: CompiledTopology.load(file))
    some = selector_topology(110, 10).bindings[100:]
    more = [Binding("x", f"new{number}", "", binding.arguments) for number, binding in enumerate(some)]
    changed = timed("change by 10 bindings, first", lambda: loaded.updated([*more, Queue("q5")], version="changed"))
    timed("change by 10 bindings, again", lambda: changed.updated(removed=more, version="again"))
    path = str(directory / f"messages-{count}")
    selector_messages(spark, MESSAGES, count // 10).coalesce(1).write.parquet(path)
    messages = spark.read.parquet(path)

    def batch(by: CompiledTopology) -> DataFrame:
        routed = route(messages, by)
        written(routed)
        return routed

    timed("first batch, which makes the tables", lambda: batch(loaded))
    timed("first batch after the change", lambda: batch(changed))
    seconds: dict[str, list[float]] = {"loaded": [], "small": []}
    for _ in range(batches):
        for name, by in (("loaded", loaded), ("small", small)):
            started = time.perf_counter()
            batch(by)
            seconds[name].append(time.perf_counter() - started)
    large, few = (statistics.median(each[batches // 2 :]) for each in (seconds["loaded"], seconds["small"]))
    added("batch", "", large)
    added("batch, beyond 100 bindings", "", large - few)
    table.add(count, "peak of Spark's process, MB", "", "", peak_of_spark(spark))
