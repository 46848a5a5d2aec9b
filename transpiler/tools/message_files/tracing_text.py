"""RabbitMQ's tracing log in text format: each entry is converted to the JSON form of the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain

from transpiler.base.errors import DecodeError
from transpiler.message.rabbitmq_trace import TEXT_ENTRY, text_entry
from transpiler.tools.message_files.record import NumberedLines, Record
from transpiler.tools.message_files.record_errors import Errors, RecordError, at_location, location_of


def tracing_text(file: str, lines: NumberedLines, errors: Errors) -> Iterator[Record]:
    """Yield a record for each entry of a tracing log in text format."""
    entry: list[tuple[int, str]] = []
    for number, line in chain(lines, [(0, ": Message published")]):
        if TEXT_ENTRY.search(line) and (not number or (entry and set(entry[-1][1]) == {"="})):
            if number:
                entry.pop()
            record = errors.attempt(_record, file, entry) if entry else None
            if record is not None:
                yield record
            entry = []
        entry.append((number, line))


def _record(file: str, entry: list[tuple[int, str]]) -> Record:
    number = entry[0][0]
    try:
        data = text_entry("\n".join(text for _, text in entry))
    except DecodeError as error:
        finding = error.diagnostics[0]
        if finding.source is None or finding.span is None:
            raise at_location(location_of(file, number), error) from None
        line, column = finding.source.position(finding.span.start)
        location = location_of(file, number + line - 1, column)
        raise RecordError(f"{location}: {finding.code}: {finding.message}", error.diagnostics) from None
    return Record(file, number, json.dumps(data, ensure_ascii=False), value=data)
