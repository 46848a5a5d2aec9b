"""Messages in typed columns, for which keys, constant tables and bounds take other forms than for a union."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_ext import route
from tests.routing.test_guards import INTERPRETED, PHASES, bound
from tests.sizes import size
from tests.spark_ext.harness import settings as spark_settings
from transpiler import Message
from transpiler.compiler.ir.column_types import Key, Path
from transpiler.compiler.layouts.schemas import parse_ddl
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.routing import columns, tuning

MESSAGES = 16
EXAMPLES = size(4, 20)

TYPES = {
    "a": AmqpType.LONG,
    "b": AmqpType.INT,
    "p": AmqpType.DOUBLE,
    "s": AmqpType.STRING,
    "c": AmqpType.STRING,
}
SCHEMA = "id INT, a BIGINT, b INT, p DOUBLE, s STRING, c STRING"

numbers = st.sampled_from(("-2", "0", "1", "2", "3", "1.5", "2.0", "1e300"))
#: Equalities for every way in which Spark joins by key: one BIGINT, without a hash, with a hash, and the same constants
#: for several names.
equalities = st.one_of(
    st.builds("a = {}".format, st.integers(0, 2)),
    st.builds("b = {}".format, st.integers(0, 2)),
    st.builds("p = {}".format, numbers),
    st.builds("s = '{}'".format, st.sampled_from("xy")),
    st.builds("c = '{}'".format, st.sampled_from("xy")),
    st.builds("a = {} AND s = '{}'".format, st.integers(0, 1), st.sampled_from("xy")),
    st.builds("a = {} AND c = '{}'".format, st.integers(0, 1), st.sampled_from("xy")),
    st.builds("a + 1 = {}".format, st.integers(0, 3)),
    st.builds("a = {}.0".format, st.integers(0, 2)),
)
others = st.one_of(
    st.sampled_from(("", "", " AND c IS NULL", " AND c <> 'k'")),
    st.builds(" AND p > {}".format, numbers),
    st.builds(" AND a <= {}".format, numbers),
    st.builds(" AND b BETWEEN {} AND {}".format, numbers, numbers),
    st.builds(" AND (b < {} OR p >= {})".format, numbers, numbers),
    st.builds(" AND NOT b > {}".format, numbers),
    st.builds(" AND c IS NULL AND b > {}".format, numbers),
    st.builds(" AND b + p < {}".format, numbers),
    st.builds(" AND c LIKE '{}%'".format, st.sampled_from("kx")),
)
rows = st.tuples(
    st.sampled_from((None, 0, 1, 2, 2**40)),
    st.sampled_from((None, -3, 0, 1, 2, 3)),
    st.sampled_from((None, -0.0, 1.5, 2.0, float("nan"), float("inf"))),
    st.sampled_from((None, "x", "y")),
    st.sampled_from((None, "k", "x", "y")),
)


@pytest.mark.parametrize("exchange", ["amq.fanout", None])
@given(
    texts=st.lists(st.builds("{}{}".format, equalities, others), min_size=1, max_size=25),
    messages=st.lists(rows, min_size=MESSAGES, max_size=MESSAGES),
)
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_every_queue_gets_its_messages(
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    exchange: str | None,
    texts: list[str],
    messages: list[tuple[object, ...]],
) -> None:
    monkeypatch.setattr(tuning, "MIN_ROWS", 1)
    topology = bound(texts)
    with spark_settings(spark, INTERPRETED):
        frame = spark.createDataFrame([(number, *row) for number, row in enumerate(messages)], SCHEMA).coalesce(1)
        found = route(frame, topology, frame, exchange=exchange).select("id", "queues").collect()
    wanted = [
        route_message(
            topology,
            Message(
                application_properties={
                    name: AmqpValue(TYPES[name], value)
                    for name, value in zip(TYPES, row, strict=True)
                    if value is not None
                }
            ),
        )
        for row in messages
    ]
    assert [row.queues for row in sorted(found)] == [list(queues) for queues in wanted]


@pytest.mark.parametrize(("column", "ddl"), columns.TYPES.items())
def test_a_column_of_a_table_has_a_type_that_spark_knows(column: str, ddl: str) -> None:
    [field] = parse_ddl(f"{column} {ddl}")["fields"]
    assert field["name"] == column


@pytest.mark.parametrize(
    ("paths", "labelled"),
    [
        ([("application_properties", Key("content-type"))], "x_content_type"),
        ([("application_properties", Key("Größe (cm)"))], "x_gr_e_cm"),
        ([("application_properties", Key("été"))], "x_t"),
        ([("application_properties", Key("é"))], "x"),
        ([("properties", "message_id")], "x_message_id"),
        ([("a", Key("b")), ("c",), ("a", Key("b"))], "x_b_c"),
        ([("_routing_read3_color", "type")], "x_color"),
        ([("_routing_key",)], "x_key"),
        ([], "x"),
    ],
)
def test_a_name_tells_which_properties_are_read(paths: list[Path], labelled: str) -> None:
    assert columns.labelled("x", paths) == labelled
