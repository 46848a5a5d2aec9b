"""Patterns of text with two wildcards, as data: the value of LIKE's pattern, in whatever way a dialect spelt it."""

from __future__ import annotations

from enum import Enum


class Wildcard(Enum):
    """The two characters that stand for others."""

    ONE = "_"
    ANY = "%"


#: Literal text and wildcards in order; no two texts, and no two ``%``, stand side by side.
Pattern = tuple[str | Wildcard, ...]
