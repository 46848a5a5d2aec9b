"""A condition that is said to be never true, always true or implied is so for every value, in every dialect."""

from __future__ import annotations

import math
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from transpiler import TranspilerError, parse_selector
from transpiler.lint.selector_rules import lint
from transpiler.message.message import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge
from transpiler.reference.operands import BrokerError, from_amqp
from transpiler.selector import ast
from transpiler.selector.dialects import DIALECTS, Dialect
from transpiler.selector.satisfiability import (
    Contradiction,
    Implication,
    find_redundancy,
    meaning_of,
)
from transpiler.selector.value_sets import (
    EVERYTHING,
    NOTHING,
    ValueSet,
    intersection,
    ordinal,
    prefixed,
    texts,
    union,
)
from transpiler.source import Source

TEXTS = ("", "a", "ab", "abc", "b", "a\n", "ab\0c", "é", "\U0010ffff", "5", "true", "PERSISTENT", "DURABLE")
INTEGERS = (-1, 0, 1, 2, 3, 5, 2**24, 2**24 + 1, 2**53, 2**53 + 1)
FLOATS = (0.0, -0.0, 1.0, 1.5, 2.0, 5.0, 16777216.0, 2.0**53, math.nan, math.inf, -math.inf)
VALUES: tuple[AmqpValue | None, ...] = (
    None,
    AmqpValue(AmqpType.BOOLEAN, True),
    AmqpValue(AmqpType.BOOLEAN, False),
    *(AmqpValue(AmqpType.LONG, number) for number in (*INTEGERS, -(2**63), 2**63 - 1)),
    *(AmqpValue(kind, number) for kind in (AmqpType.BYTE, AmqpType.SHORT, AmqpType.INT) for number in (0, 1, 2, 5)),
    AmqpValue(AmqpType.ULONG, 2**64 - 1),
    AmqpValue(AmqpType.TIMESTAMP, 5),
    *(AmqpValue(AmqpType.DOUBLE, number) for number in FLOATS),
    *(AmqpValue(AmqpType.FLOAT, number) for number in (1.0, 1.5, 16777216.0, math.nan)),
    *(AmqpValue(AmqpType.STRING, text) for text in TEXTS),
    AmqpValue(AmqpType.SYMBOL, "ab"),
    AmqpValue(AmqpType.CHAR, "a"),
    AmqpValue(AmqpType.BINARY, b"ab"),
    AmqpValue(AmqpType.BINARY, b"\xff"),
    AmqpValue(AmqpType.UUID, UUID(int=5)),
)
MESSAGES = tuple(Message(application_properties={} if value is None else {"a": value}) for value in VALUES)
NUMBERS = ("0", "1", "2", "5", "-1", "1.5", "5.0", "0.0", "-0.0", "16777217", "9007199254740993", "9007199254740992.0")

_signs = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
_numbers = st.sampled_from(NUMBERS)
_quoted = st.sampled_from(["'a'", "'ab'", "''", "'5'", "'b'", "'PERSISTENT'"])
_patterns = st.sampled_from(["'a%'", "'ab%'", "'%'", "'_'", "'ab'", "'%b'", "'a_'", "''", "'a%c'", "'_%'", "'é%'"])
_no = st.sampled_from(["", "NOT "])
_atoms = st.one_of(
    st.builds("a {} {}".format, _signs, _numbers),
    st.builds("{1} {0} a".format, _signs, _numbers),
    st.builds("a {} {}".format, st.sampled_from(["=", "<>"]), st.one_of(_quoted, st.sampled_from(["TRUE", "FALSE"]))),
    st.builds("{1} {0} a".format, st.sampled_from(["=", "<>"]), _quoted),
    st.builds("a {}BETWEEN {} AND {}".format, _no, _numbers, _numbers),
    st.builds("a {}IN ({}, {})".format, _no, _quoted, _quoted),
    st.builds("a {}LIKE {}".format, _no, _patterns),
    st.sampled_from(["a", "a IS NULL", "a IS NOT NULL", "a + 1 > 2", "b = 1", "a = b", "TRUE", "NOT a"]),
)
_conditions = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        st.builds("NOT ({})".format, inner),
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: "(" + " AND ".join(parts) + ")"),
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: "(" + " OR ".join(parts) + ")"),
    ),
    max_leaves=8,
)


