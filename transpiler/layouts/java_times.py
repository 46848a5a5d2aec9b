"""Times as text by a pattern of Java's ``DateTimeFormatter``, as far as stores use one.

Letters: ``y M d H h m s S a``, ``X XX XXX`` for an offset, ``VV`` for a zone's name, texts in quotes, and sections in
brackets that may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

from transpiler.errors import LayoutError

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: The part of a time that a letter stands for, and the regular expression of so many of it.
_LETTERS: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "y": ("year", lambda _: r"\d{4}"),
    "M": ("month", lambda count: "|".join(_MONTHS) if count == 3 else _digits(count)),
    "d": ("day", lambda count: _digits(count)),
    "H": ("hour", lambda count: _digits(count)),
    "h": ("clock", lambda count: _digits(count)),
    "m": ("minute", lambda count: _digits(count)),
    "s": ("second", lambda count: _digits(count)),
    "S": ("fraction", lambda count: rf"\d{{{count}}}"),
    "a": ("half", lambda _: "[AaPp][Mm]"),
    "X": ("offset", lambda _: r"Z|[+-]\d\d:?(?:\d\d)?"),
    "V": ("zone", lambda _: r"[A-Za-z][A-Za-z0-9_/+-]*"),
}


def _digits(count: int) -> str:
    return r"\d\d" if count > 1 else r"\d\d?"


@lru_cache(maxsize=64)
def _expression(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern; ``LayoutError`` for a letter that is not known here."""
    parts: list[str] = []
    for token in re.finditer(r"'([^']*)'|([A-Za-z])\2*|[\[\]]|.", pattern, re.DOTALL):
        text = token[0]
        if token[1] is not None and text.startswith("'"):
            parts.append(re.escape(token[1] or "'"))
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
    return re.compile("".join(parts))


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
    month = parts.get("month", "1")
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
    except (ValueError, OverflowError):
        return None
    since = moment.astimezone(UTC) - _EPOCH
    return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000


def _zone(offset: str | None, name: str) -> timezone | ZoneInfo:
    if offset is None:
        return UTC if name in ("UTC", "Z") else ZoneInfo(name)
    if offset == "Z":
        return UTC
    digits = offset[1:].replace(":", "").ljust(4, "0")
    size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-size if offset[0] == "-" else size)


def write_time(time: int, pattern: str, zone: str) -> str:
    """Return the text of milliseconds since the epoch by a pattern, all of its sections included."""
    moment = (_EPOCH + timedelta(milliseconds=time)).astimezone(_zone(None, zone))

    def written(token: re.Match[str]) -> str:
        if token[0].startswith("'"):
            return token[1] or "'"
        count, letter = len(token[0]), token[2]
        numbers = {
            "y": moment.year,
            "M": moment.month,
            "d": moment.day,
            "H": moment.hour,
            "h": moment.hour % 12 or 12,
            "m": moment.minute,
            "s": moment.second,
        }
        match letter:
            case "M" if count == 3:
                return _MONTHS[moment.month - 1]
            case "S":
                return f"{moment.microsecond:06d}".ljust(count, "0")[:count]
            case "a":
                return "AM" if moment.hour < 12 else "PM"
            case "X":
                return "Z" if zone in ("UTC", "Z") else moment.strftime("%z")
            case "V":
                return zone
            case _ if letter in numbers:
                return str(numbers[letter]).rjust(count, "0")
            case _:
                return ""

    return re.sub(r"'([^']*)'|([A-Za-z])\2*|[\[\]]", written, pattern)
