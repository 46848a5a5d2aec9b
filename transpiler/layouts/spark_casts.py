"""Spark's ``try_cast`` of a text in Python: None where the text does not cast.

Source: Spark 4, ``Cast``, ``UTF8String.toLong`` and Java's ``Double.parseDouble``. White space and ISO control
characters around the text are left out.
"""

from __future__ import annotations

import re

from transpiler.ieee754 import float32
from transpiler.ir.column_types import SparkType

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?")
_HEXADECIMAL = re.compile(r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[fFdD]?")
_TRUE, _FALSE = ("t", "true", "y", "yes", "1"), ("f", "false", "n", "no", "0")
_SPECIAL = {
    "inf": "inf",
    "+inf": "inf",
    "infinity": "inf",
    "+infinity": "inf",
    "-inf": "-inf",
    "-infinity": "-inf",
    "nan": "nan",
}


def cast_text(text: str, kind: SparkType) -> bool | int | float | str | None:
    """Return a text as a value of a Spark type."""
    match kind:
        case SparkType.STRING:
            return text
        case SparkType.BOOLEAN:
            word = _trimmed(text).lower()
            return True if word in _TRUE else False if word in _FALSE else None
        case SparkType.DOUBLE:
            return _double(text)
        case SparkType.FLOAT:
            return _float(text)
        case _:
            return _integer(text, kind.bits or 64)


def _trimmed(text: str) -> str:
    """Return the text without what Spark trims: white space of ASCII and control characters."""
    first, last = 0, len(text)
    while first < last and _is_blank(text[first]):
        first += 1
    while last > first and _is_blank(text[last - 1]):
        last -= 1
    return text[first:last]


def _is_blank(character: str) -> bool:
    return ord(character) <= 0x20 or ord(character) == 0x7F


def _integer(text: str, bits: int) -> int | None:
    text = _trimmed(text)
    if not _INTEGER.fullmatch(text) or len(text.lstrip("+-").lstrip("0")) > 19:
        return None
    digits = text.lstrip("+-").lstrip("0") or "0"
    number = -int(digits) if text.startswith("-") else int(digits)
    return number if -(2 ** (bits - 1)) <= number < 2 ** (bits - 1) else None


def _double(text: str) -> float | None:
    # Java's parseDouble trims what is not above a blank.
    text = text.strip("".join(map(chr, range(0x21))))
    if _DECIMAL.fullmatch(text):
        return float(text.rstrip("fFdD"))
    if _HEXADECIMAL.fullmatch(text):
        return _hexadecimal(text)
    special = _SPECIAL.get(text.lower())
    if special is None and text in ("+NaN", "-NaN"):
        special = "nan"
    return None if special is None else float(special)


def _hexadecimal(text: str) -> float:
    digits, _, exponent = text.rstrip("fFdD").lower().partition("p")
    try:
        return float.fromhex(f"{digits}p{exponent}")
    except OverflowError:
        return float("-inf") if text.startswith("-") else float("inf")


def _float(text: str) -> float | None:
    double = _double(text)
    return None if double is None else float32(double)