def _truth(tree: ast.Expression, message: Message, dialect: Dialect) -> bool:
    return judge(tree, message, dialect).truth is True


def _has(values: ValueSet, value: AmqpValue | None, dialect: Dialect) -> bool:
    """Return True if a set has what a dialect takes a property for."""
    try:
        found = from_amqp(value, dialect, "a")
    except BrokerError:
        return values.others
    content = None if found is None else found.value
    match content:
        case None:
            return values.missing
        case bool():
            return values.true if content else values.false
        case int():
            return any(low <= content <= high for low, high in values.integers)
        case float() if math.isnan(content):
            return values.nan
        case float():
            return any(low <= ordinal(content) <= high for low, high in values.floats)
        case str() if found is not None and found.type.value == "string":
            return any(low <= content and (high is None or content < high) for low, high in values.strings)
        case _:
            return values.others


@given(_conditions, st.sampled_from(list(DIALECTS)))
@settings(max_examples=size(60, 1_000))
def test_a_meaning_has_every_value_for_which_the_broker_answers_so(text: str, name: str) -> None:
    dialect = DIALECTS[name]
    try:
        tree = parse_selector(text, dialect)
    except TranspilerError:
        return
    assert tree is not None
    condition = meaning_of(tree, dialect)
    if condition.name == (None, "b"):
        return
    true, false, unknown, thrown = condition.meaning
    for value, message in zip(VALUES, MESSAGES, strict=True):
        verdict = judge(tree, message, dialect)
        wanted = thrown if verdict.thrown else {True: true, False: false, None: unknown}[verdict.truth]
        assert _has(wanted, value, dialect), (value, verdict, condition.meaning)


@given(_conditions, st.sampled_from(list(DIALECTS)))
@settings(max_examples=size(60, 1_000))
def test_no_finding_is_false_for_any_value(text: str, name: str) -> None:
    dialect = DIALECTS[name]
    try:
        tree = parse_selector(text, dialect)
    except TranspilerError:
        return
    assert tree is not None
    for finding in find_redundancy(tree, dialect):
        for message in MESSAGES:
            match finding:
                case Contradiction(term=term, others=others):
                    assert not _truth(ast.And((*others, term)), message, dialect), (finding, message)
                case Implication(term=term, by=by, junction=junction):
                    first, second = (by, term) if isinstance(junction, ast.And) else (term, by)
                    if _truth(first, message, dialect):
                        assert _truth(second, message, dialect), (finding, message)
                case _:
                    assert _truth(finding.node, message, dialect), (finding, message)


#: The selector, and the codes of its warnings by dialect; a dialect that is not named has none.
EVERYWHERE = " ".join(DIALECTS)
LINTED = (
    ("a = 1 AND a = 2", EVERYWHERE, "lint.never-true", "a = 2"),
    ("a = 1 AND b = 1 AND a = 'x'", EVERYWHERE, "lint.never-true", "a = 'x'"),
    ("a = 1 AND a IN ('x')", EVERYWHERE, "lint.never-true", "a IN ('x')"),
    ("a > 5 AND a < 5", EVERYWHERE, "lint.never-true", "a < 5"),
    ("a AND a = 1", EVERYWHERE, "lint.never-true", "a = 1"),
    ("a = 'x' AND a LIKE 'ab%'", EVERYWHERE, "lint.never-true", "a LIKE 'ab%'"),
    ("a = 1 AND a IS NULL", EVERYWHERE, "lint.never-true", "a IS NULL"),
    ("c OR (b = 1 AND a > 2 AND a = 1)", EVERYWHERE, "lint.never-true", "a = 1"),
    ("a BETWEEN 1 AND 2 AND a > 3", "jms activemq artemis qpid-java qpid-cpp rabbitmq-jms", "lint.never-true", "a > 3"),
    (
        "a IS NULL OR a IS NOT NULL",
        "jms activemq artemis qpid-java qpid-cpp rabbitmq",
        "lint.always-true",
        "a IS NULL OR a IS NOT NULL",
    ),
    # Unlike types are unequal here, FALSE there; and nothing equals a missing property.
    ("a = 1 OR a <> 1", "qpid-java", "lint.always-true", "a = 1 OR a <> 1"),
    (
        "a IS NULL OR a = 1 OR a <> 1",
        "activemq artemis qpid-java rabbitmq",
        "lint.always-true",
        "a IS NULL OR a = 1 OR a <> 1",
    ),
    ("a > 5 AND a > 3", EVERYWHERE, "lint.implied", "a > 3"),
    ("a > 5 OR a > 3", EVERYWHERE, "lint.implied", "a > 5"),
    ("a = 'abc' AND a LIKE 'ab%'", "jms activemq artemis qpid-java", "lint.implied", "a LIKE 'ab%'"),
    ("a IN ('x', 'y') AND a <> 'z'", EVERYWHERE, "lint.implied", "a <> 'z'"),
    ("a = 1 AND a IS NOT NULL", EVERYWHERE, "lint.implied", "a IS NOT NULL"),
    # Java's order of floating point numbers tells the two zeros apart.
    ("a = 0.0 AND a = -0.0", "activemq artemis qpid-java", "lint.never-true", "a = -0.0"),
)


