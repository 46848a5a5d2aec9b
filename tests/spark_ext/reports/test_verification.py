"""``verify`` compares Spark with the reference evaluator on the rows of a DataFrame."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import StructType

from spark_ext import create_messages, infer_layout, verify
from tests.sizes import sample
from tests.spark_ext.harness import settings
from transpiler import Layout, LayoutError, Message, SelectorSyntaxError, UnsupportedFeatureError, stores
from transpiler.compiler.layouts.flat import FlatLayout
from transpiler.language.selector.dialects import DIALECTS

TABLES = Path(__file__).parents[2] / "data" / "stores"
STORES: dict[str, Any] = json.loads((TABLES / "stores.json").read_text(encoding="utf-8"))

#: Layouts of stores that cannot be inferred from a schema.
NAMED = {
    "plain_map": stores.text_map(types="by-use"),
    "json_string": stores.variant(json=True),
    "kafka_camel": stores.camel_kafka(),
    "kafka_confluent_rabbitmq": stores.confluent_rabbitmq(),
}


@pytest.fixture
def orders(spark: SparkSession) -> DataFrame:
    rows = "VALUES ('red', 2600), ('blue', 100), ('red', 5), (NULL, 7) AS t(color, weight)"
    return spark.sql(f"SELECT color, CAST(weight AS BIGINT) AS weight FROM {rows}")


@pytest.mark.parametrize("name", STORES)
def test_spark_and_the_reference_agree_on_every_store(spark: SparkSession, name: str) -> None:
    df = spark.read.parquet(str(TABLES / f"{name}.parquet"))
    selectors = STORES[name]["selectors"]
    parts = " OR ".join(f"({selectors[key]})" for key in ("main", "not_red", "times") if key in selectors)
    # Times are read in the same way in every time zone of the session.
    with settings(spark, {"spark.sql.session.timeZone": "Asia/Kolkata"}):
        verified = verify(df, parts, NAMED.get(name))
    assert verified.agrees, str(verified)
    assert (verified.rows, verified.compared) == (50, 50)


def test_a_verification_counts_the_answers(orders: DataFrame) -> None:
    verified = verify(orders, "color = 'red' AND weight > 2500")
    assert verified.agrees
    assert verified.answers == {True: 1, False: 3, None: 0}
    assert str(verified) == (
        "Spark and the reference agree on all 4 rows\n  Spark: 1 TRUE, 3 FALSE, 0 unknown\n  layout flat, dialect jms"
    )
    assert verify(orders, "color = 'red'").answers == {True: 2, False: 1, None: 1}
    assert verify(orders, "").answers == {True: 4, False: 0, None: 0}


@dataclass(frozen=True, slots=True)
class Miswritten(FlatLayout):
    """Typed columns whose weight in a message has another unit than in the SQL."""

    def message(self, row: object) -> Message:
        message = FlatLayout.message(self, row)
        weight = (message.application_properties or {})["weight"]
        return Message.of(color="red", weight=int(str(weight.value)) * 1000)


def miswritten(df: DataFrame) -> Layout:
    layout = infer_layout(df)
    assert isinstance(layout, FlatLayout)
    return Miswritten(layout.columns, layout.sections)


def test_a_disagreement_has_its_row_and_both_answers(orders: DataFrame) -> None:
    verified = verify(orders, "weight > 2500", miswritten(orders))
    assert not verified.agrees
    assert [one.row for one in verified.disagreements] == [
        {"color": "blue", "weight": 100},
        {"color": "red", "weight": 5},
        {"color": None, "weight": 7},
    ]
    first = verified.disagreements[0]
    assert (first.spark, first.reference, first.values) == (False, True, {"weight": 100_000})
    assert str(verified).splitlines()[:6] == [
        "Spark and the reference disagree on 3 of 4 rows",
        "  Spark: 1 TRUE, 3 FALSE, 0 unknown",
        "  layout flat, dialect jms",
        "Spark FALSE, reference TRUE",
        "  weight = 100000",
        '  row {"color": "blue", "weight": 100}',
    ]


def test_the_text_of_many_disagreements_fits_a_terminal(spark: SparkSession) -> None:
    df = spark.range(20).select(sf.lit("x" * 500).alias("color"), sf.lit(1).cast("bigint").alias("weight"))
    lines = str(verify(df, "weight = 1", miswritten(df))).splitlines()
    assert len(lines) == 19
    assert max(map(len, lines)) <= 110
    assert lines[-1] == "and 15 more, in .disagreements"


def test_a_sample_is_drawn_alike_each_time(spark: SparkSession) -> None:
    df = spark.range(0, 5000, 1, 4).select(sf.col("id").alias("weight"), sf.lit("red").alias("color"))
    layout = miswritten(df)
    first, second = (verify(df, "weight >= 0 AND weight < 5000", layout, sample=50) for _ in range(2))
    assert (first.rows, first.compared) == (5000, 50)
    assert str(first).splitlines()[0].endswith("disagree on 50 of 50 rows (a sample of 5,000)")
    assert first.disagreements == second.disagreements
    assert str(verify(df, "weight >= 0", sample=50)).startswith("Spark and the reference agree on 50 of 5,000 rows")
    seen = {one.row["weight"] for one in first.disagreements}
    # The sample contains rows of all partitions.
    assert min(seen) < 1250
    assert max(seen) >= 3750
    assert verify(df, "weight >= 0", sample=None).compared == 5000


@pytest.mark.full
def test_a_layout_is_given_in_any_of_its_forms(spark: SparkSession, orders: DataFrame) -> None:
    for layout in (None, "color STRING, weight BIGINT", orders.schema, orders, infer_layout(orders)):
        assert verify(orders, "weight > 5", layout).answers[True] == 3
    canonical = create_messages(
        spark, [Message.of(color="red", JMSPriority=7), Message.of(color={"type": "char", "value": "r"})]
    )
    for name in (None, "amqp"):
        assert verify(canonical, "color = 'red' AND JMSPriority > 4", name).answers == {True: 1, False: 1, None: 0}
    kafka = spark.createDataFrame(
        [([("weight", bytearray(b"2600")), ("JMSPriority", bytearray(b"7"))],)],
        "headers ARRAY<STRUCT<key: STRING, value: BINARY>>",
    )
    verified = verify(kafka, "weight > 2500 AND JMSPriority = 7", "kafka-headers")
    assert verified.agrees
    assert verified.answers[True] == 1


def test_a_header_column_has_the_type_of_the_dataframe(spark: SparkSession) -> None:
    df = spark.sql("SELECT map('weight', '2600') AS properties, TIMESTAMP'2024-06-24 13:38:20' AS JMSTimestamp")
    layout = stores.text_map(types={"weight": "BIGINT"})
    verified = verify(df, "weight = 2600 AND JMSTimestamp = 1719236300000", layout)
    assert verified.agrees, str(verified)
    assert verified.answers[True] == 1


#: Header field values that no section of AMQP can contain, or that AMQP has no field for.
HEADER_COLUMNS = """SELECT * FROM VALUES
    ('abc', 12, 'eager', 5L, true, 3, 'a'), ('ID:abc', 4, 'PERSISTENT', 0L, false, -1, 'b'),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL)
    AS t(JMSMessageID, JMSPriority, JMSDeliveryMode, JMSXRcvTimestamp, JMSRedelivered, JMSXDeliveryCount, AMQUserID)"""
HEADER_SELECTORS = (
    "JMSMessageID = 'abc'",
    "JMSPriority > 9",
    "JMSDeliveryMode = 'eager'",
    "JMSXRcvTimestamp = 5",
    "JMSRedelivered = TRUE",
    "JMSXDeliveryCount = 3",
    "AMQUserID = 'a'",
    "JMSType IS NULL",
)


@pytest.mark.full
@pytest.mark.parametrize("struct", [None, "properties"])
def test_header_columns_are_read_as_they_are(spark: SparkSession, struct: str | None) -> None:
    df = spark.sql(HEADER_COLUMNS)
    if struct is not None:
        df = df.select(sf.struct("*").alias(struct))
    layout = infer_layout(df, struct=struct)
    part = " OR ".join(f"({selector})" for selector in HEADER_SELECTORS)
    for dialect in DIALECTS:
        verified = verify(df, part, layout, dialect=dialect, missing="null")
        assert verified.agrees, f"{dialect}: {verified}"
    if struct is None:
        for selector in HEADER_SELECTORS[:6]:
            assert verify(df, selector, layout, missing="null").answers[True] == 1, selector


def test_the_flag_of_redelivery_counts_one_failed_delivery(spark: SparkSession) -> None:
    df = create_messages(spark, [Message.of(JMSXDeliveryCount=3), Message.of(x=1)], layout="amqp-0-10")
    selectors = ("JMSRedelivered = TRUE", "JMSXDeliveryCount = 2")
    for dialect, selector in sample(itertools.product(DIALECTS, selectors), 5):
        assert verify(df, selector, "amqp-0-10", dialect=dialect, missing="null").agrees, (dialect, selector)


def test_times_beyond_pythons_and_without_a_zone_are_compared(spark: SparkSession) -> None:
    df = spark.sql(
        "SELECT timestamp_millis(253402300800000 * 30) AS late, TIMESTAMP_NTZ'1969-12-31 23:59:59.9995' AS wall, "
        "make_date(250000, 1, 1) AS day, named_struct('at', timestamp_millis(5)) AS inner, "
        "array(timestamp_millis(5)) AS many, map('a', DATE'2024-01-01') AS days, INTERVAL '1' YEAR AS span, "
        "1 AS `a.b``c`"
    )
    with settings(spark, {"spark.sql.session.timeZone": "America/New_York"}):
        verified = verify(df, "late = 7602069024000000 AND wall = -1 AND inner.at = 5")
    assert verified.agrees, str(verified)
    assert verified.answers[True] == 1


def test_a_column_may_have_any_name(spark: SparkSession) -> None:
    df = spark.sql("SELECT 1 AS _selector_answer, 2 AS `a.b``c`, 3 AS weight")
    assert verify(df, "weight = 3").answers[True] == 1


def test_both_evaluations_have_the_rules_of_the_dialect_and_the_receiver(spark: SparkSession) -> None:
    df = create_messages(spark, [Message.of(x=5, JMS_AMQP_TTL=10)])
    assert verify(df, "x = '5'", dialect="activemq").agrees
    assert verify(df, "JMSExpiration = 15", now=5).answers[True] == 1
    assert verify(df, "JMSDestination = 'q'", destination="q").answers[True] == 1
    assert verify(df, "UTC() > 0", dialect="rabbitmq").answers[True] == 1


def test_what_cannot_be_verified_is_an_error(spark: SparkSession, orders: DataFrame) -> None:
    with pytest.raises(SelectorSyntaxError):
        verify(orders, "color = = 5")
    with pytest.raises(LayoutError, match="did you mean weight"):
        verify(orders, "wieght > 5")
    assert verify(orders, "wieght > 5", missing="null").answers == {True: 0, False: 0, None: 4}
    with pytest.raises(ValueError, match="sample must be a number of rows that is 1 or more"):
        verify(orders, "weight > 5", sample=0)
    stream = spark.readStream.schema(StructType.fromDDL("x INT")).parquet(str(TABLES))
    with pytest.raises(UnsupportedFeatureError, match="no sample can be drawn from a stream"):
        verify(stream, "x = 5")


def test_an_empty_dataframe_agrees(spark: SparkSession) -> None:
    verified = verify(spark.createDataFrame([], "x INT"), "x = 5")
    assert verified.agrees
    assert str(verified).startswith("Spark and the reference agree on all 0 rows")
