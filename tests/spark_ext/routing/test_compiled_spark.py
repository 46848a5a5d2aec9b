"""Compiled topologies on Spark: the same results as ``route``, in queries of any form, with one plan."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import LongType, StructField, StructType

from spark_ext import CompiledTopology, compile_topology, route
from spark_ext.routing import constant_tables, session_tables, tuning
from tests.sizes import sample
from tests.spark_ext.harness import COMPILED, settings
from transpiler import Message, route_message
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.routing import tuning as compiled_tuning
from transpiler.topology.broker_rules import QPID_JAVA, RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Exchange, Queue

SELECTORS = (
    "region = 'r{}' AND weight > {}",
    "weight = {} AND region <> 'r{}'",
    "region = 'r{}' AND weight BETWEEN 10 AND {}",
)


def bound(number: int, key: str = "", source: str = "x") -> Binding:
    text = SELECTORS[number % 3].format(number // 3, number * 7 % 100)
    return Binding(source, f"q{number}", key, {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)})


def topology(count: int) -> Topology:
    queues = tuple(Queue(f"q{number}") for number in range(count))
    bindings = tuple(bound(number) for number in range(count))
    return Topology(QPID_JAVA, (Exchange("x", "fanout"),), queues, bindings, default_exchange="x")


@pytest.fixture
def messages(spark: SparkSession) -> DataFrame:
    return spark.range(200).selectExpr("id", "concat('r', id % 30) AS region", "id * 3 % 101 AS weight")


@pytest.fixture(autouse=True)
def _all_tables_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "LOCAL_TABLE", 0)


@pytest.fixture
def every_topology_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store changes separately from the plan, as for a topology that takes long to compile."""
    monkeypatch.setattr(compiled_tuning, "COMPILED_ANEW", 0)


def rows(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


#: Queries over routed messages, in which Spark's optimizer might change the plan at the broadcast join.
QUERIES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "all": lambda routed: routed,
    "count": lambda routed: routed.agg(sf.count("*")),
    "no queues": lambda routed: routed.select("id"),
    "queues only": lambda routed: routed.select("queues"),
    "some queue": lambda routed: routed.filter("size(queues) > 0"),
    "a queue": lambda routed: routed.filter("array_contains(queues, 'q3')").select("id"),
    "no NULL": lambda routed: routed.filter("queues IS NOT NULL").select("id"),
    "a column": lambda routed: routed.filter("region = 'r1'"),
    "exploded": lambda routed: routed.selectExpr("id", "explode(queues) AS queue"),
    "grouped": lambda routed: routed.groupBy("queues").count(),
    "limited": lambda routed: routed.orderBy("id").limit(7),
    "joined with itself": lambda routed: routed.join(
        routed.selectExpr("id AS other", "queues AS q"), sf.expr("id = other")
    ),
    "half joined": lambda routed: routed.join(routed.filter("size(queues) > 0").select("id"), "id", "left_semi"),
    "united": lambda routed: routed.union(routed),
    "empty": lambda routed: routed.filter("id < 0"),
}


def test_every_query_has_the_same_answer_by_a_compiled_topology(spark: SparkSession, messages: DataFrame) -> None:
    bindings = topology(90)
    compiled = compile_topology(bindings, messages)
    expected = route(messages, bindings, messages).persist()
    assert expected.filter("size(queues) > 0").count() > 50
    routed = route(messages, compiled)
    for adaptive, name in sample(itertools.product(("true", "false"), QUERIES), 5):
        query = QUERIES[name]
        with settings(spark, {"spark.sql.adaptive.enabled": adaptive}):
            assert rows(query(routed)) == rows(query(expected)), (name, adaptive)
    twice = route(routed.withColumnRenamed("queues", "before"), compiled)
    assert twice.filter("before <> queues").isEmpty()
    expected.unpersist()


