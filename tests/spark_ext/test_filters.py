"""Spark's result for a filter's SQL is the reference matcher's, for random nested filters and messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_ext import SelectorWarning, compile_filter, create_messages, infer_layout
from tests.sizes import size
from tests.spark_ext import strategies
from tests.spark_ext.harness import answers, numbered
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import EXAMPLES, INTERPRETED, PHASES
from tests.spark_ext.test_plans import pushed_filters
from transpiler import Message, matches, print_selector, transpile_filter
from transpiler.compiler.layouts.layout import Layout
from transpiler.language.filters.kinds import (
    AndFilter,
    ApplicationPropertiesFilter,
    DirectBinding,
    Filter,
    HeadersBinding,
    JmsSelector,
    Match,
    NoLocal,
    NotFilter,
    OrFilter,
    Prefix,
    PropertiesFilter,
    SqlFilter,
    Suffix,
    TopicBinding,
)
from transpiler.message.sections import PROPERTY_TYPES, Header, Properties
from transpiler.message.types import AmqpType, AmqpValue

FILTERS, MESSAGES = size(20, 40), 16
CONNECTIONS = ("c1", "c2")

words = st.sampled_from(("a", "b", "", "é", "\n", "a+", "$", "stock"))
subjects = st.lists(words, min_size=1, max_size=6).map(".".join)
patterns = st.lists(st.one_of(words, st.sampled_from("##**")), min_size=1, max_size=6).map(".".join)
#: Values of every type, often values that also occur in messages.
values = st.one_of(
    strategies.values,
    st.sampled_from((1, 5, 0)).map(lambda number: AmqpValue(AmqpType.LONG, number)),
    st.sampled_from((0.5, 1.0)).map(lambda number: AmqpValue(AmqpType.DOUBLE, number)),
    st.sampled_from(("a", "abc")).map(lambda text: AmqpValue(AmqpType.STRING, text)),
)
affixes = st.one_of(st.builds(Prefix, strategies.texts), st.builds(Suffix, strategies.texts))

_TYPED: dict[AmqpType, st.SearchStrategy[Any]] = {
    AmqpType.STRING: strategies.texts,
    AmqpType.SYMBOL: st.sampled_from(("a", "abc")),
    AmqpType.ULONG: st.sampled_from((0, 5, 2**64 - 1)),
    AmqpType.UINT: strategies.uints,
    AmqpType.UUID: st.sampled_from(strategies.UUIDS),
    AmqpType.BINARY: st.sampled_from(strategies.BYTES),
    AmqpType.TIMESTAMP: st.sampled_from((0, 1, -1, 1_750_772_279_000)),
}


def property_references(name: str) -> st.SearchStrategy[Any]:
    typed = st.one_of(
        *(_TYPED[kind].map(lambda value, kind=kind: AmqpValue(kind, value)) for kind in PROPERTY_TYPES[name])
    )
    return st.one_of(typed, affixes) if AmqpType.STRING in PROPERTY_TYPES[name] else typed


def property_filters() -> st.SearchStrategy[PropertiesFilter]:
    field = st.sampled_from(tuple(PROPERTY_TYPES)).flatmap(
        lambda name: property_references(name).map(lambda reference: (name, reference))
    )
    return st.lists(field, max_size=2, unique_by=lambda pair: pair[0]).map(
        lambda fields: PropertiesFilter(tuple(fields))
    )


def pairs(names: tuple[str, ...], references: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(st.tuples(st.sampled_from(names), references), max_size=3, unique_by=lambda pair: pair[0]).map(
        tuple
    )


def filters(names: tuple[str, ...], selector_names: tuple[str, ...]) -> st.SearchStrategy[Filter]:
    """Return a strategy for nested filters of every kind."""
    leaves: st.SearchStrategy[Filter] = st.one_of(
        st.builds(DirectBinding, subjects),
        st.builds(TopicBinding, patterns),
        st.just(TopicBinding("#")),
        st.builds(HeadersBinding, st.sampled_from(Match), pairs((*names, "x-a"), values)),
        st.just(NoLocal()),
        strategies.selectors(selector_names).map(print_selector).map(JmsSelector),
        property_filters(),
        st.builds(ApplicationPropertiesFilter, pairs(names, st.one_of(values, affixes))),
    )

    def combine(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
        several = st.lists(inner, max_size=3).map(tuple)
        return st.one_of(inner.map(NotFilter), several.map(OrFilter), several.map(AndFilter))

    return st.recursive(leaves, combine, max_leaves=5)


def assert_agreement(frame: DataFrame, layout: Layout | str, nodes: list[Filter], messages: list[Message]) -> None:
    expected = [[matches(node, message, connection="c1") for message in messages] for node in nodes]
    for result in ("filter", "boolean", "ternary"):
        texts = [transpile_filter(node, layout, result=result, missing="null", connection="c1").sql for node in nodes]
        for node, sql, row, column in zip(nodes, texts, expected, answers(frame, texts), strict=True):
            seen = [answer is True for answer in column] if result == "filter" else column
            assert seen == row, f"{result}: {node}\n{sql}"


canonical_messages = st.builds(
    lambda message, subject, connection, properties: Message(
        header=message.header,
        message_annotations=(
            message.message_annotations
            if connection is None
            else {**(message.message_annotations or {}), "x-opt-publisher-connection": connection}
        ),
        properties=(
            message.properties if subject is None else Properties(subject=subject, to="a", message_id=properties)
        ),
        application_properties=message.application_properties,
    ),
    strategies.messages,
    st.one_of(st.none(), subjects),
    st.one_of(
        st.none(),
        st.sampled_from(CONNECTIONS).map(lambda name: AmqpValue(AmqpType.STRING, name)),
        st.sampled_from(
            (AmqpValue(AmqpType.SYMBOL, "c1"), AmqpValue(AmqpType.LONG, 1), AmqpValue(AmqpType.NULL, None))
        ),
    ),
    strategies.ids,
)


@pytest.mark.parametrize("ansi", ["true", "false"])
@given(data=st.data())
@settings(max_examples=max(2, EXAMPLES // 4), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_the_canonical_layout(
    spark: SparkSession, ansi: str, data: st.DataObject
) -> None:
    names = strategies.NAMES + strategies.HEADERS
    nodes = data.draw(st.lists(filters(strategies.NAMES, names), min_size=FILTERS, max_size=FILTERS))
    messages = data.draw(st.lists(canonical_messages, min_size=MESSAGES, max_size=MESSAGES))
    with spark_settings(spark, {"spark.sql.ansi.enabled": ansi, **INTERPRETED}):
        frame = numbered(create_messages(spark, messages))
        assert_agreement(frame, "amqp", nodes, messages)


#: Columns in addition to a properties section: the Spark type, the AMQP type, and the values.
_COLUMNS: dict[str, tuple[str, AmqpType, st.SearchStrategy[Any]]] = {
    "flag": ("boolean", AmqpType.BOOLEAN, st.booleans()),
    "n": ("bigint", AmqpType.LONG, strategies.integers),
    "i": ("int", AmqpType.INT, st.sampled_from((0, 1, 5))),
    "f": ("float", AmqpType.FLOAT, strategies.doubles.map(strategies._rounded)),
    "x": ("double", AmqpType.DOUBLE, strategies.doubles),
    "s": ("string", AmqpType.STRING, strategies.texts),
    "l": ("string collate utf8_lcase", AmqpType.STRING, strategies.texts),
    "bin": ("binary", AmqpType.BINARY, st.sampled_from((b"", b"abc"))),
}


@st.composite
def flat_messages(draw: st.DrawFn) -> Message:
    found = {
        name: AmqpValue(kind, draw(strategy)) for name, (_, kind, strategy) in _COLUMNS.items() if draw(st.booleans())
    }
    connection = draw(st.sampled_from((None, *CONNECTIONS)))
    annotation = {"x-opt-publisher-connection": AmqpValue(AmqpType.STRING, connection)} if connection else None
    return Message(
        message_annotations=annotation,
        properties=draw(
            st.one_of(
                st.none(), strategies.properties, st.builds(Properties, subject=subjects, user_id=st.just(b"abc"))
            )
        ),
        application_properties=found,
    )


@given(data=st.data())
@settings(max_examples=max(2, EXAMPLES // 4), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_typed_columns(spark: SparkSession, data: st.DataObject) -> None:
    names = (*_COLUMNS, "missing")
    nodes = data.draw(st.lists(filters(names, names), min_size=FILTERS, max_size=FILTERS))
    messages = data.draw(st.lists(flat_messages(), min_size=MESSAGES, max_size=MESSAGES))
    schema = StructType.fromDDL(
        ", ".join(f"{name} {column[0]}" for name, column in _COLUMNS.items()) + ", `x-opt-publisher-connection` string"
    )
    staged = create_messages(spark, messages).select("properties")
    schema = StructType([*schema.fields, *staged.schema.fields])
    layout = infer_layout(schema)
    with spark_settings(spark, INTERPRETED):
        rows = [flat_row(message) for message in messages]
        columns = numbered(spark.createDataFrame(rows, StructType(schema.fields[:-1])))
        frame = columns.join(numbered(staged), "id").coalesce(1)
        assert_agreement(frame, layout, nodes, messages)


def flat_row(message: Message) -> dict[str, Any]:
    row = {name: value.value for name, value in (message.application_properties or {}).items()}
    connection = (message.message_annotations or {}).get("x-opt-publisher-connection")
    return row | {"x-opt-publisher-connection": connection.value if connection else None}


@pytest.mark.parametrize(
    ("node", "pushed"),
    [
        (DirectBinding("usd.stock"), "EqualTo(properties.subject,usd.stock)"),
        (TopicBinding("usd.stock"), "EqualTo(properties.subject,usd.stock)"),
        (TopicBinding("usd.#"), "Or(EqualTo(properties.subject,usd),StringStartsWith(properties.subject,usd.))"),
        (TopicBinding("usd.*.#"), "StringStartsWith(properties.subject,usd.)"),
        (NotFilter(DirectBinding("a")), "Or(Not(EqualTo(properties.subject,a)),IsNull(properties.subject))"),
        (PropertiesFilter((("subject", Prefix("usd")),)), "StringStartsWith(properties.subject,usd)"),
    ],
    ids=str,
)
def test_a_binding_reaches_the_file_reader(spark: SparkSession, tmp_path: Any, node: Filter, pushed: str) -> None:
    create_messages(spark, [Message(), Message(properties=Properties(subject="usd"))]).write.parquet(
        str(tmp_path / "m")
    )
    frame = spark.read.parquet(str(tmp_path / "m"))
    assert pushed in pushed_filters(frame.filter(compile_filter(node)))


def test_an_sql_filter_is_read_in_its_own_dialect(spark: SparkSession) -> None:
    node = SqlFilter("properties.subject LIKE 'usd%' AND header.priority > 4")
    messages = [
        Message(header=Header(priority=priority), properties=Properties(subject=subject))
        for priority in (4, 5)
        for subject in ("usd.stock", "eur")
    ]
    expected = [matches(node, message) for message in messages]
    assert expected == [False, False, True, False]
    frame = create_messages(spark, messages).select(compile_filter(node, result="boolean"))
    assert [row[0] for row in frame.collect()] == expected


def test_a_filter_that_is_left_out_is_a_warning(spark: SparkSession) -> None:
    frame = create_messages(spark, [Message(), Message(properties=Properties(subject="usd"))])
    filters = {"t": DirectBinding("usd"), "u": {"descriptor": "example.com:x", "value": None}}
    with pytest.warns(SelectorWarning, match=r"filters\.u: there is no filter with the descriptor") as warned:
        column = compile_filter(filters, unknown="ignore")
    assert [str(Path(entry.filename).name) for entry in warned] == [Path(__file__).name]
    assert (
        frame.filter(column).count()
        == frame.filter(~compile_filter(DirectBinding("usd"), result="boolean")).count()
        == 1
    )
