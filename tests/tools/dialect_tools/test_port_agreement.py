"""A selector that ports without a note selects the same messages in both brokers."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from operator import itemgetter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.conformance.vectors import all_messages, verdicts
from tests.sizes import randomness, sample, size
from tests.spark_ext import strategies
from transpiler import Message, TranspilerError, UnsupportedFeatureError, parse_selector, print_selector
from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Diagnostic
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Extension, ListMember
from transpiler.language.selector.dialects import DIALECTS, Dialect, find_dialect
from transpiler.message.receiver import Receiver
from transpiler.reference.evaluate import judge
from transpiler.tools.dialect_tools.port import port_selector
from transpiler.tools.lint.check import Checker

MESSAGES = size(6, 25)
NOW = 5
NAMES = ("a", "b", "c")
HEADERS = ("JMSPriority", "JMSType", "JMSCorrelationID", "JMSDeliveryMode", "JMSTimestamp", "JMSReplyTo")
EQUALITIES = (Comparison.EQ, Comparison.NE)


def _names(dialect: Dialect) -> st.SearchStrategy[ast.Expression]:
    found: list[ast.Expression] = [ast.Identifier(name) for name in NAMES]
    if dialect.fields.sections:
        found += [ast.Identifier(field, section="properties") for field in ("subject", "to")]
        found.append(ast.Identifier("priority", section="header"))
    else:
        found += [ast.Identifier(name) for name in HEADERS]
    return st.sampled_from(found)


def _selectors(dialect: Dialect) -> st.SearchStrategy[ast.Expression]:
    """Return a strategy for one to three tests of names, including constructs that only ``dialect`` has."""
    name = _names(dialect)
    text = st.sampled_from(("a", "abc", "5", "PERSISTENT", "x\ny", "")).map(ast.StringLiteral)
    number = st.sampled_from((0, 1, 5, -5, 127, 2**31 - 1, 2**53 + 1)).map(ast.IntegerLiteral)
    number |= st.sampled_from((0.5, 2.5, 1e10)).map(ast.FloatLiteral)
    value: st.SearchStrategy[ast.Expression] = st.one_of(text, number, st.booleans().map(ast.BooleanLiteral), name)
    operators = st.sampled_from([operator for operator in ast.Arithmetic if operator is not ast.Arithmetic.REMAINDER])
    total = st.builds(ast.Calculate, operators, name, number)
    patterns = st.sampled_from(("a%", "%b", "a_c", "a!%b", "a!bc", "abc", "%", "a%b%c")).map(ast.StringLiteral)
    escapes = st.sampled_from((None, ast.StringLiteral("!")))
    texts = st.lists(text, min_size=1, max_size=3).map(tuple)
    tests = [
        st.builds(ast.Compare, st.sampled_from(EQUALITIES), name, value),
        st.builds(ast.Compare, st.sampled_from(Comparison), name, number),
        st.builds(ast.Compare, st.sampled_from(Comparison), number, name),
        st.builds(ast.Compare, st.sampled_from(Comparison), total, number),
        st.builds(ast.Between, name, number, number, st.booleans()),
        st.builds(ast.In, name, texts, st.booleans()),
        st.builds(ast.Like, name, patterns, escapes, st.booleans()),
        st.builds(ast.IsNull, name, st.booleans()),
        name,
    ]
    if dialect.list_member is ListMember.ANY:
        members = st.lists(st.one_of(number, text), min_size=1, max_size=2).map(tuple)
        tests.append(st.builds(ast.In, name, members, st.booleans()))
    if dialect.has(Extension.FUNCTIONS):
        listed = texts.map(lambda items: ast.Call("MAKELIST", items))
        tests.append(st.builds(lambda items, tested: ast.Call("INLIST", (items, tested)), listed, name))
        regular = st.sampled_from(("^a", "^a.*c$", "abc$", "b")).map(ast.StringLiteral)
        tests.append(st.builds(lambda pattern, tested: ast.Call("REGEX", (pattern, tested)), regular, name))
    if dialect.has(Extension.NULL_LITERAL):
        joined = st.builds(ast.Calculate, st.just(ast.Arithmetic.ADD), text, text)
        tests.append(st.builds(ast.Compare, st.sampled_from(EQUALITIES), name, joined))
    test = st.one_of(*tests)
    inner = st.one_of(test, test.map(ast.Not))
    pairs = st.tuples(inner, inner)
    whole = st.one_of(inner, pairs.map(ast.And), pairs.map(ast.Or))
    return st.one_of(whole, whole.map(ast.Not), st.tuples(test, pairs.map(ast.Or)).map(ast.And))


def assert_same(text: str, source: str, target: str, messages: list[Message]) -> str:
    """Port a selector, and check that both sides select the same messages. Return the outcome."""
    try:
        ported = port_selector(text, source, target)
    except UnsupportedFeatureError as error:
        wrong = [item for item in error.diagnostics if not item.code.startswith("port.") or item.span is None]
        if wrong:
            pytest.fail(f"{text}: {wrong}")
        return "refused"
    before, after = parse_selector(text, source), parse_selector(ported.text, target)
    changes = [note for note in ported.notes if note.code.startswith("port.") and note.code != "port.unproved"]
    for message in messages if not changes else ():
        original = judge(before, message, find_dialect(source), Receiver(NOW))
        found = judge(after, message, find_dialect(target), Receiver(NOW))
        assert (original.truth is True) is (found.truth is True), (
            f"{source}: {text}\n{target}: {ported.text}\n{message}"
        )
    return "noted" if changes else "exact"


def _reads(text: str, source: str) -> bool:
    try:
        return parse_selector(text, source) is not None
    except TranspilerError:
        return False


#: Minimum percentage of random selectors that must port to each target, and minimum percentage that must port to at
#: least one target without a note.
LEAST_PORTED = size(1, 20)
LEAST_EXACT = size(0, 10)
#: Step through the selectors for each other dialect: in a sample every fourth.
STRIDE = size(4, 1)


@pytest.mark.parametrize("source", sample(DIALECTS, 3))
def test_random_selectors_select_the_same_messages_where_they_port_without_a_note(source: str) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    dialect = find_dialect(source)
    others = [name for name in DIALECTS if name != source]

    @given(
        st.lists(_selectors(dialect), min_size=8, max_size=8),
        st.lists(strategies.messages, min_size=MESSAGES, max_size=MESSAGES),
    )
    @settings(max_examples=size(2, 3), phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck))
    def check(trees: list[ast.Expression], messages: list[Message]) -> None:
        texts = [text for tree in trees if _reads(text := print_selector(tree, dialect), source)]
        for number, text in enumerate(texts):
            for target in others[number % STRIDE :: STRIDE]:
                counts[target, "tried"] += 1
                counts[target, assert_same(text, source, target, messages)] += 1

    check()
    shares = []
    for target in others:
        tried, exact = counts[target, "tried"], counts[target, "exact"]
        assert tried >= size(3, 10), target
        assert 100 * (exact + counts[target, "noted"]) // tried >= LEAST_PORTED, (target, counts)
        shares.append(100 * exact // tried)
    # For some targets, few random selectors have an equivalent.
    assert max(shares) >= LEAST_EXACT, counts


#: Selectors that compare a header field with a value that clients send or never send, in dialects with JMS names and
#: with others.
TYPED = (
    "JMSPriority > 4",
    "JMSPriority = 9 OR a = 1",
    "JMSPriority > 12",
    "JMSPriority = 'high'",
    "JMSType = 'order'",
    "JMSType = 5",
    "JMSType LIKE 'a%' AND b > 5",
    "JMSCorrelationID IN ('x', 'y')",
    "JMSDeliveryMode = 'PERSISTENT'",
    "JMSDeliveryMode = 'x'",
    "JMSDeliveryMode = 2",
    "JMSReplyTo = 'queue://a'",
    "JMSReplyTo IS NOT NULL AND a = 1",
    "JMSRedelivered = 'x'",
    "JMSTimestamp >= 1700000000000",
    "JMSTimestamp = 'x'",
    "JMSXGroupID = 'g' AND NOT JMSXGroupSeq > 5",
    "JMSXGroupSeq = 'x'",
    "JMSXDeliveryCount > 1",
    "JMSMessageID = 'ID:1'",
    "header.priority > 4",
    "header.priority > 12",
    "properties.subject = 'order' AND properties.group_id = 'g'",
    "a = 5 AND a = 6",
    "a = 1 OR b = 2 AND c = 3",
)


def _reported(text: str, dialect: str) -> list[Diagnostic]:
    """Return the diagnostics of ``check`` for a selector."""
    return [one.diagnostic for one in Checker().check(text, [find_dialect(dialect)]).findings]


def assert_no_surprise(text: str, source: str, target: str) -> str:
    """Port a selector, and compare its notes with the diagnostics of ``check`` before and after. Return the outcome.

    After a port without notes, ``check`` must report nothing in the target that it does not report in the source.
    """
    try:
        ported = port_selector(text, source, target)
    except UnsupportedFeatureError:
        return "refused"
    after, before = _reported(ported.text, target), {one.code for one in _reported(text, source)}
    surprises = [one for one in after if one.code not in before]
    reported = [note for note in ported.notes if not note.code.startswith("port.")]
    assert [(one.code, one.span) for one in surprises] == [(note.code, note.span) for note in reported], (
        f"{source}: {text}\n{target}: {ported.text}"
    )
    assert all(note.source is not None and note.source.text == ported.text for note in reported)
    return "told" if reported else "noted" if ported.notes else "same"


def test_check_finds_nothing_in_what_was_ported_as_the_same() -> None:
    outcomes: Counter[str] = Counter()

    @given(st.sampled_from(list(DIALECTS)).flatmap(lambda source: st.tuples(st.just(source), _trees(source))))
    @settings(
        max_examples=size(3, 40), phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck)
    )
    def check(drawn: tuple[str, list[ast.Expression]]) -> None:
        source, trees = drawn
        others = [name for name in DIALECTS if name != source]
        texts = [text for tree in trees if _reads(text := print_selector(tree, find_dialect(source)), source)]
        for number, text in enumerate(texts):
            for target in others[number % STRIDE :: STRIDE]:
                outcomes[assert_no_surprise(text, source, target)] += 1

    check()
    assert outcomes["told"] + outcomes["same"] > 5, outcomes
    outcomes.clear()
    for number, (source, text) in enumerate(sample(product(DIALECTS, TYPED), 60, itemgetter(0))):
        others = [name for name in DIALECTS if name != source]
        if _reads(text, source):
            for target in others[number % STRIDE :: STRIDE]:
                outcomes[assert_no_surprise(text, source, target)] += 1
    assert outcomes["same"] > 20, outcomes
    assert outcomes["told"] > size(1, 5), outcomes


def _trees(source: str) -> st.SearchStrategy[list[ast.Expression]]:
    return st.lists(_selectors(find_dialect(source)), min_size=4, max_size=4)


@cache
def _of_vectors() -> tuple[str, ...]:
    """Return the distinct selectors of the vectors in an order that mixes their files."""
    return tuple(sorted({row.selector for row in verdicts("qpid-cpp")}, key=lambda text: (hash_of(text), text)))


def hash_of(text: str) -> int:
    """Return a number for ``text`` that is the same in every run."""
    return sum((index + 1) * ord(character) for index, character in enumerate(text)) * 2654435761 % 2**32


@pytest.mark.parametrize("source", sample(sorted(DIALECTS, reverse=True), 3))
def test_the_brokers_own_cases_select_the_same_messages(source: str) -> None:
    messages, draw = all_messages(), randomness(source)
    step, tries = size(700, 150), size(60, 100)
    found: Counter[str] = Counter()
    for index, target in enumerate(name for name in DIALECTS if name != source):
        texts = [text for text in _of_vectors()[index * 7 :: step] if _reads(text, source)]
        tried = [assert_same(text, source, target, draw.sample(messages, tries)) for text in texts]
        assert tried.count("refused") < len(tried), target
        found.update(tried)
    assert found["exact"] + found["noted"] >= sum(found.values()) * 6 // 10
    assert found["exact"] >= size(1, 3)
