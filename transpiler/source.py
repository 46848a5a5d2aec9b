"""Source text and the places in it.

Offsets count Unicode code points from 0; lines and columns are shown from 1. A line ends at CR, LF
or CRLF and at nothing else, so that a form feed or U+2028 inside a literal does not move the caret.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\r|\n")


class Span(NamedTuple):
    """A half-open range ``[start, end)`` of code points in one source text."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The smallest span that covers both."""
        return Span(min(self.start, other.start), max(self.end, other.end))


class Position(NamedTuple):
    """Where an offset is for a reader: line and column, both from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Source:
    """One text that a user handed in, and the name by which errors call it."""

    text: str
    name: str = "selector"

    def position(self, offset: int) -> Position:
        """Line and column of an offset; an offset past the end counts as the end."""
        offset = min(max(offset, 0), len(self.text))
        line, start = 1, 0
        for end in _LINE_END.finditer(self.text):
            if end.end() > offset:
                break
            line, start = line + 1, end.end()
        return Position(line, offset - start + 1)

    def line(self, number: int) -> str:
        """The text of one line, counted from 1, without its line end."""
        return _LINE_END.split(self.text)[number - 1]
