"""Facts of IEEE 754 that compiler and readers share; the reference evaluator has its own."""

from __future__ import annotations

import math
import struct

#: Integers up to here are doubles, each its own.
EXACT = 2**53


def float32(number: float) -> float:
    """Return the nearest 32-bit floating point number as a double; beyond the largest one, an infinity."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)
