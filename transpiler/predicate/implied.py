"""Tests that another test makes superfluous: NULL fails every comparison, and to Spark NaN is above every number."""

from __future__ import annotations

from transpiler.predicate.core import (
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
from transpiler.predicate.functions import Function
from transpiler.selector.ast import Comparison


def without_implied(node: Chain) -> Predicate:
    """In a conjunction a test that another term implies goes away: a comparison rules NULL out, and a number above
    rules NaN out. In a disjunction a test that implies another term goes."""
    if not any(isinstance(term, IsNull | IsNan) for term in node.terms):
        return node
    if isinstance(node, And):
        not_null = {value for term in node.terms for value in _rejects_null(term)}
        not_nan = {value for term in node.terms for value in _bounded_above(term)}
        kept = tuple(
            term
            for term in node.terms
            if not (isinstance(term, IsNull) and term.negated and term.value in not_null)
            and not (isinstance(term, IsNan) and term.negated and term.value in not_nan)
        )
    else:
        takes_nan = {value for term in node.terms for value in _holds_for_nan(term)}
        kept = tuple(
            term
            for term in node.terms
            if not (isinstance(term, IsNan) and not term.negated and term.value in takes_nan)
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
