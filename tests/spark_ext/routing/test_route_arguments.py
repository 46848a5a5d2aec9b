"""Arguments of the functions that route: errors for wrong ones, and warnings for probably unintended ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import (
    RoutingWarning,
    backtest,
    compile_topology,
    deliveries,
    explain_routing,
    route,
    route_stream,
)
from tests.spark_ext.routing.test_publication import FORM, TOPOLOGY
from transpiler import LayoutError, TopologyError, TranspilerError, stores, topology_from_dict
from transpiler.compiler.layouts.schemas import parse_ddl
from transpiler.topology.broker_rules import ACTIVEMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import Queue


def test_no_column_of_the_messages_is_overwritten(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.sql("SELECT 1 AS Queues, 2 AS queue, 3 AS outcome, 4 AS topology_version, 'a' AS routing_key")
    taken: list[tuple[Callable[[], object], str]] = [
        (
            lambda: route(frame, TOPOLOGY, exchange="orders"),
            r"column='queues' would overwrite a column: the messages have a column Queues",
        ),
        (lambda: route(frame, TOPOLOGY, column="q", outcome="outcome", exchange="orders"), "outcome='outcome'"),
        (lambda: route(frame, TOPOLOGY, column="q", exchange="orders", exchange_column="queue"), "exchange_column="),
        (lambda: route(frame, TOPOLOGY, column="q", exchange="orders", outcome="q"), "another new column is called q"),
        (lambda: deliveries(route(frame, TOPOLOGY, column="q", exchange="orders"), column="q"), "queue='queue'"),
        (lambda: route_stream(frame, lambda: TOPOLOGY, print, column="q"), "version_column='topology_version'"),
    ]
    for name in ("_routing_key", "_Routing_Subject", "_routing_kept_exchange"):
        own = frame.selectExpr("routing_key", f"1 AS {name}", "array('eu') AS q")
        expected_text = f"the messages have a column {name}, but names that begin with _routing_ are"
        taken += [
            (lambda own=own: route(own, TOPOLOGY, exchange=sf.lit("orders")), expected_text),  # type: ignore[misc]
            (lambda own=own: route(frame.select("routing_key"), TOPOLOGY, exchange="", keys=own), expected_text),  # type: ignore[misc]
            (lambda own=own: deliveries(own, column="q"), expected_text),  # type: ignore[misc]
            (lambda own=own: route_stream(own, lambda: TOPOLOGY, print), expected_text),  # type: ignore[misc]
        ]
    taken.append((lambda: route(frame, TOPOLOGY, column="q", outcome="_routing_x"), "outcome='_routing_x' names"))
    for ask, expected_text in taken:
        with pytest.raises(LayoutError, match=expected_text):
            ask()
    routed = deliveries(route(frame, TOPOLOGY, column="q", exchange="orders"), column="q", queue="to")
    assert (routed.columns, routed.first().to) == ([*frame.columns, "to"], "all")
    plain = route(frame.select("routing_key"), TOPOLOGY, exchange="orders")
    for name in ("queues", "QUEUES"):
        assert deliveries(plain, queue=name).collect() == [("a", "all")], name
        assert deliveries(plain, queue=name).columns == ["routing_key", name]
    with pytest.raises(FileNotFoundError, match=r"no\.compiled"):
        route_stream(frame, tmp_path / "no.compiled", print, version_column="v", column="q")


def test_every_wrong_argument_is_reported_in_one_line(spark: SparkSession, tmp_path: Path) -> None:
    frame: Any = spark.sql("SELECT 1 AS n, 'eu.x' AS routing_key, 'orders' AS exchange, array('eu') AS routed_queues")
    given: Any = TOPOLOGY
    routed: Any = frame.withColumn("queues", sf.col("routed_queues"))
    no_entries = Topology(ACTIVEMQ, (), (Queue("queue://orders"),))
    wrong: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (TypeError, "messages: expected a DataFrame, found None", lambda: route(cast(Any, None), given)),
        (TypeError, "messages: expected a DataFrame, found a value of type Topology", lambda: route(given, frame)),
        (TypeError, "keys: expected a DataFrame", lambda: route(frame, given, keys=cast(Any, ["a"]))),
        (TypeError, "column: expected the name of a column", lambda: route(frame, given, column=cast(Any, None))),
        (TypeError, "outcome: expected the name of a column", lambda: route(frame, given, outcome=cast(Any, True))),
        (TranspilerError, "column is empty", lambda: route(frame, given, column="")),
        (TranspilerError, "missing must be error or null", lambda: route(frame, given, missing=cast(Any, "nul"))),
        (TypeError, "address: expected the address", lambda: route(frame, given, address=cast(Any, 5))),
        (
            ValueError,
            "routing_type applies only to messages to an Artemis",
            lambda: route(frame, given, routing_type="anycast"),
        ),
        (TypeError, "publisher: expected a Publisher", lambda: route(frame, given, publisher=cast(Any, "0-9-1"))),
        (
            LayoutError,
            "the column to has the type INT",
            lambda: route(frame.selectExpr("1 AS to"), given, publish_to="to"),
        ),
        (LayoutError, "no column queues with the names of queues", lambda: deliveries(frame)),
        (LayoutError, "the columns of this type are routed_queues", lambda: deliveries(frame)),
        (LayoutError, "the column n has the type INT, but column requires", lambda: deliveries(frame, column="n")),
        (TypeError, "column: expected the name of a column", lambda: deliveries(routed, column=cast(Any, 5))),
        (TypeError, "queue: expected the name of a column", lambda: deliveries(routed, queue=cast(Any, None))),
        (TypeError, "routed: expected a DataFrame", lambda: deliveries(given)),
        (TypeError, "messages: expected a DataFrame", lambda: compile_topology(given, messages=cast(Any, [1]))),
        (TranspilerError, "missing must be error", lambda: compile_topology(given, frame, missing=cast(Any, "x"))),
        (TypeError, "version: expected a name", lambda: compile_topology(given, frame, version=cast(Any, 5))),
        (TypeError, "perhaps give lambda: topology", lambda: route_stream(frame, given, print)),
        (TypeError, "write_batch: expected a function", lambda: route_stream(frame, "x", cast(Any, None))),
        (TypeError, "unexpected keyword argument 'foo'", lambda: route_stream(frame, "x", print, foo=1)),
        (TypeError, "exchange: expected the name", lambda: route_stream(frame, "x", print, exchange=5)),
        (LayoutError, "Column of exchange= has the", lambda: route_stream(frame, "x", print, exchange=sf.col("n"))),
        (LayoutError, "outcome='n' would overwrite", lambda: route_stream(frame, "x", print, outcome="n")),
        (LayoutError, "no layout called 'zz'", lambda: route_stream(frame, "x", print, layout="zz")),
        (IsADirectoryError, "Is a directory", lambda: route_stream(frame, tmp_path, print)),
        (
            LayoutError,
            "no column routed_queues with the names of queues",
            lambda: backtest(routed.drop("routed_queues")),
        ),
        (LayoutError, "no column queues with the names of queues", lambda: backtest(frame)),
        (LayoutError, "possible requires a column with the names of queues", lambda: backtest(routed, possible="n")),
        (TypeError, "max_examples: expected a number", lambda: backtest(routed, max_examples=cast(Any, "3"))),
        (TypeError, "topology: expected a Topology", lambda: backtest(routed, topology=cast(Any, {}))),
        (TypeError, "exchange: expected the name of an exchange", lambda: backtest(routed, exchange=cast(Any, 5))),
        (TypeError, "topology: expected a Topology", lambda: explain_routing(cast(Any, None))),
        (TranspilerError, "missing must be error", lambda: explain_routing(given, frame, missing=cast(Any, "x"))),
        (TopologyError, "exchanges that do not exist: queue, topic", lambda: route(frame, no_entries)),
        (TopologyError, "exchanges that do not exist: queue, topic", lambda: compile_topology(no_entries, frame)),
        (TopologyError, "exchanges that do not exist: queue, topic", lambda: explain_routing(no_entries, frame)),
        (TopologyError, "exchanges that do not exist: queue, topic", lambda: backtest(routed, topology=no_entries)),
    ]
    for kind, expected_text, ask in wrong:
        with pytest.raises(kind, match=expected_text) as refused:
            ask()
        assert len(str(refused.value)) < 400, expected_text


def test_messages_that_reach_no_queue_at_all_are_reported(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(0, "eu.x")], "n INT, routing_key STRING")
    expected_text = "No message to 'empty' reaches a queue"
    with pytest.warns(RoutingWarning, match=expected_text):
        assert route(frame, TOPOLOGY, exchange="empty", outcome="outcome").first().outcome == "discarded"
    with pytest.warns(RoutingWarning, match=expected_text) as warned:
        route(frame, TOPOLOGY, exchange="empty", possible_column="possible")
    assert [Path(warning.filename).name for warning in warned] == [Path(__file__).name]
    with pytest.warns(RoutingWarning, match=expected_text):
        route(frame, compile_topology(TOPOLOGY, frame, exchange="empty"))
    assert str(explain_routing(TOPOLOGY, frame.schema, exchange="empty")).startswith(expected_text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        route(frame, TOPOLOGY, exchange="orders")
    assert not explain_routing(TOPOLOGY, frame.schema, exchange="orders").unroutable


def test_the_report_is_about_the_exchange_given_to_route(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 'eu.x' AS routing_key, 'orders' AS ex, 1 AS n")
    everywhere, orders = explain_routing(TOPOLOGY), explain_routing(TOPOLOGY, frame, exchange="orders")
    assert [(each.name, each.rows) for each in orders.classes] != [
        (each.name, each.rows) for each in everywhere.classes
    ]
    with_exchange = frame.withColumn("exchange", sf.col("ex")).schema
    for asked in (
        explain_routing(TOPOLOGY, with_exchange),
        explain_routing(TOPOLOGY, frame, exchange=sf.col("ex")),
        explain_routing(TOPOLOGY, frame.schema, exchange=sf.col("ex")),
        explain_routing(TOPOLOGY, "routing_key STRING, ex STRING", exchange="EX"),
    ):
        assert str(replace(asked, found=None)) == str(everywhere)
    own = topology_from_dict({**FORM, "default_exchange": "orders"})
    assert str(explain_routing(own, frame.schema)) == str(replace(orders, found=None))
    wrong: list[tuple[str, Any, Any]] = [
        ("route.no-exchange", frame.schema, None),
        ("route.no-exchange", "amqp", None),
        ("there is no exchange called 'order'", frame, "order"),
        ("the column n has the type INT", frame.schema, "n"),
        ("the Column of exchange= has the type INT", frame, sf.col("n")),
    ]
    for expected_text, layout, exchange in wrong:
        with pytest.raises(TranspilerError, match=expected_text):
            explain_routing(TOPOLOGY, layout, exchange=exchange)
        if isinstance(layout, DataFrame):
            with pytest.raises(TranspilerError, match=expected_text):
                route(layout, TOPOLOGY, exchange=exchange)
    with pytest.raises(TypeError, match="exchange: expected the name of an exchange, or a Column"):
        explain_routing(TOPOLOGY, frame, exchange=cast(Any, 5))


def test_a_name_that_is_a_key_and_a_column_warns_when_a_topology_is_compiled() -> None:
    table = parse_ddl("props MAP<STRING, STRING>, colour STRING, routing_key STRING")
    bound = {"source": "headers", "queue": "eu", "arguments": {"x-match": "all", "colour": "red"}}
    headers = topology_from_dict({**FORM, "exchanges": [{"name": "headers", "type": "headers"}], "bindings": [bound]})
    with pytest.warns(RoutingWarning, match="the binding headers -> eu: colour is read from props"):
        compile_topology(headers, stores.text_map("props", types="string").over(table), exchange="headers")


def test_an_error_of_a_route_has_few_frames(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(0, "eu.x")], "n INT, routing_key STRING")
    bound = {"source": "headers", "queue": "eu", "arguments": {"x-match": "all", "colour": "red"}}
    form = {**FORM, "exchanges": [{"name": "headers", "type": "headers"}], "bindings": [bound]}
    headers = topology_from_dict(form)
    wrong: list[tuple[str, Callable[[], object]]] = [
        ("colour", lambda: route(frame, headers, exchange="headers")),
        ("colour", lambda: compile_topology(headers, frame, exchange="headers")),
        ("route.no-exchange", lambda: route(frame, TOPOLOGY)),
        ("route.no-key", lambda: route(frame.drop("routing_key"), TOPOLOGY, exchange="orders")),
        ("has the type INT", lambda: route(frame.selectExpr("n AS routing_key"), TOPOLOGY, exchange="orders")),
        ("layout.types", lambda: route(frame.selectExpr("map('a', 'b') AS properties"), headers, exchange="headers")),
        ("requires a column with the names of queues", lambda: deliveries(frame, column="n")),
    ]
    for expected_text, ask in wrong:
        with pytest.raises(TranspilerError, match=expected_text) as caught:
            ask()
        # Two frames of the test, and one of the function that was called.
        assert len(caught.traceback) == 3, expected_text
