"""Flatten nested conjunctions and disjunctions, and drop what is repeated or constant in them."""

from __future__ import annotations

from operator import is_

from transpiler import ir
from transpiler.rewrites.law import rule

#: Terms up to which repetitions are detected by comparing: for so few it is quicker than their hashes.
_FEW_TERMS = 5


@rule(ir.And, ir.Or)
def flatten_chains(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a AND (b AND c)`` as ``a AND b AND c``, ``a AND a`` as ``a`` and ``a AND TRUE`` as ``a``.

    AND and OR are associative and idempotent; of TRUE and FALSE one is the identity and the other one absorbs.
    """
    if not isinstance(node, ir.Chain):
        return node
    kinds = set(map(type, node.terms))
    if len(kinds) == len(node.terms) and kinds.isdisjoint((type(node), ir.BoolConst)):
        # Terms of different types are different.
        return node
    identity, absorbing = (ir.TRUE, ir.FALSE) if isinstance(node, ir.And) else (ir.FALSE, ir.TRUE)
    terms: list[ir.Predicate] = []
    for term in node.terms:
        for inner in term.terms if isinstance(term, type(node)) else (term,):
            if not isinstance(inner, ir.BoolConst):
                terms.append(inner)
            elif inner == absorbing:
                return absorbing
    distinct = _distinct(terms)
    if not distinct:
        return identity
    if len(distinct) == 1:
        return distinct[0]
    return node if len(distinct) == len(node.terms) and all(map(is_, distinct, node.terms)) else type(node)(distinct)


def _distinct(terms: list[ir.Predicate]) -> tuple[ir.Predicate, ...]:
    """Return the terms in order, each of them once."""
    if len(terms) > _FEW_TERMS:
        return tuple(dict.fromkeys(terms))
    distinct: list[ir.Predicate] = []
    for term in terms:
        if term not in distinct:
            distinct.append(term)
    return tuple(distinct)
