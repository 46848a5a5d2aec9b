"""A user's own dialect, of any combination of known values, agrees with the reference evaluator or is rejected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from enum import Enum, Flag
from typing import Any, get_type_hints

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.sizes import size
from tests.spark_ext import strategies
from tests.spark_ext.harness import numbered
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import EXAMPLES, INTERPRETED, PHASES
from tests.spark_ext.test_dialect_agreement import accepted, assert_agreement
from transpiler import Dialect, Message, UnsupportedFeatureError, transpile_selector
from transpiler.language.selector.dialect_rules import Extension, FloatOrder, NullEquality, NumericPromotion
from transpiler.language.selector.dialects import DIALECTS, find_dialect
from transpiler.message.types import AmqpType, AmqpValue

SELECTORS, MESSAGES = size(5, 12), 16


def answers_of(name: str, kind: Any) -> list[Any]:
    """Return the possible values of a field: those of its enumeration, or those that the dialects have."""
    if isinstance(kind, type) and issubclass(kind, Enum) and not issubclass(kind, Flag):
        return list(kind)
    return list(dict.fromkeys(getattr(dialect, name) for dialect in DIALECTS.values()))


def questions() -> Iterator[tuple[str, list[Any]]]:
    """Yield each field of a dialect that is neither text nor a limit, with its possible values."""
    hints = get_type_hints(Dialect)
    for field in fields(Dialect):
        if hints[field.name] not in (str, int, int | None):
            yield field.name, answers_of(field.name, hints[field.name])


dialects = st.fixed_dictionaries({name: st.sampled_from(answers) for name, answers in questions()}).map(
    lambda answers: Dialect("own", **answers)
)


def refused(dialect: Dialect) -> str | None:
    """Return the message with which the compiler rejects ``dialect``; None if it accepts it."""
    try:
        transpile_selector("a = 1", dialect=dialect)
    except UnsupportedFeatureError as error:
        [finding] = error.diagnostics
        assert finding.code == "dialect.rules"
        return finding.message
    return None


@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_a_dialect_of_any_answers_agrees_or_is_refused(spark: SparkSession, data: st.DataObject) -> None:
    dialect = data.draw(dialects)
    message = refused(dialect)
    if message is not None:
        assert any(f"(its field {name})" in message for name, _ in questions())
        return
    names = strategies.NAMES + strategies.HEADERS
    trees = data.draw(
        st.lists(strategies.selectors(names, null_tests_any=True), min_size=SELECTORS, max_size=SELECTORS)
    )
    messages = data.draw(st.lists(strategies.messages, min_size=MESSAGES, max_size=MESSAGES))
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, messages))
        assert_agreement(frame, "amqp", dialect, accepted(trees, dialect), messages)


def test_a_string_of_a_function_is_no_character(spark: SparkSession) -> None:
    """A character is in the column of strings, and REPLACE has no result for it if the dialect has a character type."""
    java = find_dialect("qpid-java")
    dialect = replace(java, name="own", extensions=java.extensions | Extension.FUNCTIONS)
    messages = [
        Message(application_properties={"a": AmqpValue(kind, "x"), "b": AmqpValue(AmqpType.INT, 5)})
        for kind in (AmqpType.STRING, AmqpType.CHAR)
    ]
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, messages))
        assert_agreement(frame, "amqp", dialect, ["REPLACE(a, 'x', 'y') + b = 'y5'"], messages)


def test_a_right_operand_that_throws_beside_null(spark: SparkSession) -> None:
    """In some dialects ``b < 1`` is evaluated, and throws for bytes, even if ``a`` is NULL."""
    own = replace(find_dialect("activemq"), name="own", null_equality=NullEquality.UNKNOWN, float_order=FloatOrder.IEEE)
    values = [AmqpValue(AmqpType.BINARY, b"x"), AmqpValue(AmqpType.INT, 0), AmqpValue(AmqpType.STRING, "x"), None]
    messages = [
        Message(application_properties={**a, **({} if b is None else {"b": b})})
        for a in ({}, {"a": AmqpValue(AmqpType.BOOLEAN, True)})
        for b in values
    ]
    texts = [f"{a} {operator} ({b} < 1) OR c IS NULL" for a, b in ("ab", "ba") for operator in ("=", "<>")]
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, messages))
        for promotion in NumericPromotion:
            assert_agreement(frame, "amqp", replace(own, numeric_promotion=promotion), texts, messages)
