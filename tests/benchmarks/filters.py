"""Compiled filters compared with hand-written filters, with Python UDFs, and on the query that RabbitMQ published."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import infer_layout
from tests.benchmarks.measure import Table, in_turn, ratio, spark_cpu
from tests.benchmarks.messages import NOW
from tests.benchmarks.selectors import CASES, Case
from transpiler import Layout, Message, evaluate, parse_selector, transpile_selector
from transpiler.language.selector import ast
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue


def compiled(case: Case, layout: Layout | str) -> str:
    """Return the SQL that the selector of ``case`` compiles to."""
    return transpile_selector(case.selector, layout, dialect=case.dialect, now=NOW).sql


def counting(frame: DataFrame, condition: Column | str) -> Callable[[], object]:
    """Return a function that counts the rows that pass ``condition``, with a new query for each call."""
    return lambda: frame.filter(condition).groupBy().count().collect()[0][0]


def optimized(frame: DataFrame, condition: str) -> str:
    return str(frame.filter(condition)._jdf.queryExecution().optimizedPlan().canonicalized().toString())


def against_hand_written(
    spark: SparkSession,
    frames: dict[str, DataFrame],
    count: int,
    rounds: int,
    cases: tuple[Case, ...],
    least: float,
) -> Table:
    """Return the table of each case in each layout: the compiled filter and the hand-written one."""
    table = Table(
        f"Compiled filters against hand-written ones, {count:,} messages",
        ("layout", "selector", "compiled, messages/s a core", "by hand", "ratio", "plans", "to a first try"),
        "CPU seconds of all threads of Spark's process, reading Parquet included; a ratio is the median over "
        f"{(rounds + 1) // 2} rounds of about {least:g} seconds or one query, {3 * rounds} where the plans differ. By "
        "hand is the same meaning; a first try is right only where senders keep to one type, and reads fewer columns. "
        "Target: at most 1.05. Equal plans are the same query, and their ratio is the noise.",
        unit="compiled / by hand, CPU",
    )
    cpu = spark_cpu(spark)
    for name, frame in frames.items():
        layout: Layout | str = "amqp" if name == "canonical" else infer_layout(frame, "p" if name == "struct" else None)
        for case in cases:
            texts = [compiled(case, layout), case.hand(name)]
            if case.first_try(name) != case.hand(name):
                texts.append(case.first_try(name))
            same = optimized(frame, texts[0]) == optimized(frame, texts[1])
            # Different plans get more rounds than equal plans, whose ratio is only noise.
            often = (rounds + 1) // 2 if same else 3 * rounds
            first, second, *others = in_turn([counting(frame, text) for text in texts], cpu, often, least)
            if any(runs.result != first.result for runs in (second, *others)):
                raise AssertionError(f"{name}, {case.title}: {[runs.result for runs in (first, second, *others)]}")
            found = ratio(first, second)
            table.add(
                name,
                case.title,
                count / first.seconds,
                count / second.seconds,
                found,
                "equal" if same else "differ",
                ratio(first, others[0]) if others else "",
            )
            table.bars.append((f"{name}: {case.title}", found, 1.05))
    return table


def _message(header: Any, properties: Any, values: Any, names: frozenset[str]) -> Message:
    """Return the message of a row with only those properties that the selector names."""
    items = values.items() if isinstance(values, dict) else values or ()
    found = {}
    for name, value in items:
        if name in names and value is not None:
            kind = AmqpType(value["type"])
            found[name] = AmqpValue(kind, next((value[field] for field in _FIELDS if value[field] is not None), None))
    made = properties["creation_time"]
    if made is not None and not isinstance(made, int):
        made = made if made.tzinfo else made.replace(tzinfo=UTC)
        made = round(made.timestamp() * 1000)
    return Message(
        header=Header(priority=header["priority"]),
        properties=Properties(subject=properties["subject"], creation_time=made),
        application_properties=found,
    )


_FIELDS = ("boolean", "long", "double", "string")


def udfs(case: Case) -> dict[str, Column]:
    """Return the reference evaluator as each of Spark's three kinds of Python function, by the name of the kind."""
    tree = parse_selector(case.selector, case.dialect)
    assert tree is not None
    names = frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.Identifier))

    def passes(header: Any, properties: Any, values: Any) -> bool:
        return evaluate(tree, _message(header, properties, values, names), case.dialect, now=NOW) is True

    def plain(header: Any, properties: Any, values: Any) -> bool:
        return passes(header, properties, values)

    def arrow(header: pa.Array, properties: pa.Array, values: pa.Array) -> pa.Array:
        rows = zip(header.to_pylist(), properties.to_pylist(), values.to_pylist(), strict=True)
        return pa.array([passes(*row) for row in rows], pa.bool_())

    def pandas(header: pd.DataFrame, properties: pd.DataFrame, values: pd.Series) -> pd.Series:
        rows = zip(header.to_dict("records"), properties.to_dict("records"), values, strict=True)
        return pd.Series([passes(*row) for row in rows], dtype=bool)

    arrow.__annotations__ = {"header": pa.Array, "properties": pa.Array, "values": pa.Array, "return": pa.Array}
    pandas.__annotations__ = {
        "header": pd.DataFrame,
        "properties": pd.DataFrame,
        "values": pd.Series,
        "return": pd.Series,
    }
    columns = ("header", "properties", "application_properties")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "row-wise UDF": sf.udf(plain, "boolean", useArrow=False)(*columns),
            "Arrow UDF": sf.arrow_udf(arrow, "boolean")(*columns),
            "pandas UDF": sf.pandas_udf(pandas, "boolean")(*columns),
        }


