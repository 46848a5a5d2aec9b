"""Facts of IEEE 754 that compiler and readers share; the reference evaluator has its own."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

#: Every integer up to here has a double of its own.
EXACT = 2**53


def float32(number: float) -> float:
    """Return the nearest 32-bit floating point number as a double; beyond the largest one, an infinity."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def float32_in_text(text: str) -> float:
    """Return the 32-bit floating point number nearest to the decimal number in ``text``, as a double.

    The double nearest to ``text`` may be half-way between two 32-bit numbers that ``text`` is not half-way between, so
    the number is not rounded by way of it.
    """
    double = float(text)
    nearest = float32(double)
    if not math.isfinite(nearest) or nearest == double:
        # The next 32-bit number above the largest one would be 2**128.
        is_largest = math.isinf(nearest) and abs(double) == 2.0**128 - 2.0**103
        return math.copysign(2.0**128 - 2.0**104, double) if is_largest and _is_nearer_zero(text, double) else nearest
    [bits] = struct.unpack("i", struct.pack("f", abs(nearest)))
    sign, exact = math.copysign(1.0, double), abs(Fraction(text))
    around = [
        struct.unpack("f", struct.pack("i", bits + step))[0] for step in (0, -1, 1) if 0 <= bits + step < _INFINITE
    ]
    return sign * float(min(around, key=lambda candidate: abs(Fraction(candidate) - exact)))


#: The bits of a 32-bit infinity.
_INFINITE = 0x7F80_0000


def _is_nearer_zero(text: str, double: float) -> bool:
    return abs(Fraction(text)) < abs(Fraction(double))


def special_name(number: float) -> str | None:
    """Return ``NaN``, ``Infinity`` or ``-Infinity``, as Java and JSON's readers call them; None of a finite number."""
    if math.isnan(number):
        return "NaN"
    return None if math.isfinite(number) else "Infinity" if number > 0 else "-Infinity"
