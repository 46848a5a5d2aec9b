"""LIKE with many wildcards, on short and on long texts: the time for each character."""

from __future__ import annotations

import time
from collections.abc import Iterator

from pyspark.sql import SparkSession

from tests.benchmarks.filters import counting
from tests.benchmarks.measure import Table, in_turn, spark_cpu
from transpiler import Message, evaluate, parse_selector, transpile_selector
from transpiler.compiler.inference import layout_from_schema
from transpiler.message.types import AmqpType, AmqpValue

PATTERNS = ("%a%b%", "%a%a%a%b", "%a_c%a_d%", "a%_a%_a%_b", "%a%a%a%a%a%a%a%a%b", "_%_%_%_%b", "%aaaaaaaaab%")
#: Maximum length of a text for Spark's own LIKE, which backtracks: with eight wildcards, 100 characters would take
#: hours.
OWN_LIMIT = 16


def growth(
    spark: SparkSession, lengths: tuple[int, ...], characters: int, rounds: int, patterns: tuple[str, ...]
) -> Table:
    """Return the table of each pattern on texts that nearly match, with ``characters`` characters in total."""
    table = Table(
        "LIKE with many wildcards: ns of CPU a character",
        (
            "pattern",
            *(f"{length:,} characters" for length in lengths),
            f"Spark's LIKE, {OWN_LIMIT} characters",
            f"oracle, {lengths[-1]:,} characters",
        ),
        f"On {characters:,} characters in all, texts of the letter a, which match nearly. Linear in the text means "
        "that the figures of a row do not grow. Spark's own LIKE is given a tenth of the texts.",
        unit="ns a character, longest texts",
    )
    cpu = spark_cpu(spark)
    layout = layout_from_schema({"fields": [{"name": "t", "type": "string", "nullable": True, "metadata": {}}]})
    for pattern in patterns:
        sql = transpile_selector(f"t LIKE '{pattern}'", layout).sql
        found = []
        for length in lengths:
            frame = spark.range(max(1, characters // length)).selectExpr(
                f"concat(repeat('a', {length - 1}), id % 2) AS t"
            )
            [runs] = in_turn([counting(frame, sql)], cpu, rounds)
            found.append(runs.seconds / characters * 1e9)
        few = max(1, characters // OWN_LIMIT // 10)
        frame = spark.range(few).selectExpr(f"concat(repeat('a', {OWN_LIMIT - 1}), id % 2) AS t")
        [own] = in_turn([counting(frame, f"t LIKE '{pattern}'")], cpu, min(1, rounds))
        oracle = _oracle(pattern, lengths[-1])
        table.add(pattern, *found, own.seconds / few / OWN_LIMIT * 1e9, oracle)
        table.bars.append((pattern, found[-1], None))
    return table


def _oracle(pattern: str, length: int) -> float:
    tree = parse_selector(f"t LIKE '{pattern}'")
    message = Message(application_properties={"t": AmqpValue(AmqpType.STRING, "a" * (length - 1) + "0")})
    started = time.process_time()
    evaluate(tree, message)
    return (time.process_time() - started) / length * 1e9


def parts(
    spark: SparkSession, characters: int, rounds: int, lengths: tuple[int, ...], patterns: tuple[str, ...]
) -> Iterator[Table]:
    """Yield all tables of this benchmark."""
    yield growth(spark, lengths, characters, rounds, patterns)
