"""The output of ``activemq browse``: a line for each field of a message, and a blank line behind the last.

All values are text, so a property has its type by use, as a cell of CSV has. A text goes on in lines that begin with no
field. What the command prints before the first message, such as where it runs, is no part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.tools.message_files.record import NumberedLines, Record

#: A field: where it belongs, its name, and its text or the beginning of it.
FIELD = re.compile(r"JMS_(HEADER|CUSTOM|BODY)_FIELD:(\S+) =(?: (.*))?", re.DOTALL)

#: The field of a text message's body.
_TEXT = "JMSText"

#: The names of the delivery modes in JMS.
_MODES = {"persistent": "PERSISTENT", "non-persistent": "NON_PERSISTENT"}


def browse_text(file: str, lines: NumberedLines) -> Iterator[Record]:
    """Yield the messages of a browse."""
    message = _Message(file)
    blank = False
    for number, line in lines:
        found = FIELD.match(line)
        if found is None:
            message.go_on(line)
        else:
            if message.fields and (blank or (found[1], found[2]) in message.fields):
                yield message.record()
                message = _Message(file)
            message.add(number, line, found)
        blank = not line.strip()
    if message.fields:
        yield message.record()


class _Message:
    def __init__(self, file: str) -> None:
        self._file, self._line = file, 0
        self._lines: list[str] = []
        self._last: tuple[str, str] | None = None
        self.fields: dict[tuple[str, str], str] = {}

    def add(self, number: int, line: str, found: re.Match[str]) -> None:
        """Add a field in a line of its own."""
        self._line = self._line or number
        self._last = found[1], found[2]
        self.fields[self._last] = found[3] or ""
        self._lines.append(line)

    def go_on(self, line: str) -> None:
        """Add a line to the text of the last field, if there is one."""
        if self._last is not None:
            self.fields[self._last] += f"\n{line}"
            self._lines.append(line)

    def record(self) -> Record:
        """Return the message; blank lines behind it are no part of its last text."""
        if self._last is not None:
            self.fields[self._last] = self.fields[self._last].rstrip("\n")
        cells = {name: text for (kind, name), text in self.fields.items() if kind != "BODY"}
        mode = cells.get("JMSDeliveryMode", "")
        cells |= {"JMSDeliveryMode": _MODES[mode]} if mode in _MODES else {}
        text = "\n".join(self._lines).rstrip("\n") + "\n"
        return Record(self._file, self._line, text, cells, body=self.fields.get(("BODY", _TEXT)))
