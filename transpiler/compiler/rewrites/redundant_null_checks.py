"""Remove tests for NULL and NaN that another term decides.

NULL fails every comparison, and NaN is above every number to Spark.
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.compiler import ir
from transpiler.language.selector.ast import Comparison


def remove_redundant_null_checks(node: ir.Predicate) -> ir.Predicate:
    """Remove from a conjunction each test that another term implies, and from a disjunction each that implies another.

    ``a IS NOT NULL AND a > 5`` is ``a > 5``; ``NOT isnan(a) AND a < 5`` is ``a < 5``; ``isnan(a) OR a > 5`` is
    ``a > 5``.
    """
    if isinstance(node, ir.And):
        return _without(_without(node, ir.IsNull, True, _rejects_null), ir.IsNan, True, _bounded_above)
    return _without(node, ir.IsNan, False, _holds_for_nan) if isinstance(node, ir.Or) else node


def _without(
    node: ir.Predicate,
    kind: type[ir.IsNull | ir.IsNan],
    negated: bool,
    decides: Callable[[ir.Predicate], tuple[ir.Value, ...]],
) -> ir.Predicate:
    """Return the chain without the tests of a kind whose value another term decides."""
    if not isinstance(node, ir.Chain):
        return node
    tests = [term for term in node.terms if isinstance(term, kind) and term.negated is negated]
    if not tests:
        return node
    decided = {value for term in node.terms for value in decides(term)}
    kept = tuple(
        term
        for term in node.terms
        if not (isinstance(term, kind) and term.negated is negated and term.value in decided)
    )
    if len(kept) == len(node.terms):
        return node
    return kept[0] if len(kept) == 1 else type(node)(kept)


def _rejects_null(term: ir.Predicate) -> tuple[ir.Value, ...]:
    match term:
        case ir.Compare(left=left, right=right):
            return (left, right)
        case ir.In(value=value) | ir.Like(value=value) | ir.Topic(value=value) | ir.IsTrue(value=value):
            return (value,)
        case ir.IsNan(value=value, negated=False):
            return (value,)
        case _:
            return ()


def _bounded_above(term: ir.Predicate) -> tuple[ir.Value, ...]:
    match term:
        case ir.Compare(
            operator=Comparison.EQ,
            left=ir.Apply(function=ir.Function.MULTIPLY, arguments=(value, ir.Constant(value=0.0))),
            right=ir.Constant(),
        ):
            # A number whose product with zero is a number is finite.
            return (value,)
        case (
            ir.Compare(operator=Comparison.EQ | Comparison.LT | Comparison.LE, left=left, right=ir.Constant())
            | ir.In(value=left, negated=False)
        ):
            return (left,)
        case _:
            return ()


def _holds_for_nan(term: ir.Predicate) -> tuple[ir.Value, ...]:
    match term:
        case ir.Compare(operator=Comparison.NE | Comparison.GT | Comparison.GE, left=left, right=ir.Constant()):
            return (left,)
        case _:
            return ()
