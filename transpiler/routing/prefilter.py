"""What all rows of constants of a table ask of a message at the least, so that they are looked up for no other."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from transpiler import ir
from transpiler.ir.column_types import BIGINT, DOUBLE
from transpiler.routing.signatures import Parameter, constant_of, reads_message, reads_parameters
from transpiler.selector.ast import Comparison

#: By what a value is compared with: whether the smallest of the rows' constants is the loosest bound, or the largest.
_LOOSEST = {Comparison.GT: min, Comparison.GE: min, Comparison.LT: max, Comparison.LE: max}


def implied_filter(residual: ir.Predicate, rows: Collection[Sequence[Parameter]]) -> ir.Predicate:
    """A predicate of the message alone that holds wherever the residual does, with the constants of any of the rows.

    Bounds are the loosest of all rows, and nothing else is asked that depends on a row.
    """

    def asked(test: ir.Predicate) -> ir.Predicate:
        if not reads_parameters(test):
            return test
        match test:
            case ir.And(terms=terms):
                return ir.all_of(*map(asked, terms))
            case ir.Or(terms=terms):
                return ir.any_of(*map(asked, terms))
            case ir.Coalesce(tests=tests, otherwise=otherwise, disjoint=apart):
                # With another constant a comparison is NULL where it was. What became TRUE may have been NULL.
                looser = ir.Coalesce(tuple(map(asked, tests)), asked(otherwise), apart)
                return ir.TRUE if ir.TRUE in (*looser.tests, looser.otherwise) else looser
            case ir.Compare():
                return _loosest_of(test, rows)
            case _:
                return ir.TRUE

    return asked(residual)


def _loosest_of(test: ir.Compare, rows: Collection[Sequence[Parameter]]) -> ir.Predicate:
    """The comparison with the loosest of the rows' constants; TRUE where it bounds nothing."""
    for operator, value, other in (
        (test.operator, test.left, test.right),
        (test.operator.mirrored, test.right, test.left),
    ):
        take = constant_of(other)
        if take is None or operator not in _LOOSEST or other.type not in (BIGINT, DOUBLE) or not reads_message(value):
            continue
        bounds = list(map(take, rows))
        # NaN is above all numbers to Spark, and in no order to Python.
        if bounds and all(bound == bound for bound in bounds):
            return ir.Compare(operator, value, ir.Constant(_LOOSEST[operator](bounds), other.type))
    return ir.TRUE
