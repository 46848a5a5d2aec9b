"""The short laws: those of boolean algebra and those that simplify a single test."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from operator import is_

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Wildcard
from transpiler.compiler import ir

#: If two predicates are complements of each other, at least one of them is of these classes, because the complement of
#: a predicate of any other class is a ``NotTrue``.
_HAS_COMPLEMENT = (ir.NotTrue, ir.IsNull, ir.IsNan)


def orient_comparison(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``5 < a`` as ``a > 5``: swap the operands and mirror the operator if only the left one is constant."""
    if isinstance(node, ir.Compare) and isinstance(node.left, ir.Constant) and not isinstance(node.right, ir.Constant):
        return ir.Compare(node.operator.mirrored, node.right, node.left)
    return node


def unwrap_boolean(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``b = TRUE`` and ``b <> FALSE`` as ``b``, and ``b = FALSE`` and ``b <> TRUE`` as ``NOT b``."""
    match node:
        case ir.Compare(operator=operator, left=left, right=ir.Constant(value=bool() as value)):
            return ir.IsTrue(left, negated=(operator is Comparison.EQ) is not value)
        case _:
            return node


def match_literal_pattern(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a LIKE 'text'`` as ``a = 'text'``: a LIKE pattern without wildcards matches only its own text."""
    match node:
        case ir.Like(value=value, pattern=() | (str(),) as pattern, negated=negated):
            return ir.Compare(
                Comparison.NE if negated else Comparison.EQ, value, ir.constant("".join(map(str, pattern)))
            )
        case _:
            return node


def match_any_text(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a LIKE '%'`` as ``a IS NOT NULL``, because every text matches, and ``a NOT LIKE '%'`` as FALSE."""
    match node:
        case ir.Like(value=value, pattern=(Wildcard.ANY,), negated=negated):
            return ir.FALSE if negated else ir.IsNull(value, negated=True)
        case _:
            return node


def cancel_complements(node: ir.Predicate) -> ir.Predicate:
    """Rewrite the complement of a test that is never NULL as the opposite test, and remove a double complement.

    The complement of a test that can be NULL is kept: if the test is NULL, its complement holds, but the opposite test
    does not.
    """
    match node:
        case ir.NotTrue(predicate=ir.BoolConst(value=value)):
            return ir.BoolConst(not value)
        case ir.NotTrue(predicate=ir.IsNull() | ir.IsNan() as inner):
            return type(inner)(inner.value, not inner.negated)
        case ir.NotTrue(predicate=ir.NotTrue(predicate=inner)):
            return inner
        case _:
            return node


def flatten_chains(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a AND (b AND c)`` as ``a AND b AND c``, ``a AND a`` as ``a`` and ``a AND TRUE`` as ``a``.

    AND and OR are associative and idempotent; one of TRUE and FALSE is the identity, and the other is absorbing.
    """
    if not isinstance(node, ir.Chain):
        return node
    identity, absorbing = (ir.TRUE, ir.FALSE) if isinstance(node, ir.And) else (ir.FALSE, ir.TRUE)
    terms: list[ir.Predicate] = []
    for term in node.terms:
        for inner in term.terms if isinstance(term, type(node)) else (term,):
            if not isinstance(inner, ir.BoolConst):
                terms.append(inner)
            elif inner == absorbing:
                return absorbing
    distinct = tuple(dict.fromkeys(terms))
    if not distinct:
        return identity
    if len(distinct) == 1:
        return distinct[0]
    return node if len(distinct) == len(node.terms) and all(map(is_, distinct, node.terms)) else type(node)(distinct)


def excluded_middle(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``P OR (P IS NOT TRUE)`` as TRUE, and ``P AND (P IS NOT TRUE)`` as FALSE."""
    if not isinstance(node, ir.Chain):
        return node
    complements = {cancel_complements(ir.NotTrue(term)) for term in node.terms if isinstance(term, _HAS_COMPLEMENT)}
    if not complements or complements.isdisjoint(node.terms):
        return node
    return ir.BoolConst(isinstance(node, ir.Or))


def exclude_opposites(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``b AND NOT b`` as FALSE, also for LIKE and NOT LIKE.

    ``b OR NOT b`` is not rewritten. ``b IS NOT NULL`` would be shorter, but the predicate around it may then be split
    into methods at different subexpressions, which made one SQL text a third longer.
    """
    if not isinstance(node, ir.And):
        return node
    tested = [term for term in node.terms if isinstance(term, ir.IsTrue | ir.Like)]
    plain = {term for term in tested if not term.negated}
    if plain and any(term.negated and replace(term, negated=False) in plain for term in tested):
        return ir.FALSE
    return node


def absorb_terms(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a OR a AND b`` as ``a``, and ``a AND (a OR b)`` as ``a``."""
    if not isinstance(node, ir.Chain):
        return node
    dual = ir.Or if isinstance(node, ir.And) else ir.And
    if not any(isinstance(term, dual) for term in node.terms):
        return node
    own = set(node.terms)
    kept = tuple(term for term in node.terms if not isinstance(term, dual) or own.isdisjoint(term.terms))
    if len(kept) == len(node.terms):
        return node
    return kept[0] if len(kept) == 1 else type(node)(kept)


def factor_common_terms(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``(a OR c) AND (b OR c)`` as ``c OR a AND b``: AND and OR are distributive.

    ``a AND c OR b AND c`` is rewritten as ``c AND (a OR b)`` only if ``c`` is an IS NULL test. Spark's optimizer
    factors other common terms itself, and ``spark_plan`` rewrites long ORs of this shape.
    """
    if not isinstance(node, ir.Chain):
        return node
    conjunction = isinstance(node, ir.And)
    parts = [term for term in node.terms if isinstance(term, ir.Or if conjunction else ir.And)]
    counts = Counter(term for part in parts for term in part.terms if conjunction or _is_null_test(term))
    common = max(counts, key=counts.__getitem__, default=None)
    if common is None or counts[common] < 2:
        return node
    first, *others = sharing = [part for part in parts if common in part.terms]
    shared = [term for term in first.terms if all(term in part.terms for part in others)]
    outer, inner = (ir.all_of, ir.any_of) if conjunction else (ir.any_of, ir.all_of)
    rests = [inner(*(term for term in part.terms if term not in shared)) for part in sharing]
    factored = inner(*shared, outer(*rests))
    return outer(*(factored if term is first else term for term in node.terms if term not in others))


def _is_null_test(term: ir.Predicate) -> bool:
    return isinstance(term, ir.IsNull) and not term.negated
