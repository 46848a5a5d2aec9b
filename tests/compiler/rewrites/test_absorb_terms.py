"""absorb_terms: a term removes the other terms of a chain that it absorbs (``a OR a AND b`` is ``a``)."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import B, N, S, compare, conjunction, disjunction, not_null
from transpiler.compiler import ir
from transpiler.compiler.rewrites.chains import absorb_terms

ONE, LARGE, IS_TRUE = compare(N, "=", 1), compare(N, ">", 5), ir.IsTrue(B)

REWRITTEN = {
    "a OR a AND b": (disjunction(ONE, conjunction(ONE, IS_TRUE)), ONE),
    "a AND (a OR b)": (conjunction(ONE, disjunction(IS_TRUE, ONE)), ONE),
    "with a term between": (disjunction(ONE, not_null(S), conjunction(ONE, IS_TRUE)), disjunction(ONE, not_null(S))),
    "by a complement, which is a term as any other": (
        disjunction(ir.NotTrue(ONE), conjunction(IS_TRUE, ir.NotTrue(ONE))),
        ir.NotTrue(ONE),
    ),
}

KEPT = {
    "of different terms": disjunction(ONE, conjunction(LARGE, IS_TRUE)),
    "of a term and its complement": disjunction(ONE, conjunction(ir.NotTrue(ONE), IS_TRUE)),
    "a AND b OR a AND c, of which neither absorbs the other": disjunction(
        conjunction(ONE, IS_TRUE), conjunction(ONE, not_null(S))
    ),
    "a chain of tests": conjunction(ONE, IS_TRUE),
    "a test alone": ONE,
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_term_absorbs_the_chains_that_have_it(before: ir.Predicate, after: ir.Predicate) -> None:
    assert absorb_terms(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_chain_without_a_term_that_stands_alone_stays(node: ir.Predicate) -> None:
    assert absorb_terms(node) is node
