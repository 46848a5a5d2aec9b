"""Times as text by a pattern of Java's ``DateTimeFormatter``, as far as stores use one.

Letters: ``y M d H h m s S a``, ``X XX XXX`` for an offset, ``VV`` for a zone's name, texts in quotes, and sections in
brackets that may be missing. Years are those of Python, 1 to 9999; Spark reads others too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from transpiler.errors import LayoutError
from transpiler.times import since_epoch

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
#: Java's widest offset, in minutes.
_WIDEST_OFFSET = 18 * 60

#: The part of a time that a letter stands for, and the regular expression of so many of it.
_LETTERS: Mapping[str, tuple[str, Callable[[int], str]]] = {
    # Java takes five digits and more behind a sign.
    "y": ("year", lambda _: r"[0-9]{4}|\+[0-9]{5,10}"),
    "M": ("month", lambda count: "|".join(_MONTHS) if count == 3 else _digits(count)),
    "d": ("day", lambda count: _digits(count)),
    "H": ("hour", lambda count: _digits(count)),
    "h": ("clock", lambda count: _digits(count)),
    "m": ("minute", lambda count: _digits(count)),
    "s": ("second", lambda count: _digits(count)),
    # Spark reads any number of digits up to that of the letters.
    "S": ("fraction", lambda count: rf"[0-9]{{1,{count}}}"),
    "a": ("half", lambda _: "AM|PM"),
    "X": ("offset", lambda count: "Z|[+-][0-9]{2}" + ("(?:[0-9]{2})?", "[0-9]{2}", ":[0-9]{2}")[min(count, 3) - 1]),
    "V": ("zone", lambda _: r"[A-Za-z][A-Za-z0-9_/+-]*|[+-][0-9]{2}:[0-9]{2}"),
}

#: A text in quotes, in which two quotes are one; a letter as often as it is there; a bracket; any other character.
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[\[\]]|.", re.DOTALL)


def _digits(count: int) -> str:
    return "[0-9]{2}" if count > 1 else "[0-9]{1,19}"


def _quoted(text: str) -> str:
    return text.replace("''", "'") or "'"


@lru_cache(maxsize=64)
def _expression(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern; ``LayoutError`` for a letter that is not known here."""
    parts: list[str] = []
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        if token[1] is not None:
            parts.append(re.escape(_quoted(token[1])))
        elif token[2] is not None:
            if token[2] not in _LETTERS:
                hint = f"the letters are {', '.join(_LETTERS)}"
                raise LayoutError.at("layout.time", f"the pattern {pattern!r} has the letter {token[2]}", hint=hint)
            name, expression_of = _LETTERS[token[2]]
            expression = expression_of(len(text))
            taken = any(f"(?P<{name}>" in part for part in parts)
            parts.append(f"(?:{expression})" if taken else f"(?P<{name}>{expression})")
        else:
            parts.append({"[": "(?:", "]": ")?"}.get(text, re.escape(text)))
    # Spark's formatter is not case-sensitive, texts in quotes included.
    return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)


def check_pattern(pattern: str) -> None:
    """Raise ``LayoutError`` for a pattern that is not understood here."""
    _expression(pattern)


def read_time(text: str, pattern: str, zone: str) -> int | None:
    """Return the milliseconds since the epoch of a text; None where it does not fit the pattern, or is no date.

    ``zone`` is that of a text without one.
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
        return UTC if name.upper() in ("UTC", "Z") else ZoneInfo(name)
    if offset in ("Z", "z"):
        return UTC
    digits = offset[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if minutes > 59 or 60 * hours + minutes > _WIDEST_OFFSET:
        raise ValueError("no such offset")
    size = timedelta(hours=hours, minutes=minutes)
    return timezone(-size if offset[0] == "-" else size)
