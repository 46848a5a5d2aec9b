"""Measuring in pairs: what is compared runs in turn, in one process, over several rounds."""

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
    """CPU and clock seconds of each round; the first round, in which Java compiles, is not among them."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]
    result: object = None

    @property
    def seconds(self) -> float:
        """The least CPU seconds: what other work on the machine disturbs least."""
        return min(self.cpu)


@dataclass(slots=True)
class Table:
    """Rows of a report, and what limits the figures."""

    title: str
    columns: tuple[str, ...]
    note: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)
    #: For the plot: a label, a value in ``unit``, and the target if there is one.
    bars: list[tuple[str, float, float | None]] = field(default_factory=list)
    unit: str = ""

    def add(self, *cells: object) -> None:
        """One row."""
        self.rows.append(tuple(cell if isinstance(cell, str) else _shown(cell) for cell in cells))


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def in_turn(
    runs: Sequence[Callable[[], object]], cpu: Callable[[], float], rounds: int, least: float = 0.0
) -> list[Runs]:
    """Each run once a round, in an order that turns round by round, after a round that does not count.

    What is quick runs several times in each round, all as often and still by turns, so that the slowest takes about
    ``least`` CPU seconds in a round: the clock ticks in hundredths, and the machine's own pace changes within seconds.
    How often that is shows one more round that does not count, for in the first one Java compiles.
    Without any rounds the first one counts, which says that all of it runs and nothing else.
    """
    seconds: list[list[tuple[float, float]]] = [[] for _ in runs]
    results: list[object] = [None] * len(runs)
    times = 1
    for number in range(-1 if least else 0, rounds + 1):
        spent = [(0.0, 0.0)] * len(runs)
        for turn in range(times):
            order = range(len(runs)) if (number + turn) % 2 else reversed(range(len(runs)))
            for place in order:
                before, started = cpu(), time.perf_counter()
                results[place] = runs[place]()
                used, wall = spent[place]
                spent[place] = used + cpu() - before, wall + time.perf_counter() - started
        if number > 0 or not rounds:
            for place, (used, wall) in enumerate(spent):
                seconds[place].append((used / times, wall / times))
        elif not number:
            times = max(1, round(least / max(1 / _TICK, *(used for used, _ in spent))))
    return [
        Runs(tuple(used for used, _ in found), tuple(wall for _, wall in found), result)
        for found, result in zip(seconds, results, strict=True)
    ]


def ratio(first: Runs, second: Runs) -> float:
    """The median of the ratios of CPU seconds, round by round."""
    return statistics.median(a / max(b, 1 / _TICK) for a, b in zip(first.cpu, second.cpu, strict=True))


def spark_cpu(spark: SparkSession) -> Callable[[], float]:
    """Return the CPU time of Spark's process and its Python workers so far, as Linux counts it."""
    java = spark.sparkContext._gateway.proc.pid
    #: A worker that has ended counts with what it was last seen to have used: its parent may not have waited for it.
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
    """Compute all columns of all rows in a fresh query, and write them nowhere."""
    frame.select("*").write.format("noop").mode("overwrite").save()


def largest_method(frame: DataFrame) -> int:
    """Of the generated code, in bytes; -1 where some of it does not compile, 0 where there is none."""
    found = frame._jdf.queryExecution().debug().codegenToSeq()
    sizes = [int(found.apply(place)._3().maxMethodCodeSize()) for place in range(found.size())]
    return -1 if -1 in sizes else max(sizes, default=0)
