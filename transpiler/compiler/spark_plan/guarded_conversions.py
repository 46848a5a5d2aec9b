"""Evaluate conversions that can fail only behind the test that protects them.

Spark evaluates a value that a predicate contains twice only once, and before the predicate. So in
``rlike(t, '[0-9]+') AND (try_cast(t AS INT) > 5 OR try_cast(t AS INT) < 1)``, the cast is evaluated for every text. A
cast that fails takes up to ten times as long as the rest of the predicate. Spark evaluates a branch of a CASE only in
rows in which the branch is chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import SparkType

#: The conversions that take long if they fail, unless their result has one of the types ``_CHEAP``.
_CONVERSIONS = frozenset(
    {ir.Function.NUMBER_IN_TEXT, ir.Function.TRY_CAST, ir.Function.PARSE_JSON, ir.Function.CAST_VARIANT}
)
_CHEAP = frozenset({SparkType.STRING, SparkType.TIMESTAMP})

#: A function that joins the tests of an AND and the terms that these tests protect.
_Join = Callable[[Sequence[ir.Predicate], Sequence[ir.Predicate]], ir.Predicate]


def guard_conversions(node: ir.Predicate, is_part: bool = False) -> ir.Predicate:
    """Rewrite ``g AND a > 1 AND a < 5`` as ``CASE WHEN g THEN a > 1 AND a < 5 END``, where ``a`` is a conversion.

    The test ``g`` must test the value that ``a`` converts, and the predicate must contain ``a`` more than once. If
    ``is_part``, other parts of the same SQL may contain ``a`` too, so once is enough.
    """
    counts = Counter(_evaluated(node))
    repeated = {value for value, count in counts.items() if count > 1 or is_part}
    return _joined(node, repeated, _case) if repeated else node


def guard_values(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``g AND a > 1`` as ``g AND CASE WHEN g THEN a END > 1``, where ``a`` is a conversion.

    The terms of the AND can then be evaluated in any order.
    """
    while True:
        conversions = set(_evaluated(node))
        changed = _joined(node, conversions, partial(_values, conversions)) if conversions else node
        if changed == node:
            return node
        node = changed


def _evaluated(node: ir.Node) -> Iterator[ir.Apply]:
    """Yield the conversions that Spark evaluates in every row if it evaluates ``node``, once for each occurrence."""
    match node:
        case ir.When(condition=condition):
            yield from _evaluated(condition)
        case ir.Guarded(guard=guard):
            yield from _evaluated(guard)
        case ir.Apply(function=ir.Function.FIRST, arguments=(first, *_)):
            yield from _evaluated(first)
        case ir.AnyRow():
            # The predicate of the rows is a lambda function, in which Spark does not look for repeated values.
            pass
        case _:
            if isinstance(node, ir.Apply) and node.function in _CONVERSIONS and node.type.kind not in _CHEAP:
                yield node
            for part in ir.children(node):
                yield from _evaluated(part)


def _joined(node: ir.Predicate, conversions: set[ir.Apply], join: _Join) -> ir.Predicate:
    """Return ``node`` with ``join`` applied to each AND that tests the argument of one of ``conversions``."""
    node = ir.rebuild(node, lambda inner: _joined(inner, conversions, join))
    if not isinstance(node, ir.And):
        return node
    tested = {_tested(term) for term in node.terms}
    protected = {value for value in conversions if value.arguments[0] in tested}
    sources = {value.arguments[0] for value in protected}
    inside = [term for term in node.terms if not protected.isdisjoint(_evaluated(term))]
    guards = [term for term in node.terms if _tested(term) in sources and term not in inside]
    if not inside or not guards:
        return node
    joined = join(guards, inside)
    terms = [joined if term is guards[0] else term for term in node.terms]
    return ir.all_of(*[term for term in terms if term not in guards and term not in inside])


def _case(guards: Sequence[ir.Predicate], inside: Sequence[ir.Predicate]) -> ir.Predicate:
    return ir.Guarded(ir.all_of(*guards), ir.all_of(*inside))


def _values(conversions: set[ir.Apply], guards: Sequence[ir.Predicate], inside: Sequence[ir.Predicate]) -> ir.Predicate:
    """Return the AND of ``guards`` and ``inside``, in which each conversion is behind the guard of its argument."""

    def value(inner: ir.Value) -> ir.Value:
        if isinstance(inner, ir.When):
            return inner
        if isinstance(inner, ir.Apply) and inner in conversions:
            own = ir.all_of(*[guard for guard in guards if _tested(guard) == inner.arguments[0]])
            return ir.guarded(own, ir.rebuild(inner, predicate, value))
        return ir.rebuild(inner, predicate, value)

    def predicate(inner: ir.Predicate) -> ir.Predicate:
        return ir.rebuild(inner, predicate, value)

    return ir.all_of(*guards, *map(predicate, inside))


def _tested(term: ir.Predicate) -> ir.Value | None:
    """Return the value whose text or type ``term`` tests; None if it is another test."""
    match term:
        case ir.Matches(value=value):
            return value
        case ir.In(negated=True):
            # ``type_test`` does not recognize ``NOT IN``.
            term = replace(term, negated=False)
    test = ir.type_test(term)
    return test.type_name.arguments[0] if test is not None and isinstance(test.type_name, ir.Apply) else None
