"""remove_redundant_null_checks: a test for NULL or NaN disappears if another term decides it."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import (
    B,
    D,
    N,
    S,
    column,
    compare,
    conjunction,
    disjunction,
    is_nan,
    is_null,
    not_nan,
    not_null,
    one_of,
)
from transpiler.base.text_pattern import Wildcard
from transpiler.base.topics import MANY_WORDS
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import DOUBLE
from transpiler.compiler.rewrites.redundant_null_checks import remove_redundant_null_checks

OTHER = column("other", DOUBLE)
BEGINNING = ir.Like(S, ("a", Wildcard.ANY))
BELOW_A = ir.Topic(S, ("a", MANY_WORDS))
FINITE = compare(ir.Apply(ir.Function.MULTIPLY, (D, ir.constant(0.0)), DOUBLE), "=", 0.0)

REWRITTEN = {
    "NOT NULL beside a comparison": (conjunction(not_null(N), compare(N, ">", 5)), compare(N, ">", 5)),
    "NOT NULL behind an inequality": (conjunction(compare(N, "<>", 5), not_null(N)), compare(N, "<>", 5)),
    "NOT NULL of a right operand": (conjunction(compare(D, "=", OTHER), not_null(OTHER)), compare(D, "=", OTHER)),
    "NOT NULL beside a list": (conjunction(not_null(N), one_of(N, 1, 2)), one_of(N, 1, 2)),
    "NOT NULL beside a pattern": (conjunction(not_null(S), BEGINNING), BEGINNING),
    "NOT NULL beside a topic": (conjunction(not_null(S), BELOW_A), BELOW_A),
    "NOT NULL beside a boolean": (conjunction(not_null(B), ir.IsTrue(B)), ir.IsTrue(B)),
    "NOT NULL beside a NaN": (conjunction(not_null(D), is_nan(D)), is_nan(D)),
    "NULL beside a comparison, which is never both": (conjunction(is_null(N), compare(N, ">", 5)), ir.FALSE),
    "NULL in a disjunction beside a comparison": (
        conjunction(compare(N, ">=", 4), disjunction(compare(N, "<", 6), is_null(N))),
        conjunction(compare(N, ">=", 4), compare(N, "<", 6)),
    ),
    "NULL within a case beside a comparison": (
        conjunction(compare(N, ">=", 4), disjunction(conjunction(is_null(N), ir.IsTrue(B)), BEGINNING)),
        conjunction(compare(N, ">=", 4), BEGINNING),
    ),
    "a comparison in a disjunction beside NULL": (
        conjunction(is_null(N), disjunction(compare(N, ">", 5), BEGINNING)),
        conjunction(is_null(N), BEGINNING),
    ),
    "NULL in a disjunction beside NOT NULL": (
        conjunction(not_null(N), disjunction(is_null(N), BEGINNING)),
        conjunction(not_null(N), BEGINNING),
    ),
    "NULL, or else NOT NULL and more": (
        disjunction(is_null(N), conjunction(not_null(N), BEGINNING)),
        disjunction(is_null(N), BEGINNING),
    ),
    "NOT NULL or a comparison, which says no more": (disjunction(not_null(N), compare(N, ">", 5)), not_null(N)),
    "NOT NULL, or else NULL and more": (
        disjunction(not_null(N), conjunction(is_null(N), BEGINNING)),
        disjunction(not_null(N), BEGINNING),
    ),
    "no NaN beside an upper bound": (conjunction(not_nan(D), compare(D, "<", 5.0)), compare(D, "<", 5.0)),
    "no NaN beside an equality": (conjunction(compare(D, "=", 5.0), not_nan(D)), compare(D, "=", 5.0)),
    "no NaN beside a list": (conjunction(not_nan(D), one_of(D, 1.0, 2.0)), one_of(D, 1.0, 2.0)),
    "no NaN beside the test that a number is finite": (conjunction(not_nan(D), FINITE), FINITE),
    "both checks beside an upper bound": (
        conjunction(not_null(D), not_nan(D), compare(D, "<=", 5.0)),
        compare(D, "<=", 5.0),
    ),
    "other terms stay, in order": (
        conjunction(not_null(N), is_null(S), compare(N, ">", 5)),
        conjunction(is_null(S), compare(N, ">", 5)),
    ),
    "a NaN or a lower bound, above which NaN is": (disjunction(is_nan(D), compare(D, ">", 5.0)), compare(D, ">", 5.0)),
    "a NaN or an inequality": (disjunction(compare(D, "<>", 5.0), is_nan(D)), compare(D, "<>", 5.0)),
}

KEPT = {
    "NOT NULL of another column": conjunction(not_null(S), compare(N, ">", 5)),
    "NULL or a comparison": disjunction(is_null(N), compare(N, ">", 5)),
    "NOT NULL beside no NaN, which NULL is": conjunction(not_null(D), not_nan(D)),
    "NOT NULL beside a disjunction": conjunction(not_null(N), disjunction(compare(N, ">", 5), is_null(S))),
    "NOT NULL beside a complement": conjunction(not_null(N), ir.NotTrue(compare(N, ">", 5))),
    "NULL in a disjunction beside a complement, which NULL fulfils": conjunction(
        ir.NotTrue(compare(N, ">", 5)), disjunction(compare(N, "<", 6), is_null(N))
    ),
    "NULL in a disjunction beside a test of another column": conjunction(
        BEGINNING, disjunction(compare(N, "<", 6), is_null(N))
    ),
    "NULL in a complement": conjunction(compare(N, ">", 5), ir.NotTrue(conjunction(is_null(N), BEGINNING))),
    "no NaN beside a lower bound, above which NaN is": conjunction(not_nan(D), compare(D, ">", 5.0)),
    "no NaN beside an inequality": conjunction(not_nan(D), compare(D, "<>", 5.0)),
    "no NaN beside a negated list": conjunction(not_nan(D), one_of(D, 1.0, 2.0, negated=True)),
    "no NaN beside another column, which may be NaN": conjunction(not_nan(D), compare(D, "=", OTHER)),
    "a NaN or an upper bound": disjunction(is_nan(D), compare(D, "<", 5.0)),
    "a NaN or a lower bound of another column": disjunction(is_nan(D), compare(OTHER, ">", 5.0)),
    "a check alone": not_null(N),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_check_that_another_term_decides_goes(before: ir.Predicate, after: ir.Predicate) -> None:
    assert remove_redundant_null_checks(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_check_that_no_other_term_decides_stays(node: ir.Predicate) -> None:
    assert remove_redundant_null_checks(node) is node
