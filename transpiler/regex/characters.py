"""Sets of characters as sorted ranges of code points, and the ones that regular expressions name."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """Characters as ranges of code points, both ends included: sorted, apart, and never touching."""

    ranges: tuple[Range, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __contains__(self, code: int) -> bool:
        place = bisect_right(self.ranges, (code, sys.maxunicode)) - 1
        return place >= 0 and code <= self.ranges[place][1]

    def __or__(self, other: CharacterSet) -> CharacterSet:
        return from_ranges((*self.ranges, *other.ranges))

    def __invert__(self) -> CharacterSet:
        gaps, start = [], 0
        for low, high in self.ranges:
            if start < low:
                gaps.append((start, low - 1))
            start = high + 1
        if start <= sys.maxunicode:
            gaps.append((start, sys.maxunicode))
        return CharacterSet(tuple(gaps))

    def __and__(self, other: CharacterSet) -> CharacterSet:
        return ~(~self | ~other)

    def __sub__(self, other: CharacterSet) -> CharacterSet:
        return self & ~other

    def __le__(self, other: CharacterSet) -> bool:
        return not self - other

    @property
    def single(self) -> str | None:
        """The only character of the set; None where it has none or several."""
        match self.ranges:
            case ((low, high),) if low == high:
                return chr(low)
            case _:
                return None


def from_ranges(ranges: Iterable[Range]) -> CharacterSet:
    """Return the set of some ranges, in any order, which may overlap."""
    merged: list[Range] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return CharacterSet(tuple(merged))


def of(characters: str) -> CharacterSet:
    """Return the set of the characters of a text."""
    return from_ranges((ord(character), ord(character)) for character in characters)


def without_case(characters: CharacterSet) -> CharacterSet:
    """Add the other case of each ASCII letter: Java's ``(?i)`` folds no others."""
    upper = [(low + 32, high + 32) for low, high in (characters & UPPER).ranges]
    lower = [(low - 32, high - 32) for low, high in (characters & LOWER).ranges]
    return from_ranges((*characters.ranges, *upper, *lower))


NONE = CharacterSet()
ALL = ~NONE
UPPER, LOWER = CharacterSet(((65, 90),)), CharacterSet(((97, 122),))
DIGITS = CharacterSet(((48, 57),))
WORDS = UPPER | LOWER | DIGITS | of("_")
SPACES = of(" \t\n\x0b\f\r")
SURROGATES = CharacterSet(((0xD800, 0xDFFF),))
#: Java's line ends, which its dot does not match and before the last of which its ``$`` stands.
LINE_ENDS = of("\n\r\x85\u2028\u2029")

#: The classes of a backslash and a letter, inside of brackets and outside.
CLASSES = {"d": DIGITS, "D": ~DIGITS, "w": WORDS, "W": ~WORDS, "s": SPACES, "S": ~SPACES}
