"""Errors of Spark about broadcasts that are too large name the topology and the setting that limits the broadcast."""

from __future__ import annotations

import pytest

from spark_ext.routing.broadcast_join import broadcast_of
from transpiler.base.errors import UnsupportedFeatureError


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        (
            "Not enough memory to build and broadcast the table to all worker nodes. As a workaround, you can either "
            "disable broadcast by setting spark.sql.autoBroadcastJoinThreshold to -1 or increase the spark driver "
            "memory by setting spark.driver.memory to a higher value.",
            "spark.driver.memory",
        ),
        (
            "Job aborted due to stage failure: Total size of serialized results of 4 tasks (1.2 GiB) is bigger than "
            "spark.driver.maxResultSize (1024.0 MiB)",
            "spark.driver.maxResultSize",
        ),
        ("Cannot broadcast the table that is larger than 8.0 GiB: 9.0 GiB.", "spark.sql.maxBroadcastTableSize"),
        (
            "Could not execute broadcast in 300 secs. You can increase the timeout for broadcasts via "
            "spark.sql.broadcastTimeout or disable broadcast join",
            "spark.sql.broadcastTimeout",
        ),
        ("java.util.concurrent.ExecutionException: java.lang.OutOfMemoryError: Java heap space", "spark.driver.memory"),
    ],
    ids=lambda value: value[:30],
)
def test_an_error_of_spark_about_a_broadcast(text: str, setting: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as refused, broadcast_of("the topology of version 7"):
        raise RuntimeError(text)
    [diagnostic] = refused.value.diagnostics
    assert diagnostic.code == "limit.broadcast"
    assert diagnostic.message == (
        f"the topology of version 7: Spark cannot broadcast the tables of the bindings within the limit {setting}"
    )
    assert diagnostic.hint is not None
    assert f"start Spark with a larger {setting}, or route by parts" in diagnostic.hint


def test_another_error_stays_as_it_is() -> None:
    with pytest.raises(RuntimeError, match="a column is missing"), broadcast_of("the topology of version 7"):
        raise RuntimeError("a column is missing")
