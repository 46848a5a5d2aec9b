"""``assert_routes`` passes if each message reaches its expected queues, and otherwise lists the other messages."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import SparkSession

from spark_ext.testing import assert_routes
from transpiler import topology_from_dict

TOPOLOGY = topology_from_dict(
    {
        "broker": "rabbitmq",
        "queues": ["north", "rest"],
        "exchanges": [{"name": "sales", "type": "topic"}],
        "bindings": [
            {"source": "sales", "queue": "north", "key": "*.north"},
            {"source": "sales", "queue": "rest", "key": "s.#"},
        ],
    }
)


def test_the_messages_that_go_elsewhere_are_listed(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "s.north"), (2, "s.x"), (3, "x")], "id INT, routing_key STRING")
    assert_routes(frame, TOPOLOGY, {1: ["rest", "north"], 2: ["rest"], 3: []}, exchange="sales")
    with pytest.raises(AssertionError) as caught:
        assert_routes(frame, TOPOLOGY, {1: ["rest"], 2: ["rest", "south"], 4: ["rest"]}, exchange="sales")
    assert str(caught.value).splitlines() == [
        "4 of 4 messages go elsewhere:",
        "  1: expected rest, goes to north, rest (+north)",
        "  2: expected rest, south, goes to rest (-south)",
        "  4: expected rest, and there is no such message",
        "  3: goes to no queue, and nothing is expected of it",
    ]
    with pytest.raises(TypeError, match=re.escape("expected: expected a mapping from values of id_column to queues")):
        assert_routes(frame, TOPOLOGY, ["rest"], exchange="sales")  # type: ignore[arg-type]
