"""Segment tree over the ranges of constant rows, for stabbing queries: the ranges that contain a message's number.

The numbers between the bounds of all ranges of a group are cut into buckets of equal width, the leaves of a tree, so
that a message computes its leaf; where most bounds would be in few buckets, the bounds are the leaves, and it searches
them. A range is stored in the few nodes that make up its leaves, and a message finds the ranges that may contain its
number in the nodes from its leaf to the root. A node has as many children as there is room for: with short ranges the
leaves are the only level. The whole residual is evaluated again on these candidates, so bounds may be read as
inclusive, and as doubles, which keep the order of integers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from math import inf, isfinite, isnan, nextafter

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import DOUBLE, SparkType
from transpiler.message.types import TypeClass
from transpiler.routing import tuning
from transpiler.routing.signatures import (
    Parameter,
    Signature,
    nearest_float,
    parameter_number,
    reads_message,
)


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that a residual implies: the first value that is not NULL, and its bounds' parameters; None is no bound.

    ``rounded`` if some values are compared with the 32-bit float next to a parameter.
    """

    values: tuple[ir.Value, ...]
    lower: int | None
    upper: int | None
    rounded: bool = False

    @property
    def bounds(self) -> list[int]:
        """The bounds' parameters that there are."""
        return [number for number in (self.lower, self.upper) if number is not None]


@dataclass(slots=True)
class IntervalIndex:
    """The index of one group: from a number to its leaf, and from the leaf to the rows.

    The leaf of a number is the bucket of equal width that it is in: ``low`` to ``high`` has ``last`` of them, of
    ``scale`` to a unit. Where ``steps`` are there, the numbers are spread too unevenly for that, and the leaf is the
    place among ``bounds`` that a binary search by these steps finds. ``leaves`` are the rows of each leaf. Each level
    above has a node for each ``2 ** shift`` leaves, from its ``offset`` on; ``nodes`` are the rows of each node.
    """

    low: float
    high: float
    scale: float
    last: int
    bounds: list[float]
    steps: list[int]
    leaves: list[list[int]] = field(default_factory=list)
    shifts: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    nodes: list[list[int]] = field(default_factory=list)

    def leaf(self, number: float) -> int:
        """The leaf of a number; NaN is above all numbers, as Spark has it."""
        if self.steps:
            return len(self.bounds) if isnan(number) else bisect_right(self.bounds, number)
        if number < self.low:
            return 0
        return min(int((number - self.low) * self.scale), self.last) if number < self.high else self.last

    def rows(self, number: float) -> list[int]:
        """The rows whose range may contain a number."""
        leaf = self.leaf(number)
        above = (self.nodes[at + (leaf >> shift)] for shift, at in zip(self.shifts, self.offsets, strict=True))
        return [*self.leaves[leaf], *chain.from_iterable(above)]


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


def build_interval_index(ranges: Interval, rows: Sequence[tuple[Parameter, ...]]) -> IntervalIndex:
    """The index of the rows of one group."""
    # A bound that may be rounded is the outer one of both.
    pairs = [(_number(row, ranges.lower, ranges, min), _number(row, ranges.upper, ranges, max)) for row in rows]
    index = _leaves(sorted({bound for pair in pairs for bound in pair if bound is not None}))
    leaves = [
        (0 if lower is None else index.leaf(lower), index.last if upper is None else index.leaf(upper))
        for lower, upper in pairs
    ]
    bits = index.last.bit_length()
    room = tuning.INTERVAL_ROOM * len(rows) + index.last
    # A level less is a look-up less, and more nodes for each range.
    for width in (bits, 6, 4, 2, 1):
        shifts = list(range(0, bits + 1 if width < bits else 1, max(width, 1)))
        if width == 1 or sum(_count(first, last, shifts, width) for first, last in leaves) <= room:
            break
    levels: list[list[list[int]]] = [[[] for _ in range((index.last >> shift) + 1)] for shift in shifts]
    for row, (first, last) in enumerate(leaves):
        for level, begin, end in _cover(first, last, len(shifts), width):
            for node in levels[level][begin:end]:
                node.append(row)
    index.leaves, *above = levels
    index.shifts = shifts[1:]
    for nodes in above:
        index.offsets.append(len(index.nodes))
        index.nodes.extend(nodes)
    return index


def _leaves(bounds: list[float]) -> IntervalIndex:
    """The index without its rows: equal buckets where no bucket has many bounds, else the bounds themselves."""
    if not bounds:
        return IntervalIndex(0.0, 0.0, 0.0, 0, [], [])
    low, high = bounds[0], bounds[-1]
    last = 1 << (tuning.INTERVAL_BUCKETS * len(bounds)).bit_length()
    scale = last / (high - low) if high > low else 0.0
    if isfinite(scale) and isfinite(low) and isfinite(high):
        index = IntervalIndex(low, high, scale, last, [], [])
        load = Counter(map(index.leaf, bounds))
        if max(load.values()) <= tuning.BUCKET_BOUNDS:
            return index
    steps = [1 << bit for bit in reversed(range(len(bounds).bit_length()))]
    return IntervalIndex(low, high, 0.0, len(bounds), bounds, steps)


def _number(
    row: tuple[Parameter, ...], place: int | None, ranges: Interval, outer: Callable[[float, float], float]
) -> float | None:
    if place is None:
        return None
    number = row[place]
    if isinstance(number, Decimal):
        # Java may round to the other double next to it.
        return outer(nextafter(float(number), -inf), nextafter(float(number), inf))
    return outer(float(number), nearest_float(number)) if ranges.rounded else float(number)


def _cover(first: int, last: int, levels: int, width: int) -> Iterator[tuple[int, int, int]]:
    """The nodes that make up the leaves from the first to the last one: a level, its first node and that behind."""
    end = last + 1
    for level in range(levels - 1):
        # The parts at both sides that make up no node of the next level.
        up, down = -(-first >> width), end >> width
        if up >= down:
            yield level, first, end
            return
        if first < up << width:
            yield level, first, up << width
        if down << width < end:
            yield level, down << width, end
        first, end = up, down
    yield levels - 1, first, end


def _count(first: int, last: int, shifts: Sequence[int], width: int) -> int:
    return sum(end - begin for _, begin, end in _cover(first, last, len(shifts), width))


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
    own = {column for value in values for column in ir.columns_in(value)}
    return ir.all_of(*(other for other in others if reads_message(other) and not set(ir.columns_in(other)) <= own))


_LOWER = {Comparison.GT: True, Comparison.GE: True, Comparison.LT: False, Comparison.LE: False}


def _parameter(value: ir.Value) -> int | None:
    if isinstance(value, ir.Apply) and value.function in (ir.Function.TO_DOUBLE, ir.Function.TO_FLOAT):
        value = value.arguments[0]
    return parameter_number(value) if value.type.kind in _NUMBERS else None


_NUMBERS = (*(kind for kind in SparkType if kind.bits), SparkType.FLOAT, SparkType.DOUBLE, SparkType.DECIMAL)


def _as_double(value: ir.Value) -> ir.Value:
    return (
        ir.Apply(ir.Function.TO_DOUBLE, (value,), DOUBLE)
        if ir.type_class(value.type) is TypeClass.INTEGER or value.type.kind in (SparkType.DECIMAL, SparkType.FLOAT)
        else value
    )
