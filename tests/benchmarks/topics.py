"""Binding keys with wildcards as in real topologies: many keys of few forms, and keys with selectors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_topology, route
from tests.benchmarks.measure import Table, in_turn, ratio, spark_cpu, written
from tests.benchmarks.routing import FEWER, MESSAGES, Routed, add_row, stored
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.routing import tuning
from transpiler.topology.broker_rules import QPID_JAVA, RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Queue


def _number(salt: int, count: int) -> str:
    return f"pmod(xxhash64(id, {salt}), {count})"


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of topics.

    ``key`` maps a binding's number to its binding key, and ``routing_key`` maps the number of bindings to the routing
    keys, as SQL over ``id``.
    """

    name: str
    key: Callable[[int], str]
    routing_key: Callable[[int], str]
    bindings: int
    messages: int = MESSAGES
    #: The selector of each binding, or None.
    selector: str | None = None
    #: Additional binding keys.
    more: tuple[str, ...] = ()

    def topology(self, count: int) -> Topology:
        """Return a topology of ``count`` bindings, each with its own queue."""
        keys = [*map(self.key, range(count)), *self.more]
        arguments = {}
        if self.selector is not None:
            arguments = {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, self.selector)}
        bindings = tuple(Binding("amq.topic", f"q{n}", key, arguments) for n, key in enumerate(keys))
        queues = tuple(Queue(binding.destination) for binding in bindings)
        rules = RABBITMQ if self.selector is None else QPID_JAVA
        return Topology(rules, (), queues, bindings, default_exchange="amq.topic")

    def sent(self, spark: SparkSession, count: int, bindings: int) -> DataFrame:
        """Return ``count`` messages, about half of which match a binding."""
        columns = f"concat_ws('.', {self.routing_key(bindings)}) AS routing_key", f"{_number(7, 100)} AS weight"
        return spark.range(count).selectExpr(*columns)


def _mixed(number: int) -> str:
    return (f"order.kind.c{number}", f"*.kind.c{number}", f"#.c{number}")[number % 3]


def _device(bindings: int) -> str:
    return f"'device', concat('d', {_number(1, 2 * bindings)}), 'temperature', {_number(2, 10)}"


def _telemetry(bindings: int) -> str:
    return f"concat('eu', {_number(2, 7)}), concat('t', {_number(1, 2 * bindings)}), 'telemetry', {_number(3, 10)}"


DEVICE = Shape("device.<id>.#", "device.d{}.#".format, _device, 100_000)
SHAPES = (
    DEVICE,
    Shape("*.<id>.telemetry.*", "*.t{}.telemetry.*".format, _telemetry, 50_000),
    Shape(
        "a mix of exact keys, *.kind.<id> and #.<id>",
        _mixed,
        lambda bindings: (
            f"element_at(array('order', 'eu'), 1 + CAST({_number(2, 2)} AS INT)), "
            f"element_at(array('kind', 'paid'), 1 + CAST({_number(3, 2)} AS INT)), "
            f"concat('c', {_number(1, bindings)})"
        ),
        20_000,
    ),
    Shape(
        "device.<id>.#, and twenty keys of two #",
        "device.d{}.#".format,
        _device,
        100_000,
        more=tuple(f"#.x{number}.#" for number in range(20)),
    ),
    Shape(
        "*.<id>.telemetry.*, each with a selector", "*.t{}.telemetry.*".format, _telemetry, 50_000, FEWER, "weight > 5"
    ),
    Shape("#.<id>.#, each with a selector", "#.t{}.#".format, _telemetry, 50_000, FEWER, "weight > 5"),
)


