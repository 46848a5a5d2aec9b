"""Comparisons and arithmetic of two properties, over pairs of values, in stores with types and in stores without."""

from __future__ import annotations

from itertools import product

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.compiler.stores.test_agreement import ALL_DIALECTS
from tests.sizes import randomness, sample, size
from tests.spark_ext.harness import answers, numbered
from tests.spark_ext.test_dialect_agreement import accepted
from transpiler import parse_selector, stores, transpile_selector
from transpiler.compiler.layouts.layout import Layout
from transpiler.language.selector.dialects import find_dialect
from transpiler.reference.evaluate import judge

#: Numbers of every spelling, integers that no double represents exactly, and texts that are almost numbers.
TEXTS = (
    *("7", "7.0", "07", "-1", "0", "-0.0", "1e2", ".5", "1e999"),
    *("9007199254740993", "9007199254740992.0", "9223372036854775808", "4611686018427387904"),
    *("", "5\n", "5d", "NaN", "1-2", "true", "blue"),
)
#: The same values in JSON, and values that only JSON has.
JSON = (
    *("7", "7.0", "-1", "0", "100.5", "9007199254740993", "9007199254740992.0", "9223372036854775808"),
    *("4611686018427387904", "1e300", '"7"', '"blue"', "true", "null", "[]"),
)
#: Values that only a VARIANT can contain: times, bytes, and floating-point numbers that JSON lacks.
VARIANTS = (
    *("timestamp_millis(1577836800000)", "timestamp_micros(1577836800000001)", "X'626C7565'"),
    *("CAST('NaN' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)", "CAST(0.1 AS FLOAT)", "9007199254740993"),
    *("9007199254740992D", "1577836800000", "1577836800000.5BD", "'blue'", "7", "true"),
)
#: Values in AMQP's encoding, and plain texts.
ENCODED = (
    *(b"\x61\x00\x05", b"\x82" + bytes.fromhex("401C000000000000"), b"\x41", b"\x40", b"\xa1\x01\x37"),
    *(b"\x83" + bytes(7) + b"\x07", b"\xa0\x01\x37", b"\x45", b"\x42", b"\xa1\x04true", b"\xa1\x04blue"),
    *(b"\x81\x00\x20\x00\x00\x00\x00\x00\x01", b"5", b"7", b"7.0", b"blue", b"true", b"9007199254740993"),
)

OPERATORS = ("=", "<>", "<", "<=", ">", ">=")
SELECTORS = (
    *(f"a {operator} b" for operator in OPERATORS),
    *(f"NOT (a {operator} b)" for operator in OPERATORS),
    *("a BETWEEN b AND 10", "a NOT BETWEEN b AND a", "NOT (5 BETWEEN a AND b)"),
    *("a = 7", "a <> 7", "a > 6.5", "a >= 9007199254740993", "NOT (a < 100)", "a BETWEEN 0 AND 10"),
    *("a = 1577836800000", "a = '7'", "a IN ('7', 'blue')", "a LIKE '7%'", "a", "NOT a", "a = TRUE", "a IS NULL"),
    *("a + b > 10", "a - b = 0", "a * b > 100", "a * b <= 100", "a / b >= 1", "NOT (a * b = 49)", "-a < b"),
)
#: Selectors for encoded values. Each dialect draws one of the comparisons of two encoded values, because the SQL of one
#: has 360,000 characters.
PAIRS_OF_ENCODED = ("a = b", "NOT (a = b)", "a >= b")
SELECTORS_OF_ENCODED = ("a = 7", "a > 9007199254740992", "a + 0 = 5", "NOT a")


def rows_of_pairs(spark: SparkSession, store: str) -> tuple[DataFrame, Layout]:
    """Return every pair of a store's values as properties ``a`` and ``b``, and the store's layout."""
    match store:
        case "text map":
            data = [({"a": a, "b": b},) for a, b in product(TEXTS, TEXTS)]
            return numbered(spark.createDataFrame(data, "p MAP<STRING, STRING>")), stores.text_map("p", types="by-use")
        case "parsed":
            data = [({"a": a, "b": b},) for a, b in product(TEXTS, TEXTS)]
            return numbered(spark.createDataFrame(data, "p MAP<STRING, STRING>")), stores.text_map("p", types="parsed")
        case "json":
            data = [(f'{{"a": {a}, "b": {b}}}',) for a, b in product(JSON, JSON)]
            return numbered(spark.createDataFrame(data, "js STRING")), stores.variant("js", json=True)
        case "variant":
            pairs = ", ".join(
                f"to_variant_object(named_struct('a', {a}, 'b', {b}))" for a, b in product(VARIANTS, VARIANTS)
            )
            return numbered(spark.sql(f"SELECT explode(array({pairs})) AS v")), stores.variant("v")
        case _:
            data = [([("a", a), ("b", b)],) for a, b in product(ENCODED, ENCODED)]
            frame = spark.createDataFrame(data, "headers ARRAY<STRUCT<key: STRING, value: BINARY>>")
            return numbered(frame), stores.kafka_headers(types="amqp")


@pytest.mark.parametrize("store", ["text map", "parsed", "json", "variant", "encoded"])
@pytest.mark.parametrize("dialect", ["jms", *[name for name in ALL_DIALECTS if name != "jms"][: size(1, 9)]])
def test_two_properties_are_compared_as_the_reference_compares_them(
    spark: SparkSession, store: str, dialect: str
) -> None:
    frame, layout = rows_of_pairs(spark, store)
    rules = find_dialect(dialect)
    if store == "encoded":
        texts = (randomness(dialect).choice(PAIRS_OF_ENCODED), *sample(SELECTORS_OF_ENCODED, 2))
    else:
        texts = tuple(sample(SELECTORS, 8))
    texts = accepted([parse_selector(text) for text in texts], dialect)
    messages = [layout.message(row) for row in sorted(frame.collect(), key=lambda row: row.id)]
    sqls = [transpile_selector(text, layout, dialect=dialect, result="ternary").sql for text in texts]
    wrong = {}
    for text, sql, column in zip(texts, sqls, answers(frame, sqls), strict=True):
        tree = parse_selector(text, dialect)
        for message, answer in zip(messages, column, strict=True):
            truth = judge(tree, message, rules).truth
            if truth is not answer:
                wrong.setdefault(text, []).append((message.application_properties, truth, answer, sql))
    assert wrong == {}, "\n".join(f"{text}: {len(found)}, {found[0]}" for text, found in wrong.items())
