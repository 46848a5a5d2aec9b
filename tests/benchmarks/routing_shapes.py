"""Shapes of bindings from real topologies, each compared with one hand-written filter over the same messages.

Every shape is checked first: a sample of the messages must get the queues that ``transpiler.reference`` computes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as sf

from spark_ext import route
from tests.benchmarks.measure import Table, in_turn, spark_cpu, written
from transpiler import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Exchange, Queue

MESSAGES = 1_000_000

#: Number of messages in the sample, and maximum number of bindings for which the sample is checked.
SAMPLE, MAX_CHECKED = 40, 10_000

COUNTRIES = ("NO", "SE", "FI", "DK", "DE", "AT", "NL", "BE", "FR", "ES", "IT", "PL", "CZ", "HU", "SI", "HR", "IE", "CH")
TYPES = ("DATEX2", "DENM", "IVIM", "SPATEM", "MAPEM", "SREM", "SSEM", "CAM")


def _one_of(values: tuple[str, ...], salt: int) -> str:
    listed = ", ".join(f"'{value}'" for value in values)
    return f"element_at(array({listed}), 1 + CAST(pmod(xxhash64(id, {salt}), {len(values)}) AS INT))"


def _tile(salt: int, digits: int) -> str:
    """Return SQL for a quadtree tile: 1 for Northern Europe, then ``digits`` digits of base 4."""
    return f"concat('1', lpad(conv(pmod(xxhash64(id, {salt}), {4**digits}), 10, 4), {digits}, '0'))"


#: The columns of the messages, as SQL over ``id``.
COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "originatingCountry": _one_of(COUNTRIES, 1),
        "messageType": _one_of(TYPES, 2),
        "quadTree": f"concat(',', {_tile(3, 12)}, ',', {_tile(4, 12)}, ',', {_tile(5, 12)}, ',')",
        "publisherId": "concat('pub-', pmod(xxhash64(id, 6), 1000), '-', pmod(xxhash64(id, 7), 7))",
        "region": "concat('r', pmod(xxhash64(id, 8), 1000))",
        "weight": "pmod(xxhash64(id, 9), 1000000)",
        "price": "CAST(pmod(xxhash64(id, 10), 100000000) AS DOUBLE) / 100",
        "amount": "CAST(pmod(xxhash64(id, 11), 1000000) / 100 AS DECIMAL(12, 2))",
        "sent": "timestamp_millis(1760000000000 + pmod(xxhash64(id, 12), 100000) * 1000)",
        "plain": "concat('c', pmod(xxhash64(id, 13), 5000))",
        "note": "CASE WHEN pmod(id, 10) < 9 THEN concat('n', pmod(xxhash64(id, 14), 100)) END",
    }
)

#: The AMQP type of a column's values for the reference router. Columns that are not listed are strings.
AMQP = MappingProxyType(
    {"weight": AmqpType.LONG, "price": AmqpType.DOUBLE, "amount": AmqpType.DOUBLE, "sent": AmqpType.LONG}
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of bindings: a function from a binding's number and a random generator to its selector, and sizes."""

    name: str
    selector: Callable[[int, random.Random], str]
    sizes: tuple[int, ...]
    by_hand: str = "region = 'r5' AND weight > 250000"
    messages: int = MESSAGES


def _prefix(spread: random.Random, digits: int) -> str:
    return "1" + "".join(spread.choice("0123") for _ in range(digits))


def _nordic(digits: int, listed: int) -> Callable[[int, random.Random], str]:
    def selector(_: int, spread: random.Random) -> str:
        tiles = [f"quadTree LIKE '%,{_prefix(spread, digits)}%'" for _ in range(spread.randint(1, listed))]
        country, kind = spread.choice(COUNTRIES), spread.choice(TYPES)
        return f"originatingCountry = '{country}' AND ({' OR '.join(tiles)}) AND messageType = '{kind}'"

    return selector