#: Settings that a user may change between two routes by one topology.
SETTINGS = (
    {},
    {"spark.sql.optimizer.disableHints": "true", "spark.sql.autoBroadcastJoinThreshold": "-1"},
    {"spark.sql.adaptive.enabled": "false"},
    {"spark.sql.planChangeValidation": "true"},
    {"spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.codegen.wholeStage": "false"},
)


@pytest.mark.full
@pytest.mark.parametrize("own", SETTINGS, ids=lambda own: ", ".join(own) or "defaults")
def test_messages_of_which_the_optimizer_knows_a_key_route_under_any_setting(
    spark: SparkSession, messages: DataFrame, own: dict[str, str]
) -> None:
    """If a key of the messages is constant, Spark plans the join with a constant table as a join without a key."""
    bindings = topology(90)
    compiled = compile_topology(bindings, messages)
    frames = {
        "all": messages,
        "one region": messages.withColumn("region", sf.lit("r1")),
        "no region": messages.withColumn("region", sf.lit(None).cast("string")),
        "one weight": messages.withColumn("weight", sf.lit(30).cast("bigint")),
        "one row": spark.sql("SELECT 0L AS id, 'r1' AS region, 99L AS weight"),
    }
    for name, frame in frames.items():
        with settings(spark, COMPILED | own):
            routed = route(frame, compiled)
            answers = [routed.collect(), routed.localCheckpoint().collect()]
        for answer in answers:
            assert len(answer) == (1 if name == "one row" else 200)
            for row in answer:
                message = Message.of(region=row.region, weight=row.weight)
                assert tuple(row.queues) == route_message(bindings, message), (name, row)


