"""Message-only prefilters implied by every row of a constant table, so that most messages skip the probe."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE
from transpiler.language.selector.ast import Comparison
from transpiler.routing.signatures import Parameter, as_constant, constant_of, reads_message, reads_parameters

#: The loosest of the rows' constants by comparison operator: the smallest is a lower bound of all, the largest an
#: upper.
_LOOSEST = {Comparison.GT: min, Comparison.GE: min, Comparison.LT: max, Comparison.LE: max}


def implied_filter(residual: ir.Predicate, rows: Collection[Sequence[Parameter]]) -> ir.Predicate:
    """A predicate of the message alone that holds wherever the residual does, with the constants of any of the rows.

    Bounds are the loosest of all rows; other tests that depend on a row are left out.
    """

    def weaken(test: ir.Predicate) -> ir.Predicate:
        if not reads_parameters(test):
            return test
        match test:
            case ir.And(terms=terms):
                return ir.all_of(*map(weaken, terms))
            case ir.Or(terms=terms):
                return ir.any_of(*map(weaken, terms))
            case ir.Coalesce(tests=tests, otherwise=otherwise, disjoint=disjoint):
                # With another constant a comparison is NULL where it was. What became TRUE may have been NULL.
                looser = ir.Coalesce(tuple(map(weaken, tests)), weaken(otherwise), disjoint)
                return ir.TRUE if ir.TRUE in (*looser.tests, looser.otherwise) else looser
            case ir.Compare():
                return _loosest_of(test, rows)
            case _:
                return ir.TRUE

    return weaken(residual)


def _loosest_of(test: ir.Compare, rows: Collection[Sequence[Parameter]]) -> ir.Predicate:
    """The comparison with the loosest of the rows' constants; TRUE where it bounds nothing."""
    for operator, value, other in (
        (test.operator, test.left, test.right),
        (test.operator.mirrored, test.right, test.left),
    ):
        extract = constant_of(other)
        if (
            extract is None
            or operator not in _LOOSEST
            or other.type not in (BIGINT, DOUBLE)
            or not reads_message(value)
        ):
            continue
        bounds = list(map(extract, rows))
        # NaN is above all numbers to Spark, and in no order to Python.
        if bounds and all(bound == bound for bound in bounds):
            return ir.Compare(operator, value, as_constant(_LOOSEST[operator](bounds), other.type))
    return ir.TRUE
