"""The 32-bit float nearest to a number, computed exactly."""

from __future__ import annotations

import random
import struct
from fractions import Fraction

from transpiler.routing.signatures import nearest_float


def float32_of(bits: int) -> Fraction:
    return Fraction(struct.unpack(">f", struct.pack(">I", bits))[0])


def exact(number: int | float) -> float:
    """Return the nearest 32-bit float by binary search; of two equally near ones, the even one."""
    size = Fraction(abs(number))
    low, high = 0, 0x7F7FFFFF
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if float32_of(middle) <= size else (low, middle)
    below, above = size - float32_of(low), float32_of(high) - size
    nearest = low if below < above or (below == above and low % 2 == 0) else high
    return float(float32_of(nearest)) * (1 if number > 0 else -1)


def test_the_nearest_float_is_rounded_once() -> None:
    draw = random.Random(32)
    numbers: list[int | float] = [2**62 + 2**38 + 1, 2**62 + 2**38, 2**62 + 3 * 2**38, 2**53 + 1, 2**53, 2**24 + 1]
    for _ in range(300):
        # The bits behind the first 24 are a half, nearly a half, or random.
        bits = draw.randrange(1, 40)
        kept = draw.randrange(2**23, 2**24) << bits
        rest = draw.choice([1 << bits - 1, (1 << bits - 1) + 1, (1 << bits - 1) - 1, draw.randrange(1 << bits)])
        numbers += [kept + rest, float(kept + rest) / draw.choice([1, 3, 1024])]
    for number in numbers:
        for signed in (number, -number):
            assert nearest_float(signed) == exact(signed), signed
