"""Combine equalities of one value into an IN list, which Spark searches by hash and pushes down to file readers."""

from __future__ import annotations

from dataclasses import replace

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir


def combine_in_lists(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a = 1 OR a = 2`` as ``a IN (1, 2)``, and ``a <> 1 AND a <> 2`` as ``a NOT IN (1, 2)``.

    A list with one member becomes an equality again, and repeated members are removed.
    """
    match node:
        case ir.And() | ir.Or():
            return _combined(node)
        case ir.In(value=value, members=(_,) as members, negated=negated):
            return in_or_equal(value, members, negated)
        case ir.In(members=members) if len(set(members)) < len(members):
            return replace(node, members=tuple(dict.fromkeys(members)))
        case _:
            return node


def _combined(node: ir.Chain) -> ir.Predicate:
    negated = isinstance(node, ir.And)
    operator = Comparison.NE if negated else Comparison.EQ
    each = [_members(term, operator, negated) for term in node.terms]
    if len(each) - each.count(None) < 2:
        return node
    lists: dict[ir.Value, dict[ir.Constant, None]] = {}
    kept: dict[ir.Predicate | ir.Value, None] = {}
    for term, pair in zip(node.terms, each, strict=True):
        if pair is None:
            kept[term] = None
        else:
            value, members = pair
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
        case ir.Compare(operator=actual, left=left, right=ir.Constant() as right) if actual is operator:
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
    """Return ``value IN members`` or its negation; with one member, a comparison."""
    if len(members) == 1:
        return ir.Compare(Comparison.NE if negated else Comparison.EQ, value, members[0])
    return ir.In(value, members, negated)
