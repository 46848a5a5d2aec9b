"""Application properties that also have their own columns: the same results, and row groups can be skipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.conformance.vectors import DIALECTS
from tests.spark_ext import strategies
from tests.spark_ext.harness import numbered
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import EXAMPLES, INTERPRETED, PHASES
from tests.spark_ext.test_dialect_agreement import accepted, assert_agreement
from tests.spark_ext.test_plans import pushed_filters
from transpiler import LayoutError, Message
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.columns import SIMPLE_TYPES
from transpiler.message.types import AmqpType, AmqpValue

SELECTORS, MESSAGES = 16, 16
#: Columns of the properties that ``typed_messages`` draws, each of one type.
OF_ONE_TYPE = {
    "flag": "BOOLEAN",
    "b": "TINYINT",
    "sh": "SMALLINT",
    "i": "INT",
    "n": "BIGINT",
    "f": "FLOAT",
    "x": "DOUBLE",
    "s": "STRING",
    "bin": "BINARY",
}
MIXED = {"a": "STRING", "b": "BIGINT", "c": "DOUBLE", "d": "BOOLEAN"}


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@settings(max_examples=max(1, EXAMPLES // 12), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_promoted_properties_of_one_type_answer_as_the_reference(
    spark: SparkSession, dialect: str, data: st.DataObject
) -> None:
    names = (*OF_ONE_TYPE, "missing", "JMSPriority")
    trees = data.draw(st.lists(strategies.selectors(names), min_size=SELECTORS, max_size=SELECTORS))
    messages = data.draw(st.lists(strategies.typed_messages(), min_size=MESSAGES, max_size=MESSAGES))
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, messages, promote=OF_ONE_TYPE))
        assert_agreement(frame, AmqpLayout(promoted=OF_ONE_TYPE), dialect, accepted(trees, dialect), messages)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@settings(max_examples=max(1, EXAMPLES // 12), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_mixed_properties_answer_as_the_reference(spark: SparkSession, dialect: str, data: st.DataObject) -> None:
    trees = data.draw(st.lists(strategies.selectors(strategies.NAMES), min_size=SELECTORS, max_size=SELECTORS))
    messages = data.draw(st.lists(strategies.messages, min_size=MESSAGES, max_size=MESSAGES))
    layout = AmqpLayout(promoted=MIXED, mixed=frozenset(MIXED))
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, messages, promote=MIXED, mixed=MIXED))
        assert_agreement(frame, layout, dialect, accepted(trees, dialect), messages)


@pytest.mark.parametrize(
    ("selector", "mixed", "pushed"),
    [
        ("color = 'red'", (), "EqualTo(color,red)"),
        ("color LIKE 're%' AND weight > 2500", (), "GreaterThan(weight,2500)"),
        ("color IN ('red', 'blue')", ("color",), "In(color, [blue,red])"),
        ("color = 'red' AND other = 5", ("color",), "EqualTo(color,red)"),
    ],
)
def test_the_file_reader_gets_the_predicate_on_a_promoted_property(
    spark: SparkSession, tmp_path: Path, selector: str, mixed: tuple[str, ...], pushed: str
) -> None:
    from spark_ext import compile_selector

    promoted = {"color": "STRING", "weight": "BIGINT"}
    messages = [Message(application_properties={"color": AmqpValue(AmqpType.STRING, "red")})]
    create_messages(spark, messages, promote=promoted, mixed=mixed).write.parquet(str(tmp_path / "rows"))
    frame = spark.read.parquet(str(tmp_path / "rows"))
    layout = AmqpLayout(promoted=promoted, mixed=frozenset(mixed))
    assert pushed in pushed_filters(frame.filter(compile_selector(selector, layout)))


REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"promoted": {"a": "TIMESTAMP"}}, "the promoted property a cannot have the type TIMESTAMP"),
    ({"promoted": {"header": "STRING"}}, "a property called header cannot be promoted to a column"),
    ({"promoted": {}, "mixed": frozenset({"a"})}, "the property a is listed in mixed, but is not promoted to a column"),
    ({"promoted": {"a": "INT"}, "mixed": frozenset({"a"})}, "the mixed property a cannot have the type INT"),
)


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_a_promotion_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        AmqpLayout(**options)


@pytest.mark.parametrize("type_name", SIMPLE_TYPES)
def test_a_value_of_another_type_than_its_column_is_refused(type_name: str) -> None:
    layout = AmqpLayout(promoted={"a": type_name})
    with pytest.raises(
        LayoutError, match=f"the property a has the type uuid, but its column of the type {type_name} stores only"
    ):
        layout.row(
            Message.from_dict(
                {"application_properties": {"a": {"type": "uuid", "value": "0123abcd-0123-0123-0123-0123456789ab"}}}
            )
        )
    assert layout.row(Message())["a"] is None
