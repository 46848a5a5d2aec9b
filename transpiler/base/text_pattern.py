"""Patterns of LIKE as data, with two wildcards, whatever characters a dialect uses for wildcards and escapes."""

from __future__ import annotations

from enum import Enum


class Wildcard(Enum):
    """The wildcards of a pattern: ``ONE`` matches one character, ``ANY`` any number of characters."""

    ONE = "_"
    ANY = "%"


#: A pattern: literal texts and wildcards in order. Two texts are never adjacent, nor are two ``%``.
Pattern = tuple[str | Wildcard, ...]
