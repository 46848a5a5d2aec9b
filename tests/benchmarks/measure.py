"""Measurement in pairs: the compared queries run in turn, in one process, over several rounds."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Runs:
    """CPU time and clock time of each round, in seconds. The first round, in which Java compiles, is excluded."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]
    result: object = None

    @property
    def seconds(self) -> float:
        """The minimum CPU time over all rounds: the figure that other work on the machine disturbs least."""
        return min(self.cpu)


@dataclass(slots=True)
class Table:
    """A table of a report, and a note about the limits of its figures."""

    title: str
    columns: tuple[str, ...]
    note: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)
    #: Bars of the plot: a label, a value in ``unit``, and the target or None.
    bars: list[tuple[str, float, float | None]] = field(default_factory=list)
    unit: str = ""

    def add(self, *cells: object) -> None:
        """Append one row."""
        self.rows.append(tuple(cell if isinstance(cell, str) else _shown(cell) for cell in cells))


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def in_turn(
    runs: Sequence[Callable[[], object]], cpu: Callable[[], float], rounds: int, least: float = 0.0
) -> list[Runs]:
    """Run each function once in each round, in alternating order, and return its times. A first round does not count.

    If ``least`` is given, fast functions run several times in each round, all equally often and in turn, so that the
    slowest takes about ``least`` CPU seconds: the CPU clock has a resolution of 0.01 s, and the speed of the machine
    changes within seconds. A second uncounted round determines this number, because Java compiles in the first. If
    ``rounds`` is 0, the first round counts. It then shows only that everything runs.
    """
    seconds: list[list[tuple[float, float]]] = [[] for _ in runs]
    results: list[object] = [None] * len(runs)
    times = 1
    for number in range(-1 if least else 0, rounds + 1):
        spent = [(0.0, 0.0)] * len(runs)
        for turn in range(times):
            order = range(len(runs)) if (number + turn) % 2 else reversed(range(len(runs)))
            for index in order:
                before, started = cpu(), time.perf_counter()
                results[index] = runs[index]()
                used, wall = spent[index]
                spent[index] = used + cpu() - before, wall + time.perf_counter() - started
        if number > 0 or not rounds:
            for index, (used, wall) in enumerate(spent):
                seconds[index].append((used / times, wall / times))
        elif not number:
            times = max(1, round(least / max(1 / _TICK, *(used for used, _ in spent))))
    return [
        Runs(tuple(used for used, _ in found), tuple(wall for _, wall in found), result)
        for found, result in zip(seconds, results, strict=True)
    ]


def ratio(first: Runs, second: Runs) -> float:
    """Return the median over all rounds of the ratio of CPU times."""
    return statistics.median(a / max(b, 1 / _TICK) for a, b in zip(first.cpu, second.cpu, strict=True))


def spark_cpu(spark: SparkSession) -> Callable[[], float]:
    """Return a function that returns the CPU time of Spark's process and its Python workers so far, as Linux reports
    it.
    """
    java = spark.sparkContext._gateway.proc.pid
    #: Last known CPU time of each worker. It counts for a worker that has ended, because its parent may not have waited
    #: for it.
    seen: dict[int, float] = {}

    def used() -> float:
        parents: dict[int, tuple[int, float]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                except OSError:
                    continue
                parents[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:13])) / _TICK
        seen.update({pid: seconds for pid, (_, seconds) in parents.items() if _below(pid, java, parents)})
        return sum(seen.values())

    return used


def _below(process: int, ancestor: int, parents: dict[int, tuple[int, float]]) -> bool:
    while process in parents:
        if process == ancestor:
            return True
        process = parents[process][0]
    return False


def written(frame: DataFrame) -> None:
    """Compute all columns of all rows in a new query, and discard them."""
    frame.select("*").write.format("noop").mode("overwrite").save()


def largest_method(frame: DataFrame) -> int:
    """Return the size of the largest generated method, in bytes; -1 if some code does not compile, 0 without code."""
    found = frame._jdf.queryExecution().debug().codegenToSeq()
    sizes = [int(found.apply(index)._3().maxMethodCodeSize()) for index in range(found.size())]
    return -1 if -1 in sizes else max(sizes, default=0)
