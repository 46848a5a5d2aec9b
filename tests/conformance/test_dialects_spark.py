"""Spark returns each broker's three-valued result on the canonical layout.

A sample contains some cases of each set, different cases for each dialect. The full size draws a share of each set anew
in each run, the smallest share from the long random selectors, which Spark's parser takes longest to parse. The tests
of the reference evaluator contain all cases.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import create_messages
from tests.conformance.parted import Parted
from tests.conformance.test_dialects import PARTED
from tests.conformance.vectors import DIALECTS, TAKEN_AT, TRUTHS, Row, all_messages, verdicts
from tests.sizes import is_full, randomness, sample, size
from tests.spark_ext.harness import CHUNK, numbered, settings
from tests.spark_ext.test_agreement import INTERPRETED
from transpiler import transpile_selector

#: The share of each set that the full size tests.
SHARES = {"probes": 1 / 4, "suites": 1 / 4, "random_simple": 1 / 8, "random_full": 1 / 20}


def chosen(dialect: str) -> list[Row]:
    """Return the cases to test, among those that the broker accepts."""
    rows = [row for row in verdicts(dialect) if row.letters != "P"]
    if is_full():
        draw = randomness(dialect)
        return [row for row in rows if draw.random() < SHARES[row.name.partition(":")[0]]]
    return sample(rows[DIALECTS.index(dialect) :], 24, lambda row: row.name.partition(":")[0])


@pytest.fixture(scope="module")
def messages(spark: SparkSession) -> Iterator[DataFrame]:
    frame = numbered(create_messages(spark, all_messages())).cache()
    yield frame
    frame.unpersist()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_spark_says_what_the_broker_says(spark: SparkSession, messages: DataFrame, dialect: str) -> None:
    # Many selectors have the same SQL, for example if they differ only in parentheses.
    by_sql: dict[str, list[Row]] = {}
    for row in chosen(dialect):
        sql = transpile_selector(row.selector, dialect=dialect, result="ternary", now=TAKEN_AT).sql
        by_sql.setdefault(sql, []).append(row)
    expressions = list(by_sql)
    parted, cases = Parted(), 0
    with settings(spark, INTERPRETED):
        for start in range(0, len(expressions), CHUNK // 2):
            part = expressions[start : start + CHUNK // 2]
            needed = sorted({number for sql in part for row in by_sql[sql] for number in row.messages})
            columns = [sf.expr(sql).alias(f"c{index}") for index, sql in enumerate(part)]
            found = {row[0]: row for row in messages.filter(sf.col("id").isin(needed)).select("id", *columns).collect()}
            for index, sql in enumerate(part, 1):
                for row in by_sql[sql]:
                    for number, letter in zip(row.messages, row.letters, strict=True):
                        cases += 1
                        if found[number][index] is not TRUTHS.get(letter):
                            broker, here = TRUTHS.get(letter), found[number][index]
                            parted.add((dialect, row.name), row.selector, all_messages()[number], broker, here)
    parted.check({key for key in PARTED if key[0] == dialect})
    assert cases > size(100, 5_000)
