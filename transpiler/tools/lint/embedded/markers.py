"""Comments that mark a selector, and comments that ignore rules.

``# selector`` marks the string literal on its line or after it as a selector; ``# selector[artemis]`` also gives its
dialect. ``# selector-sql: ignore`` ignores all rules on its line, or on the next line if the comment is alone on its
line; ``# selector-sql: ignore[lint.repeated, type]`` ignores only these rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transpiler.base.source import Span

_MARKER = re.compile(r"\s*(?:jms[ -]?)?selector(?:\[(?P<dialect>[\w-]+)\])?\s*:?\s*(?:\*/|-->)?\s*", re.IGNORECASE)
_IGNORE = re.compile(r"selector-sql:\s*ignore(?:\[(?P<rules>[^\]\n]*)\])?", re.IGNORECASE)
#: The beginning of a line that is only a comment, in any of the supported languages.
_COMMENT_LINE = re.compile(r"\s*(?:#|//|/\*|\*|--|<!--|!|;)")


def read_marker(comment: str) -> tuple[bool, str | None]:
    """Return True if ``comment`` marks a selector, with the dialect that it names or None; else False and None."""
    match = _MARKER.fullmatch(comment)
    return match is not None, match["dialect"] if match else None


class IgnoreComment(NamedTuple):
    """A comment that suppresses findings of ``rules`` on a line; if ``rules`` is empty, findings of all rules."""

    rules: tuple[str, ...]
    span: Span


class IgnoreComments:
    """The comments of a file that suppress findings, by line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._comments = dict(_find(lines))

    def __bool__(self) -> bool:
        return bool(self._comments)

    def __iter__(self) -> Iterator[tuple[int, IgnoreComment]]:
        """Yield each comment with the number of its line, counted from 1."""
        return iter(self._comments.items())

    def at(self, line: int) -> Iterator[IgnoreComment]:
        """Yield the comments that apply to ``line``: the comment on it, and one that is alone on the line before."""
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
    """Return ``line``, a line of a selector file, without the comment at its end that suppresses findings, if any."""
    match = _IGNORE.search(line) if "selector-sql" in line else None
    if match is None:
        return line
    before = line[: match.start()].rstrip()
    return before[:-1].rstrip() if before.endswith("#") else line
