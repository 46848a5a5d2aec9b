"""merge_comparisons: comparisons of one value with one constant become one, with the same result for every number."""

from __future__ import annotations

import math
from itertools import product

import pytest

from tests.compiler.rewrites.nodes import B, D, N, S, column, compare, conjunction, disjunction, is_null, one_of
from tests.compiler.rewrites.test_tighten_bounds import holds
from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT
from transpiler.compiler.rewrites.chains import merge_comparisons

OTHER = column("other", BIGINT)

REWRITTEN = {
    "from 5 to 5": (conjunction(compare(N, ">=", 5), compare(N, "<=", 5)), compare(N, "=", 5)),
    "below 5, or 5": (disjunction(compare(N, "<", 5), compare(N, "=", 5)), compare(N, "<=", 5)),
    "5, or above": (disjunction(compare(N, "=", 5), compare(N, ">", 5)), compare(N, ">=", 5)),
    "below or above": (disjunction(compare(N, "<", 5), compare(N, ">", 5)), compare(N, "<>", 5)),
    "at most 5, and another": (conjunction(compare(N, "<=", 5), compare(N, "<>", 5)), compare(N, "<", 5)),
    "of texts": (disjunction(compare(S, ">", "b"), compare(S, "=", "b")), compare(S, ">=", "b")),
    "of doubles, be one NaN": (disjunction(compare(D, "<", 5.5), compare(D, ">", 5.5)), compare(D, "<>", 5.5)),
    "zeros of both signs are equal": (disjunction(compare(D, ">", 0.0), compare(D, "=", -0.0)), compare(D, ">=", 0.0)),
    "where the first one stands": (
        conjunction(ir.IsTrue(B), compare(N, ">=", 5), compare(OTHER, "<", 3), compare(N, "<=", 5)),
        conjunction(ir.IsTrue(B), compare(N, "=", 5), compare(OTHER, "<", 3)),
    ),
}

KEPT = {
    "of different values": disjunction(compare(N, "<", 5), compare(OTHER, "=", 5)),
    "with different constants": disjunction(compare(N, "<", 5), compare(N, "=", 6)),
    "constants of two types": disjunction(compare(D, "<", 5), compare(D, "=", 5.0)),
    "NaN, which has no order among constants": disjunction(compare(D, "<", math.nan), compare(D, "=", math.nan)),
    "outcomes of none, which tighten_bounds knows": conjunction(compare(N, "<", 5), compare(N, ">", 5)),
    "outcomes of all, but NULL has none": disjunction(compare(N, "<=", 5), compare(N, ">", 5)),
    "NULL or a bound": disjunction(is_null(N), compare(N, ">", 5)),
    "a list": disjunction(one_of(N, 5, 7), compare(N, ">", 5)),
    "in different chains": disjunction(compare(N, "<", 5), conjunction(compare(N, "=", 5), ir.IsTrue(B))),
    "a comparison alone": compare(N, ">", 5),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_comparisons_with_one_constant_are_one(before: ir.Predicate, after: ir.Predicate) -> None:
    assert merge_comparisons(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_other_comparisons_stay(node: ir.Predicate) -> None:
    assert merge_comparisons(node) is node


def test_a_chain_of_comparisons_holds_for_the_same_numbers() -> None:
    tests = [compare(D, operator.value, bound) for operator, bound in product(Comparison, (-0.0, 0.0, 2.5))]
    pairs = product(tests, tests)
    chains: list[ir.Predicate] = [kind for pair in pairs for kind in (conjunction(*pair), disjunction(*pair))]
    for before in chains:
        after = merge_comparisons(before)
        for number in (None, -1.0, -0.0, 0.0, 1.0, 2.5, 3.0, math.nan):
            assert holds(before, number) is holds(after, number), (before, after, number)
