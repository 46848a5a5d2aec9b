"""Decimal test vectors derived from IEEE 754-2008, 3.5.2: sign, exponent field and significand."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler.message.amqp.decimals import DECIMAL32, DECIMAL64, DECIMAL128

FORMATS = [DECIMAL32, DECIMAL64, DECIMAL128]
IDS = ["decimal32", "decimal64", "decimal128"]

#: Format, hexadecimal bytes and number, for both directions.
CANONICAL = [
    (DECIMAL32, "32800001", "1"),  # exponent field 101 in bits 30..23
    (DECIMAL32, "b2800001", "-1"),
    (DECIMAL32, "32800000", "0"),
    (DECIMAL32, "b2800000", "-0"),
    (DECIMAL32, "3200000a", "1.0"),  # exponent field 100, significand 10
    (DECIMAL32, "2f8003e8", "0.001000"),  # 95, 1000
    (DECIMAL32, "00000001", "1E-101"),  # the smallest
    (DECIMAL32, "327fffff", "838860.7"),  # 2**23 - 1, the last significand of the short form; field 100
    (DECIMAL32, "6ca00000", "8388608"),  # 2**23, the first of the long form: 11, 01100101, 21 zeros
    (DECIMAL32, "6cb8967f", "9999999"),
    (DECIMAL32, "77f8967f", "9.999999E+96"),  # the largest: field 191
    (DECIMAL32, "f7f8967f", "-9.999999E+96"),
    (DECIMAL32, "5f800001", "1E+90"),
    (DECIMAL32, "78000000", "Infinity"),
    (DECIMAL32, "f8000000", "-Infinity"),
    (DECIMAL32, "7c000000", "NaN"),
    (DECIMAL64, "31c0000000000001", "1"),  # exponent field 398 in bits 62..53
    (DECIMAL64, "31a000000000000f", "1.5"),
    (DECIMAL64, "b1800000000000e1", "-2.25"),
    (DECIMAL64, "0000000000000001", "1E-398"),
    (DECIMAL64, "31dfffffffffffff", "9007199254740991"),  # 2**53 - 1
    (DECIMAL64, "6c70000000000000", "9007199254740992"),  # 2**53: 11, 0110001110, 51 zeros
    (DECIMAL64, "6c7386f26fc0ffff", "9999999999999999"),
    (DECIMAL64, "77fb86f26fc0ffff", "9.999999999999999E+384"),  # the largest: field 767
    (DECIMAL64, "7800000000000000", "Infinity"),
    (DECIMAL64, "f800000000000000", "-Infinity"),
    (DECIMAL64, "7c00000000000000", "NaN"),
    (DECIMAL128, "30400000000000000000000000000001", "1"),  # exponent field 6176 in bits 126..113
    (DECIMAL128, "303e000000000000000000000000000f", "1.5"),
    (DECIMAL128, "00000000000000000000000000000001", "1E-6176"),
    (DECIMAL128, "5fffed09bead87c0378d8e63ffffffff", "9.999999999999999999999999999999999E+6144"),
    (DECIMAL128, "78000000000000000000000000000000", "Infinity"),
    (DECIMAL128, "f8000000000000000000000000000000", "-Infinity"),
    (DECIMAL128, "7c000000000000000000000000000000", "NaN"),
]

#: For decoding only: other bit patterns of a number.
OTHER = [
    (DECIMAL32, "6cb89680", "0"),  # 10**7 in the long form is above 10**7 - 1
    (DECIMAL32, "77ffffff", "0E+90"),
    (DECIMAL32, "ecb89680", "-0"),
    (DECIMAL32, "7e000000", "NaN"),  # signalling
    (DECIMAL32, "fe000001", "NaN"),
    (DECIMAL32, "7bffffff", "Infinity"),  # the rest of an infinity is ignored
    (DECIMAL64, "6c7386f26fc10000", "0"),
    (DECIMAL64, "7e00000000000000", "NaN"),
    (DECIMAL128, "3041ed09bead87c0378d8e6400000000", "0"),  # 10**34
    (DECIMAL128, "6c100000000000000000000000000000", "0"),  # the long form starts at 2**113, above 10**34 - 1
    (DECIMAL128, "7e000000000000000000000000000000", "NaN"),
]

#: For encoding only: numbers whose own exponent does not exist in the format, so that another exponent is used.
MOVED = [
    (DECIMAL32, "1E+96", "5f8f4240"),  # 1000000E+90
    (DECIMAL32, "10E-102", "00000001"),
    (DECIMAL32, "100000000", "338f4240"),  # 1000000E+2
    (DECIMAL32, "0E+500", "5f800000"),
    (DECIMAL32, "0E-500", "00000000"),
    (DECIMAL32, "-0E+500", "df800000"),
]


def _same(left, right):
    return left.as_tuple() == right.as_tuple()


@pytest.mark.parametrize(("interchange", "data", "number"), CANONICAL + OTHER)
def test_bits_read_as_the_number(interchange, data, number):
    assert _same(interchange.read(bytes.fromhex(data)), Decimal(number))


@pytest.mark.parametrize(("interchange", "data", "number"), CANONICAL)
def test_a_number_is_written_with_its_own_exponent(interchange, data, number):
    assert interchange.write(Decimal(number)).hex() == data


@pytest.mark.parametrize(("interchange", "number", "data"), MOVED)
def test_a_number_is_written_with_another_exponent_where_its_own_does_not_exist(interchange, number, data):
    assert interchange.write(Decimal(number)).hex() == data
    assert interchange.read(bytes.fromhex(data)) == Decimal(number)


@pytest.mark.parametrize(
    ("interchange", "number"),
    [
        (DECIMAL32, "12345678"),
        (DECIMAL32, "1E-102"),
        (DECIMAL32, "1E+97"),
        (DECIMAL32, "1E+999999"),
        (DECIMAL32, "1E-999999"),
        (DECIMAL64, "1E+385"),
        (DECIMAL64, "1.0000000000000001"),
        (DECIMAL128, "1E+6145"),
        (DECIMAL128, "1" * 100_000),
    ],
)
def test_a_number_outside_the_format_is_refused(interchange, number):
    with pytest.raises(ValueError, match=r"digits|exponent"):
        interchange.write(Decimal(number))


@pytest.mark.parametrize(("interchange", "largest"), [(DECIMAL32, 191), (DECIMAL64, 767), (DECIMAL128, 12287)], ids=IDS)
def test_the_largest_exponent_is_the_standards(interchange, largest):
    # Table 3.6: emax is 96, 384 and 6144, and the largest exponent of the last digit is p - 1 less.
    assert interchange.largest_exponent == largest
    assert largest - interchange.bias + interchange.digits - 1 == {4: 96, 8: 384, 16: 6144}[interchange.width]


@pytest.mark.parametrize("interchange", FORMATS, ids=IDS)
@given(data=st.data())
def test_any_bits_are_a_number_that_is_written_back_the_same(interchange, data):
    number = interchange.read(data.draw(st.binary(min_size=interchange.width, max_size=interchange.width)))
    assert _same(interchange.read(interchange.write(number)), number)
    float(number)
