"""Merge a test for NaN into the comparison of the same value.

The SQL of ``x > 5 AND NOT isnan(x)`` contains ``x`` twice, that of ``nanvl(x, NULL) > 5`` once. For a column
outside of maps, the test stays separate, because ``x > 5`` is pushed down to file readers, and a function of ``x`` is
not.
"""

from __future__ import annotations

from transpiler.compiler import ir


def merge_nan_tests(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``x > 5 AND NOT isnan(x)`` as ``nanvl(x, NULL) > 5`` in ``node`` and in all its subexpressions."""
    if isinstance(node, ir.Test):
        return node
    node = ir.rebuild(node, merge_nan_tests)
    if not isinstance(node, ir.And):
        return node
    terms = list(node.terms)
    for test in node.terms:
        if isinstance(test, ir.IsNan) and test.negated and not _is_pushed_down(test.value):
            index = next((at for at, term in enumerate(terms) if _compares(term, test.value)), None)
            if index is not None:
                terms[index] = _without_nan(terms[index], test.value)
                terms.remove(test)
    return node if len(terms) == len(node.terms) else ir.all_of(*terms)


def _is_pushed_down(value: ir.Value) -> bool:
    """Return True if Spark can push a comparison of ``value`` down: a column outside of maps, or its conversion."""
    column = ir.without_conversions(value)
    return isinstance(column, ir.Column) and not column.in_map


def _compares(term: ir.Predicate, value: ir.Value) -> bool:
    return isinstance(term, ir.Compare) and value in (term.left, term.right)


def _without_nan(term: ir.Predicate, value: ir.Value) -> ir.Predicate:
    assert isinstance(term, ir.Compare)
    number = ir.Apply(ir.Function.NUMBER_OR_NULL, (value,), value.type)
    if term.left == value:
        return ir.Compare(term.operator, number, term.right)
    return ir.Compare(term.operator, term.left, number)
