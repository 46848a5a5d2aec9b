"""The reader of every command that takes messages: files in any form, one message after the other.

The first record of a file shows its form: JSON, one a line or on several, in an array or not; CSV, whose first line has
the names of the columns; the text form of RabbitMQ's tracing log, whose entries are records in their JSON form. A byte
order mark, CRLF and a compressed file (.gz) make no difference. Each object shows what it is (``message_from_json``),
unless the options name a layout: then the objects are its rows. Exchange, keys and recorded queues stand beside a
message, or in a row; only a command that asks for them reads them. What is no message ends the command with its place,
or is told of.
"""

from __future__ import annotations

import csv
import io
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, chain
from json import JSONDecodeError, JSONDecoder
from pathlib import PurePath
from typing import Any, NamedTuple, ParamSpec, TypeVar

from transpiler import DecodeError, Message, Topology, TranspilerError
from transpiler.base.diagnostics import one_line
from transpiler.base.source import Source
from transpiler.cli.group import CommandError, click, fail
from transpiler.cli.inputs import check_input, input_lines, shown
from transpiler.cli.layouts import ChosenLayout
from transpiler.cli.options import load_json_line
from transpiler.compiler.layouts.json_rows import check_columns, message_from_json, message_from_json_row
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.publication import documented, names_exchange
from transpiler.compiler.layouts.store import StoreLayout, refuse_unchosen, store_of
from transpiler.compiler.stores.own import csv as csv_layout
from transpiler.compiler.stores.own import unreadable_cell
from transpiler.message.message import are_application_properties
from transpiler.message.publication import EXCHANGE, ROUTING_KEYS, Sent, sent_in, texts_in
from transpiler.message.rabbitmq_trace import TEXT_ENTRY, entry_message, is_delivery, is_entry, text_entry
from transpiler.topology.destinations import ROUTING_TYPES
from transpiler.topology.publishing import own_default

_BLANK = " \t\r\n"

_DECODER = JSONDecoder()

#: Opens the lines of a file, each with its number; the guard is entered to decode one.
Lines = Callable[[str, Callable[[], AbstractContextManager[None]]], Iterator[tuple[int, str]]]

#: The names of two columns or more, where the name of the file does not say that it is CSV.
_HEADER = re.compile(r'"?[\w.$:-]+"?(?:,"?[\w.$:-]+"?)+\s*', re.ASCII)


_Value = TypeVar("_Value")
_Given = ParamSpec("_Given")

keep_going_option = click.option(
    "--keep-going", is_flag=True, help="Tell of bad records and leave them out; the exit code is 2 then."
)


class Record(NamedTuple):
    """One message of an input: its place, its text as it is printed, and the cells of a row of CSV with its header."""

    file: str
    line: int
    text: str
    cells: dict[str, str] | None = None
    header: str | None = None
    names: list[str] | None = None


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

    def attempt(self, read: Callable[_Given, _Value], *given: _Given.args, **named: _Given.kwargs) -> _Value | None:
        """Return what a function returns; None where its error was told, and the record is left out."""
        with self.told():
            return read(*given, **named)
        return None

    def finish(self) -> None:
        """End the command with exit code 2 if there was an error; the last thing that a command says."""
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
            yield Record(file, number, text, present, header, names)


def compact(text: str) -> str:
    """Return a JSON text on one line; strings have no line ends in JSON."""
    return " ".join(line.strip() for line in io.StringIO(text)) if "\n" in text else text


def _boolean(cell: str) -> bool:
    return {"true": True, "false": False}[cell.lower()]


#: The readings of cells by the types of a schema, in Spark's JSON form without their parameters.
_READINGS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), int),
    **dict.fromkeys(("float", "double"), float),
    "boolean": _boolean,
}


def _as_first(cell: str, *readings: Callable[[str], Any]) -> Any:
    """Return a cell by the first of some readings that it has, or as text."""
    for reading in readings:
        with suppress(ValueError, KeyError):
            return reading(cell)
    return cell


