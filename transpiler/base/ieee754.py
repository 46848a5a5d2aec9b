"""Facts of IEEE 754 that the compiler and the message readers share. The reference evaluator has its own copy."""

from __future__ import annotations

import math
import struct

#: Absolute value up to which a double represents every integer exactly.
EXACT = 2**53


def float32(number: float) -> float:
    """Round ``number`` to the nearest 32-bit floating-point number, and return that as a double.

    The result is an infinity if ``number`` is too large.
    """
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def special_name(number: float) -> str | None:
    """Return ``NaN``, ``Infinity`` or ``-Infinity``, as Java and JSON parsers spell them; None for a finite number."""
    if math.isnan(number):
        return "NaN"
    return None if math.isfinite(number) else "Infinity" if number > 0 else "-Infinity"
