"""Segment tree over the ranges of constant rows, for stabbing queries: which ranges contain a message's number?

The interval between the smallest and largest bound of a group is divided into buckets of equal width, the leaves of a
tree, so that a message's leaf can be computed. If most bounds would be in few buckets, the leaves are between adjacent
bounds, and a binary search finds the leaf. A range is stored in the few nodes that together cover its leaves, so the
nodes from a message's leaf to the root contain all ranges that may contain its number. The number of children of a node
is limited by memory: for short ranges the tree has only leaves. The whole residual predicate is evaluated again for
these candidates, so bounds may be inclusive, and doubles, which preserve the order of integers.
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
    """A range of numbers that a row of a constant table requires, from its residual predicate.

    The number is the first of ``values``, which are read from the message, that is not NULL. ``lower`` and ``upper``
    are the parameters that contain the bounds; None means no bound. ``rounded`` is True if some values are compared
    with the 32-bit float nearest to a parameter.
    """

    values: tuple[ir.Value, ...]
    lower: int | None
    upper: int | None
    rounded: bool = False

    @property
    def bounds(self) -> list[int]:
        """The numbers of the parameters that contain a bound, one or two."""
        return [number for number in (self.lower, self.upper) if number is not None]


@dataclass(slots=True)
class IntervalIndex:
    """An index of intervals: a segment tree in arrays, to find the rows of a group whose interval contains a number.

    The numbers are divided into leaves. They are ``last`` buckets of equal width between ``low`` and ``high``, with
    ``scale`` buckets for each unit. If the bounds are too uneven for that, the leaves are the ranges between
    ``bounds``, and ``steps`` contains the step sizes of a binary search for a leaf. ``leaves`` contains the rows of
    each leaf.

    On a higher level, a node covers ``2 ** shift`` leaves. ``shifts`` contains the shift of each such level, ``nodes``
    the rows of each node, and ``offsets`` the position in ``nodes`` at which each level begins.
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
        """Return the leaf of ``number``; NaN is greater than all numbers, as in Spark."""
        if self.steps:
            return len(self.bounds) if isnan(number) else bisect_right(self.bounds, number)
        if number < self.low:
            return 0
        return min(int((number - self.low) * self.scale), self.last) if number < self.high else self.last

    def rows(self, number: float) -> list[int]:
        """Return the rows whose ranges may contain ``number``."""
        leaf = self.leaf(number)
        above = (self.nodes[at + (leaf >> shift)] for shift, at in zip(self.shifts, self.offsets, strict=True))
        return [*self.leaves[leaf], *chain.from_iterable(above)]


def find_interval(signature: Signature) -> Interval | None:
    """Return a range that the residual predicate requires, preferably with two bounds; None if it requires none."""
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
    """Build the index of the intervals in the rows of one group of a constant table."""
    # If a bound may be rounded, use the bound or the rounded bound, whichever makes the interval wider.
    pairs = [(_number(row, ranges.lower, ranges, min), _number(row, ranges.upper, ranges, max)) for row in rows]
    index = _leaves(sorted({bound for pair in pairs for bound in pair if bound is not None}))
    leaves = [
        (0 if lower is None else index.leaf(lower), index.last if upper is None else index.leaf(upper))
        for lower, upper in pairs
    ]
    bits = index.last.bit_length()
    room = tuning.INTERVAL_ROOM * len(rows) + index.last
    # With fewer levels a message needs fewer lookups, but each range is stored in more nodes.
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
    """Return an interval index without rows, whose leaves divide the numbers for the sorted ``bounds``.

    The leaves are buckets of equal width. If a bucket would contain too many bounds, they are the ranges between
    adjacent bounds instead.
    """
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
    row: tuple[Parameter, ...], index: int | None, ranges: Interval, outer: Callable[[float, float], float]
) -> float | None:
    if index is None:
        return None
    number = row[index]
    if isinstance(number, Decimal):
        # Use the neighbours of the nearest double, because Java may round a decimal to one of them.
        return outer(nextafter(float(number), -inf), nextafter(float(number), inf))
    return outer(float(number), nearest_float(number)) if ranges.rounded else float(number)


def _cover(first: int, last: int, levels: int, width: int) -> Iterator[tuple[int, int, int]]:
    """Yield the nodes of the segment tree that together cover the leaves ``first`` to ``last``.

    They are grouped as triples: a level, the first node on it, and the end (exclusive). There are ``levels`` levels,
    and a node covers ``2 ** width`` nodes of the level below.
    """
    end = last + 1
    for level in range(levels - 1):
        # Yield the nodes at both ends of the range that do not fill their parent. The loop goes on with the parents of
        # the nodes between these ends.
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
    """Return the bound if ``term`` compares a value of the message with a parameter of the binding; otherwise None.

    The result is a triple: expressions for the value, one for each type that it can have; True for a lower bound; and
    the number of the binding's parameter that contains the bound.
    """
    match term:
        case ir.Compare(operator=operator, left=left, right=right):
            for comparison, value, other in ((operator, left, right), (operator.mirrored, right, left)):
                number = _parameter(other)
                # Both sides of a comparison have one class of types, so what is compared with a number is a number.
                if number is not None and reads_message(value) and comparison in _LOWER:
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
            # The OR bounds a value that can have several types: each term is for one type, and each row has a value of
            # one type only.
            bounds = [_bound(inner) for inner in terms]
            known = [bound for bound in bounds if bound is not None]
            if len(known) < len(bounds) or len({bound[1:] for bound in known}) > 1:
                return None
            distinct = dict.fromkeys(value for bound in known for value in bound[0])
            return tuple(distinct), known[0][1], known[0][2]
        case _:
            return None


def _guard(values: tuple[ir.Value, ...], others: Iterable[ir.Predicate]) -> ir.Predicate:
    """Return the AND of the tests in ``others`` that say when ``values`` may be read, such as a test of a type column.

    These are the tests of the message that read at least one column which ``values`` do not read.
    """
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
