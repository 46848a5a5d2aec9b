"""Comments that mark a selector, and comments that ignore rules.

``# selector`` marks the text in quotes on its line or behind it, and ``# selector[artemis]`` says its dialect too.
``# selector-sql: ignore`` ignores all rules on its line, or on the next line where it stands alone, and
``# selector-sql: ignore[lint.repeated, type]`` some of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transpiler.base.source import Span

_MARKER = re.compile(r"\s*(?:jms[ -]?)?selector(?:\[(?P<dialect>[\w-]+)\])?\s*:?\s*(?:\*/|-->)?\s*", re.IGNORECASE)
_IGNORE = re.compile(r"selector-sql:\s*ignore(?:\[(?P<rules>[^\]\n]*)\])?", re.IGNORECASE)
#: A line that is a comment and nothing else, in any of the languages.
_COMMENT_LINE = re.compile(r"\s*(?:#|//|/\*|\*|--|<!--|!|;)")


def read_marker(comment: str) -> tuple[bool, str | None]:
    """Return True if the text of a comment marks a selector, and the dialect that it says."""
    match = _MARKER.fullmatch(comment)
    return match is not None, match["dialect"] if match else None


class IgnoreComment(NamedTuple):
    """A comment that ignores rules; without any, all of them."""

    rules: tuple[str, ...]
    span: Span


class IgnoreComments:
    """The comments of a file that ignore rules, by their lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._comments = dict(_find(lines))

    def __bool__(self) -> bool:
        return bool(self._comments)

    def __iter__(self) -> Iterator[tuple[int, IgnoreComment]]:
        """Yield the comments with the numbers of their lines, from 1."""
        return iter(self._comments.items())

    def at(self, line: int) -> Iterator[IgnoreComment]:
        """Yield the comments that apply to a line: its own, and one that fills the line before."""
        if line in self._comments:
            yield self._comments[line]
        before = self._comments.get(line - 1)
        if before is not None and _COMMENT_LINE.match(self._lines[line - 2]):
            yield before


def _find(lines: Sequence[str]) -> Iterator[tuple[int, IgnoreComment]]:
    for number, line in enumerate(lines, 1):
        match = _IGNORE.search(line) if "selector-sql" in line else None
        if match:
            rules = tuple(rule.strip() for rule in (match["rules"] or "").split(",") if rule.strip())
            yield number, IgnoreComment(rules, Span(*match.span()))


def without_ignore(line: str) -> str:
    """Return a line of a selector file without a comment at its end that ignores rules."""
    match = _IGNORE.search(line) if "selector-sql" in line else None
    if match is None:
        return line
    before = line[: match.start()].rstrip()
    return before[:-1].rstrip() if before.endswith("#") else line
