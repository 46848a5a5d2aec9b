"""Long lists of ranges, in which a message finds its own without looking at all of them."""

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
    """Ranges of one number as a list behind the number's bucket; None where the condition is more or ranges crowd.

    A bucket is the whole part of a quotient. It grows with the number, and so a range's lie between those of its ends.
    """
    found = _ends(shape)
    if found is None:
        return None
    number, low, high = found
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
    """The number that the condition is about, and which cells bound it below and above."""
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
    """The ranges that are not empty, in order, with those that overlap as one."""
    found: list[_Range] = []
    for low, high in sorted(ends for ends in ranges if ends[0] <= ends[1]):
        if found and low < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def _width(ranges: Sequence[_Range], whole: bool) -> int | float | None:
    """A power of two of which a range meets few buckets, and a bucket few ranges; None where there is none."""
    ends = [abs(ranges[0][0]), abs(ranges[-1][1])] if ranges else [math.inf]
    exponent = math.frexp((ranges[-1][1] - ranges[0][0]) / len(ranges))[1] if math.isfinite(sum(ends)) else None
    if exponent is None or not (whole or abs(exponent) < _EXTREME):
        return None
    found: tuple[int, int | float] | None = None
    least = max(exponent - tuning.MAX_HALVINGS, 0) if whole else exponent - tuning.MAX_HALVINGS
    for smaller in range(max(exponent, least), least - 1, -1):
        width = 2**smaller if whole else 2.0**smaller
        if not whole and max(ends) / width >= _EXACT:
            break
        sizes = Counter(bucket for low, high in ranges for bucket in _buckets(low, high, width))
        if sizes.total() > tuning.MAX_COPIES * len(ranges):
            break
        crowd = max(sizes.values())
        if found is None or crowd < found[0]:
            found = crowd, width
        if crowd <= tuning.ENOUGH_IN_BUCKET:
            break
    return found[1] if found is not None and found[0] <= tuning.MAX_IN_BUCKET else None


def _buckets(least: float, most: float, width: float) -> range:
    return range(_bucket(least, width), _bucket(most, width) + 1)


def _bucket(number: float, width: float) -> int:
    """The quotient rounded towards zero."""
    if isinstance(width, float):
        return math.trunc(number / width)
    return int(number // width if number >= 0 else -(-number // width))


def chunks(node: ir.AnyRow) -> tuple[tuple[Row, tuple[Row, ...]], ...]:
    """Long lists of ranges in chunks, each behind a row of the loosest bounds in it, which all its rows imply.

    So a message looks at about twice the square root of the rows. Empty where the predicate is more than bounds.
    """
    orders = _orders(node.predicate)
    if node.key is not None or len(node.rows) < tuning.CHUNKED_ROWS or orders is None:
        return ()
    length = math.isqrt(len(node.rows))
    rows = sorted(node.rows, key=lambda row: tuple(constant.value for constant in row))
    found = []
    for start in range(0, len(rows), length):
        chunk = tuple(rows[start : start + length])
        columns = zip(*chunk, strict=True)
        loosest = tuple(
            choose(column, key=lambda constant: constant.value) for choose, column in zip(orders, columns, strict=True)
        )
        found.append((loosest, chunk))
    return tuple(found)


_Choice = Callable[..., ir.Constant]


def _orders(node: ir.Predicate) -> tuple[_Choice, ...] | None:
    """For each cell whether the least or the greatest constant is the loosest; None where a cell has no order."""
    found: dict[int, _Choice] = {}
    for inner in ir.descendants(node):
        match inner:
            case ir.Compare(operator=operator, right=ir.RowParameter(place=place, type=cell_type)):
                if operator.is_equality or cell_type.kind not in _ORDERED:
                    return None
                found[place] = min if operator in (Comparison.GT, Comparison.GE) else max
            case _:
                pass
    return tuple(found[place] for place in sorted(found))
