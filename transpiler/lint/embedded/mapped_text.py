"""The text of a selector, and the place of each of its characters in the file that it comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from transpiler.source import Span


@dataclass(frozen=True, slots=True)
class MappedText:
    """A text whose character ``i`` is written in its file from ``starts[i]`` to ``ends[i]``."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    #: The place in the file of a text without characters.
    at: int = 0

    def place(self, span: Span) -> Span:
        """Return the place of a span in the file; behind the last character where the span is."""
        if not self.starts:
            return Span(self.at, self.at)
        last = len(self.text) - 1
        if span.start > last:
            return Span(self.ends[last], self.ends[last])
        start = self.starts[span.start]
        return (
            Span(start, max(start, self.ends[min(span.end, last + 1) - 1]))
            if span.end > span.start
            else Span(start, start)
        )

    def place_of_start(self) -> int:
        """Return the place of the first character in the file."""
        return self.starts[0] if self.starts else self.at

    def is_contiguous(self, span: Span) -> bool:
        """Return True if the characters of a span stand side by side in the file, and nothing else between them."""
        inside = range(span.start, min(span.end, len(self.text)) - 1)
        return all(self.ends[number] == self.starts[number + 1] for number in inside)

    def part(self, start: int, end: int) -> MappedText:
        """Return a part of the text."""
        at = self.starts[start] if start < len(self.text) else self.at
        return MappedText(self.text[start:end], self.starts[start:end], self.ends[start:end], at)

    def within(self, outer: MappedText) -> MappedText:
        """Return this text, whose places are in the text of another, with its places in the file of that one."""
        return MappedText(
            self.text,
            [outer.starts[place] for place in self.starts],
            [outer.ends[place - 1] for place in self.ends],
            outer.place(Span(self.at, self.at)).start,
        )


def plain(text: str, start: int = 0) -> MappedText:
    """Return a text that is written in its file as it is, from an offset on."""
    end = start + len(text)
    return MappedText(text, range(start, end), range(start + 1, end + 1), start)


def joined(parts: Iterable[MappedText]) -> MappedText:
    """Return texts one behind the other."""
    listed = list(parts)
    return MappedText(
        "".join(part.text for part in listed),
        list(chain.from_iterable(part.starts for part in listed)),
        list(chain.from_iterable(part.ends for part in listed)),
        listed[0].at if listed else 0,
    )


def decoded(raw: str, start: int, escape: re.Pattern[str], decode: Callable[[re.Match[str]], str]) -> MappedText:
    """Return a text in which each match of a pattern stands for the characters that a function makes of it."""
    if not escape.search(raw):
        return plain(raw, start)
    text: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    place = 0
    while place < len(raw):
        match = escape.match(raw, place)
        characters, behind = (decode(match), match.end()) if match else (raw[place], place + 1)
        for character in characters:
            text.append(character)
            starts.append(start + place)
            ends.append(start + behind)
        place = behind
    return MappedText("".join(text), starts, ends, start)
