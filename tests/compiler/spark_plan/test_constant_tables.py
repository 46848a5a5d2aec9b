"""Long disjunctions become rows of constants, after the conditions that all terms imply."""

from __future__ import annotations

import math

import pytest

from transpiler import transpile_selector
from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE, STRING, Key
from transpiler.compiler.spark_plan.disjunctions import tabulate_disjunctions

LONG, REAL = ir.Column(("m",), BIGINT), ir.Column(("m",), DOUBLE)
IN_MAP = ir.Column(("a", Key("m"), "long"), BIGINT)


def between(number: ir.Column, low: float, high: float) -> ir.And:
    return ir.And(
        (
            ir.Compare(Comparison.GE, number, ir.constant(low)),
            ir.Compare(Comparison.LE, number, ir.constant(high)),
        )
    )


@pytest.mark.parametrize(
    "ranges",
    [
        [(10.0**index, 10.0**index + 1) for index in range(-300, 300)],
        [(-math.inf, 1.0), *((float(index), index + 0.5) for index in range(80))],
        [(index, index + 3) for index in range(2**62, 2**62 + 1_000, 10)],
        [(index % 7, index % 11) for index in range(1_000)],
    ],
    ids=["crowded", "without an end", "large", "empty ones too"],
)
def test_ranges_are_rows_behind_the_loosest_bounds_of_all(ranges: list[tuple[float, float]]) -> None:
    column = REAL if isinstance(ranges[0][0], float) else LONG
    found = tabulate_disjunctions(ir.Or(tuple(between(column, *ends) for ends in ranges)))
    assert isinstance(found, ir.And)
    *hull, inside = found.terms
    # A file reader gets the loosest bounds of all ranges.
    assert hull == [
        ir.Compare(Comparison.GE, column, ir.constant(min(low for low, _ in ranges))),
        ir.Compare(Comparison.LE, column, ir.constant(max(high for _, high in ranges))),
    ]
    assert isinstance(inside, ir.AnyRow)
    assert {tuple(cell.value for cell in row) for row in inside.rows} == set(ranges)
    # Each range is in one chunk, and within the bounds of the chunk.
    assert sorted(row for _, rows in inside.chunks for row in rows) == sorted(inside.rows)
    for (first, last), rows in inside.chunks:
        assert len(rows) <= math.isqrt(len(inside.rows)) + 1
        assert all(first.value <= low.value and high.value <= last.value for low, high in rows)


def test_ranges_of_a_value_in_a_map_are_rows_without_bounds() -> None:
    terms = tuple(between(IN_MAP, index, index + 3) for index in range(0, 2_000, 10))
    mapped = tabulate_disjunctions(ir.Or(terms))
    assert isinstance(mapped, ir.AnyRow)
    assert mapped.chunks


def test_few_ranges_and_rows_with_a_text_have_no_chunks() -> None:
    few = tabulate_disjunctions(ir.Or(tuple(between(IN_MAP, index, index + 3) for index in range(0, 200, 10))))
    assert isinstance(few, ir.AnyRow)
    text = ir.Column(("region",), STRING)
    terms = tuple(
        ir.And((ir.Compare(Comparison.NE, text, ir.constant(f"r{index}")), between(IN_MAP, index, index + 3)))
        for index in range(200)
    )
    mixed = tabulate_disjunctions(ir.Or(terms))
    assert isinstance(mixed, ir.AnyRow)
    assert few.chunks == mixed.chunks == ()


def test_what_all_rows_share_stands_outside_of_them() -> None:
    region = ir.Compare(Comparison.EQ, ir.Column(("region",), STRING), ir.constant("EMEA"))
    terms = [ir.And((region, ir.Compare(Comparison.EQ, LONG, ir.constant(index)))) for index in range(40)]
    found = tabulate_disjunctions(ir.Or(tuple(terms)))
    assert isinstance(found, ir.And)
    assert found.terms[0] == region
    assert len(found.terms) == 2


LISTED = ", ".join(f"'x{number}'" for number in range(10, 30))


@pytest.mark.parametrize(
    ("pattern", "sql"),
    [
        ("%x{}%", "rlike(a, '(?s)x(?>1(?>0|1|2|3|4|5|6|7|8|9)|2(?>0|1|2|3|4|5|6|7|8|9))')"),
        ("x{}%", f"(left(a, 3) IN ({LISTED}))"),
        ("%x{}", f"(right(a, 3) IN ({LISTED}))"),
    ],
)
def test_many_patterns_of_one_kind_are_one_search(pattern: str, sql: str) -> None:
    tests = [f"a LIKE '{pattern.format(number)}'" for number in range(10, 30)]
    assert transpile_selector(" OR ".join(tests), "a STRING").sql == sql
