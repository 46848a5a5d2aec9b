"""tighten_bounds: bounds of one value in a chain are merged, with the same result for every number."""

from __future__ import annotations

import math
from itertools import product

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
    is_null,
    not_null,
    one_of,
)
from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT
from transpiler.compiler.rewrites.chains import tighten_bounds

OTHER = column("other", BIGINT)

REWRITTEN = {
    "the higher of two lower bounds": (conjunction(compare(N, ">", 5), compare(N, ">", 3)), compare(N, ">", 5)),
    "the lower of two lower bounds": (disjunction(compare(N, ">", 5), compare(N, ">", 3)), compare(N, ">", 3)),
    "the lower of two upper bounds": (conjunction(compare(N, "<=", 5), compare(N, "<", 9)), compare(N, "<=", 5)),
    "without the bound itself": (conjunction(compare(N, ">=", 5), compare(N, ">", 5)), compare(N, ">", 5)),
    "with the bound itself": (disjunction(compare(N, ">=", 5), compare(N, ">", 5)), compare(N, ">=", 5)),
    "of texts, in the order of code points": (
        conjunction(compare(S, ">", "b"), compare(S, ">", "a")),
        compare(S, ">", "b"),
    ),
    "of doubles, above which NaN is": (conjunction(compare(D, ">", 5.5), compare(D, ">=", 3.0)), compare(D, ">", 5.5)),
    "zeros of both signs are equal": (conjunction(compare(D, ">", -0.0), compare(D, ">=", 0.0)), compare(D, ">", -0.0)),
    "an inequality beyond the bound": (conjunction(compare(N, "<", 5), compare(N, "<>", 7)), compare(N, "<", 5)),
    "a bound that an inequality has": (disjunction(compare(N, ">", 7), compare(N, "<>", 7)), compare(N, "<>", 7)),
    "no number is above 5 and below 3": (conjunction(compare(N, ">", 5), compare(N, "<", 3)), ir.FALSE),
    "no number is 5 and is not": (conjunction(compare(N, "=", 5), compare(N, "<>", 5)), ir.FALSE),
    "of no double either, be it NaN": (conjunction(compare(D, ">=", 5.0), compare(D, "<", 5.0)), ir.FALSE),
    "every number is above 3 or below 5, NULL is not": (
        disjunction(compare(N, ">", 3), compare(N, "<", 5)),
        not_null(N),
    ),
    "of NaN, too, which is above 3": (disjunction(compare(D, ">", 3.0), compare(D, "<", 5.0)), not_null(D)),
    "other terms stay": (
        conjunction(ir.IsTrue(B), compare(N, ">", 5), compare(OTHER, "<", 3), compare(N, ">", 3)),
        conjunction(ir.IsTrue(B), compare(N, ">", 5), compare(OTHER, "<", 3)),
    ),
    "of other terms": (
        disjunction(compare(N, ">", 3), ir.IsTrue(B), compare(N, "<", 5)),
        disjunction(not_null(N), ir.IsTrue(B)),
    ),
}

KEPT = {
    "both sides": conjunction(compare(N, ">", 3), compare(N, "<", 5)),
    "both outsides": disjunction(compare(N, "<", 3), compare(N, ">", 5)),
    "of different values": conjunction(compare(N, ">", 5), compare(OTHER, ">", 3)),
    "constants of two types, which Spark compares as doubles": conjunction(
        compare(D, ">", 2**53), compare(D, ">", 5.0)
    ),
    "NaN, which has no order among constants": conjunction(compare(D, "<", math.nan), compare(D, "<", 5.0)),
    "a bound that is a column": conjunction(compare(N, ">", 5), compare(N, ">", OTHER)),
    "an inequality within the bound": conjunction(compare(N, "<", 5), compare(N, "<>", 3)),
    "NULL or a bound": disjunction(is_null(N), compare(N, ">", 5)),
    "in different chains": conjunction(compare(N, ">", 5), disjunction(compare(N, ">", 3), ir.IsTrue(B))),
    "a list, which substitute_constant knows": conjunction(one_of(N, 1, 7), compare(N, ">", 5)),
    "a bound alone": compare(N, ">", 5),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_bound_that_another_decides_goes(before: ir.Predicate, after: ir.Predicate) -> None:
    assert tighten_bounds(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_bound_that_no_other_decides_stays(node: ir.Predicate) -> None:
    assert tighten_bounds(node) is node


def holds(node: ir.Predicate, number: float | None) -> bool:
    """Return True if the predicate ``node`` on one column holds for ``number``, in Spark's order of doubles."""
    match node:
        case ir.And(terms=terms):
            return all(holds(term, number) for term in terms)
        case ir.Or(terms=terms):
            return any(holds(term, number) for term in terms)
        case ir.BoolConst(value=value):
            return value
        case ir.IsNull(negated=negated):
            return (number is None) is not negated
        case ir.Compare(operator=operator, right=ir.Constant(value=float() as bound)):
            key = math.inf if number is None or math.isnan(number) else number
            return number is not None and ir.compare_constants(operator, key, bound)
        case _:
            raise AssertionError(node)


def test_a_chain_of_two_tests_holds_for_the_same_numbers() -> None:
    tests = [compare(D, operator.value, bound) for operator, bound in product(Comparison, (-0.0, 0.0, 1.0, 2.5))]
    pairs = product(tests, tests)
    chains: list[ir.Predicate] = [kind for pair in pairs for kind in (conjunction(*pair), disjunction(*pair))]
    for before in chains:
        after = tighten_bounds(before)
        for number in (None, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 2.5, 3.0, math.nan):
            assert holds(before, number) is holds(after, number), (before, after, number)
