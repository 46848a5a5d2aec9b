"""Records of files of messages, each with its place: JSON, one a line or on several, in an array or not; CSV; text.

A file is CSV if its name says so, or the option, or its first line, which has the names of the columns. The text form
of RabbitMQ's tracing log begins with a rule, and its entries are records in their JSON form. A byte order mark, CRLF
and a compressed file (.gz) make no difference.
"""

from __future__ import annotations

import csv
import io
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import accumulate, chain
from json import JSONDecodeError, JSONDecoder
from pathlib import PurePath
from typing import Any, NamedTuple

from transpiler import TranspilerError
from transpiler.cli.group import CommandError, click, fail
from transpiler.cli.inputs import input_lines, shown
from transpiler.diagnostics import one_line
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.message.operand_types import OperandType
from transpiler.message.rabbitmq_trace import TEXT_ENTRY, text_entry
from transpiler.source import Source

_BLANK = " \t\r\n"

_DECODER = JSONDecoder()


#: Opens the lines of a file, each with its number; the guard is entered to decode one.
Lines = Callable[[str, Callable[[], AbstractContextManager[None]]], Iterator[tuple[int, str]]]

#: The names of two columns or more, where the name of the file does not say that it is CSV.
_HEADER = re.compile(r'"?[\w.$:-]+"?(?:,"?[\w.$:-]+"?)+\s*', re.ASCII)


class Record(NamedTuple):
    """One message of an input: its place, its text as it is printed, and the cells of a row of CSV with its header."""

    file: str
    line: int
    text: str
    cells: dict[str, str] | None = None
    header: str | None = None


@dataclass
class Errors:
    """Records that cannot be read: the first ends the command, unless it goes on."""

    keep_going: bool
    count: int = field(default=0, init=False)

    @contextmanager
    def told(self) -> Iterator[None]:
        """Tell an error on standard error, and go on, where the command does so."""
        try:
            yield
        except CommandError as error:
            if not self.keep_going:
                raise
            self.count += 1
            click.echo(error.message, err=True)

    def finish(self) -> None:
        """End the command with exit code 2 if there was an error."""
        if self.count:
            fail(f"{self.count:,} bad {'record was' if self.count == 1 else 'records were'} left out")


def records(file: str, form: str | None, errors: Errors, opened: Lines = input_lines) -> Iterator[Record]:
    """Yield the records of a file, whose form its name shows, or its first record."""
    lines = opened(file, errors.told)
    form = form or _form(file)
    first = next(((number, line) for number, line in lines if form == "csv" or line.strip()), None)
    if first is None:
        return
    text, lines = first[1].strip(_BLANK), chain([first], lines)
    if form == "csv" or (form is None and _HEADER.fullmatch(text)):
        yield from _csv_records(file, lines, errors)
    elif set(text) == {"="}:
        yield from _text_entries(file, lines, errors)
    elif text.startswith("[") or (text.startswith("{") and _is_cut(text)):
        yield from _values(file, list(lines), errors)
    elif text.startswith("<"):
        fail(f"{shown(file)} is XML: selector-spark reads the export of Artemis, with --layout artemis-xml")
    else:
        yield from (Record(file, number, line) for number, line in lines if line.strip())


