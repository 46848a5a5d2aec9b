"""Segment tree over the ranges of constant rows, for stabbing queries: the ranges that contain a message's number.

The sorted bounds of all ranges of a table's group cut the numbers into elementary intervals, the leaves of a binary
tree. A range is stored in the few nodes that make up its leaves. A message finds its leaf by binary search, and the
ranges that contain its number in the nodes from there to the root. The whole residual is evaluated again on these
candidates, so bounds may be read as inclusive, and as doubles, which keep the order of integers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from transpiler import ir
from transpiler.ir.column_types import BIGINT, DOUBLE
from transpiler.message.types import TypeClass
from transpiler.routing.signatures import (
    Parameter,
    Signature,
    columns_in,
    nearest_float,
    parameter_number,
    reads_message,
)
from transpiler.selector.ast import Comparison


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that a residual implies: the first value that is not NULL, and its bounds' parameters; None is no bound.

    ``rounded`` if some values are compared with the 32-bit float next to a parameter.
    """

    values: tuple[ir.Value, ...]
    lower: int | None
    upper: int | None
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class IntervalTree:
    """The tree of one group: bounds in order, the steps of the binary search, the number of leaves, and rows by node.

    Node 1 is the root, node ``n`` has the children ``2n`` and ``2n + 1``, and place ``p`` is the leaf ``leaves + p``.
    """

    bounds: list[float]
    steps: list[int]
    leaves: int
    nodes: list[list[int]]


def find_interval(signature: Signature) -> Interval | None:
    """A value that the residual bounds in every row, from both sides where there is one."""
    sides_of: dict[tuple[ir.Value, ...], dict[bool, int]] = {}
    for term in signature.residual.terms if isinstance(signature.residual, ir.And) else (signature.residual,):
        bound = _bound(term)
        if bound is not None:
            values, is_lower, number = bound
            sides_of.setdefault(values, {}).setdefault(is_lower, number)
    if not sides_of:
        return None
    values, sides = max(sides_of.items(), key=lambda item: len(item[1]))
    return Interval(values, sides.get(True), sides.get(False), _rounds(signature.residual))


def _rounds(node: ir.Node) -> bool:
    return (isinstance(node, ir.Apply) and node.function is ir.Function.TO_FLOAT) or any(
        map(_rounds, ir.children(node))
    )


def build_interval_tree(ranges: Interval, rows: Sequence[tuple[Parameter, ...]]) -> IntervalTree:
    """The tree of the rows of one group."""
    # A bound that may be rounded is the outer one of both.
    pairs = [(_number(row, ranges.lower, ranges, min), _number(row, ranges.upper, ranges, max)) for row in rows]
    bounds = sorted({bound for pair in pairs for bound in pair if bound is not None})
    leaves = 1 << len(bounds).bit_length()
    nodes: list[list[int]] = [[] for _ in range(2 * leaves)]
    for number, (lower, upper) in enumerate(pairs):
        first = 0 if lower is None else bisect_right(bounds, lower)
        last = len(bounds) if upper is None else bisect_right(bounds, upper)
        for node in _cover(leaves + first, leaves + last):
            nodes[node].append(number)
    steps = [1 << bit for bit in reversed(range(len(bounds).bit_length()))]
    return IntervalTree(bounds, steps, leaves, nodes)


def _number(
    row: tuple[Parameter, ...], place: int | None, ranges: Interval, outer: Callable[[float, float], float]
) -> float | None:
    if place is None:
        return None
    number = row[place]
    return outer(float(number), nearest_float(number)) if ranges.rounded else float(number)


def _cover(first: int, last: int) -> Iterator[int]:
    """The nodes that make up the leaves from the first to the last one."""
    while first <= last:
        if first & 1:
            yield first
            first += 1
        if not last & 1:
            yield last
            last -= 1
        first, last = first >> 1, last >> 1


_Bound = tuple[tuple[ir.Value, ...], bool, int]


def _bound(term: ir.Predicate) -> _Bound | None:
    """The values that a test bounds, True if from below, and the parameter that is the bound."""
    match term:
        case ir.Compare(operator=operator, left=left, right=right):
            for comparison, value, other in ((operator, left, right), (operator.mirrored, right, left)):
                number = _parameter(other)
                if (
                    number is not None
                    and reads_message(value)
                    and comparison in _LOWER
                    and ir.type_class(value.type).numeric
                ):
                    return (_as_double(value),), _LOWER[comparison], number
            return None
        case ir.And(terms=terms):
            for term in terms:
                bound = _bound(term)
                if bound is not None:
                    guard = _guard(bound[0], (other for other in terms if other is not term))
                    values = bound[0] if guard == ir.TRUE else tuple(ir.When(guard, value) for value in bound[0])
                    return values, bound[1], bound[2]
            return None
        case ir.Or(terms=terms):
            # One value in several types, of which a row has one.
            bounds = [_bound(inner) for inner in terms]
            known = [bound for bound in bounds if bound is not None]
            if len(known) < len(bounds) or len({bound[1:] for bound in known}) > 1:
                return None
            distinct = dict.fromkeys(value for bound in known for value in bound[0])
            return tuple(distinct), known[0][1], known[0][2]
        case _:
            return None


def _guard(values: tuple[ir.Value, ...], others: Iterable[ir.Predicate]) -> ir.Predicate:
    """The conjuncts under which the values apply, those over columns of the message that are not the values' own."""
    own = {column for value in values for column in columns_in(value)}
    return ir.all_of(*(other for other in others if reads_message(other) and not set(columns_in(other)) <= own))


_LOWER = {Comparison.GT: True, Comparison.GE: True, Comparison.LT: False, Comparison.LE: False}


def _parameter(value: ir.Value) -> int | None:
    if isinstance(value, ir.Apply) and value.function in (ir.Function.TO_DOUBLE, ir.Function.TO_FLOAT):
        value = value.arguments[0]
    return parameter_number(value) if value.type in (BIGINT, DOUBLE) else None


def _as_double(value: ir.Value) -> ir.Value:
    return (
        ir.Apply(ir.Function.TO_DOUBLE, (value,), DOUBLE) if ir.type_class(value.type) is TypeClass.INTEGER else value
    )
