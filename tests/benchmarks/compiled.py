"""Compiled topologies: seconds to compile, save, load and change one, of a micro-batch, and the peaks of memory.

Run: python -m tests.benchmarks.compiled [--bindings N ...] [--batches N]. One core. CPU seconds of this process for
what Python does; a micro-batch has 1,000 messages, and beside each batch by the topology runs one of the same shapes
with 100 bindings, so that the difference is what the number of bindings costs. Seconds of batches are by the clock.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from pyspark.sql import DataFrame, SparkSession

from spark_ext import CompiledTopology, compile_topology, route
from tests.benchmarks.routing import selector_messages, selector_topology, session, written
from transpiler.gc_pause import pause_garbage_collection
from transpiler.topology.model import Binding, Queue

T = TypeVar("T")

MESSAGES = 1_000


def timed(what: str, run: Callable[[], T]) -> T:
    """Run, and print the CPU seconds of this process and the peak of its memory so far."""
    before, started = time.process_time(), time.perf_counter()
    result = run()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  {what}: {time.process_time() - before:.2f} s of CPU, {time.perf_counter() - started:.2f} s by the clock; "
        f"{peak:,.0f} MB at most",
        flush=True,
    )
    return result


def peak_of_spark(spark: SparkSession) -> float:
    """Return the peak of the memory of Spark's process in MB, as Linux counts it."""
    status = Path(f"/proc/{spark.sparkContext._gateway.proc.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def measure(spark: SparkSession, directory: Path, count: int, batches: int) -> None:
    print(f"{count:,} bindings", flush=True)
    with pause_garbage_collection():
        topology = timed("make the topology", lambda: selector_topology(count, count // 10))
    small = compile_topology(selector_topology(100, 10), layout := selector_messages(spark, 1, 10))
    compiled = timed("compile", partial(compile_topology, topology, layout, version="benchmark"))
    timed("save", partial(compiled.save, directory / "compiled"))
    print(f"  file: {(directory / 'compiled').stat().st_size / 2**20:,.0f} MB", flush=True)
    del topology, compiled
    loaded = timed("load", lambda: CompiledTopology.load(directory / "compiled"))
    some = selector_topology(110, 10).bindings[100:]
    added = [Binding("x", f"new{number}", "", binding.arguments) for number, binding in enumerate(some)]
    changed = timed("change by 10 bindings, first", lambda: loaded.updated([*added, Queue("q5")], version="changed"))
    timed("change by 10 bindings, again", lambda: changed.updated(removed=added, version="again"))
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
    print(
        f"  batch of {MESSAGES:,} messages: {1000 * large:,.0f} ms, with 100 bindings {1000 * few:,.0f} ms: "
        f"{1000 * (large - few):+,.0f} ms; Spark's process {peak_of_spark(spark):,.0f} MB at most",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bindings", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--batches", type=int, default=20)
    options = parser.parse_args()
    spark = session()
    with tempfile.TemporaryDirectory() as directory:
        for count in options.bindings:
            measure(spark, Path(directory), count, options.batches)
    spark.stop()


if __name__ == "__main__":
    main()
