"""Compare the bounds of one value with each other, and remove bounds that other bounds imply or contradict."""

from __future__ import annotations

from collections.abc import Sequence

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType


def tighten_bounds(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a > 5 AND a > 3`` as ``a > 5``, ``a > 5 OR a > 3`` as ``a > 3``, and ``a > 5 AND a < 3`` as FALSE.

    ``a > 3 OR a < 5`` becomes ``a IS NOT NULL``. These rules are also valid for NaN, which Spark treats as greater than
    every number.
    """
    if not isinstance(node, ir.Chain) or sum(isinstance(term, ir.Compare) for term in node.terms) < 2:
        return node
    by_value: dict[tuple[ir.Value, ColumnType], list[ir.Compare]] = {}
    for term in node.terms:
        match term:
            # NaN is excluded, because Python's operators do not order it as Spark does.
            case ir.Compare(left=value, right=ir.Constant(value=int() | float() | str() as bound, type=kind)) if (
                bound == bound
            ):
                by_value.setdefault((value, kind), []).append(term)
            case _:
                pass
    dropped: set[ir.Predicate] = set()
    known: list[ir.Predicate] = []
    for (value, _), tests in by_value.items():
        if len(tests) > 1:
            kept = _kept(tests, isinstance(node, ir.And))
            dropped.update(tests if kept is None else set(tests).difference(kept))
            if kept is None:
                known.append(ir.FALSE if isinstance(node, ir.And) else ir.IsNull(value, negated=True))
    if not dropped:
        return node
    rest = [term for term in node.terms if term not in dropped]
    return (ir.all_of if isinstance(node, ir.And) else ir.any_of)(*known, *rest)


def _kept(tests: Sequence[ir.Compare], conjunction: bool) -> list[ir.Compare] | None:
    """Return the comparisons of ``tests`` that no other comparison makes redundant; all compare the same value.

    ``tests`` are terms of an AND if ``conjunction`` is True, otherwise of an OR. In an AND, ``x > 3`` is redundant
    beside ``x > 5``. Return None if two comparisons give the result for every value that is not NULL: FALSE for an AND
    if they exclude each other, TRUE for an OR if every value satisfies at least one of them.
    """
    kept: list[ir.Compare] = []
    for test in tests:
        if any(_decides(test, other, conjunction) for other in kept):
            return None
        if not any(_implies(other, test) if conjunction else _implies(test, other) for other in kept):
            kept = [other for other in kept if not (_implies(test, other) if conjunction else _implies(other, test))]
            kept.append(test)
    return kept


def _decides(first: ir.Compare, second: ir.Compare, conjunction: bool) -> bool:
    """Return True if ``first`` and ``second`` alone give the result of the AND or OR of which they are terms.

    In an AND (``conjunction`` is True) they exclude each other; in an OR every value satisfies at least one of them.
    """
    return _implies(first, _negated(second)) if conjunction else _implies(_negated(first), second)


def _negated(test: ir.Compare) -> ir.Compare:
    return ir.Compare(test.operator.negated, test.left, test.right)


def _implies(first: ir.Compare, second: ir.Compare) -> bool:
    """Return True if ``first`` implies ``second``; both compare the same value with a constant."""
    assert isinstance(first.right, ir.Constant)
    assert isinstance(second.right, ir.Constant)
    one, other, implied = first.right.value, second.right.value, second.operator
    match first.operator:
        case Comparison.EQ:
            return ir.compare_constants(implied, one, other)
        case Comparison.NE:
            return implied is Comparison.NE and one == other
        case Comparison.GT | Comparison.GE as operator:
            outside = ir.compare_constants(Comparison.GT, one, other)
            same = one == other and (implied is Comparison.GE or operator is Comparison.GT)
            return implied in (Comparison.GT, Comparison.GE, Comparison.NE) and (outside or same)
        case Comparison.LT | Comparison.LE as operator:
            outside = ir.compare_constants(Comparison.LT, one, other)
            same = one == other and (implied is Comparison.LE or operator is Comparison.LT)
            return implied in (Comparison.LT, Comparison.LE, Comparison.NE) and (outside or same)
