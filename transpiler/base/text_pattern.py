"""Patterns of LIKE as data, with two wildcards, whatever characters a dialect uses for wildcards and escapes."""

from __future__ import annotations

from enum import Enum


class Wildcard(Enum):
    """The wildcards of a LIKE pattern: ``ONE`` matches one character, ``ANY`` any number of characters."""

    ONE = "_"
    ANY = "%"


#: A LIKE pattern: literal texts and wildcards in order. Adjacent texts are joined, and so are adjacent wildcards
#: ``ANY``.
Pattern = tuple[str | Wildcard, ...]
