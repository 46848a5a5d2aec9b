"""Recognition of a file's format, by its name or its first record, and the records of the file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import PurePath
from typing import Literal

from transpiler.tools.message_files.artemis_export import artemis_export
from transpiler.tools.message_files.broker_answers import messages_of
from transpiler.tools.message_files.browse_text import FIELD, browse_text
from transpiler.tools.message_files.csv_records import HEADER, csv_records
from transpiler.tools.message_files.file_lines import Lines, file_lines
from transpiler.tools.message_files.json_values import is_cut, json_values
from transpiler.tools.message_files.record import BLANK, NumberedLines, Record
from transpiler.tools.message_files.record_errors import Errors
from transpiler.tools.message_files.tracing_text import tracing_text

#: The formats that a caller can name. Every other format is detected from the file's contents.
RecordForm = Literal["json", "csv"]

#: Maximum number of lines that ``activemq browse`` prints before the first message, such as log lines.
_PREAMBLE = 200


def records(file: str, form: RecordForm | None, errors: Errors, opened: Lines = file_lines) -> Iterator[Record]:
    """Yield the records of ``file``. If ``form`` is None, the file name or the first record identifies the format."""
    for record in _records(file, opened(file, errors.reported), form or _form(file), errors):
        if record.cells is None:
            yield from messages_of(record, errors)
        else:
            yield record


def _records(file: str, lines: NumberedLines, form: RecordForm | None, errors: Errors) -> Iterator[Record]:
    first = next(((number, line) for number, line in lines if form == "csv" or line.strip()), None)
    if first is None:
        return iter(())
    text, lines = first[1].strip(BLANK), chain([first], lines)
    if form == "csv" or (form is None and HEADER.fullmatch(text)):
        return csv_records(file, lines, errors)
    if set(text) == {"="}:
        return tracing_text(file, lines, errors)
    if text.startswith("[") or (text.startswith("{") and is_cut(text)):
        return json_values(file, list(lines), errors)
    if text.startswith("<"):
        return artemis_export(file, lines, errors)
    if not text.startswith("{"):
        preamble = list(islice(lines, _PREAMBLE))
        lines = chain(preamble, lines)
        if any(FIELD.match(line) for _, line in preamble):
            return browse_text(file, lines)
    return (Record(file, number, line) for number, line in lines if line.strip())


def _form(file: str) -> RecordForm | None:
    suffixes = [suffix.lower() for suffix in PurePath(file.removesuffix(".gz")).suffixes]
    known: dict[str, RecordForm] = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
    return known.get("".join(suffixes[-1:]))
