"""Back-tests on Spark: which exchange messages are compared by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as sf

from spark_ext import backtest, diff, route
from tests.spark_ext.routing.test_publication import FORM, TOPOLOGY
from transpiler import Topology, TopologyError, topology_from_dict


@pytest.mark.full
def test_a_backtest_reads_the_exchange_that_the_route_used(spark: SparkSession) -> None:
    rows = [(0, "eu.x", "orders", "", ["all", "eu", "other"]), (1, "us", "orders", "", ["all", "eu"])]
    frame = spark.createDataFrame(
        rows, "n INT, routing_key STRING, ex STRING, exchange STRING, routed_queues ARRAY<STRING>"
    )
    bare = route(frame.drop("exchange"), TOPOLOGY, exchange="orders")
    for topology in (TOPOLOGY, None):
        with pytest.raises(TopologyError, match="the exchange of the messages is unknown"):
            backtest(bare, topology=topology)
    with pytest.raises(TopologyError, match=r"(?s)no exchange called 'ordrs'.*did you mean orders"):
        backtest(bare, topology=TOPOLOGY, exchange="ordrs")
    routed = route(frame, TOPOLOGY, exchange=sf.col("ex"), exchange_column="to")
    given: list[tuple[str | Column, Topology | None]] = [("orders", TOPOLOGY), (sf.col("ex"), None), ("to", TOPOLOGY)]
    for exchange, topology in given:
        found = backtest(routed, topology=topology, exchange=exchange)
        assert (found.messages, found.agreed, found.unknown) == ({"orders": 2}, 0, {}), exchange
        assert found.missed == {("orders", "other"): 1, ("orders", "eu"): 1}, exchange
    # A queue of the topology is not unknown, even if the column names another exchange.
    found = backtest(routed, topology=TOPOLOGY)
    assert (found.passed, found.missed, found.unknown) == (False, {("", "eu"): 1}, {"other": 1})
    # NULL means that the message went to the topology's default exchange.
    own = topology_from_dict({**FORM, "default_exchange": "orders"})
    found = backtest(routed.withColumn("exchange", sf.lit(None).cast("string")), topology=own)
    assert (found.messages, found.agreed) == ({"orders": 2}, 0)


def test_wrong_options_of_reports_on_topologies_are_reported(spark: SparkSession) -> None:
    frame: Any = spark.sql("SELECT 'eu' AS routing_key, array('eu') AS queues, array('eu') AS routed_queues")
    wrong: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (
            TypeError,
            "recorded_queue: expected the name of a queue",
            lambda: backtest(frame, recorded_queue=cast(Any, 5)),
        ),
        (TypeError, "df: expected a DataFrame, found None", lambda: diff(cast(Any, None), TOPOLOGY, TOPOLOGY)),
        (TypeError, "examples: expected a number", lambda: diff(frame, TOPOLOGY, TOPOLOGY, examples=cast(Any, "3"))),
        (
            TypeError,
            "exchange: expected the name of an exchange, found a value of type Column",
            lambda: diff(frame, TOPOLOGY, TOPOLOGY, exchange=cast(Any, sf.lit("orders"))),
        ),
        (ValueError, "exchange applies only to topologies", lambda: diff(frame, "a = 1", "a = 2", exchange="orders")),
    ]
    for kind, expected_text, ask in wrong:
        with pytest.raises(kind, match=expected_text):
            ask()
