"""Many expressions over many messages at once: one DataFrame, one column a case."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyspark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tests.sizes import is_full

#: The version of Spark, major and minor.
SPARK = tuple(map(int, pyspark.__version__.split(".")[:2]))

#: Expressions in one projection. Far more make a plan that takes longer to analyze than to run.
CHUNK = 120

#: Rules of the optimizer that simplify expressions. Without them Spark evaluates the SQL as it is written.
EXPRESSION_RULES = ",".join(
    f"org.apache.spark.sql.catalyst.optimizer.{rule}"
    for rule in (
        "BooleanSimplification CombineConcats ConstantFolding ConstantPropagation FoldablePropagation"
        " InferFiltersFromConstraints LikeSimplification NullDownPropagation NullPropagation OptimizeIn PruneFilters"
        " PushFoldableIntoBranches ReorderAssociativeOperator ReplaceNullWithFalseInPredicate"
        " SimplifyBinaryComparison SimplifyCaseConversionExpressions SimplifyCasts SimplifyConditionals"
        " SimplifyDateTimeConversions SimplifyExtractValueOps UnwrapCastInBinaryComparison"
    ).split()
)

#: Thousands of small expressions over a few rows: interpreting them is faster than compiling them. A plan that adapts
#: itself is planned anew, and described anew, after each of its stages.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}

#: The session of a sample: its tests plan more than they run, and no answer depends on what a plan implies, which is a
#: quarter of the time of planning a route. At full size the session is as users run it.
IN_SAMPLE = (
    {}
    if is_full()
    else INTERPRETED
    | {
        "spark.sql.constraintPropagation.enabled": "false",
        "spark.sql.lightweightPlanChangeValidation": "false",
    }
)

#: Plans that adapt themselves and generated code, as users have them, for the tests in a sample that are about these.
COMPILED = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.adaptive.enabled": "true",
}


def java_options() -> str:
    """Return the options of Java that give the Spark of another process the settings ``IN_SAMPLE``."""
    chosen = [f"-D{key}={value}" for key, value in IN_SAMPLE.items()]
    return " ".join([os.environ.get("SPARK_SUBMIT_OPTS", ""), *chosen]).strip()


def numbered(frame: DataFrame) -> DataFrame:
    """The rows with an ``id`` in their order."""
    return frame.coalesce(1).withColumn("id", sf.monotonically_increasing_id())


def answers(frame: DataFrame, expressions: Sequence[str], key: str = "id") -> list[list[Any]]:
    """For each expression its value in each row, in the order of the key column."""
    columns: list[list[Any]] = []
    for start in range(0, len(expressions), CHUNK):
        part = expressions[start : start + CHUNK]
        selected = frame.select(key, *(sf.expr(text).alias(f"c{i}") for i, text in enumerate(part)))
        rows = sorted(selected.collect(), key=lambda row: row[0])
        columns.extend([row[i + 1] for row in rows] for i in range(len(part)))
    return columns


@contextmanager
def settings(spark: SparkSession, values: dict[str, str]) -> Iterator[None]:
    """The session with some settings changed for a while."""
    before = {key: spark.conf.get(key, None) for key in values}
    for key, value in values.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            spark.conf.unset(key) if old is None else spark.conf.set(key, old)


def largest_method(frame: DataFrame) -> int:
    """The largest method of the generated code of a query, in bytes; the JIT takes up to 8,000."""
    # An adaptive plan has no code before it runs.
    with settings(frame.sparkSession, COMPILED | {"spark.sql.adaptive.enabled": "false"}):
        found = frame.select("*")._jdf.queryExecution().debug().codegenToSeq()
    sizes = [found.apply(place)._3().maxMethodCodeSize() for place in range(found.size())]
    assert sizes, "nothing was generated"
    assert min(sizes) > 0, "the generated code does not compile"
    return int(max(sizes))
