"""Compiled filters over stores compared with hand-written ones, and promoted columns with the map and typed columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from tests.benchmarks.filters import compiled, counting, optimized
from tests.benchmarks.measure import Table, in_turn, ratio, spark_cpu
from tests.benchmarks.messages import PROPERTIES
from tests.benchmarks.selectors import CASES, Case
from tests.compiler.stores.tables import layout, path, queries, schema
from transpiler import transpile_selector
from transpiler.compiler.layouts.amqp import AmqpLayout

#: Tables of ``tests/data/stores``, each with the policy for its text.
STORES = (
    ("kafka_ibm_mq", "by-use"),
    ("confluent_jms", "typed"),
    ("eventhubs_capture", "typed"),
    ("variant_column", "typed"),
    ("plain_map", "by-use"),
    ("rabbitmq_trace", "typed"),
)
#: Maximum number of rows of each store's table.
MOST = 1_000_000

_SQL_TYPES = {"string": "STRING", "long": "BIGINT", "double": "DOUBLE", "boolean": "BOOLEAN"}
#: The promoted properties, each with the Spark type of its column.
PROMOTED = {name: _SQL_TYPES[field] for name, (_, field) in PROPERTIES.items()}


def _repeated(spark: SparkSession, directory: Path, table: str, count: int) -> DataFrame:
    """Return a DataFrame that repeats the fifty rows of ``table``."""
    rows = spark.read.parquet(path(table))
    target = str(directory / f"store-{table}")
    spark.range(max(1, count // 50)).drop("id").crossJoin(rows).coalesce(1).write.mode("overwrite").parquet(target)
    return spark.read.schema(rows.schema).parquet(target)


def against_hand_written(
    spark: SparkSession, directory: Path, count: int, rounds: int, least: float, tables: tuple[tuple[str, str], ...]
) -> Table:
    """Return the table of the main selector over each store: compiled, and by hand."""
    table = Table(
        f"Compiled filters over stores against hand-written ones, {count:,} messages",
        ("store", "compiled, messages/s a core", "by hand", "ratio", "plans"),
        "JMSPriority > 4 AND color = 'red' AND weight > 2500 AND JMSType = 'order' on the fifty rows of each table of "
        "tests/data/stores, over and over, in Parquet; by hand is the SQL there. CPU seconds of all threads of Spark's "
        f"process; a ratio is the median over {rounds} rounds. Target: at most 1.2.",
        unit="compiled / by hand, CPU",
    )
    cpu = spark_cpu(spark)
    for name, policy in tables:
        frame = _repeated(spark, directory, name, count)
        [case] = [query for query in queries(name) if (query.policy, query.name) == (policy, "main")]
        ours = transpile_selector(case.selector, layout(name, policy).over(schema(name))).sql
        same = optimized(frame, ours) == optimized(frame, case.by_hand)
        first, second = in_turn([counting(frame, text) for text in (ours, case.by_hand)], cpu, rounds, least)
        expected = max(1, count // 50) * len(case.expected)
        if (first.result, second.result) != (expected, expected):
            raise AssertionError(f"{name}: {first.result} and {second.result}, not {expected}")
        found = ratio(first, second)
        label = name if policy == "typed" else f"{name}, {policy}"
        table.add(label, count / first.seconds, count / second.seconds, found, "equal" if same else "differ")
        table.bars.append((label, found, 1.2))
    return table


def promoted(
    spark: SparkSession,
    directory: Path,
    frames: dict[str, DataFrame],
    count: int,
    rounds: int,
    least: float,
    cases: tuple[Case, ...],
) -> Table:
    """Return the table of each selector over the map, promoted columns together with the map, and typed columns."""
    table = Table(
        f"Promoted columns against the map and typed columns, {count:,} messages",
        ("selector", "map, messages/s a core", "promoted", "mixed", "typed", "map / typed", "promoted / typed"),
        "AmqpLayout(promoted=…) over the canonical schema with a column for each property; mixed says that a column's "
        f"property may have other types too. CPU seconds; a ratio is the median over {rounds} rounds.",
        unit="promoted / typed, CPU",
    )
    path_of_promoted = str(directory / "promoted")
    columns = [f"application_properties['{name}'].{field} AS {name}" for name, (_, field) in PROPERTIES.items()]
    frames["canonical"].selectExpr("*", *columns).coalesce(1).write.mode("overwrite").parquet(path_of_promoted)
    frame, cpu = spark.read.parquet(path_of_promoted), spark_cpu(spark)
    layouts = (AmqpLayout(promoted=PROMOTED), AmqpLayout(promoted=PROMOTED, mixed=frozenset(PROMOTED)))
    for case in cases:
        queries_of_case = [
            counting(frames["canonical"], compiled(case, "amqp")),
            *(counting(frame, compiled(case, own)) for own in layouts),
            counting(frames["typed"], case.hand("typed")),
        ]
        found = in_turn(queries_of_case, cpu, rounds, least)
        if len({str(runs.result) for runs in found}) != 1:
            raise AssertionError(f"{case.title}: {[runs.result for runs in found]}")
        on_map, own, _, typed = found
        table.add(case.title, *(count / runs.seconds for runs in found), ratio(on_map, typed), ratio(own, typed))
        table.bars.append((case.title, ratio(own, typed), None))
    return table


def parts(
    spark: SparkSession,
    directory: Path,
    frames: dict[str, DataFrame],
    count: int,
    rounds: int,
    cases: tuple[Case, ...] = CASES,
    least: float = 0.0,
    tables: tuple[tuple[str, str], ...] = STORES,
) -> Iterator[Table]:
    """Yield both tables. The messages of the second table are those of the other benchmarks."""
    yield against_hand_written(spark, directory, min(count, MOST), rounds, least, tables)
    yield promoted(spark, directory, frames, count, rounds, least, cases)
