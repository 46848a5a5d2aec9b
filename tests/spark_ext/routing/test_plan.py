"""The query that routes: one pass, no Python, no larger for more bindings; on tables, on streams, and its errors."""

from __future__ import annotations

import re
from itertools import product
from operator import itemgetter
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import MESSAGE_SCHEMA, create_messages, deliveries, route
from spark_ext.routing import constant_tables, tuning
from tests.sizes import sample, size
from tests.spark_ext.harness import largest_method, settings
from transpiler import LayoutError, Message, SelectorSyntaxError, UnsupportedFeatureError
from transpiler.message.sections import Properties
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.topology.broker_rules import QPID_JAVA, RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import (
    DEFAULT_EXCHANGE,
    REPLACEMENT_ARGUMENT,
    SELECTOR_ARGUMENT,
    Alternate,
    Binding,
    Exchange,
    Queue,
)

TYPED = "region STRING, weight BIGINT, price DOUBLE, routing_key STRING, exchange STRING"


def selector(text: str) -> dict[str, AmqpValue]:
    return {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)}


def topology(count: int) -> Topology:
    """Return a topology with ``count`` bindings each of two shapes of selectors, exact keys, patterns and a chain."""
    queues = tuple(Queue(f"q{number}") for number in range(count))
    bindings = []
    for number, queue in enumerate(queues):
        bindings += [
            Binding("selected", queue.name, "", selector(f"region = 'r{number}' AND weight > {number}")),
            Binding("selected", queue.name, "", selector(f"price < {number}.5")),
            Binding("amq.direct", queue.name, f"key{number}"),
            Binding("amq.topic", queue.name, f"a.*.w{number}"),
            Binding("amq.topic", queue.name, f"#.w{number}.b", selector(f"weight = {number}")),
        ]
    bindings.append(Binding("selected", "amq.topic", "", destination_type="exchange"))
    exchanges = (Exchange("selected", "fanout", Alternate("q0", "queue")),)
    return Topology(QPID_JAVA, exchanges, queues, tuple(bindings))


def plan(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().executedPlan().toString())


@pytest.fixture(scope="module")
def typed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("typed") / "rows")
    rows = [
        ("r3", 5, 0.1, "a.x.w2", "selected"),
        ("r3", 3, 9999.0, None, "selected"),
        (None, 4, None, "x.w4.b", "amq.topic"),
        ("r1", 1, 1.0, "key7", "amq.direct"),
        ("r1", 1, 1.0, "q9", None),
        ("r1", 1, 1.0, "q9", "nowhere"),
    ]
    spark.createDataFrame(rows, TYPED).coalesce(1).write.parquet(path)
    return spark.read.parquet(path)


def test_typed_columns_route(typed: DataFrame) -> None:
    rows = route(typed, topology(20), typed).collect()
    every = sorted(f"q{number}" for number in range(20))
    assert [row.queues for row in rows] == [every, ["q0"], ["q4"], ["q7"], ["q9"], []]


