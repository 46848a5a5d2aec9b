"""Parser for the numeric literals of each dialect: from digits to a value.

A literal is the longest match of the dialect's syntax; the lexer checks the text that follows the literal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from transpiler.language.selector.dialect_rules import NumericLiterals

#: The value of a literal: an integer, a floating-point number, or the bytes of a binary string.
Number = int | float | bytes

_LONG_MAX = 2**63 - 1
_ULONG_MAX = 2**64 - 1
#: Maximum length of a numeric literal, in characters. Python refuses to convert longer integers by default, and their
#: values exceed the types of all brokers.
MAX_DIGITS = 3_500

_EXPONENT = r"[eE][+-]?[0-9]+"


class NumberError(ValueError):
    """Error for a literal whose value the dialect rejects; the message gives the reason."""


#: A number in ordinary notation, without the prefixes and suffixes of programming languages.
_SPELLED = re.compile(r"\s*\+?(-?)0*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)((?:[eE][+-]?[0-9]+)?)\s*", re.ASCII)


def spelled_number(text: str) -> str | None:
    """Return the number in ``text`` as a literal without leading zeros; None if ``text`` is not a number.

    Some dialects would read a literal with leading zeros as octal: ``00123`` is 83.
    """
    match = _SPELLED.fullmatch(text)
    return "".join(match.groups()) if match else None


def read_number(syntax: NumericLiterals, text: str, start: int) -> tuple[Number, int] | None:
    """Parse the numeric literal at offset ``start``; return its value and end offset, or None if there is none.

    Raises ``NumberError`` if the value is out of range.
    """
    match = _SYNTAX[syntax].match(text, start)
    if match is None or match.end() == start:
        return None
    if match.end() - start > MAX_DIGITS and not match.groupdict().get("binary"):
        raise NumberError(f"a number of {match.end() - start:,} characters is outside the range of every type")
    return _VALUES[syntax](match), match.end()


def floating_literal(syntax: NumericLiterals, number: int) -> str | None:
    """Return the integer ``number`` as a floating-point literal: 5 → ``5.0``; None if it is too large for a double."""
    text = f"{number}.0"
    return None if number_in(syntax, text.removeprefix("-")) is None else text


def number_in(syntax: NumericLiterals, text: str) -> int | float | None:
    """Return the value of ``text`` if it is one numeric literal within the dialect's range; otherwise None."""
    try:
        literal = read_number(syntax, text, 0)
    except NumberError:
        return None
    if literal is None or literal[1] != len(text) or isinstance(literal[0], bytes):
        return None
    return literal[0]


def _java(match: re.Match[str]) -> Number:
    if match["floating"]:
        mantissa, suffix = match["floating"], match["suffix"] or ""
        value = float(mantissa)
        if suffix in ("f", "F"):
            # The suffix f makes the literal a 32-bit float, so round its value. Imported here, because few literals
            # have this suffix.
            from transpiler.base.float_texts import float32_in_text

            value = float32_in_text(mantissa)
        digits = re.split("[eE]", mantissa)[0]
        if math.isinf(value) or (value == 0 and digits.strip("0.")):
            side = "large" if value else "small"
            raise NumberError(f"{match[0]} is too {side} for a floating point number")
        return value
    if match["hexadecimal"]:
        return int(match["hexadecimal"], 16)
    return int(match["octal"], 8) if match["octal"] else int(match["decimal"])


def _activemq(match: re.Match[str]) -> Number:
    if match["floating"]:
        return float(match["floating"])
    if match["decimal"]:
        return int(match["decimal"])
    value = int(match["hexadecimal"], 16) if match["hexadecimal"] else int(match["octal"], 8)
    if value > _LONG_MAX:
        raise NumberError(f"{match[0]} is outside the range of a signed 64-bit integer")
    return value


