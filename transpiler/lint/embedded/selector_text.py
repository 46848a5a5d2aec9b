"""A selector in a file, a place whose selector is not known, and the error for a file that does not read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote_plus

from transpiler.lint.embedded.mapped_text import MappedText, decoded
from transpiler.lint.embedded.selector_places import is_complete, text_pattern
from transpiler.source import Span

#: Writes a text as it stands in a file.
Escape = Callable[[str], str]


def as_is(text: str) -> str:
    """Return the text: for files whose selectors are written without escapes."""
    return text


class FoundSelector(NamedTuple):
    """A selector, its place, and its dialect where the file says whose it is.

    ``escape`` writes a text as it stands in the file, for corrections. ``is_filled`` if parts stand in another file.
    """

    mapped: MappedText
    dialect: str | None = None
    escape: Escape = as_is
    is_filled: bool = False


class UnreadSelector(NamedTuple):
    """A place of a selector that is made at run time, or by another tool, by its offset in the file.

    ``mapped`` is the text where it has placeholders, ``reason`` what is known of these.
    """

    offset: int
    mapped: MappedText | None = None
    dialect: str | None = None
    reason: str = ""


#: What readers yield.
InFile = FoundSelector | UnreadSelector


class UnreadableError(ValueError):
    """The file is not what its name says; ``offset`` is where, if that is known."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset


def found(mapped: MappedText, dialect: str | None = None, escape: Escape = as_is) -> Iterator[InFile]:
    """Yield the selector of a place, ``UnreadSelector`` if its text is incomplete, nothing if it is blank."""
    if not is_complete(mapped.text):
        yield UnreadSelector(mapped.place_of_start(), mapped, dialect)
    elif mapped.text.strip():
        yield FoundSelector(mapped, dialect, escape)


def within(inner: Iterator[InFile], outer: MappedText, escape: Escape) -> Iterator[InFile]:
    """Yield what was found in a text of a file with its places in the file."""
    for one in inner:
        if isinstance(one, UnreadSelector):
            yield UnreadSelector(outer.place(Span(one.offset, one.offset)).start)
        else:
            yield FoundSelector(one.mapped.within(outer), one.dialect, escape)


#: Characters that people leave as they are in a URI.
_IN_URI = " '()<>=,/:*$!"
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+|\+")


def find_in_text(text: MappedText, dialect: str | None = None, escape: Escape = as_is) -> Iterator[InFile]:
    """Yield the selectors within a text: in the URIs of Camel, and in statements of Kafka's connectors."""
    if "selector=" not in text.text.lower().replace(" ", ""):
        return
    for match in text_pattern().finditer(text.text):
        start = match.end()
        if match[0].endswith("selector="):
            raw = text.text.startswith("RAW(", start)
            start += 4 * raw
            end = text.text.find(")" if raw else "&", start)
            part = text.part(start, end if end >= 0 else len(text.text))
            value = part if raw else decoded(part.text, 0, _PERCENT, lambda code: unquote_plus(code[0])).within(part)
            yield from found(value, dialect, escape if raw else _in_uri(escape))
        elif text.text[start : start + 1] in ("`", "'", '"'):
            end = text.text.find(text.text[start], start + 1)
            if end >= 0:
                yield from found(text.part(start + 1, end), dialect, escape)


def _in_uri(escape: Escape) -> Escape:
    return lambda text: escape(quote(text, safe=_IN_URI))