def realistic_topics_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of each shape. ``scale`` divides the numbers of messages and bindings."""
    cpu = spark_cpu(spark)
    table = Table(
        f"Routing {MESSAGES // scale:,} messages by binding keys as real topologies have them",
        ("binding keys", "number", "planning, s", "s", "filters", "times reading", "largest method", "matches"),
        f"CPU seconds of Spark's process. Keys with selectors have {FEWER // scale:,} messages.",
        unit="seconds",
    )
    for shape in SHAPES:
        count, bindings = shape.messages // scale, max(100, shape.bindings // scale)
        messages = stored(shape.sent(spark, count, bindings), directory, "realistic")
        routed = Routed.of(messages, count, shape.topology(bindings))
        by_hand = partial(written, messages.filter("routing_key LIKE 'device.d1%'"))
        runs = in_turn((by_hand, partial(written, messages), partial(written, routed.frame)), cpu, rounds)
        add_row(table, shape.name, bindings, routed, runs)
    return table


#: Number of bindings in the mix of topics and headers.
MIX = 20_000


def by_hand_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of a mix of topics and headers, compared with hand-written broadcast joins.

    ``scale`` divides the numbers of messages and bindings.
    """
    cpu, count, bindings = spark_cpu(spark), MESSAGES // scale, max(100, MIX // scale)
    table = Table(
        f"Routing {count:,} messages by a mix of {bindings:,} bindings, and by four broadcast joins by hand",
        ("way", "s", "times the joins", "times reading"),
        "CPU seconds of Spark's process; ratios are medians over the rounds. A quarter of the bindings each is an "
        "exact key, *.kind.<id>, #.<id>, and a header. The joins find the queues of each key in tables of four forms; "
        "distinct takes repeated queues away, as a broker does. All give the same number of queues.",
        unit="times the joins",
    )
    quarter = bindings // 4
    columns = [f"concat('k', {_number(4, 2 * quarter)}) AS kind"]
    sent = f"element_at(array('order', 'eu'), 1 + CAST({_number(2, 2)} AS INT))", "'kind'"
    sent += (f"concat('c', {_number(1, 2 * quarter)})",)
    columns += [f"concat_ws('.', {', '.join(sent)}) AS routing_key", "id"]
    columns += [f"IF({_number(3, 4)} = 0, 'amq.headers', 'amq.topic') AS exchange"]
    messages = stored(spark.range(count).selectExpr(*columns), directory, "mix")
    topology = _mix(quarter)
    routes = {
        "route": route(messages, topology, messages),
        "route, compiled": route(messages, compile_topology(topology, messages)),
    }
    joins = {"joins": _joined(messages, directory, quarter), "joins, distinct": None}
    joins["joins, distinct"] = joins["joins"].withColumn("queues", sf.array_distinct("queues"))
    frames = {**joins, **routes}
    totals = {name: frame.agg(sf.sum(sf.size("queues"))).first()[0] for name, frame in frames.items()}
    if len(set(totals.values())) > 1:
        raise AssertionError(f"the ways differ in the number of queues: {totals}")
    read, *spent = in_turn([partial(written, each) for each in (messages, *frames.values())], cpu, rounds)
    for name, runs in zip(frames, spent, strict=True):
        table.add(name, runs.seconds, ratio(runs, spent[0]), ratio(runs, read))
        table.bars.append((name, ratio(runs, spent[0]), 1.0))
    return table


def _mix(quarter: int) -> Topology:
    """Return a topology with ``quarter`` bindings of each of four forms, the last of them at a headers exchange."""
    keys = [key.format(number) for key in ("order.kind.c{}", "*.kind.c{}", "#.c{}") for number in range(quarter)]
    bindings = [Binding("amq.topic", f"q{index}", key) for index, key in enumerate(keys)]
    for number in range(quarter):
        arguments = {"kind": AmqpValue(AmqpType.STRING, f"k{number}")}
        bindings.append(Binding("amq.headers", f"h{number}", "", arguments))
    queues = tuple(Queue(binding.destination) for binding in bindings)
    return Topology(RABBITMQ, (), queues, tuple(bindings))


def _joined(messages: DataFrame, directory: Path, quarter: int) -> DataFrame:
    """Return the messages with their queues, by one broadcast join for each form of binding."""
    words = "IF(exchange = 'amq.topic', split(routing_key, '[.]'), NULL) AS words"
    found = messages.selectExpr("*", words)
    key = {
        "exact": "IF(exchange = 'amq.topic', routing_key, NULL)",
        "star": "IF(size(words) = 3 AND words[1] = 'kind', words[2], NULL)",
        "hash": "element_at(words, -1)",
        "header": "IF(exchange = 'amq.headers', kind, NULL)",
    }
    texts = {"exact": "concat('order.kind.c', id)", "header": "concat('k', id)"}
    for index, (name, tested) in enumerate(key.items()):
        queue = "concat('h', id)" if name == "header" else f"concat('q', id + {index * quarter})"
        text = texts.get(name, "concat('c', id)")
        bound = messages.sparkSession.range(quarter).selectExpr(f"{text} AS key_{name}", f"array({queue}) AS {name}")
        table = sf.broadcast(stored(bound, directory, f"mix-{name}"))
        found = found.join(table, sf.expr(tested) == sf.col(f"key_{name}"), "left").drop(f"key_{name}")
    lists = ", ".join(f"coalesce({name}, array())" for name in key)
    return found.selectExpr(*messages.columns, f"concat({lists}) AS queues")


#: Numbers of bindings after a fanout exchange.
BEHIND = (1_000, 20_000)


