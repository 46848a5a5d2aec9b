"""A test for NaN becomes an operand of a comparison of the same value, unless a file reader knows the value."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import D, N, S, compare
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import DOUBLE
from transpiler.compiler.spark_plan.nan_tests import merge_nan_tests

READ = ir.Apply(ir.Function.NUMBER_IN_TEXT, (S,), DOUBLE)
TWICE = ir.Apply(ir.Function.MULTIPLY, (READ, ir.constant(2.0)), DOUBLE)


def not_nan(value: ir.Value) -> ir.IsNan:
    return ir.IsNan(value, negated=True)


def number(value: ir.Value) -> ir.Value:
    return ir.Apply(ir.Function.NUMBER_OR_NULL, (value,), DOUBLE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ir.And((compare(READ, ">", 5.0), not_nan(READ))), compare(number(READ), ">", 5.0)),
        (ir.And((compare(TWICE, ">=", 5.0), not_nan(TWICE))), compare(number(TWICE), ">=", 5.0)),
        (ir.And((compare(D, "<", READ), not_nan(READ))), compare(D, "<", number(READ))),
        (
            ir.Or((ir.And((compare(READ, ">", 5.0), not_nan(READ), compare(N, "=", 1))), compare(N, "=", 2))),
            ir.Or((ir.And((compare(number(READ), ">", 5.0), compare(N, "=", 1))), compare(N, "=", 2))),
        ),
    ],
)
def test_the_test_becomes_a_part_of_the_comparison(before: ir.Predicate, after: ir.Predicate) -> None:
    assert merge_nan_tests(before) == after


@pytest.mark.parametrize(
    "predicate",
    [
        ir.And((compare(D, ">", 5.0), not_nan(D))),
        ir.And((compare(TWICE, ">", 5.0), not_nan(READ))),
        ir.Or((compare(READ, ">", 5.0), ir.IsNan(READ))),
        ir.And((ir.NotTrue(compare(READ, ">", 5.0)), not_nan(READ))),
    ],
)
def test_all_other_predicates_are_unchanged(predicate: ir.Predicate) -> None:
    assert merge_nan_tests(predicate) == predicate
