"""The result is the reference evaluator's whatever the optimizer does: rules excluded, no common subexpressions.

Spark analyses BETWEEN, nullif, count_if and regexp_substr to a ``With`` of common expressions, which no engine
evaluates: one rule must rewrite it, and the other rules must preserve the result. Emitted SQL therefore contains none
of these functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import StructType

from spark_ext import create_messages, infer_layout, route
from tests.compiler.layouts.written_rows import row_of
from tests.conformance.vectors import DIALECTS
from tests.hostile.test_any_row import COMMON, FILTERS, TOPOLOGY
from tests.hostile.test_any_row import SELECTORS as BY_DIALECT
from tests.sizes import sample, size
from tests.spark_ext import strategies
from tests.spark_ext.harness import CHUNK, numbered
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import _COLUMNS, INTERPRETED, RECEIVER, flat_messages
from tests.spark_ext.test_dialect_agreement import accepted, assert_agreement
from transpiler import Message, transpile_address, transpile_filter, transpile_selector
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.compiler.layouts.layout import Layout
from transpiler.language.selector import ast

#: Numbers of selectors, of messages, and of tables with these, for each dialect, layout and setting.
SELECTORS, MESSAGES = size(4, 8), 16
TABLES = 1

#: Maximum length of tested SQL in characters. Without common subexpressions Spark takes minutes for ten times as many.
LONGEST = 20_000

SEPARATE = {"spark.sql.subexpressionElimination.enabled": "false"}
#: Settings of the optimizer and the engine. ``ALL`` means all rules that Spark lets a user exclude.
ALL = "all"
EXCLUDED = "spark.sql.optimizer.excludedRules"
SETTINGS: dict[str, dict[str, str]] = {
    "no common subexpressions": INTERPRETED | SEPARATE,
    "no optimizer": INTERPRETED | SEPARATE | {EXCLUDED: ALL, "spark.sql.ansi.enabled": "false"},
    "common subexpressions without an optimizer": INTERPRETED | {EXCLUDED: ALL},
}
#: Settings with generated code, which takes longest, so that they are tested with few selectors.
GENERATED: dict[str, dict[str, str]] = {
    "no common subexpressions": SEPARATE | {"spark.sql.ansi.enabled": "false"},
    "no optimizer": SEPARATE | {EXCLUDED: ALL},
}

COLUMNS = ", ".join(f"{name} {column[0]}" for name, column in _COLUMNS.items())


def values_of(seq: Any) -> list[Any]:
    """Return the elements of a Scala Seq."""
    return [seq.apply(index) for index in range(seq.size())]


@pytest.fixture(scope="module")
def excludable(spark: SparkSession) -> str:
    """Return all optimizer rules that a setting can exclude, as the value of the setting."""
    optimizer = spark._jsparkSession.sessionState().optimizer()
    kept = set(values_of(optimizer.nonExcludableRules()))
    rules = [rule.ruleName() for batch in values_of(optimizer.defaultBatches()) for rule in values_of(batch.rules())]
    names = dict.fromkeys(name for name in rules if name not in kept)
    assert len(names) > 80
    return ",".join(names)


def in_full(values: dict[str, str], excludable: str) -> dict[str, str]:
    """Return the settings with ``ALL`` replaced by the names of all rules."""
    return {key: excludable if value == ALL else value for key, value in values.items()}


class Table(NamedTuple):
    """Random selectors and messages, for the canonical layout and for typed columns."""

    canonical: list[ast.Expression]
    messages: list[Message]
    typed: list[ast.Expression]
    flat: list[Message]


def is_short(text: str, dialect: str) -> bool:
    """Return True if a selector's SQL is at most ``LONGEST`` long, which excludes the longest tenth of qpid-java's."""
    sql = transpile_selector(text, dialect=dialect, result="ternary", missing="null", **RECEIVER).sql
    return len(sql) <= LONGEST


def several(strategy: st.SearchStrategy[Any], count: int) -> st.SearchStrategy[Any]:
    return st.lists(strategy, min_size=count, max_size=count)


def drawn_tables(count: int) -> list[Table]:
    """Return ``count`` random tables.

    The simplest one, with which Hypothesis begins, is dropped, because it tests nothing in Spark.
    """
    found: list[Table] = []
    tables = st.builds(
        Table,
        several(strategies.selectors(strategies.NAMES * 3 + strategies.HEADERS, null_tests_any=True), SELECTORS),
        several(strategies.messages, MESSAGES),
        several(strategies.selectors((*_COLUMNS, "t", "w", "d", "missing"), null_tests_any=True), SELECTORS),
        several(flat_messages(), MESSAGES),
    )

    @given(table=tables)
    @settings(max_examples=count + 1, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck))
    def draw(table: Table) -> None:
        found.append(table)

    draw()
    return found[1:]


@pytest.fixture(scope="module")
def tables() -> dict[str, list[Table]]:
    """Return the tables of each dialect."""
    found = drawn_tables(TABLES * len(DIALECTS))
    return {dialect: found[number :: len(DIALECTS)] for number, dialect in enumerate(DIALECTS)}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_spark_agrees_with_the_reference_on_the_canonical_layout(
    spark: SparkSession, excludable: str, tables: dict[str, list[Table]], dialect: str, name: str
) -> None:
    with spark_settings(spark, in_full(SETTINGS[name], excludable)):
        for table in tables[dialect]:
            frame = numbered(create_messages(spark, table.messages))
            texts = [text for text in accepted(table.canonical, dialect) if is_short(text, dialect)]
            assert_agreement(frame, "amqp", dialect, texts, table.messages)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_spark_agrees_with_the_reference_on_typed_columns(
    spark: SparkSession, excludable: str, tables: dict[str, list[Table]], dialect: str, name: str
) -> None:
    with spark_settings(spark, in_full(SETTINGS[name], excludable)):
        for table in tables[dialect]:
            assert_typed_agreement(spark, table, dialect, SELECTORS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_generated_code_agrees_with_the_reference(
    spark: SparkSession, excludable: str, tables: dict[str, list[Table]], dialect: str
) -> None:
    values = list(GENERATED.values())[DIALECTS.index(dialect) % len(GENERATED)]
    with spark_settings(spark, in_full(values, excludable)):
        assert_typed_agreement(spark, tables[dialect][0], dialect, 4)


def assert_typed_agreement(spark: SparkSession, table: Table, dialect: str, most: int) -> None:
    schema = StructType.fromDDL(COLUMNS)
    layout = infer_layout(schema)
    rows = [row_of(layout, message) for message in table.flat]
    frame = numbered(spark.createDataFrame(rows, schema))
    # Columns named like header fields are read without conversion, and so are they in the message of a row.
    assert_agreement(
        frame, layout, dialect, accepted(table.typed, dialect)[:most], [layout.message(row) for row in rows]
    )


def compiled(texts: Iterable[str], layout: Layout | str, dialect: str) -> list[str]:
    """Return the SQL of selectors, alternately as a filter and ternary. Skip selectors that the layout rejects."""
    found = []
    for text, result in zip(texts, cycle(("filter", "ternary")), strict=False):
        try:
            found.append(
                transpile_selector(text, layout, dialect=dialect, result=result, missing="null", **RECEIVER).sql
            )
        except UnsupportedFeatureError:
            continue
    return found


def has_common_expressions(spark: SparkSession, frame: DataFrame) -> bool:
    """Return True if the analysed plan contains a With after functions are replaced by their definitions."""
    catalyst = spark._jvm.org.apache.spark.sql.catalyst  # type: ignore[union-attr]
    replaced = catalyst.optimizer.ReplaceExpressions.apply(frame._jdf.queryExecution().analyzed())
    return bool(replaced.containsPattern(catalyst.trees.TreePattern.WITH_EXPRESSION()))


def common_expressions(spark: SparkSession, frame: DataFrame, texts: list[str]) -> list[str]:
    """Return the first text of each chunk whose plan contains a With."""
    found = []
    for start in range(0, len(texts), CHUNK):
        part = texts[start : start + CHUNK]
        if has_common_expressions(spark, frame.select(*(sf.expr(text).alias(f"c{n}") for n, text in enumerate(part)))):
            found.append(next(text for text in part if has_common_expressions(spark, frame.select(sf.expr(text)))))
    return found


@pytest.mark.parametrize(
    "text", ["x BETWEEN 1 AND 2", "nullif(x, 1D)", "count_if(flag)", "CASE WHEN flag THEN nullif(x, 1D) > 2D END"]
)
def test_what_spark_rewrites_to_common_expressions_is_noticed(spark: SparkSession, text: str) -> None:
    assert common_expressions(spark, spark.createDataFrame([], COLUMNS), [text]) == [text]


@pytest.mark.full
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_selector_has_common_expressions(spark: SparkSession, tables: dict[str, list[Table]], dialect: str) -> None:
    schema = StructType.fromDDL(f"{COLUMNS}, t timestamp, w timestamp_ntz, d decimal(12, 2)")
    every = sample((table for several in tables.values() for table in several), 2)
    typed = accepted([tree for table in every for tree in table.typed], dialect)
    found = compiled(typed, infer_layout(schema), dialect)
    assert common_expressions(spark, spark.createDataFrame([], schema), found) == []
    canonical = accepted([tree for table in every[::2] for tree in table.canonical], dialect)
    found = compiled([*canonical, *BY_DIALECT[dialect]], "amqp", dialect)
    assert common_expressions(spark, create_messages(spark, [Message()]), found) == []


def test_no_filter_and_no_address_has_common_expressions(spark: SparkSession) -> None:
    texts = [transpile_filter(filters, result="ternary").sql for filters in FILTERS]
    texts += [transpile_address("a/b", node).sql for node in ("queue", "direct", "topic", "headers", "fanout", "xml")]
    assert common_expressions(spark, create_messages(spark, [Message()]), texts) == []


@pytest.mark.full
def test_no_selector_on_amqp_0_10_has_common_expressions(spark: SparkSession) -> None:
    addresses = ("JMSReplyTo = 'a'", "JMSReplyTo LIKE 'a/%'", "JMSReplyTo IS NULL", "JMSReplyTo <> a OR a / b > 1")
    texts = compiled([*COMMON, *addresses, *addresses[1:]], "amqp-0-10", "jms")
    for dialect in ("activemq", "artemis", "qpid-java", "qpid-cpp", "rabbitmq-jms"):
        texts += compiled(addresses, "amqp-0-10", dialect)
    assert len(texts) > len(COMMON) + 15
    assert common_expressions(spark, create_messages(spark, [Message()], "amqp-0-10"), texts) == []


def test_no_routing_has_common_expressions(spark: SparkSession) -> None:
    assert not has_common_expressions(spark, route(create_messages(spark, [Message()]), TOPOLOGY))
