"""Write the type test of an untyped value once for all comparisons that it guards.

Over untyped data, each comparison is lowered with a test of the value's type: ``T = 'STRING' AND s = 'a'``. Such a test
is called a guard here. The laws apply only to guards: other equal conditions are left to Spark, and to ``spark_plan``,
which makes tables of disjunctions of the same shape.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from transpiler.compiler import ir

#: The terms of a conjunction that are guards: tests of the type of a value (see ``_is_guard``).
_Guards = frozenset[ir.Predicate]


def gather_guarded(node: ir.Predicate) -> ir.Predicate:
    """Rewrite an AND or OR so that it contains each guard, which is a test of a value's type, only once.

    - ``G AND a OR G AND b`` becomes ``G AND (a OR b)``.
    - ``(G AND a) IS NOT TRUE AND (G AND b) IS NOT TRUE`` becomes ``(G AND (a OR b)) IS NOT TRUE``.
    - ``(G AND a OR H AND b) AND (G AND c OR H AND d)`` becomes ``G AND a AND c OR H AND b AND d``, if at most one of
      the guards ``G`` and ``H`` holds in each row.
    """
    if isinstance(node, ir.Or):
        return _merged(node, _guards, _disjunction)
    if isinstance(node, ir.And):
        node = _merged(node, _complemented, _complement)
    return _merged(node, _excluding, _intersection) if isinstance(node, ir.And) else node


def _merged(
    node: ir.Chain,
    key_of: Callable[[ir.Predicate], Hashable],
    merge: Callable[[Sequence[ir.Predicate]], ir.Predicate],
) -> ir.Predicate:
    """Return the chain ``node`` with all terms for which ``key_of`` returns the same key merged into one term.

    A term for which ``key_of`` returns an empty key is not merged.
    """
    groups: dict[Hashable, list[ir.Predicate]] = {}
    for term in node.terms:
        groups.setdefault(key_of(term) or term, []).append(term)
    if len(groups) == len(node.terms):
        return node
    terms = [merge(group) if len(group) > 1 and key_of(group[0]) else group[0] for group in groups.values()]
    return ir.all_of(*terms) if isinstance(node, ir.And) else ir.any_of(*terms)


def _disjunction(terms: Sequence[ir.Predicate]) -> ir.Predicate:
    """Rewrite ``G AND a OR G AND b`` as ``G AND (a OR b)``; ``terms`` are the terms of the OR, with the same guards."""
    return ir.all_of(*filter(_is_guard, _terms(terms[0])), ir.any_of(*map(_without_guards, terms)))


def _complemented(term: ir.Predicate) -> frozenset[_Guards]:
    """Return the guards (type tests) in ``term`` if it has the form ``(G AND a OR H AND b) IS NOT TRUE``.

    The result contains one set of guards for each term of the OR, here G and H. It is empty for any other ``term``.
    """
    return _signature(term.predicate) if isinstance(term, ir.NotTrue) else frozenset()


def _complement(terms: Sequence[ir.Predicate]) -> ir.Predicate:
    """Rewrite ``a IS NOT TRUE AND b IS NOT TRUE`` as ``(a OR b) IS NOT TRUE``; ``terms`` are the terms of the AND."""
    return ir.NotTrue(ir.any_of(*[term.predicate for term in terms if isinstance(term, ir.NotTrue)]))


def _excluding(term: ir.Predicate) -> frozenset[_Guards]:
    """Return the guards (type tests) of each term of the OR ``term``, if at most one of them holds in each row.

    Return an empty set otherwise, or if ``term`` is not an OR.
    """
    signature = _signature(term) if isinstance(term, ir.Or) else frozenset()
    return signature if _are_exclusive(signature) else frozenset()


def _intersection(disjunctions: Sequence[ir.Predicate]) -> ir.Predicate:
    """Rewrite ``(G AND a OR H AND b) AND (G AND c OR H AND d)`` as ``G AND a AND c OR H AND b AND d``.

    ``disjunctions`` are the terms of the AND. All have the same guards (type tests), of which at most one holds.
    """
    rests: dict[_Guards, list[ir.Predicate]] = {}
    for term in (inner for disjunction in disjunctions for inner in _terms(disjunction)):
        rests.setdefault(_guards(term), []).append(_without_guards(term))
    first = _terms(disjunctions[0])
    return ir.any_of(*[ir.all_of(*filter(_is_guard, _terms(term)), *rests[_guards(term)]) for term in first])


def _signature(predicate: ir.Predicate) -> frozenset[_Guards]:
    """Return the guards (type tests) of each term of ``predicate``, an OR or a single term.

    Return an empty set if a term has no guard or two terms have equal guards.
    """
    terms = predicate.terms if isinstance(predicate, ir.Or) else (predicate,)
    each = [_guards(term) for term in terms if isinstance(term, ir.And)]
    signature = frozenset(each)
    return signature if len(signature) == len(terms) and all(each) else frozenset()


def _are_exclusive(signature: frozenset[_Guards]) -> bool:
    """Return True if each term of an OR has one guard, and at most one of these guards holds in each row.

    ``signature`` contains the guards (type tests) of each term.
    """
    tests = [next(iter(guards)) for guards in signature if len(guards) == 1]
    if len(tests) < 2 or len(tests) < len(signature):
        return False
    return ir.are_exclusive([ir.type_test(test) for test in tests])


def _terms(node: ir.Predicate) -> tuple[ir.Predicate, ...]:
    return node.terms if isinstance(node, ir.Chain) else ()


def _guards(term: ir.Predicate) -> _Guards:
    """Return the terms of the AND ``term`` that are guards (type tests); empty if ``term`` is not an AND."""
    return frozenset(filter(_is_guard, term.terms)) if isinstance(term, ir.And) else frozenset()


def _without_guards(term: ir.Predicate) -> ir.Predicate:
    return ir.all_of(*[inner for inner in _terms(term) if not _is_guard(inner)])


def _is_guard(test: ir.Predicate) -> bool:
    return ir.tested_value(test) is not None
