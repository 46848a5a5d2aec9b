"""Literals that are left open: a selector is lowered once, and what comes out holds for every constant in their place.

A parameter is a value that nothing is known of but its type, so the lowering asks no more of it than of a column that
is never NULL. What the text of a literal decides beyond its type is its *form*, and literals of one form are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from transpiler import ir
from transpiler.ir.column_types import STRING
from transpiler.selector.ast import Comparison
from transpiler.selector.pattern import Pattern, Wildcard
from transpiler.source import Span

#: The values that stand for literals, by the literals' places in the text.
Parameters = Mapping[Span, ir.Value]

NO_PARAMETERS: Parameters = MappingProxyType({})


def is_listed(value: ir.Value, members: Sequence[ir.Value], negated: bool = False) -> ir.Predicate:
    """The rows where a value is, or is not, one of some others."""
    known = tuple(member for member in members if isinstance(member, ir.Constant))
    if len(known) == len(members):
        return ir.In(value, known, negated)
    if negated:
        return ir.all_of(*(ir.Compare(Comparison.NE, value, member) for member in members))
    return ir.any_of(*(ir.Compare(Comparison.EQ, value, member) for member in members))


def form_of(pattern: Pattern) -> tuple[str, int] | None:
    """The form of a pattern with one text, the text aside; None for a pattern of more parts."""
    match pattern:
        case (str(),):
            return "is", 0
        case (str() as prefix, Wildcard.ANY):
            return "begins", len(prefix)
        case (Wildcard.ANY, str() as suffix):
            return "ends", len(suffix)
        case _:
            return None


def fits(value: ir.Value, pattern: Pattern, parameter: ir.Value | None = None, negated: bool = False) -> ir.Predicate:
    """The rows where a text matches, or does not match, a pattern; ``parameter`` stands for the text of its form."""
    if parameter is None:
        return ir.Like(value, pattern, negated)
    match form_of(pattern):
        case ("begins", length):
            value = ir.Apply(ir.Function.LEFT, (value, ir.constant(length)), STRING)
        case ("ends", length):
            value = ir.Apply(ir.Function.RIGHT, (value, ir.constant(length)), STRING)
        case None:
            raise AssertionError(pattern)
    return ir.Compare(Comparison.NE if negated else Comparison.EQ, value, parameter)
