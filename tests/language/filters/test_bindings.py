"""Direct, topic and headers bindings in Spark and in the reference evaluator agree with three brokers' exchanges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.conformance.test_bindings import delivers
from tests.language.filters import vectors
from tests.spark_ext.harness import answers, numbered
from transpiler import Message, matches, transpile_filter
from transpiler.base.topics import TOPIC_SYNTAX, simplify_words
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.lowering.conditions import KeyText
from transpiler.compiler.lowering.operands import from_value
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.compiler.sql import emit_boolean
from transpiler.language.conditions import ROUTING_KEY, key_matches
from transpiler.language.filters.kinds import Filter, TopicBinding
from transpiler.message.operand_types import OperandType
from transpiler.topology.broker_rules import RULES


def spark_answers(spark: SparkSession, filters: Sequence[Filter], messages: Sequence[Message]) -> list[list[bool]]:
    frame = numbered(create_messages(spark, messages))
    texts = [transpile_filter(node, result="boolean", connection="c").sql for node in filters]
    return answers(frame, texts)


def test_the_three_exchanges_differ_in_empty_words_only() -> None:
    assert len(vectors.topics()) == 4070
    causes = Counter(
        (exchange, why)
        for row in vectors.topics()
        for exchange in row["matches"]
        if (why := vectors.cause(exchange, row))
    )
    assert causes == vectors.DIFFERENT_TOPICS


def test_the_reference_answers_every_pair_as_the_default_decides() -> None:
    for row in vectors.topics():
        found = matches(TopicBinding(row["binding"]), vectors.with_subject(row["routing_key"]))
        assert found is row["matches"]["qpid-cpp"], row


def test_spark_answers_every_pair_as_the_default_decides(spark: SparkSession) -> None:
    patterns = sorted({row["binding"] for row in vectors.topics()})
    keys = sorted({row["routing_key"] for row in vectors.topics()})
    columns = spark_answers(spark, [TopicBinding(p) for p in patterns], [vectors.with_subject(k) for k in keys])
    found = dict(zip(patterns, (dict(zip(keys, column, strict=True)) for column in columns), strict=True))
    for row in vectors.topics():
        assert found[row["binding"]][row["routing_key"]] is row["matches"]["qpid-cpp"], row


@pytest.mark.parametrize("exchange", ["qpid-cpp", "qpid-java", "rabbitmq"])
def test_spark_answers_every_pair_by_each_brokers_rules(spark: SparkSession, exchange: str) -> None:
    patterns = sorted({row["binding"] for row in vectors.topics() if row["matches"][exchange] != "error"})
    keys: list[str | None] = [None, *sorted({row["routing_key"] for row in vectors.topics()})]
    frame = numbered(spark.createDataFrame([(key,) for key in keys], "s string"))
    subject = KeyText(from_value(OperandType.STRING, ir.Column(("s",), STRING)))
    texts = [
        emit_boolean(optimize(subject.matches(key_matches(ROUTING_KEY, pattern, RULES[exchange]), polarity)))
        for polarity in (True, False)
        for pattern in patterns
    ]
    columns = answers(frame, texts)
    positive = dict(zip(patterns, (dict(zip(keys, column, strict=True)) for column in columns), strict=False))
    for row in vectors.topics():
        if row["binding"] in positive:
            assert positive[row["binding"]][row["routing_key"]] is row["matches"][exchange], row
    for pattern in patterns:
        assert positive[pattern][None] is delivers(exchange, "topic", pattern, {}), pattern
    for accepted, refused in zip(columns[: len(patterns)], columns[len(patterns) :], strict=True):
        assert accepted == [not answer for answer in refused]


def test_the_suites_of_the_exchanges_hold_but_for_the_rows_listed(spark: SparkSession) -> None:
    rows = [row for row in vectors.bindings() if row["kind"] in ("direct", "topic", "headers")]
    cases = [vectors.case(row) for row in rows]
    assert len(rows) == 798
    assert sum(vectors.contradicted(row) for row in rows) == len(vectors.CONTRADICTED)
    expected = [row["expected"] is not vectors.contradicted(row) for row in rows]
    assert [matches(node, message) for node, message in cases] == expected
    filters, messages = list(dict.fromkeys(node for node, _ in cases)), [message for _, message in cases]
    columns = dict(zip(filters, spark_answers(spark, filters, messages), strict=True))
    assert [columns[node][number] for number, (node, _) in enumerate(cases)] == expected


@pytest.mark.parametrize("row", [row for row in vectors.bindings() if row["kind"] == "topic-normalize"], ids=str)
def test_a_pattern_is_simplified_as_the_cpp_exchange_does_it(row: dict[str, str]) -> None:
    assert TOPIC_SYNTAX.text(simplify_words(TOPIC_SYNTAX.pattern(row["binding"]))) == row["expected"]


def test_a_topic_pattern_takes_time_in_proportion_to_the_subject(spark: SparkSession) -> None:
    """With backtracking, the time would be a power of the length, and these matches would never end."""
    patterns = ("#.a.#.b.#.c", "#.a.#.a.#.a.#.a.#.a.#.b", "#.a.*.*.*.b", "*.#.*.a.*.#.c.#.d.*.#", "a.#.a.#.a.#.b")
    length = 100_000
    subjects = (".".join("a" * length), ".".join("a" * length + "bc"), "x" * 10 * length, "." * length)
    messages = [vectors.with_subject(subject) for subject in subjects]
    columns = spark_answers(spark, [TopicBinding(pattern) for pattern in patterns], messages)
    expected = [[matches(TopicBinding(pattern), message) for message in messages] for pattern in patterns]
    assert columns == expected
    assert expected[0] == [False, True, False, False]
