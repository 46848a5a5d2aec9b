"""Catalyst's plans for the SQL: the same as for the hand-written filter, with predicates in the file reader."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_selector, create_messages
from transpiler import Message

SCHEMA = (
    "weight BIGINT, color STRING, region STRING, price DOUBLE, flag BOOLEAN, small INT, d DECIMAL(10,2), f FLOAT, "
    "ts TIMESTAMP, p STRUCT<size: BIGINT, name: STRING>"
)

#: Selectors, and the SQL that a careful engineer writes for them.
HAND_WRITTEN = [
    ("weight > 2500 AND color = 'blue'", "weight > 2500 AND color = 'blue'"),
    ("NOT (color = 'red' OR weight BETWEEN 1 AND 5)", "color <> 'red' AND (weight < 1 OR weight > 5)"),
    ("region LIKE 'eu-%'", "startswith(region, 'eu-')"),
    ("region LIKE '%x'", "endswith(region, 'x')"),
    ("region LIKE '%x%'", "contains(region, 'x')"),
    ("region LIKE 'abc'", "region = 'abc'"),
    ("color = 'a' OR color = 'b' OR color IN ('c')", "color IN ('a', 'b', 'c')"),
    ("color NOT IN ('a', 'b')", "color NOT IN ('a', 'b')"),
    ("weight = 1 OR weight = 2", "weight IN (1, 2)"),
    ("weight <> 5", "weight <> 5"),
    ("weight BETWEEN 1 AND 5", "weight BETWEEN 1 AND 5"),
    ("weight NOT BETWEEN 1 AND 5", "weight < 1 OR weight > 5"),
    ("weight = 5.0", "weight = 5"),
    ("weight >= 2.5", "weight > 2"),
    ("price > 99.5", "price > 99.5D AND NOT isnan(price)"),
    ("price <= 99.5", "price <= 99.5D"),
    ("price BETWEEN 1 AND 2.5", "price BETWEEN 1D AND 2.5D"),
    ("NOT price > 99.5", "price <= 99.5D OR isnan(price)"),
    ("flag", "flag"),
    ("NOT flag", "NOT flag"),
    ("flag = TRUE AND flag <> FALSE", "flag"),
    ("small > 5", "small > 5"),
    ("d > 2.5", "d > 2.5BD"),
    ("f < 2.5", "f < 2.5F"),
    ("ts >= 1750772279000", "ts >= timestamp_millis(1750772279000)"),
    ("ts < 1750772279000", "ts < timestamp_millis(1750772279000)"),
    ("color IS NULL OR color = 'x'", "color IS NULL OR color = 'x'"),
    ("color IS NOT NULL", "color IS NOT NULL"),
    ("color <> region", "color <> region"),
    ("p.size > 5 AND p.name = 'x'", "p.size > 5 AND p.name = 'x'"),
    ("NOT (NOT color = 'x')", "color = 'x'"),
]

#: Selectors, and the filters that the Parquet reader gets.
PUSHED = [
    ("weight > 2500", "GreaterThan(weight,2500)"),
    ("color = 'blue'", "EqualTo(color,blue)"),
    ("NOT color = 'blue'", "Not(EqualTo(color,blue))"),
    ("region LIKE 'eu-%'", "StringStartsWith(region,eu-)"),
    ("region LIKE '%x'", "StringEndsWith(region,x)"),
    ("region LIKE '%x%'", "StringContains(region,x)"),
    ("color IN ('a', 'b')", "In(color, [a,b])"),
    ("price > 99.5", "GreaterThan(price,99.5)"),
    ("flag", "EqualTo(flag,true)"),
    ("small <= 5", "LessThanOrEqual(small,5)"),
    ("d >= 2.5", "GreaterThanOrEqual(d,2.50)"),
    ("ts >= 0", "GreaterThanOrEqual(ts,"),
    ("p.size > 5", "GreaterThan(p.size,5)"),
    ("color = 'it''s'", "EqualTo(color,it's)"),
]

PUSHED_CANONICAL = [
    ("JMSPriority > 6", "GreaterThan(header.priority,6)"),
    ("JMSPriority = 9", "GreaterThanOrEqual(header.priority,9)"),
    ("JMSPriority < 9", "Or(LessThan(header.priority,9),IsNull(header.priority))"),
    ("JMSDeliveryMode = 'PERSISTENT'", "EqualTo(header.durable,true)"),
    ("JMSTimestamp >= 1000", "GreaterThanOrEqual(properties.creation_time,"),
    ("JMSReplyTo = 'q'", "EqualTo(properties.reply_to,q)"),
    ("JMSDestination LIKE 'q.%'", "StringStartsWith(properties.to,q.)"),
    ("JMSRedelivered", "GreaterThan(header.delivery_count,0)"),
    ("JMSXDeliveryCount > 3", "GreaterThan(header.delivery_count,2)"),
    ("JMSXGroupID = 'g'", "EqualTo(properties.group_id,g)"),
    ("JMSXGroupSeq = -1", "EqualTo(properties.group_sequence,4294967295)"),
    ("JMSXUserID = 'bob'", "EqualTo(properties.user_id,"),
    ("JMSMessageID = 'ID:x'", "EqualTo(properties.message_id.string,ID:x)"),
    ("JMSMessageID = 'ID:AMQP_ULONG:42'", "EqualTo(properties.message_id.long,42)"),
    ("JMSMessageID = 'ID:AMQP_BINARY:abcdef'", "EqualTo(properties.message_id.type,binary)"),
    ("JMSMessageID LIKE 'ID:x%'", "StringStartsWith(properties.message_id.string,ID:x)"),
    ("JMSCorrelationID LIKE 'order-%'", "StringStartsWith(properties.correlation_id.string,order-)"),
    ("JMS_AMQP_TTL > 5", "GreaterThan(header.ttl,5)"),
    ("amqp.content_type = 'text/plain'", "EqualTo(properties.content_type,text/plain)"),
]


def optimized(frame: DataFrame, condition: Column) -> str:
    plan = frame.filter(condition)._jdf.queryExecution().optimizedPlan().canonicalized().toString()
    return str(plan)


def pushed_filters(frame: DataFrame) -> str:
    plan = frame._jdf.queryExecution().executedPlan().toString()
    found = re.search(r"PushedFilters: \[(.*?)\], ReadSchema", plan, re.DOTALL)
    assert found is not None, plan
    return found[1]


@pytest.fixture(scope="module", autouse=True)
def long_plans(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.maxMetadataStringLength", "100000")
    yield
    spark.conf.unset("spark.sql.maxMetadataStringLength")


@pytest.fixture(scope="module")
def typed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("typed") / "rows")
    spark.createDataFrame([], SCHEMA).write.parquet(path)
    return spark.read.schema(SCHEMA).parquet(path)


@pytest.fixture(scope="module")
def canonical(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("canonical") / "rows")
    create_messages(spark, [Message()]).write.parquet(path)
    return spark.read.parquet(path)


@pytest.mark.parametrize(("selector", "by_hand"), HAND_WRITTEN)
def test_the_plan_is_that_of_the_hand_written_filter(typed: DataFrame, selector: str, by_hand: str) -> None:
    assert optimized(typed, compile_selector(selector, typed, lint=False)) == optimized(typed, sf.expr(by_hand))


@pytest.mark.parametrize(("selector", "pushed"), PUSHED)
def test_the_reader_gets_the_predicate(typed: DataFrame, selector: str, pushed: str) -> None:
    assert pushed in pushed_filters(typed.filter(compile_selector(selector, typed, lint=False)))


@pytest.mark.filterwarnings("ignore::spark_ext.SelectorWarning")
@pytest.mark.parametrize(("selector", "pushed"), PUSHED_CANONICAL)
def test_the_reader_gets_the_predicate_on_headers(canonical: DataFrame, selector: str, pushed: str) -> None:
    assert pushed in pushed_filters(canonical.filter(compile_selector(selector)))


def test_the_reader_gets_a_window_up_to_the_time_of_the_query(canonical: DataFrame) -> None:
    condition = compile_selector("properties.creation_time + 3600000 > UTC()", dialect="rabbitmq")
    assert "GreaterThanOrEqual(properties.creation_time," in pushed_filters(canonical.filter(condition))


def test_no_python_runs_on_the_executors(canonical: DataFrame) -> None:
    selector = "x + y > 5 AND z LIKE 'a%b_c%d' AND JMSPriority > 2 AND (a = b OR NOT c) AND d / e > 2.5"
    for result in ("filter", "boolean", "ternary"):
        plan = canonical.filter(compile_selector(selector, result=result, lint=False))._jdf.queryExecution().toString()
        assert "Python" not in plan
        assert "BatchEvalPython" not in plan