def _many(number: int, spread: random.Random) -> str:
    """Return the selector of a binding: one of 2,000 shapes, an equality with other tests, joined by AND and OR."""
    shape = number % 2_000
    tests = (
        f"weight > {spread.randrange(900_000, 1_000_000)}",
        f"price <= {spread.randrange(100_000)}.5",
        f"publisherId LIKE 'pub-{spread.randrange(100)}%'",
        f"messageType <> '{spread.choice(TYPES)}'",
        f"quadTree LIKE '%,{_prefix(spread, 4)}%'",
        f"weight + {spread.randrange(1, 1000)} < price * 2",
        "note IS NULL",
        f"NOT originatingCountry = '{spread.choice(COUNTRIES)}'",
        f"originatingCountry IN ('{spread.choice(COUNTRIES)}', 'NO')",
        f"weight BETWEEN {spread.randrange(1, 500_000)} AND {spread.randrange(500_000, 1_000_000)}",
        f"messageType NOT IN ('DATEX2', '{spread.choice(TYPES)}')",
    )
    chosen = [test for bit, test in enumerate(tests) if (shape + 40) >> bit & 1] or [tests[0]]
    middle = len(chosen) // 2
    joined = [" AND ".join(chosen), f"({' OR '.join(chosen[:middle] or chosen)}) AND {' AND '.join(chosen[middle:])}"]
    return f"region = 'r{spread.randrange(1000)}' AND {joined[shape % 2]}"


SHAPES = (
    Shape(
        "country, one to three tiles, type",
        _nordic(5, 3),
        (1_000, 10_000, 100_000),
        "originatingCountry = 'NO' AND quadTree LIKE '%,112003%' AND messageType = 'DENM'",
    ),
    Shape("region, one tile", lambda n, r: f"region = 'r{n % 1000}' AND quadTree LIKE '%,{_prefix(r, 5)}%'", (2_000,)),
    Shape("tiles alone", lambda _, r: f"quadTree LIKE '%,{_prefix(r, 9)}%'", (1_000, 100_000)),
    Shape("parts alone", lambda _, r: f"publisherId LIKE '%{r.randrange(1000)}-{r.randrange(7)}%'", (1_000, 7_000)),
    Shape(
        "both ends",
        lambda _, r: f"publisherId LIKE 'pub-{r.randrange(1000)}%{r.randrange(7)}'",
        (1_000, 7_000),
    ),
    Shape("one character of any", lambda _, r: f"publisherId LIKE 'pub-{r.randrange(100)}_-{r.randrange(7)}'", (700,)),
    Shape(
        "ranges",
        lambda _, r: (lambda low: f"price BETWEEN {low} AND {low + r.randrange(1, 200)}.5")(r.randrange(1, 999_000)),
        (1_000, 10_000, 100_000),
    ),
    Shape("bounds of a DECIMAL", lambda n, _: f"amount BETWEEN {n % 9999}.25 AND {n % 9999}.75", (1_000, 10_000)),
    Shape(
        "times",
        lambda n, r: f"sent BETWEEN {1760000000000 + 5000 * n} AND {1760000000000 + 5000 * n + r.randrange(1, 9000)}",
        (10_000,),
    ),
    Shape("a DECIMAL", lambda n, r: f"amount = {n % 9999}.{r.randrange(10, 100)}", (1_000, 10_000)),
    Shape(
        "negations",
        lambda n, _: f"region = 'r{n % 1000}' AND note <> 'n{n % 100}' AND plain NOT IN ('c1', 'c{n % 5000}')",
        (10_000,),
    ),
    Shape("absence", lambda n, _: f"note IS NULL AND region = 'r{n % 1000}'", (1_000,)),
    Shape("unequal alone", lambda n, _: f"note <> 'n{n % 100}'", (1_000,), messages=MESSAGES // 10),
    Shape(
        "arithmetic",
        lambda n, r: f"weight % 1000 = {1 + n % 999} AND weight / 1000 < {r.randrange(1, 1000)}",
        (10_000,),
    ),
    Shape("2,000 shapes", _many, (2_000, 100_000)),
    Shape("one key", lambda _, r: f"originatingCountry = 'NO' AND weight = {r.randrange(1_000_000)}", (100_000,)),
    Shape("one key and no more", lambda *_: "region = 'r5'", (100_000,)),
    Shape("all match", lambda *_: "weight >= 0", (1_000, 100_000), messages=1_000),
)


def topology(shape: Shape, count: int) -> Topology:
    """Return a topology of ``count`` bindings of ``shape``, each with its own queue."""
    spread = random.Random(25)
    bindings = tuple(
        Binding("x", f"q{n}", "", {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, shape.selector(n, spread))})
        for n in range(count)
    )
    queues = tuple(Queue(f"q{n}") for n in range(count))
    return Topology(QPID_JAVA, (Exchange("x", "fanout"),), queues, bindings, default_exchange="x")


