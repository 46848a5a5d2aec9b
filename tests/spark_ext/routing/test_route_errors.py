"""Each error that the modules of routing on Spark raise, with its code, message and hint."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

import spark_ext.routing
from spark_ext import compile_topology, deliveries, route
from tests.spark_ext.routing.test_publication import FORM, TOPOLOGY
from transpiler import TranspilerError, topology_from_dict
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.topology.files import parse_topology

#: The codes of errors that other modules test, because they depend on sizes or on files.
ELSEWHERE = {"topology.changing"}

COLOR = topology_from_dict(
    {
        **FORM,
        "exchanges": [{"name": "h", "type": "headers"}],
        "bindings": [{"source": "h", "queue": "eu", "arguments": {"x-match": "all", "color": "red"}}],
    }
)
CHOOSING = topology_from_dict(
    {
        "broker": "rabbitmq",
        "queues": ["a", "b"],
        "exchanges": [{"name": "x", "type": "x-random"}],
        "bindings": [{"source": "x", "queue": name, "key": "k"} for name in ("a", "b")],
    }
)
JMS = parse_topology(
    "<core><addresses><address name='a'><anycast><queue name='q'/></anycast></address></addresses></core>", "broker.xml"
)

UNDESCRIBED = topology_from_dict(
    {
        "broker": "qpid-java",
        "queues": ["q"],
        "exchanges": [{"name": "x", "type": "unknown"}],
        "bindings": [{"source": "x", "queue": "q", "key": "k"}],
    }
)


def compiled(columns: str, spark: SparkSession, **options: Any) -> CompiledTopology:
    return compile_topology(options.pop("topology", TOPOLOGY), table(spark, columns), **options)


def table(spark: SparkSession, columns: str) -> DataFrame:
    return spark.createDataFrame([], columns)


KEYED = "routing_key STRING"

#: For each name: a call.
CALLS: dict[str, Callable[[SparkSession], object]] = {
    "the column of queues exists": lambda spark: route(
        table(spark, f"{KEYED}, Queues INT"), TOPOLOGY, exchange="orders"
    ),
    "two new columns have one name": lambda spark: route(
        table(spark, KEYED), TOPOLOGY, exchange="orders", outcome="queues"
    ),
    "a column of the messages is reserved": lambda spark: route(
        table(spark, f"{KEYED}, _routing_key STRING"), TOPOLOGY, exchange="orders"
    ),
    "a new column is reserved": lambda spark: route(
        table(spark, KEYED), TOPOLOGY, exchange="orders", column="_routing_q"
    ),
    "a new column has no name": lambda spark: route(table(spark, KEYED), TOPOLOGY, exchange="orders", column=""),
    "no column has queues": lambda spark: deliveries(table(spark, KEYED)),
    "another column has queues": lambda spark: deliveries(table(spark, "a ARRAY<STRING>, b ARRAY<STRING>")),
    "a column of another type has queues": lambda spark: deliveries(table(spark, "queues MAP<STRING, INT>")),
    "an exchange chooses": lambda spark: route(table(spark, KEYED), CHOOSING, exchange="x"),
    "the file does not describe an exchange": lambda spark: route(
        table(spark, KEYED), UNDESCRIBED, exchange="x", possible_column="possible"
    ),
    "the routing key is no text": lambda spark: route(table(spark, "routing_key INT"), TOPOLOGY, exchange="orders"),
    "the exchange is no text": lambda spark: route(table(spark, f"{KEYED}, exchange DATE"), TOPOLOGY),
    "the routing keys are no texts": lambda spark: route(
        table(spark, "routing_keys ARRAY<INT>"), TOPOLOGY, exchange="orders"
    ),
    "the keys are a stream": lambda spark: route(
        table(spark, KEYED), TOPOLOGY, exchange="orders", keys=spark.readStream.format("rate").load()
    ),
    "the keys lack a column": lambda spark: route(
        table(spark, KEYED), TOPOLOGY, exchange="orders", keys=table(spark, "color STRING")
    ),
    "no destination": lambda spark: route(table(spark, "color STRING"), JMS),
    "no address of the relay": lambda spark: route(table(spark, f"{KEYED}, color STRING"), TOPOLOGY, publish_to="to"),
    "compiled for another layout": lambda spark: route(
        table(spark, "color STRING"),
        compiled("color STRING, weight INT", spark, exchange="h", topology=COLOR),
        layout="amqp",
    ),
    "compiled for another column": lambda spark: route(
        table(spark, "colour STRING"), compiled("color STRING", spark, topology=COLOR, exchange="h")
    ),
    "compiled for a column of another type": lambda spark: route(
        table(spark, "color INT"), compiled("color STRING", spark, topology=COLOR, exchange="h")
    ),
    "compiled with the column exchange": lambda spark: route(
        table(spark, KEYED), compiled(f"{KEYED}, exchange STRING", spark)
    ),
    "compiled without routing keys": lambda spark: route(
        table(spark, "routing_keys ARRAY<STRING>"), compiled(KEYED, spark, exchange="orders")
    ),
}

#: For each name: code, message and hint of the error.
ERRORS: dict[str, tuple[str, str, str]] = {
    "the column of queues exists": (
        "route.column-taken",
        "column='queues' would overwrite a column: the messages have a column Queues",
        "perhaps set column= to another name, or rename or drop the column",
    ),
    "two new columns have one name": (
        "route.column-taken",
        "outcome='queues' would overwrite a column: another new column is called queues",
        "perhaps set outcome= to another name, or rename or drop the column",
    ),
    "a column of the messages is reserved": (
        "route.column-taken",
        "the messages have a column _routing_key, but names that begin with _routing_ are reserved for "
        "the internal columns of route",
        'perhaps rename it with df.withColumnRenamed("_routing_key", …)',
    ),
    "a new column is reserved": (
        "route.column-taken",
        "column='_routing_q' names a column, but names that begin with _routing_ are reserved for the "
        "internal columns of route",
        "perhaps set column= to another name",
    ),
    "a new column has no name": (
        "argument.column",
        "column is empty",
        "perhaps name the column",
    ),
    "no column has queues": (
        "route.no-queues",
        "the messages have no column queues with the names of queues",
        "perhaps set column= to a column with the names of queues: route adds such a column",
    ),
    "another column has queues": (
        "route.no-queues",
        "the messages have no column queues with the names of queues",
        "perhaps set column= to a column with the names of queues: the columns of this type are a, b",
    ),
    "a column of another type has queues": (
        "route.no-queues",
        "the column queues has the type MAP<STRING,INT>, but column requires a column with the names of "
        "queues: an ARRAY<STRING>",
        "perhaps set column= to the name of another column",
    ),
    "an exchange chooses": (
        "routing.choice",
        "the exchange 'x' delivers each message through one of its bindings, but the choice of the type "
        "x-random cannot be computed",
        "perhaps add a column with the queues that a message may reach: route(…, possible_column='possible_queues')",
    ),
    "the file does not describe an exchange": (
        "routing.choice",
        "the queues of a message cannot be computed, because the file does not describe all qpid-java exchanges",
        "perhaps run selector-sql route, which prints the queues that a message may reach",
    ),
    "the routing key is no text": (
        "route.column-type",
        "the column routing_key has the type INT, but it must be a text, because it contains where each "
        "message was published",
        'perhaps convert the column with df.withColumn("routing_key", '
        'col("routing_key").cast("string")), or rename the column if it means something else',
    ),
    "the exchange is no text": (
        "route.column-type",
        "the column exchange has the type DATE, but it must be a text, because it contains where each "
        "message was published",
        'perhaps convert the column with df.withColumn("exchange", col("exchange").cast("string")), or '
        "rename the column if it means something else",
    ),
    "the routing keys are no texts": (
        "route.column-type",
        "the column routing_keys has the type ARRAY<INT>, but it must be an array of texts, because it "
        "contains where each message was published",
        'perhaps convert the column with df.withColumn("routing_keys", '
        'col("routing_keys").cast("array<string>")), or rename the column if it means something else',
    ),
    "the keys are a stream": (
        "route.keys-stream",
        "keys is a stream, but the routing keys must be known before the messages are routed",
        "perhaps pass a table of stored messages as keys, or omit keys: each message's routing key is "
        "then matched when it is routed",
    ),
    "the keys lack a column": (
        "route.keys",
        "keys has no column routing_key, from which the routing keys of the messages are read",
        "perhaps pass the messages themselves as keys, or other messages with the same columns",
    ),
    "no destination": (
        "route.no-destination",
        "messages to artemis need a destination, but these messages have no column exchange",
        "perhaps add a column exchange to the messages, or pass exchange='the destination of all messages' to route",
    ),
    "no address of the relay": (
        "route.no-to",
        "a message that is sent without an address is routed by its field properties.to, which the "
        "layout flat does not contain",
        "perhaps add the address to the messages as a column with the name to, or pass exchange=",
    ),
    "compiled for another layout": (
        "compiled.other-layout",
        "the topology was compiled for messages in the layout flat, but these messages are in amqp",
        "perhaps compile the topology for these messages: compile_topology(topology, messages)",
    ),
    "compiled for another column": (
        "compiled.other-columns",
        "the topology was compiled for messages with a column color STRING, but these messages lack this column",
        "perhaps compile the topology for these messages: compile_topology(topology, messages)",
    ),
    "compiled for a column of another type": (
        "compiled.other-columns",
        "the topology was compiled for messages with a column color STRING, but these messages lack this column",
        "perhaps compile the topology for these messages: compile_topology(topology, messages)",
    ),
    "compiled with the column exchange": (
        "compiled.other-columns",
        "the topology was compiled for messages with a column exchange, but these messages lack this column",
        "perhaps compile the topology for these messages: compile_topology(topology, messages)",
    ),
    "compiled without routing keys": (
        "compiled.other-columns",
        "the topology was compiled for messages with a column routing_key, but these messages lack this column",
        "perhaps compile the topology for these messages: compile_topology(topology, messages)",
    ),
}


def test_every_error_of_routing(spark: SparkSession) -> None:
    # One test for all, because each takes a few milliseconds, and a sample of the tests on Spark would leave most out.
    raised = {}
    for name, call in CALLS.items():
        with pytest.raises(TranspilerError) as refused:
            call(spark)
        [diagnostic] = refused.value.diagnostics
        raised[name] = (diagnostic.code, diagnostic.message, diagnostic.hint)
    assert raised == ERRORS


def test_each_error_of_routing_is_tested() -> None:
    modules = Path(spark_ext.routing.__path__[0]).glob("*.py")
    codes = {
        code
        for module in modules
        for code in re.findall(r'Error\.at\(\s*"([a-z.-]+)"', module.read_text(encoding="utf-8"))
    }
    assert codes - ELSEWHERE == {code for code, _, _ in ERRORS.values()}


def test_the_conversion_in_a_hint_works(spark: SparkSession) -> None:
    for column, kind in product(
        ("routing_key", "exchange", "routing_keys"),
        ("INT", "DATE", "BINARY", "ARRAY<INT>", "MAP<STRING, INT>", "STRUCT<a: INT>"),
    ):
        columns = {"routing_key": "STRING", column: kind}
        df = table(spark, ", ".join(f"{name} {each}" for name, each in columns.items()))
        default = None if column == "exchange" else "orders"
        with pytest.raises(TranspilerError) as refused:
            route(df, TOPOLOGY, exchange=default)
        [diagnostic] = refused.value.diagnostics
        advice = re.fullmatch(r"perhaps convert the column with (.*), or rename the column .*", diagnostic.hint or "")
        assert advice is not None, diagnostic.hint
        converted = eval(advice[1], {"df": df, "col": sf.col, "array": sf.array})
        assert "queues" in route(converted, TOPOLOGY, exchange=default).columns, (column, kind)
