"""The XML of ``artemis data exp`` and ``artemis consumer --data``: each message becomes a row of ``artemis-xml``.

The file is parsed while it is read. A document that declares an entity is rejected, because an export never does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from xml.parsers import expat

from transpiler.base.diagnostics import one_line
from transpiler.tools.message_files.record import NumberedLines, Record
from transpiler.tools.message_files.record_errors import Errors, location_of, refuse

_LAYOUT = "artemis-xml"

#: The root elements of an export of a journal, and of the messages of a queue.
_ROOTS = ("activemq-journal", "messages")

#: The attributes of a message that are numbers.
_NUMBERS = frozenset({"id", "priority", "expiration", "timestamp"})

#: The column of a record with the names of the queues in which the broker still has the message.
QUEUES = "routed_queues"


def artemis_export(file: str, lines: NumberedLines, errors: Errors) -> Iterator[Record]:
    """Yield a record for each message of an XML export of Artemis.

    If the file is cut off, report an error at its end.
    """
    export = _Export(file)
    last = 1
    for number, line in lines:
        last = number
        found = errors.attempt(export.parse, number, line + "\n")
        if found is None:
            return
        yield from found
    errors.attempt(export.parse, last, "", last=True)


class _Export:
    def __init__(self, file: str) -> None:
        self._file = file
        self._number = 1
        self._found: list[Record] = []
        self._row: dict[str, Any] | None = None
        self._start_line = 1
        self._body: list[str] | None = None
        self._is_root = True
        parser = self._parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity

    def parse(self, number: int, text: str, *, last: bool = False) -> list[Record]:
        """Parse ``text``, the line ``number``, and return the records of the messages that end on this line.

        ``last`` is True if the file ends here.
        """
        self._number, self._found = number, []
        try:
            self._parser.Parse(text, last)
        except expat.ExpatError as error:
            location = location_of(self._file, number, error.offset + 1)
            refuse(location, f"this is not well-formed XML: {expat.ErrorString(error.code)}")
        return self._found

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._is_root:
            self._is_root = False
            if name not in _ROOTS:
                why = f"<{one_line(name)}> is XML, and no export of Artemis: it begins with <{_ROOTS[0]}>"
                refuse(location_of(self._file, self._number), why)
        elif name == "message":
            self._start_line = self._number
            self._row = {f"_{key}": _number(value) if key in _NUMBERS else value for key, value in attributes.items()}
            self._row |= {"properties": {"property": []}, QUEUES: []}
        elif self._row is not None:
            own = {f"_{key}": value for key, value in attributes.items()}
            if name == "property":
                self._row["properties"]["property"].append(own)
            elif name == "queue":
                self._row[QUEUES].append(attributes.get("name"))
            elif name == "body":
                self._body = []

    def _end(self, name: str) -> None:
        if name == "body" and self._row is not None and self._body is not None:
            self._row["body"] = "".join(self._body).strip()
            self._body = None
        elif name == "message" and self._row is not None:
            text = json.dumps(self._row, ensure_ascii=False)
            self._found.append(Record(self._file, self._start_line, text, value=self._row, layout=_LAYOUT))
            self._row = None

    def _characters(self, text: str) -> None:
        if self._body is not None:
            self._body.append(text)

    def _entity(self, *_: object) -> None:
        refuse(location_of(self._file, self._number), "the document declares an entity, which no export does")


def _number(text: str) -> object:
    """Return ``text`` as an integer, or unchanged if it is not an integer: the types of the row are checked later."""
    with suppress(ValueError):
        return int(text)
    return text
