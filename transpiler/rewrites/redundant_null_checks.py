"""Tests that another test makes superfluous: NULL fails every comparison, and to Spark NaN is above every number."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.ir.functions import Function
from transpiler.ir.nodes import (
    And,
    Apply,
    Chain,
    Compare,
    Constant,
    Flag,
    In,
    IsNan,
    IsNull,
    Like,
    Predicate,
    Topic,
    Value,
)
from transpiler.selector.ast import Comparison


def without_implied(node: Chain) -> Predicate:
    """In a conjunction a test that another term implies goes away: a comparison rules NULL out, and a number above
    rules NaN out. In a disjunction a test that implies another term goes."""
    if isinstance(node, And):
        return _without(_without(node, IsNull, True, _rejects_null), IsNan, True, _bounded_above)
    return _without(node, IsNan, False, _holds_for_nan)


def _without(
    node: Predicate, kind: type[IsNull | IsNan], negated: bool, decides: Callable[[Predicate], tuple[Value, ...]]
) -> Predicate:
    """A chain without the tests of a kind that another term decides."""
    if not isinstance(node, Chain):
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


def _rejects_null(term: Predicate) -> tuple[Value, ...]:
    match term:
        case Compare(left=left, right=right):
            return (left, right)
        case In(value=value) | Like(value=value) | Topic(value=value) | Flag(value=value):
            return (value,)
        case IsNan(value=value, negated=False):
            return (value,)
        case _:
            return ()


def _bounded_above(term: Predicate) -> tuple[Value, ...]:
    match term:
        case Compare(
            operator=Comparison.EQ,
            left=Apply(function=Function.MULTIPLY, arguments=(value, Constant(value=0.0))),
            right=Constant(),
        ):
            # It is finite.
            return (value,)
        case (
            Compare(operator=Comparison.EQ | Comparison.LT | Comparison.LE, left=left, right=Constant())
            | In(value=left, negated=False)
        ):
            return (left,)
        case _:
            return ()


def _holds_for_nan(term: Predicate) -> tuple[Value, ...]:
    match term:
        case Compare(operator=Comparison.NE | Comparison.GT | Comparison.GE, left=left, right=Constant()):
            return (left,)
        case _:
            return ()
