"""The exchange and routing key of a message: from an option, a column, the layout itself, or the subject."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import (
    compile_topology,
    create_messages,
    route,
    route_stream,
)
from spark_ext.cli.commands import main as selector_spark
from spark_ext.routing.publication import check_columns_read
from tests.sizes import is_full
from tests.spark_ext.harness import settings
from transpiler import Layout, LayoutError, TopologyError, route_message, stores, topology_from_dict
from transpiler.cli import main
from transpiler.messages import read as read_messages
from transpiler.routing.compiled_topology import Destination

FORM = {
    "broker": "rabbitmq",
    "queues": ["eu", "all"],
    "exchanges": [{"name": "orders", "type": "topic"}, {"name": "empty", "type": "topic"}],
    "bindings": [{"source": "orders", "queue": "eu", "key": "eu.#"}, {"source": "orders", "queue": "all", "key": "#"}],
}
TOPOLOGY = topology_from_dict(FORM)
EU, ALL = ["all", "eu"], ["all"]


class Table(NamedTuple):
    """A message in a layout, as JSON of its columns.

    If the layout itself contains a routing key, it is ``eu.own`` here, and an exchange is ``empty``.
    """

    ddl: str
    row: dict[str, Any]
    own: bool = False
    #: The layout, or None if it can be inferred from the table, and the command's options for the same layout.
    layout: Callable[[], str | Layout] | None = None
    options: tuple[str, ...] | None = None


_SENT = "exchange STRING, routing_key STRING"
_HEADERS = "headers ARRAY<STRUCT<key: STRING, value: BINARY>>"
_HEADER = {"headers": [{"key": "color", "value": "Ymx1ZQ=="}]}
_TEXTS = {"properties": {"color": "blue"}}
TABLES = {
    "typed columns": Table("color STRING", {"color": "blue"}, options=("--schema", f"color STRING, {_SENT}")),
    "typed columns, JMSType": Table(
        "JMSType STRING",
        {"JMSType": "eu.own"},
        True,
        options=("--schema", f"JMSType STRING, {_SENT}"),
    ),
    "canonical": Table("", {"properties": {"subject": "eu.own"}, "application_properties": {}}, True, None, ()),
    "kafka, inferred": Table(_HEADERS, _HEADER),
    "kafka, preset": Table(_HEADERS, _HEADER, False, lambda: "kafka-headers", ("--layout", "kafka-headers")),
    "kafka, store": Table(_HEADERS, _HEADER, False, lambda: stores.kafka_headers(types="by-use")),
    "kafka, its own key": Table(
        _HEADERS,
        {"headers": [{"key": "published", "value": "ZXUub3du"}, {"key": "to", "value": "ZW1wdHk="}]},
        True,
        lambda: stores.kafka_headers(types="by-use", headers={"routing-key": "published", "exchange": "to"}),
    ),
    "text map": Table(
        "properties MAP<STRING, STRING>",
        _TEXTS,
        False,
        lambda: stores.text_map(types="by-use"),
        ("--layout", "text-map", "--layout-option", "types=by-use"),
    ),
    "JSON": Table("properties STRING", {"properties": "{}"}, False, lambda: stores.variant(json=True)),
    "VARIANT": Table("properties VARIANT", {"properties": {"color": "blue"}}),
    "a struct beside JMSType": Table(
        "JMSType STRING, properties STRUCT<color: STRING>", {"JMSType": "eu.own", **_TEXTS}, True
    ),
    "a struct beside a NULL": Table("JMSType STRING, properties STRUCT<color: STRING>", {"JMSType": None, **_TEXTS}),
    "AMQP 0-10": Table(
        "",
        {"delivery_properties": {"routing_key": "eu.own", "exchange": "empty"}, "message_properties": {}},
        True,
        lambda: "amqp-0-10",
        (),
    ),
}
#: The routing keys of the messages, and the queues that each reaches without and with the layout's own key.
KEYS: tuple[tuple[str | None, list[str], list[str]], ...] = (
    ("eu.paid", EU, EU),
    ("us.paid", ALL, ALL),
    (None, ALL, EU),
)


def messages(spark: SparkSession, table: Table) -> DataFrame:
    """Return the message once for each routing key, with the key in a column of its own."""
    if table.ddl:
        text = spark.createDataFrame([(json.dumps(table.row),)], "value STRING")
        frame = text.select(sf.from_json("value", table.ddl).alias("row")).select("row.*")
    else:
        layout = "amqp" if table.layout is None else "amqp-0-10"
        frame = create_messages(spark, [{"properties": {"subject": "eu.own"}}], layout)
        if layout != "amqp":
            own = sf.col("delivery_properties").withField("routing_key", sf.lit("eu.own"))
            frame = frame.withColumn("delivery_properties", own.withField("exchange", sf.lit("empty")))
    keys = ", ".join("CAST(NULL AS STRING)" if key is None else f"'{key}'" for key, *_ in KEYS)
    return frame.selectExpr("*", f"posexplode(array({keys})) AS (n, routing_key)")


def queues(frame: DataFrame) -> list[list[str]]:
    return [row.queues for row in frame.orderBy("n").select("queues").collect()]


def streamed(frame: DataFrame, layout: Any, directory: Path) -> list[list[str]]:
    frame.write.parquet(str(directory / "in"))
    stream = frame.sparkSession.readStream.schema(frame.schema).parquet(str(directory / "in"))
    found: list[list[str]] = []
    writer = route_stream(
        stream, lambda: TOPOLOGY, lambda batch, _: found.extend(queues(batch)), layout=layout, exchange="orders"
    )
    query = writer.option("checkpointLocation", str(directory / "state")).trigger(availableNow=True).start()
    query.awaitTermination(120)
    return found


def lines_of(table: Table, **beside: str) -> str:
    return "".join(json.dumps({**table.row, **beside, "routing_key": key}) + "\n" for key, *_ in KEYS)


@pytest.mark.parametrize("name", TABLES)
def test_the_reference_reads_the_exchange_and_the_key_in_the_same_places(name: str, tmp_path: Path) -> None:
    table = TABLES[name]
    (tmp_path / "rows.jsonl").write_text(lines_of(table, exchange="orders"))
    layout: str | Layout | None = f"{table.ddl}, {_SENT}" if table.ddl else None
    if table.layout is not None:
        layout = table.layout()
    for read, (_, without, own) in zip(read_messages(tmp_path / "rows.jsonl", layout=layout), KEYS, strict=True):
        found = route_message(TOPOLOGY, read.message, *read.sent()[:2])
        assert list(found) == (own if table.own else without), read


def commanded(table: Table, directory: Path, words: tuple[str, ...] = (), **beside: str) -> list[list[str]]:
    (directory / "topology.json").write_text(json.dumps(FORM))
    lines = lines_of(table, **beside)
    result = CliRunner().invoke(
        main, ["route", str(directory / "topology.json"), *words, *(table.options or ())], input=lines
    )
    assert result.exit_code == 0, result.output
    return [json.loads(line)["queues"] for line in result.stdout.splitlines()]


def counted_by_spark(table: Table, directory: Path) -> dict[str, int]:
    (directory / "topology.json").write_text(json.dumps(FORM))
    (directory / "lines.jsonl").write_text(lines_of(table, exchange="orders"))
    files = [str(directory / name) for name in ("topology.json", "lines.jsonl")]
    options = table.options or ()
    # Spark would infer a struct although the table has a map.
    schema = () if "--schema" in options or not table.ddl else ("--schema", f"{table.ddl}, {_SENT}")
    result = CliRunner().invoke(selector_spark, ["route", *files, "--summary", *options, *schema])
    assert result.exit_code == 0, result.output
    counts: dict[str, int] = json.loads(result.stdout)["queues"]
    return counts


@pytest.mark.parametrize("name", TABLES)
def test_columns_say_the_exchange_and_the_key_in_every_layout_and_by_every_way(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    table = TABLES[name]
    expected = [own if table.own else without for _, without, own in KEYS]
    frame, layout = messages(spark, table).persist(), None if table.layout is None else table.layout()
    to_orders = frame.withColumn("exchange", sf.lit("orders"))
    compiled = compile_topology(TOPOLOGY, layout, messages=frame, version="1", exchange="orders")
    ways: dict[str, Callable[[], list[list[str]]]] = {
        "column": lambda: queues(route(to_orders, TOPOLOGY, layout)),
        "compiled": lambda: queues(route(frame, compiled, layout)),
        "each key once": lambda: queues(route(frame, TOPOLOGY, layout, exchange="orders", keys=frame)),
    }
    if is_full():
        ways["stream"] = lambda: streamed(frame, layout, tmp_path)
    if table.options is not None:
        ways["command, option"] = lambda: commanded(table, tmp_path, ("--exchange", "orders"))
        ways["command, column"] = lambda: commanded(table, tmp_path, exchange="orders")
    for way, answer in ways.items():
        assert answer() == expected, way
    if table.options is not None and (is_full() or name in ("typed columns, JMSType", "canonical")):
        assert counted_by_spark(table, tmp_path) == Counter(chain.from_iterable(expected))


@pytest.mark.full
def test_an_array_of_routing_keys_takes_precedence_over_the_single_key(spark: SparkSession) -> None:
    ddl = "n INT, routing_key STRING, routing_keys ARRAY<STRING>"
    rows = [(0, "us.x", ["us.y", "eu.x"]), (1, "eu.x", None), (2, "eu.x", []), (3, "eu.x", [None, "eu.x"])]
    frame = spark.createDataFrame(rows, ddl)
    assert queues(route(frame, TOPOLOGY, exchange="orders")) == [EU, EU, [], EU]
    # A broker with one key for each message reads the first key of the array. An empty array means no key.
    one = topology_from_dict({**FORM, "broker": "qpid-java"})
    for keys in (None, frame):
        assert queues(route(frame, one, exchange="orders", keys=keys)) == [ALL, EU, ALL, ALL]
    relayed = route(frame.withColumn("to", sf.lit("orders")), one, publish_to="to")
    assert queues(relayed) == [ALL, EU, ALL, ALL]
    with pytest.raises(LayoutError, match="the column routing_key has the type INT"):
        route(frame.withColumn("routing_key", sf.lit(5)), TOPOLOGY, exchange="orders")


@pytest.mark.full
def test_an_exchange_may_be_given_by_a_column(spark: SparkSession) -> None:
    frame = spark.sql("SELECT n, 'eu.x' AS routing_key, 'orders' AS ex, 'empty' AS exchange FROM VALUES 0, 1 AS v(n)")
    given: list[str | Column] = ["ex", "EX", sf.col("ex"), sf.when(sf.col("n") >= 0, sf.col("ex"))]
    for exchange in given:
        routed = route(frame, TOPOLOGY, exchange=exchange, exchange_column="to")
        assert (queues(routed), routed.columns[-2:], routed.first().to) == ([EU, EU], ["queues", "to"], "orders")
    assert queues(route(frame, TOPOLOGY)) == [[], []]
    assert queues(route(frame, TOPOLOGY, exchange=sf.lit(None).cast("string"))) == [[], []]
    # NULL means no value, so that the next source is used: the table's column, and then the layout itself.
    nothing = frame.selectExpr("n", "routing_key", "'orders' AS ex", "'orders' AS exchange")
    for exchange in (sf.expr("if(n = 0, NULL, ex)"), sf.lit(None), sf.expr("NULL :: STRING COLLATE UTF8_LCASE")):
        routed = route(nothing, TOPOLOGY, exchange=exchange, exchange_column="to", keys=nothing)
        assert [(row.queues, row.to) for row in routed.orderBy("n").collect()] == [(EU, "orders")] * 2
    with pytest.raises(LayoutError, match="the Column of exchange= has the type INT"):
        route(frame, TOPOLOGY, exchange=sf.col("n"))
    with pytest.raises(TypeError, match="exchange: expected the name of an exchange, or a Column"):
        route(frame, TOPOLOGY, exchange=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="add a column exchange to the messages"):
        compile_topology(TOPOLOGY, frame, exchange=sf.col("ex"))  # type: ignore[arg-type]


@pytest.mark.full
def test_without_an_exchange_the_error_names_those_of_the_topology(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(0, "eu")], "n INT, routing_key STRING")
    for ask in (
        lambda: route(frame, TOPOLOGY),
        lambda: compile_topology(TOPOLOGY, frame),
    ):
        with pytest.raises(
            TopologyError,
            match=r"(?s)route.no-exchange.*NAME is one of the exchanges empty, orders; .*: exchange=''",
        ):
            ask()
    assert queues(route(frame, TOPOLOGY, exchange="")) == [["eu"]]
    # A column of NULLs also means no value, whatever its type.
    for null in (sf.lit(None).cast("string"), sf.lit(None)):
        assert queues(route(frame.withColumn("exchange", null), TOPOLOGY)) == [["eu"]]
        empty = frame.withColumns({"routing_key": null, "routing_keys": sf.lit(None)})
        for broker in (TOPOLOGY, topology_from_dict({**FORM, "broker": "qpid-java"})):
            assert queues(route(empty, broker, exchange="orders", keys=empty)) == [ALL]
    void = frame.withColumn("exchange", sf.lit(None))
    assert queues(route(void, compile_topology(TOPOLOGY, messages=frame.withColumn("exchange", sf.lit("orders"))))) == [
        ["eu"]
    ]
    own = topology_from_dict({**FORM, "default_exchange": "orders"})
    assert queues(route(frame, own)) == [EU]
    with pytest.raises(
        LayoutError, match="compiled for messages without a column exchange, but these messages have this column"
    ):
        route(frame.withColumn("exchange", sf.lit("empty")), compile_topology(own, frame))


_FRAME = "n INT, exchange STRING, routing_key STRING, routing_keys ARRAY<STRING>"


@pytest.mark.parametrize("name", ["exchange", "routing_key", "routing_keys"])
def test_a_compiled_topology_refuses_messages_that_lack_a_column_it_reads(name: str, spark: SparkSession) -> None:
    frame = spark.createDataFrame([(0, "orders", "eu.x", None)], _FRAME)
    compiled = compile_topology(TOPOLOGY, frame)
    assert queues(route(frame, compiled)) == [EU]
    with pytest.raises(
        LayoutError, match=f"compiled for messages with a column {name}, but these messages lack this column"
    ):
        route(frame.drop(name), compiled)
    if name == "routing_keys":
        with pytest.raises(
            LayoutError, match=f"compiled for messages without a column {name}, but these messages have this column"
        ):
            route(frame, compile_topology(TOPOLOGY, frame.drop(name)))


@pytest.mark.parametrize(
    ("compiled_for", "options", "lost", "expected_text"),
    [
        ("canonical", {"exchange": "orders"}, "n INT, properties MAP<STRING, STRING>", "properties.subject"),
        ("canonical", {"publish_to": "to"}, "n INT, properties STRUCT<subject: STRING>", "properties.to"),
        ("canonical", {"address": "orders/eu.x"}, "n INT, properties STRUCT<to: STRING>", "properties.subject"),
        ("AMQP 0-10", {}, "n INT, properties STRUCT<subject: STRING>", "delivery_properties.exchange"),
        (
            "AMQP 0-10",
            {"exchange": "orders"},
            "delivery_properties STRUCT<ttl: INT>",
            "delivery_properties.routing_key",
        ),
    ],
)
def test_a_compiled_topology_refuses_messages_without_the_places_of_its_layout(
    compiled_for: str, options: dict[str, Any], lost: str, expected_text: str, spark: SparkSession
) -> None:
    layouts: dict[str, Any] = {
        "canonical": None,
        "AMQP 0-10": "amqp-0-10",
    }
    broker = topology_from_dict({**FORM, "broker": "qpid-cpp"}) if "address" in options else TOPOLOGY
    compiled = compile_topology(broker, layouts[compiled_for], version="1", **options)
    frame = spark.createDataFrame([], lost)
    for messages in (frame, frame.selectExpr("*", "'eu.x' AS routing_key")):
        with pytest.raises(
            LayoutError,
            match=f"compiled for messages with a column {expected_text}, but these messages lack this column",
        ):
            route(messages, compiled)


@pytest.mark.parametrize(
    ("layout", "options", "columns", "expected_text"),
    [
        (
            stores.kafka_headers(types="by-use", headers={"routing-key": "rk", "exchange": "ex"}),
            {},
            "n INT, value BINARY",
            "the properties are read from the column headers, but the table has no such column",
        ),
        (
            stores.struct(
                "properties",
                schema="kind STRING, properties STRUCT<color: STRING>",
                headers={"routing-key": "kind"},
            ),
            {"exchange": "orders"},
            "n INT, properties STRUCT<color: STRING>",
            "routing-key is read from the column kind, but the table has no such column",
        ),
    ],
    ids=["Kafka's headers", "a struct beside the key"],
)
def test_a_compiled_topology_refuses_messages_without_a_column_of_its_store(
    layout: Any, options: dict[str, Any], columns: str, expected_text: str, spark: SparkSession
) -> None:
    compiled = compile_topology(TOPOLOGY, layout, version="1", **options)
    frame = spark.createDataFrame([], columns)
    for messages in (frame, frame.selectExpr("*", "'eu.x' AS routing_key")):
        with pytest.raises(LayoutError, match=expected_text):
            route(messages, compiled)


def test_a_compiled_topology_routes_messages_that_have_nothing_but_their_key(spark: SparkSession) -> None:
    compiled = compile_topology(TOPOLOGY, version="1", exchange="orders")
    frame = spark.createDataFrame([(1,)], "n INT")
    with pytest.raises(LayoutError, match="the routing keys of the messages are unknown"):
        route(frame, compiled)
    [row] = route(frame.selectExpr("*", "'eu.x' AS routing_key"), compiled).collect()
    assert row.queues == EU


@pytest.mark.parametrize(
    ("name", "to", "several", "refused"),
    [
        ("routing_key", Destination(), False, False),
        ("exchange", Destination(), False, False),
        ("exchange", Destination("orders", by_default=True), False, True),
        ("routing_keys", Destination(), True, False),
        ("routing_keys", Destination(), False, True),
    ],
)
def test_a_column_may_be_new_where_the_plan_does_not_depend_on_it(
    name: str, to: Destination, several: bool, refused: bool
) -> None:
    refusal = pytest.raises(LayoutError, match=f"without a column {name}, but these messages have this column")
    with refusal if refused else nullcontext():
        check_columns_read((), (name,), to, several)


def test_a_column_that_says_where_messages_were_published_is_text(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 0 AS n, 5 AS routing_key, 'orders' AS exchange, 'eu.x' AS routing_keys, 1.5D AS price")
    for columns, expected_text in (
        (["n", "exchange", "routing_key"], "the column routing_key has the type INT"),
        (["n", "exchange", "routing_keys"], "the column routing_keys has the type STRING.*an array of texts"),
    ):
        with pytest.raises(LayoutError, match=expected_text):
            route(frame.select(*columns), TOPOLOGY)
    rates = frame.selectExpr("n", "price AS exchange", "'eu.x' COLLATE UTF8_LCASE AS routing_key")
    with pytest.raises(LayoutError, match="the column exchange has the type DOUBLE"):
        route(rates, TOPOLOGY)
    assert queues(route(rates, TOPOLOGY, exchange="orders")) == [EU]
    assert queues(route(rates.withColumn("routing_key", sf.upper("routing_key")), TOPOLOGY, exchange="orders")) == [ALL]


def test_the_case_of_a_column_that_says_the_routing_key_is_ignored_as_spark_does(spark: SparkSession) -> None:
    headers = "array(named_struct('key', 'JMSType', 'value', CAST('us.x' AS BINARY))) AS headers"
    frame = spark.sql(f"SELECT 1 AS n, CAST('v' AS BINARY) AS value, 't' AS topic, {headers}, 'eu.x' AS ROUTING_KEY")
    assert queues(route(frame, TOPOLOGY, "kafka-headers", exchange="orders")) == [EU]
    upper = frame.withColumn("Exchange", sf.lit("orders"))
    compiled = compile_topology(TOPOLOGY, "kafka-headers", messages=upper)
    assert queues(route(upper, compiled)) == queues(route(upper, TOPOLOGY, "kafka-headers")) == [EU]
    with pytest.raises(
        LayoutError, match="for messages with a column routing_key, but these messages lack this column"
    ):
        route(upper.drop("routing_key"), compiled)
    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        with pytest.raises(LayoutError, match=r"(?s)route.no-key.*headers=\{'routing-key': 'ROUTING_KEY'\}"):
            route(frame, TOPOLOGY, "kafka-headers", exchange="orders")
        # A header that is called like a header field is the routing key only if an option names it.
        by_type = stores.kafka_headers(headers={"routing-key": "JMSType"})
        assert queues(route(frame, TOPOLOGY, by_type, exchange="orders")) == [ALL]
