"""Source texts, and positions in a source text.

Offsets count Unicode code points from 0; lines and columns count from 1. A line ends only at CR, LF or CRLF, so that
a form feed or U+2028 inside a literal does not move the caret.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range ``[start, end)`` of code points in one source text."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """Return the smallest span that covers this span and ``other``."""
        return Span(min(self.start, other.start), max(self.end, other.end))


_HALF = re.compile("[\ud800-\udfff]")


def half_surrogate(text: str) -> Span | None:
    """Return the span of the first surrogate in ``text``, which is not a Unicode character; None if it has none."""
    half = None if text.isascii() else _HALF.search(text)
    return None if half is None else Span(*half.span())


class Position(NamedTuple):
    """The line and column of an offset. Both numbers count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Source:
    """One text of the user, and the name by which errors refer to it."""

    text: str
    name: str = "selector"

    def position(self, offset: int) -> Position:
        """Return the line and column of ``offset``. An offset past the end of the text counts as its end."""
        text = self.text
        offset = min(max(offset, 0), len(text))
        # An offset between CR and LF belongs to the line that ends there.
        stop = offset - 1 if text[offset - 1 : offset + 1] == "\r\n" else offset
        line = 1 + text.count("\n", 0, stop) + text.count("\r", 0, stop) - text.count("\r\n", 0, stop)
        return Position(line, offset - self._line_start(stop) + 1)

    def line_at(self, offset: int) -> str:
        """Return the text of the line that contains ``offset``, without its line end."""
        offset = min(max(offset, 0), len(self.text))
        start = self._line_start(offset - 1 if self.text[offset - 1 : offset + 1] == "\r\n" else offset)
        # On a long line, ``str.find`` for one character is twenty times as fast as a regular expression.
        ends = [end for character in "\r\n" if (end := self.text.find(character, start)) >= 0]
        return self.text[start : min(ends, default=len(self.text))]

    def _line_start(self, offset: int) -> int:
        return max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
