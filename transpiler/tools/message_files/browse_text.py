"""The output of ``activemq browse``: a line for each field of a message, and a blank line after the last field.

All values are text, so the type of a property depends on its use in the selector, as for a CSV cell. A text may
continue on lines that do not begin with a field. Lines that the command prints before the first message are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.tools.message_files.record import NumberedLines, Record

#: The first line of a field in the output: the field's section, its name, and (the beginning of) its text.
FIELD = re.compile(r"JMS_(HEADER|CUSTOM|BODY)_FIELD:(\S+) =(?: (.*))?", re.DOTALL)

#: The field with the body of a text message.
_TEXT = "JMSText"

#: The JMS name of each delivery mode that ``activemq browse`` prints.
_MODES = {"persistent": "PERSISTENT", "non-persistent": "NON_PERSISTENT"}


def browse_text(file: str, lines: NumberedLines) -> Iterator[Record]:
    """Yield a record for each message in the output of ``activemq browse``."""
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
        """Add the field that begins on ``line``, the line with this ``number``; ``found`` is the match of ``FIELD``."""
        self._line = self._line or number
        self._last = found[1], found[2]
        self.fields[self._last] = found[3] or ""
        self._lines.append(line)

    def go_on(self, line: str) -> None:
        """Append ``line``, which begins no field, to the text of the last field; ignore it before the first field."""
        if self._last is not None:
            self.fields[self._last] += f"\n{line}"
            self._lines.append(line)

    def record(self) -> Record:
        """Return the record of the message; blank lines at the end do not belong to its last field."""
        if self._last is not None:
            self.fields[self._last] = self.fields[self._last].rstrip("\n")
        cells = {name: text for (kind, name), text in self.fields.items() if kind != "BODY"}
        mode = cells.get("JMSDeliveryMode", "")
        cells |= {"JMSDeliveryMode": _MODES[mode]} if mode in _MODES else {}
        text = "\n".join(self._lines).rstrip("\n") + "\n"
        return Record(self._file, self._line, text, cells, body=self.fields.get(("BODY", _TEXT)))
