"""Evaluate conversions that can fail only behind the test that protects them.

Spark evaluates a value that a predicate contains twice only once, and before the predicate. So in
``rlike(t, '[0-9]+') AND (try_cast(t AS INT) > 5 OR try_cast(t AS INT) < 1)``, the cast is evaluated for every text. A
cast that fails takes up to ten times as long as the rest of the predicate. Spark evaluates a branch of a CASE only in
rows in which the branch is chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import SparkType

#: The conversions that take long if they fail, unless their result has one of the types ``_CHEAP``.
_CONVERSIONS = frozenset(
    {ir.Function.NUMBER_IN_TEXT, ir.Function.TRY_CAST, ir.Function.PARSE_JSON, ir.Function.CAST_VARIANT}
)
_CHEAP = frozenset({SparkType.STRING, SparkType.TIMESTAMP})


def guard_conversions(node: ir.Predicate, is_part: bool = False) -> ir.Predicate:
    """Rewrite ``g AND a > 1 AND a < 5`` as ``CASE WHEN g THEN a > 1 AND a < 5 END``, where ``a`` is a conversion.

    The test ``g`` must test the value that ``a`` converts, and the predicate must contain ``a`` more than once. If
    ``is_part``, other parts of the same SQL may contain ``a`` too, so once is enough.
    """
    counts = Counter(_evaluated(node))
    repeated = [value for value, count in counts.items() if count > 1 or is_part]
    return _guarded(node, _by_argument(repeated)) if repeated else node


def _evaluated(node: ir.Node) -> Iterator[ir.Apply]:
    """Yield each conversion in ``node`` outside of the branches of a CASE: Spark evaluates it in every row."""
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


def _by_argument(conversions: Iterable[ir.Apply]) -> dict[ir.Value, set[ir.Apply]]:
    """Return ``conversions`` grouped by the value that they convert."""
    groups: dict[ir.Value, set[ir.Apply]] = {}
    for value in conversions:
        groups.setdefault(value.arguments[0], set()).add(value)
    return groups


def _guarded(node: ir.Predicate, conversions: Mapping[ir.Value, set[ir.Apply]]) -> ir.Predicate:
    """Return ``node`` with a CASE for each AND that tests the argument of one of ``conversions``.

    ``conversions`` are grouped by their arguments.
    """

    def predicate(inner: ir.Predicate) -> ir.Predicate:
        return _guarded(inner, conversions)

    def value(inner: ir.Value) -> ir.Value:
        return ir.rebuild(inner, predicate, value)

    node = ir.rebuild(node, predicate, value)
    if not isinstance(node, ir.And):
        return node
    tested = {source for term in node.terms if (source := ir.tested_value(term)) in conversions}
    if not tested:
        return node
    protected = {value for source in tested if source is not None for value in conversions[source]}
    inside = [term for term in node.terms if not protected.isdisjoint(_evaluated(term))]
    guards = [term for term in node.terms if ir.tested_value(term) in tested and term not in inside]
    if not inside or not guards:
        return node
    case = ir.Guarded(ir.all_of(*guards), ir.all_of(*inside))
    terms = [case if term is guards[0] else term for term in node.terms]
    return ir.all_of(*[term for term in terms if term not in guards and term not in inside])
