"""Routing at scale, each figure also as a multiple of one hand-written filter over the same messages.

Run: python -m tests.benchmarks.routing [--quick] [PART ...]; the parts are selectors, topics, headers, cases, shapes,
planning and canonical, which is selectors and cases again over the canonical schema. ``--quick`` takes a tenth of the
messages. One core; CPU seconds of Spark's process, the best of eight runs in turn with the filter, a fresh query each
time, with all columns of all messages kept written nowhere; planning in seconds by the clock.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_selector, route
from tests.benchmarks.measure import largest_method
from tests.benchmarks.messages import section, union
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.broker_rules import QPID_JAVA, RABBITMQ
from transpiler.topology.model import SELECTOR_ARGUMENT, Binding, Exchange, Queue, Topology

RUNS = 8

#: Runs of what takes most of a minute.
SLOW_RUNS = 3

#: Topics where they repeat.
REPEATED = 10_000


def session() -> SparkSession:
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "8g")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


def cpu_seconds() -> float:
    """Return the CPU time of Spark's process so far, as Linux counts it."""
    process = SparkSession.getActiveSession().sparkContext._gateway.proc.pid
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def written(frame: DataFrame) -> None:
    """Compute all columns of all rows."""
    frame.select("*").write.format("noop").mode("overwrite").save()


def in_turn(*runs: Callable[[], object]) -> list[float]:
    """The least CPU seconds of each, run by turns so that what else the machine does meets all."""
    found = [math.inf] * len(runs)
    for _ in range(RUNS):
        for place, run in enumerate(runs):
            found[place] = min(found[place], measured(run))
    return found


def measured(run: Callable[[], object]) -> float:
    """The CPU seconds of Spark's process, which other work on the machine disturbs less than the clock."""
    started = cpu_seconds()
    run()
    return cpu_seconds() - started


def total(routed: DataFrame) -> int:
    return int(routed.select("*").agg(sf.sum(sf.size("queues"))).collect()[0][0] or 0)


def kept(messages: DataFrame, condition: str) -> None:
    written(messages.filter(condition))


def plan_lines(frame: DataFrame) -> int:
    return len(frame._jdf.queryExecution().executedPlan().toString().splitlines())


def stored(frame: DataFrame, directory: str, name: str) -> DataFrame:
    path = f"{directory}/{name}"
    frame.coalesce(1).write.mode("overwrite").parquet(path)
    return frame.sparkSession.read.parquet(path)


def selector_messages(spark: SparkSession, count: int, keys: int) -> DataFrame:
    """Messages whose properties are spread over so many keys."""
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


#: One selector of each of the five shapes that every message with its keys fulfils.
LOOSE = (
    "region = 'r0' AND weight > -1",
    "customer = 'c0' AND price <= 1000.5",
    "tenant = 't0' AND weight BETWEEN -1 AND 20000",
    "origin = 'o0' AND kind = 'k1' AND price > -1.5",
    "sku = 's0' AND (weight < 20000 OR price > 99.5)",
)


