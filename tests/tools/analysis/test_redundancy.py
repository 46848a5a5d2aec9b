"""A condition that is reported as never true, always true or implied is so for every value, in every dialect."""

from __future__ import annotations

import itertools
import math
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from transpiler import TranspilerError, parse_selector
from transpiler.base.source import Source
from transpiler.language.selector.dialects import DIALECTS
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import OUTCOMES, bit_of
from transpiler.tools.analysis.solve import Solver
from transpiler.tools.lint.registry import lint
from transpiler.tools.lint.rule import Context
from transpiler.tools.lint.rules.logic import find_redundancies

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


@given(_conditions, _conditions, st.sampled_from(list(DIALECTS)))
@settings(max_examples=size(25, 400))
def test_what_is_impossible_is_so_for_any_value(first: str, second: str, name: str) -> None:
    dialect = DIALECTS[name]
    try:
        trees = [parse_selector(text, dialect) for text in (first, second)]
    except TranspilerError:
        return
    conditions = Conditions()
    formulas = [conditions.selector(tree, dialect) for tree in trees]
    solver = Solver(conditions)
    seen = {tuple(bit_of(judge(tree, message, dialect, Receiver(0))) for tree in trees) for message in MESSAGES}
    for outcomes in itertools.product(OUTCOMES, OUTCOMES):
        if solver.impossible(*map(Requirement, formulas, outcomes)):
            assert outcomes not in seen


#: Each entry is a selector, dialects, the code of the warning in these dialects, and the underlined text. A dialect
#: that is not named gives no warning.
EVERYWHERE = " ".join(DIALECTS)
LINTED = (
    ("a = 1 AND a = 2", EVERYWHERE, "lint.never-true", "a = 2"),
    ("a = 1 AND b = 1 AND a = 'x'", EVERYWHERE, "lint.never-true", "a = 'x'"),
    ("a = 1 AND a IN ('x')", EVERYWHERE, "lint.never-true", "a IN ('x')"),
    ("a > 5 AND a < 5", EVERYWHERE, "lint.never-true", "a < 5"),
    ("a AND a = 1", EVERYWHERE, "lint.never-true", "a = 1"),
    ("a = 'x' AND a LIKE 'ab%'", EVERYWHERE, "lint.never-true", "a LIKE 'ab%'"),
    ("a = 1 AND a IS NULL", EVERYWHERE, "lint.never-true", "a IS NULL"),
    ("a LIKE '%x' AND a LIKE '%y'", EVERYWHERE, "lint.never-true", "a LIKE '%y'"),
    ("c OR (b = 1 AND a > 2 AND a = 1)", EVERYWHERE, "lint.never-true", "a = 1"),
    (
        "a BETWEEN 1 AND 2 AND a > 3",
        "jms activemq artemis artemis-core qpid-java qpid-cpp rabbitmq-jms",
        "lint.never-true",
        "a > 3",
    ),
    (
        "a IS NULL OR a IS NOT NULL",
        "jms activemq artemis artemis-core qpid-java qpid-cpp rabbitmq",
        "lint.always-true",
        "a IS NULL OR a IS NOT NULL",
    ),
    # True for all numbers, and for all messages if unlike types are unequal and nothing equals a missing property.
    ("a = 1 OR a <> 1", EVERYWHERE, "lint.always-true", "a = 1 OR a <> 1"),
    (
        "a IS NULL OR a = 1 OR a <> 1",
        "activemq artemis artemis-core qpid-java rabbitmq",
        "lint.always-true",
        "a IS NULL OR a = 1 OR a <> 1",
    ),
    ("a > 5 AND a > 3", EVERYWHERE, "lint.implied", "a > 3"),
    ("a > 5 OR a > 3", EVERYWHERE, "lint.implied", "a > 5"),
    # One of three equal terms must stay. The last is reported as a repetition of the first.
    ("c OR c = TRUE OR c", EVERYWHERE, "lint.implied", "c"),
    ("a = 'abc' AND a LIKE 'ab%'", EVERYWHERE, "lint.implied", "a LIKE 'ab%'"),
    ("a IN ('x', 'y') AND a <> 'z'", EVERYWHERE, "lint.implied", "a <> 'z'"),
    ("a = 1 AND a IS NOT NULL", EVERYWHERE, "lint.implied", "a IS NOT NULL"),
    # Java's order of floating-point numbers distinguishes the two zeros.
    ("a = 0.0 AND a = -0.0", "activemq artemis artemis-core qpid-java", "lint.never-true", "a = -0.0"),
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
    "a LIKE '%x%' AND a LIKE '%y%'",
    "a + 1 > 5 AND a < 1",
)


