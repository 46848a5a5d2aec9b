"""Equalities of one value as a list of constants."""

from __future__ import annotations

from transpiler.ir.nodes import And, Chain, Compare, Constant, In, Predicate, Value
from transpiler.selector.ast import Comparison


def with_lists(node: Chain) -> Predicate:
    """``a = 1 OR a = 2`` is ``a IN (1, 2)``, and ``a <> 1 AND a <> 2`` is ``a NOT IN (1, 2)``."""
    negated = isinstance(node, And)
    operator = Comparison.NE if negated else Comparison.EQ
    each = [_members(term, operator, negated) for term in node.terms]
    if len(each) - each.count(None) < 2:
        return node
    lists: dict[Value, dict[Constant, None]] = {}
    kept: dict[Predicate | Value, None] = {}
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


def _members(term: Predicate, operator: Comparison, negated: bool) -> tuple[Value, tuple[Constant, ...]] | None:
    match term:
        case Compare(operator=found, left=left, right=Constant() as right) if found is operator:
            return left, (right,)
        case In(value=value, members=members, negated=other) if other is negated:
            return value, members
        case _:
            return None


def _listed(term: Predicate | Value, lists: dict[Value, dict[Constant, None]], negated: bool) -> Predicate:
    if not isinstance(term, Value):
        return term
    return among(term, tuple(lists[term]), negated)


def among(value: Value, members: tuple[Constant, ...], negated: bool) -> Predicate:
    """Whether a value is one of some constants, or none of them: of one, a comparison."""
    if len(members) == 1:
        return Compare(Comparison.NE if negated else Comparison.EQ, value, members[0])
    return In(value, members, negated)
