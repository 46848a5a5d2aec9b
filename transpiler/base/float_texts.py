"""Conversion of a decimal text to the nearest 32-bit floating-point number, with a single rounding."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from transpiler.base.ieee754 import float32


def float32_in_text(text: str) -> float:
    """Return the 32-bit floating point number nearest to the decimal number in ``text``, as a double.

    ``text`` is not rounded to a double first: that double may lie half-way between two 32-bit numbers when the exact
    number does not, and a second rounding could then choose the wrong neighbour.
    """
    double = float(text)
    nearest = float32(double)
    if not math.isfinite(nearest) or nearest == double:
        # ``float32`` has rounded to infinity. But if the exact number is just below the half-way point between the
        # largest 32-bit number and 2**128, the largest number is nearer.
        is_largest = math.isinf(nearest) and abs(double) == 2.0**128 - 2.0**103
        return math.copysign(2.0**128 - 2.0**104, double) if is_largest and _is_nearer_zero(text, double) else nearest
    [bits] = struct.unpack("i", struct.pack("f", abs(nearest)))
    sign, exact = math.copysign(1.0, double), abs(Fraction(text))
    steps = [step for step in (0, -1, 1) if 0 <= bits + step < _INFINITE]
    around = [struct.unpack("f", struct.pack("i", bits + step))[0] for step in steps]
    return sign * float(min(around, key=lambda candidate: abs(Fraction(candidate) - exact)))


#: The bit pattern of the 32-bit infinity.
_INFINITE = 0x7F80_0000


def _is_nearer_zero(text: str, double: float) -> bool:
    return abs(Fraction(text)) < abs(Fraction(double))
