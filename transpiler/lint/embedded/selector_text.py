"""A selector in a file, and the error for a file that does not read."""

from __future__ import annotations

from typing import NamedTuple

from transpiler.lint.embedded.mapped_text import MappedText


class FoundSelector(NamedTuple):
    """A selector, its place, and its dialect where the file says whose it is."""

    mapped: MappedText
    dialect: str | None = None


class UnreadableError(ValueError):
    """The file is not what its name says; ``offset`` is where, if that is known."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset
