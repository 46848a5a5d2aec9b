"""The receiver's time and destination: JMSExpiration for a ttl, JMSDestination for a message without ``to``."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_ext import compile_filter, compile_selector, create_messages
from tests.sizes import sample
from tests.spark_ext.harness import answers, numbered, settings
from tests.spark_ext.test_plans import pushed_filters
from transpiler import Message, evaluate, matches, transpile_filter, transpile_selector

pytestmark = pytest.mark.filterwarnings("ignore::spark_ext.columns.SelectorWarning")

NOW = 1_750_772_279_000
DAY = 86_400_000
TTLS = (None, 0, 1, DAY, 2**32 - 1)
TIMES = (None, 0, NOW - DAY, NOW, NOW + DAY)
MESSAGES = [
    Message.from_dict(
        {"header": {"ttl": ttl}, "properties": {"creation_time": created, "absolute_expiry_time": expires, "to": to}}
    )
    for ttl in TTLS
    for created in TIMES
    for expires in TIMES
    for to in (None, "q")
] + [Message(), Message.from_dict({"header": {"ttl": 5}})]
#: Messages without ``to``, which AMQP 0-10 does not have.
WITHOUT_TO = [message for message in MESSAGES if message.properties is None or message.properties.to is None]
SELECTORS = [
    f"{condition}{time}"
    for condition in ("JMSExpiration > ", "JMSExpiration <= ", "NOT JMSExpiration = ", "JMSExpiration - 1 < ")
    for time in (0, 5, NOW, NOW + 1, NOW + DAY, 2 * NOW)
] + [
    "JMSExpiration = 0",
    f"JMSExpiration BETWEEN {NOW} AND {NOW + DAY}",
    "JMSExpiration > JMSTimestamp",
    "JMSExpiration IS NULL",
    "JMSDestination = 'q'",
    "JMSDestination <> 'q'",
    "JMSDestination LIKE 'r%'",
    "JMSDestination IS NULL",
]
DIALECTS = ("jms", "activemq", "artemis", "qpid-java", "qpid-cpp")
RECEIVERS: list[dict[str, Any]] = [{"now": NOW}, {"now": NOW, "destination": "q"}, {"now": 5, "destination": "r.s"}]


@pytest.mark.parametrize("layout", ["amqp", "amqp-0-10"])
def test_spark_reads_the_receivers_time_and_destination_as_the_reference_does(spark: SparkSession, layout: str) -> None:
    messages = MESSAGES if layout == "amqp" else WITHOUT_TO
    cases = [(text, dialect, receiver) for text in SELECTORS for dialect in DIALECTS for receiver in RECEIVERS]
    cases = sample(cases, 150, lambda case: (case[0].partition(" ")[0], case[1]))
    texts = [
        transpile_selector(text, layout, dialect=dialect, result="ternary", missing="null", **receiver).sql
        for text, dialect, receiver in cases
    ]
    frame = numbered(create_messages(spark, messages, layout)).cache()
    columns = answers(frame, texts)
    parted = {
        (text, dialect, str(receiver))
        for (text, dialect, receiver), column in zip(cases, columns, strict=True)
        if column != [evaluate(text, message, dialect, **receiver) for message in messages]
    }
    assert parted == set()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_without_a_time_a_ttl_counts_from_the_query(spark: SparkSession, dialect: str) -> None:
    message = Message.from_dict({"header": {"ttl": 2**32 - 1}})
    frame = create_messages(spark, [message])
    for text, expected in ((f"JMSExpiration > {NOW}", 1), ("JMSExpiration = 0", 0), ("JMSExpiration < 5000000000", 0)):
        assert frame.filter(compile_selector(text, dialect=dialect)).count() == expected
        assert evaluate(text, message, dialect) is bool(expected)


def test_a_filter_has_the_receivers_time_and_destination(spark: SparkSession) -> None:
    message = Message.from_dict({"header": {"ttl": 5}})
    frame = create_messages(spark, [message])
    for text, expected in (
        ("JMSExpiration = 12", True),
        ("JMSDestination = 'q'", True),
        ("JMSDestination = 'r'", False),
    ):
        filters = {"descriptor": "apache.org:not-filter:list", "value": [_selector(text)]}
        assert matches(filters, message, now=7, destination="q") is not expected
        assert (frame.filter(compile_filter(filters, now=7, destination="q")).count() == 1) is not expected
        assert transpile_filter(filters, now=7, destination="q").sql


def _selector(text: str) -> dict[str, str]:
    return {"descriptor": "apache.org:selector-filter:string", "value": text}


@pytest.mark.parametrize("dialect", DIALECTS[1:])
def test_a_brokers_expiration_is_pushed_down(spark: SparkSession, tmp_path: Any, dialect: str) -> None:
    create_messages(spark, [Message()]).write.parquet(f"{tmp_path}/rows")
    frame = spark.read.parquet(f"{tmp_path}/rows")
    with settings(spark, {"spark.sql.maxMetadataStringLength": "100000"}):
        found = pushed_filters(frame.filter(compile_selector("JMSExpiration > 1750772279000", dialect=dialect)))
    assert "GreaterThanOrEqual(properties.absolute_expiry_time" in found
    assert "GreaterThan(header.ttl" in found


def test_results_for_one_receiver_are_not_reused_for_another() -> None:
    for receiver in ({"now": 5}, {"now": 6}, {"now": 7}, {"destination": "q"}, {"destination": "r"}, {}):
        text = "JMSExpiration > 5 AND JMSDestination = 'q' AND a = 'x'"
        alone = transpile_selector(text, **receiver).sql  # type: ignore[arg-type]
        for other in RECEIVERS * 2:
            transpile_selector(text, **other)
        assert transpile_selector(text, **receiver).sql == alone  # type: ignore[arg-type]
