"""Texts with the position of each character in their file, and the decision whether a text is a selector.

A reader of files passes each text to ``selectors_at``, with the path of keys or elements that leads to the text.
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
from transpiler.tools.lint.embedded.selector_patterns import (
    Language,
    find_pattern,
    is_complete,
    is_condition,
    text_pattern,
)

#: A function that escapes a text as its file requires, such as in a JSON string.
Escape = Callable[[str], str]
#: Characters that precede every selector inside a longer text. A text without them need not be searched.
_BEFORE_VALUE = re.compile(r"selector\s*[=:]", re.IGNORECASE)
#: Characters that are usually not escaped in a URI.
_IN_URI = " '()<>=,/:*$!"
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+|\+")


@dataclass(frozen=True, slots=True)
class MappedText:
    """A text with the position of each character: character ``i`` is in the file from ``starts[i]`` to ``ends[i]``.

    The positions are offsets in the file; they differ from those in the text if the file has escapes.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    #: If the text is empty, its offset in the file.
    at: int = 0

    def location(self, span: Span) -> Span:
        """Convert ``span``, a span of this text, to offsets in the file.

        A span after the end becomes the end of the text.
        """
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
        """Return True if the characters of ``span`` are adjacent in the file, without escapes or quotes in between."""
        end = min(span.end, len(self.text))
        before, after = self.ends[span.start : max(span.start, end - 1)], self.starts[span.start + 1 : end]
        # Two ranges are compared without iterating over them, and two lists faster than by copying.
        return before == after if type(before) is type(after) else [*before] == [*after]

    def part(self, start: int, end: int) -> MappedText:
        """Return the part of the text from ``start`` to ``end``, with its positions in the file."""
        at = self.starts[start] if start < len(self.text) else self.at
        return MappedText(self.text[start:end], self.starts[start:end], self.ends[start:end], at)

    def within(self, outer: MappedText) -> MappedText:
        """Return this text, which was found inside the text of ``outer``, with positions in the file of ``outer``."""
        return MappedText(
            self.text,
            [outer.starts[index] for index in self.starts],
            [outer.ends[index - 1] for index in self.ends],
            outer.location(Span(self.at, self.at)).start,
        )


def plain(text: str, start: int = 0) -> MappedText:
    """Return ``text``, which has no escapes, with positions from the offset ``start`` of its file on."""
    end = start + len(text)
    return MappedText(text, range(start, end), range(start + 1, end + 1), start)


def joined(parts: Iterable[MappedText]) -> MappedText:
    """Return the concatenation of ``parts``, in which each character keeps its position in the file."""
    listed = list(parts)
    return MappedText(
        "".join(part.text for part in listed),
        list(chain.from_iterable(part.starts for part in listed)),
        list(chain.from_iterable(part.ends for part in listed)),
        listed[0].at if listed else 0,
    )


def decoded(raw: str, start: int, escape: re.Pattern[str], decode: Callable[[re.Match[str]], str]) -> MappedText:
    """Return ``raw``, at offset ``start`` of the file, with ``decode(match)`` in place of each match of ``escape``."""
    parts: list[MappedText] = []
    index = 0
    for match in escape.finditer(raw):
        text, behind = decode(match), start + match.end()
        parts.append(plain(raw[index : match.start()], start + index))
        parts.append(MappedText(text, [start + match.start()] * len(text), [behind] * len(text), behind))
        index = match.end()
    rest = plain(raw[index:], start + index)
    return joined([*parts, rest]) if parts else rest


def as_is(text: str) -> str:
    """Return ``text`` unchanged, for files in which selectors have no escapes."""
    return text


