"""unwrap_boolean: comparisons of a boolean with TRUE and FALSE become tests of the boolean."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import B, N, S, column, compare
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BOOLEAN
from transpiler.compiler.rewrites.simplify import unwrap_boolean

REWRITTEN = {
    "b = TRUE": (compare(B, "=", True), ir.IsTrue(B)),
    "b <> FALSE": (compare(B, "<>", False), ir.IsTrue(B)),
    "b = FALSE": (compare(B, "=", False), ir.IsTrue(B, negated=True)),
    "b <> TRUE": (compare(B, "<>", True), ir.IsTrue(B, negated=True)),
}

KEPT = {
    "TRUE on the left": compare(True, "=", B),
    "two booleans": compare(B, "=", column("other", BOOLEAN)),
    "a number": compare(N, "=", 1),
    "the text of TRUE": compare(S, "=", "TRUE"),
    "a test of a boolean": ir.IsTrue(B),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_comparison_with_a_truth_value_is_a_test(before: ir.Predicate, after: ir.Predicate) -> None:
    assert unwrap_boolean(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_comparison_with_anything_else_stays(node: ir.Predicate) -> None:
    assert unwrap_boolean(node) is node
