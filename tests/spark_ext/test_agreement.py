"""Spark's result for the emitted SQL is the reference evaluator's, for random selectors and messages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_ext import create_messages, infer_layout
from tests.compiler.layouts.written_rows import row_of
from tests.sizes import size
from tests.spark_ext import strategies
from tests.spark_ext.harness import INTERPRETED, answers, numbered
from tests.spark_ext.harness import settings as spark_settings
from transpiler import Message, evaluate, parse_selector, print_selector, transpile_selector
from transpiler.compiler.layouts.layout import Layout
from transpiler.message.types import AmqpType, AmqpValue, Truth

SELECTORS, MESSAGES = size(15, 20), 16
#: Number of examples. The full size tests over 20,000 pairs of a selector and a message on two layouts, in three
#: results each. Hypothesis begins with the simplest example, which tests nothing in Spark, so that each property has at
#: least two.
EXAMPLES = size(4, 12)

#: Hypothesis phases without shrinking, because each example runs Spark jobs. The assertion names the selector that
#: failed.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)

#: The receiver of the messages.
RECEIVER: dict[str, Any] = {"now": 1_750_000_000_000, "destination": "q"}


def expected(result: str, truth: Truth) -> Any:
    return truth if result == "ternary" else truth is True


def seen(result: str, answer: bool | None) -> Any:
    return answer if result != "filter" else answer is True


def assert_agreement(
    frame: DataFrame, layout: Layout | str, selectors: list[str], messages: list[Message], dialect: str = "jms"
) -> None:
    selectors = list(dict.fromkeys(selectors))
    options: dict[str, Any] = {**RECEIVER, "dialect": dialect}
    trees = [parse_selector(text, dialect) for text in selectors]
    truths = [[evaluate(tree, message, **options) for message in messages] for tree in trees]
    for result in ("filter", "boolean", "ternary"):
        texts = [transpile_selector(text, layout, result=result, missing="null", **options).sql for text in selectors]
        for text, sql, row, column in zip(selectors, texts, truths, answers(frame, texts), strict=True):
            wanted = [expected(result, truth) for truth in row]
            assert [seen(result, answer) for answer in column] == wanted, f"{result}: {text}\n{sql}"


@pytest.mark.parametrize("ansi", ["true", "false"])
@given(data=st.data())
@settings(max_examples=EXAMPLES // 2, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_the_canonical_layout(
    spark: SparkSession, ansi: str, data: st.DataObject
) -> None:
    trees = data.draw(
        st.lists(
            strategies.selectors(strategies.NAMES * 5 + strategies.HEADERS), min_size=SELECTORS, max_size=SELECTORS
        )
    )
    messages = data.draw(st.lists(strategies.messages, min_size=MESSAGES, max_size=MESSAGES))
    with spark_settings(spark, {"spark.sql.ansi.enabled": ansi, **INTERPRETED}):
        frame = numbered(create_messages(spark, messages))
        assert_agreement(frame, "amqp", [print_selector(tree) for tree in trees], messages)


#: Columns of every Spark type with an AMQP counterpart: the Spark type, the AMQP type, and the values.
_COLUMNS: dict[str, tuple[str, AmqpType, st.SearchStrategy[Any]]] = {
    "flag": ("boolean", AmqpType.BOOLEAN, st.booleans()),
    "tiny": ("tinyint", AmqpType.BYTE, st.integers(-128, 127)),
    "small": ("smallint", AmqpType.SHORT, st.integers(-(2**15), 2**15 - 1)),
    "i": ("int", AmqpType.INT, st.sampled_from((0, 1, -1, 5, 2**31 - 1, -(2**31)))),
    "n": ("bigint", AmqpType.LONG, strategies.integers),
    "f": ("float", AmqpType.FLOAT, strategies.doubles.map(strategies._rounded)),
    "x": ("double", AmqpType.DOUBLE, strategies.doubles),
    "s": ("string", AmqpType.STRING, strategies.texts),
    "l": ("string collate utf8_lcase", AmqpType.STRING, strategies.texts),
    "v": ("string", AmqpType.STRING, strategies.texts),
    "bin": ("binary", AmqpType.BINARY, st.sampled_from((b"", b"abc"))),
    # Header fields with values that no section of AMQP can contain, and one that AMQP has no field for.
    "JMSMessageID": ("string", AmqpType.STRING, strategies.texts),
    "JMSPriority": ("int", AmqpType.INT, st.sampled_from((0, 4, 9, 12, -1))),
    "JMSXRcvTimestamp": ("bigint", AmqpType.LONG, strategies.integers),
}


@st.composite
def flat_messages(draw: st.DrawFn) -> Message:
    values = {
        name: AmqpValue(kind, draw(strategy)) for name, (_, kind, strategy) in _COLUMNS.items() if draw(st.booleans())
    }
    return Message(application_properties=values)


@pytest.mark.parametrize("ansi", ["true", "false"])
@given(data=st.data())
@settings(max_examples=EXAMPLES // 2, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_typed_columns(spark: SparkSession, ansi: str, data: st.DataObject) -> None:
    names = (*_COLUMNS, "missing")
    trees = data.draw(st.lists(strategies.selectors(names), min_size=SELECTORS, max_size=SELECTORS))
    messages = data.draw(st.lists(flat_messages(), min_size=MESSAGES, max_size=MESSAGES))
    schema = StructType.fromDDL(", ".join(f"{name} {column[0]}" for name, column in _COLUMNS.items()))
    layout = infer_layout(schema)
    with spark_settings(spark, {"spark.sql.ansi.enabled": ansi, **INTERPRETED}):
        rows = [row_of(layout, message) for message in messages]
        frame, messages = numbered(spark.createDataFrame(rows, schema)), [layout.message(row) for row in rows]
        assert_agreement(frame, layout, [print_selector(tree) for tree in trees], messages)


def test_spark_collects_no_constants_of_a_sum_or_a_product(spark: SparkSession) -> None:
    most = 2**63 - 1
    selectors = [
        f"{most} + (5 + n) > 0",
        f"n + 5 + -5 = {most}",
        f"n + 1 + i + {most} > 0",
        f"(n + {most}) + (3 + i) > 0",
        f"1 + (n + ({most} + i)) > 0",
        f"n + {most} + i > 0",
        f"{most} + (n + (i + n)) > 0",
        "n + i + 5 > 0",
        f"2 * n * i * {2**61} <> 0",
        f"{2**62} * (2 * (n - n)) = 0",
        f"n * 4 * {2**61} = 0",
        f"n * -1 * -1 = {most}",
        f"({2**62} * i + 0) * 2 = 0",
        f"(1 * (n + {most})) + 3 > 0",
        f"-(n + 7) + {most} + 9 > 0",
    ]
    layout = infer_layout(StructType.fromDDL("n BIGINT, i INT"))
    numbers = (None, 0, 1, -1, -7, -1169, most, -most - 1, most - 5)
    messages = [Message.of(**{"n": n, "i": i}) for n in numbers for i in (None, 0, -3)]
    rows = [row_of(layout, message) for message in messages]
    frame = numbered(spark.createDataFrame(rows, "n BIGINT, i INT"))
    assert_agreement(frame, layout, selectors, [layout.message(row) for row in rows])


@given(data=st.data())
@settings(max_examples=max(2, EXAMPLES // 4), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_times_and_decimals(spark: SparkSession, data: st.DataObject) -> None:
    stored = st.one_of(st.none(), strategies.times)
    rows = data.draw(
        st.lists(
            st.tuples(stored, stored, st.one_of(st.none(), st.integers(-(10**6), 10**6))), min_size=12, max_size=12
        )
    )
    messages = [
        Message(
            application_properties={
                name: AmqpValue(
                    AmqpType.TIMESTAMP if name != "d" else AmqpType.DOUBLE, value if name != "d" else value / 100
                )
                for name, value in zip(("t", "w", "d"), row, strict=True)
                if value is not None
            }
        )
        for row in rows
    ]
    trees = data.draw(st.lists(strategies.selectors(("t", "w", "d")), min_size=20, max_size=20))
    staged = spark.createDataFrame(rows, "t bigint, w bigint, d bigint").selectExpr(
        "timestamp_millis(t) AS t",
        "timestampadd(MICROSECOND, w * 1000, TIMESTAMP_NTZ'1970-01-01 00:00:00') AS w",
        "CAST(d / 100 AS DECIMAL(12, 2)) AS d",
    )
    with spark_settings(spark, {**INTERPRETED, "spark.sql.session.timeZone": "America/New_York"}):
        assert_agreement(numbered(staged), infer_layout(staged), [print_selector(tree) for tree in trees], messages)