def selector_topology(count: int, keys: int, loose: bool = False) -> Topology:
    """Selectors of five shapes on one fanout exchange; two candidates of each shape have a message's keys.

    Where they are ``loose``, one of each shape bounds nothing, so that every message has to be looked up.
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
        bindings.append(Binding("x", f"q{number}", "", {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)}))
    queues = tuple(Queue(f"q{number}") for number in range(count))
    return Topology(QPID_JAVA, (Exchange("x", "fanout"),), queues, tuple(bindings), default_exchange="x")


#: The fields of the tagged union that hold the properties of ``selector_messages``.
FIELDS = dict.fromkeys(("region", "customer", "sku", "tenant", "origin", "kind"), "string")
FIELDS |= {"weight": "long", "price": "double"}


@dataclass(frozen=True)
class Form:
    """The form of the messages, and the filter that one would write by hand over them."""

    name: str
    by_hand: str
    made: Callable[[DataFrame], DataFrame]


def in_a_map(messages: DataFrame) -> DataFrame:
    unions = ", ".join(f"'{name}', {union(name, field)}" for name, field in FIELDS.items())
    properties = section("properties", {"subject": "sku"})
    return messages.selectExpr(section("header", {}), properties, f"map({unions}) AS application_properties")


COLUMNS = Form("columns", "region = 'r5' AND weight > 2500", lambda messages: messages)
CANONICAL = Form(
    "the canonical schema",
    "application_properties['region'].string = 'r5' AND application_properties['weight'].long > 2500",
    in_a_map,
)

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)


def selectors(
    spark: SparkSession, directory: str, scale: int, form: Form = COLUMNS, sizes: tuple[int, ...] = SIZES
) -> None:
    count = 1_000_000 // scale
    figures = {}
    for bindings, loose in chain(zip(sizes, repeat(False)), [(sizes[-1], True)]):
        keys = bindings // 10
        messages = stored(form.made(selector_messages(spark, count, keys)), directory, "messages")
        topology = selector_topology(bindings, keys, loose)
        started = time.perf_counter()
        routed = route(messages, topology, messages)
        lines = plan_lines(routed)
        planned = time.perf_counter() - started
        runs = partial(kept, messages, form.by_hand), partial(written, messages), partial(written, routed)
        filtered, read, seconds = in_turn(*runs)
        found = total(routed)
        if not loose:
            figures[bindings] = seconds
        print(
            f"(a) {count:,} messages in {form.name} x {bindings:,} selectors"
            f"{', one of each shape without bounds' * loose}: {seconds:.2f} s = "
            f"{seconds / filtered:.1f} filters ({filtered:.2f} s), {seconds / read:.1f} times reading and writing them "
            f"({read:.2f} s), {found / count:.2f} matches a message, 10 candidates; planned in {planned:.2f} s, "
            f"{lines} lines of plan",
            flush=True,
        )
    low, high = 1_000, 1_000_000
    exponent = math.log(figures[high] / figures[low]) / math.log(high / low)
    print(f"(a) {form.name}: growth exponent from {low:,} to {high:,}: {exponent:.2f}", flush=True)


def canonical(spark: SparkSession, directory: str, scale: int) -> None:
    selectors(spark, directory, scale, CANONICAL, (1_000, 1_000_000))
    cases(spark, directory, scale, CANONICAL)


def topics(spark: SparkSession, directory: str, scale: int) -> None:
    count = 1_000_000 // scale
    spread = random.Random(1)
    vocabulary = [[f"l{level}w{number}" for number in range(20)] for level in range(6)]

    def word(level: int, wild: bool) -> str:
        drawn = spread.random() if wild else 1.0
        return "#" if drawn < 0.01 else "*" if drawn < 0.11 else spread.choice(vocabulary[level])

    def key(wild: bool) -> str:
        return ".".join(word(level, wild) for level in range(spread.randint(3, 6)))

    rows = [(key(False),) for _ in range(count)]
    messages = stored(spark.createDataFrame(rows, "routing_key STRING"), directory, "topics")
    drawn = random.Random(2)
    again = [rows[drawn.randrange(REPEATED)] for _ in range(count)]
    repeated = stored(spark.createDataFrame(again, "routing_key STRING"), directory, "repeated")
    words = ", ".join(f"'{word}', {number}" for number, word in enumerate(chain(*vocabulary)))
    looked_up = f"aggregate(split(routing_key, '\\\\.'), 0, (a, w) -> a + coalesce(map({words})[w], 0)) AS codes"

    def look_up() -> None:
        spark.conf.set("spark.sql.optimizer.mapLookupHashThreshold", "1")
        written(messages.selectExpr("*", looked_up))
        spark.conf.unset("spark.sql.optimizer.mapLookupHashThreshold")

    for bindings in (2_000, 100_000):
        bound = tuple(Binding("amq.topic", f"q{number}", key(True)) for number in range(bindings))
        queues = tuple(Queue(f"q{number}") for number in range(bindings))
        topology = Topology(RABBITMQ, (), queues, bound, default_exchange="amq.topic")
        started = time.perf_counter()
        routed = route(messages, topology, messages)
        lines = plan_lines(routed)
        planned = time.perf_counter() - started
        by_hand = partial(kept, messages, "routing_key LIKE 'l0w1.%.l2w3'")
        filtered, floor, seconds = in_turn(by_hand, look_up, partial(written, routed))
        found = total(routed)
        print(
            f"(b) {count:,} topics x {bindings:,} patterns: {seconds:.2f} s = {seconds / filtered:.1f} filters "
            f"({filtered:.2f} s) = {seconds / floor:.1f} times splitting and looking up ({floor:.2f} s), "
            f"{found / count:.2f} matches a message; planned in {planned:.2f} s, {lines} lines of plan",
            flush=True,
        )
        known = route(repeated, topology, repeated, keys=repeated)
        seconds, once = in_turn(partial(written, route(repeated, topology, repeated)), partial(written, known))
        print(
            f"(b) {count:,} messages of {REPEATED:,} topics x {bindings:,} patterns: {once:.2f} s where each topic is "
            f"matched once, {seconds:.2f} s where each message's is, {total(known) / count:.2f} matches a message, "
            f"{plan_lines(known)} lines of plan",
            flush=True,
        )


def headers(spark: SparkSession, directory: str, scale: int) -> None:
    count = 200_000 // max(1, scale // 2)
    names = [f"h{number}" for number in range(10)]
    spread = random.Random(3)
    sets = [spread.sample(names, spread.randint(2, 4)) for _ in range(20)]
    figures = []
    for bindings in (10_000, 300_000):
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
        started = time.perf_counter()
        routed = route(messages, topology, messages)
        lines = plan_lines(routed)
        planned = time.perf_counter() - started
        by_hand = partial(kept, messages, "h1 = 'v5' AND h2 = 'v7'")
        filtered, seconds = in_turn(by_hand, partial(written, routed))
        found = total(routed)
        figures.append(seconds)
        print(
            f"(c) {count:,} messages x {bindings:,} headers bindings of 20 key sets: {seconds:.2f} s = "
            f"{seconds / filtered:.1f} filters ({filtered:.2f} s), {found / count:.2f} matches a message; "
            f"planned in {planned:.2f} s, {lines} lines of plan",
            flush=True,
        )
    print(f"(c) 300,000 bindings take {figures[1] / figures[0]:.2f} times what 10,000 take", flush=True)


def values_for(bindings: int, sets: list[list[str]]) -> int:
    """So many values a header that a message has about two matches, with so many bindings of each set."""
    return min(range(2, 2_000), key=lambda count: abs(sum(bindings / count ** len(names) for names in sets) - 2))


def cases(spark: SparkSession, directory: str, scale: int, form: Form = COLUMNS) -> None:
    count, bindings = 1_000_000 // scale, 1_000
    keys = bindings // 10
    messages = stored(form.made(selector_messages(spark, count, keys)), directory, "cases")
    topology = selector_topology(bindings, keys)
    routed = route(messages, topology, messages)
    filtered, seconds = in_turn(partial(kept, messages, form.by_hand), partial(written, routed))

    def naive() -> DataFrame:
        texts = [str(topology.selector(binding)) for binding in topology.bindings]
        tests = [sf.when(compile_selector(text, messages), sf.lit(f"q{number}")) for number, text in enumerate(texts)]
        return messages.select("*", sf.array_compact(sf.array(*tests)).alias("queues"))

    slow = min(measured(lambda: written(naive())) for _ in range(SLOW_RUNS))
    found = total(routed)
    assert found == total(naive())
    print(
        f"(d) {count:,} messages in {form.name} x {bindings:,} selectors: {seconds:.2f} s = "
        f"{seconds / filtered:.1f} filters; "
        f"an array of CASE {slow:.2f} s: {slow / seconds:.0f} times as long, {found / count:.2f} matches a message",
        flush=True,
    )


def different_selectors(count: int) -> list[str]:
    """Selectors of as many shapes: no two ask the same of the same properties."""
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


def shapes(spark: SparkSession, directory: str, scale: int) -> None:
    count, bindings = 1_000_000 // scale, 200
    messages = stored(selector_messages(spark, count, 1000), directory, "shapes")
    texts = different_selectors(bindings)
    bound = tuple(
        Binding("amq.fanout", f"q{number}", "", {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)})
        for number, text in enumerate(texts)
    )
    queues = tuple(Queue(f"q{number}") for number in range(bindings))
    topology = Topology(QPID_JAVA, (), queues, bound, default_exchange="amq.fanout")
    started = time.perf_counter()
    routed = route(messages, topology, messages)
    lines = plan_lines(routed)
    planned = time.perf_counter() - started
    filtered, seconds = in_turn(partial(kept, messages, COLUMNS.by_hand), partial(written, routed))
    found = total(routed)
    print(
        f"(e) {count:,} messages x {bindings} selectors of {bindings} shapes: {seconds:.2f} s = "
        f"{seconds / filtered:.1f} filters, {found / count:.2f} matches a message; planned in {planned:.2f} s, "
        f"{lines} lines of plan; largest fused method {longest(routed):,} bytes",
        flush=True,
    )


def longest(frame: DataFrame) -> int:
    """The largest method of the generated code of a query, in bytes of bytecode; the JIT takes up to 8,000."""
    frame.sparkSession.conf.set("spark.sql.adaptive.enabled", "false")
    found = largest_method(frame.select("*"))
    frame.sparkSession.conf.unset("spark.sql.adaptive.enabled")
    return found


def planning(spark: SparkSession, directory: str, _scale: int) -> None:
    bindings = 100_000
    messages = stored(selector_messages(spark, 1_000, bindings // 10), directory, "planning")
    topology = selector_topology(bindings, bindings // 10)
    started = time.perf_counter()
    routed = route(messages, topology, messages)
    routed._jdf.queryExecution().executedPlan()
    seconds = time.perf_counter() - started
    print(f"(f) planning with {bindings:,} selectors: {seconds:.2f} s, {plan_lines(routed)} lines of plan", flush=True)


PARTS = {
    "selectors": selectors,
    "topics": topics,
    "headers": headers,
    "cases": cases,
    "shapes": shapes,
    "planning": planning,
    "canonical": canonical,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    spark = session()
    print(f"Spark {spark.version}, {platform.machine()}, one core of {os.cpu_count()}")
    with tempfile.TemporaryDirectory() as directory:
        for name in options.parts or PARTS:
            PARTS[name](spark, directory, 10 if options.quick else 1)
    spark.stop()


if __name__ == "__main__":
    main()
