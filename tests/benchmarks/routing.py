"""Routing by the number of bindings: selectors of five shapes, topics and headers, compared with an array of CASE.

Each route is also compared with one hand-written filter over the same messages, which keeps almost no message, while a
route writes all columns of all messages. The table contains the size of the largest generated method: HotSpot compiles
methods up to 8,000 bytes, and larger ones take several times as long.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_selector, route
from tests.benchmarks.measure import Runs, Table, in_turn, largest_method, spark_cpu, written
from tests.benchmarks.messages import section, union
from tests.spark_ext.harness import settings
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.broker_rules import QPID_JAVA, RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Exchange, Queue

MESSAGES = 1_000_000

#: Number of messages for headers bindings, and for conditions that are evaluated one by one.
FEWER = 200_000

#: Number of distinct topics if topics repeat.
REPEATED = 10_000

#: Number of rounds for queries that take most of a minute.
SLOW_ROUNDS = 2


def stored(frame: DataFrame, directory: Path, name: str) -> DataFrame:
    """Write ``frame`` to one Parquet file and return a DataFrame that reads it."""
    path = str(directory / name)
    frame.coalesce(1).write.mode("overwrite").parquet(path)
    return frame.sparkSession.read.parquet(path)


def selector_messages(spark: SparkSession, count: int, keys: int) -> DataFrame:
    """Return ``count`` messages whose properties have ``keys`` distinct values each."""
    hashed = [f"pmod(xxhash64(id, {salt}), {keys})" for salt in range(5)]
    return spark.range(count).selectExpr(
        f"concat('r', {hashed[0]}) AS region",
        f"concat('c', {hashed[1]}) AS customer",
        f"concat('s', {hashed[2]}) AS sku",
        f"concat('t', {hashed[3]}) AS tenant",
        f"concat('o', {hashed[4]}) AS origin",
        "pmod(xxhash64(id, 7), 10000) AS weight",
        "CAST(pmod(xxhash64(id, 8), 10000) AS DOUBLE) / 100 AS price",
        "concat('k', pmod(xxhash64(id, 9), 2)) AS kind",
    )


#: One selector for each of the five shapes, which is TRUE for every message with its key.
LOOSE = (
    "region = 'r0' AND weight > -1",
    "customer = 'c0' AND price <= 1000.5",
    "tenant = 't0' AND weight BETWEEN -1 AND 20000",
    "origin = 'o0' AND kind = 'k1' AND price > -1.5",
    "sku = 's0' AND (weight < 20000 OR price > 99.5)",
)


def selector_topology(count: int, keys: int, loose: bool = False) -> Topology:
    """Return a topology with selectors of five shapes on one fanout exchange.

    A message's keys occur in two selectors of each shape. If ``loose``, one selector of each shape has no effective
    bound, so that every message must be looked up.
    """
    spread = random.Random(5)
    shapes: list[Callable[[int], str]] = [
        lambda n: f"region = 'r{n % keys}' AND weight > {9000 + spread.randrange(1000)}",
        lambda n: f"customer = 'c{n % keys}' AND price <= {spread.randrange(1000) / 100:.2f}1",
        lambda n: (
            f"tenant = 't{n % keys}' AND weight BETWEEN {spread.randrange(9000)} AND {9000 + spread.randrange(9)}"
        ),
        lambda n: f"origin = 'o{n % keys}' AND kind = 'k1' AND price > {90 + spread.randrange(1000) / 100:.2f}1",
        lambda n: f"sku = 's{n % keys}' AND (weight < {1 + spread.randrange(500)} OR price > 99.5)",
    ]
    bindings = []
    for number in range(count):
        text = LOOSE[number] if loose and number < len(LOOSE) else shapes[number % 5](number // 5)
        bindings.append(selector_binding("x", number, text))
    queues = tuple(Queue(f"q{number}") for number in range(count))
    return Topology(QPID_JAVA, (Exchange("x", "fanout"),), queues, tuple(bindings), default_exchange="x")


#: The fields of the tagged union that hold the properties of ``selector_messages``.
FIELDS = dict.fromkeys(("region", "customer", "sku", "tenant", "origin", "kind"), "string")
FIELDS |= {"weight": "long", "price": "double"}


@dataclass(frozen=True)
class Form:
    """A form of the messages, and the filter that an engineer would write by hand for it."""

    name: str
    by_hand: str
    made: Callable[[DataFrame], DataFrame]


def in_a_map(messages: DataFrame) -> DataFrame:
    unions = ", ".join(f"'{name}', {union(name, field)}" for name, field in FIELDS.items())
    properties = section("properties", {"subject": "sku"})
    return messages.selectExpr(section("header", {}), properties, f"map({unions}) AS application_properties")


COLUMNS = Form("typed columns", "region = 'r5' AND weight > 2500", lambda messages: messages)
CANONICAL = Form(
    "canonical schema",
    "application_properties['region'].string = 'r5' AND application_properties['weight'].long > 2500",
    in_a_map,
)

#: Numbers of selectors over columns, and over the canonical schema.
SIZES = ((COLUMNS, (100, 1_000, 10_000, 100_000, 1_000_000)), (CANONICAL, (1_000, 1_000_000)))


@dataclass(frozen=True)
class Routed:
    """A planned route: its DataFrame, the planning time in seconds by the clock, and the mean matches of a message."""

    frame: DataFrame
    planned: float
    matches: float

    @classmethod
    def of(cls, messages: DataFrame, count: int, topology: Topology, keys: DataFrame | None = None) -> Routed:
        """Plan a route of ``messages``, of which there are ``count``."""
        started = time.perf_counter()
        frame = route(messages, topology, messages, keys=keys)
        frame._jdf.queryExecution().executedPlan()
        planned = time.perf_counter() - started
        [total] = frame.agg(sf.sum(sf.size("queues"))).first()
        return cls(frame, planned, (total or 0) / count)

    @property
    def longest(self) -> int:
        """The size of the largest generated method, in bytes of bytecode."""
        # An adaptive plan has no generated code before it runs.
        with settings(self.frame.sparkSession, {"spark.sql.adaptive.enabled": "false"}):
            return largest_method(self.frame.select("*"))


def growth_tables(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Iterator[Table]:
    """Yield all tables. ``scale`` divides the numbers of messages and bindings."""
    yield selectors_table(spark, directory, scale, rounds)
    yield topics_table(spark, directory, scale, rounds)
    yield headers_table(spark, directory, scale, rounds)
    yield one_by_one_table(spark, directory, scale, rounds)


def sizes_at(scale: int, sizes: Sequence[int]) -> list[int]:
    """Return the distinct numbers of bindings at a scale, in ascending order."""
    return sorted({max(100, size // scale) for size in sizes})


def add_row(table: Table, name: str, bindings: int, routed: Routed, runs: Sequence[Runs]) -> None:
    """Add a row and a bar from the times of the hand-written filter, of a minimal query, and of the route."""
    by_hand, floor, spent = (each.seconds for each in runs)
    ratios = spent / by_hand, spent / floor
    table.add(name, bindings, routed.planned, spent, *ratios, routed.longest, routed.matches)
    table.bars.append((f"{name}, {bindings:,}", spent, None))


def selectors_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of selectors of five shapes, by the number of selectors."""
    count, cpu = MESSAGES // scale, spark_cpu(spark)
    table = Table(
        f"Routing {count:,} messages by selectors of five shapes",
        ("messages in", "selectors", "planning, s", "s", "filters", "times reading", "largest method", "matches"),
        "CPU seconds of Spark's process; planning by the clock, compiling the bindings included. Two candidates of "
        "each shape have a message's keys. Loose: one selector of each shape has no bounds, so that every message is "
        "looked up.",
        unit="seconds",
    )
    for form, sizes in SIZES:
        at_scale = sizes_at(scale, sizes)
        for bindings, loose in [*((size, False) for size in at_scale), (at_scale[-1], True)]:
            keys = bindings // 10
            messages = stored(form.made(selector_messages(spark, count, keys)), directory, "selectors")
            routed = Routed.of(messages, count, selector_topology(bindings, keys, loose))
            name = form.name + ", loose" * loose
            by_hand, read = partial(written, messages.filter(form.by_hand)), partial(written, messages)
            add_row(
                table, name, bindings, routed, in_turn((by_hand, read, partial(written, routed.frame)), cpu, rounds)
            )
    return table


