"""Selectors in JSON: RabbitMQ's definitions, Broker-J's configuration, and any file that uses their names.

The text is scanned for its strings, so that each has its place. A configuration of Broker-J holds others as JSON in a
string; these are scanned within.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from transpiler.jsontext import JSON_TOKEN
from transpiler.lint.embedded.mapped_text import MappedText, decoded
from transpiler.lint.embedded.selector_places import find_place, names_of
from transpiler.lint.embedded.selector_text import InFile, find_in_text, found, within

_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
#: Members whose text may be JSON itself.
_NESTED = frozenset({"defaultFilters", "virtualHostInitialConfiguration"})
_MAX_DEPTH = 4


def find_in_json(text: str, depth: int = 0) -> Iterator[InFile]:
    """Yield the selectors of a JSON text, which is taken to be valid."""
    levels: list[_Level] = []
    for token in JSON_TOKEN.finditer(text):
        mark = token[0]
        if mark in ("{", "["):
            levels.append(_Level(is_object=mark == "{"))
        elif mark in ("}", "]"):
            if levels:
                levels.pop()
        elif mark == ",":
            if levels:
                levels[-1].expects_key = levels[-1].is_object
        elif mark == ":":
            if levels:
                levels[-1].expects_key = False
        elif levels and mark[0] == '"':
            value = decoded(mark[1:-1], token.start() + 1, _ESCAPE, _character)
            if levels[-1].expects_key:
                levels[-1].key = value.text
            else:
                yield from _value(value, [level.key for level in levels if level.key is not None], depth)


@dataclass(slots=True)
class _Level:
    """An open object or array: the last key, and whether a string is the next one."""

    is_object: bool
    key: str | None = None
    expects_key: bool = False

    def __post_init__(self) -> None:
        self.expects_key = self.is_object


def _value(value: MappedText, path: list[str], depth: int) -> Iterator[InFile]:
    if path and path[-1] in _NESTED and depth < _MAX_DEPTH and value.text.lstrip().startswith("{"):
        yield from within(find_in_json(value.text, depth + 1), value, lambda text: escape(escape(text)))
        return
    place = find_place(names_of(path))
    if place is None:
        yield from find_in_text(value, None, escape)
    else:
        yield from found(value, place.dialect, escape)


def escape(text: str) -> str:
    """Return a text as it stands in a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _character(match: re.Match[str]) -> str:
    character: str = json.loads(f'"{match[0]}"')
    return character
