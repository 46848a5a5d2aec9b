"""unwrap_casts: a comparison of a converted column becomes a comparison of the column itself."""

from __future__ import annotations

import operator as op
from collections.abc import Callable
from math import inf, nan

import pytest

from tests.compiler.rewrites.nodes import D, N, S, column, compare, conjunction, disjunction, not_null, one_of
from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE, TIMESTAMP, ColumnType, SparkType
from transpiler.compiler.rewrites.unwrap_casts import unwrap_casts
from transpiler.message.header_fields import FIRST_NEGATIVE, FOLD

BYTE = column("byte", ColumnType(SparkType.TINYINT))
REAL = column("real", ColumnType(SparkType.FLOAT))
PRICE = column("price", ColumnType(SparkType.DECIMAL, 4, 2))
TIME = column("time", TIMESTAMP)
LOCAL = column("local", ColumnType(SparkType.TIMESTAMP_NTZ))
UINT = column("uint", BIGINT)
LARGEST = 3.4028234663852886e38


def widened(inner: ir.Value) -> ir.Apply:
    return ir.Apply(ir.Function.TO_DOUBLE, (inner,), DOUBLE)


def millis(time: ir.Column) -> ir.Apply:
    return ir.Apply(ir.Function.MILLISECONDS, (time,), BIGINT)


def at_most(limit: int) -> ir.Apply:
    return ir.Apply(ir.Function.AT_MOST, (N, ir.constant(limit)), BIGINT)


FOLLOWING = ir.Apply(ir.Function.NEXT, (N,), BIGINT)
FOLDED = ir.Apply(ir.Function.FOLDED, (UINT,), BIGINT)


def unwrapped(inner: ir.Column, operator: str, bound: float) -> ir.Compare:
    """Return the comparison of ``inner`` with a constant of its type: unscaled for DECIMAL, microseconds for a time."""
    return ir.Compare(Comparison(operator), inner, ir.Constant(bound, inner.type))


REWRITTEN = {
    "an integer above a fraction": (compare(widened(BYTE), ">", 5.5), unwrapped(BYTE, ">", 5)),
    "an integer at or above a fraction": (compare(widened(BYTE), ">=", 5.5), unwrapped(BYTE, ">", 5)),
    "an integer below a fraction": (compare(widened(BYTE), "<", 5.5), unwrapped(BYTE, "<=", 5)),
    "an integer at or below a fraction": (compare(widened(BYTE), "<=", 5.5), unwrapped(BYTE, "<=", 5)),
    "an integer equals a fraction": (compare(widened(BYTE), "=", 5.5), ir.FALSE),
    "an integer is no fraction": (compare(widened(BYTE), "<>", 5.5), not_null(BYTE)),
    "an integer above a whole number": (compare(widened(BYTE), ">", 5.0), unwrapped(BYTE, ">", 5)),
    "an integer at or above a whole number": (compare(widened(BYTE), ">=", 5.0), unwrapped(BYTE, ">=", 5)),
    "an integer below a whole number": (compare(widened(BYTE), "<", 5.0), unwrapped(BYTE, "<", 5)),
    "an integer equals a whole number": (compare(widened(BYTE), "=", 5.0), unwrapped(BYTE, "=", 5)),
    "an integer is not a whole number": (compare(widened(BYTE), "<>", 5.0), unwrapped(BYTE, "<>", 5)),
    "an integer above its type": (compare(widened(BYTE), ">", 127.0), ir.FALSE),
    "an integer below the end of its type": (compare(widened(BYTE), "<", 1000.0), not_null(BYTE)),
    "an integer below its type": (compare(widened(BYTE), "<", -128.0), ir.FALSE),
    "an integer at or above the start of its type": (compare(widened(BYTE), ">=", -128.0), not_null(BYTE)),
    "longs that are one double": (
        compare(widened(N), "=", 2.0**53),
        conjunction(unwrapped(N, ">=", 2**53), unwrapped(N, "<", 2**53 + 2)),
    ),
    "all but the longs that are one double": (
        compare(widened(N), "<>", 2.0**53),
        disjunction(unwrapped(N, "<", 2**53), unwrapped(N, ">=", 2**53 + 2)),
    ),
    "a decimal above what its scale has no place for": (
        compare(widened(PRICE), ">", 1.005),
        unwrapped(PRICE, ">", 100),
    ),
    "a decimal equals a place of its scale": (compare(widened(PRICE), "=", 1.01), unwrapped(PRICE, "=", 101)),
    "a float equals a double between two floats": (compare(widened(REAL), "=", 0.1), ir.FALSE),
    "a float above all floats, where infinity and NaN are": (
        compare(widened(REAL), ">", 1e39),
        unwrapped(REAL, ">", LARGEST),
    ),
    "a float above infinity, where NaN is": (compare(widened(REAL), ">", inf), unwrapped(REAL, ">", inf)),
    "a float at or below infinity, where NaN is not": (compare(widened(REAL), "<=", inf), unwrapped(REAL, "<=", inf)),
    "a timestamp after a millisecond": (compare(millis(TIME), ">", 5), unwrapped(TIME, ">=", 6_000)),
    "a timestamp in or before a millisecond": (compare(millis(TIME), "<=", 5), unwrapped(TIME, "<", 6_000)),
    "a timestamp in a millisecond": (
        compare(millis(TIME), "=", 5),
        conjunction(unwrapped(TIME, ">=", 5_000), unwrapped(TIME, "<", 6_000)),
    ),
    "a timestamp outside of a millisecond": (
        compare(millis(TIME), "<>", 5),
        disjunction(unwrapped(TIME, "<", 5_000), unwrapped(TIME, ">=", 6_000)),
    ),
    "a timestamp before 1970, rounded down": (compare(millis(TIME), ">=", -1), unwrapped(TIME, ">=", -1_000)),
    "a timestamp without a zone": (compare(millis(LOCAL), "<", 5), unwrapped(LOCAL, "<", 5_000)),
    "a bounded integer at its bound": (compare(at_most(10), ">=", 10), unwrapped(N, ">=", 10)),
    "a bounded integer above its bound": (compare(at_most(10), ">", 10), ir.FALSE),
    "a bounded integer below its bound": (compare(at_most(10), "<", 5), unwrapped(N, "<", 5)),
    "an integer's successor": (compare(FOLLOWING, "=", 5), unwrapped(N, "=", 4)),
    "an integer's successor above a number": (compare(FOLLOWING, ">", 5), unwrapped(N, ">", 4)),
    "a folded uint equals a negative number": (compare(FOLDED, "=", -1), unwrapped(UINT, "=", 2**32 - 1)),
    "a folded uint is not a negative number": (compare(FOLDED, "<>", -1), unwrapped(UINT, "<>", 2**32 - 1)),
    "a folded uint is no fraction": (compare(FOLDED, "<>", 0.5), not_null(UINT)),
    "a folded uint above zero, in the lower half": (
        compare(FOLDED, ">", 0),
        conjunction(unwrapped(UINT, ">=", 1), unwrapped(UINT, "<", FIRST_NEGATIVE)),
    ),
    "a folded uint below zero, in the upper half": (compare(FOLDED, "<", 0), unwrapped(UINT, ">=", FIRST_NEGATIVE)),
}

