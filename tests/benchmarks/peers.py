"""DuckDB over the same bindings and messages, on one thread: an independent count of the matches, and its seconds.

DuckDB joins the messages with a table of the bindings' constants and collects the queues of each message that matches;
the route keeps every message with all of its columns.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_ext import route
from tests.benchmarks.measure import Table, in_turn, spark_cpu, written
from tests.benchmarks.routing_shapes import COLUMNS, MESSAGES, Shape, topology

#: The constants of a binding, by their names in DuckDB's table.
Constants = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PeerShape:
    """A shape of bindings for both: its constants by number, its selector, and DuckDB's condition on m and b."""

    name: str
    constants: Callable[[int, random.Random], Constants]
    selector: str
    condition: str
    bindings: int


SHAPES = (
    PeerShape(
        "an equality and a bound",
        lambda number, draw: {"region": f"r{number % 1000}", "weight": draw.randrange(900_000, 1_000_000)},
        "region = '{region}' AND weight > {weight}",
        "m.region = b.region AND m.weight > b.weight",
        10_000,
    ),
    PeerShape(
        "ranges",
        lambda _, draw: (lambda low: {"low": low, "high": low + draw.randrange(1, 200)})(draw.randrange(999_000)),
        "price BETWEEN {low} AND {high}.5",
        "m.price BETWEEN b.low AND b.high + 0.5",
        10_000,
    ),
    PeerShape(
        "prefixes",
        lambda number, _: {"prefix": f"pub-{number}-"},
        "publisherId LIKE '{prefix}%'",
        "starts_with(m.publisherId, b.prefix)",
        1_000,
    ),
)


def peers_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return each shape by both; a ``scale`` divides the messages and the bindings. Raises where they count apart."""
    table = Table(
        f"Routing {MESSAGES // scale:,} messages by this project and by DuckDB on one thread",
        ("shape", "bindings", "matches", "route, s", "DuckDB, s", "times DuckDB's"),
        "CPU seconds. DuckDB joins and collects the queues of the messages that match; the route writes all columns of "
        "all messages. Both count the same matches.",
        unit="times DuckDB's seconds",
    )
    count, cpu = max(1_000, MESSAGES // scale), spark_cpu(spark)
    path = str(directory / "peers")
    columns = [f"{sql} AS {name}" for name, sql in COLUMNS.items()]
    spark.range(count).selectExpr(*columns).coalesce(1).write.mode("overwrite").parquet(path)
    messages = spark.read.parquet(path)
    for shape in SHAPES:
        size = max(100, shape.bindings // scale)
        draw = random.Random(7)
        constants = [shape.constants(number, draw) for number in range(size)]
        selectors = [shape.selector.format_map(row) for row in constants]
        where = topology(Shape(shape.name, lambda number, _, of=selectors: of[number], (size,)), size)
        routed = route(messages, where, messages)
        with duckdb.connect() as database:
            database.execute("SET threads = 1")
            queues = [f"q{number}" for number in range(size)]
            bindings = {name: [row[name] for row in constants] for name in constants[0]}
            database.register("given", pa.table(bindings | {"queue": queues}))
            database.execute("CREATE TABLE bindings AS SELECT * FROM given")
            query = (
                f"SELECT coalesce(sum(len(queues)), 0) FROM (SELECT list(b.queue) AS queues "
                f"FROM read_parquet('{path}/*.parquet', file_row_number = true) m "
                f"JOIN bindings b ON {shape.condition} GROUP BY m.file_row_number)"
            )
            [ours] = routed.agg(sf.sum(sf.size("queues"))).first() or (0,)
            [theirs] = database.execute(query).fetchone() or (0,)
            if ours != theirs:
                raise AssertionError(f"{shape.name}: the route has {ours:,} matches, DuckDB {theirs:,}")
            runs = (lambda routed=routed: written(routed), lambda query=query: database.execute(query).fetchall())
            spent = in_turn(runs, lambda: cpu() + time.process_time(), rounds)
        first, second = (max(each.seconds, 0.01) for each in spent)
        table.add(shape.name, size, int(ours), first, second, first / second)
        table.bars.append((f"{shape.name}, {size:,}", first / second, None))
    return table
