"""DuckDB with the same bindings and messages, on one thread: an independent count of the matches, and its CPU time.

This project and DuckDB return the id and the queues of every message. DuckDB joins the messages with a table of the
bindings' constants, collects the queues of each matching message, and joins them with all messages. Reading the columns
is also measured alone, so that the remaining times can be compared.
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
from tests.benchmarks.routing_shapes import COLUMNS, Shape, topology

#: Number of messages: so many that planning and Java's compiler are a small part of the time.
MESSAGES = 3_000_000

#: The constants of a binding, by column name in DuckDB's table.
Constants = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PeerShape:
    """A shape of bindings for both engines.

    ``constants`` maps a binding's number to its constants, and ``condition`` is DuckDB's condition on m (message) and b
    (binding).
    """

    name: str
    constants: Callable[[int, random.Random], Constants]
    selector: str
    condition: str
    #: The columns of messages that the condition reads.
    reads: tuple[str, ...]
    bindings: int


SHAPES = (
    PeerShape(
        "an equality and a bound",
        lambda number, draw: {"region": f"r{number % 1000}", "weight": draw.randrange(900_000, 1_000_000)},
        "region = '{region}' AND weight > {weight}",
        "m.region = b.region AND m.weight > b.weight",
        ("region", "weight"),
        10_000,
    ),
    PeerShape(
        "ranges",
        lambda _, draw: (lambda low: {"low": low, "high": low + draw.randrange(1, 200)})(draw.randrange(999_000)),
        "price BETWEEN {low} AND {high}.5",
        "m.price BETWEEN b.low AND b.high + 0.5",
        ("price",),
        10_000,
    ),
    PeerShape(
        "prefixes",
        lambda number, _: {"prefix": f"pub-{number}-"},
        "publisherId LIKE '{prefix}%'",
        "starts_with(m.publisherId, b.prefix)",
        ("publisherId",),
        300,
    ),
)


def peers_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of each shape in both engines. ``scale`` divides the numbers of messages and bindings.

    Raise if the two engines count different matches.
    """
    table = Table(
        f"Routing {MESSAGES // scale:,} messages by this project and by DuckDB on one thread",
        ("shape", "bindings", "matches", "route, s", "of it reading", "DuckDB, s", "of it reading", "beyond reading"),
        "CPU seconds. Both give the id and the queues of every message, and count the same matches. Beyond reading: "
        "how many times as long the route takes as DuckDB, each without its own reading of the id and the columns of "
        "the conditions.",
        unit="times DuckDB's seconds beyond reading",
    )
    count, cpu = max(1_000, MESSAGES // scale), spark_cpu(spark)
    path = str(directory / "peers")
    columns = ["id", *(f"{sql} AS {name}" for name, sql in COLUMNS.items())]
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
            database.execute(f"CREATE VIEW messages AS SELECT * FROM read_parquet('{path}/*.parquet')")
            query = (
                "SELECT m.id, coalesce(f.queues, []) AS queues FROM messages m LEFT JOIN "
                f"(SELECT m.id, list(b.queue) AS queues FROM messages m JOIN bindings b ON {shape.condition} "
                "GROUP BY m.id) f ON m.id = f.id"
            )
            read = ("id", *shape.reads)
            [ours] = routed.agg(sf.sum(sf.size("queues"))).first() or (0,)
            [[theirs]] = database.sql(f"SELECT coalesce(sum(len(queues)), 0) FROM ({query})").fetchall()
            if ours != theirs:
                raise AssertionError(f"{shape.name}: the route has {ours:,} matches, DuckDB {theirs:,}")
            runs = (
                lambda routed=routed: written(routed.select("id", "queues")),
                lambda read=read: written(messages.select(*read)),
                lambda query=query: database.sql(query).to_arrow_table(),
                lambda read=read: database.sql(f"SELECT {', '.join(read)} FROM messages").to_arrow_table(),
            )
            spent = in_turn(runs, lambda: cpu() + time.process_time(), rounds)
        routing, reading, joining, scanning = (each.seconds for each in spent)
        beyond = max(routing - reading, 0.01) / max(joining - scanning, 0.01)
        table.add(shape.name, size, int(ours), routing, reading, joining, scanning, beyond)
        table.bars.append((f"{shape.name}, {size:,}", beyond, None))
    return table