class FoundSelector(NamedTuple):
    """A selector with its positions in the file, and its dialect, or None if the file does not determine the dialect.

    - ``escape`` is the function that escapes a replacement text for the file, for fixes.
    - ``is_filled`` is True if parts of the text are in another file.
    - ``whence`` is the pattern by which the selector was found.
    - ``used`` is the offset at which the selector is used, if its text is elsewhere; else None.
    - ``file`` is the file that contains the text, None for the file in which the selector is used.
    """

    mapped: MappedText
    dialect: str | None = None
    escape: Escape = as_is
    is_filled: bool = False
    whence: str = ""
    used: int | None = None
    file: str | None = None


class UnreadSelector(NamedTuple):
    """A selector whose text the file does not contain completely, because the program or another tool completes it.

    ``offset`` is its position in the file. ``mapped`` is the text with its placeholders, None if no text is known.
    ``reason`` says why the text is incomplete, or is empty.
    """

    offset: int
    mapped: MappedText | None = None
    dialect: str | None = None
    reason: str = ""
    whence: str = ""


#: The items that the readers of all file kinds yield.
InFile = FoundSelector | UnreadSelector


class UnreadableError(ValueError):
    """Raised if a file does not have the format that its name states.

    ``offset`` is the position of the error, or None.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset


def found(mapped: MappedText, dialect: str | None = None, escape: Escape = as_is, whence: str = "") -> Iterator[InFile]:
    """Yield ``mapped`` as a selector, or as an ``UnreadSelector`` if it has a placeholder. Skip a blank text."""
    if not is_complete(mapped.text):
        yield UnreadSelector(mapped.location(Span(0, 0)).start, mapped, dialect, whence=whence)
    elif mapped.text.strip():
        yield FoundSelector(mapped, dialect, escape, whence=whence)


def known_dialect(name: str) -> str | None:
    """Return ``name`` if it is the name of a dialect; else None."""
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
    """Yield ``value`` as a selector if ``path`` is a place for selectors or a comment marks it (``is_marked``).

    Otherwise yield the selectors inside the text ``value``. ``dialect`` is the dialect named in the comment; if it is
    None, the dialect of ``path`` is used, or else ``broker``, the dialect of the broker that reads the file.
    """
    record = find_pattern(path, language)
    if record is not None and (record.is_certain or is_condition(value.text) or not is_complete(value.text)):
        if record.reason:
            is_blank = not value.text.strip()
            return iter(
                []
                if is_blank
                else [UnreadSelector(value.location(Span(0, 0)).start, reason=record.reason, whence=record.pattern)]
            )
        return found(value, dialect or record.dialect or broker, escape, record.pattern)
    dialect = dialect or broker
    return found(value, dialect, escape, "a comment") if is_marked else find_in_text(value, dialect, escape)


def within(inner: Iterator[InFile], outer: MappedText, escape: Escape) -> Iterator[InFile]:
    """Yield the selectors ``inner``, found in the decoded text ``outer``, with positions in the file of ``outer``."""
    for one in inner:
        mapped = None if one.mapped is None else one.mapped.within(outer)
        if isinstance(one, UnreadSelector):
            yield one._replace(offset=outer.location(Span(one.offset, one.offset)).start, mapped=mapped)
        elif mapped is not None:
            inner_escape = one.escape
            both = escape if inner_escape is as_is else partial(_escaped_twice, inner_escape, escape)
            used = None if one.used is None else outer.location(Span(one.used, one.used)).start
            yield one._replace(mapped=mapped, escape=both, used=used)


def _escaped_twice(inner: Escape, outer: Escape, text: str) -> str:
    return outer(inner(text))


def find_in_text(text: MappedText, dialect: str | None = None, escape: Escape = as_is) -> Iterator[InFile]:
    """Yield the selectors inside ``text``: in Camel URIs, statements of Kafka connectors and Jenkins pipelines."""
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
                yield UnreadSelector(text.location(Span(start, start)).start)
        elif text.text[start:].strip():
            yield UnreadSelector(text.location(Span(start, start)).start)


def _in_uri(escape: Escape) -> Escape:
    return lambda text: escape(quote(text, safe=_IN_URI))
