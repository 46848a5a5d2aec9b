"""Spark's conversions of text, in Python: ``try_cast``, ``try_parse_json``, and parsing of times by Java patterns.

Source: Spark 4, ``Cast``, ``UTF8String.toLong``, ``VariantBuilder.parseJson``; Java's ``Double.parseDouble`` and
``DateTimeFormatter``; Jackson's ``ReaderBasedJsonParser``. A cast ignores white space and ISO control characters around
the text. Spark parses the first JSON value in a text and ignores what follows it; a number must be followed by white
space or the end. JSON with a repeated key, NaN or half of a surrogate pair is invalid.

Supported pattern letters: ``y M d H h m s S a``, ``X XX XXX`` for an offset, ``VV`` for a zone name, quoted text, and
optional sections in brackets. Years have four digits, 1 to 9999.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from transpiler.base.errors import LayoutError
from transpiler.base.float_texts import float32_in_text
from transpiler.base.ieee754 import float32
from transpiler.base.source import half_surrogate
from transpiler.base.times import since_epoch
from transpiler.compiler.ir.column_types import SparkType

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?")
_HEXADECIMAL = re.compile(r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[fFdD]?")
_TRUE, _FALSE = ("t", "true", "y", "yes", "1"), ("f", "false", "n", "no", "0")
_SPECIAL = re.compile(r"(?i:[+-]?inf(inity)?|nan)|[+-]NaN")
#: The characters that Java's ``parseDouble`` trims. Spark also trims DEL.
_TRIMMED_BY_JAVA = "".join(map(chr, range(0x21)))
_TRIMMED = _TRIMMED_BY_JAVA + "\x7f"


def cast_text(text: str, kind: SparkType) -> bool | int | float | str | None:
    """Return ``text`` cast to the Spark type ``kind``; None if it cannot be cast."""
    match kind:
        case SparkType.STRING:
            return text
        case SparkType.BOOLEAN:
            word = text.strip(_TRIMMED).lower()
            return True if word in _TRUE else False if word in _FALSE else None
        case SparkType.DOUBLE:
            return _double(text)
        case SparkType.FLOAT:
            return _float(text)
        case _:
            return _integer(text, kind.bits or 64)


def _integer(text: str, bits: int) -> int | None:
    text = text.strip(_TRIMMED)
    if not _INTEGER.fullmatch(text) or len(text.lstrip("+-").lstrip("0")) > 19:
        return None
    digits = text.lstrip("+-").lstrip("0") or "0"
    number = -int(digits) if text.startswith("-") else int(digits)
    return number if -(2 ** (bits - 1)) <= number < 2 ** (bits - 1) else None


def _double(text: str) -> float | None:
    text = text.strip(_TRIMMED_BY_JAVA)
    if _DECIMAL.fullmatch(text):
        return float(text.rstrip("fFdD"))
    if _HEXADECIMAL.fullmatch(text):
        try:
            return float.fromhex(text.rstrip("fFdD"))
        except OverflowError:
            return float("-inf") if text.startswith("-") else float("inf")
    return float(text) if _SPECIAL.fullmatch(text) else None


def _float(text: str) -> float | None:
    content = text.strip(_TRIMMED_BY_JAVA)
    if _DECIMAL.fullmatch(content):
        return float32_in_text(content.rstrip("fFdD"))
    double = _double(text)
    return None if double is None else float32(double)


_BLANKS = " \t\r\n"
#: Maximum number of digits of a Spark DECIMAL. An integer with more digits becomes a double.
_DIGITS = 38
#: Maximum length of a number that Jackson accepts, in characters.
_LONGEST_NUMBER = 1_000
#: A word character. Spark rejects JSON text in which it directly follows true, false or null.
_WORD = re.compile(r"\w")


def parse_json(text: str | None) -> Any:
    """Return the value of the JSON ``text``; None if the text is None, JSON's null or invalid JSON."""
    if text is None:
        return None
    text = text.lstrip(_BLANKS)
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    behind = text[end : end + 1]
    match value:
        case bool() | None:
            return None if _WORD.match(behind) else value
        case int() | float() | Decimal():
            return value if behind in _BLANKS else None
        case _:
            return value if _is_text(value) else None


def _is_text(value: Any) -> bool:
    """Return True if no string in ``value`` contains half of a surrogate pair."""
    parts = [value]
    while parts:
        match parts.pop():
            case str() as text if half_surrogate(text) is not None:
                return False
            case dict() as items:
                parts.extend((*items, *items.values()))
            case list() as items:
                parts.extend(items)
            case _:
                pass
    return True


def _json_integer(text: str) -> int | float:
    return int(text) if len(text.lstrip("-")) <= _DIGITS else float(_limited(text))


