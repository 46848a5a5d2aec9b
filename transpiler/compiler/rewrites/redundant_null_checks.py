"""Remove tests for NULL and NaN whose result another term of the chain determines.

A comparison with NULL never holds, and Spark treats NaN as greater than every number.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir


def remove_redundant_null_checks(node: ir.Predicate) -> ir.Predicate:
    """Remove from a chain each test for NULL or NaN whose result another term determines.

    - ``a IS NOT NULL AND a > 5`` becomes ``a > 5``, and ``a IS NULL AND a > 5`` becomes FALSE.
    - ``a > 5 AND (a < 9 OR a IS NULL)`` becomes ``a > 5 AND a < 9``.
    - ``a IS NULL OR a IS NOT NULL AND b`` becomes ``a IS NULL OR b``.
    - ``NOT isnan(a) AND a < 5`` becomes ``a < 5``; ``isnan(a) OR a > 5`` becomes ``a > 5``, as Spark's NaN is greatest.
    """
    if isinstance(node, ir.Chain) and any(isinstance(term, ir.IsNull | ir.Chain) for term in node.terms):
        node = _null_checked(node)
    if isinstance(node, ir.And):
        return _without(node, ir.IsNan, True, _bounded_above)
    return _without(node, ir.IsNan, False, _holds_for_nan) if isinstance(node, ir.Or) else node


def _null_checked(node: ir.Chain) -> ir.Predicate:
    """Simplify the NULL tests in each term of ``node``, assuming that all other terms hold.

    In a disjunction, assume that all other terms do not hold.
    """
    conjunction = isinstance(node, ir.And)
    checks = [term for term in node.terms if isinstance(term, ir.IsNull)]
    null = frozenset(check.value for check in checks if check.negated is not conjunction)
    present = frozenset(check.value for check in checks if check.negated is conjunction)
    rejected = frozenset(value for term in node.terms for value in _rejects_null(term)) if conjunction else frozenset()
    if not (null or present or rejected):
        return node
    terms = [
        _assume(term, frozenset(), rejected) if isinstance(term, ir.IsNull) else _assume(term, null, present | rejected)
        for term in node.terms
    ]
    if all(map(is_, terms, node.terms)):
        return node
    return (ir.all_of if conjunction else ir.any_of)(*terms)


def _assume(
    term: ir.Predicate, null: frozenset[ir.Value], present: frozenset[ir.Value], levels: int = 2
) -> ir.Predicate:
    """Return ``term`` simplified for rows in which the values ``null`` are NULL and the values ``present`` are not.

    ``levels`` is the maximum depth of nested chains that are simplified.
    """
    match term:
        case ir.IsNull(value=value, negated=negated) if value in null or value in present:
            return ir.BoolConst(negated is (value in present))
        case ir.And(terms=terms) | ir.Or(terms=terms) if levels:
            known = [_assume(inner, null, present, levels - 1) for inner in terms]
            if all(map(is_, known, terms)):
                return term
            return (ir.all_of if isinstance(term, ir.And) else ir.any_of)(*known)
        case _:
            return term if null.isdisjoint(_rejects_null(term)) else ir.FALSE


def _without(
    node: ir.Predicate,
    kind: type[ir.IsNan],
    negated: bool,
    decides: Callable[[ir.Predicate], tuple[ir.Value, ...]],
) -> ir.Predicate:
    """Return ``node``, an AND or OR, without the tests of the class ``kind`` that its other terms make redundant.

    Only tests whose field ``negated`` equals the argument are removed. ``decides`` takes a term and returns the values
    for which that term makes the test redundant.
    """
    if not isinstance(node, ir.Chain):
        return node
    tests = [term for term in node.terms if isinstance(term, kind) and term.negated is negated]
    if not tests:
        return node
    decided = {value for term in node.terms for value in decides(term)}
    kept = tuple(
        term
        for term in node.terms
        if not (isinstance(term, kind) and term.negated is negated and term.value in decided)
    )
    if len(kept) == len(node.terms):
        return node
    return kept[0] if len(kept) == 1 else type(node)(kept)


def _rejects_null(term: ir.Predicate) -> tuple[ir.Value, ...]:
    match term:
        case ir.Compare(left=left, right=right):
            return (left, right)
        case ir.In(value=value) | ir.Like(value=value) | ir.Topic(value=value) | ir.IsTrue(value=value):
            return (value,)
        case ir.IsNan(value=value, negated=False):
            return (value,)
        case _:
            return ()


def _bounded_above(term: ir.Predicate) -> tuple[ir.Value, ...]:
    match term:
        case ir.Compare(
            operator=Comparison.EQ,
            left=ir.Apply(function=ir.Function.MULTIPLY, arguments=(value, ir.Constant(value=0.0))),
            right=ir.Constant(),
        ):
            # ``a * 0 = constant`` tests that ``a`` is finite, because an infinity or NaN times zero is NaN. So ``a`` is
            # not NaN.
            return (value,)
        case (
            ir.Compare(operator=Comparison.EQ | Comparison.LT | Comparison.LE, left=left, right=ir.Constant())
            | ir.In(value=left, negated=False)
        ):
            return (left,)
        case _:
            return ()


def _holds_for_nan(term: ir.Predicate) -> tuple[ir.Value, ...]:
    match term:
        case ir.Compare(operator=Comparison.NE | Comparison.GT | Comparison.GE, left=left, right=ir.Constant()):
            return (left,)
        case _:
            return ()