def fanout_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of a fanout exchange in front of two others, compared with each of these alone.

    ``scale`` divides the numbers of messages and bindings.
    """
    cpu, count = spark_cpu(spark), MESSAGES // scale
    table = Table(
        f"Routing {count:,} messages by a fanout exchange in front of a topic and a direct exchange",
        ("bindings", "topic, s", "direct, s", "through the fanout, s", "times both"),
        "CPU seconds of Spark's process; half of the bindings are at each exchange. Target: both together.",
        unit="times both",
    )
    for size in sorted({max(100, size // scale) for size in BEHIND}):
        bindings = [Binding("amq.topic", f"q{n}", _mixed(n)) for n in range(size // 2)]
        bindings += [Binding("amq.direct", f"p{n}", f"order.kind.c{n}") for n in range(size // 2)]
        queues = tuple(Queue(binding.destination) for binding in bindings)
        onward = [Binding("amq.fanout", name, "", destination_type="exchange") for name in ("amq.topic", "amq.direct")]
        topology = Topology(RABBITMQ, (), queues, (*bindings, *onward))
        sent = f"concat('order.kind.c', {_number(1, size)}) AS routing_key"
        messages = stored(spark.range(count).selectExpr(sent), directory, "behind")
        names = ("amq.topic", "amq.direct", "amq.fanout")
        runs = [partial(written, route(messages, topology, messages, exchange=name)) for name in names]
        alone = [each.seconds for each in in_turn(runs, cpu, rounds)]
        times = alone[2] / (alone[0] + alone[1])
        table.add(size, *alone, times)
        table.bars.append((f"{size:,} bindings", times, 1.0))
    return table


#: Numbers of binding keys before a change: up to the first, a topology is compiled anew; the second keeps the change
#: separate.
CHANGED = (20_000, 50_000)

#: The formats of the binding keys that each kind of change adds, and the format of their selector or None.
CHANGES = {
    "exact": (("order.kind.c{}",), None),
    "with *": (("*.kind.c{}",), None),
    "with #": (("order.#.c{}",), None),
    "of three kinds": (("order.kind.c{}", "*.kind.c{}", "order.#.c{}"), None),
    "with selectors": (("order.#",), "weight = {}"),
}


def _changes(bindings: tuple[Binding, ...]) -> Iterator[tuple[str, list[Binding], list[Binding]]]:
    """Yield each change: its name, the bindings that it adds, and the bindings that it removes."""
    for count in (1, 100):
        for name, (keys, selector) in CHANGES.items():
            added = []
            for n in range(count):
                arguments = {}
                if selector is not None:
                    arguments = {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, selector.format(n))}
                added.append(Binding("amq.topic", f"new{n}", keys[n % len(keys)].format(n), arguments))
            yield f"{count} {name}", added, []
        yield f"{count} fewer", [], list(bindings[:count])


def changes_table(spark: SparkSession, directory: Path, scale: int, rounds: int) -> Table:
    """Return the table of a changed topology of the mix, compared with the same topology compiled anew.

    ``scale`` divides the numbers of messages and bindings.
    """
    cpu = spark_cpu(spark)
    [mix] = (shape for shape in SHAPES if shape.key is _mixed)
    count = MESSAGES // scale
    table = Table(
        f"Routing {count:,} messages after a change of binding keys",
        ("binding keys", "change", "the change, s", "compiled with it, s", "changed, s", "times as long"),
        "CPU seconds, of Python for the change and of Spark's process for the messages; the ratio is the median over "
        f"the rounds. Up to {tuning.COMPILED_ANEW:,} bindings a change compiles everything anew. "
        "Target: 1.15 for up to 100 changes.",
        unit="times as long",
    )
    limit = tuning.COMPILED_ANEW
    tuning.COMPILED_ANEW = limit // scale
    try:
        for bindings in sorted({max(100, size // scale) for size in CHANGED}):
            messages = stored(mix.sent(spark, count, bindings), directory, "changed")
            _measure_changes(table, messages, replace(mix.topology(bindings), rules=QPID_JAVA), cpu, rounds)
    finally:
        tuning.COMPILED_ANEW = limit
    return table


def _measure_changes(
    table: Table, messages: DataFrame, topology: Topology, cpu: Callable[[], float], rounds: int
) -> None:
    compiled = compile_topology(topology, messages)
    for name, added, removed in _changes(topology.bindings):
        before = time.process_time()
        changed = compiled.updated(added, removed)
        spent = time.process_time() - before
        queues = {binding.destination for binding in added}
        whole = replace(
            topology,
            queues=(*topology.queues, *map(Queue, sorted(queues))),
            bindings=(*(binding for binding in topology.bindings if binding not in removed), *added),
        )
        frames = [route(messages, each) for each in (compile_topology(whole, messages), changed)]
        anew, after = in_turn([partial(written, frame) for frame in frames], cpu, rounds)
        times = ratio(after, anew)
        table.add(len(topology.bindings), name, spent, anew.seconds, after.seconds, times)
        table.bars.append((f"{len(topology.bindings):,} keys, {name}", times, 1.15))
