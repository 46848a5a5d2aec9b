"""Lists of constants in SQL: numbers are one JSON text, and other constants are literals."""

from __future__ import annotations

import pytest

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE
from transpiler.compiler.sql.constant_arrays import map_text, rows_text

ONE, TWO, HALF = ir.Constant(1, BIGINT), ir.Constant(2, BIGINT), ir.Constant(0.5, DOUBLE)
A, INFINITE = ir.constant("a"), ir.Constant(float("inf"), DOUBLE)
UNQUOTED = "map('allowUnquotedFieldNames', 'true')"


def written(constant: ir.Constant) -> str:
    return f"<{constant.value}>"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [(ONE, HALF), (TWO, HALF)],
            f"from_json('[{{c0:1,c1:0.5}},{{c0:2,c1:0.5}}]', 'ARRAY<STRUCT<c0: BIGINT, c1: DOUBLE>>', {UNQUOTED})",
        ),
        ([(ONE, A)], "array(struct(<1> AS c0, <a> AS c1))"),
        ([(INFINITE,), (HALF,)], "array(struct(<inf> AS c0), struct(<0.5> AS c0))"),
    ],
)
def test_rows_of_numbers_are_json_and_other_rows_are_structs(rows: list[ir.Row], expected: str) -> None:
    assert rows_text(rows, written) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [(ONE, TWO), (TWO, ONE), (ONE, ONE), (ONE, TWO)],
            f"map_from_arrays(from_json('[1,2]', 'ARRAY<BIGINT>', {UNQUOTED}), "
            f"from_json('[[{{c1:2}},{{c1:1}}],[{{c1:1}}]]', 'ARRAY<ARRAY<STRUCT<c1: BIGINT>>>', {UNQUOTED}))",
        ),
        (
            [(A, ONE)],
            f"map_from_arrays(array(<a>), from_json('[[{{c1:1}}]]', 'ARRAY<ARRAY<STRUCT<c1: BIGINT>>>', {UNQUOTED}))",
        ),
        (
            [(ONE, A)],
            f"map_from_arrays(from_json('[1]', 'ARRAY<BIGINT>', {UNQUOTED}), array(array(struct(<a> AS c1))))",
        ),
    ],
)
def test_a_map_groups_the_rows_by_their_first_constant(rows: list[ir.Row], expected: str) -> None:
    assert map_text(rows, written) == expected