def as_message(row: Row) -> Message:
    """Return the message of ``row`` for the reference router, with times in milliseconds."""
    values = {}
    for name in COLUMNS:
        value = row[name]
        if name == "sent" and value is not None:
            value = round(value.timestamp() * 1000)
        if value is not None:
            values[name] = AmqpValue(AMQP.get(name, AmqpType.STRING), float(value) if name == "amount" else value)
    return Message(application_properties=values)


def checked(messages: DataFrame, where: Topology) -> int:
    """Compare a sample with the reference router. Return the number of deliveries of the sample."""
    deliveries = 0
    for row in route(messages.limit(SAMPLE), where, messages).collect():
        expected = list(route_message(where, as_message(row)))
        assert row.queues == expected, (row, expected)
        deliveries += len(expected)
    return deliveries


def length(routed: DataFrame) -> int:
    """Return the length of the query's plan in characters."""
    return len(routed._jdf.queryExecution().executedPlan().toString())


def shapes_table(spark: SparkSession, directory: Path, scale: int, rounds: int, shapes: tuple[str, ...] = ()) -> Table:
    """Return the table of each shape at each of its sizes. ``scale`` divides the numbers of messages and bindings."""
    table = Table(
        f"Routing {MESSAGES // scale:,} messages by bindings of one shape: multiples of one hand-written filter",
        ("shape", "bindings", "planning, s", "plan, characters", "filters", "beyond reading", "matches a message"),
        "CPU seconds of Spark's process; planning by the clock, compiling the bindings included. Targets: 10 filters "
        "beyond reading for country, tiles and type; 5 filters for 10,000 ranges. Shapes that all match have fewer "
        "messages.",
        unit="filters beyond reading",
    )
    cpu = spark_cpu(spark)
    frames: dict[int, DataFrame] = {}
    for shape in SHAPES:
        if shapes and shape.name not in shapes:
            continue
        count = max(1_000, shape.messages // scale)
        if count not in frames:
            path = str(directory / f"shapes{count}")
            columns = [f"{sql} AS {name}" for name, sql in COLUMNS.items()]
            spark.range(count).selectExpr(*columns).coalesce(1).write.mode("overwrite").parquet(path)
            frames[count] = spark.read.parquet(path)
        messages = frames[count]
        for size in sorted({max(100, size // scale) for size in shape.sizes}):
            where = topology(shape, size)
            if size <= MAX_CHECKED:
                checked(messages, where)
            started = time.perf_counter()
            routed = route(messages, where, messages)
            characters = length(routed)
            planned = time.perf_counter() - started
            runs = (
                lambda messages=messages, shape=shape: written(messages.filter(shape.by_hand)),
                lambda messages=messages: written(messages),
                lambda routed=routed: written(routed),
            )
            by_hand, read, spent = (each.seconds for each in in_turn(runs, cpu, rounds))
            [total] = routed.agg(sf.sum(sf.size("queues"))).first()
            filters, beyond = spent / by_hand, (spent - read) / by_hand
            table.add(shape.name, size, planned, characters, filters, beyond, (total or 0) / count)
            table.bars.append((f"{shape.name}, {size:,}", beyond, TARGETS.get((shape.name, size))))
    return table


#: Targets by shape and number of bindings: the time beyond reading, as a multiple of one hand-written filter.
TARGETS = MappingProxyType({("country, one to three tiles, type", 100_000): 10.0, ("ranges", 10_000): 5.0})
