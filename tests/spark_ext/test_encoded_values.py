"""Spark reads bytes in AMQP's encoding as the layout does in Python, in one query over all values."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_ext import explain_matches, verify
from tests.compiler.layouts.test_encoded_values import LAYOUT, PLAIN, VALUES
from tests.sizes import size
from transpiler import evaluate, stores, transpile_selector

#: In a sample, every third selector, because the SQL that reads encoded values is long.
SELECTORS = [
    "x = TRUE",
    "x = FALSE",
    "x IS NULL",
    "x = 'order'",
    "x <> 'order'",
    "x > 3",
    "x <= 3",
    "x = 0",
    "x = -2500.5",
    "x < -1e300",
    "x * 2 > 1e-323",
    "x = 1718000000000",
    "x LIKE '%é%'",
    "NOT x IN ('eu', '2500')",
    "JMSPriority > 4",
][:: size(3, 1)]


def test_spark_reads_what_the_layout_reads(spark: SparkSession) -> None:
    rows = [octets for octets, *_ in VALUES] + PLAIN
    data = [(number, [("x", octets), ("JMSPriority", octets)]) for number, octets in enumerate([*rows, None])]
    frame = spark.createDataFrame(data, "id INT, headers ARRAY<STRUCT<key: STRING, value: BINARY>>")
    answered = frame.select(
        "id", *[sf.expr(transpile_selector(text, LAYOUT, result="ternary").sql) for text in SELECTORS]
    )
    for number, *found in sorted(answered.collect()):
        octets = [*rows, None][number]
        message = LAYOUT.message({"headers": [{"key": key, "value": octets} for key in ("x", "JMSPriority")]})
        assert found == [evaluate(text, message) for text in SELECTORS], octets


def test_a_report_states_that_bytes_are_not_text(spark: SparkSession) -> None:
    rows = [([("EventType", bytes.fromhex("a1056f72646572")), ("other", b"\xff")],), ([("EventType", b"order")],)]
    frame = spark.createDataFrame(rows, "headers ARRAY<STRUCT<key: STRING, value: BINARY>>")
    expected_text = (
        "EventType contains bytes that are not valid UTF-8 in 1 of the examined rows\n  hint: to decode values"
    )
    texts = stores.kafka_headers()
    for report in (verify(frame, "EventType = 'order'", texts), explain_matches(frame, "EventType = 'order'", texts)):
        assert [finding.code for finding in report.findings] == ["layout.bytes"]
        assert expected_text in str(report)
    assert not verify(frame, "EventType = 'order'", LAYOUT).findings
