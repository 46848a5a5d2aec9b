"""Compiled filters over text of mixed kinds against hand-written ones, for each policy that converts text to values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from tests.benchmarks.filters import counting
from tests.benchmarks.measure import Table, in_turn, ratio, spark_cpu
from transpiler import Layout, stores, transpile_selector

#: Text as senders write it: integers, fractions, words, nothing, booleans, dates and identifiers.
_TEXTS = ("7", "7.5", "many", "", "true", "2024-01-01", "-3", "eu-west", "12", "3f2c-77", "false", "1e3", "red", "0")
#: The same kinds of values as JSON, among them words that are not JSON.
_JSON = ("7", "7.5", '"many"', '""', "true", '"2024-01-01"', "-3", "eu-west", "12", "null", "false", "1e3", "red", "0")

#: The filter by hand for ``p * q > 100``, over the text of ``p`` and of ``q``, after its test for numbers.
_NUMBERS = "{p} RLIKE '^[-+.0-9eE]+$' AND {q} RLIKE '^[-+.0-9eE]+$'"
_PRODUCT = f"{_NUMBERS} AND try_cast({{p}} AS DOUBLE) * try_cast({{q}} AS DOUBLE) > 100"
_ORDER = f"{_NUMBERS} AND try_cast({{p}} AS DOUBLE) >= try_cast({{q}} AS DOUBLE)"
#: The filter by hand for numbers in a VARIANT, after its test of the types.
_IN_VARIANT = " AND ".join(
    f"schema_of_variant(variant_get(v, '$.{name}')) NOT IN ('STRING', 'BOOLEAN')" for name in "pq"
)
#: The text of a Kafka header as an engineer would look it up.
_HEADER = "CAST(filter(headers, h -> h.key = '{}')[0].value AS STRING)"


def _double(name: str) -> str:
    return f"try_cast(variant_get(v, '$.{name}') AS DOUBLE)"


#: For each policy, a selector over the properties ``p`` and ``q`` and the filter that an engineer would write for the
#: same meaning.
QUERIES = (
    ("string", "p = 'red'", "t['p'] = 'red'"),
    ("by-use", "p > 5", "t['p'] RLIKE '^[-+.0-9eE]+$' AND try_cast(t['p'] AS DOUBLE) > 5"),
    ("by-use", "p = TRUE", "lower(t['p']) = 'true'"),
    ("by-use", "p + 1 > 5", "t['p'] RLIKE '^[-+.0-9eE]+$' AND try_cast(t['p'] AS DOUBLE) + 1 > 5"),
    ("by-use", "p * q > 100", _PRODUCT.format(p="t['p']", q="t['q']")),
    ("by-use", "p >= q", _ORDER.format(p="t['p']", q="t['q']")),
    ("by-use, Kafka", "p * q > 100", _PRODUCT.format(p=_HEADER.format("p"), q=_HEADER.format("q"))),
    ("parsed", "p > 5", "t['p'] RLIKE '^ *[-+0-9][-+.0-9eE]* *$' AND try_cast(t['p'] AS DOUBLE) > 5"),
    ("json", "p > 5", "t['p'] RLIKE '^[-0-9][-+.0-9eE]*$' AND try_cast(t['p'] AS DOUBLE) > 5"),
    ("json", "p = 'many'", "t['p'] LIKE '\"%' AND get_json_object(t['p'], '$') = 'many'"),
    ("VARIANT", "p >= q", f"{_IN_VARIANT} AND {_double('p')} >= {_double('q')}"),
    ("VARIANT", "p * q > 100", f"{_IN_VARIANT} AND {_double('p')} * {_double('q')} > 100"),
    ("BIGINT", "p > 5", "t['p'] RLIKE '^[+-]?[0-9]+$' AND try_cast(t['p'] AS BIGINT) > 5"),
    ("INT", "p BETWEEN 5 AND 9", "t['p'] RLIKE '^[+-]?[0-9]+$' AND try_cast(t['p'] AS INT) BETWEEN 5 AND 9"),
    ("DOUBLE", "p > 5", "t['p'] RLIKE '^[-+.0-9]' AND try_cast(t['p'] AS DOUBLE) > 5"),
    ("BOOLEAN", "p = TRUE", "lower(t['p']) IN ('true', 't', 'yes', 'y', '1')"),
)


def _layout(policy: str) -> Layout:
    if policy == "VARIANT":
        return stores.variant("v")
    if policy.endswith(", Kafka"):
        return stores.kafka_headers("headers", types=policy.removesuffix(", Kafka"))
    return stores.text_map("t", types=policy if policy.islower() else {"p": policy})


def mixed_texts(spark: SparkSession, count: int, texts: Sequence[str] = _TEXTS) -> DataFrame:
    """Return ``count`` messages whose properties ``p`` and ``q`` are among ``texts``.

    They are stored as a map (``t``), as headers of Kafka (``headers``) and as a VARIANT (``v``).
    """
    written = ", ".join("'" + text + "'" for text in texts)
    p, q = (f"array({written})[CAST({row} % {len(texts)} AS INT)]" for row in ("id", "id DIV 3"))
    headers = ", ".join(f"named_struct('key', '{key}', 'value', CAST({key} AS BINARY))" for key in "pq")
    members = ", ".join(f"'{key}', try_parse_json({key})" for key in "pq")
    return (
        spark.range(count)
        .selectExpr(f"{p} AS p", f"{q} AS q")
        .selectExpr(
            "map('p', p, 'q', q) AS t",
            f"array({headers}) AS headers",
            f"to_variant_object(named_struct({members})) AS v",
        )
    )


def policies_table(spark: SparkSession, directory: Path, count: int, rounds: int, least: float) -> Table:
    """Return the table of each query over ``count`` messages: compiled, and by hand."""
    table = Table(
        f"Compiled filters over text of mixed kinds against hand-written ones, {count:,} messages",
        ("policy", "selector", "compiled, messages/s a core", "by hand", "ratio", "ns a message more"),
        "A map from text to text in Parquet, in which each message has one of fourteen texts: integers, fractions, "
        "words, booleans, dates. By hand is a filter that tests the text before it converts it. CPU seconds; a ratio "
        "is the "
        f"median over {rounds} rounds. Target: at most 2.5 where the selector calculates, 1.2 otherwise.",
        unit="compiled / by hand, CPU",
    )
    cpu = spark_cpu(spark)
    frames = {}
    for kind, texts in (("text", _TEXTS), ("json", _JSON)):
        target = str(directory / f"policies-{kind}")
        mixed_texts(spark, count, texts).coalesce(1).write.mode("overwrite").parquet(target)
        frames[kind] = spark.read.parquet(target)
    for policy, selector, by_hand in QUERIES:
        frame = frames["json" if policy in ("json", "VARIANT") else "text"]
        ours = transpile_selector(selector, _layout(policy)).sql
        first, second = in_turn([counting(frame, text) for text in (ours, by_hand)], cpu, rounds, least)
        if first.result != second.result:
            raise AssertionError(f"{policy}, {selector}: {first.result} and {second.result}")
        found = ratio(first, second)
        more = (first.seconds - second.seconds) / count * 1e9
        table.add(policy, selector, count / first.seconds, count / second.seconds, found, more)
        table.bars.append((f"{policy}: {selector}", found, 2.5 if set("+*") & set(selector) else 1.2))
    return table
