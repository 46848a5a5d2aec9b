"""exclude_opposites: a test AND its opposite is FALSE, and their OR stays, because both are NULL for a NULL."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import B, N, S, column, compare, conjunction, disjunction, is_null, not_null
from transpiler.base.text_pattern import Wildcard
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BOOLEAN
from transpiler.compiler.rewrites.chains import exclude_opposites

LIKE, NOT_LIKE = (ir.Like(S, ("x", Wildcard.ANY), negated) for negated in (False, True))
TRUE, FALSE = ir.IsTrue(B), ir.IsTrue(B, negated=True)
ONE = compare(N, "=", 1)

REWRITTEN = {
    "true and false": (conjunction(TRUE, FALSE), ir.FALSE),
    "a pattern matches and does not": (conjunction(NOT_LIKE, ONE, LIKE), ir.FALSE),
}

KEPT = {
    "one or the other, and NULL is neither": disjunction(TRUE, FALSE),
    "of different columns": conjunction(TRUE, ir.IsTrue(column("other", BOOLEAN), negated=True)),
    "different patterns": disjunction(LIKE, ir.Like(S, ("y", Wildcard.ANY), negated=True)),
    "checks for NULL, which excluded_middle knows": disjunction(is_null(S), not_null(S)),
    "in different chains": conjunction(TRUE, disjunction(FALSE, ONE)),
    "one alone": TRUE,
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_opposites_decide_a_chain(before: ir.Predicate, after: ir.Predicate) -> None:
    assert exclude_opposites(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_chain_without_opposites_stays(node: ir.Predicate) -> None:
    assert exclude_opposites(node) is node
