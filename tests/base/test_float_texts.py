"""A decimal text is rounded to a 32-bit float in one step by the compiler, the row reader and the evaluator."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from transpiler.base.float_texts import float32_in_text
from transpiler.message.operand_types import OperandType
from transpiler.reference.comparison import read_text

_LARGEST = 2.0**128 - 2.0**104


@st.composite
def texts_near_halfway(draw: st.DrawFn) -> str:
    """Return a decimal text at, just below or just above the middle between two neighbouring 32-bit floats."""
    bits = draw(st.integers(0, 0x7F7F_FFFE))
    low, high = (struct.unpack("f", struct.pack("i", bits + step))[0] for step in (0, 1))
    middle = (Fraction(low) + Fraction(high)) / 2
    digits = f"{float(middle):.120e}".partition("e")
    nudge = draw(st.sampled_from(("", "1", "-")))
    mantissa = digits[0].rstrip("0")
    if nudge == "-":
        # Decrease the last digit by one and append nines.
        mantissa = mantissa[:-1] + str(int(mantissa[-1]) - 1) + "999"
    return f"{draw(st.sampled_from(('', '-', '+')))}{mantissa}{'001' if nudge == '1' else ''}e{digits[2]}"


@given(st.one_of(texts_near_halfway(), st.floats(allow_nan=False, allow_infinity=False).map(repr)))
@example("1.00000017881393432617187499")
@example("1.000000178813934326171875")
@example("340282356779733661637539395458142568447")
@example("340282356779733661637539395458142568448")
@example("0.7006492321624085354618e-45")
@example("-0.0")
def test_a_text_is_rounded_once(text: str) -> None:
    number = float32_in_text(text)
    value = read_text(text, OperandType.FLOAT)
    assert value is not None
    assert (value.value, math.copysign(1, value.value)) == (number, math.copysign(1, number))  # type: ignore[arg-type]
    if math.isinf(number):
        assert abs(Fraction(text)) >= Fraction(2) ** 128 - Fraction(2) ** 103
        return
    [bits] = struct.unpack("i", struct.pack("f", abs(number)))
    exact = abs(Fraction(text))
    for step in (-1, 1):
        if bits + step >= 0:
            other = (
                _LARGEST + 2.0**104
                if bits + step == 0x7F80_0000
                else struct.unpack("f", struct.pack("i", bits + step))[0]
            )
            near, far = abs(Fraction(abs(number)) - exact), abs(Fraction(other) - exact)
            assert near < far or (near == far and bits % 2 == 0)
