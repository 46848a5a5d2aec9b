"""excluded_middle: a test OR its complement is TRUE, a test AND its complement is FALSE."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import (
    B,
    D,
    N,
    S,
    compare,
    conjunction,
    disjunction,
    is_nan,
    is_null,
    not_nan,
    not_null,
)
from transpiler.compiler import ir
from transpiler.compiler.rewrites.chains import excluded_middle

ONE = compare(N, "=", 1)
BOTH = disjunction(ONE, ir.IsTrue(B))

REWRITTEN = {
    "s IS NULL OR s IS NOT NULL": (disjunction(is_null(S), not_null(S)), ir.TRUE),
    "s IS NULL AND s IS NOT NULL": (conjunction(is_null(S), not_null(S)), ir.FALSE),
    "with terms between": (disjunction(not_null(S), compare(N, "=", 1), is_null(S)), ir.TRUE),
    "of the second of two columns": (conjunction(is_null(N), is_null(S), not_null(S)), ir.FALSE),
    "a NaN or not, and NULL is not": (disjunction(is_nan(D), not_nan(D)), ir.TRUE),
    "a comparison and its complement": (conjunction(ONE, ir.NotTrue(ONE)), ir.FALSE),
    "a complement before its comparison": (disjunction(ir.NotTrue(ONE), ir.IsTrue(B), ONE), ir.TRUE),
    "a chain and its complement": (conjunction(BOTH, ir.NotTrue(BOTH)), ir.FALSE),
}

KEPT = {
    "of different columns": disjunction(is_null(S), not_null(N)),
    "twice the same check": conjunction(is_null(S), is_null(S)),
    "a boolean and its opposite, both NULL for NULL": disjunction(ir.IsTrue(B), ir.IsTrue(B, negated=True)),
    "a comparison and its opposite, both NULL for NULL": disjunction(compare(N, "=", 1), compare(N, "<>", 1)),
    "opposites in different chains": disjunction(is_null(S), conjunction(not_null(S), compare(N, "=", 1))),
    "the complement of another comparison": conjunction(ONE, ir.NotTrue(compare(N, "=", 2))),
    "a check alone": is_null(S),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_test_and_its_complement_decide_a_chain(before: ir.Predicate, after: ir.Predicate) -> None:
    assert excluded_middle(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_chain_without_complements_stays(node: ir.Predicate) -> None:
    assert excluded_middle(node) is node
