"""IEEE 754-2008 decimal floating point in the binary integer decimal encoding, which AMQP 1.0 prescribes.

A decimal is a sign, a biased exponent of w bits, and a significand c that is a binary integer: the value is
(-1)**sign * c * 10**(exponent - bias). After the sign bit (IEEE 754-2008, 3.5.2) there are three cases:

- If the next two bits are not 11: w bits of exponent, then the significand.
- If they are 11: these two bits, w bits of exponent, then the lower bits of the significand, whose top bits are 100.
- If the next four bits are 1111: infinity if the fifth bit is 0, NaN if the fifth bit is 1.

A significand above 10**p - 1 (for p digits) is not canonical and means zero. A NaN decodes as Python's quiet NaN,
without sign, payload and signal, because Python cannot even compare a signalling NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class DecimalFormat:
    """A decimal format of IEEE 754: its size in bytes, precision in digits, exponent bits and exponent bias."""

    width: int
    digits: int
    exponent_bits: int
    bias: int

    @property
    def largest_exponent(self) -> int:
        """The largest value of the biased exponent, whose two leading bits are never 11."""
        return (3 << self.exponent_bits - 2) - 1

    def read(self, data: bytes) -> Decimal:
        """Decode a decimal of ``width`` bytes; every combination of bits is valid."""
        bits = int.from_bytes(data)
        rest = 8 * self.width - 1
        negative, bits = divmod(bits, 1 << rest)
        if bits >> (rest - 4) == 0b1111:
            if bits >> (rest - 5) & 1:
                return Decimal("NaN")
            return Decimal("-Infinity" if negative else "Infinity")
        if bits >> (rest - 2) == 0b11:
            low = rest - 2 - self.exponent_bits
            significand = 0b100 << low | bits & (1 << low) - 1
        else:
            low = rest - self.exponent_bits
            significand = bits & (1 << low) - 1
        exponent = bits >> low & (1 << self.exponent_bits) - 1
        if significand >= 10**self.digits:
            significand = 0
        return Decimal((negative, tuple(map(int, str(significand))), exponent - self.bias))

    def write(self, number: Decimal) -> bytes:
        """Encode ``number`` in ``width`` bytes; raise ``ValueError`` if its digits or its exponent do not fit."""
        sign, digits, exponent = number.as_tuple()
        rest = 8 * self.width - 1
        if isinstance(exponent, str):  # "F" of an infinity, "n" or "N" of a NaN
            bits = (0b11110 if exponent == "F" else 0b11111) << (rest - 5)
            return (sign << rest | bits).to_bytes(self.width)
        significand, biased = self._fit(digits, exponent + self.bias)
        low = rest - self.exponent_bits
        if significand >> low:
            low -= 2
            bits = 0b11 << (rest - 2) | biased << low | significand & (1 << low) - 1
        else:
            bits = biased << low | significand
        return (sign << rest | bits).to_bytes(self.width)

    def _fit(self, digits: tuple[int, ...], biased: int) -> tuple[int, int]:
        """Return the significand and the biased exponent for ``digits`` and ``biased``, within the format's limits.

        Trailing zeros are removed from the significand, or added to it, until both fit; raise ``ValueError`` if they
        cannot.
        """
        count = len(digits)
        while count > 1 and digits[count - 1] == 0 and (count > self.digits or biased < 0):
            count -= 1
            biased += 1
        if digits[:count] == (0,) * count:
            return 0, min(max(biased, 0), self.largest_exponent)
        if count > self.digits:
            raise ValueError(f"more than {self.digits} digits")
        significand = int("".join(map(str, digits[:count])))
        excess = max(0, biased - self.largest_exponent)
        if biased < 0 or excess > self.digits or significand * 10**excess >= 10**self.digits:
            raise ValueError(f"an exponent out of {-self.bias} to {self.largest_exponent - self.bias}")
        return significand * 10**excess, biased - excess


#: The formats of IEEE 754-2008, table 3.6, named as the AMQP types.
DECIMAL32 = DecimalFormat(width=4, digits=7, exponent_bits=8, bias=101)
DECIMAL64 = DecimalFormat(width=8, digits=16, exponent_bits=10, bias=398)
DECIMAL128 = DecimalFormat(width=16, digits=34, exponent_bits=14, bias=6176)
