"""Write the type test of an untyped value once for all comparisons that it guards.

Over untyped data, each comparison is lowered with a test of the value's type: ``T = 'STRING' AND s = 'a'``. Such a test
is called a guard here. The laws apply only to guards: other equal conditions are left to Spark, and to ``spark_plan``,
which makes tables of disjunctions of the same shape.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.compiler import ir

#: The terms of a conjunction that are guards.
_Guards = frozenset[ir.Predicate]


def gather_guarded(node: ir.Predicate) -> ir.Predicate:
    """Rewrite a chain so that it contains each guard only once.

    ``G AND a OR G AND b`` is ``G AND (a OR b)``, and ``(G AND a) IS NOT TRUE AND (G AND b) IS NOT TRUE`` is
    ``(G AND (a OR b)) IS NOT TRUE``. If the guards ``G`` and ``H`` exclude each other,
    ``(G AND a OR H AND b) AND (G AND c OR H AND d)`` is ``G AND a AND c OR H AND b AND d``.
    """
    match node:
        case ir.Or(terms=terms):
            return _gathered(node, terms)
        case ir.And(terms=terms):
            return _intersected(_gathered_complements(node))
        case _:
            return node


def _gathered(node: ir.Predicate, terms: tuple[ir.Predicate, ...]) -> ir.Predicate:
    """Return the disjunction ``node`` of ``terms`` with all terms that have the same guards merged into one."""
    by_guards: dict[_Guards, list[ir.And]] = {}
    for term in terms:
        if isinstance(term, ir.And) and (guards := _guards(term)):
            by_guards.setdefault(guards, []).append(term)
    if all(len(group) == 1 for group in by_guards.values()):
        return node
    result: dict[ir.Predicate, None] = {}
    for term in terms:
        group = by_guards.get(_guards(term), []) if isinstance(term, ir.And) else []
        if len(group) < 2:
            result[term] = None
        elif term is group[0]:
            compared = ir.any_of(*map(_without_guards, group))
            result[ir.all_of(*filter(_is_guard, group[0].terms), compared)] = None
    return ir.any_of(*result)


def _gathered_complements(node: ir.And) -> ir.Predicate:
    """Return ``node`` with all complements of predicates that have the same guards merged into one complement."""
    by_guards: dict[frozenset[_Guards], list[ir.NotTrue]] = {}
    for term in node.terms:
        if isinstance(term, ir.NotTrue) and (signature := _signature(term.predicate)):
            by_guards.setdefault(signature, []).append(term)
    merged = {group[0]: group for group in by_guards.values() if len(group) > 1}
    if not merged:
        return node
    gone = {term for group in merged.values() for term in group[1:]}
    return ir.all_of(
        *[
            ir.NotTrue(ir.any_of(*[inner.predicate for inner in merged[term]]))
            if isinstance(term, ir.NotTrue) and term in merged
            else term
            for term in node.terms
            if term not in gone
        ]
    )


def _intersected(node: ir.Predicate) -> ir.Predicate:
    """Return ``node`` with all disjunctions over the same guards merged into one, if the guards exclude each other."""
    if not isinstance(node, ir.And):
        return node
    by_guards: dict[frozenset[_Guards], list[ir.Or]] = {}
    for term in node.terms:
        if isinstance(term, ir.Or) and _are_exclusive(signature := _signature(term)):
            by_guards.setdefault(signature, []).append(term)
    merged = {group[0]: group for group in by_guards.values() if len(group) > 1}
    if not merged:
        return node
    gone = {term for group in merged.values() for term in group[1:]}
    return ir.all_of(
        *[
            _intersection(merged[term]) if isinstance(term, ir.Or) and term in merged else term
            for term in node.terms
            if term not in gone
        ]
    )


def _intersection(group: list[ir.Or]) -> ir.Predicate:
    """Return the conjunction of ``group``: disjunctions that have one term for each of the same guards."""
    rests: dict[_Guards, list[ir.Predicate]] = {}
    for disjunction in group:
        for term in disjunction.terms:
            assert isinstance(term, ir.And)
            rests.setdefault(_guards(term), []).append(_without_guards(term))
    first = [term for term in group[0].terms if isinstance(term, ir.And)]
    return ir.any_of(*[ir.all_of(*filter(_is_guard, term.terms), *rests[_guards(term)]) for term in first])


def _signature(predicate: ir.Predicate) -> frozenset[_Guards]:
    """Return the guards of each term of a disjunction; empty if a term has no guard or two terms have equal guards."""
    terms = predicate.terms if isinstance(predicate, ir.Or) else (predicate,)
    each = [_guards(term) for term in terms if isinstance(term, ir.And)]
    signature = frozenset(each)
    return signature if len(signature) == len(terms) and all(each) else frozenset()


def _are_exclusive(signature: frozenset[_Guards]) -> bool:
    """Return True if each term has one guard, and at most one of these guards holds in each row."""
    tests = [next(iter(guards)) for guards in signature if len(guards) == 1]
    if len(tests) < 2 or len(tests) < len(signature):
        return False
    return ir.are_exclusive([ir.type_test(test) for test in tests])


def _guards(term: ir.And) -> _Guards:
    return frozenset(filter(_is_guard, term.terms))


def _without_guards(term: ir.And) -> ir.Predicate:
    return ir.all_of(*[inner for inner in term.terms if not _is_guard(inner)])


def _is_guard(test: ir.Predicate) -> bool:
    """Return True if ``test`` tests a value's type: the name of a VARIANT's type, or the form of a number in text."""
    if isinstance(test, ir.Matches):
        return True
    # ``NOT IN`` is a guard too, but ``type_test`` does not recognize it.
    return ir.type_test(replace(test, negated=False) if isinstance(test, ir.In) else test) is not None