def _qpid_cpp(match: re.Match[str]) -> Number:
    text = match[0].replace("_", "")
    if match["approximate"]:
        value = float.fromhex(text.rstrip("fFdD")) if text[1:2] in ("x", "X") else float(text.rstrip("fFdD"))
        # Qpid C++ calls strtod, which reports a range error also for subnormal numbers.
        if math.isinf(value) or 0 < abs(value) < 2.0**-1022 or (value == 0 and re.split("[eEpP]", text)[0].strip("0.")):
            raise NumberError(f"{text} is outside the range of a double")
        return value
    text = text.rstrip("lL")
    base = 0
    if text[0] == "0" and len(text) > 1:
        base = {"b": 2, "x": 16}.get(text[1].lower(), 8)
    value = int(text, base or 10)
    if value > (_ULONG_MAX if base else _LONG_MAX + 1):
        raise NumberError(f"{text} is too large an integer literal")
    if base == 0 and value > _LONG_MAX:
        return value
    return (value + 2**63) % 2**64 - 2**63


def _finite(match: re.Match[str]) -> float:
    value = float(match["floating"].rstrip("fFdD"))
    if math.isinf(value):
        raise NumberError(f"{match[0]} is too large for a floating point number")
    return value


def _sql_filter(match: re.Match[str]) -> Number:
    if match["binary"]:
        return bytes.fromhex(match["binary"])
    return _finite(match) if match["floating"] else int(match["decimal"])


def _rabbitmq_jms(match: re.Match[str]) -> Number:
    if match["floating"]:
        return _finite(match)
    number = int(match["decimal"])
    if number > _LONG_MAX:
        raise NumberError(f"{match[0]} is outside the range of a signed 64-bit integer")
    return number


_POINT = rf"[0-9]+\.[0-9]*(?:{_EXPONENT})?|\.[0-9]+(?:{_EXPONENT})?|[0-9]+{_EXPONENT}"

_SYNTAX: Mapping[NumericLiterals, re.Pattern[str]] = MappingProxyType(
    {
        NumericLiterals.JAVA: re.compile(
            r"0[xX](?P<hexadecimal>[0-9a-fA-F]+)[lL]?"
            rf"|(?P<floating>{_POINT}|[0-9]+(?=[fFdD]))(?P<suffix>[fFdD])?"
            r"|0(?P<octal>[0-7]+)[lL]?(?![0-9])|(?P<decimal>0|[1-9][0-9]*)[lL]?"
        ),
        NumericLiterals.ACTIVEMQ: re.compile(
            r"0[xX](?P<hexadecimal>[0-9a-fA-F]+)"
            rf"|(?P<floating>{_POINT})|(?P<decimal>[1-9][0-9]*)[lL]?|(?P<octal>0[0-7]*)"
        ),
        NumericLiterals.QPID_CPP: re.compile(
            r"(?P<approximate>\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?[fFdD]?"
            r"|0[xX][0-9a-fA-F][0-9a-fA-F_]*[pP][+-]?[0-9]+[fFdD]?"
            r"|0\.[0-9_]*(?:[eE][+-]?[0-9]+)?[fFdD]?"
            r"|[1-9][0-9_]*(?:\.[0-9_]*(?:[eE][+-]?[0-9]+)?[fFdD]?|[eE][+-]?[0-9]+[fFdD]?|[fFdD]))"
            r"|0[xX][0-9a-fA-F][0-9a-fA-F_]*[lL]?|0[bB][01][01_]*[lL]?|0[0-7_]*[lL]?|[1-9][0-9_]*[lL]?"
        ),
        NumericLiterals.SQL_FILTER: re.compile(
            r"0x(?P<binary>(?:[0-9A-F]{2})+)|(?P<floating>[0-9]+\.[0-9]+(?:E[+-]?[0-9]+)?)|(?P<decimal>[0-9]+)"
        ),
        NumericLiterals.RABBITMQ_JMS: re.compile(
            rf"(?P<floating>[0-9]+(?:\.[0-9]+{_EXPONENT}|\.?{_EXPONENT}|(?:\.[0-9]*)?[fFdD]|\.[0-9]*))"
            r"|(?P<decimal>[0-9]+)"
        ),
    }
)
_VALUES: Mapping[NumericLiterals, Callable[[re.Match[str]], Number]] = MappingProxyType(
    {
        NumericLiterals.JAVA: _java,
        NumericLiterals.ACTIVEMQ: _activemq,
        NumericLiterals.QPID_CPP: _qpid_cpp,
        NumericLiterals.SQL_FILTER: _sql_filter,
        NumericLiterals.RABBITMQ_JMS: _rabbitmq_jms,
    }
)
