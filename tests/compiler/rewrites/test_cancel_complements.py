"""cancel_complements: the complement of a test that is never NULL, and of a complement, is a simpler test."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import B, D, N, S, compare, conjunction, is_nan, is_null, not_nan, not_null, one_of
from transpiler.base.text_pattern import Wildcard
from transpiler.compiler import ir
from transpiler.compiler.rewrites.simplify import cancel_complements

REWRITTEN = {
    "of TRUE": (ir.NotTrue(ir.TRUE), ir.FALSE),
    "of FALSE": (ir.NotTrue(ir.FALSE), ir.TRUE),
    "of IS NULL": (ir.NotTrue(is_null(S)), not_null(S)),
    "of IS NOT NULL": (ir.NotTrue(not_null(S)), is_null(S)),
    "of a NaN": (ir.NotTrue(is_nan(D)), not_nan(D)),
    "of no NaN": (ir.NotTrue(not_nan(D)), is_nan(D)),
    "of a complement": (ir.NotTrue(ir.NotTrue(compare(N, "=", 1))), compare(N, "=", 1)),
}

KEPT = {
    "of a comparison": ir.NotTrue(compare(N, "=", 1)),
    "of a list": ir.NotTrue(one_of(N, 1, 2)),
    "of a pattern": ir.NotTrue(ir.Like(S, ("a", Wildcard.ANY))),
    "of a boolean": ir.NotTrue(ir.IsTrue(B)),
    "of a conjunction": ir.NotTrue(conjunction(is_null(S), is_null(N))),
    "no complement": is_null(S),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_complement_is_the_opposite_of_a_test_that_is_never_null(before: ir.Predicate, after: ir.Predicate) -> None:
    assert cancel_complements(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_the_complement_of_a_test_that_may_be_null_stays(node: ir.Predicate) -> None:
    assert cancel_complements(node) is node