KEPT = {
    "a bare column": compare(N, ">", 5),
    "a constant on the left": compare(5.5, "<", widened(BYTE)),
    "two converted columns": compare(widened(BYTE), "<", widened(REAL)),
    "a NaN": compare(widened(BYTE), "<", nan),
    "a text": compare(widened(BYTE), "=", "5"),
    "a boolean": compare(widened(BYTE), "=", True),
    "a double, which is no conversion": compare(widened(D), ">", 5.5),
    "a negated column, which decreases": compare(ir.Apply(ir.Function.NEGATE, (N,), BIGINT), ">", 5),
    "a sum": compare(ir.Apply(ir.Function.ADD_BIG, (N, ir.constant(1)), BIGINT), ">", 5),
    "the time of the query, which has no argument": compare(ir.Apply(ir.Function.NOW, (), BIGINT), ">", 5),
    "a text in lower case": compare(ir.Apply(ir.Function.LOWER, (S,), S.type), "=", "a"),
    "a list": one_of(widened(BYTE), 1.0, 2.0),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_comparison_of_a_converted_column_is_one_of_the_column(before: ir.Predicate, after: ir.Predicate) -> None:
    assert unwrap_casts(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_comparison_of_anything_else_stays(node: ir.Predicate) -> None:
    assert unwrap_casts(node) is node


OPERATORS: dict[Comparison, Callable[[float, float], bool]] = {
    Comparison.EQ: op.eq,
    Comparison.NE: op.ne,
    Comparison.LT: op.lt,
    Comparison.LE: op.le,
    Comparison.GT: op.gt,
    Comparison.GE: op.ge,
}

#: A converted value of each kind, the conversion in Python, and numbers of the column.
CONVERSIONS: dict[str, tuple[ir.Value, Callable[[int], float], tuple[int, ...]]] = {
    "widened": (widened(BYTE), float, (-128, -127, -1, 0, 1, 126, 127)),
    "successor": (FOLLOWING, lambda number: number + 1, (-2, -1, 0, 4, 5, 6)),
    "bounded": (at_most(9), lambda number: min(number, 9), (-1, 0, 8, 9, 10, 300)),
    "folded": (
        FOLDED,
        lambda number: number - FOLD if number >= FIRST_NEGATIVE else number,
        (0, 1, 4, 5, FIRST_NEGATIVE - 1, FIRST_NEGATIVE, FIRST_NEGATIVE + 1, FOLD - 1),
    ),
}
LIMITS = (-FIRST_NEGATIVE - 1, -FIRST_NEGATIVE, -129, -128, -1, -0.5, 0, 0.5, 1, 5, 9, 10, 127, 128, FIRST_NEGATIVE)


def _holds(node: ir.Predicate, number: int) -> bool:
    """Return the result of ``node``, which tests one column, in a row in which the column is ``number``."""
    match node:
        case ir.BoolConst(value):
            return value
        case ir.IsNull():
            return node.negated
        case ir.And(terms):
            return all(_holds(term, number) for term in terms)
        case ir.Or(terms):
            return any(_holds(term, number) for term in terms)
        case ir.Compare(operator, ir.Column(), ir.Constant(int() | float() as limit)):
            return OPERATORS[operator](number, limit)
        case _:
            raise AssertionError(node)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("operator", Comparison)
@pytest.mark.parametrize("kind", CONVERSIONS)
def test_the_comparison_of_the_column_has_the_same_result(kind: str, operator: Comparison, limit: float) -> None:
    value, convert, numbers = CONVERSIONS[kind]
    before = compare(value, operator.value, limit)
    after = unwrap_casts(before)
    if after is before:
        return
    for number in numbers:
        assert _holds(after, number) is OPERATORS[operator](convert(number), limit), number
