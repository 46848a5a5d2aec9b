"""Neighbours of a constant in the types of numbers: where a comparison with it can turn.

Next to the constant itself these are the numbers that round to it, as a double, as a float, or as the low 64 bits of an
integer.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from transpiler.message.types import AmqpType
from transpiler.reference.operands import to_double, wrap

#: Up to here each integer is a double of its own.
LARGE = 2**53


def whole_near(constant: int | float) -> Iterator[int]:
    """Yield the integers at and beside a constant, and those that round to it; none for an infinity or NaN."""
    if isinstance(constant, float) and not math.isfinite(constant):
        return
    whole = math.floor(constant)
    yield from (whole, whole + 1, whole - 1)
    if not -(2**63) <= whole < 2**63:
        # The value of the literal in a dialect that keeps its low 64 bits.
        yield wrap(whole, 64)
    if abs(whole) >= LARGE and abs(whole) < 2**66:
        # The integers that round to the constant, and those beside them.
        value = float(constant)
        yield from (edge + step for above in (False, True) for edge in (_edge(value, above),) for step in (-1, 0))


def _edge(value: float, above: bool) -> int:
    """Return the least integer whose nearest double is the value or more, or, with ``above``, is more."""
    low, high = -(2**67), 2**67
    while low < high:
        middle = (low + high) // 2
        if float(middle) > value or (not above and float(middle) == value):
            high = middle
        else:
            low = middle + 1
    return low


def floats_near(constant: int | float, kind: AmqpType) -> Iterator[float]:
    """Yield the numbers at and beside a constant in a type of floating-point numbers."""
    value = to_double(constant)
    if kind is AmqpType.FLOAT:
        single = _single(value)
        yield from (single, _next_single(single, 1), _next_single(single, -1))
    else:
        yield from (value, value + 0.5, value - 0.5, math.nextafter(value, math.inf), math.nextafter(value, -math.inf))


def _single(number: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _next_single(number: float, step: int) -> float:
    if not math.isfinite(number):
        return math.copysign(float.fromhex("0x1.fffffep+127"), number)
    if number == 0:
        return step * 2.0**-149
    (bits,) = struct.unpack("i", struct.pack("f", number))
    return float(struct.unpack("f", struct.pack("i", bits + (step if number > 0 else -step)))[0])


def is_extreme(number: float) -> bool:
    """Return True for a number that few messages have: beyond ``LARGE``, not finite, or a negative zero."""
    return not math.isfinite(number) or abs(number) > LARGE or (number == 0 and math.copysign(1, number) < 0)
