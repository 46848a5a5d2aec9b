"""Differences between the supported versions of Spark, as docs/versions.md describes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession

from spark_ext import compile_selector
from tests.spark_ext.harness import SPARK, settings
from tests.spark_ext.test_plans import pushed_filters
from transpiler import LayoutError

pytestmark = pytest.mark.usefixtures("compiled")


def test_conditions_on_a_variant_reach_the_reader_from_4_1_on(spark: SparkSession, tmp_path: Path) -> None:
    file = str(tmp_path / "variants")
    spark.sql("""SELECT parse_json('{"color": "red"}') AS properties""").write.parquet(file)
    frame = spark.read.parquet(file)
    filtered = frame.filter(compile_selector("color = 'red'", "variant"))
    assert filtered.count() == 1
    assert ("red" in pushed_filters(filtered)) == (SPARK >= (4, 1))


def test_a_column_of_the_type_time_is_no_property(spark: SparkSession) -> None:
    text = "SELECT TIME'12:00:00' AS at, 1 AS weight"
    if SPARK < (4, 1):
        with pytest.raises((AnalysisException, ParseException)):
            spark.sql(text)
        return
    # Spark 4.3 has the TIME type only with this setting.
    with settings(spark, {"spark.sql.timeType.enabled": "true"}):
        frame = spark.sql(text)
        assert frame.filter(compile_selector("weight = 1", frame)).count() == 1
        with pytest.raises(LayoutError, match="column at: no message property has the type TIME"):
            compile_selector("at = 5", frame)


def test_code_is_generated_for_lambdas_from_4_3_on(spark: SparkSession) -> None:
    plan = spark.range(2).filter("exists(array(1, 2), x -> x = id)")._jdf.queryExecution().executedPlan().toString()
    assert ("*(1) Filter" in plan) == (SPARK >= (4, 3))