def _fraction(text: str) -> float | Decimal:
    # Return 0 for ``-0.0``, because Spark's DECIMAL has no negative zero.
    return float(_limited(text)) if "e" in text.lower() else Decimal(_limited(text)) or Decimal(0)


def _limited(text: str) -> str:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError("Jackson does not read a number of this length")
    return text


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key occurs twice")
    return result


_DECODER = json.JSONDecoder(
    parse_int=_json_integer, parse_float=_fraction, parse_constant=_refuse, object_pairs_hook=_object
)


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
#: The largest offset from UTC that Java accepts, in minutes.
_WIDEST_OFFSET = 18 * 60

#: The regular expression for the minutes of an offset, for one, two and three letters X in a date-time pattern.
_MINUTES = ("(?:[0-9]{2})?", "[0-9]{2}", ":[0-9]{2}")

#: For each letter of a date-time pattern: the time component that it represents, and a function from the number of
#: repetitions of the letter to the regular expression of the component.
_LETTERS: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "y": ("year", lambda _: "[0-9]{4}"),
    "M": ("month", lambda count: "|".join(_MONTHS) if count == 3 else _digits(count)),
    "d": ("day", lambda count: _digits(count)),
    "H": ("hour", lambda count: _digits(count)),
    "h": ("clock", lambda count: _digits(count)),
    "m": ("minute", lambda count: _digits(count)),
    "s": ("second", lambda count: _digits(count)),
    # Spark accepts any number of digits up to the number of letters.
    "S": ("fraction", lambda count: rf"[0-9]{{1,{count}}}"),
    "a": ("half", lambda _: "AM|PM"),
    "X": ("offset", lambda count: f"(?-i:Z)|[+-][0-9]{{2}}{_MINUTES[min(count, 3) - 1]}"),
    "V": ("zone", lambda _: "[A-Za-z][A-Za-z0-9_/+-]*|[+-][0-9]{2}:[0-9]{2}"),
}

#: A token of a date pattern: text in quotes (a quote inside it is doubled), a run of one letter, or another character.
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[\[\]]|.", re.DOTALL)


def _digits(count: int) -> str:
    return "[0-9]{2}" if count > 1 else "[0-9]{1,19}"


def _quoted(text: str) -> str:
    return text.replace("''", "'") or "'"


@lru_cache(maxsize=64)
def _expression(pattern: str) -> re.Pattern[str]:
    """Return the regular expression for the date-time pattern ``pattern``. If it is invalid, raise ``LayoutError``."""
    expression, _ = _spelled(pattern, named=True)
    return re.compile(expression, re.IGNORECASE | re.DOTALL)


def check_pattern(pattern: str) -> None:
    """Raise ``LayoutError`` for a date-time pattern that is unsupported, or that Spark reads in more than one way.

    Spark reads some patterns differently for each value of its setting ``spark.sql.legacy.timeParserPolicy``.
    """
    if iso_rewriting(pattern) is None and ("[" in pattern or _letters(pattern) & {"S", "V"}):
        reasons = "a date or zone in brackets, or a month's name, h or a beside brackets, S or VV"
        message = f"the pattern {pattern!r} has {reasons}"
        hint = "Spark's own parsers disagree on such a pattern; perhaps convert the text to a column of type TIMESTAMP"
        raise LayoutError.at("layout.time", message, hint=hint)


def _letters(pattern: str) -> set[str]:
    return {token[2] for token in _TOKEN.finditer(pattern) if token[2]}


def _spelled(pattern: str, named: bool) -> tuple[str, dict[str, bool]]:
    """Return the regular expression for ``pattern``, with a group for each time component, and the components.

    If ``named``, each group has the name of its component; otherwise the groups are numbered, as in Java. The dict maps
    each component to True if it is optional, because it is inside brackets.
    """
    parts: list[str] = []
    names: dict[str, bool] = {}
    depth = 0
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        if token[1] is not None:
            parts.append("".join(map(_character, _quoted(token[1]))))
        elif token[2] is not None:
            if token[2] not in _LETTERS:
                hint = f"the supported letters are {', '.join(_LETTERS)}"
                raise LayoutError.at(
                    "layout.time", f"the pattern {pattern!r} contains the unsupported letter {token[2]}", hint=hint
                )
            name, expression_of = _LETTERS[token[2]]
            expression = expression_of(len(text))
            if name in names:
                parts.append(f"(?:{expression})")
                continue
            parts.append(f"({f'?P<{name}>' if named else ''}{expression})")
            names[name] = depth > 0
        else:
            depth += {"[": 1, "]": -1}.get(text, 0)
            if depth < 0:
                break
            parts.append({"[": "(?:", "]": ")?"}.get(text) or _character(text))
    if depth:
        message = f"the pattern {pattern!r} has a {'[ without ]' if depth > 0 else '] without ['}"
        raise LayoutError.at("layout.time", message, hint="brackets enclose an optional part: yyyy-MM-dd[ HH:mm]")
    return "".join(parts), names


