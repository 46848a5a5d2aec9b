"""The reader of every command that takes messages: files in any form, one message after the other.

The first record of a file shows its form (``records``), and each object what it is (``message_from_json``), unless the
options name a layout: then the objects are its rows. Exchange, keys and recorded queues stand beside a message, or in a
row; only a command that asks for them reads them. What is no message ends the command with its place, or is told of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, NoReturn

from transpiler import DecodeError, Message, TranspilerError
from transpiler.cli.group import CommandError, fail
from transpiler.cli.inputs import check_input, input_lines, shown
from transpiler.cli.layouts import ChosenLayout
from transpiler.cli.options import load_json_line
from transpiler.cli.records import Errors, Lines, Record, header_value, records, typed_cells
from transpiler.layouts.json_rows import check_columns, message_from_json, message_from_json_row
from transpiler.layouts.store import StoreLayout, store_of
from transpiler.message.named_properties import HEADERS, with_headers
from transpiler.message.rabbitmq_trace import entry_message, is_delivery, is_entry
from transpiler.topology.destinations import ROUTING_TYPES

#: Events of AWS Lambda by their member with messages: the layout of these, and the filter of jq that takes them out.
_EVENTS = {
    "messages": ("aws-activemq", ".messages[]"),
    "rmqMessagesByQueue": ("aws-rabbitmq", ".rmqMessagesByQueue[][]"),
}


class Sent(NamedTuple):
    """The exchange, the routing keys and the routing type of a message to Artemis; None is not there."""

    exchange: str | None
    routing_keys: tuple[str, ...] | None
    routing_type: str | None


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message, the record that it was read from, and the record's object."""

    record: Record
    value: Mapping[str, Any]
    message: Message

    @property
    def place(self) -> str:
        """Return the file and the line, as errors name them."""
        return f"{shown(self.record.file)}:{self.record.line}"

    def sent(self) -> Sent:
        """Return where the message was published; what is no text ends the command."""
        row, message = self.value, self.message
        inner = row.get("delivery_properties")
        own = inner if isinstance(inner, Mapping) else {}
        keys = self._texts("routing_keys")
        if keys is None and (key := self._text(own, "routing_key")) is not None:
            keys = (key,)
        elif keys is None and (message.properties is None or message.properties.subject is None):
            # A subject is the key.
            key = self._text(row, "routing_key")
            keys = None if key is None else (key,)
        exchange, routing_type = self._text(row, "exchange"), self._text(row, "routing_type")
        if routing_type is not None and routing_type not in ROUTING_TYPES:
            self._refuse("routing-type", f"routing_type: {routing_type!r} is not {' or '.join(ROUTING_TYPES)}")
        return Sent(self._text(own, "exchange") if exchange is None else exchange, keys, routing_type)

    def recorded(self, name: str) -> tuple[str, ...] | None:
        """Return the queues that a member has, one text or an array of some; None where there is no such member."""
        value = self.value.get(name)
        # A tracing log says so where a message has gone nowhere.
        return () if value == "none" else (value,) if isinstance(value, str) and value[:1] != "[" else self._texts(name)

    def _texts(self, name: str) -> tuple[str, ...] | None:
        value = self.value.get(name)
        if isinstance(value, str) and self.record.cells is not None:
            # An array in a cell of CSV.
            value = load_json_line(value, self.record.file, self.record.line)
        if value is not None and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            self._refuse(name, f"{name}: expected an array of texts")
        return None if value is None else tuple(value)

    def _text(self, row: Mapping[str, Any], name: str) -> str | None:
        value = row.get(name)
        if value is not None and not isinstance(value, str):
            self._refuse(name, f"{name}: expected text")
        return value

    def _refuse(self, name: str, message: str) -> NoReturn:
        fail(f"{self.place}: {DecodeError.at('message.' + name.replace('_', '-'), message)}")


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
            read = None
            with errors.told():
                read = reader.read(record)
            if read is not None:
                yield read
    reader.finish()


class _Reader:
    """Messages of records, by the layout that the options name or by what each object shows."""

    def __init__(self, chosen: ChosenLayout) -> None:
        rows, store = chosen.rows, store_of(chosen.rows)
        self._types = chosen.types
        #: Entries of a log are read alike, whether their layout is named or not; one with header options is a store's.
        self._entries = store is not None and store.name == "rabbitmq-trace" and store.binding is None
        self._rows = None if self._entries else rows
        #: The error text of the first row without a column of the layout, until a row has one.
        self._foreign: str | None = None
        self._known = self._rows is None

    def read(self, record: Record) -> ReadMessage | None:
        """Return the message of a record, None for a delivery; one that is no message ends the command."""
        cells = record.cells
        value = load_json_line(record.text, record.file, record.line) if cells is None else dict(cells)
        if cells is not None and self._rows is not None:
            value = typed_cells(cells, self._types)
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
        return ReadMessage(record, value, message)

    def _message(self, value: Any, of_cells: bool) -> Message:
        if self._rows is not None:
            return message_from_json_row(value, self._rows)
        if self._entries:
            return entry_message(value)
        if not of_cells:
            return message_from_json(value)
        headers = {name: header_value(name, cell) for name, cell in value.items() if name in HEADERS}
        properties = {name: cell for name, cell in value.items() if name not in HEADERS}
        return with_headers(self._texts.message({"properties": properties}), headers)

    @cached_property
    def _texts(self) -> StoreLayout:
        from transpiler.stores import text_map

        return text_map(types="by-use")

    def _other_layouts(self, value: Any) -> str:
        """Return a hint that names the layouts whose rows look like an object that is no message."""
        from transpiler.inference import layouts_with

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
