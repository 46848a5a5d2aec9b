"""Selectors in .properties files, by the syntax of ``java.util.Properties``: separators, escapes, continued lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.lint.embedded.mapped_text import MappedText, decoded, plain
from transpiler.lint.embedded.markers import read_marker
from transpiler.lint.embedded.selector_places import find_place, names_of
from transpiler.lint.embedded.selector_text import InFile, find_in_text, found

_KEY = re.compile(r"[ \t\f]*(?P<key>(?:[^\\=: \t\f]|\\.)*+)[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE = re.compile(r"\\(?:\n[ \t\f]*|u[0-9a-fA-F]{4}|.)")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def find_in_properties(text: str) -> Iterator[InFile]:
    """Yield the values of keys that name selectors, and those behind a comment that marks one."""
    marked: tuple[bool, str | None] = (False, None)
    for key, value in entries(text):
        if key is None:
            marked = read_marker(value.text)
            continue
        place = find_place(names_of(re.split(r"[.\[\]]", key)))
        if place is not None or marked[0]:
            yield from found(_without_quotes(value), (place.dialect if place else None) or marked[1], escape)
        else:
            yield from find_in_text(value, None, escape)
        marked = False, None


def entries(text: str) -> Iterator[tuple[str | None, MappedText]]:
    """Yield the keys with their values, and for a comment its text without a key."""
    for start, line in _logical_lines(text):
        stripped = line.lstrip(" \t\f")
        if stripped.startswith(("#", "!")):
            yield None, plain(stripped[1:])
        elif stripped:
            match = _KEY.match(line)
            assert match is not None
            value = decoded(line[match.end() :], start + match.end(), _ESCAPE, _character)
            yield match["key"].replace("\\", ""), value


def escape(text: str) -> str:
    """Return a text as it stands behind a key."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _without_quotes(value: MappedText) -> MappedText:
    """Artemis takes the text of ``filterString`` in double quotes too."""
    text = value.text
    return value.part(1, len(text) - 1) if len(text) > 2 and text[0] == text[-1] == '"' else value


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their offsets; one that ends in an odd number of backslashes goes on in the next."""
    start, length = 0, len(text)
    while start < length:
        end = start
        while True:
            newline = text.find("\n", end)
            stop = length if newline < 0 else newline
            line = text[start:stop]
            comment = line.lstrip(" \t\f")[:1] in ("#", "!")
            slashes = len(line) - len(line.rstrip("\\"))
            if newline < 0 or comment or slashes % 2 == 0:
                break
            end = newline + 1
        yield start, line
        start = stop + 1


def _character(match: re.Match[str]) -> str:
    escape = match[0][1:]
    if escape.startswith("\n"):
        return ""
    return chr(int(escape[1:], 16)) if len(escape) == 5 else _PLAIN.get(escape, escape)
