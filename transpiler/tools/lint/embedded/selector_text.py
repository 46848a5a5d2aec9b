"""A selector's text in a file with the place of each character, places whose selector is not known, and their search.

A reader of files hands each text that it finds to ``selectors_at``, with the path to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote, unquote_plus

from transpiler.base.source import Span
from transpiler.language.selector.dialects import DIALECTS
from transpiler.tools.lint.embedded.selector_places import Language, find_place, is_complete, is_condition, text_pattern

#: Writes a text as it stands in a file.
Escape = Callable[[str], str]
#: The words before a selector within any text.
_BEFORE_VALUE = re.compile(r"selector\s*[=:]", re.IGNORECASE)
#: Characters that people leave as they are in a URI.
_IN_URI = " '()<>=,/:*$!"
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+|\+")


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

    def is_contiguous(self, span: Span) -> bool:
        """Return True if the characters of a span stand side by side in the file, and nothing else between them."""
        end = min(span.end, len(self.text))
        before, after = self.ends[span.start : max(span.start, end - 1)], self.starts[span.start + 1 : end]
        # Two ranges, or two lists, are compared by Python itself.
        return before == after if type(before) is type(after) else [*before] == [*after]

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
    parts: list[MappedText] = []
    place = 0
    for match in escape.finditer(raw):
        text, behind = decode(match), start + match.end()
        parts.append(plain(raw[place : match.start()], start + place))
        parts.append(MappedText(text, [start + match.start()] * len(text), [behind] * len(text), behind))
        place = match.end()
    rest = plain(raw[place:], start + place)
    return joined([*parts, rest]) if parts else rest


def as_is(text: str) -> str:
    """Return the text: for files whose selectors are written without escapes."""
    return text


class FoundSelector(NamedTuple):
    """A selector, its place, and its dialect where the file says whose it is.

    ``escape`` writes a text as it stands in the file, for corrections. ``is_filled`` if parts stand in another file.
    ``whence`` is the pattern of the place, ``used`` the offset of the place where the text stands elsewhere. ``file``
    is the name of the file in which the text stands, if that is another one.
    """

    mapped: MappedText
    dialect: str | None = None
    escape: Escape = as_is
    is_filled: bool = False
    whence: str = ""
    used: int | None = None
    file: str | None = None


class UnreadSelector(NamedTuple):
    """A place of a selector that is made at run time, or by another tool, by its offset in the file.

    ``mapped`` is the text where it has placeholders, ``reason`` what is known of these.
    """

    offset: int
    mapped: MappedText | None = None
    dialect: str | None = None
    reason: str = ""
    whence: str = ""


#: The items that readers yield.
InFile = FoundSelector | UnreadSelector


class UnreadableError(ValueError):
    """The file is not what its name says; ``offset`` is where, if that is known."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset


def found(mapped: MappedText, dialect: str | None = None, escape: Escape = as_is, whence: str = "") -> Iterator[InFile]:
    """Yield the selector of a place, ``UnreadSelector`` if its text is incomplete, nothing if it is blank."""
    if not is_complete(mapped.text):
        yield UnreadSelector(mapped.place(Span(0, 0)).start, mapped, dialect, whence=whence)
    elif mapped.text.strip():
        yield FoundSelector(mapped, dialect, escape, whence=whence)


def known_dialect(name: str) -> str | None:
    """Return the name of a dialect; None for any other text."""
    return name if name in DIALECTS else None


def selectors_at(
    path: Sequence[str],
    value: MappedText,
    escape: Escape = as_is,
    language: Language = "data",
    is_marked: bool = False,
    dialect: str | None = None,
    broker: str | None = None,
) -> Iterator[InFile]:
    """Yield the selector of a text to which some steps lead, or those within it where it is none itself.

    It is one if a comment says so, too. ``dialect`` is what a comment says; it counts more than what the place says.
    ``broker`` is the dialect of the broker whose file it is; it counts less.
    """
    place = find_place(path, language)
    if place is not None and (place.is_sure or is_condition(value.text) or not is_complete(value.text)):
        if place.reason:
            is_blank = not value.text.strip()
            return iter(
                []
                if is_blank
                else [UnreadSelector(value.place(Span(0, 0)).start, reason=place.reason, whence=place.pattern)]
            )
        return found(value, dialect or place.dialect or broker, escape, place.pattern)
    dialect = dialect or broker
    return found(value, dialect, escape, "a comment") if is_marked else find_in_text(value, dialect, escape)


def within(inner: Iterator[InFile], outer: MappedText, escape: Escape) -> Iterator[InFile]:
    """Yield what was found in a text of a file with its places in the file."""
    for one in inner:
        mapped = None if one.mapped is None else one.mapped.within(outer)
        if isinstance(one, UnreadSelector):
            yield one._replace(offset=outer.place(Span(one.offset, one.offset)).start, mapped=mapped)
        elif mapped is not None:
            inner_escape = one.escape
            both = escape if inner_escape is as_is else partial(_escaped_twice, inner_escape, escape)
            used = None if one.used is None else outer.place(Span(one.used, one.used)).start
            yield one._replace(mapped=mapped, escape=both, used=used)


def _escaped_twice(inner: Escape, outer: Escape, text: str) -> str:
    return outer(inner(text))


def find_in_text(text: MappedText, dialect: str | None = None, escape: Escape = as_is) -> Iterator[InFile]:
    """Yield the selectors within a text: in the URIs of Camel, and in statements of Kafka's connectors."""
    if not _BEFORE_VALUE.search(text.text):
        return
    for match in text_pattern().finditer(text.text):
        start = match.end()
        if match[0].lower().endswith("selector=") and "?" in match[0]:
            raw = text.text.startswith(("RAW(", "RAW{"), start)
            start += 4 * raw
            end = text.text.find({"(": ")", "{": "}"}[text.text[start - 1]] if raw else "&", start)
            part = text.part(start, end if end >= 0 else len(text.text))
            value = part if raw else decoded(part.text, 0, _PERCENT, lambda code: unquote_plus(code[0])).within(part)
            yield from found(value, dialect, escape if raw else _in_uri(escape), "a URI of Camel")
        elif text.text[start : start + 1] in ("`", "'", '"'):
            end = text.text.find(text.text[start], start + 1)
            if end >= 0:
                whence = "a pipeline of Jenkins" if match[0].rstrip().endswith(":") else "a statement of KCQL"
                yield from found(text.part(start + 1, end), dialect, escape, whence)
            else:
                yield UnreadSelector(text.place(Span(start, start)).start)
        elif text.text[start:].strip():
            yield UnreadSelector(text.place(Span(start, start)).start)


def _in_uri(escape: Escape) -> Escape:
    return lambda text: escape(quote(text, safe=_IN_URI))
