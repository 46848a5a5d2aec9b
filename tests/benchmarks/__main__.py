"""make bench: every figure, on the terminal and in tests/benchmarks/results.

``make bench ARGS=--quick`` takes a few percent of the messages. One core of Spark; 100 minutes on a quiet machine, and
three when quick. Results of a quick run go to ``quick.md`` and ``quick.svg``.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from tests.benchmarks import (
    ablation,
    activemq,
    compiled,
    compiling,
    cores,
    filters,
    latency,
    long,
    patterns,
    peers,
    policies,
    report,
    routing,
    routing_shapes,
    stores,
    topics,
)
from tests.benchmarks.measure import Table
from tests.benchmarks.messages import write_messages
from tests.benchmarks.selectors import CASES, Case

RESULTS = Path(__file__).parent / "results"
PARTS = (
    *(
        "filters",
        "stores",
        "policies",
        "compiling",
        "long",
        "patterns",
        "activemq",
        "routing",
        "growth",
        "compiled",
        "ablation",
    ),
    *("cores", "latency", "peers"),
)

#: The benchmarks that read the messages of all layouts. Writing these messages takes a minute.
_OVER_MESSAGES = {"filters", "stores", "compiling", "long", "activemq"}


@dataclass(frozen=True, slots=True)
class Size:
    """The amount of work of a run: numbers of messages, rounds, and limits for each benchmark."""

    messages: int
    #: Numbers of messages for UDFs (``fewer``), for long selectors (``listed``), and in ActiveMQ's memory (``broker``).
    fewer: int
    listed: int
    broker: int
    rounds: int
    #: Divisor of the number of repetitions of the compiler's benchmarks.
    scale: int
    terms: tuple[int, ...]
    characters: int
    lengths: tuple[int, ...]
    cases: tuple[Case, ...] = CASES
    kinds: tuple[str, ...] = tuple(long.KINDS)
    patterns: tuple[str, ...] = patterns.PATTERNS
    #: Divisor of the numbers of messages and bindings for routing, and names of the routing shapes; empty means all
    #: shapes.
    routing: int = 1
    shapes: tuple[str, ...] = ()
    #: Minimum CPU time of each round of a compiled filter and its hand-written counterpart, in seconds.
    least: float = 0.0


WHOLE = Size(
    5_000_000,
    20_000,
    300_000,
    1_000,
    5,
    1,
    (10, 100, 1_000, 10_000),
    20_000_000,
    (10, 100, 1_000, 10_000),
    least=2.0,
)
QUICK = Size(200_000, 1_000, 20_000, 200, 1, 20, (10, 1_000), 500_000, (10, 1_000), routing=50)


def tables(spark: SparkSession, directory: Path, size: Size, parts: tuple[str, ...] = PARTS) -> Iterator[Table]:
    """Yield the tables of the benchmarks named by ``parts``, in order."""
    frames = write_messages(spark, directory, size.messages) if _OVER_MESSAGES & set(parts) else {}
    for part in parts:
        match part:
            case "filters":
                yield from filters.parts(spark, frames, size.messages, size.fewer, size.rounds, size.cases, size.least)
            case "stores":
                yield from stores.parts(spark, directory, frames, size.messages, size.rounds, size.cases, size.least)
            case "policies":
                yield policies.policies_table(spark, directory, size.messages // 5, size.rounds, size.least / 2)
            case "compiling":
                yield from compiling.parts(frames["canonical"], size.scale)
            case "long":
                path = str(directory / "listed")
                frames["canonical"].limit(size.listed).coalesce(1).write.parquet(path)
                yield from long.parts(spark, spark.read.parquet(path), size.listed, size.rounds, size.terms, size.kinds)
            case "patterns":
                yield from patterns.parts(spark, size.characters, size.rounds, size.lengths, size.patterns)
            case "routing":
                yield routing_shapes.shapes_table(spark, directory, size.routing, size.rounds, size.shapes)
            case "growth":
                yield from routing.growth_tables(spark, directory, size.routing, size.rounds)
                yield topics.realistic_topics_table(spark, directory, size.routing, size.rounds)
                yield topics.by_hand_table(spark, directory, size.routing, size.rounds)
                yield topics.fanout_table(spark, directory, size.routing, size.rounds)
            case "compiled":
                yield compiled.compiled_table(spark, directory, size.routing, size.rounds)
                yield topics.changes_table(spark, directory, size.routing, size.rounds)
            case "ablation":
                yield ablation.ablation_table(spark, directory, size.routing, size.rounds)
            case "cores":
                yield cores.cores_table(spark, directory, size.routing, size.rounds)
            case "latency":
                yield latency.latency_table(spark, directory, size.routing)
            case "peers":
                yield peers.peers_table(spark, directory, size.routing, size.rounds)
            case _:
                yield from activemq.parts(spark, frames, size.messages, size.broker, size.rounds, size.cases)


def session(directory: Path) -> SparkSession:
    """Start a Spark session with one core, no console output and time zone UTC."""
    spark = (
        SparkSession.builder.master("local[1]")
        .appName("selector-sql benchmarks")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "6g")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(directory / "warehouse"))
        .config("spark.local.dir", str(directory / "local"))
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


def main() -> None:
    """Run the benchmarks, print the tables, and write the results."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all of them without one")
    parser.add_argument("--quick", action="store_true", help="a few percent of the messages, one round")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part called {min(unknown)}: the parts are {', '.join(PARTS)}")
    size, name = (QUICK, "quick") if options.quick else (WHOLE, "speed")
    machine, started, found = report.machine(), time.monotonic(), []
    if options.parts:
        name += "-" + "-".join(options.parts)
    RESULTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as directory:
        spark = session(Path(directory))
        for table in tables(spark, Path(directory), size, tuple(options.parts) or PARTS):
            report.show(table)
            found.append(table)
            # Write after each table, so that a run that is stopped has results, too.
            heading = f"{machine}; {time.monotonic() - started:,.0f} seconds so far."
            (RESULTS / f"{name}.md").write_text(report.markdown(found, heading), encoding="utf-8")
            (RESULTS / f"{name}.svg").write_text(report.svg(found, heading), encoding="utf-8")
        spark.stop()
    print(f"written to {RESULTS.relative_to(Path.cwd())}/{name}.md and .svg")


if __name__ == "__main__":
    main()