def topics_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of topics, by the number of binding keys: one word in ten is ``*``, one in a hundred ``#``."""
    count, cpu = MESSAGES // scale, spark_cpu(spark)
    table = Table(
        f"Routing {count:,} messages by binding keys of topics",
        ("topics", "binding keys", "planning, s", "s", "filters", "times look-ups", "largest method", "matches"),
        f"CPU seconds of Spark's process. Look-ups: splitting each topic and looking each word up in a map. Of "
        f"{REPEATED:,} topics each is matched once where `keys` has them.",
        unit="seconds",
    )
    spread = random.Random(1)
    vocabulary = [[f"l{level}w{number}" for number in range(20)] for level in range(6)]

    def word(level: int, wild: bool) -> str:
        drawn = spread.random() if wild else 1.0
        return "#" if drawn < 0.01 else "*" if drawn < 0.11 else spread.choice(vocabulary[level])

    def key(wild: bool) -> str:
        return ".".join(word(level, wild) for level in range(spread.randint(3, 6)))

    rows = [(key(False),) for _ in range(count)]
    drawn = random.Random(2)
    again = [rows[drawn.randrange(min(REPEATED, count))] for _ in range(count)]
    different = stored(spark.createDataFrame(rows, "routing_key STRING"), directory, "topics")
    repeated = stored(spark.createDataFrame(again, "routing_key STRING"), directory, "repeated")
    words = ", ".join(f"'{word}', {number}" for number, word in enumerate(chain(*vocabulary)))
    looked_up = f"aggregate(split(routing_key, '\\\\.'), 0, (a, w) -> a + coalesce(map({words})[w], 0)) AS codes"

    def look_up(messages: DataFrame) -> None:
        spark.conf.set("spark.sql.optimizer.mapLookupHashThreshold", "1")
        written(messages.selectExpr("*", looked_up))
        spark.conf.unset("spark.sql.optimizer.mapLookupHashThreshold")

    for bindings in sizes_at(scale, (2_000, 100_000)):
        bound = tuple(Binding("amq.topic", f"q{number}", key(True)) for number in range(bindings))
        queues = tuple(Queue(f"q{number}") for number in range(bindings))
        topology = Topology(RABBITMQ, (), queues, bound, default_exchange="amq.topic")
        for name, messages, keys in (
            ("different", different, None),
            (f"{REPEATED:,}", repeated, None),
            (f"{REPEATED:,}, matched once", repeated, repeated),
        ):
            routed = Routed.of(messages, count, topology, keys)
            by_hand = partial(written, messages.filter("routing_key LIKE 'l0w1.%.l2w3'"))
            floor = partial(look_up, messages)
            add_row(
                table, name, bindings, routed, in_turn((by_hand, floor, partial(written, routed.frame)), cpu, rounds)
            )
    return table


