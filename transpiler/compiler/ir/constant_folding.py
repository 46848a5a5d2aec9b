"""Arithmetic and comparison of constants at compile time, with the same results as the emitted SQL at run time."""

from __future__ import annotations

import math
import operator as op
from collections.abc import Callable, Mapping
from typing import Any

from transpiler.base.comparison import Comparison
from transpiler.compiler.ir.functions import Function

Number = int | float

#: Maximum number of digits of a DECIMAL.
DECIMAL_DIGITS = 38

_COMPARE: Mapping[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.EQ: op.eq,
    Comparison.NE: op.ne,
    Comparison.LT: op.lt,
    Comparison.LE: op.le,
    Comparison.GT: op.gt,
    Comparison.GE: op.ge,
}

_BINARY: Mapping[Function, Callable[[Number, Number], Number]] = {
    Function.ADD: op.add,
    Function.SUBTRACT: op.sub,
    Function.MULTIPLY: op.mul,
}


def compare_constants(operator: Comparison, left: object, right: object) -> bool:
    """Return the result of comparing two constants of the same class; floating-point numbers follow IEEE 754."""
    return _COMPARE[operator](left, right)


def calculate_constants(function: Function, left: Number, right: Number) -> Number | None:
    """Return the result of ``function`` for two integers or two doubles; None for an overflow or a division by zero."""
    if isinstance(left, int) and isinstance(right, int):
        if function is Function.DIVIDE:
            if right == 0:
                return None
            quotient = abs(left) // abs(right)
            return in_64_bits(quotient if (left < 0) == (right < 0) else -quotient)
        return in_64_bits(int(_BINARY[function](left, right)))
    if function is Function.DIVIDE:
        return _divide(float(left), float(right))
    return _BINARY[function](float(left), float(right))


def wrapped(number: int, bits: int) -> int:
    """Return the integer that the low ``bits`` bits of ``number`` represent in two's complement."""
    half: int = 1 << (bits - 1)
    return (number + half) % (2 * half) - half


def in_64_bits(value: int) -> int | None:
    """Return ``value``, or None if it does not fit in 64 signed bits."""
    return value if -(2**63) <= value < 2**63 else None


def _divide(left: float, right: float) -> float:
    if right:
        return left / right
    if not left or math.isnan(left):
        return math.nan
    return math.inf if math.copysign(1, left) == math.copysign(1, right) else -math.inf
