"""One message of a file, as it was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from transpiler.tools.message_files.record_errors import place_of

#: Lines of a file that are left to read, each with its number.
NumberedLines = Iterator[tuple[int, str]]

#: White space of JSON.
BLANK = " \t\r\n"


class Record(NamedTuple):
    """One message of a file: its place, its text as it is printed, and what it holds.

    ``cells`` are texts by their names, of a row of CSV or of a message whose properties are all text; ``header`` and
    ``names`` are those of the file of CSV. ``value`` is the value of the text in JSON, where it is known already, and
    ``body`` the text of a message's body that no cell has. ``layout`` names that of the row, where the form shows it.
    """

    file: str
    line: int
    text: str
    cells: dict[str, str] | None = None
    header: str | None = None
    names: list[str] | None = None
    value: Any = None
    body: str | None = None
    layout: str | None = None

    @property
    def place(self) -> str:
        """Return the file and the line, as errors name them."""
        return place_of(self.file, self.line)