def headers_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of bindings of a headers exchange with twenty sets of keys, by the number of bindings."""
    count, cpu = FEWER // scale, spark_cpu(spark)
    table = Table(
        f"Routing {count:,} messages by headers bindings of twenty key sets",
        ("bindings", "planning, s", "s", "filters", "largest method", "matches"),
        "CPU seconds of Spark's process.",
        unit="seconds",
    )
    names = [f"h{number}" for number in range(10)]
    spread = random.Random(3)
    sets = [spread.sample(names, spread.randint(2, 4)) for _ in range(20)]
    for bindings in sizes_at(scale, (10_000, 300_000)):
        values = values_for(bindings // len(sets), sets)
        columns = [
            f"concat('v', pmod(xxhash64(id, {number}), {values})) AS {name}" for number, name in enumerate(names)
        ]
        messages = stored(spark.range(count).selectExpr(*columns), directory, "headers")
        bound = []
        for number in range(bindings):
            wanted = {name: AmqpValue(AmqpType.STRING, f"v{spread.randrange(values)}") for name in sets[number % 20]}
            bound.append(Binding("amq.headers", f"q{number}", "", wanted))
        queues = tuple(Queue(f"q{number}") for number in range(bindings))
        topology = Topology(RABBITMQ, (), queues, tuple(bound), default_exchange="amq.headers")
        routed = Routed.of(messages, count, topology)
        runs = partial(written, messages.filter("h1 = 'v5' AND h2 = 'v7'")), partial(written, routed.frame)
        filtered, spent = (each.seconds for each in in_turn(runs, cpu, rounds))
        table.add(bindings, routed.planned, spent, spent / filtered, routed.longest, routed.matches)
        table.bars.append((f"{bindings:,}", spent, None))
    return table


def values_for(bindings: int, sets: list[list[str]]) -> int:
    """Return the number of values of each header at which a message has about two matches.

    ``bindings`` is the number of bindings for each set of headers.
    """
    return min(range(2, 2_000), key=lambda count: abs(sum(bindings / count ** len(names) for names in sets) - 2))


def one_by_one_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of routes compared with an array that has a CASE for each selector."""
    cpu = spark_cpu(spark)
    table = Table(
        "Routes against an array with a CASE for each selector",
        ("messages in", "messages", "selectors", "shapes", "s", "array of CASE, s", "times as long", "matches"),
        "CPU seconds of Spark's process. Of selectors that have a shape each, a route tries most one by one too.",
        unit="seconds",
    )
    listed, different = max(100, 1_000 // scale), max(20, 200 // scale)
    texts = different_selectors(different)
    bound = tuple(selector_binding("amq.fanout", number, text) for number, text in enumerate(texts))
    queues = tuple(Queue(f"q{number}") for number in range(different))
    own_shapes = Topology(QPID_JAVA, (), queues, bound, default_exchange="amq.fanout")
    five_shapes = selector_topology(listed, listed // 10)
    for form, count, topology, shapes in (
        (COLUMNS, MESSAGES // scale, five_shapes, 5),
        (CANONICAL, MESSAGES // scale, five_shapes, 5),
        (COLUMNS, FEWER // scale, own_shapes, different),
    ):
        messages = stored(form.made(selector_messages(spark, count, listed // 10)), directory, "cases")
        routed = Routed.of(messages, count, topology)
        selectors = [str(topology.selector(binding)) for binding in topology.bindings]
        tests = [sf.when(compile_selector(text, messages), sf.lit(f"q{n}")) for n, text in enumerate(selectors)]
        cases = messages.select("*", sf.array_compact(sf.array(*tests)).alias("queues"))
        [total] = cases.agg(sf.sum(sf.size("queues"))).first()
        assert (total or 0) / count == routed.matches
        [spent] = (each.seconds for each in in_turn([partial(written, routed.frame)], cpu, rounds))
        [slow] = (each.seconds for each in in_turn([partial(written, cases)], cpu, min(rounds, SLOW_ROUNDS)))
        table.add(form.name, count, len(selectors), shapes, spent, slow, slow / spent, routed.matches)
        label = f"{form.name}, {len(selectors):,} of {shapes} shapes"
        table.bars += [(label, spent, None), (f"{label}, array of CASE", slow, None)]
    return table


def selector_binding(exchange: str, number: int, selector: str) -> Binding:
    return Binding(exchange, f"q{number}", "", {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, selector)})


def different_selectors(count: int) -> list[str]:
    """Return ``count`` selectors of different shapes: no two apply the same tests to the same properties."""
    tests = [
        "weight > {0}",
        "price <= {0}.5",
        "region LIKE 'r{0}%'",
        "kind <> 'k{0}'",
        "sku LIKE '%{0}'",
        "weight + {0} < price * 2",
        "customer IS NOT NULL",
        "NOT tenant = 't{0}'",
        "origin IN ('o{0}', 'o1')",
        "weight BETWEEN {0} AND 5000",
    ]
    found: list[str] = []
    for mask in range(1, 1 << len(tests)):
        chosen = [test for bit, test in enumerate(tests) if mask >> bit & 1]
        if 3 <= len(chosen) <= 5:
            found.append((" AND " if mask % 3 else " OR ").join(test.format(mask % 9) for test in chosen))
        if len(found) == count:
            break
    return found
