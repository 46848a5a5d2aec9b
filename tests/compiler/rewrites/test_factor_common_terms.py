"""factor_common_terms: terms that several disjunctions of a conjunction share are factored out."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import B, N, S, compare, conjunction, disjunction, is_null
from transpiler.compiler import ir
from transpiler.compiler.rewrites.chains import factor_common_terms

NONE, LOW, HIGH, IS_TRUE, RED = (
    is_null(N),
    compare(N, ">=", 4),
    compare(N, "<=", 6),
    ir.IsTrue(B),
    compare(S, "=", "red"),
)

REWRITTEN = {
    "(a OR c) AND (b OR c)": (
        conjunction(disjunction(LOW, NONE), disjunction(HIGH, NONE)),
        disjunction(NONE, conjunction(LOW, HIGH)),
    ),
    "beside a term that has no part in it": (
        conjunction(disjunction(LOW, NONE), RED, disjunction(NONE, HIGH)),
        conjunction(disjunction(NONE, conjunction(LOW, HIGH)), RED),
    ),
    "of two common terms": (
        conjunction(disjunction(LOW, NONE, RED), disjunction(RED, IS_TRUE, NONE)),
        disjunction(NONE, RED, conjunction(LOW, IS_TRUE)),
    ),
    "of all terms of one, which the other one implies": (
        conjunction(disjunction(LOW, NONE), disjunction(LOW, RED, NONE)),
        disjunction(LOW, NONE),
    ),
    "of three": (
        conjunction(disjunction(LOW, NONE), disjunction(HIGH, NONE), disjunction(RED, NONE)),
        disjunction(NONE, conjunction(LOW, HIGH, RED)),
    ),
}

KEPT = {
    "without a common term": conjunction(disjunction(LOW, NONE), disjunction(HIGH, is_null(S))),
    "a disjunction of conjunctions": disjunction(conjunction(LOW, RED), conjunction(HIGH, RED)),
    "one disjunction": conjunction(disjunction(LOW, NONE), RED),
    "a term that stands alone in one of them": conjunction(disjunction(LOW, NONE), NONE),
    "a test alone": LOW,
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_common_term_is_written_once(before: ir.Predicate, after: ir.Predicate) -> None:
    assert factor_common_terms(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_chain_without_a_common_term_stays(node: ir.Predicate) -> None:
    assert factor_common_terms(node) is node
