"""Selector files: one selector a line; an empty line, or one that begins with #, is none."""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.lint.embedded.mapped_text import plain
from transpiler.lint.embedded.markers import without_ignore
from transpiler.lint.embedded.selector_text import FoundSelector, InFile


def find_in_lines(text: str) -> Iterator[InFile]:
    """Yield the selectors of a selector file."""
    start = 0
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            yield FoundSelector(plain(without_ignore(line), start))
        start += len(line) + 1
