"""Literals that are left open: a selector is lowered once, and what comes out holds for every constant in their place.

A parameter is a value that nothing is known of but its type, so the lowering asks no more of it than of a column that
is never NULL. What the text of a literal decides beyond its type is its *form*, and literals of one form are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from transpiler.ir.functions import Function
from transpiler.ir.nodes import Apply, Compare, Constant, In, Like, Predicate, Value, all_of, any_of, constant
from transpiler.layouts.columns import STRING
from transpiler.selector.ast import Comparison
from transpiler.selector.pattern import Pattern, Wildcard
from transpiler.source import Span

#: The values that stand for literals, by the literals' places in the text.
Parameters = Mapping[Span, Value]

NO_PARAMETERS: Parameters = MappingProxyType({})


def is_listed(value: Value, members: Sequence[Value], negated: bool = False) -> Predicate:
    """Where a value is, or is not, one of some others."""
    known = tuple(member for member in members if isinstance(member, Constant))
    if len(known) == len(members):
        return In(value, known, negated)
    if negated:
        return all_of(*(Compare(Comparison.NE, value, member) for member in members))
    return any_of(*(Compare(Comparison.EQ, value, member) for member in members))


def form_of(pattern: Pattern) -> tuple[str, int] | None:
    """What a pattern with one text asks, the text aside; None where it asks more than that."""
    match pattern:
        case (str(),):
            return "is", 0
        case (str() as prefix, Wildcard.ANY):
            return "begins", len(prefix)
        case (Wildcard.ANY, str() as suffix):
            return "ends", len(suffix)
        case _:
            return None


def fits(value: Value, pattern: Pattern, parameter: Value | None = None, negated: bool = False) -> Predicate:
    """Where a text matches, or does not match, a pattern; ``parameter`` stands for the text of one that has a form."""
    if parameter is None:
        return Like(value, pattern, negated)
    match form_of(pattern):
        case ("begins", length):
            value = Apply(Function.LEFT, (value, constant(length)), STRING)
        case ("ends", length):
            value = Apply(Function.RIGHT, (value, constant(length)), STRING)
        case None:
            raise AssertionError(pattern)
    return Compare(Comparison.NE if negated else Comparison.EQ, value, parameter)
