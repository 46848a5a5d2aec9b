"""Facts of IEEE 754 that compiler and readers share; the reference evaluator has its own."""

from __future__ import annotations

import math
import struct

#: Every integer up to here has a double of its own.
EXACT = 2**53


def float32(number: float) -> float:
    """Return the nearest 32-bit floating point number as a double; beyond the largest one, an infinity."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def special_name(number: float) -> str | None:
    """Return ``NaN``, ``Infinity`` or ``-Infinity``, as Java and JSON's readers call them; None of a finite number."""
    if math.isnan(number):
        return "NaN"
    return None if math.isfinite(number) else "Infinity" if number > 0 else "-Infinity"
