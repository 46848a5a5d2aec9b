"""SQL that decodes bytes as one value in AMQP 1.0's encoding: it tests the constructor and the size of the value.

Source: AMQP 1.0, section 1.6. Each SQL text contains the bytes once, as ``{0:bare}``, binds them to ``v``, and is NULL
if the value has another type. At most sixteen hexadecimal digits are converted, so that no conversion overflows.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from transpiler.compiler import ir

_HEX = "hex(v)"
_BITS = "CAST(conv(substr(hex(v), 3, 16), 16, -10) AS BIGINT)"
_SIZE = "CAST(conv(substr(hex(v), 3, {digits}), 16, 10) AS BIGINT) = octet_length(v) - {before}"
_SMALL, _LARGE = _SIZE.format(digits=2, before=2), _SIZE.format(digits=8, before=5)


def _reading(*cases: tuple[str, str], other: str = "NULL") -> str:
    whens = " ".join(f"WHEN {condition} THEN {value}" for condition, value in cases)
    return f"get(transform(array({{0:bare}}), v -> CASE {whens} ELSE {other} END), 0)"


def _is(codes: str) -> str:
    """Return the SQL test that the bytes ``v``, as hexadecimal digits, match the regular expression ``codes``."""
    return f"{_HEX} RLIKE '^({codes})$'"


def _has(codes: str, size: str) -> str:
    return f"{_HEX} RLIKE '^({codes})' AND {size}"


def _octets(count: int) -> str:
    return ".." * count


def _signed(bits: int) -> str:
    return f"shiftright(shiftleft({_BITS}, {64 - bits}), {64 - bits})"


def _binary(exponents: int, mantissa: int, negative: str) -> str:
    """Return SQL for the floating-point number whose IEEE 754 bits are the integer ``b``.

    The format has ``exponents`` bits for the exponent and ``mantissa`` bits for the fraction; ``negative`` is the SQL
    test of the sign.
    """
    exponent, ones = f"(shiftright(b, {mantissa}) & {2**exponents - 1}L)", 2**exponents - 1
    fraction, bias = f"(b & {2**mantissa - 1}L)", 2 ** (exponents - 1) - 1 + mantissa
    finite = (
        f"if({negative}, -1D, 1D) * CAST({fraction} + if({exponent} = 0L, 0L, {2**mantissa}L) AS DOUBLE)"
        f" * pow(2D, greatest({exponent}, 1L) - {bias}L)"
    )
    infinite = f"if({negative}, CAST('-Infinity' AS DOUBLE), CAST('Infinity' AS DOUBLE))"
    cases = f"WHEN {exponent} < {ones}L THEN {finite} WHEN {fraction} = 0L THEN {infinite}"
    return f"get(transform(array({_BITS}), b -> CASE {cases} ELSE CAST('NaN' AS DOUBLE) END), 0)"


_TEXT = (
    (_has("A[13]", _SMALL), "CAST(substring(v, 3) AS STRING)"),
    (_has("B[13]", _LARGE), "CAST(substring(v, 6) AS STRING)"),
)
_FIXED = f"4[0-5]|5[0-5]..|560[01]|6[01]{_octets(2)}|7[0-4]{_octets(4)}|8[0-4]{_octets(8)}|9[48]{_octets(16)}|00.+"
_ENCODED = f"({_is(_FIXED)}) OR ({_has('A[013]|C[01]|E0', _SMALL)}) OR ({_has('B[013]|D[01]|F0', _LARGE)})"

_OF_BOOLEAN = _reading((_is("41|5601"), "TRUE"), (_is("42|5600"), "FALSE"))
_OF_INTEGER = _reading(
    (_is("4[34]"), "0L"),
    (_is(f"5[023]..|60{_octets(2)}|70{_octets(4)}|8[01]{_octets(8)}"), _BITS),
    (_is("5[145].."), _signed(8)),
    (_is(f"61{_octets(2)}"), _signed(16)),
    (_is(f"71{_octets(4)}"), _signed(32)),
)
_OF_TIME = _reading((_is(f"83{_octets(8)}"), _BITS))
_OF_DOUBLE = _reading(
    (_is(f"82{_octets(8)}"), _binary(11, 52, "b < 0L")),
    (_is(f"72{_octets(4)}"), _binary(8, 23, f"b >= {2**31}L")),
)
_OF_BINARY = _reading((_has("A0", _SMALL), "substring(v, 3)"), (_has("B0", _LARGE), "substring(v, 6)"))
_OF_UUID = _reading((_is(f"98{_octets(16)}"), "substring(v, 2)"))
#: SQL for a value of a type that no selector compares: a character, decimal, list, map, array or described value.
_OF_OTHER = _reading(
    (
        f"({_is(f'45|7[34]{_octets(4)}|84{_octets(8)}|94{_octets(16)}|00.+')})"
        f" OR ({_has('C[01]|E0', _SMALL)}) OR ({_has('D[01]|F0', _LARGE)})",
        "X''",
    )
)
_OF_STRING = _reading(*_TEXT)
#: SQL that returns the bytes ``v`` as text, or NULL if they are a value in AMQP's encoding.
_OF_PLAIN = _reading((_ENCODED, "NULL"), other="CAST(v AS STRING)")
#: SQL that returns the string that the bytes ``v`` encode, or the bytes as text if they are not in AMQP's encoding.
_OF_TEXT = _reading(*_TEXT, (_ENCODED, "NULL"), other="CAST(v AS STRING)")

#: The SQL of each function that decodes bytes, as a format string.
TEXTS: Mapping[ir.Function, str] = MappingProxyType(
    {
        ir.Function.ENCODED_BOOLEAN: _OF_BOOLEAN,
        ir.Function.ENCODED_INTEGER: _OF_INTEGER,
        ir.Function.ENCODED_TIME: _OF_TIME,
        ir.Function.ENCODED_DOUBLE: _OF_DOUBLE,
        ir.Function.ENCODED_STRING: _OF_STRING,
        ir.Function.ENCODED_BINARY: _OF_BINARY,
        ir.Function.ENCODED_UUID: _OF_UUID,
        ir.Function.ENCODED_OTHER: _OF_OTHER,
        ir.Function.PLAIN_OF_ENCODED: _OF_PLAIN,
        ir.Function.TEXT_OF_ENCODED: _OF_TEXT,
    }
)
