"""Search for the locations of values in a document, by paths such as ``bindings[0].arguments.x-match``.

A path has a dot before the name of a member, and brackets around the index of an item, from 0. Python's decoder skips
values that are not on the path, so that the last of a million bindings is found in a second or two.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping

from transpiler.base.documents.located_values import Node
from transpiler.base.source import Span

_SKIP = json.JSONDecoder().raw_decode
_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"\[([0-9]+)\]")


def locations_in_json(text: str, paths: Collection[str]) -> dict[str, Span]:
    """Return the location of each of ``paths`` in valid JSON.

    If a path does not exist in the document, its location is that of the innermost existing value around it.
    """
    walk = _Walk(text)
    walk.value(len(text) - len(text.lstrip()), "", sorted(paths))
    return {path: span for path, (_, span) in walk.found.items()}


def locations_in_node(document: Node, paths: Collection[str]) -> dict[str, Span]:
    """Return the location of each path in ``document``, or else that of the innermost value around it."""
    return {path: _location(document, path) for path in paths}


def _location(node: Node, rest: str) -> Span:
    while True:
        inner = _step(node, rest)
        if inner is None:
            return node.span
        node, rest = inner


def _step(node: Node, rest: str) -> tuple[Node, str] | None:
    match node.value:
        case tuple() as items:
            number = _NUMBER.match(rest)
            if number is not None and int(number[1]) < len(items):
                return items[int(number[1])], rest[number.end() :].removeprefix(".")
        case Mapping() as members:
            names = [name for name in members if _contains_path(name, rest)]
            if names:
                name = max(names, key=len)
                return members[name], rest[len(name) :].removeprefix(".")
    return None


def _contains_path(step: str, rest: str) -> bool:
    """Return True if ``rest`` is the path ``step``, or a path inside it, such as ``step.key`` or ``step[0]``."""
    return rest.startswith(step) and rest[len(step) : len(step) + 1] in ("", ".", "[")


def _beginning_with(step: str, paths: list[str]) -> Iterator[str]:
    """Yield the elements of the sorted list ``paths`` that begin with the text ``step``."""
    at = bisect_left(paths, step)
    while at < len(paths) and paths[at].startswith(step):
        yield paths[at]
        at += 1


class _Walk:
    """One pass over a valid JSON text that finds the location of each of the given paths."""

    def __init__(self, text: str) -> None:
        self._text = text
        #: For each path: the length of the longest part of it that exists in the document, and the location of the
        #: value there.
        self.found: dict[str, tuple[int, Span]] = {}

    def value(self, at: int, own: str, paths: list[str]) -> int:
        """Record the location of the value at offset ``at``, whose path is ``own``; return the offset after it.

        ``paths`` are the sorted paths of this value and of values inside it. They get this value's location, until the
        location of an inner value replaces it.
        """
        text = self._text
        end: int = _SKIP(text, at)[1]
        for path in paths:
            if len(own) > self.found.get(path, (-1,))[0]:
                self.found[path] = (len(own), Span(at, end))
        inside = [path for path in paths if path != own]
        if inside and text[at] == "{":
            self._members(at, own, inside)
        elif inside and text[at] == "[":
            self._items(at, own, inside)
        return end

    def _members(self, at: int, own: str, paths: list[str]) -> None:
        at = self._behind_space(at + 1)
        while self._text[at] != "}":
            name, at = _SKIP(self._text, at)
            at = self._behind_space(self._behind_space(at) + 1)
            step = f"{own}.{name}" if own else name
            at = self._next(at, step, [path for path in _beginning_with(step, paths) if _contains_path(step, path)])

    def _items(self, at: int, own: str, paths: list[str]) -> None:
        wanted: dict[int, list[str]] = {}
        for path in paths:
            number = _NUMBER.match(path, len(own))
            if number is not None:
                wanted.setdefault(int(number[1]), []).append(path)
        at = self._behind_space(at + 1)
        for item in range(max(wanted, default=-1) + 1):
            if self._text[at] == "]":
                break
            at = self._next(at, f"{own}[{item}]", wanted.get(item, []))

    def _next(self, at: int, step: str, paths: list[str]) -> int:
        """Process the item or member at offset ``at``, whose path is ``step``; return the offset of the next one.

        ``paths`` are the paths to locate inside it. After the last item, the result is the offset of the closing
        bracket.
        """
        end = self._behind_space(self.value(at, step, paths) if paths else _SKIP(self._text, at)[1])
        return self._behind_space(end + 1) if self._text[end] == "," else end

    def _behind_space(self, at: int) -> int:
        if self._text[at : at + 1] > " ":
            return at
        match = _SPACE.match(self._text, at)
        return at if match is None else match.end()
