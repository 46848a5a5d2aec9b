"""Many expressions evaluated over many messages at once, in one DataFrame with one column for each expression."""

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

#: Maximum number of expressions in one projection. With many more, a plan takes longer to analyse than to run.
CHUNK = 120

#: Optimizer rules that simplify expressions. Without them Spark evaluates the SQL as written.
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

#: Settings that interpret expressions, which is faster than compiling thousands of small expressions for a few rows.
#: Adaptive plans are off, because they are planned and described again after each stage.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}

#: Settings of a sample's session. Its tests plan more than they run, and inferring constraints takes a quarter of the
#: time of planning a route but changes no result. The full size uses the defaults of users.
IN_SAMPLE = (
    {}
    if is_full()
    else INTERPRETED
    | {
        "spark.sql.constraintPropagation.enabled": "false",
        "spark.sql.lightweightPlanChangeValidation": "false",
    }
)

#: Settings of users, with adaptive plans and generated code, for those tests of a sample that are about these.
COMPILED = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.adaptive.enabled": "true",
}


def java_options() -> str:
    """Return the Java options that give the Spark of another process the settings ``IN_SAMPLE``."""
    chosen = [f"-D{key}={value}" for key, value in IN_SAMPLE.items()]
    return " ".join([os.environ.get("SPARK_SUBMIT_OPTS", ""), *chosen]).strip()


def numbered(frame: DataFrame) -> DataFrame:
    """Return ``frame`` with the column ``id`` that numbers the rows in order."""
    return frame.coalesce(1).withColumn("id", sf.monotonically_increasing_id())


def answers(frame: DataFrame, expressions: Sequence[str], key: str = "id") -> list[list[Any]]:
    """Return for each expression its value in each row, in the order of the column ``key``."""
    columns: list[list[Any]] = []
    for start in range(0, len(expressions), CHUNK):
        part = expressions[start : start + CHUNK]
        selected = frame.select(key, *(sf.expr(text).alias(f"c{i}") for i, text in enumerate(part)))
        rows = sorted(selected.collect(), key=lambda row: row[0])
        columns.extend([row[i + 1] for row in rows] for i in range(len(part)))
    return columns


@contextmanager
def settings(spark: SparkSession, values: dict[str, str]) -> Iterator[None]:
    """Change settings of the session inside the block."""
    before = {key: spark.conf.get(key, None) for key in values}
    for key, value in values.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            spark.conf.unset(key) if old is None else spark.conf.set(key, old)


def largest_method(frame: DataFrame) -> int:
    """Return the size of the largest generated method, in bytes. The JIT compiles methods up to 8,000 bytes."""
    # An adaptive plan has no generated code before it runs.
    with settings(frame.sparkSession, COMPILED | {"spark.sql.adaptive.enabled": "false"}):
        found = frame.select("*")._jdf.queryExecution().debug().codegenToSeq()
    sizes = [found.apply(index)._3().maxMethodCodeSize() for index in range(found.size())]
    assert sizes, "nothing was generated"
    assert min(sizes) > 0, "the generated code does not compile"
    return int(max(sizes))
