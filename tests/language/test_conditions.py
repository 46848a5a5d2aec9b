"""A condition accepts the messages of its filter or binding: it agrees with a matcher that has no conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import independent_matcher
from tests.routing import topologies
from tests.sizes import size
from tests.spark_ext import strategies
from tests.spark_ext.test_filters import canonical_messages, filters
from transpiler.language.conditions import FIELD_TESTS, NO_MESSAGE, ROUTING_KEY, All, Condition, Not, every_test
from transpiler.language.filters.kinds import (
    AndFilter,
    ApplicationPropertiesFilter,
    Consumer,
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
    StreamFilter,
    Suffix,
    TopicBinding,
)
from transpiler.language.selector.dialects import DIALECTS, JMS
from transpiler.message.message import Message
from transpiler.message.sections import Properties
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.conditions import holds, matches_words
from transpiler.topology.broker_rules import RULES, Rules
from transpiler.topology.exchange_types import EXCHANGE_KINDS, ExchangeType
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Exchange, Queue

NAMES = ("a", "b", "abc", "i", "l", "s")
STREAM_VALUE = "x-stream-filter-value"

stream_values = st.sampled_from(("eu", "us", ""))
own_filters: st.SearchStrategy[Filter] = st.one_of(
    st.builds(StreamFilter, st.lists(stream_values, min_size=1, max_size=3).map(tuple), st.booleans()),
    st.sampled_from(("a = 1", "properties.subject LIKE 'a%'", "b IS NULL OR i > 2")).map(SqlFilter),
)
every_filter: st.SearchStrategy[Filter] = st.one_of(
    filters(NAMES, NAMES),
    own_filters,
    st.lists(st.one_of(filters(NAMES, NAMES), own_filters), max_size=3).map(lambda all_: AndFilter(tuple(all_))),
    st.lists(st.one_of(filters(NAMES, NAMES), own_filters), max_size=3).map(lambda all_: OrFilter(tuple(all_))),
    own_filters.map(NotFilter),
)


@st.composite
def messages_of_streams(draw: st.DrawFn) -> Message:
    """Draw a message with or without the annotation of a stream, which may be null or of another type."""
    message = draw(canonical_messages)
    value = draw(
        st.one_of(
            st.none(),
            stream_values.map(lambda text: AmqpValue(AmqpType.STRING, text)),
            st.just(AmqpValue(AmqpType.NULL, None)),
            strategies.values,
        )
    )
    if value is None:
        return message
    return replace(message, message_annotations={**(message.message_annotations or {}), STREAM_VALUE: value})


def typed(kind: AmqpType, value: Any) -> AmqpValue:
    return AmqpValue(kind, value)


TEXT, NULL = AmqpType.STRING, typed(AmqpType.NULL, None)
VALUES = (
    typed(TEXT, "a"),
    typed(TEXT, "abc"),
    typed(TEXT, "cba"),
    typed(AmqpType.SYMBOL, "a"),
    typed(AmqpType.BINARY, b"a"),
    typed(AmqpType.LONG, 1),
    typed(AmqpType.INT, 1),
    typed(AmqpType.DOUBLE, 1.0),
    typed(AmqpType.FLOAT, 1.0),
    typed(AmqpType.ULONG, 2**64 - 1),
    typed(AmqpType.LONG, -1),
    typed(AmqpType.BOOLEAN, True),
    NULL,
)
REFERENCES = (*VALUES, Prefix("a"), Prefix(""), Suffix("a"), Suffix(""))
KEYS = ("", "a", "a.b", "#", "*", "#.#", "#.a", "a.#", "*.#")
#: Filters of each kind: one for each possible value, key and text.
FILTERS: tuple[Filter, ...] = (
    *map(DirectBinding, KEYS),
    *map(TopicBinding, KEYS),
    NoLocal(),
    *(HeadersBinding(how, pairs) for how in Match for value in VALUES for pairs in ((("n", value), ("x-n", value)),)),
    *(HeadersBinding(how, (("n", VALUES[0]), ("m", NULL))) for how in Match),
    *(HeadersBinding(how) for how in Match),
    *(ApplicationPropertiesFilter((("n", reference),)) for reference in REFERENCES),
    ApplicationPropertiesFilter((("n", VALUES[0]), ("m", NULL))),
    ApplicationPropertiesFilter(()),
    *(PropertiesFilter((("subject", reference),)) for reference in REFERENCES if reference != NULL),
    PropertiesFilter((("subject", VALUES[0]), ("to", Prefix("a")))),
    PropertiesFilter((("message_id", typed(AmqpType.ULONG, 1)),)),
    *(StreamFilter(values, unfiltered) for values in (("a",), ("a", "abc")) for unfiltered in (False, True)),
    JmsSelector("n = 'a'"),
    JmsSelector(" "),
    SqlFilter("n LIKE 'a%'"),
)
MESSAGES = (
    *(Message(properties=Properties(subject=subject)) for subject in (None, *KEYS, "b.a", "abc")),
    *(Message(application_properties={name: value}) for value in VALUES for name in ("n", "m", "x-n", "q")),
    *(Message(application_properties={"n": VALUES[0], "m": value}) for value in VALUES),
    *(Message(message_annotations={STREAM_VALUE: value}) for value in VALUES),
    *(
        Message(message_annotations={"x-opt-publisher-connection": value})
        for value in (typed(TEXT, "c1"), typed(AmqpType.SYMBOL, "c1"), typed(TEXT, "c2"), typed(TEXT, "C1"), NULL)
    ),
    Message(properties=Properties(subject="a", to="abc", message_id=typed(AmqpType.LONG, 1))),
    Message(),
)


@pytest.mark.parametrize("negated", [False, True])
def test_each_kind_of_filter_on_each_message_is_answered_as_its_clause_says(negated: bool) -> None:
    for node in FILTERS:
        whole = NotFilter(node) if negated else node
        condition = whole.condition(Consumer(JMS, "c1"))
        for message in MESSAGES:
            expected = independent_matcher.match_filter(whole, message, JMS, "c1")
            assert holds(condition, message) is expected, f"{whole}\n{condition}\n{message}: the clause says {expected}"


def bindings_of(rules: Rules, exchange_type: ExchangeType) -> Iterator[Binding]:
    """Yield bindings to an exchange of a type that the broker has: with keys, headers, a query and a selector."""
    kind = EXCHANGE_KINDS[exchange_type]
    if kind.compares_headers:
        modes = [None, "all", "any"] + (["all-with-x", "any-with-x"] if rules.headers.with_x else [])
        names = ("n", "x-n") if rules.subject_header is None else ("n", "x-n", rules.subject_header)
        for mode in modes:
            match = {} if mode is None else {"x-match": typed(TEXT, mode)}
            yield Binding("own", "q", "a", match)
            for name, value in product(names, (*VALUES, typed(TEXT, ""))):
                yield Binding("own", "q", "a", {**match, name: value})
                yield Binding("own", "q", "a", {**match, name: value, "m": NULL})
        return
    for key in KEYS:
        queries = (None, "declare variable $n external; $n = 'a'") if kind.evaluates_query else (None,)
        for query in queries:
            asked = {} if query is None else {"xquery": typed(TEXT, query)}
            selectors = ("n = 'a'",) if kind.requires_selector else ("n = 'a'", None)
            for selector in selectors if exchange_type in rules.selector_types else (None,):
                given = {} if selector is None else {"x-filter-jms-selector": typed(TEXT, selector)}
                yield Binding("own", "q", key, {**asked, **given})


@pytest.mark.parametrize("broker", sorted(RULES))
def test_each_type_of_exchange_on_each_message_is_answered_as_its_clause_says(broker: str) -> None:
    rules = RULES[broker]
    published = (*((key,) for key in (None, *KEYS, "b.a")), (), ("a", "b.a"), (None, "a.b"))
    for exchange_type in rules.types:
        bindings = tuple(bindings_of(rules, exchange_type))
        if rules.topic.drops_trailing_empty_words:
            bindings = tuple(one for one in bindings if rules.topic.pattern(one.key) or not one.key)
        topology = Topology(rules, (Exchange("own", exchange_type),), (Queue("q"),), bindings)
        messages = MESSAGES if EXCHANGE_KINDS[exchange_type].compares_headers else (Message.of(n="a"), Message())
        for binding, message, keys in product(bindings, messages, published if len(messages) == 2 else (("a",),)):
            expected = independent_matcher.match_binding(topology, binding, message, keys)
            asked = topology.condition(binding)
            assert holds(asked, message, keys) is expected, f"{binding}\n{asked}\n{message} {keys}: {expected}"


@given(every_filter, st.lists(messages_of_streams(), min_size=1, max_size=8), st.sampled_from(("c1", "c2")))
def test_the_condition_of_a_filter_holds_where_the_filter_matches(
    node: Filter, messages: list[Message], connection: str
) -> None:
    condition = node.condition(Consumer(JMS, connection))
    for message in messages:
        expected = independent_matcher.match_filter(node, message, JMS, connection)
        assert holds(condition, message) is expected, f"{node}\n{condition}\n{message}"


@pytest.mark.parametrize("broker", sorted(topologies.BROKERS_BY_NAME))
@given(data=st.data())
@settings(max_examples=size(15, 60))
def test_the_condition_of_a_binding_holds_where_the_binding_matches(broker: str, data: st.DataObject) -> None:
    rules = topologies.BROKERS_BY_NAME[broker]
    topology = data.draw(topologies.topologies(rules, choosing=True))
    several = st.lists(st.one_of(st.none(), topologies.keys), max_size=3).map(tuple)
    for message in data.draw(st.lists(topologies.messages(), min_size=1, max_size=4)):
        keys = data.draw(several)
        for binding in topology.bindings:
            expected = independent_matcher.match_binding(topology, binding, message, keys)
            found = holds(topology.condition(binding), message, keys)
            assert found is expected, f"{broker}: {binding}\n{topology.condition(binding)}\n{message}\n{keys}"


words = st.lists(st.sampled_from(("a", "b", "", "é", "\n")), max_size=5)


@pytest.mark.parametrize("broker", sorted(RULES))
@given(st.lists(st.sampled_from(("a", "b", "", "*", "#", ">", "é")), max_size=6).map(".".join), words)
def test_words_match_as_a_regular_expression_says(broker: str, key: str, found: list[str]) -> None:
    pattern = RULES[broker].topic.pattern(key)
    assert matches_words(pattern, found) is independent_matcher.matches_words(pattern, found), (key, found)


@pytest.mark.parametrize("broker", sorted(RULES))
def test_each_type_of_exchange_has_a_condition_of_its_own_parts(broker: str) -> None:
    rules = RULES[broker]
    for exchange_type in rules.types:
        kind = EXCHANGE_KINDS[exchange_type]
        exchange = Exchange("own", exchange_type)
        arguments = {"x-match": "all", "color": "red", "xquery": "true()", "x-filter-jms-selector": "a = 1"}
        typed = {name: AmqpValue(AmqpType.STRING, text) for name, text in arguments.items()}
        binding = Binding("own", "q", "a.b", typed)
        asked = Topology(rules, (exchange,), (Queue("q"),), (binding,)).condition(binding)
        message_fields = [
            message_field
            for test in every_test(asked)
            if isinstance(test, FIELD_TESTS)
            for message_field in test.message_fields
        ]
        assert (ROUTING_KEY in message_fields) is (kind.key.value != "none")
        assert any(message_field.field == "color" for message_field in message_fields) is kind.compares_headers
        kinds = {type(test).__name__ for test in every_test(asked)}
        assert ("Query" in kinds) is kind.evaluates_query
        assert ("Selector" in kinds) is (exchange_type in rules.selector_types)


def test_a_condition_compares_by_value_and_not_by_its_place_in_a_text() -> None:
    first, second = (SqlFilter("a = 1", path=path).condition(Consumer()) for path in ("filters.a", "filters.b"))
    assert first == second
    assert hash(first) == hash(second)


def test_each_test_of_a_field_hides_its_place_in_a_text() -> None:
    for kind in FIELD_TESTS:
        [path] = [each for each in fields(kind) if each.name == "path"]
        assert not path.compare
        assert not path.repr


@pytest.mark.parametrize(
    ("condition", "answer"),
    [(All(), True), (NO_MESSAGE, False), (All((NO_MESSAGE,)), False), (Not(All()), False)],
)
def test_junctions_without_terms_take_every_message_or_none(condition: Condition, answer: bool) -> None:
    assert holds(condition, Message()) is answer


def test_selectors_of_a_filter_are_of_its_own_dialect() -> None:
    [asked] = every_test(SqlFilter("a = 1").condition(Consumer(DIALECTS["activemq"])))
    assert asked.dialect.name == "rabbitmq"  # type: ignore[union-attr]
