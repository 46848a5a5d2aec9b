"""Unwrap monotone conversions: rewrite a condition on ``f(column)`` as a condition on the column.

The possible values of a column of integers, decimals, 32-bit floats or timestamps form a *grid*: they are ordered and
numbered by integers. The conversion to the type with which a selector compares is monotone on the grid. So
``f(column) > c`` holds exactly for the values above one point of the grid, which is found by bisection at compile time.
The result compares the bare column, so that file readers can skip row groups by it.
"""

from __future__ import annotations

import math
import operator as op
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, SparkType
from transpiler.message.header_fields import FIRST_NEGATIVE, FOLD

_FLOAT32_INFINITY = 0x7F800000


@dataclass(frozen=True, slots=True)
class _Grid:
    """A numbering of all values of a column in ascending order, from ``first`` to ``last``.

    It allows a binary search for the column values whose result under a monotone conversion reaches a limit.
    ``convert`` takes a number and returns the converted column value; ``constant`` returns the column value itself.
    """

    first: int
    last: int
    convert: Callable[[int], float]
    constant: Callable[[int], ir.Constant]

    def bounds(self, limit: float) -> tuple[int, int]:
        """Return the first number whose converted value is at least ``limit``, and the first whose value exceeds it."""
        return self._lowest(lambda value: value >= limit), self._lowest(lambda value: value > limit)

    def _lowest(self, holds: Callable[[float], bool]) -> int:
        """Return the least number for which the monotone condition ``holds`` is True; ``last + 1`` if there is none."""
        low, high = self.first, self.last + 1
        while low < high:
            middle = (low + high) // 2
            if holds(self.convert(middle)):
                high = middle
            else:
                low = middle + 1
        return low


def _integers(column_type: ColumnType) -> _Grid:
    bits = column_type.kind.bits or 64
    return _Grid(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, float, lambda number: ir.Constant(number, column_type))


def _decimals(column_type: ColumnType) -> _Grid:
    scale, bound = column_type.scale, 10**column_type.precision - 1

    def convert(number: int) -> float:
        return float(number / 10**scale)

    # In the IR, the value of a DECIMAL constant is its unscaled number (123 for 1.23), which is an integer.
    return _Grid(-bound, bound, convert, lambda number: ir.Constant(number, column_type))


def _floats(column_type: ColumnType) -> _Grid:
    def convert(number: int) -> float:
        value: float = struct.unpack("f", struct.pack("I", abs(number)))[0]
        return -value if number < 0 else value

    return _Grid(
        -_FLOAT32_INFINITY,
        _FLOAT32_INFINITY,
        convert,
        lambda number: ir.Constant(convert(number), column_type),
    )


