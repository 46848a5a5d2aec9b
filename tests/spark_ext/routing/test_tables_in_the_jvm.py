"""The JVM computes the constant tables: no query of a route starts a Python worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import spark_ext
from spark_ext import route
from spark_ext.routing import constant_tables, tuning
from transpiler import topology_from_dict

#: A topology that needs every small table that routing creates.
_EVERY_TABLE = {
    "broker": "rabbitmq",
    "queues": ["eu", "lost", "red", "all"],
    "exchanges": [
        {"name": "orders", "type": "topic", "alternate": "lost"},
        {"name": "lost", "type": "fanout"},
        {"name": "colours", "type": "headers"},
    ],
    "bindings": [
        *({"source": "orders", "queue": "eu", "key": key} for key in ("eu.#", "*.paid", "#.c7.#", "x.y")),
        {"source": "orders", "exchange": "colours", "key": "a.*"},
        {"source": "lost", "queue": "lost"},
        {"source": "colours", "queue": "red", "arguments": {"x-match": "all", "color": "red"}},
    ],
}


def in_the_jvm(frame: DataFrame) -> bool:
    """Return True if no Python worker computes the rows of ``frame``."""
    computed: str = frame._jdf.queryExecution().toRdd().toDebugString()  # type: ignore[operator]
    return "Python" not in computed


@pytest.mark.parametrize("tables", ["by PyArrow", "of JSON", "of many rows"])
def test_no_plan_scans_a_pickled_rdd_and_no_python_runs(
    tables: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[DataFrame] = []
    if tables == "of JSON":
        monkeypatch.setattr(constant_tables, "pyarrow", None)
    if tables == "of many rows":
        monkeypatch.setattr(tuning, "LOCAL_TABLE", 0)
        whole = constant_tables.arrow_frame

        def noted(*given: Any) -> DataFrame:
            made.append(whole(*given))
            return made[-1]

        monkeypatch.setattr(constant_tables, "arrow_frame", noted)
    topology = topology_from_dict(_EVERY_TABLE)
    frame = spark.sql(
        "SELECT n, exchange, routing_key, color, CAST(NULL AS ARRAY<STRING>) AS routing_keys, `to` FROM VALUES "
        "(0, 'orders', 'eu.x', 'red', '/queues/eu'), (1, 'orders', 'a.b', 'red', '/exchanges/orders/x.y'), "
        "(2, 'orders', 'none', 'blue', NULL), (3, 'nowhere', 'eu', 'red', 'x') "
        "AS t(n, exchange, routing_key, color, `to`)"
    )
    ways: list[tuple[DataFrame, list[tuple[list[str], str]]]] = [
        (
            route(frame, topology, outcome="outcome"),
            [(["eu"], "delivered"), (["red"], "delivered"), (["lost"], "alternate"), ([], "no-exchange")],
        ),
        (
            route(frame, topology, publish_to="to", outcome="outcome"),
            [(["eu"], "delivered"), (["eu"], "delivered"), ([], "rejected"), ([], "rejected")],
        ),
    ]
    for routed, expected in ways:
        assert [(row.queues, row.outcome) for row in routed.orderBy("n").collect()] == expected
        plan = routed._jdf.queryExecution().executedPlan().toString()  # type: ignore[operator]
        assert "Python" not in plan
        # In its scan, Spark names an RDD of Arrow batches, which the JVM decodes.
        assert ("ExistingRDD arrow" in plan) is (tables == "of many rows")
        assert "ExistingRDD" not in plan.replace("ExistingRDD arrow", "")
    assert bool(made) is (tables == "of many rows")
    assert all(map(in_the_jvm, made))
    assert not in_the_jvm(spark.createDataFrame([(1,)], "n INT"))


def test_only_readers_make_a_dataframe_of_a_list() -> None:
    root = Path(spark_ext.__file__).parent
    making = {str(path.relative_to(root)) for path in root.rglob("*.py") if "createDataFrame(" in path.read_text()}
    assert making == {
        "cli/archives.py",
        "messages/schemas.py",
        "routing/constant_tables.py",
    }
