"""The cast of a text in Python has the same result as Spark's ``try_cast``."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.compiler.layouts.texts import NASTY, ask
from tests.spark_ext.harness import settings
from transpiler.compiler.ir.column_types import SparkType
from transpiler.compiler.layouts.spark_texts import cast_text

KINDS = (
    SparkType.BOOLEAN,
    SparkType.TINYINT,
    SparkType.SMALLINT,
    SparkType.INT,
    SparkType.BIGINT,
    SparkType.FLOAT,
    SparkType.DOUBLE,
    SparkType.STRING,
)


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_a_text_casts_as_in_spark(spark: SparkSession, ansi: str) -> None:
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        answers = ask(spark, NASTY, [f"try_cast(t AS {kind.value})" for kind in KINDS])
    wrong = {
        (kind.value, text): (repr(cast_text(text, kind)), repr(answer))
        for kind, column in zip(KINDS, answers, strict=True)
        for text, answer in zip(NASTY, column, strict=True)
        # The representations are compared, because NaN != NaN and -0.0 == 0.0.
        if repr(cast_text(text, kind)) != repr(answer)
    }
    assert wrong == {}
    assert all(any(answer is not None for answer in column) for column in answers)
