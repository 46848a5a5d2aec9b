"""Ranges behind buckets: a number finds the same ranges as a look at all of them."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import ir
from transpiler.ir.column_types import BIGINT, DOUBLE, STRING
from transpiler.selector.ast import Comparison
from transpiler.spark_plan.constant_tables import tabulate_disjunctions
from transpiler.spark_plan.range_buckets import bucket_ranges, chunks

LONG, REAL = ir.Column(("m",), BIGINT), ir.Column(("m",), DOUBLE)


def shape(number: ir.Column, low: Comparison = Comparison.GE, high: Comparison = Comparison.LE) -> ir.And:
    return ir.And(
        (
            ir.Compare(low, number, ir.RowParameter(0, number.type)),
            ir.Compare(high, number, ir.RowParameter(1, number.type)),
        )
    )


def listed(number: ir.Column, ranges: list[tuple[float, float]]) -> ir.AnyRow | None:
    rows = [(ir.constant(low), ir.constant(high)) for low, high in ranges]
    found = bucket_ranges(shape(number), rows)
    if found is None:
        return None
    assert isinstance(found, ir.And)
    *hull, inside = found.terms
    assert hull == [
        ir.Compare(Comparison.GE, number, ir.constant(min(low for low, high in ranges if low <= high))),
        ir.Compare(Comparison.LE, number, ir.constant(max(high for low, high in ranges if low <= high))),
    ]
    assert isinstance(inside, ir.AnyRow)
    return inside


def bucket(key: object, number: float) -> int:
    """Evaluate the key as Spark does: ``div`` and the cast truncate."""
    match key:
        case ir.Apply(function=ir.Function.DIVIDE, arguments=(_, ir.Constant(value=int() as width))):
            return (
                math.trunc(number / width) if abs(number) < 2**50 else int(abs(number) // width) * (-1) ** (number < 0)
            )
        case ir.Apply(
            function=ir.Function.CUT_OFF,
            arguments=(ir.Apply(function=ir.Function.DIVIDE, arguments=(_, ir.Constant(value=float() as width))),),
        ):
            return math.trunc(number / width)
        case _:
            raise AssertionError(key)


def holds(inside: ir.AnyRow, number: float) -> bool:
    place = bucket(inside.key, number)
    return any(key.value == place and low.value <= number <= high.value for key, low, high in inside.rows)


WHOLE = st.integers(-(10**6), 10**6)
FRACTIONS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda found: round(found, 3))


@pytest.mark.parametrize(("column", "numbers"), [(LONG, WHOLE), (REAL, FRACTIONS)], ids=["long", "double"])
def test_a_number_is_in_a_range_of_its_bucket_or_in_none(column: ir.Column, numbers: st.SearchStrategy[float]) -> None:
    lengths = st.integers(0, 10_000) if column is LONG else st.floats(0, 10_000)

    @given(st.lists(st.tuples(numbers, lengths), min_size=16, max_size=60), st.lists(numbers, max_size=60))
    def run(starts: list[tuple[float, float]], others: list[float]) -> None:
        ranges = [(low, low + length) for low, length in starts]
        inside = listed(column, ranges)
        if inside is None:
            return
        assert len(inside.rows) <= 4 * len(ranges) + 2
        for number in [*others, *(end for ends in ranges for end in ends)]:
            assert holds(inside, number) is any(low <= number <= high for low, high in ranges), number

    run()


@pytest.mark.parametrize("column", [LONG, REAL], ids=["long", "double"])
def test_regular_ranges_leave_few_to_look_at(column: ir.Column) -> None:
    step = 5 if column is LONG else 0.05
    inside = listed(column, [(place * step, place * step + step / 2) for place in range(10_000)])
    assert inside is not None
    crowds = [row[0].value for row in inside.rows]
    assert max(map(crowds.count, random.Random(1).sample(crowds, 50))) <= 4


def test_large_integers_are_divided_exactly() -> None:
    ranges = [(2**62 + 10 * place, 2**62 + 10 * place + 3) for place in range(40)]
    inside = listed(LONG, ranges)
    assert inside is not None
    assert all(holds(inside, low) and not holds(inside, low + 5) for low, _ in ranges)


@pytest.mark.parametrize(
    "ranges",
    [
        [(10.0**place, 10.0**place + 1) for place in range(-300, 300)],
        [(-math.inf, 1.0), *((float(place), place + 0.5) for place in range(20))],
        [(place * 1e307, place * 1e307 + 1e306) for place in range(-17, 17)],
        [(place * 5e-324, place * 5e-324) for place in range(0, 40, 2)],
        [(1.0, 0.0)] * 20,
    ],
    ids=["crowded", "without an end", "huge", "tiny", "empty"],
)
def test_where_buckets_do_not_help_ranges_are_in_chunks(ranges: list[tuple[float, float]]) -> None:
    rows = [(ir.constant(low), ir.constant(high)) for low, high in ranges] * 4
    assert bucket_ranges(shape(REAL), rows) is None
    whole = ir.AnyRow(
        shape(REAL), tuple((ir.constant(low), ir.constant(high + place)) for place in range(4) for low, high in ranges)
    )
    assert sum(len(rows) for _, rows in chunks(whole)) == len(whole.rows)


def test_what_is_no_range_of_one_number_is_refused() -> None:
    rows = [(ir.constant("a"), ir.constant("b"))] * 20
    texts = ir.Column(("t",), STRING)
    assert bucket_ranges(ir.And((ir.Compare(Comparison.GE, texts, ir.RowParameter(0, STRING)),)), rows) is None
    other = ir.Compare(Comparison.LE, ir.Column(("n",), BIGINT), ir.RowParameter(1, BIGINT))
    assert bucket_ranges(ir.And((ir.Compare(Comparison.GE, LONG, ir.RowParameter(0, BIGINT)), other)), rows) is None


def test_what_all_rows_share_stands_outside_of_them() -> None:
    region = ir.Compare(Comparison.EQ, ir.Column(("region",), STRING), ir.constant("EMEA"))
    terms = [ir.And((region, ir.Compare(Comparison.EQ, LONG, ir.constant(place)))) for place in range(40)]
    found = tabulate_disjunctions(ir.Or(tuple(terms)))
    assert isinstance(found, ir.And)
    assert found.terms[0] == region
    assert len(found.terms) == 2
