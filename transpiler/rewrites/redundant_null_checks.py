"""Tests that another test makes superfluous: NULL fails every comparison, and to Spark NaN is above every number."""

from __future__ import annotations

from collections.abc import Callable

from transpiler import ir
from transpiler.selector.ast import Comparison


def remove_redundant_null_checks(node: ir.Chain) -> ir.Predicate:
    """In a conjunction a test that another term implies goes away: a comparison rules NULL out, and a number above
    rules NaN out. In a disjunction a test that implies another term goes."""
    if isinstance(node, ir.And):
        return _without(_without(node, ir.IsNull, True, _rejects_null), ir.IsNan, True, _bounded_above)
    return _without(node, ir.IsNan, False, _holds_for_nan)


def _without(
    node: ir.Predicate,
    kind: type[ir.IsNull | ir.IsNan],
    negated: bool,
    decides: Callable[[ir.Predicate], tuple[ir.Value, ...]],
) -> ir.Predicate:
    """A chain without the tests of a kind that another term decides."""
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
            # It is finite.
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