def _timestamps(column_type: ColumnType) -> _Grid:
    # Spark stores microseconds; a selector sees whole milliseconds, rounded down.
    return _Grid(-(2**63), 2**63 - 1, lambda number: number // 1000, lambda number: ir.Constant(number, column_type))


def _steps(column_type: ColumnType, step: Callable[[int], int]) -> _Grid:
    whole = _integers(column_type)
    return _Grid(whole.first, whole.last, step, whole.constant)


def _grid(converted: ir.Apply) -> _Grid | None:
    """Return the numbering of the values of the column that ``converted`` converts.

    Return None if the function of ``converted`` is not a known monotone conversion for the type of the column.
    """
    column_type = converted.arguments[0].type
    match converted.function, column_type.kind:
        case ir.Function.TO_DOUBLE, SparkType.TINYINT | SparkType.SMALLINT | SparkType.INT | SparkType.BIGINT:
            return _integers(column_type)
        case ir.Function.TO_DOUBLE, SparkType.DECIMAL:
            return _decimals(column_type)
        case ir.Function.TO_DOUBLE, SparkType.FLOAT:
            return _floats(column_type)
        case ir.Function.MILLISECONDS, SparkType.TIMESTAMP | SparkType.TIMESTAMP_NTZ:
            return _timestamps(column_type)
        case ir.Function.AT_MOST, SparkType.TINYINT | SparkType.SMALLINT | SparkType.INT | SparkType.BIGINT:
            bound = converted.arguments[1]
            assert isinstance(bound, ir.Constant)
            assert isinstance(bound.value, int)
            most = bound.value
            return _steps(column_type, lambda number: min(number, most))
        case ir.Function.NEXT, SparkType.TINYINT | SparkType.SMALLINT | SparkType.INT | SparkType.BIGINT:
            return _steps(column_type, lambda number: number + 1)
        case _:
            return None


def unwrap_casts(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``CAST(i AS DOUBLE) > 5.5`` as ``i > 5``, in the type of the column."""
    match node:
        case ir.Compare(operator=operator, left=left, right=ir.Constant() as bound):
            return _unwrapped(operator, left, bound) or node
        case _:
            return node


def _unwrapped(operator: Comparison, converted: ir.Value, bound: ir.Constant) -> ir.Predicate | None:
    """Rewrite ``converted operator bound`` as a condition on the column inside; None if ``_grid`` returns None.

    NaN in a column of floats is greater than every number, as in Spark.
    """
    if not isinstance(converted, ir.Apply) or not converted.arguments:
        return None
    if isinstance(bound.value, bool | str | bytes) or (isinstance(bound.value, float) and math.isnan(bound.value)):
        return None
    column, limit = converted.arguments[0], bound.value
    if converted.function is ir.Function.FOLDED:
        return _unfolded(operator, column, limit)
    grid = _grid(converted)
    if grid is None:
        return None
    at_least, above = grid.bounds(limit)
    match operator:
        case Comparison.GE:
            return _from(grid, column, at_least, exact=at_least < above)
        case Comparison.GT:
            return _from(grid, column, above, exact=False)
        case Comparison.LT:
            return _below(grid, column, at_least, exact=at_least < above)
        case Comparison.LE:
            return _below(grid, column, above, exact=False)
        case Comparison.EQ:
            return _between(grid, column, at_least, above)
        case Comparison.NE:
            if at_least == above:
                return ir.IsNull(column, negated=True)
            if above == at_least + 1:
                return ir.Compare(Comparison.NE, column, grid.constant(at_least))
            return ir.any_of(_below(grid, column, at_least, exact=True), _from(grid, column, above, exact=True))


def _from(grid: _Grid, column: ir.Value, start: int, *, exact: bool) -> ir.Predicate:
    """Return the test that ``column`` is at least the value that has the number ``start`` in ``grid``.

    If ``exact`` is False, write the test with ``>`` and the previous value: ``i > 5`` instead of ``i >= 6``.
    """
    if start > grid.last:
        return ir.Compare(Comparison.GT, column, grid.constant(grid.last)) if _has_nan(column) else ir.FALSE
    if start <= grid.first:
        return ir.IsNull(column, negated=True)
    if exact or _stepped(column):
        return ir.Compare(Comparison.GE, column, grid.constant(start))
    return ir.Compare(Comparison.GT, column, grid.constant(start - 1))


def _below(grid: _Grid, column: ir.Value, end: int, *, exact: bool) -> ir.Predicate:
    """Return the test that ``column`` is less than the value that has the number ``end`` in ``grid``.

    If ``exact`` is False, write the test with ``<=`` and the previous value: ``i <= 5`` instead of ``i < 6``.
    """
    if end <= grid.first:
        return ir.FALSE
    if end > grid.last:
        if _has_nan(column):
            return ir.Compare(Comparison.LE, column, grid.constant(grid.last))
        return ir.IsNull(column, negated=True)
    if exact or _stepped(column):
        return ir.Compare(Comparison.LT, column, grid.constant(end))
    return ir.Compare(Comparison.LE, column, grid.constant(end - 1))


def _between(grid: _Grid, column: ir.Value, start: int, end: int) -> ir.Predicate:
    if start == end:
        return ir.FALSE
    if end == start + 1:
        return ir.Compare(Comparison.EQ, column, grid.constant(start))
    return ir.all_of(_from(grid, column, start, exact=True), _below(grid, column, end, exact=True))


def _has_nan(column: ir.Value) -> bool:
    return column.type.kind is SparkType.FLOAT


def _stepped(column: ir.Value) -> bool:
    """Return True if ``column`` is a timestamp, so that a test of it must be written with ``>=`` or ``<``.

    These operators keep the constant at a whole millisecond; ``>`` and ``<=`` would need one microsecond less.
    """
    return column.type.kind in (SparkType.TIMESTAMP, SparkType.TIMESTAMP_NTZ)


def _unfolded(operator: Comparison, column: ir.Value, limit: float) -> ir.Predicate:
    """Return ``signed(column) operator limit`` as a condition on ``column``, which contains unsigned integers.

    Each half of the unsigned 32-bit integers is handled separately, because the conversion to signed integers is
    monotone only within a half: it makes the upper half negative.
    """
    if operator is Comparison.NE:
        equal = _unfolded(Comparison.EQ, column, limit)
        if isinstance(equal, ir.Compare):
            return replace(equal, operator=Comparison.NE)
        return ir.IsNull(column, negated=True)
    ranges: list[tuple[int, int]] = []
    for first, end, shift in ((0, FIRST_NEGATIVE, 0), (FIRST_NEGATIVE, FOLD, FOLD)):
        half = _Grid(first, end - 1, partial(op.add, -shift), lambda number: ir.Constant(number, column.type))
        start, stop = _held(operator, half, limit)
        if start < stop:
            joined = bool(ranges) and ranges[-1][1] == start
            ranges[-1:] = [(ranges[-1][0], stop)] if joined else [*ranges[-1:], (start, stop)]
    return ir.any_of(*(_in_range(column, start, stop) for start, stop in ranges))


def _held(operator: Comparison, grid: _Grid, limit: float) -> tuple[int, int]:
    """Return the half-open range of the numbers in ``grid`` whose converted values satisfy ``operator limit``."""
    at_least, above = grid.bounds(limit)
    match operator:
        case Comparison.LT:
            return grid.first, at_least
        case Comparison.LE:
            return grid.first, above
        case Comparison.GT:
            return above, grid.last + 1
        case Comparison.GE:
            return at_least, grid.last + 1
        case _:
            return at_least, above


def _in_range(column: ir.Value, start: int, stop: int) -> ir.Predicate:
    if stop == start + 1:
        return ir.Compare(Comparison.EQ, column, ir.Constant(start, column.type))
    lower = ir.TRUE if start == 0 else ir.Compare(Comparison.GE, column, ir.Constant(start, column.type))
    upper = ir.TRUE if stop == FOLD else ir.Compare(Comparison.LT, column, ir.Constant(stop, column.type))
    bounds = ir.all_of(lower, upper)
    return ir.IsNull(column, negated=True) if bounds == ir.TRUE else bounds
