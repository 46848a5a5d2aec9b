"""The order of the terms of a conjunction: tests of plain columns before those that look into maps, arrays and JSON.

Spark evaluates the terms as they stand and stops at the first that does not hold, so the cheap ones come first. It
hands each to the file reader wherever it stands.
"""

from __future__ import annotations

from operator import itemgetter

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import SparkType


def order_conjuncts(predicate: ir.Predicate) -> ir.Predicate:
    """Put tests of plain columns first, and keep the order otherwise."""
    if not isinstance(predicate, ir.And):
        return predicate
    others = [not _is_plain(term) for term in predicate.terms]
    if others == sorted(others):
        return predicate
    # The sort is stable.
    return ir.And(tuple(term for _, term in sorted(zip(others, predicate.terms, strict=True), key=itemgetter(0))))


def _is_plain(term: ir.Predicate) -> bool:
    """Return True if a term reads columns and fields of structs only."""
    for node in ir.descendants(term):
        match node:
            case ir.Column(path=path, type=column_type):
                if column_type.kind is SparkType.VARIANT or not all(isinstance(step, str) for step in path):
                    return False
            case ir.Apply(function=ir.Function.PARSE_JSON):
                return False
    return True
