"""Merge a test for NaN into the comparison of the same value.

The SQL of ``x > 5 AND NOT isnan(x)`` contains ``x`` twice, that of ``nanvl(x, NULL) > 5`` once. For a bare column the
test stays separate, because ``x > 5`` is pushed down to a file reader, and a function of ``x`` is not.
"""

from __future__ import annotations

from transpiler.compiler import ir

#: Functions whose results are numbers that a file reader does not have, so that comparisons are not pushed down.
_READINGS = frozenset({ir.Function.VARIANT_GET, ir.Function.NUMBER_IN_TEXT, ir.Function.PARSE_JSON})


def merge_nan_tests(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``x > 5 AND NOT isnan(x)`` as ``nanvl(x, NULL) > 5`` in ``node`` and in all its subexpressions."""
    node = ir.rebuild(node, merge_nan_tests, _in_value)
    if not isinstance(node, ir.And):
        return node
    terms = list(node.terms)
    for test in node.terms:
        if isinstance(test, ir.IsNan) and test.negated and _is_read(test.value):
            index = next((at for at, term in enumerate(terms) if _compares(term, test.value)), None)
            if index is not None:
                terms[index] = _without_nan(terms[index], test.value)
                terms.remove(test)
    return node if len(terms) == len(node.terms) else ir.all_of(*terms)


def _in_value(value: ir.Value) -> ir.Value:
    return value


def _is_read(value: ir.Value) -> bool:
    return any(isinstance(part, ir.Apply) and part.function in _READINGS for part in ir.descendants(value))


def _compares(term: ir.Predicate, value: ir.Value) -> bool:
    return isinstance(term, ir.Compare) and value in (term.left, term.right)


def _without_nan(term: ir.Predicate, value: ir.Value) -> ir.Predicate:
    assert isinstance(term, ir.Compare)
    number = ir.Apply(ir.Function.NUMBER_OR_NULL, (value,), value.type)
    if term.left == value:
        return ir.Compare(term.operator, number, term.right)
    return ir.Compare(term.operator, term.left, number)