def _form(file: str) -> str | None:
    suffixes = [suffix.lower() for suffix in PurePath(file.removesuffix(".gz")).suffixes]
    return {".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}.get("".join(suffixes[-1:]))


def _is_cut(text: str) -> bool:
    """Return True for the beginning of an object that goes on in the next line."""
    try:
        _DECODER.raw_decode(text)
    except JSONDecodeError as error:
        return error.pos >= len(text)
    except (ValueError, RecursionError):
        pass
    return False


def _text_entries(file: str, lines: Iterator[tuple[int, str]], errors: Errors) -> Iterator[Record]:
    """Yield the entries of a tracing log in text, each in its JSON form."""
    entry: list[tuple[int, str]] = []
    for number, line in chain(lines, [(0, ": Message published")]):
        if TEXT_ENTRY.search(line) and (not number or (entry and set(entry[-1][1]) == {"="})):
            if number:
                entry.pop()
            if entry:
                with errors.told():
                    try:
                        data = text_entry("\n".join(text for _, text in entry))
                    except TranspilerError as error:
                        fail(f"{shown(file)}:{entry[0][0]}: {error}")
                    yield Record(file, entry[0][0], json.dumps(data, ensure_ascii=False))
            entry = []
        entry.append((number, line))


def _values(file: str, lines: list[tuple[int, str]], errors: Errors) -> Iterator[Record]:
    """Yield the elements of a JSON array, or objects of several lines that stand one behind the other."""
    numbers = [number for number, _ in lines]
    source = Source("\n".join(line for _, line in lines), file)
    text = source.text
    starts = list(accumulate((len(line) + 1 for _, line in lines), initial=0))
    place = _skip(text, 0)
    in_array = text[place] == "["
    place = _skip(text, place + in_array)
    done = in_array and text[place : place + 1] == "]"
    while not done:
        try:
            _, end = _DECODER.raw_decode(text, place)
        except JSONDecodeError as error:
            _refuse(source, numbers, error.pos, f"this is not JSON: {error.msg}", errors)
            return
        except (ValueError, RecursionError):
            _refuse(source, numbers, place, "this is not JSON that can be read", errors)
            return
        # To count lines from the beginning for each element would take the square of their number.
        yield Record(file, numbers[bisect_right(starts, place) - 1], text[place:end])
        place = _skip(text, end)
        mark = text[place : place + 1]
        done = mark == ("]" if in_array else "")
        if in_array and mark == ",":
            place = _skip(text, place + 1)
        elif in_array and not done:
            _refuse(source, numbers, place, "this is not JSON: expected a comma or the end of the array", errors)
            return
    if (rest := _skip(text, place + 1)) < len(text):
        _refuse(source, numbers, rest, "there is text behind the array", errors)


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in _BLANK:
        place += 1
    return place


def _refuse(source: Source, numbers: list[int], place: int, message: str, errors: Errors) -> None:
    line, column = source.position(min(place, len(source.text)))
    with errors.told():
        fail(f"{shown(source.name)}:{numbers[min(line, len(numbers)) - 1]}:{column}: {message}")


class _Kept:
    """The lines that a reader of CSV has taken since the last record."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self._lines = lines
        self.taken: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[str]:
        for number, line in self._lines:
            self.taken.append((number, line))
            yield line + "\n"


def _csv_records(file: str, lines: Iterator[tuple[int, str]], errors: Errors) -> Iterator[Record]:
    kept = _Kept(lines)
    # A quote in a quoted text is doubled: RFC 4180.
    reader = csv.reader(kept, strict=True)
    names: list[str] = []
    header = ""
    while True:
        kept.taken.clear()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            number = kept.taken[0][0] if kept.taken else 1
            with errors.told():
                fail(f"{shown(file)}:{number}: this is not CSV: {one_line(str(error))}")
            reader = csv.reader(kept, strict=True)
            continue
        if cells is None:
            return
        if not cells:
            continue
        number, text = kept.taken[0][0], "\n".join(line for _, line in kept.taken)
        if not names:
            names = cells
            if len(set(names)) < len(names) or "" in names:
                fail(f"{shown(file)}:{number}: a header of CSV names each column once: {one_line(text)}")
            if len(names) == 1 and (found := re.search(r"\w([;\t|])\w", text)):
                fail(f"{shown(file)}:{number}: commas separate the cells of CSV, and here it is {found[1]!r}")
            header = text
        elif len(cells) != len(names):
            with errors.told():
                fail(f"{shown(file)}:{number}: {len(cells)} cells, and the header has {len(names)} names")
        else:
            # An empty cell is an absent value.
            present = {name: cell for name, cell in zip(names, cells, strict=True) if cell}
            yield Record(file, number, text, present, header)


def compact(text: str) -> str:
    """Return a JSON text on one line; strings have no line ends in JSON."""
    return " ".join(line.strip() for line in io.StringIO(text)) if "\n" in text else text


def typed_cells(cells: Mapping[str, str], types: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of CSV with the numbers and booleans that the types of a schema have."""
    return {name: _typed(cell, types.get(name)) for name, cell in cells.items()}


def _typed(cell: str, spark_type: Any) -> Any:
    kind = spark_type.split("(")[0] if isinstance(spark_type, str) else ""
    try:
        if kind in ("byte", "short", "integer", "long"):
            return int(cell)
        if kind in ("float", "double"):
            return float(cell)
    except ValueError:
        return cell
    return {"true": True, "false": False}.get(cell.lower(), cell) if kind == "boolean" else cell


#: The header fields that are text, whatever it looks like. A delivery mode may be a number.
_TEXTS = frozenset(
    name for name, field in JMS_FIELDS.table.items() if field.type is OperandType.STRING and name != "JMSDeliveryMode"
)


def header_value(name: str, cell: str) -> Any:
    """Return the value of a header field in a cell of CSV: a number or a boolean where the field is no text."""
    if name in _TEXTS:
        return cell
    try:
        return int(cell)
    except ValueError:
        return {"true": True, "false": False}.get(cell.lower(), cell)