def _typed_cells(cells: Mapping[str, str], types: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of CSV with the numbers and booleans that the types of a schema have."""
    readings = {name: _READINGS.get(kind.split("(")[0], str) for name, kind in types.items() if isinstance(kind, str)}
    return {name: _as_first(cell, readings.get(name, str)) for name, cell in cells.items()}


#: Events of AWS Lambda by their member with messages: the layout of these, and the filter of jq that takes them out.
_EVENTS = {
    "messages": ("aws-activemq", ".messages[]"),
    "rmqMessagesByQueue": ("aws-rabbitmq", ".rmqMessagesByQueue[][]"),
}


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message, the record that it was read from, and the record's object."""

    record: Record
    value: Mapping[str, Any]
    message: Message
    #: The layout of a row; None for an object that shows what it is.
    layout: Layout | None = None

    @property
    def place(self) -> str:
        """Return the file and the line, as errors name them."""
        return f"{shown(self.record.file)}:{self.record.line}"

    @property
    def vhost(self) -> str | None:
        """Return the virtual host that an entry of a log names."""
        name = self.value.get("vhost") if is_entry(self.value) else None
        return name if isinstance(name, str) else None

    def sent(self) -> Sent:
        """Return where the message was published, by ``layouts.publication``; what is no text ends the command."""
        own = documented(self.value, self.layout)
        try:
            sent = sent_in(self._with_arrays(ROUTING_KEYS), own.exchange, own.routing_key)
        except DecodeError as error:
            fail(f"{self.place}: {error}")
        routing_type = sent.routing_type
        if routing_type is not None and routing_type not in ROUTING_TYPES:
            told = f"routing_type: {routing_type!r} is not {' or '.join(ROUTING_TYPES)}"
            fail(f"{self.place}: {DecodeError.at('message.routing-type', told)}")
        return sent

    def published(self, topology: Topology, exchange: str | None) -> Sent:
        """Return where the message was published in a topology: to ``exchange``, if that is given.

        A message ends the command where nothing names its exchange or destination: one with NULL, or an empty cell, in
        the place of the name went to the default exchange.
        """
        sent = self.sent()
        target = sent.exchange if exchange is None else exchange
        if topology.rules.destinations is None:
            cells = self.record.names or ()
            if target is None and EXCHANGE not in cells and not names_exchange(self.value, self.layout):
                try:
                    target = own_default(topology, "--exchange ")
                except TranspilerError as error:
                    fail(f"{self.place}: {error}")
            return Sent(topology.default_exchange if target is None else target, sent.routing_keys, None)
        if not target:
            fail(f"{self.place}: the message names no destination: give it a member exchange, or give --exchange")
        # The destination holds the key.
        return Sent(target, None, sent.routing_type)

    def recorded(self, name: str) -> tuple[str, ...] | None:
        """Return the queues that a member has, one text or an array of some; None where there is no such member."""
        value = self.value.get(name)
        # A tracing log says so where a message has gone nowhere.
        return () if value == "none" else (value,) if isinstance(value, str) and value[:1] != "[" else self._texts(name)

    def _texts(self, name: str) -> tuple[str, ...] | None:
        try:
            return texts_in(self._with_arrays(name), name)
        except DecodeError as error:
            fail(f"{self.place}: {error}")

    def _with_arrays(self, name: str) -> Mapping[str, Any]:
        """Return the object, with the array that a cell of CSV has under a name."""
        value = self.value.get(name)
        if self.record.cells is None or not isinstance(value, str):
            return self.value
        return {**self.value, name: load_json_line(value, self.record.file, self.record.line)}


def read_messages(
    files: Iterable[str],
    layout: ChosenLayout | None = None,
    errors: Errors | None = None,
    form: str | None = None,
    lines: Lines | None = None,
    *,
    progress: bool = False,
) -> Iterator[ReadMessage]:
    """Yield the messages of files; deliveries in a tracing log, which nobody published, are passed over.

    ``form`` is json or csv where the options say so, and ``lines`` opens a file. With ``progress`` a terminal shows how
    much has been read, where nothing else is written to it.
    """
    errors = errors or Errors(keep_going=False)
    reader = _Reader(layout or ChosenLayout())
    if lines is None:
        lines = partial(input_lines, progress=progress)
        files = list(files)
        for file in files:
            check_input(file)
    for file in files:
        for record in records(file, form, errors, lines):
            read = errors.attempt(reader.read, record)
            if read is not None:
                yield read
    reader.finish()


class _Reader:
    """Messages of records, by the layout that the options name or by what each object shows."""

    def __init__(self, chosen: ChosenLayout) -> None:
        rows, store = chosen.rows, store_of(chosen.rows)
        if rows is not None:
            # The evaluator reads whole messages, and would miss properties without a word.
            refuse_unchosen(rows)
        self._types = chosen.types
        self._layouts: dict[tuple[str, ...], StoreLayout] = {}
        #: Entries of a log are read alike, whether their layout is named or not; one with header options is a store's.
        self._entries = store is not None and store.name == "rabbitmq-trace" and store.binding is None
        self._rows = None if self._entries else rows
        #: The error text of the first row without a column of the layout, until a row has one.
        self._foreign: str | None = None
        self._known = self._rows is None
        self._noted = False

    def read(self, record: Record) -> ReadMessage | None:
        """Return the message of a record, None for a delivery; one that is no message ends the command."""
        cells = record.cells
        value = load_json_line(record.text, record.file, record.line) if cells is None else dict(cells)
        if cells is not None and self._rows is not None:
            value = _typed_cells(cells, self._types)
        if (self._entries or (self._rows is None and is_entry(value))) and is_delivery(value):
            return None
        try:
            message = self._message(value, cells is not None)
        except TranspilerError as error:
            fail(f"{shown(record.file)}:{record.line}: {error}{_event(value) or self._other_layouts(value)}")
        if not self._known and self._rows is not None and value:
            try:
                check_columns(value, self._rows)
                self._known = True
            except TranspilerError as error:
                self._foreign = self._foreign or f"{shown(record.file)}:{record.line}: {error}{_event(value)}"
        return ReadMessage(record, value, message, self._rows)

    def _message(self, value: Any, of_cells: bool) -> Message:
        if self._rows is not None:
            return message_from_json_row(value, self._rows)
        if self._entries:
            return entry_message(value)
        if not of_cells:
            if not self._noted and isinstance(value, Mapping) and are_application_properties(value):
                self._noted = True
                note = "the names in properties are none of AMQP's: they are read as application properties"
                click.echo(f"note: {note}", err=True)
            return message_from_json(value)
        layout = self._csv(tuple(value))
        wrong = unreadable_cell(layout, value)
        if wrong is not None:
            raise DecodeError.at("message.type", wrong)
        return layout.message(value)

    def _csv(self, columns: tuple[str, ...]) -> StoreLayout:
        """Return the layout of the cells that a row has."""
        if columns not in self._layouts:
            self._layouts[columns] = csv_layout(columns)
        return self._layouts[columns]

    def _other_layouts(self, value: Any) -> str:
        """Return a hint that names the layouts whose rows look like an object that is no message."""
        from transpiler.compiler.inference import layouts_with

        names = layouts_with(value) if self._rows is None and isinstance(value, Mapping) else []
        return f"\n  hint: if this is a row of a table, give --layout {' or --layout '.join(names)}" if names else ""

    def finish(self) -> None:
        """End the command if there were rows, and none had a column of the layout."""
        if self._foreign is not None and not self._known:
            raise CommandError(self._foreign)


def _event(value: Any) -> str:
    """Return a hint that says how to take the messages out of an event of AWS Lambda; nothing for another object."""
    found = _EVENTS.keys() & value.keys() if isinstance(value, Mapping) and "eventSource" in value else ()
    for layout, messages in (_EVENTS[member] for member in found):
        return f"\n  hint: this is an event of AWS Lambda: read the output of jq -c '{messages}' with --layout {layout}"
    return ""
