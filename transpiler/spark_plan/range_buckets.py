"""Indexes of long lists of ranges: hash buckets of one number, or chunks behind their loosest bounds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from transpiler import ir
from transpiler.ir.column_types import BIGINT, DOUBLE, Key, SparkType
from transpiler.selector.ast import Comparison
from transpiler.spark_plan import tuning

Row = tuple[ir.Constant, ...]
_Range = tuple[float, float]

#: Doubles above it skip whole numbers.
_EXACT = 2**53
#: Exponents of doubles whose powers of two, and those of somewhat smaller ones, are doubles too.
_EXTREME = 900
_ORDERED = (SparkType.BIGINT, SparkType.DOUBLE)
_NUMBERS = (SparkType.TINYINT, SparkType.SMALLINT, SparkType.INT, SparkType.BIGINT, SparkType.DOUBLE)


def bucket_ranges(shape: ir.Predicate, rows: Sequence[Row]) -> ir.Predicate | None:
    """Rewrite ranges of one number as a hash table from buckets to ranges.

    None where the condition is more than a range, or too many ranges share a bucket. A bucket is the whole part of a
    quotient. It is monotone in the number, so that a range meets the buckets between those of its ends.
    """
    ends = _ends(shape)
    if ends is None:
        return None
    number, low, high = ends
    whole = number.type.kind is not SparkType.DOUBLE
    ranges = _disjoint((_number(row[low]), _number(row[high])) for row in rows)
    width = _width(ranges, whole)
    if width is None:
        return None
    listed = tuple(
        (ir.constant(bucket), ir.constant(least), ir.constant(most))
        for least, most in ranges
        for bucket in _buckets(least, most, width)
    )
    quotient = ir.Apply(ir.Function.DIVIDE, (number, ir.constant(width)), BIGINT if whole else DOUBLE)
    key = quotient if whole else ir.Apply(ir.Function.CUT_OFF, (quotient,), BIGINT)
    condition = ir.substitute_parameters(
        shape, {low: ir.RowParameter(1, number.type), high: ir.RowParameter(2, number.type)}
    )
    inside = ir.AnyRow(condition, listed, key)
    if not isinstance(number, ir.Column) or any(isinstance(step, Key) for step in number.path):
        return inside
    # A file reader knows the first and the last bound.
    first, last = ir.constant(ranges[0][0]), ir.constant(ranges[-1][1])
    return ir.And((ir.Compare(Comparison.GE, number, first), ir.Compare(Comparison.LE, number, last), inside))


def _ends(shape: ir.Predicate) -> tuple[ir.Value, int, int] | None:
    """Return the number that the condition is about, and the places of its lower and upper bound in a row."""
    match shape:
        case ir.And(
            terms=(
                ir.Compare(operator=Comparison.GE | Comparison.GT, left=number, right=ir.RowParameter(place=low)),
                ir.Compare(operator=Comparison.LE | Comparison.LT, left=other, right=ir.RowParameter(place=high)),
            )
            | (
                ir.Compare(operator=Comparison.LE | Comparison.LT, left=other, right=ir.RowParameter(place=high)),
                ir.Compare(operator=Comparison.GE | Comparison.GT, left=number, right=ir.RowParameter(place=low)),
            )
        ) if number == other:
            pass
        case _:
            return None
    return (number, low, high) if number.type.kind in _NUMBERS else None


def _number(bound: ir.Constant) -> float:
    assert isinstance(bound.value, int | float)
    return bound.value


def _disjoint(ranges: Iterable[_Range]) -> list[_Range]:
    """Return the ranges that are not empty, in order; those that overlap are merged."""
    merged: list[_Range] = []
    for low, high in sorted(ends for ends in ranges if ends[0] <= ends[1]):
        if merged and low < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def _width(ranges: Sequence[_Range], whole: bool) -> int | float | None:
    """Return a width of buckets, a power of two, so that a range meets few buckets and a bucket few ranges, or None."""
    ends = [abs(ranges[0][0]), abs(ranges[-1][1])] if ranges else [math.inf]
    exponent = math.frexp((ranges[-1][1] - ranges[0][0]) / len(ranges))[1] if math.isfinite(sum(ends)) else None
    if exponent is None or not (whole or abs(exponent) < _EXTREME):
        return None
    best: tuple[int, int | float] | None = None
    least = max(exponent - tuning.MAX_HALVINGS, 0) if whole else exponent - tuning.MAX_HALVINGS
    for smaller in range(max(exponent, least), least - 1, -1):
        width = 2**smaller if whole else 2.0**smaller
        if not whole and max(ends) / width >= _EXACT:
            break
        sizes = Counter(bucket for low, high in ranges for bucket in _buckets(low, high, width))
        if sizes.total() > tuning.MAX_COPIES * len(ranges):
            break
        crowd = max(sizes.values())
        if best is None or crowd < best[0]:
            best = crowd, width
        if crowd <= tuning.ENOUGH_IN_BUCKET:
            break
    return best[1] if best is not None and best[0] <= tuning.MAX_IN_BUCKET else None


def _buckets(least: float, most: float, width: float) -> range:
    return range(_bucket(least, width), _bucket(most, width) + 1)


def _bucket(number: float, width: float) -> int:
    """Return the quotient rounded towards zero."""
    if isinstance(width, float):
        return math.trunc(number / width)
    return int(number // width if number >= 0 else -(-number // width))


def chunks(node: ir.AnyRow) -> tuple[tuple[Row, tuple[Row, ...]], ...]:
    """Divide a long list of ranges into chunks, each behind the loosest of its bounds, which all its rows imply.

    A message is compared with about twice the square root of the rows. Empty where the predicate is more than bounds.
    """
    orders = _orders(node.predicate)
    if node.key is not None or len(node.rows) < tuning.CHUNKED_ROWS or orders is None:
        return ()
    length = math.isqrt(len(node.rows))
    rows = sorted(node.rows, key=lambda row: tuple(constant.value for constant in row))
    blocks = []
    for start in range(0, len(rows), length):
        chunk = tuple(rows[start : start + length])
        columns = zip(*chunk, strict=True)
        loosest = tuple(
            choose(column, key=lambda constant: constant.value) for choose, column in zip(orders, columns, strict=True)
        )
        blocks.append((loosest, chunk))
    return tuple(blocks)


_Choice = Callable[..., ir.Constant]


def _orders(node: ir.Predicate) -> tuple[_Choice, ...] | None:
    """Return the choice of the loosest constant for each cell, ``min`` or ``max``; None where a cell has no order."""
    choices: dict[int, _Choice] = {}
    for inner in ir.descendants(node):
        match inner:
            case ir.Compare(operator=operator, right=ir.RowParameter(place=place, type=cell_type)):
                if operator.is_equality or cell_type.kind not in _ORDERED:
                    return None
                choices[place] = min if operator in (Comparison.GT, Comparison.GE) else max
            case _:
                pass
    return tuple(choices[place] for place in sorted(choices))