@pytest.mark.parametrize("text", SILENT)
def test_what_may_be_true_and_false_is_not_warned_of(text: str) -> None:
    tree = parse_selector(text)
    assert tree is not None
    assert find_redundancies(tree, Context(tree, Source(text), DIALECTS["jms"])) == []


def test_a_prefix_that_converts_strings_silences_the_analysis() -> None:
    text = "convert_string_expressions:a = 1 AND a = '1'"
    tree = parse_selector(text, "activemq")
    assert tree is not None
    assert find_redundancies(tree, Context(tree, Source(text), DIALECTS["activemq"])) == []


def test_a_long_list_is_looked_at_once() -> None:
    text = " AND ".join([*(f"a <> {number}" for number in range(5_000)), "a = 5"])
    tree = parse_selector(text)
    assert tree is not None
    (found,) = find_redundancies(tree, Context(tree, Source(text), DIALECTS["jms"]))
    assert found.message == "this is never true together with a <> 5"


#: Conditions that are true for all values of one type, or have no effect, and the text of the warning.
STRANGE = (
    ("status <> 'A' OR status <> 'B'", "lint.always-true", "true for every message that has status"),
    ("a > 5 OR a < 10", "lint.always-true", "true for every message that has a"),
    ("a > 5 OR a < 3", "", ""),
    ("a <> 'x' OR b <> 'y'", "", ""),
    ("1 = 1", "lint.always-true", "this is true for every message"),
    ("'x' = 'x'", "lint.always-true", "this is true for every message"),
    ("NOT FALSE", "lint.always-true", "this is true for every message"),
    ("1 = 1 AND a = 2", "lint.always-true", "this is true for every message"),
    ("1 = 2 OR a = 2", "lint.never-true", "this is never true"),
    ("1 = 2", "lint.never-true", "this is never true"),
    ("price > bid AND price < bid", "lint.never-true", "this is never true together with price > bid"),
    ("a > b AND b > c AND c > a", "lint.never-true", "this is never true together with a > b and b > c"),
    ("a > b AND b > 5 AND a < 3", "lint.never-true", "this is never true together with a > b and b > 5"),
    ("a > b AND b > c AND a > c", "", ""),
)


@pytest.mark.parametrize(("text", "rule", "message"), STRANGE)
def test_conditions_on_names_and_constants_are_seen_through(text: str, rule: str, message: str) -> None:
    tree = parse_selector(text)
    assert tree is not None
    found = find_redundancies(tree, Context(tree, Source(text), DIALECTS["jms"]))
    assert [one.rule for one in found] == ([rule] if rule else [])
    assert all(message in one.message for one in found)


#: Terms that another term implies. If the broker throws, removing the term may let a message match that did not match
#: before.
REMOVALS = (
    ("a > 5 AND a > 3", "jms", "remove it"),
    ("a = 'x' AND a LIKE 'x%'", "rabbitmq-jms", "remove it"),
    ("a LIKE 'x%' OR a IS NOT NULL", "jms", "remove it"),
    ("a LIKE 'x%' OR a IS NOT NULL", "rabbitmq-jms", "remove it; messages on which it throws may match then"),
    (
        "a LIKE 'x%' OR b > 5 OR a IS NOT NULL",
        "activemq",
        "remove it; messages on which it keeps another part from throwing may not match then",
    ),
    (
        "a + 1 > 2 OR b > 5 OR a IS NOT NULL",
        "activemq",
        "remove it; messages on which it throws may match then, and messages on which it keeps another part from "
        "throwing may not match then",
    ),
    ("a > 5 OR a > 3", "activemq", "remove it"),
)


@pytest.mark.parametrize(("text", "dialect", "hint"), REMOVALS)
def test_a_removal_that_may_turn_an_exception_into_a_match_says_so(text: str, dialect: str, hint: str) -> None:
    tree = parse_selector(text, dialect)
    assert tree is not None
    (found,) = find_redundancies(tree, Context(tree, Source(text), DIALECTS[dialect]))
    assert found.hint == hint