def _character(character: str) -> str:
    """Return the regular expression for ``character``, without backslashes, which would have to be quoted in SQL."""
    if character.isalnum() or character in " -:,/'_":
        return character
    return {"^": "(?!x)x", "[": "(?!x)x"}.get(character, f"[{character}]")


#: The components of an ISO 8601 time: name, text before it, and the default if a date-time pattern lacks the component.
_ISO_PARTS = (
    ("year", "", "1970"),
    ("month", "-", "1"),
    ("day", "-", "1"),
    ("hour", " ", "0"),
    ("minute", ":", "0"),
    ("second", ":", "0"),
)


#: The components that are zero if a text lacks them.
_TIME_OF_DAY = {"hour", "minute", "second", "fraction"}


class IsoRewriting(NamedTuple):
    """A Java regular expression that matches a text, and the replacement that makes it an ISO 8601 time.

    ``has_zone`` is True if the replacement ends with the time zone of the text. ``has_gaps`` is True if the replacement
    can lack an hour, minute or second, because these are optional in the text.
    """

    expression: str
    replacement: str
    has_zone: bool
    has_gaps: bool


@lru_cache(maxsize=64)
def iso_rewriting(pattern: str) -> IsoRewriting | None:
    """Return the rewriting from texts that fit the date-time pattern ``pattern`` to ISO 8601.

    A text that does not fit ``pattern`` is rewritten to an invalid time. Return None if the pattern has a month name or
    a 12-hour clock, which ISO 8601 lacks, or if a component of its date or its zone is optional.
    """
    expression, names = _spelled(pattern, named=False)
    missing = {name for name, optional in names.items() if optional}
    if "MMM" in pattern or {"clock", "half"} & names.keys() or missing - _TIME_OF_DAY:
        return None
    group_numbers = {name: index for index, name in enumerate(names, 1)}
    replacement = ""
    for name, before, default in _ISO_PARTS:
        replacement += before + (f"${group_numbers[name]}" if name in group_numbers else default)
    if "fraction" in group_numbers:
        # The zero after the fraction does not change its value, and makes the fraction valid if it is empty.
        replacement += f".${group_numbers['fraction']}0"
    zone = group_numbers.get("offset", group_numbers.get("zone"))
    return IsoRewriting(
        f"(?is)^(?:{expression}(?!.)|.*)",
        replacement + ("" if zone is None else f" ${zone}"),
        zone is not None,
        bool(missing - {"fraction"}),
    )


def fits_pattern(pattern: str) -> str:
    """Return the Java regular expression for the texts that fit the date-time pattern ``pattern``."""
    return f"(?is)^{_spelled(pattern, named=False)[0]}(?!.)"


def read_time(text: str, pattern: str, zone: str) -> int | None:
    """Return the time in ``text`` in milliseconds since the epoch; None if it does not fit ``pattern`` or is invalid.

    ``zone`` is the time zone if the text has none.
    """
    match = _expression(pattern).fullmatch(text)
    if match is None:
        return None
    parts = {name: part for name, part in match.groupdict().items() if part is not None}
    month = parts.get("month", "1").capitalize()
    hour = int(parts.get("hour", 0))
    if "clock" in parts:
        if not 1 <= int(parts["clock"]) <= 12:
            return None
        hour = int(parts["clock"]) % 12 + (12 if parts.get("half", "AM").upper() == "PM" else 0)
    try:
        moment = datetime(
            int(parts.get("year", 1970)),
            _MONTHS.index(month) + 1 if month in _MONTHS else int(month),
            int(parts.get("day", 1)),
            hour,
            int(parts.get("minute", 0)),
            int(parts.get("second", 0)),
            int(parts.get("fraction", "0").ljust(6, "0")[:6]),
            tzinfo=_zone(parts.get("offset"), parts.get("zone", zone)),
        )
    except (ValueError, OverflowError, ZoneInfoNotFoundError):
        return None
    return since_epoch(moment)


def _zone(offset: str | None, name: str) -> timezone | ZoneInfo:
    if offset is None and name[0] in "+-":
        offset = name
    if offset is None:
        return UTC if name in ("UTC", "Z") else ZoneInfo(name)
    if offset == "Z":
        return UTC
    digits = offset[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if minutes > 59 or 60 * hours + minutes > _WIDEST_OFFSET:
        raise ValueError("no such offset")
    size = timedelta(hours=hours, minutes=minutes)
    return timezone(-size if offset[0] == "-" else size)