def test_tables_are_the_same_without_arrow(typed: DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    with_arrow = route(typed, topology(20), typed).collect()
    monkeypatch.setattr(constant_tables, "pyarrow", None)
    assert route(typed, topology(20), typed).collect() == with_arrow


def test_the_plan_does_not_grow_with_the_bindings(typed: DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "LOCAL_TABLE", 0)
    sizes = [len(plan(route(typed, topology(count), typed)).splitlines()) for count in (50, 1_000)]
    assert sizes[0] == sizes[1]


def test_one_pass_without_python_and_without_a_shuffle_of_the_messages(typed: DataFrame) -> None:
    text = plan(route(typed, topology(200), typed))
    assert text.count("FileScan") == 1
    assert "Python" not in text
    assert "Union" not in text
    assert "Exchange hashpartitioning" not in text
    assert "SortMergeJoin" not in text


def test_other_columns_stay_as_they_are(typed: DataFrame) -> None:
    routed = route(typed.withColumn("a column", sf.lit(7)), topology(20), typed, column="goes to")
    assert routed.columns == [*typed.columns, "a column", "goes to"]
    assert routed.select("a column").distinct().collect() == [(7,)]


@pytest.mark.full
def test_a_stream_routes_in_append_mode(spark: SparkSession, typed: DataFrame, tmp_path: Path) -> None:
    [path] = {str(Path(file).parent) for file in typed.inputFiles()}
    stream = spark.readStream.schema(typed.schema).parquet(path.removeprefix("file:"))
    query = (
        deliveries(route(stream, topology(20), stream))
        .writeStream.format("memory")
        .queryName("delivered")
        .outputMode("append")
        .option("checkpointLocation", str(tmp_path))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    wanted = deliveries(route(typed, topology(20), typed)).collect()
    assert sorted(map(str, spark.table("delivered").collect())) == sorted(map(str, wanted))
    assert spark.table("delivered").count() == 24


def with_repeated_keys(spark: SparkSession, path: Path, selected: bool) -> tuple[Topology, DataFrame, list[list[str]]]:
    """Write messages of few keys to ``path``. Return a topology, the messages, and the queues of each message.

    The binding keys have two #, which need the automaton. ``selected`` adds a binding with a selector.
    """
    bindings = [Binding("amq.topic", f"q{n}", f"a.#.w{n}.#") for n in range(20)]
    bindings += [Binding("amq.direct", f"q{n}", "a.x.w5") for n in range(3)]
    bindings += [Binding("amq.topic", "q30", "#.b", selector("n > 3"))] * selected
    found = Topology(QPID_JAVA, (), tuple(Queue(f"q{n}") for n in range(31)), tuple(bindings))
    keys = ["a.x.w5", "a.x.w6", None, "", "w.b"]
    rows = [(n, keys[n % 5], ["amq.topic", "amq.direct", None][n % 3]) for n in range(60)]
    spark.createDataFrame(rows, "n BIGINT, routing_key STRING, exchange STRING").write.parquet(str(path))
    wanted = []
    for n, key, exchange in rows:
        numbered = {"n": AmqpValue(AmqpType.LONG, n)}
        message = Message(properties=Properties(subject=key), application_properties=numbered)
        # A NULL in the column means the default exchange. Without any exchange, there would be no result.
        wanted.append(list(route_message(found, message, exchange or DEFAULT_EXCHANGE)))
    assert {tuple(names) for names in wanted} >= {(), ("q5",), ("q0", "q1", "q2")}
    return found, spark.read.parquet(str(path)), wanted


@pytest.mark.full
@pytest.mark.parametrize("selected", [False, True], ids=["by key only", "selectors too"])
def test_keys_that_repeat_are_matched_once(spark: SparkSession, tmp_path: Path, selected: bool) -> None:
    """Keys that are not in ``keys`` are matched, too, each with its exchange."""
    found, frame, wanted = with_repeated_keys(spark, tmp_path / "rows", selected)
    known = frame.filter("n < 4")
    for given in sample((frame, known, known.filter("n < 0"), frame.withColumn("other", sf.lit(1))), 2):
        assert [row.queues for row in route(frame, found, frame, keys=given).orderBy("n").collect()] == wanted
    text = plan(route(frame, found, frame, keys=frame))
    assert text.count("FileScan") == 2
    assert text.count("Exchange hashpartitioning") == text.count("Exchange hashpartitioning(_routing_") == 1
    assert "SortMergeJoin" not in text
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        text = plan(route(frame, found, frame, keys=frame))
    # Spark computes the part of the plan that the keys and the messages share only once.
    assert "ReusedExchange" in text
    # The keys and the messages share the arrays of the automaton, one subquery each.
    made = set(re.findall(r"(?<!Reused)Subquery (?:sub|scalar-sub)query#(\d+)", text))
    assert 0 < len(made) <= 6, made
    stream = spark.readStream.schema(frame.schema).parquet(str(tmp_path / "rows"))
    with pytest.raises(UnsupportedFeatureError, match=r"route\.keys-stream"):
        route(frame, found, frame, keys=stream)
    with pytest.raises(LayoutError, match="no column exchange and no column routing_key"):
        route(frame, found, frame, keys=frame.select("n"))
    several = create_messages(spark, [Message()]).selectExpr("*", "array('a') AS routing_keys")
    rabbit = Topology(RABBITMQ, queues=(Queue("q"),), bindings=(Binding("amq.topic", "q", "a.#"),))
    assert route(several, rabbit, exchange="amq.topic", keys=several).first().queues == ["q"]
    with pytest.raises(LayoutError, match="no column properties"):
        route(several, rabbit, exchange="amq.topic", keys=several.select("routing_keys"))


@pytest.mark.full
@pytest.mark.parametrize("selected", [False, True], ids=["by key only", "selectors too"])
def test_a_stream_uses_the_keys_of_an_archive(spark: SparkSession, tmp_path: Path, selected: bool) -> None:
    found, frame, wanted = with_repeated_keys(spark, tmp_path / "rows", selected)
    stream = spark.readStream.schema(frame.schema).parquet(str(tmp_path / "rows"))
    query = (
        route(stream, found, frame, keys=frame.filter("n < 4"))
        .writeStream.format("memory")
        .queryName("by_known_keys")
        .outputMode("append")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert [row.queues for row in spark.table("by_known_keys").orderBy("n").collect()] == wanted


def test_a_topology_without_bindings_routes_nothing(spark: SparkSession) -> None:
    frame = create_messages(spark, [Message()])
    assert frame.schema == MESSAGE_SCHEMA
    assert route(frame, Topology(QPID_JAVA)).select("queues").collect() == [([],)]


def test_a_property_without_a_column_is_refused_or_missing(typed: DataFrame) -> None:
    wrong = Topology(
        QPID_JAVA, queues=(Queue("q"),), bindings=(Binding("amq.fanout", "q", "", selector("wieght > 5")),)
    )
    with pytest.raises(LayoutError, match="did you mean weight"):
        route(typed, wrong, typed)
    assert route(typed, wrong, typed, exchange="amq.fanout", missing="null").first().queues == []
    header = Binding("amq.match", "q", "", {"wieght": AmqpValue(AmqpType.LONG, 5)})
    with pytest.raises(LayoutError, match="did you mean weight"):
        route(typed, Topology(QPID_JAVA, queues=(Queue("q"),), bindings=(header,)), typed)


def test_a_selector_that_does_not_parse_is_refused(spark: SparkSession) -> None:
    wrong = Topology(QPID_JAVA, queues=(Queue("q"),), bindings=(Binding("amq.fanout", "q", "", selector("a = = 1")),))
    with pytest.raises(SelectorSyntaxError):
        route(create_messages(spark, [Message()]), wrong, exchange="amq.fanout")


def test_messages_without_a_key_are_refused_where_keys_are_asked_for(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1,)], "n BIGINT")
    keyed = Topology(RABBITMQ, queues=(Queue("q"),), bindings=(Binding("amq.direct", "q", "k"),))
    with pytest.raises(LayoutError, match="routing_key"):
        route(frame, keyed, frame, exchange="amq.direct")
    fan = Topology(RABBITMQ, queues=(Queue("q"),), bindings=(Binding("amq.fanout", "q"),))
    assert route(frame, fan, frame, exchange="amq.fanout").first().queues == ["q"]


def test_two_hundred_selectors_of_as_many_shapes_run(spark: SparkSession) -> None:
    texts = [" AND ".join("n >= 1" if number >> bit & 1 else "n > 0" for bit in range(8)) for number in range(200)]
    queues = tuple(Queue(f"q{number}") for number in range(200))
    bindings = tuple(
        Binding("amq.fanout", queue.name, "", selector(text)) for queue, text in zip(queues, texts, strict=True)
    )
    frame = spark.createDataFrame([(0,), (1,), (None,)], "n BIGINT").coalesce(1)
    routed = route(frame, Topology(QPID_JAVA, (), queues, bindings), frame, exchange="amq.fanout")
    assert [len(row.queues) for row in routed.collect()] == [0, 200, 0]


def test_words_whose_hashes_meet_are_distinguished(spark: SparkSession) -> None:
    # Both words have the CRC-32 0x4DDB0C25, which the slots of the word lookup use.
    first, second = "plumless", "buckeroo"
    queues = (Queue("first"), Queue("second"))
    bindings = (Binding("amq.topic", "first", f"#.{first}.#"), Binding("amq.topic", "second", f"#.{second}.#"))
    messages = [Message(properties=Properties(subject=f"{word}.x")) for word in (first, second, "other")]
    frame = create_messages(spark, messages).coalesce(1)
    routed = route(frame, Topology(RABBITMQ, (), queues, bindings), exchange="amq.topic")
    assert [row.queues for row in routed.collect()] == [["first"], ["second"], []]


def test_a_key_that_matches_in_billions_of_ways_matches_once(spark: SparkSession) -> None:
    patterns = [".".join(["#", *["a", "#"] * count]) for count in range(9)] + ["#.a.*.#.a.#.b", "#.#", "#.*.#.*"]
    queues = tuple(Queue(f"q{number}") for number in range(len(patterns)))
    bindings = tuple(Binding("amq.topic", queue.name, key) for queue, key in zip(queues, patterns, strict=True))
    found = Topology(RABBITMQ, (), queues, bindings, default_exchange="amq.topic")
    keys = [".".join(["a"] * count) for count in (0, 1, 3, 127)] + [".".join(["a"] * 120 + ["b"])]
    messages = spark.createDataFrame([(key,) for key in keys], "routing_key STRING")
    wanted = [list(route_message(found, Message(properties=Properties(subject=key)))) for key in keys]
    assert [row.queues for row in route(messages, found, messages).collect()] == wanted
    assert [len(names) for names in wanted] == [2, 3, 6, 11, 12]


def test_several_routing_keys_take_one_pass(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(["a.x.w2", "key7"], "amq.topic"), (["key7", "key8"], "amq.direct"), (["q1", "none", "q3"], None), ([], "")]
    path = str(tmp_path / "rows")
    frame = spark.createDataFrame(rows, "routing_keys ARRAY<STRING>, exchange STRING").coalesce(1)
    frame.write.parquet(path)
    bindings = tuple(binding for binding in topology(20).bindings if not binding.arguments and binding.key)
    queues = tuple(Queue(f"q{number}") for number in range(20))
    routed = route(spark.read.parquet(path), Topology(RABBITMQ, (), queues, bindings), frame)
    text = plan(routed)
    assert text.count("FileScan") == 1
    assert "hashpartitioning" not in text
    assert "Generate" not in text
    assert [row.queues for row in routed.collect()] == [["q2"], ["q7", "q8"], ["q1", "q3"], []]
    # If the broker has one key for each message, the column ``routing_keys`` has no special meaning.
    other = spark.read.parquet(path).selectExpr("*", "get(routing_keys, 0) AS routing_key")
    first = route(other, Topology(QPID_JAVA, (), queues, bindings), other)
    assert [row.queues for row in first.collect()] == [["q2"], ["q7"], ["q1"], []]


@pytest.mark.parametrize("count", [1, 20], ids=["compiled", "a table"])
def test_a_way_back_to_an_exchange_leads_nowhere(spark: SparkSession, count: int) -> None:
    """From the exchange to itself, and through another exchange that restores the message's original key."""
    keys = {key: {REPLACEMENT_ARGUMENT: AmqpValue(AmqpType.STRING, key)} for key in "ab"}
    bindings = [
        Binding("amq.direct", "amq.direct", f"k{number}", destination_type="exchange") for number in range(count)
    ]
    bindings += [Binding("amq.direct", "q", f"k{number}") for number in range(count)]
    bindings += [
        Binding("there", "back", "a", keys["b"], "exchange"),
        Binding("there", "q", "a"),
        Binding("back", "there", "b", keys["a"], "exchange"),
    ]
    exchanges = (Exchange("there", "direct"), Exchange("back", "direct", Alternate("last", "queue")))
    where = Topology(QPID_JAVA, exchanges, (Queue("q"), Queue("last")), tuple(bindings))
    messages = [Message(properties=Properties(subject=key)) for key in ("k0", "other", "a")]
    published = "CASE WHEN properties.subject = 'a' THEN 'there' ELSE 'amq.direct' END AS exchange"
    routed = route(create_messages(spark, messages).coalesce(1).selectExpr("*", published), where)
    wanted = [["q"], [], ["last", "q"]]
    assert [list(route_message(where, messages[2], "there"))] == wanted[2:]
    assert [row.queues for row in routed.collect()] == wanted


def test_a_property_is_looked_up_once_however_many_selectors_ask_for_it(spark: SparkSession) -> None:
    texts = [f"region = 'r{n}' AND (weight > {n} OR weight BETWEEN {-n} AND 0)" for n in range(20)]
    texts += [f"weight < {n} AND region <> 'r{n}'" for n in range(20)]
    queues = tuple(Queue(f"q{number}") for number in range(len(texts)))
    bindings = tuple(
        Binding("amq.fanout", queue.name, "", selector(text)) for queue, text in zip(queues, texts, strict=True)
    )
    properties = {"region": AmqpValue(AmqpType.STRING, "r3"), "weight": AmqpValue(AmqpType.LONG, 4)}
    messages = [Message(application_properties=properties), Message()]
    frame = create_messages(spark, messages).coalesce(1)
    routed = route(frame, Topology(QPID_JAVA, (), queues, bindings), exchange="amq.fanout")
    assert [len(row.queues) for row in routed.collect()] == [1 + 15, 0]
    written = routed._jdf.queryExecution().analyzed().toString()
    assert written.count("[region]") == written.count("[weight]") == 1


def test_selectors_with_the_same_key_share_one_lookup(spark: SparkSession) -> None:
    """Deliveries are complete for keys that are in one table and for keys that are in several."""
    shapes = (
        "region = 'r{0}' AND weight > {0}",
        "region = 'r{0}' AND weight < {0}",
        "region = 's{0}' AND price > {0}.5",
    )
    texts = [shape.format(n) for shape in shapes for n in range(1, 21)] + ["region = 'r3' AND weight > 3"]
    texts += [f"region = 'r{n}'" for n in range(2, 22)]
    queues = tuple(Queue(f"q{number}") for number in range(len(texts)))
    bindings = tuple(Binding("amq.fanout", q.name, "", selector(text)) for q, text in zip(queues, texts, strict=True))
    found = Topology(QPID_JAVA, (), queues, bindings, default_exchange="amq.fanout")
    rows = [("r3", 5, 9.0), ("r3", 2, 9.0), ("r1", 1, 0.0), ("r21", 7, 0.0), ("s4", 4, 7.25), ("none", 4, 7.25)]
    frame = spark.createDataFrame(rows, "region STRING, weight BIGINT, price DOUBLE").coalesce(1)
    routed = route(frame, found, frame)
    assert plan(routed).count("BroadcastHashJoin") == 1
    properties = [
        {
            "region": AmqpValue(AmqpType.STRING, region),
            "weight": AmqpValue(AmqpType.LONG, weight),
            "price": AmqpValue(AmqpType.DOUBLE, price),
        }
        for region, weight, price in rows
    ]
    wanted = [route_message(found, Message(application_properties=each)) for each in properties]
    assert [row.queues for row in routed.collect()] == [list(queues) for queues in wanted]
    assert sorted(map(len, wanted)) == [0, 0, 1, 1, 2, 3]


@pytest.mark.parametrize("exchange", ["amq.headers", None])
@pytest.mark.parametrize(("limit", "tables"), [(tuning.SHARED_ROWS, 1), (0, 4)], ids=["few rows", "many rows"])
def test_lookups_share_a_table_without_mixing_their_deliveries(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, exchange: str | None, limit: int, tables: int
) -> None:
    """Twenty pairs of headers with the same values, and sets of three other kinds."""
    monkeypatch.setattr(tuning, "SHARED_ROWS", limit)
    names = [f"h{number}" for number in range(6)]
    pairs = [(first, second) for first in names for second in names if first < second]
    sets = [*pairs, *(tuple(reversed(pair)) for pair in pairs[:5]), ("h0",), ("n",), ("h0", "n"), ("h1", "n")]
    bindings, queues = [], []
    for index, keys in enumerate(sets):
        for number in range(15):
            name = f"q{index}.{number}"
            values = {key: f"v{(number + len(key) + index * at) % 15}" for at, key in enumerate(keys)}
            wanted = {
                key: AmqpValue(AmqpType.LONG, number) if key == "n" else AmqpValue(AmqpType.STRING, value)
                for key, value in values.items()
            }
            queues.append(Queue(name))
            bindings.append(Binding("amq.headers", name, "", wanted))
    found = Topology(RABBITMQ, (), tuple(queues), tuple(bindings), default_exchange="amq.headers")
    rows = [(*(f"v{(row * (index + 1)) % 15}" for index in range(6)), row) for row in range(15)]
    rows += [(*("v1",) * 6, 1), (None, "v1", None, "v2", None, "v3", None), (*(None,) * 6, 7)]
    frame = spark.createDataFrame(rows, "h0 STRING, h1 STRING, h2 STRING, h3 STRING, h4 STRING, h5 STRING, n BIGINT")
    routed = route(frame.coalesce(1), found, frame, exchange=exchange)
    answers = [row.queues for row in routed.collect()]
    types = [AmqpType.STRING] * 6 + [AmqpType.LONG]
    for row, answer in zip(rows, answers, strict=True):
        values = zip([*names, "n"], types, row, strict=True)
        message = Message(
            application_properties={name: AmqpValue(kind, one) for name, kind, one in values if one is not None}
        )
        assert answer == list(route_message(found, message))
    assert sum(map(len, answers)) == 50
    assert largest_method(routed) < 8_000
    # Tables that are created and not reused: one for all lookups, or one each for pairs of texts, pairs of a text and a
    # number, single texts and single numbers.
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        text = plan(routed.select("*"))
    assert text.count("BroadcastHashJoin") == 19
    assert text.count("ReusedExchange") == 19 - tables
    # The deliveries found before a method is full are compiled before the next method starts.
    assert "zip_with(_routing_so_far" in text


def test_properties_are_not_taken_for_variables_of_the_query(spark: SparkSession) -> None:
    names = ("d", "i", "n", "q", "r", "c", "k", "value", "place", "step", "states", "row", "up", "p0")
    columns = ", ".join(f"{name} BIGINT" for name in names)
    frame = spark.createDataFrame([tuple(range(100, 100 + len(names)))], columns).coalesce(1)
    texts = [
        f"{name} = {100 + index} AND {names[index - 1]} > {bound}"
        for index, name in enumerate(names)
        for bound in (*range(1, 20), 200)
    ]
    # Many bindings of one key are found by ranges.
    texts += [f"d = 100 AND value > {bound}" for bound in range(100)]
    queues = tuple(Queue(f"q{number}") for number in range(len(texts)))
    bindings = tuple(Binding("amq.fanout", q.name, "", selector(text)) for q, text in zip(queues, texts, strict=True))
    found = Topology(QPID_JAVA, (), queues, bindings, default_exchange="amq.fanout")
    wanted = sorted(f"q{number}" for number, text in enumerate(texts) if not text.endswith("> 200"))
    assert route(frame, found, frame).first().queues == wanted


@pytest.mark.parametrize(("shared", "lists"), [(1, 0), (40, 1), (100, 1)], ids=["none", "few", "all"])
def test_selectors_that_queues_share(spark: SparkSession, shared: int, lists: int) -> None:
    """A row of constants is repeated for one or two queues, and has a list if many queues share it."""
    texts = [f"region = 'r{n % 10}' AND weight > {n}" for n in range(1, 101)]
    texts += [text for text in texts[:shared] for _ in range(2)]
    queues = tuple(Queue(f"q{number}") for number in range(len(texts)))
    bindings = tuple(Binding("amq.fanout", q.name, "", selector(text)) for q, text in zip(queues, texts, strict=True))
    found = Topology(QPID_JAVA, (), queues, bindings, default_exchange="amq.fanout")
    rows = [("r1", 200), ("r1", 12), ("r2", 3), ("r2", 2), (None, 5)]
    frame = spark.createDataFrame(rows, "region STRING, weight BIGINT").coalesce(1)
    routed = route(frame, found, frame)
    assert ("flatten" in routed._jdf.queryExecution().analyzed().toString()) is bool(lists)
    wanted = [
        sorted(f"q{n}" for n, text in enumerate(texts) if f"'{region}'" in text and int(text.split()[-1]) < weight)
        for region, weight in rows
    ]
    assert [row.queues for row in routed.collect()] == wanted
    assert len(wanted[0]) > 10


@pytest.mark.parametrize("again", [False, True], ids=["each once", "one twice"])
@pytest.mark.parametrize("rows", [1, 5])
def test_what_is_found_is_made_distinct_where_a_queue_may_be_found_twice(
    spark: SparkSession, rows: int, again: bool
) -> None:
    texts = [f"region = 'r{n % 10}' AND weight > {n}" for n in range(10 * rows - 3)]
    texts += [f"kind = 'k{n}'" for n in range(12)] + [
        f"region = 'r{n}' AND kind = 'k1' AND weight < {n}" for n in range(12)
    ]
    bindings = [Binding("amq.fanout", f"q{number}", "", selector(text)) for number, text in enumerate(texts)]
    if again:
        bindings.append(Binding("amq.fanout", "q3", "", selector("kind = 'k1'")))
    queues = tuple(Queue(f"q{number}") for number in range(len(texts)))
    found = Topology(QPID_JAVA, (), queues, tuple(bindings), default_exchange="amq.fanout")
    messages = [
        ("r3", 200, "k1"),
        ("r3", 14, "k1"),
        ("r3", 0, "k1"),
        ("r9", 200, None),
        ("r9", None, "k2"),
        (None, 1, "k"),
    ]
    frame = spark.createDataFrame(messages, "region STRING, weight BIGINT, kind STRING").coalesce(1)
    routed = route(frame, found, frame)
    query = routed._jdf.queryExecution().analyzed().toString()
    assert ("<=> get(" in query) is again
    named = ("region", AmqpType.STRING), ("weight", AmqpType.LONG), ("kind", AmqpType.STRING)
    wanted = [
        list(
            route_message(
                found,
                Message(
                    application_properties={
                        name: AmqpValue(kind, value)
                        for (name, kind), value in zip(named, message, strict=True)
                        if value is not None
                    }
                ),
            )
        )
        for message in messages
    ]
    assert [row.queues for row in routed.collect()] == wanted
    assert wanted[0][0] != wanted[0][-1]
    assert wanted[-1] == []


SELECTORS = (
    "region = 'r{0}' AND weight > {0}",
    "tenant = 't{0}' AND weight BETWEEN {0} AND 90 OR price < {0}.5",
    "origin = 'o{0}' AND kind <> 'k{0}' AND (weight < {0} OR price > {0}.25)",
    "customer = 'c{0}' AND price <= {0}.5",
    "sku = 's{0}' AND (weight < {0} OR price > 99.5)",
    "region = 'r{0}' AND weight < {0}",
    "region = 'r{0}' AND (weight < {0} OR price > 99.5)",
    "region = 'r{0}' AND price BETWEEN {0} AND 9{0}.5",
    "region = 'r{0}' AND price > {0}.5 AND kind <> 'k{0}'",
    # Prefixes of one character are too few for a table.
    "region = 'r{0}' AND sku LIKE 's{0}%'",
    "tenant = 'r{0}' AND kind LIKE 'k{0}%'",
)


#: By name: whether there are topics, the number of shapes of selectors, and whether messages have several routing keys.
MIXES = {
    "several keys": (True, 0, True),
    "topics and selectors": (True, 3, False),
    "topics": (True, 0, False),
    "three": (False, 3, False),
    "five": (False, 5, False),
    "one key": (False, 9, False),
    "compiled ones": (False, 11, False),
}


@pytest.mark.parametrize(("mix", "columns"), sample(product(MIXES, ("canonical", "many columns")), 7, itemgetter(0)))
def test_no_method_is_too_long_for_the_jit(spark: SparkSession, tmp_path: Path, mix: str, columns: str) -> None:
    topics, selectors, several = MIXES[mix]
    rules = RABBITMQ if several else QPID_JAVA
    names = [f"q{number}" for number in range(size(24, 60))]
    patterns = [f"#.w{n % 7}.{'*' if n % 2 else '#'}.w{n}" for n in range(len(names))]
    bindings = [Binding("amq.topic", name, pattern) for name, pattern in zip(names, patterns, strict=True) if topics]
    bindings += [
        Binding("amq.fanout", name, "", selector(text.format(n)))
        for n, name in enumerate(names)
        for text in SELECTORS[:selectors]
    ]
    made = create_messages(spark, [Message()])
    if columns == "many columns":
        texts = ("region", "tenant", "origin", "kind", "customer", "sku", "routing_key")
        read = [f"'{name}' AS {name}" for name in texts] + ["id AS weight", "id * 0.5D AS price"]
        made = spark.range(1).selectExpr(*read, *(f"id + {n} AS n{n}" for n in range(45)))
    made.write.parquet(str(tmp_path / "messages"))
    frame = spark.read.parquet(str(tmp_path / "messages")).selectExpr("*", "'amq.topic' AS exchange")
    if several:
        frame = frame.selectExpr("*", "array('a', 'b') AS routing_keys")
    topology = Topology(rules, (), tuple(map(Queue, names)), tuple(bindings))
    layout = frame if columns == "many columns" else "amqp"
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        assert largest_method(route(frame, topology, layout)) < 8_000
        assert largest_method(route(frame, topology, layout, keys=frame)) < 8_000


@pytest.mark.full
def test_no_method_of_many_columns_is_too_long_for_the_jit(spark: SparkSession, tmp_path: Path) -> None:
    keys = ("region", "tenant", "origin", "kind", "customer", "sku")
    asked = ("weight > {}", "price <= {}.5", "weight BETWEEN {} AND 500", "weight <> {} AND price < 1.5")
    texts = [f"{key} = 'k{n % 15}' AND {test.format(n)}" for key in keys for test in asked for n in range(60)]
    queues = tuple(Queue(f"q{number}") for number in range(len(texts)))
    bindings = tuple(Binding("amq.fanout", q.name, "", selector(text)) for q, text in zip(queues, texts, strict=True))
    columns = [f"concat('k', id) AS {name}" for name in keys] + ["id AS weight", "id * 0.5D AS price"]
    spark.range(5).selectExpr(*columns).write.parquet(str(tmp_path / "messages"))
    frame = spark.read.parquet(str(tmp_path / "messages"))
    routed = route(frame, Topology(QPID_JAVA, (), queues, bindings, default_exchange="amq.fanout"), frame)
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        assert largest_method(routed) < 8_000


#: Operands of Java's addition, which adds bytes and shorts as ints, longs as longs, and as doubles or strings if one
#: operand is a double or a string.
NUMBERS = (
    AmqpValue(AmqpType.BYTE, 5),
    AmqpValue(AmqpType.INT, 2**31 - 3),
    AmqpValue(AmqpType.LONG, 40),
    AmqpValue(AmqpType.FLOAT, 12.5),
    AmqpValue(AmqpType.DOUBLE, -0.0),
    AmqpValue(AmqpType.DOUBLE, float("nan")),
    AmqpValue(AmqpType.STRING, "17"),
    None,
)


@pytest.mark.full
def test_arithmetic_is_asked_in_methods_that_the_jit_takes(spark: SparkSession, tmp_path: Path) -> None:
    """A condition with many subexpressions is evaluated in several methods; one would have 16,000 bytes."""
    texts = [f"region = 'r{n % 2}' AND weight + {n} < price" for n in range(20)]
    texts += [f"region = 'r{n % 2}' AND weight * {n} = price" for n in range(20)]
    texts += ["NOT (weight + 5 < price AND price * 2 > weight)", "weight / price > price - weight"]
    queues = tuple(Queue(f"q{number}") for number in range(len(texts)))
    bindings = tuple(Binding("amq.fanout", q.name, "", selector(text)) for q, text in zip(queues, texts, strict=True))
    found = Topology(QPID_JAVA, (), queues, bindings, default_exchange="amq.fanout")
    messages = [
        Message(application_properties={"region": AmqpValue(AmqpType.STRING, "r1"), "weight": weight, "price": price})
        for weight in NUMBERS
        for price in NUMBERS
        if weight is not None and price is not None
    ]
    create_messages(spark, messages).coalesce(1).write.parquet(str(tmp_path / "messages"))
    routed = route(spark.read.parquet(str(tmp_path / "messages")), found)
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        assert largest_method(routed) < 8_000
    wanted = [list(route_message(found, message)) for message in messages]
    assert [row.queues for row in routed.collect()] == wanted
    assert len({tuple(queues) for queues in wanted}) > 5
