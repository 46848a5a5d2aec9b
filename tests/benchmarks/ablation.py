"""Ablation: the cost of a query with and without each mechanism that only improves speed, on the shape it was made for.

A mechanism is switched off by constants of a tuning module, or by removing its pass from the compiler. The queries with
and without the mechanism run in turn and return the same rows. A mechanism whose removal costs about nothing can be
deleted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import ModuleType

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_topology, route
from spark_ext.routing import tuning as engine
from tests.benchmarks import routing_shapes, topics
from tests.benchmarks.measure import Table, in_turn, ratio, spark_cpu, written
from tests.benchmarks.policies import mixed_texts
from tests.benchmarks.routing import (
    CANONICAL,
    different_selectors,
    selector_binding,
    selector_messages,
    selector_topology,
)
from transpiler import pipeline as compiler
from transpiler import stores, transpile_selector
from transpiler.compiler.spark_plan import tuning as spark_plan
from transpiler.routing import tuning as plans
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.model import Topology
from transpiler.topology.records import Queue

MESSAGES = 100_000

#: Number of rounds. It is small because some queries take a hundred times as long without their mechanism.
ROUNDS = 3

#: A threshold above every value that a tuning constant is compared with, so that the mechanism never applies.
NEVER = 1 << 40

#: A function that creates a new query. The benchmark computes its result.
Query = Callable[[], DataFrame]

#: The constants that switch a mechanism off: new value by name, for each module.
Off = Mapping[ModuleType, Mapping[str, object]]


@dataclass(frozen=True)
class Bench:
    """A Spark session, a folder for messages, and the divisor of the numbers of messages and bindings."""

    spark: SparkSession
    directory: Path
    scale: int
    _names: Iterator[int]

    def scaled(self, number: int, least: int = 100) -> int:
        """Return ``number`` divided by the scale, at least ``least``."""
        return max(least, number // self.scale)

    def stored(self, messages: DataFrame) -> DataFrame:
        """Write ``messages`` to one Parquet file and return a DataFrame that reads it."""
        path = str(self.directory / f"ablation{next(self._names)}")
        messages.coalesce(1).write.parquet(path)
        return self.spark.read.parquet(path)


@dataclass(frozen=True)
class Mechanism:
    """A mechanism, the constants that switch it off, and the shape it was made for.

    ``again`` is True if each run must plan its query again instead of running the same plan.
    """

    name: str
    off: Off
    shape: str
    query: Callable[[Bench], Query]
    again: bool = False


def _shape(name: str, bindings: int, messages: int = MESSAGES) -> Callable[[Bench], Query]:
    """Return a function that creates a query: bindings of the shape ``name`` of real topologies."""
    shape = next(shape for shape in routing_shapes.SHAPES if shape.name == name)

    def query(bench: Bench) -> Query:
        columns = [f"{text} AS {name}" for name, text in routing_shapes.COLUMNS.items()]
        stored = bench.stored(bench.spark.range(bench.scaled(messages)).selectExpr(*columns))
        return lambda: route(stored, routing_shapes.topology(shape, bench.scaled(bindings, 20)), stored)

    return query


def _five_shapes(bindings: int, canonical: bool = False) -> Callable[[Bench], Query]:
    """Return a function that creates a query: selectors of five shapes, two candidates of each for a message.

    The messages are columns, or the canonical schema if ``canonical``.
    """

    def query(bench: Bench) -> Query:
        number = bench.scaled(bindings)
        messages = selector_messages(bench.spark, bench.scaled(MESSAGES), number // 10)
        stored = bench.stored(CANONICAL.made(messages) if canonical else messages)
        return lambda: route(stored, selector_topology(number, number // 10), stored)

    return query


def _selectors(texts: Sequence[str]) -> Callable[[Bench], Query]:
    """Return a function that creates a query: the selectors ``texts`` over columns."""

    def query(bench: Bench) -> Query:
        stored = bench.stored(selector_messages(bench.spark, bench.scaled(MESSAGES), 20))
        some = texts[: bench.scaled(len(texts), 20)]
        bindings = tuple(selector_binding("amq.fanout", number, text) for number, text in enumerate(some))
        queues = tuple(Queue(f"q{number}") for number in range(len(some)))
        return lambda: route(stored, Topology(QPID_JAVA, (), queues, bindings, default_exchange="amq.fanout"), stored)

    return query


def _devices(bench: Bench) -> Query:
    """Return a query that routes by binding keys with a wildcard, all of the same form."""
    number = bench.scaled(20_000)
    stored = bench.stored(topics.DEVICE.sent(bench.spark, bench.scaled(2 * MESSAGES), number))
    return lambda: route(stored, topics.DEVICE.topology(number), stored)


def _small_batches(bench: Bench) -> Query:
    """Return a query that routes a batch of 1,000 messages by a compiled topology, whose tables already exist."""
    number = bench.scaled(100_000)
    stored = bench.stored(selector_messages(bench.spark, 1_000, number // 10))
    compiled = compile_topology(selector_topology(number, number // 10), stored, version="benchmark")
    return lambda: route(stored, compiled)


def _filter(*conditions: str, messages: int = 5 * MESSAGES) -> Callable[[Bench], Query]:
    """Return a function that creates a query: the OR of ``conditions`` as a filter over the canonical schema."""

    def query(bench: Bench) -> Query:
        stored = bench.stored(CANONICAL.made(selector_messages(bench.spark, bench.scaled(messages), 1_000)))
        text = " OR ".join(conditions[: bench.scaled(len(conditions))])
        return lambda: stored.filter(transpile_selector(text).sql).selectExpr("properties.subject AS queues")

    return query


def _filter_texts(text: str) -> Callable[[Bench], Query]:
    """Return a function that creates a query: the selector ``text`` as a filter over texts of mixed kinds."""

    def query(bench: Bench) -> Query:
        stored = bench.stored(mixed_texts(bench.spark, bench.scaled(5 * MESSAGES)))
        layout = stores.text_map("t", types="by-use")
        return lambda: stored.filter(transpile_selector(text, layout).sql).selectExpr("t['p'] AS queues")

    return query


def _without(name: str) -> Off:
    return {compiler: {"PASSES": tuple(run for run in compiler.PASSES if run.__name__ != name)}}


_KEYS = {"region": "r", "customer": "c", "sku": "s", "tenant": "t", "origin": "o", "kind": "k"}
_TESTS = ("weight > {}", "price <= {}.5", "weight BETWEEN {} AND 500", "weight <> {} AND price < 1.5")
_SIX_KEYS = [
    f"{key} = '{value}{number % 15}' AND {test.format(number)}"
    for key, value in _KEYS.items()
    for test in _TESTS
    for number in range(60)
]
_NO_BUDGET = {engine: {"METHOD": NEVER, "FUSED": NEVER, "OPERATIONS": NEVER}}
_BOUNDS = "weight BETWEEN 100 AND 9900 AND price BETWEEN 1 AND 99.5"
_PAIRS = [f"(customer = 'c{number * 7}' AND weight > {number * 37})" for number in range(60)]
_RANGES = [f"weight BETWEEN {number * 5} AND {number * 5 + 2}" for number in range(10_000)]
_SUMS = [f"weight + {number} > price * {number}" for number in range(2, 62)]

MECHANISMS = (
    Mechanism(
        "specialize", {plans: {"MAX_SPECIALIZED": 0}}, "arithmetic, 200 bindings", _shape("arithmetic", 200, 20_000)
    ),
    Mechanism("merge_signatures", {plans: {"MAX_MERGED": 0}}, "300 shapes", _shape("2,000 shapes", 300, 20_000)),
    Mechanism("interval_index", {plans: {"MIN_INDEXED": NEVER}}, "1,000 ranges", _shape("ranges", 1_000, 20_000)),
    Mechanism("substring_index", {plans: {"MIN_INDEXED": NEVER}}, "1,000 tiles", _shape("tiles alone", 1_000, 20_000)),
    Mechanism("topic_words", {plans: {"TOPIC_LOOK_UPS": 0}}, "20,000 keys `device.<id>.#`", _devices),
    Mechanism("codegen_budget", _NO_BUDGET, "four shapes under each of six keys", _selectors(_SIX_KEYS)),
    Mechanism("codegen_budget", _NO_BUDGET, "200 selectors of as many shapes", _selectors(different_selectors(200))),
    Mechanism(
        "common_lookups",
        {plans: {"COMMON_LOOKUPS": False}},
        "five shapes, canonical schema, 1,000 bindings",
        _five_shapes(1_000, True),
    ),
    Mechanism(
        "session_tables",
        {engine: {"KEPT_TABLES": False}},
        "1,000 messages, 100,000 bindings",
        _small_batches,
        again=True,
    ),
    Mechanism("map_lookups", _without("reuse_map_lookups"), "bounds of two numbers", _filter(_BOUNDS)),
    Mechanism(
        "constant_tables", _without("tabulate_disjunctions"), "OR of 60 equalities, each with a bound", _filter(*_PAIRS)
    ),
    Mechanism(
        "row_chunks",
        {spark_plan: {"MIN_CHUNKED": NEVER}},
        "OR of 10,000 ranges",
        _filter(*_RANGES, messages=3 * MESSAGES),
    ),
    Mechanism(
        "guarded_conversions",
        _without("guard_if_untyped"),
        "`p >= q` over text of mixed kinds",
        _filter_texts("p >= q"),
    ),
    Mechanism("method_splitting", _without("split_if_long"), "OR of 60 sums", _filter(*_SUMS)),
)


@contextmanager
def switched(values: Off) -> Iterator[None]:
    """Set the constants ``values`` inside the block, and restore them afterwards."""
    before = {module: {name: getattr(module, name) for name in constants} for module, constants in values.items()}
    for module, constants in values.items():
        for name, value in constants.items():
            setattr(module, name, value)
    try:
        yield
    finally:
        for module, constants in before.items():
            for name, value in constants.items():
                setattr(module, name, value)


def _answer(frame: DataFrame) -> int:
    """Return a digest of the queues of all messages, independent of their order."""
    [digest] = frame.agg(sf.bit_xor(sf.xxhash64("queues"))).first()
    return digest


def _run(mechanism: Mechanism, query: Query, off: Off) -> tuple[int, Callable[[], object]]:
    """Return the answer of ``query``, planned with the constants ``off``, and a function that runs it."""

    def run() -> None:
        with switched(off):
            written(query() if mechanism.again else planned)

    with switched(off):
        planned = query()
        return _answer(planned), run


def ablation_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of each mechanism, on and off. ``scale`` divides the numbers of messages and bindings."""
    table = Table(
        "Ablation: what is there for speed only, on the shape that it is for",
        ("mechanism", "shape", "with it, s", "without it, s", "times as long"),
        "CPU seconds of Spark's process and of this one; the ratio is the median over the rounds. Differences of 20 "
        "percent are the noise of a machine with other work.",
        unit="times as long without it",
    )
    of_spark = spark_cpu(spark)
    bench = Bench(spark, directory, scale, count())
    for mechanism in MECHANISMS:
        query = mechanism.query(bench)
        (answer, on), (other, off) = (_run(mechanism, query, switches) for switches in ({}, mechanism.off))
        assert answer == other, mechanism
        runs, without = in_turn((on, off), lambda: of_spark() + time.process_time(), min(rounds, ROUNDS))
        table.add(mechanism.name, mechanism.shape, runs.seconds, without.seconds, ratio(without, runs))
        table.bars.append((f"{mechanism.name}: {mechanism.shape}", ratio(without, runs), None))
    return table
