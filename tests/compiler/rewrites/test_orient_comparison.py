"""orient_comparison: a constant on the left moves to the right."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import D, N, S, compare, is_null, one_of
from transpiler.compiler import ir
from transpiler.compiler.rewrites.simplify import orient_comparison

REWRITTEN = {
    f"5 {operator} n": (compare(5, operator, N), compare(N, mirrored, 5))
    for operator, mirrored in {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}.items()
}

KEPT = {
    "the constant is on the right": compare(N, "<", 5),
    "both operands are columns": compare(N, "<", D),
    "both operands are constants": compare(1, "<", 2),
    "a null check": is_null(S),
    "a list": one_of(5, 1, 2),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_constant_goes_to_the_right(before: ir.Predicate, after: ir.Predicate) -> None:
    assert orient_comparison(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_comparison_without_a_constant_on_the_left_alone_stays(node: ir.Predicate) -> None:
    assert orient_comparison(node) is node
