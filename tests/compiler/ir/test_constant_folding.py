"""The results of constants: integers of 64 bits and doubles, as the SQL of the same operation calculates them."""

from __future__ import annotations

import math

import pytest

from transpiler.compiler.ir import Function, calculate_constants
from transpiler.compiler.ir.constant_folding import Number

LARGEST, SMALLEST = 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    ("function", "left", "right", "result"),
    [
        (Function.ADD, 2, 3, 5),
        (Function.SUBTRACT, 2, 3, -1),
        (Function.MULTIPLY, -2, 3, -6),
        (Function.ADD, 2.5, 1.0, 3.5),
        (Function.SUBTRACT, 2.5, 1.0, 1.5),
        (Function.MULTIPLY, 2.5, 2.0, 5.0),
        # Quotients of integers are cut off toward zero.
        (Function.DIVIDE, 7, 2, 3),
        (Function.DIVIDE, -7, 2, -3),
        (Function.DIVIDE, 7, -2, -3),
        (Function.DIVIDE, -7, -2, 3),
        (Function.DIVIDE, 0, 5, 0),
        (Function.DIVIDE, 5, 0, None),
        (Function.DIVIDE, 7.0, 2.0, 3.5),
        (Function.DIVIDE, 5.0, 0.0, math.inf),
        (Function.DIVIDE, -5.0, 0.0, -math.inf),
        # A result beyond 64 bits is no constant.
        (Function.ADD, LARGEST, 1, None),
        (Function.SUBTRACT, SMALLEST, 1, None),
        (Function.MULTIPLY, 2**32, 2**32, None),
        (Function.DIVIDE, SMALLEST, -1, None),
        (Function.DIVIDE, SMALLEST, 1, SMALLEST),
    ],
)
def test_the_result_of_two_constants(function: Function, left: Number, right: Number, result: Number | None) -> None:
    found = calculate_constants(function, left, right)
    assert (type(found), found) == (type(result), result)


def test_zero_through_zero_is_no_number() -> None:
    found = calculate_constants(Function.DIVIDE, 0.0, 0.0)
    assert isinstance(found, float)
    assert math.isnan(found)
