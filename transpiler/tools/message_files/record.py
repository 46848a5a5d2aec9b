"""The record of one message in a file, before it is converted to a ``Message``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from transpiler.tools.message_files.record_errors import location_of

#: The lines of a file that are still to be read, each with its number.
NumberedLines = Iterator[tuple[int, str]]

#: The white space characters of JSON.
BLANK = " \t\r\n"


class Record(NamedTuple):
    """One message of a file before it is decoded: its location, its text, and its content in one of several forms.

    - ``text`` is printed for the message.
    - ``cells`` contains text values by name, for a row of CSV or a message with text properties only. A row of CSV also
      has the file's ``header`` line and the column ``names``.
    - ``value`` is the parsed JSON of ``text``; None if it is not parsed yet, or if there are ``cells``.
    - ``body`` is the text of the body if no cell contains it.
    - ``layout`` is the name of the row's layout, None if it is unknown.
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
    def location(self) -> str:
        """The file and the line of the record, in the form for errors: ``messages.jsonl:3``."""
        return location_of(self.file, self.line)