@pytest.mark.parametrize(("text", "dialects", "code", "under"), LINTED)
def test_redundancy_is_found_where_the_dialect_has_it(text: str, dialects: str, code: str, under: str) -> None:
    for name, dialect in DIALECTS.items():
        try:
            tree = parse_selector(text, name)
        except TranspilerError:
            continue
        assert tree is not None
        found = [
            text[finding.span.start : finding.span.end]
            for finding in lint(tree, Source(text), dialect)
            if finding.span is not None and finding.code == code
        ]
        assert found == ([under] if name in dialects.split() else []), name


SILENT = (
    "a = 1 OR a = 2",
    "a <> 1 AND a <> 2",
    "a > 1 AND a < 5",
    "a = 1 AND b = 2",
    "a = b AND a = 1",
    "a = 1 OR a <> 2 AND b = 1",
    "a LIKE '%x' AND a LIKE '%y'",
    "a + 1 > 5 AND a < 1",
)


@pytest.mark.parametrize("text", SILENT)
def test_what_may_be_true_and_false_is_not_warned_of(text: str) -> None:
    tree = parse_selector(text)
    assert tree is not None
    assert find_redundancy(tree, DIALECTS["jms"]) == []


def test_a_prefix_that_converts_strings_silences_the_analysis() -> None:
    tree = parse_selector("convert_string_expressions:a = 1 AND a = '1'", "activemq")
    assert tree is not None
    assert find_redundancy(tree, DIALECTS["activemq"]) == []


_sets = st.recursive(
    st.one_of(
        st.builds(texts, st.lists(st.sampled_from(TEXTS), max_size=3)),
        st.builds(prefixed, st.sampled_from(TEXTS)),
        st.builds(
            lambda low, size, missing: ValueSet(missing=missing, integers=((low, low + size),)),
            st.integers(-3, 5),
            st.integers(0, 3),
            st.booleans(),
        ),
        st.sampled_from([NOTHING, EVERYTHING, ValueSet(nan=True, floats=((ordinal(0.0), ordinal(1.5)),))]),
    ),
    lambda inner: st.one_of(
        inner.map(lambda one: one.complement),
        st.lists(inner, min_size=1, max_size=3).map(union),
        st.lists(inner, min_size=1, max_size=3).map(intersection),
    ),
    max_leaves=6,
)


@given(st.lists(_sets, min_size=1, max_size=3))
@settings(max_examples=size(50, 1_000))
def test_sets_are_closed_under_union_intersection_and_complement(sets: list[ValueSet]) -> None:
    dialect = DIALECTS["jms"]
    for value in VALUES:
        inside = [_has(one, value, dialect) for one in sets]
        assert _has(union(sets), value, dialect) is any(inside)
        assert _has(intersection(sets), value, dialect) is all(inside)
        assert _has(sets[0].complement, value, dialect) is not inside[0]


def test_a_long_list_is_looked_at_once() -> None:
    text = " AND ".join([*(f"a <> {number}" for number in range(5_000)), "a = 5"])
    tree = parse_selector(text)
    assert tree is not None
    (finding,) = find_redundancy(tree, DIALECTS["jms"])
    assert isinstance(finding, Contradiction)
    assert finding.others == (ast.Compare(ast.Comparison.NE, ast.Identifier("a"), ast.IntegerLiteral(5)),)
