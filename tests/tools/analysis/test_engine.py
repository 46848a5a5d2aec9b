"""The claims of the analysis hold for all messages of small domains, in every dialect."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from transpiler import Message, TranspilerError, parse_selector, subsumes
from transpiler.base.source import Source
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS, Dialect
from transpiler.message.receiver import Receiver
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import NOT_TRUE, OUTCOMES, bit_of
from transpiler.tools.analysis.solve import Found, Impossible, Solver
from transpiler.tools.analysis.subsumption import containment
from transpiler.tools.lint.rule import Context
from transpiler.tools.lint.rules.logic import find_redundancies

VALUES = (
    None,
    AmqpValue(AmqpType.BOOLEAN, True),
    AmqpValue(AmqpType.BOOLEAN, False),
    *(AmqpValue(AmqpType.LONG, number) for number in (-1, 0, 1, 2, 3)),
    *(AmqpValue(AmqpType.DOUBLE, number) for number in (0.5, 1.25, 1.5, 1.75, -0.0, 0.0, math.nan)),
    *(AmqpValue(AmqpType.STRING, text) for text in ("x", "xy", "xz", "z", "")),
    AmqpValue(AmqpType.BINARY, b"x"),
)
#: The value of UTC() in these tests.
_NOW = 1_750_772_279_000

MESSAGES = [
    Message(application_properties={name: value for name, value in (("a", a), ("b", b)) if value is not None})
    for a, b in itertools.product(VALUES, VALUES)
]

_names = st.sampled_from(["a", "b"])
_numbers = st.sampled_from(["0", "1", "2", "1.5", "-0.0"])
_texts = st.sampled_from(["'x'", "'xy'", "''"])
_no = st.sampled_from(["", "NOT "])
#: Tests inside the fragment that the analysis decides. The values above include one of each cell of these tests.
_tests = st.one_of(
    st.builds("{} {} {}".format, _names, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), _numbers),
    st.builds("{} {} {}".format, _names, st.sampled_from(["=", "<>"]), _texts),
    st.builds("{} = {}".format, _names, st.sampled_from(["TRUE", "FALSE"])),
    st.builds("{} IS {}NULL".format, _names, _no),
    st.builds("{} {}IN ({}, {})".format, _names, _no, _texts, _texts),
    st.builds("{} {}BETWEEN {} AND {}".format, _names, _no, _numbers, _numbers),
    st.builds("{} {}LIKE 'x%'".format, _names, _no),
    _names,
)
#: Tests outside the fragment.
_others = st.sampled_from(["a = b", "a + 1 > b", "a LIKE '%y'", "a NOT LIKE '%y'", "b LIKE '_'", "TRUE", "a * 2 = 2"])


def _combined(tests: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        tests,
        lambda inner: st.one_of(
            st.builds("NOT ({})".format, inner),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: "(" + " AND ".join(parts) + ")"),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: "(" + " OR ".join(parts) + ")"),
        ),
        max_leaves=6,
    )


def _parsed(text: str, dialect: Dialect) -> ast.Expression | None:
    try:
        return parse_selector(text, dialect)
    except TranspilerError:
        return None


def _selected(tree: ast.Expression, dialect: Dialect) -> list[bool]:
    return [judge(tree, message, dialect, Receiver(0)).truth is True for message in MESSAGES]


@given(_combined(_tests), _combined(_tests), st.sampled_from(list(DIALECTS)))
@settings(max_examples=size(40, 300))
def test_subsumes_is_brute_force_within_the_fragment(first: str, second: str, name: str) -> None:
    dialect = DIALECTS[name]
    trees = [_parsed(text, dialect) for text in (first, second)]
    if trees[0] is None or trees[1] is None:
        return
    container, contained = (_selected(tree, dialect) for tree in trees if tree is not None)
    found = containment(trees[0], trees[1], dialect)
    contradiction = any(own and not other for own, other in zip(contained, container, strict=True))
    if isinstance(found, Found):
        assert judge(trees[1], found.message, dialect).truth is True
        assert judge(trees[0], found.message, dialect).truth is not True
    # A contradicting message may exist outside the messages of this test.
    assert isinstance(found, Found) if contradiction else isinstance(found, Found | Impossible), found


@given(_combined(st.one_of(_tests, _others)), st.sampled_from(list(DIALECTS)))
@settings(max_examples=size(40, 300))
def test_an_outcome_that_is_proved_impossible_never_occurs(text: str, name: str) -> None:
    dialect = DIALECTS[name]
    tree = _parsed(text, dialect)
    if tree is None:
        return
    conditions = Conditions()
    formula = conditions.selector(tree, dialect)
    solver = Solver(conditions)
    impossible = [outcome for outcome in OUTCOMES if solver.impossible(Requirement(formula, outcome))]
    for message in MESSAGES:
        assert bit_of(judge(tree, message, dialect, Receiver(0))) not in impossible, message


@pytest.mark.parametrize(
    ("container", "contained", "dialect", "answer"),
    [
        ("weight > 5", "weight > 7 AND color = 'red'", "jms", True),
        ("weight > 7", "weight > 5", "jms", False),
        ("color LIKE 're%'", "color IN ('red', 'ready')", "jms", True),
        ("color = 'red' OR weight > 5", "weight > 6", "jms", True),
        ("a = b", "a = b AND c = 1", "jms", True),
        ("", "a = 1", "jms", True),
        ("a = 1", "", "jms", False),
        ("a IS NOT NULL", "a = 1", "jms", True),
        ("a <> 2", "a = 'x'", "jms", False),
        # The empty text is a constant of the selector, unlike the other values.
        ("a = 0", "a NOT IN ('x', '')", "jms", False),
        ("a <> 2", "a = 'x'", "qpid-java", True),
        # In this dialect, OR has the result of its last term.
        ("NOT (a LIKE 'x%' AND a = 0)", "NOT (a OR a = 0)", "qpid-java", False),
        ("JMSPriority >= 0", "a = 1", "jms", True),
        ("JMSDeliveryMode = 'PERSISTENT' OR JMSDeliveryMode = 'NON_PERSISTENT'", "a = 1", "jms", True),
        ("JMSPriority > 5", "JMSPriority > 4", "jms", False),
        # Milliseconds, which this broker reads as seconds.
        ("JMSTimestamp <= 1.5", "", "qpid-cpp", False),
        ("a LIKE '%x%'", "a LIKE '%xy%'", "jms", True),
        ("a LIKE '%xy%'", "a LIKE '%x%' AND a LIKE '%y%'", "jms", False),
        ("a LIKE '_%'", "a LIKE '%x%' AND a <> ''", "jms", True),
        ("a + 1 > 3", "a > 5 AND a < 9", "jms", None),
        # The sum of the largest integer and 1 does not exist in this dialect.
        ("a + 1 > 3", "a > 5", "jms", False),
        ("a + 1 > 3", "a = 1", "jms", False),
        ("color IN ('red', 'blue')", "INLIST(MAKELIST('red'), color)", "activemq", True),
        ("INLIST(MAKELIST('red'), color)", "color IN ('red', 'blue')", "activemq", False),
        ("a = 5", "INLIST(MAKELIST(5), a)", "activemq", True),
        # A long can equal 5, but is not a member, because the list contains an Integer.
        ("INLIST(MAKELIST(5), a)", "a = 5", "activemq", False),
        # An unsupported regular expression leaves the question undecided.
        ("REGEX('(a)\\1', s)", "REGEX('ab', s)", "activemq", None),
    ],
)
def test_subsumes_answers_the_cases_of_the_table(
    container: str, contained: str, dialect: str, answer: bool | None
) -> None:
    assert subsumes(container, contained, dialect) is answer


@pytest.mark.parametrize(
    ("text", "dialect", "rules"),
    [
        ("a = 1 AND (a = 2 OR b = 3)", "jms", ["lint.unreachable-branch"]),
        ("a > 5 AND (a > 3 OR b = 1)", "jms", ["lint.implied"]),
        ("a > 5 OR (a > 7 AND b = 1)", "jms", ["lint.unreachable-branch"]),
        ("(a = 1 AND b = 2) OR (a = 1 AND b = 2 AND c = 3)", "jms", ["lint.unreachable-branch"]),
        ("(a = 1 OR a = 2) AND (a = 3 OR a = 4)", "jms", ["lint.never-true"]),
        ("a = b AND (NOT a = b OR c = 1)", "jms", ["lint.unreachable-branch"]),
        ("(a = 'x' AND b = 1) OR (a = 'y' AND b = 1)", "jms", []),
        ("(a IS NULL OR b = 1) OR (a IS NOT NULL AND c = 1)", "jms", []),
        ("(a IS NULL OR b = 1) AND (a IS NOT NULL OR c = 1)", "jms", []),
        ("a IS NULL OR (a IS NOT NULL AND b = 1) OR (a IS NOT NULL AND b IS NULL)", "jms", []),
        ("a IS NULL OR (a IS NOT NULL AND b IS NULL) OR b IS NOT NULL", "jms", ["lint.always-true"]),
    ],
)
def test_parts_are_looked_at_in_their_context(text: str, dialect: str, rules: list[str]) -> None:
    tree = parse_selector(text, dialect)
    assert tree is not None
    context = Context(tree, Source(text), DIALECTS[dialect])
    assert [found.rule for found in find_redundancies(tree, context)] == rules


def test_a_question_with_too_many_cases_is_not_answered() -> None:
    text = " OR ".join(f"(a{n} = b{n} AND a{n} + 1 > c{n})" for n in range(100))
    tree = parse_selector(text)
    assert tree is not None
    conditions = Conditions()
    formula = conditions.selector(tree, DIALECTS["jms"])
    solver = Solver(conditions, budget=1_000)
    assert not solver.impossible(Requirement(formula), Requirement(formula, NOT_TRUE))
    assert subsumes(text, text) is True
