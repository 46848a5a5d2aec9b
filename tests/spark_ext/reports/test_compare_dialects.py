"""Spark lists the rows for which two brokers' results differ."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from spark_ext import compare_dialects, create_messages
from transpiler import TranspilerError

MESSAGES = [
    {"application_properties": {"n": {"type": "int", "value": 5}, "b": {"type": "byte", "value": 5}}},
    {"application_properties": {"n": {"type": "int", "value": 6}, "b": {"type": "int", "value": 6}}},
    {"application_properties": {"b": {"type": "int", "value": 6}}},
]


@pytest.mark.full
def test_the_rows_that_change_hands_are_counted_and_shown(spark: SparkSession) -> None:
    frame = create_messages(spark, MESSAGES)
    found = compare_dialects(frame, "n = b", ["jms", "activemq", "rabbitmq"])
    assert found.matched == {"jms": 2, "activemq": 1, "rabbitmq": 2}
    assert found.changed == 1
    [row] = found.rows.collect()
    assert row.application_properties["n"].long == 5
    assert (row.matches_jms, row.matches_activemq, row.matches_rabbitmq) == (True, False, True)


def test_a_dialect_that_refuses_takes_no_part_and_says_why(spark: SparkSession) -> None:
    frame = create_messages(spark, MESSAGES)
    found = compare_dialects(frame, "n BETWEEN 1 AND 9", ["jms", "rabbitmq"])
    assert found.matched == {"jms": 2}
    assert found.changed == 0
    assert found.refused["rabbitmq"].code.startswith("syntax.")
    with pytest.raises(TranspilerError):
        compare_dialects(frame, "n = = 1", ["jms", "rabbitmq"])


def test_typed_columns_compare_by_their_own_types(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(5, 5), (6, 7)], "n INT, small TINYINT")
    found = compare_dialects(frame, "n = small", ["jms", "artemis", "qpid-cpp"])
    assert found.matched == {"jms": 1, "artemis": 0, "qpid-cpp": 1}
    assert found.changed == 1
