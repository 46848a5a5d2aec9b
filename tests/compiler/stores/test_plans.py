"""Plans over stores: the file reader gets the header conditions, and no Python runs, in a batch and in a stream."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_ext import compile_selector, infer_layout
from tests.compiler.stores.tables import LAYOUTS, layout, path, queries
from tests.spark_ext.test_plans import pushed_filters
from transpiler import stores
from transpiler.compiler.layouts.layout import Layout

MAIN = "JMSPriority > 4 AND color = 'red' AND weight > 2500 AND JMSType = 'order'"
TIMES = "JMSTimestamp >= 1750772300000 AND JMSDeliveryMode = 'PERSISTENT'"

#: Selectors over a table, and the conditions that the Parquet reader gets.
PUSHED = [
    ("confluent_jms", MAIN, ("GreaterThan(priority,4)", "EqualTo(type,order)")),
    ("confluent_jms", TIMES, ("GreaterThanOrEqual(timestamp,1750772300000)", "EqualTo(deliveryMode,2)")),
    ("lenses_jms", MAIN, ("GreaterThan(priority,4)", "EqualTo(type,order)")),
    ("lenses_jms", TIMES, ("GreaterThanOrEqual(message_timestamp,1750772300000)", "EqualTo(mode,2)")),
    ("jolokia_artemis", MAIN, ("GreaterThan(priority,4)",)),
    ("jolokia_artemis", TIMES, ("GreaterThanOrEqual(timestamp,1750772300000)", "EqualTo(durable,true)")),
    ("jolokia_classic", MAIN, ("GreaterThan(JMSPriority,4)", "EqualTo(JMSType,order)")),
    ("aws_lambda_activemq", MAIN, ("GreaterThan(priority,4)", "EqualTo(type,order)")),
    (
        "props_struct",
        MAIN,
        (
            "GreaterThan(JMSPriority,4)",
            "EqualTo(JMSType,order)",
            "EqualTo(properties.color,red)",
            "GreaterThan(properties.weight,2500.0)",
        ),
    ),
    ("props_struct", TIMES, ("GreaterThanOrEqual(JMSTimestamp,", "EqualTo(JMSDeliveryMode,PERSISTENT)")),
    ("plain_map", MAIN, ("GreaterThan(JMSPriority,4)", "EqualTo(JMSType,order)")),
    ("json_string", MAIN, ("GreaterThan(JMSPriority,4)", "EqualTo(JMSType,order)")),
    ("variant_column", MAIN, ("GreaterThan(JMSPriority,4)", "EqualTo(JMSType,order)")),
    ("eventhubs_connector", TIMES, ("GreaterThanOrEqual(enqueuedTime,",)),
    ("pulsar_jms", TIMES, ("GreaterThanOrEqual(__publishTime,",)),
    ("solace_connector", TIMES, ("GreaterThanOrEqual(TimeStamp,",)),
]


def bound(frame: DataFrame, table: str) -> Layout:
    policy = queries(table)[0].policy
    return layout(table, "by-use" if policy == "string" else policy).over(frame.schema.jsonValue())


@pytest.mark.filterwarnings("ignore::spark_ext.SelectorWarning")
@pytest.mark.parametrize(("table", "selector", "pushed"), PUSHED)
def test_the_reader_gets_the_conditions_on_headers(
    spark: SparkSession, table: str, selector: str, pushed: tuple[str, ...]
) -> None:
    spark.conf.set("spark.sql.maxMetadataStringLength", "100000")
    frame = spark.read.parquet(path(table))
    filters = pushed_filters(frame.filter(compile_selector(selector, bound(frame, table))))
    assert [text for text in pushed if text not in filters] == [], filters


def test_a_reader_extracts_only_the_paths_of_a_variant_that_a_selector_needs(spark: SparkSession) -> None:
    frame = spark.read.parquet(path("variant_column"))
    filtered = frame.filter(compile_selector(MAIN, frame)).select("id")
    plan = str(filtered._jdf.queryExecution().optimizedPlan().toString())
    # The scan returns a struct of the values extracted from the VARIANT instead of the VARIANT.
    assert "variant_get" not in plan, plan


@pytest.mark.filterwarnings("ignore::spark_ext.SelectorWarning")
@pytest.mark.parametrize("table", LAYOUTS)
def test_no_python_runs_on_the_executors(spark: SparkSession, table: str) -> None:
    frame = spark.read.parquet(path(table))
    for result in ("filter", "ternary"):
        condition = compile_selector(f"({MAIN}) OR ({TIMES}) OR urgent", bound(frame, table), result=result)
        assert "Python" not in frame.filter(condition)._jdf.queryExecution().toString()


@pytest.mark.full
def test_record_headers_are_filtered_in_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.read.parquet(path("kafka_ibm_mq"))
    rows.write.parquet(str(tmp_path / "rows"))
    stream = spark.readStream.schema(rows.schema).parquet(str(tmp_path / "rows"))
    own = layout("kafka_ibm_mq", "by-use")
    query = next(query for query in queries("kafka_ibm_mq") if query.policy == "by-use" and query.name == "main")
    written = (
        stream.filter(compile_selector(query.selector, own))
        .writeStream.format("memory")
        .queryName("store_stream")
        .trigger(availableNow=True)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .start()
    )
    written.awaitTermination()
    assert {row.id for row in spark.table("store_stream").collect()} == query.expected


def test_presets_and_schemas_say_the_same(spark: SparkSession) -> None:
    frame = spark.read.parquet(path("confluent_jms"))
    by_name = frame.filter(compile_selector(MAIN, "confluent-jms")).count()
    assert by_name == frame.filter(compile_selector(MAIN, stores.confluent_jms())).count()
    assert by_name == frame.filter(compile_selector(MAIN, infer_layout(frame))).count() > 0
