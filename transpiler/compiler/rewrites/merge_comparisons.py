"""Merge several comparisons of one value with the same constant into one comparison."""

from __future__ import annotations

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir

#: The possible outcomes of comparing a value with a constant, as bits: the value is less, equal or greater.
_BELOW, _EQUAL, _ABOVE = 1, 2, 4
_OUTCOMES = {
    Comparison.LT: _BELOW,
    Comparison.LE: _BELOW | _EQUAL,
    Comparison.EQ: _EQUAL,
    Comparison.GE: _EQUAL | _ABOVE,
    Comparison.GT: _ABOVE,
    Comparison.NE: _BELOW | _ABOVE,
}
_OPERATORS = {outcomes: operator for operator, outcomes in _OUTCOMES.items()}


def merge_comparisons(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a >= 5 AND a <= 5`` as ``a = 5``, and ``a < 5 OR a = 5`` as ``a <= 5``.

    Each comparison holds for a set of outcomes: the value is less than, equal to or greater than the constant. AND
    intersects these sets, OR unites them. NaN is greater than every number in Spark. ``tighten_bounds`` handles the
    empty set and the set of all outcomes.
    """
    if not isinstance(node, ir.Chain) or sum(isinstance(term, ir.Compare) for term in node.terms) < 2:
        return node
    outcomes: dict[tuple[ir.Value, ir.Value], int] = {}
    for term in node.terms:
        match term:
            # NaN is excluded, because Python's operators do not order it as Spark does.
            case ir.Compare(left=value, right=ir.Constant(value=int() | float() | str() as bound) as constant) if (
                bound == bound
            ):
                own, known = _OUTCOMES[term.operator], outcomes.get((value, constant))
                both = own if known is None else own & known if isinstance(node, ir.And) else own | known
                outcomes[value, constant] = both
            case _:
                pass
    terms: list[ir.Predicate] = []
    for term in node.terms:
        if isinstance(term, ir.Compare):
            operator = _OPERATORS.get(outcomes.get((term.left, term.right), 0))
            if operator is not None:
                term = ir.Compare(operator, term.left, term.right)
        terms.append(term)
    distinct = tuple(dict.fromkeys(terms))
    if len(distinct) == len(node.terms):
        return node
    return distinct[0] if len(distinct) == 1 else type(node)(distinct)
