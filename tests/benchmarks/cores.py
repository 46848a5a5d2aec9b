"""Routing by the number of cores: a file with one row group, the same file repartitioned, and one with many row groups.

Spark assigns a Parquet row group to one task, whatever its length, so that a file with one row group keeps one core
busy. Each number of cores has its own Spark process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_ext import route
from tests.benchmarks.measure import Table, in_turn, written
from tests.benchmarks.routing import MESSAGES, selector_messages, selector_topology

BINDINGS = 10_000

#: Number of rows of each row group in the file with many row groups.
GROUP_ROWS = 50_000


def cores_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of each number of cores for each kind of file. ``scale`` divides messages and bindings."""
    count, bindings = MESSAGES // scale, max(100, BINDINGS // scale)
    table = Table(
        f"Routing {count:,} messages by {bindings:,} selectors of five shapes, by cores",
        ("cores", "messages in", "s", "times one core", "CPU of tasks, s", "of it garbage collection"),
        "Seconds by the clock, the least of the rounds; the CPU time and the garbage collection of the tasks of all "
        "rounds together. Repartitioned is messages.repartition(cores).",
        unit="seconds",
    )
    messages = selector_messages(spark, count, bindings // 10)
    for name, rows in (("one", count), ("many", max(1, min(GROUP_ROWS, count // 16)))):
        writer = messages.coalesce(1).write.mode("overwrite").option("parquet.block.row.count.limit", rows)
        writer.parquet(str(directory / f"cores-{name}"))
    single: dict[str, float] = {}
    for cores in _powers_of_two(os.cpu_count() or 1):
        for row in _in_a_process(cores, directory, bindings, rounds):
            wall = row["wall"]
            first = single.setdefault(row["name"], wall)
            table.add(cores, row["name"], wall, first / wall, row["cpu"], f"{row['gc'] / max(row['run'], 1e-3):.0%}")
            table.bars.append((f"{row['name']}, {cores}", wall, None))
    return table


def _powers_of_two(most: int) -> list[int]:
    numbers = [1]
    while numbers[-1] * 2 <= most:
        numbers.append(numbers[-1] * 2)
    return numbers if numbers[-1] == most else [*numbers, most]


def _in_a_process(cores: int, directory: Path, bindings: int, rounds: int) -> list[dict[str, Any]]:
    words = [sys.executable, "-m", "tests.benchmarks.cores", *map(str, (cores, directory, bindings, rounds))]
    finished = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True)
    found: list[dict[str, Any]] = json.loads(finished.stdout.splitlines()[-1])
    return found


class _Tasks:
    """The CPU time, run time and garbage collection time of all tasks so far, in seconds, from Spark's status store."""

    def __init__(self, spark: SparkSession) -> None:
        self._store = spark.sparkContext._jsc.sc().statusStore()
        self._gateway = spark.sparkContext._gateway

    def spent(self) -> tuple[float, float, float]:
        quantiles = self._gateway.new_array(self._gateway.jvm.double, 0)
        stages = self._store.stageList(None, False, False, quantiles, None)
        every = [stages.apply(index) for index in range(stages.size())]
        cpu = sum(stage.executorCpuTime() for stage in every) / 1e9
        run, gc = (
            sum(times) / 1e3 for times in zip(*((s.executorRunTime(), s.jvmGcTime()) for s in every), strict=True)
        )
        return cpu, run, gc


def _measure(spark: SparkSession, cores: int, directory: Path, bindings: int, rounds: int) -> list[dict[str, Any]]:
    topology = selector_topology(bindings, bindings // 10)
    one, many = (spark.read.parquet(str(directory / f"cores-{name}")) for name in ("one", "many"))
    frames = {"one row group": one, "one row group, repartitioned": one.repartition(cores), "many row groups": many}
    tasks, found = _Tasks(spark), []
    for name, messages in frames.items():
        routed: DataFrame = route(messages, topology, messages)
        written(routed)
        before = tasks.spent()
        [runs] = in_turn([lambda frame=routed: written(frame)], time.process_time, rounds)
        cpu, run, gc = (after - earlier for after, earlier in zip(tasks.spent(), before, strict=True))
        found.append({"name": name, "wall": min(runs.wall), "cpu": cpu, "run": run, "gc": gc})
    return found


def _main(cores: str, directory: str, bindings: str, rounds: str) -> None:
    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", "6g").config("spark.ui.showConsoleProgress", "false")
    spark = builder.config("spark.local.dir", str(Path(directory) / f"local-{cores}")).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    print(json.dumps(_measure(spark, int(cores), Path(directory), int(bindings), int(rounds))))
    spark.stop()


if __name__ == "__main__":
    _main(*sys.argv[1:])
