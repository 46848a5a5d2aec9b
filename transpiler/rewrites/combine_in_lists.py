"""Equalities of one value as a list of constants."""

from __future__ import annotations

from transpiler import ir
from transpiler.selector.ast import Comparison


def combine_in_lists(node: ir.Chain) -> ir.Predicate:
    """``a = 1 OR a = 2`` is ``a IN (1, 2)``, and ``a <> 1 AND a <> 2`` is ``a NOT IN (1, 2)``."""
    negated = isinstance(node, ir.And)
    operator = Comparison.NE if negated else Comparison.EQ
    each = [_members(term, operator, negated) for term in node.terms]
    if len(each) - each.count(None) < 2:
        return node
    lists: dict[ir.Value, dict[ir.Constant, None]] = {}
    kept: dict[ir.Predicate | ir.Value, None] = {}
    for term, found in zip(node.terms, each, strict=True):
        if found is None:
            kept[term] = None
        else:
            value, members = found
            kept[value] = None
            lists.setdefault(value, {}).update(dict.fromkeys(members))
    if len(kept) == len(node.terms):
        return node
    merged = tuple(_listed(term, lists, negated) for term in kept)
    return merged[0] if len(merged) == 1 else type(node)(merged)


def _members(
    term: ir.Predicate, operator: Comparison, negated: bool
) -> tuple[ir.Value, tuple[ir.Constant, ...]] | None:
    match term:
        case ir.Compare(operator=found, left=left, right=ir.Constant() as right) if found is operator:
            return left, (right,)
        case ir.In(value=value, members=members, negated=other) if other is negated:
            return value, members
        case _:
            return None


def _listed(
    term: ir.Predicate | ir.Value, lists: dict[ir.Value, dict[ir.Constant, None]], negated: bool
) -> ir.Predicate:
    if not isinstance(term, ir.Value):
        return term
    return in_or_equal(term, tuple(lists[term]), negated)


def in_or_equal(value: ir.Value, members: tuple[ir.Constant, ...], negated: bool) -> ir.Predicate:
    """Whether a value is one of some constants, or none of them: of one, a comparison."""
    if len(members) == 1:
        return ir.Compare(Comparison.NE if negated else Comparison.EQ, value, members[0])
    return ir.In(value, members, negated)
