"""Literals that are left open: a selector is lowered once, and what comes out holds for every constant in their place.

A parameter is a value that nothing is known of but its type, so the lowering asks no more of it than of a column that
is never NULL. What the text of a literal decides beyond its type is its *form*, and literals of one form are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from transpiler import ir
from transpiler.ir.column_types import BOOLEAN, STRING
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


class PatternForm(NamedTuple):
    """The form of a pattern of LIKE, its texts aside: the kind of test, a length, and whether it tests octets."""

    kind: Literal["is", "begins", "ends", "contains", "matches"]
    length: int = 0
    octets: bool = False


def text_form(pattern: Pattern) -> PatternForm | None:
    """The form of a pattern whose test is one comparison with its one text; None for another pattern."""
    match pattern:
        case (str(),):
            return PatternForm("is")
        case (str() as prefix, Wildcard.ANY):
            return PatternForm("begins", len(prefix))
        case (Wildcard.ANY, str() as suffix):
            return PatternForm("ends", len(suffix))
        case (Wildcard.ANY, str(), Wildcard.ANY):
            return PatternForm("contains")
        case _:
            return None


def fits(value: ir.Value, form: PatternForm, parameter: ir.Value, negated: bool = False) -> ir.Predicate:
    """The rows where a text matches, or does not match, a pattern of that form; ``parameter`` stands for its text.

    The text of ``matches`` is a regular expression of Java.
    """
    match form.kind:
        case "begins":
            value = ir.Apply(ir.Function.LEFT, (value, ir.constant(form.length)), STRING)
        case "ends":
            value = ir.Apply(ir.Function.RIGHT, (value, ir.constant(form.length)), STRING)
        case "contains":
            return ir.IsTrue(ir.Apply(ir.Function.CONTAINS, (value, parameter), BOOLEAN), negated)
        case "matches":
            return ir.IsTrue(ir.Apply(ir.Function.MATCHES, (value, parameter), BOOLEAN), negated)
    return ir.Compare(Comparison.NE if negated else Comparison.EQ, value, parameter)
