"""JSON text in Python as Spark's ``try_parse_json`` reads it: a key twice, NaN or half of a surrogate pair is none.

Spark reads the first value and leaves what is behind it; a number needs a blank there. Source: Spark 4,
``VariantBuilder.parseJson``, and Jackson's ``ReaderBasedJsonParser``.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

_BLANKS = " \t\r\n"
#: The digits that a DECIMAL of Spark holds; an integer of more is a double.
_DIGITS = 38
#: The characters of a number that Jackson reads.
_LONGEST_NUMBER = 1_000
#: Characters that make one word with true, false or null before them.
_WORD = re.compile(r"\w")
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_json(text: str | None) -> Any:
    """Return the value of a JSON text; None where it is NULL, JSON's null or no JSON."""
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
    """Return True if no string in a value has half of a surrogate pair."""
    parts = [value]
    while parts:
        match parts.pop():
            case str() as text if _SURROGATE.search(text):
                return False
            case dict() as items:
                parts.extend((*items, *items.values()))
            case list() as items:
                parts.extend(items)
            case _:
                pass
    return True


def _integer(text: str) -> int | float:
    return int(text) if len(text.lstrip("-")) <= _DIGITS else float(_limited(text))


def _fraction(text: str) -> float | Decimal:
    # A DECIMAL has no negative zero.
    return float(_limited(text)) if "e" in text.lower() else Decimal(_limited(text)) or Decimal(0)


def _limited(text: str) -> str:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError("Jackson reads no number of that length")
    return text


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key is there twice")
    return result


_DECODER = json.JSONDecoder(
    parse_int=_integer, parse_float=_fraction, parse_constant=_refuse, object_pairs_hook=_object
)
