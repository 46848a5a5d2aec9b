"""Binding keys as words: with each broker's separator and wildcards, with and without a queue in the address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import TopologyError
from transpiler.base.topics import MANY_WORDS, ONE_WORD, AnyWord, TopicPattern, is_wild
from transpiler.language.binding_rules import HeadersMatch, TopicRules, read_headers_match
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.broker_rules import ACTIVEMQ, ARTEMIS, QPID_JAVA, RABBITMQ

BY_NAME = {
    "artemis": ARTEMIS.topic,
    "artemis with slashes": ARTEMIS.with_words("/+?").topic,
    "artemis without wildcards": ARTEMIS.with_words("").topic,
    "activemq": ACTIVEMQ.topic,
    "rabbitmq": RABBITMQ.topic,
    "qpid-java": QPID_JAVA.topic,
}
JMS = {name: topic for name, topic in BY_NAME.items() if topic.syntax.escape}
WORDS = st.sampled_from([ONE_WORD, MANY_WORDS, "*", "#", ">", "+", "?", "a", "", "\\", "\\*", "\\\\#", "a*"])


@given(pattern=st.lists(WORDS, min_size=1, max_size=4).map(tuple), queue=st.none() | WORDS | st.just("b.c/d"))
@pytest.mark.parametrize("topic", JMS.values(), ids=JMS)
def test_a_key_reads_back_as_its_words(topic: TopicRules, pattern: TopicPattern, queue: str | AnyWord | None) -> None:
    queue = queue if topic.queue_mark else None
    key = topic.key(pattern, queue)
    expected = pattern if queue is None else (queue, *pattern)
    assert topic.pattern(key) == expected
    literal = topic.literal(key)
    assert (literal is None) is is_wild(expected)
    assert literal is None or topic.words(literal) == expected


@pytest.mark.parametrize(
    ("rules", "key", "words"),
    [
        ("rabbitmq", "", ()),
        ("rabbitmq", "a.*.#", ("a", ONE_WORD, MANY_WORDS)),
        ("rabbitmq", r"\*.a::b", (r"\*", "a::b")),
        ("qpid-java", "a..", ("a",)),
        ("qpid-java", "..", ()),
        ("artemis", "a.#::q.1", ("q.1", "a", MANY_WORDS)),
        ("artemis", "a::*", (ONE_WORD, "a")),
        ("artemis", r"a::\*", ("*", "a")),
        ("artemis with slashes", "a.b/+/?", ("a.b", ONE_WORD, MANY_WORDS)),
        ("activemq", "a.>", ("a", MANY_WORDS)),
        ("activemq", r"a.\>", ("a", ">")),
        ("activemq", "a::b.#", ("a::b", "#")),
    ],
)
def test_a_binding_key_has_words(rules: str, key: str, words: TopicPattern) -> None:
    assert BY_NAME[rules].pattern(key) == words


@pytest.mark.parametrize(
    ("rules", "name", "words"),
    [
        ("artemis", "a.#", ("a", MANY_WORDS)),
        ("artemis without wildcards", "a.#", ("a", "#")),
        ("artemis with slashes", "a/#/?", ("a", "#", MANY_WORDS)),
        ("activemq", r"a.\>", ("a", r"\>")),
    ],
)
def test_the_name_of_an_address_is_a_pattern_where_the_broker_says_so(
    rules: str, name: str, words: TopicPattern
) -> None:
    assert BY_NAME[rules].name_pattern(name) == words


@pytest.mark.parametrize(("name", "mode"), [("x-match", "any"), ("X-Match", "any"), ("x-match", "ANY")])
def test_broker_j_alone_reads_x_match_in_any_case(name: str, mode: str) -> None:
    """For other brokers, a name in capitals is a header, and a mode in capitals is rejected."""
    asked = AmqpValue(AmqpType.STRING, "x")
    arguments = {name: AmqpValue(AmqpType.STRING, mode), "a": asked}
    assert read_headers_match(arguments, QPID_JAVA) == HeadersMatch(True, (("a", asked),))
    if mode == "ANY":
        with pytest.raises(TopologyError, match="x-match cannot have the value 'ANY'"):
            read_headers_match(arguments, RABBITMQ)
    else:
        found = read_headers_match(arguments, RABBITMQ)
        assert found.any is (name == "x-match")
        assert dict(found.pairs).keys() == {"a", name} - {"x-match"}
