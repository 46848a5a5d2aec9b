"""Long selectors: the cost of evaluation for each message when 10 terms become 10,000."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pyspark.sql import DataFrame, SparkSession

from tests.benchmarks.filters import counting
from tests.benchmarks.measure import Table, in_turn, largest_method, spark_cpu
from transpiler import transpile_selector

#: The i-th term of a selector, by kind. The terms of all kinds except the last match few messages.
KINDS: dict[str, Callable[[int], str]] = {
    "equalities": lambda i: f"customer = 'c{i * 7}'",
    "numbers": lambda i: f"weight = {i * 3 + 0}",
    "LIKE '%,n,%'": lambda i: f"tags LIKE '%,{i * 7 % 99_991},%'",
    "LIKE 'n%'": lambda i: f"customer LIKE 'c{i * 37 % 99_991}x%'",
    "LIKE '%n'": lambda i: f"customer LIKE '%{i}_'".replace("_", "z"),
    "text and bound": lambda i: f"(customer = 'c{i * 7}' AND weight > {i % 9_000})",
    "ranges": lambda i: f"weight BETWEEN {i * 5} AND {i * 5 + 2}",
    "mixed": lambda i: (
        f"customer = 'c{i * 7}'",
        f"tags LIKE '%,{i * 7 % 99_991},%'",
        f"(name = 'order-{i}' AND price < {i % 100}.5)",
        f"customer LIKE 'c{i * 37 % 99_991}x%'",
        f"(region = 'EMEA' AND weight = {i * 11})",
    )[i % 5],
}


def alternation(levels: int) -> str:
    """Return a selector of nested AND and OR, alternating, ``levels`` deep."""
    text = "weight = 1"
    for level in range(levels):
        word, operator = ("AND", "<>") if level % 2 else ("OR", "=")
        text = f"({text} {word} customer {operator} 'c{level}')"
    return text


def lists(
    spark: SparkSession, canonical: DataFrame, count: int, rounds: int, counts: tuple[int, ...], kinds: tuple[str, ...]
) -> Table:
    """Return the table of OR chains: each kind of term at each length."""
    table = Table(
        f"Long selectors on {count:,} messages in the canonical layout: µs of CPU a message",
        ("kind", *(f"{terms:,} terms" for terms in counts), "longest / shortest", "largest method, bytes"),
        "Terms joined by OR, reading Parquet included. The largest method is that of the longest selector's generated "
        "code; HotSpot interprets what is above 8,000 bytes. Target: the longest within 5 times of the shortest.",
        unit="longest / shortest",
    )
    cpu = spark_cpu(spark)
    for kind in kinds:
        make = KINDS[kind]
        texts = [transpile_selector(" OR ".join(map(make, range(terms)))).sql for terms in counts]
        found = [runs.seconds / count * 1e6 for runs in in_turn([counting(canonical, t) for t in texts], cpu, rounds)]
        times = found[-1] / max(found[0], 0.01)
        table.add(kind, *found, times, largest_method(canonical.filter(texts[-1])))
        table.bars.append((kind, times, 5.0))
    return table


def deep(spark: SparkSession, canonical: DataFrame, count: int, rounds: int) -> Table:
    """Return the table of alternating AND and OR."""
    table = Table(
        f"AND and OR by turns on {count:,} messages in the canonical layout",
        ("levels", "µs of CPU a message", "largest method, bytes"),
        "The limit is 120 levels.",
        unit="µs of CPU a message",
    )
    for levels in (10, 50, 110):
        sql = transpile_selector(alternation(levels)).sql
        [runs] = in_turn([counting(canonical, sql)], spark_cpu(spark), rounds)
        table.add(levels, runs.seconds / count * 1e6, largest_method(canonical.filter(sql)))
        table.bars.append((f"{levels} levels", runs.seconds / count * 1e6, None))
    return table


def parts(
    spark: SparkSession, canonical: DataFrame, count: int, rounds: int, counts: tuple[int, ...], kinds: tuple[str, ...]
) -> Iterator[Table]:
    """Yield all tables of this benchmark. ``canonical`` has ``count`` messages."""
    yield lists(spark, canonical, count, rounds, counts, kinds)
    yield deep(spark, canonical, count, rounds)
