"""The automaton of topic patterns accepts a key for exactly those patterns that match the key."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler.base.topics import MANY_WORDS, ONE_WORD, TOPIC_SYNTAX, TopicPattern
from transpiler.reference.conditions import matches_words
from transpiler.routing import tuning
from transpiler.routing.topic_automaton import (
    FREE,
    TopicAutomaton,
    TopicAutomatonBuilder,
    matches_topic,
    position_edges,
)

KEYS = st.lists(st.sampled_from(["a", "b", "c", "unbound"]), max_size=5)
PATTERNS = st.lists(st.sampled_from(["a", "b", "c", ONE_WORD, MANY_WORDS]), max_size=5).map(tuple)


def matched(trie: TopicAutomaton, root: int, words: list[str]) -> set[int]:
    """Return the patterns that end in the automaton's states after ``words``, as the SQL finds them."""
    codes = {word: code for code, word in enumerate(trie.words, 1)}
    states = trie.starts.get(root, [])
    for word in words:
        following = []
        for state in states:
            index = state + codes.get(word, 0)
            edge = index < len(trie.owners) and trie.owners[index] == state
            following += trie.lists[trie.following[index] if edge else trie.otherwise[state]]
        states = following
    found = [pattern for state in states if state % 2 for pattern in trie.ends[state]]
    if not trie.repeats:
        assert len(set(found)) == len(found)
    return set(found)


@given(pattern=PATTERNS, words=KEYS)
def test_a_key_that_is_known_matches_as_the_reference_says(pattern: TopicPattern, words: list[str]) -> None:
    assert matches_topic(pattern, words) == matches_words(pattern, words)


@given(
    patterns=st.lists(st.tuples(st.integers(0, 1), PATTERNS), max_size=30), keys=st.lists(KEYS, min_size=1, max_size=10)
)
def test_the_automaton_finds_exactly_the_patterns_that_match_a_key(
    patterns: list[tuple[int, TopicPattern]], keys: list[list[str]]
) -> None:
    builder = TopicAutomatonBuilder()
    for number, (root, pattern) in enumerate(patterns):
        builder.add(root, pattern, number)
    trie = builder.build()
    for key in keys:
        for root in (0, 1):
            expected = {
                number for number, (at, pattern) in enumerate(patterns) if at == root and matches_words(pattern, key)
            }
            assert matched(trie, root, key) == expected


@pytest.mark.parametrize(
    ("pattern", "shorter"),
    [("#.*", "*.#"), ("a.#.*.b", "a.*.#.b"), ("#.*.*.#.a", "*.*.#.a"), ("#.#.#", "#"), ("#.*.#.#", "*.#")],
)
def test_patterns_that_match_the_same_keys_have_one_automaton(pattern: str, shorter: str) -> None:
    """A ``#`` stands behind each ``*`` beside it, because a key then reaches a state on fewer paths."""
    found = []
    for text in (pattern, shorter):
        builder = TopicAutomatonBuilder()
        builder.add(0, TOPIC_SYNTAX.pattern(text), 0)
        found.append(builder.build())
    assert found[0] == found[1]


@given(
    states=st.lists(st.tuples(st.sets(st.integers(1, 40), max_size=8), st.booleans()), max_size=60),
    chunk=st.sampled_from((2, 16, tuning.CHUNK_POSITIONS)),
)
def test_each_edge_has_a_place_of_its_own(states: list[tuple[set[int], bool]], chunk: int) -> None:
    codes, odd = [found for found, _ in states], [odd for _, odd in states]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "CHUNK_POSITIONS", chunk)
        begins, owners = position_edges([dict.fromkeys(found) for found in codes], odd)
    assert len(set(begins)) == len(states)
    assert [begin % 2 == 1 for begin in begins] == odd
    assert {begin + code: begin for begin, found in zip(begins, codes, strict=True) for code in found} == {
        index: owner for index, owner in enumerate(owners) if owner != FREE
    }


def test_the_edge_table_has_few_free_slots() -> None:
    """States with a few edges each, to a thousand different words, so that the edges of one state are far apart."""
    draw = random.Random(0)
    edges = [dict.fromkeys(draw.sample(range(1, 1_001), draw.choice((1, 1, 2, 5, 20)))) for _ in range(2_000)]
    _, owners = position_edges(edges, [draw.random() < 0.5 for _ in edges])
    assert len(owners) < 2 * sum(map(len, edges))


@pytest.mark.parametrize("beside", ["*", "*.b{}.*"], ids=["queues", "words"])
def test_the_automaton_grows_with_the_patterns(beside: str) -> None:
    """Many queues or words follow a ``*``.

    If a state combined them with each word at the same position, they would be repeated for each word.
    """
    patterns = [TOPIC_SYNTAX.pattern(text.format(n)) for n in range(3_000) for text in (beside, "a{}.#")]
    builder = TopicAutomatonBuilder()
    for number, pattern in enumerate(patterns):
        builder.add(0, pattern, number)
    trie = builder.build()
    numbers = len(trie.owners) + sum(map(len, trie.lists)) + sum(map(len, trie.ends))
    assert numbers < (tuning.AUTOMATON_ROOM + 4) * sum(map(len, patterns))
    for key in (["a5"], ["a5", "b7", "x"], ["x", "b7", "x"], ["x"], []):
        assert matched(trie, 0, key) == {number for number, found in enumerate(patterns) if matches_words(found, key)}
