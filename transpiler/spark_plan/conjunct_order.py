"""The order of the terms of a conjunction: tests of plain columns before those that look into maps, arrays and JSON.

Spark evaluates the terms as they stand and stops at the first that does not hold, so the cheap ones come first. It
hands each to the file reader wherever it stands.
"""

from __future__ import annotations

from transpiler import ir
from transpiler.ir.column_types import SparkType


def order_conjuncts(predicate: ir.Predicate) -> ir.Predicate:
    """Put tests of plain columns first, and keep the order otherwise."""
    if not isinstance(predicate, ir.And):
        return predicate
    plain = tuple(term for term in predicate.terms if _is_plain(term))
    if not plain or predicate.terms[: len(plain)] == plain:
        return predicate
    return ir.And(plain + tuple(term for term in predicate.terms if not _is_plain(term)))


def _is_plain(term: ir.Predicate) -> bool:
    """Return True if a term reads columns and fields of structs only."""
    return all(_is_cheap(node) for node in ir.descendants(term))


def _is_cheap(node: ir.Node) -> bool:
    match node:
        case ir.Column(path=path, type=column_type):
            return column_type.kind is not SparkType.VARIANT and all(isinstance(step, str) for step in path)
        case ir.Apply(function=function):
            return function is not ir.Function.PARSE_JSON
        case _:
            return True
