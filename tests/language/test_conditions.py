"""A condition asks what its filter or binding asks: the evaluator agrees with a matcher that knows no conditions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import independent_matcher
from tests.routing import topologies
from tests.spark_ext import strategies
from tests.spark_ext.test_filters import canonical_messages, filters
from transpiler.language.conditions import NO_MESSAGE, PLACE_TESTS, ROUTING_KEY, All, Any, Condition, every_test
from transpiler.language.filters.kinds import AndFilter, Consumer, Filter, NotFilter, OrFilter, SqlFilter, StreamFilter
from transpiler.language.selector.dialects import DIALECTS, JMS
from transpiler.message.message import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.conditions import holds, matches_words
from transpiler.topology.broker_rules import RULES
from transpiler.topology.exchange_types import EXCHANGE_KINDS
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
    """A message with or without the annotation of a stream, which may be null or of another type."""
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
        places = [place for test in every_test(asked) if isinstance(test, PLACE_TESTS) for place in test.places]
        assert (ROUTING_KEY in places) is (kind.key.value != "none")
        assert any(place.field == "color" for place in places) is kind.compares_headers
        kinds = {type(test).__name__ for test in every_test(asked)}
        assert ("Query" in kinds) is kind.evaluates_query
        assert ("Selector" in kinds) is (exchange_type in rules.selector_types)


def test_a_condition_compares_by_value_and_not_by_its_place_in_a_text() -> None:
    first, second = (SqlFilter("a = 1", path=path).condition(Consumer()) for path in ("filters.a", "filters.b"))
    assert first == second
    assert hash(first) == hash(second)


@pytest.mark.parametrize(
    ("condition", "answer"), [(All(), True), (Any(), False), (NO_MESSAGE, False), (All((Any(),)), False)]
)
def test_junctions_without_terms_take_every_message_or_none(condition: Condition, answer: bool) -> None:
    assert holds(condition, Message()) is answer


def test_selectors_of_a_filter_are_of_its_own_dialect() -> None:
    [asked] = every_test(SqlFilter("a = 1").condition(Consumer(DIALECTS["activemq"])))
    assert asked.dialect.name == "rabbitmq"  # type: ignore[union-attr]
