"""Solve comparisons between a time and the time of the query for the timestamp in the column.

A comparison of sums of a timestamp's milliseconds, the time of the query and integers is solved for the timestamp. The
bare column is then compared with a value that is constant when the query runs, so that it is pushed down to a file
reader.
"""

from __future__ import annotations

from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, TIMESTAMP, SparkType

#: Maximum absolute value of an integer that is added to a time, in milliseconds. Within this limit no sum overflows 64
#: bits, and no sum with the time of a query leaves the range of Spark's timestamps.
_MOST = 9 * 10**15


class _Sum(NamedTuple):
    """The sum ``times * timestamp + now * NOW + offset``, in milliseconds; NOW is the time of the query."""

    timestamp: ir.Value | None
    times: int
    now: int
    offset: int

    def plus(self, other: _Sum, sign: int) -> _Sum | None:
        """Return this sum plus ``sign`` times ``other``; None if both have a timestamp or the integer is too large."""
        offset = self.offset + sign * other.offset
        if abs(offset) > _MOST or (self.timestamp is not None and other.timestamp is not None):
            return None
        timestamp, times = (
            (self.timestamp, self.times) if other.timestamp is None else (other.timestamp, other.times * sign)
        )
        return _Sum(timestamp, times, self.now + sign * other.now, offset)


def solve_timestamp(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``millis(t) + 5 > NOW`` as ``t >= NOW - 4 ms``, with the bare timestamp on one side."""
    return _solved(node) or node if isinstance(node, ir.Compare) else node


def _solved(node: ir.Compare) -> ir.Predicate | None:
    """Solve a comparison for the timestamp; None if it cannot be solved or contains no timestamp."""
    if not isinstance(node.left, ir.Apply) and not isinstance(node.right, ir.Apply):
        return None
    match node.left, node.right:
        case ir.Apply(function=ir.Function.LATER), ir.Constant():
            return _lasting(node.operator, node.left, node.right)
        case ir.Constant(), ir.Apply(function=ir.Function.LATER):
            return _lasting(node.operator.mirrored, node.right, node.left)
    left, right = _sum(node.left), _sum(node.right)
    difference = None if left is None or right is None else left.plus(right, -1)
    if difference is None or difference.timestamp is None:
        return None
    _, times, now, offset = difference
    operator = node.operator if times > 0 else node.operator.mirrored
    # The comparison is ``times * timestamp + now * NOW + offset operator 0``. Solve it for the timestamp.
    now, offset = -now * times, -offset * times
    if now == 0:
        milliseconds = ir.Apply(ir.Function.MILLISECONDS, (difference.timestamp,), BIGINT)
        return ir.Compare(operator, milliseconds, ir.Constant(offset, BIGINT))
    return _turned(operator, difference.timestamp, offset) if now == 1 else None


def _lasting(operator: Comparison, end: ir.Apply, bound: ir.Constant) -> ir.Predicate | None:
    """Rewrite ``duration + NOW operator bound`` as ``duration operator bound - NOW``.

    ``end`` is the sum ``duration + NOW``, such as the expiry time of a message with a time to live. Return None if
    ``bound`` is not an integer or the difference is too large.
    """
    match end.arguments, bound.value:
        case _, bool():
            return None
        case (duration, ir.Constant(value=int() as now)), int() as time:
            return ir.Compare(operator, duration, ir.Constant(time - now, BIGINT)) if abs(time - now) <= _MOST else None
        case (duration, ir.Apply(function=ir.Function.NOW) as now), int() as time if abs(time) <= _MOST:
            return ir.Compare(operator, duration, ir.Apply(ir.Function.UNTIL, (ir.Constant(time, BIGINT), now), BIGINT))
        case _:
            return None


def _turned(operator: Comparison, timestamp: ir.Value, offset: int) -> ir.Predicate:
    """Return comparisons of ``timestamp`` that replace ``millis(timestamp) operator NOW + offset``.

    The milliseconds are rounded down, so each millisecond is a half-open interval of timestamps.
    """

    def since(start: int) -> ir.Predicate:
        return ir.Compare(Comparison.GE, timestamp, _moment(start))

    def before(end: int) -> ir.Predicate:
        return ir.Compare(Comparison.LT, timestamp, _moment(end))

    match operator:
        case Comparison.GE:
            return since(offset)
        case Comparison.GT:
            return since(offset + 1)
        case Comparison.LT:
            return before(offset)
        case Comparison.LE:
            return before(offset + 1)
        case Comparison.EQ:
            return ir.all_of(since(offset), before(offset + 1))
        case Comparison.NE:
            return ir.any_of(before(offset), since(offset + 1))


def _moment(offset: int) -> ir.Value:
    return ir.Apply(ir.Function.MOMENT, (ir.Constant(offset, BIGINT),), TIMESTAMP)


def _sum(value: ir.Value) -> _Sum | None:
    match value:
        case ir.Constant(value=bool()):
            return None
        case ir.Constant(value=int() as number) if abs(number) <= _MOST and value.type.kind in (
            SparkType.BIGINT,
            SparkType.DECIMAL,
        ):
            return _Sum(None, 0, 0, number)
        case ir.Apply(function=ir.Function.NOW):
            return _Sum(None, 0, 1, 0)
        case ir.Apply(function=ir.Function.TO_DECIMAL, arguments=(inner,)):
            return _sum(inner)
        case ir.Apply(function=ir.Function.MILLISECONDS, arguments=(timestamp,)) if (
            timestamp.type.kind is SparkType.TIMESTAMP
        ):
            return _Sum(timestamp, 1, 0, 0)
        case ir.Apply(function=ir.Function.ADD_BIG | ir.Function.SUBTRACT_BIG as function, arguments=(first, second)):
            left, right = _sum(first), _sum(second)
            if left is None or right is None:
                return None
            return left.plus(right, 1 if function is ir.Function.ADD_BIG else -1)
        case _:
            return None