@pytest.mark.parametrize("limit", ["1000", "1000b", "2k", " 2KB"])
def test_a_table_beyond_the_limit_of_broadcasts_is_refused_before_it_is_made(
    spark: SparkSession, messages: DataFrame, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    compiled = compile_topology(topology(90), messages)
    monkeypatch.setattr(tuning, "LOCAL_TABLE", 1 << 10)
    spark.conf.set("spark.sql.maxBroadcastTableSize", limit)
    try:
        with pytest.raises(UnsupportedFeatureError) as refused:
            route(messages, compiled)
    finally:
        spark.conf.unset("spark.sql.maxBroadcastTableSize")
    [diagnostic] = refused.value.diagnostics
    assert diagnostic.code == "limit.broadcast"
    assert f"the topology of version {compiled.version}: a table of the bindings takes about" in str(refused.value)
    assert f"Spark broadcasts at most {1_000 if '1000' in limit else 2_048:,}" in str(refused.value)
    assert "route by parts of the topology" in str(refused.value)
    assert route(messages, compiled).filter("size(queues) > 0").count() > 50


@pytest.mark.full
def test_tables_are_made_once_a_session_and_go_with_the_plan(
    spark: SparkSession, messages: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    def counted(*arguments: Any) -> object:
        made.append(None)
        return make(*arguments)

    make = constant_tables.ConstantTables._store
    monkeypatch.setattr(constant_tables.ConstantTables, "_store", counted)
    bindings = topology(90)
    compiled = compile_topology(bindings, messages)
    for _ in range(2):
        route(messages.repartition(64), compiled).count()
    count = len(made)
    assert 0 < count <= len(compiled.plan.tables)
    # A topology that is the same object is planned only once, too.
    for _ in range(2):
        route(messages, bindings, messages)
    assert len(made) == 2 * count
    kept = session_tables.kept_by_plan(spark)
    assert id(compiled.plan) in kept
    # A change to a topology of this size compiles it anew, with other tables. The old tables are removed.
    changed = compiled.updated(removed=[Queue("q1")])
    route(messages, changed)
    numbers = {id(compiled.plan), id(changed.plan)}
    assert numbers <= set(kept)
    assert len(numbers) == 2
    del compiled
    assert not numbers <= set(kept)
    del changed
    assert not numbers & set(kept)


@pytest.mark.usefixtures("every_topology_is_large")
def test_a_loaded_and_a_changed_topology_route_as_one_that_is_compiled_anew(
    messages: DataFrame, tmp_path: Path
) -> None:
    before = topology(90)
    compiled = compile_topology(before, messages, version="monday")
    compiled.save(tmp_path / "compiled")
    loaded = CompiledTopology.load(tmp_path / "compiled")
    assert loaded.version == "monday"
    assert rows(route(messages, loaded)) == rows(route(messages, before, messages))
    added = [bound(200), Binding("x", "q4", "", bound(1).arguments), Queue("unbound")]
    removed = [before.bindings[7], before.bindings[8], Queue("q30")]
    changed = loaded.updated(added, removed, version="tuesday")
    assert changed.version == "tuesday"
    assert changed.changes is not None
    assert set(changed.changes.queues) == {"q200", "q4", "unbound", "q7", "q8", "q30"}
    after = Topology(
        QPID_JAVA,
        before.exchanges,
        (*(queue for queue in before.queues if queue.name != "q30"), Queue("q200"), Queue("unbound")),
        (*(binding for index, binding in enumerate(before.bindings) if index not in (7, 8, 30)), *added[:2]),  # type: ignore[arg-type]
        default_exchange="x",
    )
    expected = route(messages, after, messages, outcome="outcome")
    assert rows(route(messages, changed, outcome="outcome")) == rows(expected)
    assert rows(route(messages, before, messages)) != rows(route(messages, after, messages))
    changed.save(tmp_path / "changed")
    assert rows(route(messages, CompiledTopology.load(tmp_path / "changed"), outcome="outcome")) == rows(expected)


def test_messages_of_another_form_are_refused(messages: DataFrame) -> None:
    compiled = compile_topology(topology(20), messages)
    with pytest.raises(LayoutError, match="a column weight BIGINT"):
        route(messages.selectExpr("id", "region", "CAST(weight AS STRING) AS weight"), compiled)
    with pytest.raises(LayoutError, match="a column region STRING"):
        route(messages.drop("region"), compiled)
    with pytest.raises(ValueError, match="exchange is fixed when the topology is compiled"):
        route(messages, compiled, exchange="x")


@pytest.mark.full
def test_no_task_carries_a_table_of_any_size(spark: SparkSession) -> None:
    keys = tuple(Binding("d", f"queue-{number}", f"key-{number}") for number in range(60_000))
    queues = tuple(Queue(binding.destination) for binding in keys)
    large = Topology(RABBITMQ, (Exchange("d", "direct"),), queues, keys)
    frame = spark.range(10).selectExpr("concat('key-', id) AS routing_key")
    compiled = compile_topology(large, frame, exchange="d")
    routed = route(frame, compiled)
    assert routed.filter("queues[0] = concat('queue-', substr(routing_key, 5))").count() == 10
    [kept] = [made for made in kept_tables(spark, compiled) if any(name.endswith("_key0") for name in made.names)]
    assert kept.rows.rdd.getNumPartitions() > 3


def kept_tables(spark: SparkSession, compiled: CompiledTopology) -> list[constant_tables.ConstantTable]:
    kept = session_tables.kept_by_plan(spark)[id(compiled.plan)][1]
    return [table for table in kept.values() if isinstance(table, constant_tables.ConstantTable)]


TO_DIRECT = Binding("f", "d", "", destination_type="exchange")
#: Bindings between exchanges: none, bindings that match every message, and bindings with a key.
BETWEEN: dict[str, tuple[Binding, ...]] = {
    "one exchange": (),
    "always": (TO_DIRECT, Binding("f", "t", "", destination_type="exchange")),
    "several": (TO_DIRECT, Binding("t", "f", "a.#", destination_type="exchange")),
}


def by_key(bindings: list[Binding], between: str) -> Topology:
    queues = tuple(Queue(name) for name in dict.fromkeys(binding.destination for binding in bindings))
    exchanges = (Exchange("t", "topic"), Exchange("f", "fanout"), Exchange("d", "direct"))
    bound = (*bindings, *BETWEEN[between])
    return Topology(QPID_JAVA, exchanges, queues, bound, default_exchange="t")


def keyed(number: int, key: str, source: str = "t", selector: str = "") -> Binding:
    arguments = {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, selector)} if selector else {}
    return Binding(source, f"q{number}", key, arguments)


#: Bindings before a change, which adds ``CHANGED`` and removes some of these bindings.
BOUND = [
    *(keyed(number, f"a.w{number}") for number in range(20)),
    *(keyed(20 + number, f"*.w{number}.#") for number in range(20)),
    *(keyed(40 + number, f"#.w{number}.#.z") for number in range(15)),
    *(keyed(60 + number, "a.#", selector=f"weight > {number}") for number in range(15)),
    *(keyed(80 + number, "a.w1", "d") for number in range(2)),
]
CHANGED = [
    keyed(1, "a.w2"),
    keyed(100, "a.w3"),
    keyed(101, "*.w4.*"),
    keyed(102, "#.w5.#.z.#"),
    keyed(103, "#", selector="weight < 3 AND region = 'r5'"),
    keyed(25, "", "f"),
    keyed(104, "#.w6.#.z", selector="weight > 2"),
]


@pytest.mark.full
@pytest.mark.usefixtures("every_topology_is_large")
@pytest.mark.parametrize(
    ("exchange", "between"),
    [("t", "one exchange"), ("t", "several"), ("f", "always"), (None, "several"), (None, "always")],
)
def test_a_change_of_any_kind_is_routed_in_the_same_pass(
    spark: SparkSession, exchange: str | None, between: str
) -> None:
    keys = [f"{first}.w{number}{last}" for first in "ab" for number in range(8) for last in ("", ".x", ".x.z")]
    frame = spark.createDataFrame(
        [(number, key, f"r{number % 7}", number % 5) for number, key in enumerate(keys)],
        "id INT, routing_key STRING, region STRING, weight BIGINT",
    )
    if exchange is None:
        frame = frame.withColumn("exchange", sf.expr("element_at(array('t', 'd', 'f', 'x'), 1 + id % 4)"))
    compiled = compile_topology(by_key(BOUND, between), messages=frame, exchange=exchange)
    before, gone = route(frame, compiled, outcome="outcome"), BOUND[2:4] + BOUND[22:24] + BOUND[41:42]
    changed = compiled.updated(CHANGED, gone)
    assert changed.changes is not None
    assert changed.changes.plan.trie is not None
    after = by_key([binding for binding in BOUND if binding not in gone] + CHANGED, between)
    routed = route(frame, changed, outcome="outcome")
    anew = compile_topology(after, messages=frame, exchange=exchange)
    assert rows(routed) == rows(route(frame, anew, outcome="outcome")) != rows(before)
    assert rows(route(frame, changed, outcome="outcome", keys=frame)) == rows(routed)
    # The words of a key, and the final sort of the queues, are computed once.
    plans = [str(each._jdf.queryExecution().optimizedPlan().toString()) for each in (before, routed)]
    assert plans[0].count("split(") == plans[1].count("split(") > 0


@pytest.mark.parametrize("given", [None, "5000"])
def test_a_large_table_leaves_the_settings_of_the_session_as_they_were(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    monkeypatch.setattr(tuning, "LOCAL_TABLE", 0)
    names = ("spark.sql.execution.arrow.localRelationThreshold", "spark.sql.execution.arrow.maxRecordsPerBatch")
    table = pa.table({"n": list(range(1_000))})
    with settings(spark, {} if given is None else dict.fromkeys(names, given)):
        before = spark.conf.getAll
        found = constant_tables.arrow_frame(spark, table, StructType([StructField("n", LongType())]))
        assert found.count() == 1_000
        assert spark.conf.getAll == before
