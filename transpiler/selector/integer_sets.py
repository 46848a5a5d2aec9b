"""Sets of integers as ranges: from a comparison with a literal to its set, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from transpiler.selector import ast

#: A set: ranges in order, both ends included, that do not touch.
Ranges = tuple[tuple[int, int], ...]


def joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the union of ranges; a range whose ends are in the wrong order is empty."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(pair for pair in ranges if pair[0] <= pair[1]):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return tuple(merged)


def cut(ranges: Ranges, low: int, high: int) -> Ranges:
    """Return the part of a set between two numbers."""
    return joined((max(low, start), min(high, end)) for start, end in ranges)


def selected(node: ast.Compare | ast.Between, low: int, high: int) -> Ranges | None:
    """Return the integers from ``low`` to ``high`` that a comparison of a name with number literals selects.

    None where the other operand is no number literal.
    """
    if isinstance(node, ast.Compare):
        bound = number(node.right)
        return None if bound is None else _holding(node.operator, bound, low, high)
    floor, ceiling = number(node.low), number(node.high)
    if floor is None or ceiling is None:
        return None
    if node.negated:
        parts = (_holding(ast.Comparison.LT, floor, low, high), _holding(ast.Comparison.GT, ceiling, low, high))
        return joined(pair for part in parts for pair in part)
    return joined([(max(low, math.ceil(floor)), min(high, math.floor(ceiling)))])


def number(node: ast.Expression) -> int | float | None:
    """Return the value of a number literal with its sign; None for anything else."""
    match node:
        case ast.IntegerLiteral(value=value) | ast.FloatLiteral(value=value):
            return value
        case ast.Sign(operator=operator, operand=operand):
            inner = number(operand)
            return inner if inner is None or operator is ast.Arithmetic.ADD else -inner
        case _:
            return None


def literal(value: int) -> ast.Expression:
    """Return an integer as a selector writes it."""
    if value < 0:
        return ast.Sign(ast.Arithmetic.SUBTRACT, ast.IntegerLiteral(-value))
    return ast.IntegerLiteral(value)


def comparison(
    name: ast.Identifier, accepted: Ranges, low: int, high: int, likely: Iterable[tuple[ast.Comparison, int]]
) -> ast.Expression:
    """Return a condition that selects a set, on a name whose values are between ``low`` and ``high``.

    ``likely`` are comparisons to prefer where one of them selects it.
    """
    for operator, bound in likely:
        if _holding(operator, bound, low, high) == accepted:
            return ast.Compare(operator, name, literal(bound))
    if not accepted:
        return ast.Compare(ast.Comparison.LT, name, literal(low))
    rest = joined([(low, accepted[0][0] - 1), *_gaps(accepted), (accepted[-1][1] + 1, high)])
    if len(rest) == 1 and rest[0][0] == rest[0][1]:
        return ast.Compare(ast.Comparison.NE, name, literal(rest[0][0]))
    terms = tuple(_range(name, start, end, low, high) for start, end in accepted)
    return terms[0] if len(terms) == 1 else ast.Or(terms)


def _gaps(ranges: Ranges) -> Iterable[tuple[int, int]]:
    return ((before[1] + 1, after[0] - 1) for before, after in pairwise(ranges))


def _range(name: ast.Identifier, start: int, end: int, low: int, high: int) -> ast.Expression:
    if start == end:
        return ast.Compare(ast.Comparison.EQ, name, literal(start))
    if end == high:
        return ast.Compare(ast.Comparison.GE, name, literal(start))
    if start == low:
        return ast.Compare(ast.Comparison.LE, name, literal(end))
    return ast.Between(name, literal(start), literal(end))


def _holding(operator: ast.Comparison, bound: int | float, low: int, high: int) -> Ranges:
    floor, ceiling = math.floor(bound), math.ceil(bound)
    match operator:
        case ast.Comparison.EQ:
            ranges = [(ceiling, floor)]
        case ast.Comparison.NE:
            ranges = [(low, ceiling - 1), (floor + 1, high)]
        case ast.Comparison.LT:
            ranges = [(low, ceiling - 1)]
        case ast.Comparison.LE:
            ranges = [(low, floor)]
        case ast.Comparison.GT:
            ranges = [(floor + 1, high)]
        case ast.Comparison.GE:
            ranges = [(ceiling, high)]
    return cut(joined(ranges), low, high)