def against_udfs(
    spark: SparkSession, canonical: DataFrame, count: int, fewer: int, rounds: int, cases: tuple[Case, ...]
) -> Table:
    """Return the table of each case in the canonical layout: compiled, and by the reference evaluator in UDFs.

    The UDFs run on fewer messages.
    """
    table = Table(
        f"Compiled filters against Python UDFs in the canonical layout, {count:,} messages; UDFs on {fewer:,} of them",
        ("selector", "compiled, messages/s a core", "row-wise UDF", "Arrow UDF", "pandas UDF", "times the best"),
        "The UDFs call the reference evaluator on what the selector names; their figures are scaled a message. CPU "
        "seconds of Spark's process and of Python's. Target: 50 times.",
        unit="times as fast as the best UDF",
    )
    # The workers must have the packages of this Python.
    spark.sparkContext.pythonExec = sys.executable
    cpu = spark_cpu(spark)
    few = canonical.limit(fewer).coalesce(1).cache()
    few.count()
    for case in cases:
        [whole] = in_turn([counting(canonical, compiled(case, "amqp"))], cpu, rounds)
        conditions = udfs(case)
        found = in_turn([counting(few, condition) for condition in conditions.values()], cpu, (rounds + 1) // 2)
        wanted = few.filter(compiled(case, "amqp")).count()
        if any(runs.result != wanted for runs in found):
            raise AssertionError(f"{case.title}: {wanted} compiled, {[runs.result for runs in found]} in UDFs")
        rates = [fewer / runs.seconds for runs in found]
        times = count / whole.seconds / max(rates)
        table.add(case.title, count / whole.seconds, *rates, times)
        table.bars.append((case.title, times, 50.0))
    few.unpersist()
    return table


def published(spark: SparkSession, canonical: DataFrame, count: int, rounds: int) -> Table:
    """Return the table of RabbitMQ's query: on a full scan, and on a file whose row groups the reader skips."""
    table = Table(
        f"The query that RabbitMQ published its figures with, {count:,} messages of which 10 match",
        ("", "messages/s a core, by CPU", "messages/s by the clock", "RabbitMQ, one scheduler"),
        "In the dialect rabbitmq over the canonical layout, one core. Row groups are skipped by their statistics and "
        "by a Parquet Bloom filter over the subject; RabbitMQ skips chunks by a Bloom filter over the filter value.",
        unit="messages a second",
    )
    case = CASES[-1]
    rows: tuple[tuple[str, str, int], ...] = (
        ("full scan", "false", 404_645),
        ("row groups skipped", "true", 4_868_549),
    )
    for title, pushed, theirs in rows:
        spark.conf.set("spark.sql.parquet.filterPushdown", pushed)
        [runs] = in_turn([counting(canonical, compiled(case, "amqp"))], spark_cpu(spark), rounds)
        spark.conf.unset("spark.sql.parquet.filterPushdown")
        if runs.result != 10:
            raise AssertionError(f"{runs.result} messages match, not 10")
        rate = count / min(runs.wall)
        table.add(title, count / max(runs.seconds, 0.01), rate, theirs)
        table.bars.append((title, rate, float(theirs)))
    return table


def parts(
    spark: SparkSession,
    frames: dict[str, DataFrame],
    count: int,
    fewer: int,
    rounds: int,
    cases: tuple[Case, ...] = CASES,
    least: float = 0.0,
) -> Iterator[Table]:
    """Yield all tables of this benchmark. ``least`` is the minimum CPU time of each round, in seconds."""
    yield against_hand_written(spark, frames, count, rounds, cases, least)
    yield against_udfs(spark, frames["canonical"], count, fewer, rounds, cases)
    yield published(spark, frames["canonical"], count, rounds)
