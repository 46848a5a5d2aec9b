"""JSON text in Python as Spark's ``try_parse_json`` reads it: a key twice, NaN or anything behind the value is none."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


def parse_json(text: str | None) -> Any:
    """Return the value of a JSON text; None where it is NULL, JSON's null or no JSON."""
    if text is None:
        return None
    try:
        return json.loads(text, parse_float=_fraction, parse_constant=_refuse, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None


def _fraction(text: str) -> float | Decimal:
    return float(text) if "e" in text.lower() else Decimal(text)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key is there twice")
    return result
