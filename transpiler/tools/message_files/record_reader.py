"""Conversion of records to messages, by the layout that the caller names, or by the members of each object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from transpiler.base.errors import DecodeError, TranspilerError
from transpiler.compiler.layouts.json_rows import check_columns, message_from_json, message_from_json_row
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.store import StoreLayout, refuse_unchosen, store_of
from transpiler.compiler.stores.own import csv as csv_layout
from transpiler.compiler.stores.own import unreadable_cell
from transpiler.message.message import Message, are_application_properties
from transpiler.message.rabbitmq_trace import entry_message, is_delivery, is_entry, is_publication, publication_message
from transpiler.message.sections import Body
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.tools.message_files.broker_answers import (
    broker_j_destination,
    broker_j_message,
    is_listed,
    is_of_broker_j,
    recognized_layout,
    row_of_listed,
)
from transpiler.tools.message_files.csv_records import typed_cells
from transpiler.tools.message_files.read_message import ReadMessage
from transpiler.tools.message_files.record import Record
from transpiler.tools.message_files.record_errors import RecordError, at_location, load_record

#: The ways to extract messages from an event of AWS Lambda, by the member of the event that contains them: the layout
#: of the messages, and the jq filter for a file with such events.
_EVENTS = {
    "messages": ("aws-activemq", ".messages[]"),
    "rmqMessagesByQueue": ("aws-rabbitmq", ".rmqMessagesByQueue[][]"),
}

_MEANT = "the names in properties are none of AMQP's: they are read as application properties"


def _ignore(_: str) -> None:
    pass


class RecordReader:
    """A converter of records to messages.

    ``rows`` is the layout of which each record is a row; if it is None, the JSON members of a record identify its form.
    ``types`` contains the types of CSV columns by name. ``note`` is a function that is called once, with a text, if the
    interpretation of the records is uncertain.
    """

    def __init__(self, rows: Layout | None, types: Mapping[str, Any], note: Callable[[str], object] = _ignore) -> None:
        store = store_of(rows)
        if rows is not None:
            # Refuse a layout that covers only some properties, because the evaluator would treat all others as missing.
            refuse_unchosen(rows)
        self._types = types
        self._layouts: dict[tuple[str, ...], StoreLayout] = {}
        #: True if the records are entries of RabbitMQ's tracing log, which are recognized without a layout. With a
        #: table or with options for headers, the layout means rows of a table with the same columns instead.
        self._entries = store is not None and store.name == "rabbitmq-trace" and not (store.table or store.asked)
        self._rows = None if self._entries else rows
        #: The error about the first row without any column of the layout; it counts only if no row has such a column.
        self._foreign: RecordError | None = None
        self._known = self._rows is None
        self._note: Callable[[str], object] | None = note

    def read(self, record: Record) -> ReadMessage | None:
        """Return the message of ``record``, None for a delivery; raise ``RecordError`` if it is not a message."""
        cells = record.cells
        value: Any = record.value
        if cells is not None:
            value = dict(cells) if self._rows is None else typed_cells(cells, self._types)
        elif value is None:
            value = load_record(record.text, record.file, record.line)
        if (self._entries or (self._rows is None and is_entry(value))) and is_delivery(value):
            return None
        layout = self._rows
        try:
            if layout is None and cells is None and not self._entries and isinstance(value, Mapping):
                value = row_of_listed(value) if is_listed(value) else value
                layout = recognized_layout(value, record.layout)
            elif layout is None and cells is not None:
                layout = self._layout_of_cells(record)
            message = self._message(value, layout)
        except TranspilerError as error:
            hint = _event(value) or ("" if layout is not None else self._other_layouts(value))
            raise at_location(record.location, error, hint) from None
        if record.body is not None:
            message = replace(message, body=Body("amqp-value", value=AmqpValue(AmqpType.STRING, record.body)))
        if not self._known and layout is not None and value:
            self._check(value, layout, record)
        if layout is None and cells is None and is_of_broker_j(value):
            value = {**broker_j_destination(value), **value}
        return ReadMessage(record, value, message, layout)

    def _check(self, value: Any, layout: Layout, record: Record) -> None:
        """Check that the row ``value`` has a column of ``layout``; if it has none, store an error for ``finish``."""
        try:
            check_columns(value, layout)
            self._known = True
        except TranspilerError as error:
            self._foreign = self._foreign or at_location(record.location, error, _event(value))

    def _message(self, value: Any, layout: Layout | None) -> Message:
        if layout is not None:
            return message_from_json_row(value, layout)
        if self._entries:
            return entry_message(value)
        if isinstance(value, Mapping) and is_of_broker_j(value):
            return broker_j_message(value)
        if is_publication(value):
            return publication_message(value)
        if isinstance(value, Mapping) and _has_headers(value):
            value = {**value, "application_properties": value["headers"]}
            del value["headers"]
        if self._note is not None and isinstance(value, Mapping) and are_application_properties(value):
            self._note(_MEANT)
            self._note = None
        return message_from_json(value)

    def _layout_of_cells(self, record: Record) -> Layout:
        """Return the layout of a CSV row by its column names, such as ``JMSPriority``.

        Raise ``DecodeError`` if the cell of a header field is not valid.
        """
        cells = record.cells or {}
        columns = tuple(record.names or cells)
        if columns not in self._layouts:
            self._layouts[columns] = csv_layout(columns)
        wrong = unreadable_cell(self._layouts[columns], cells)
        if wrong is not None:
            raise DecodeError.at("message.type", wrong)
        return self._layouts[columns]

    def _other_layouts(self, value: Any) -> str:
        """Return a hint that names the layouts whose rows look like ``value``, which is not a message.

        The hint is empty if no layout has such rows.
        """
        from transpiler.compiler.inference import layouts_with

        names = layouts_with(value) if isinstance(value, Mapping) else []
        return f"\n  hint: if this is a row of a table, give --layout {' or --layout '.join(names)}" if names else ""

    def finish(self) -> None:
        """Raise the error about the first row if rows were read, but no row had a column of the layout."""
        if self._foreign is not None and not self._known:
            raise self._foreign


def _has_headers(value: Mapping[str, Any]) -> bool:
    """Return True if ``value`` has application properties as ``{"headers": {"k": "v"}}``, as in RabbitMQ clients."""
    headers = value.get("headers")
    return (
        isinstance(headers, Mapping)
        and bool(headers)
        and "type" not in headers
        and "application_properties" not in value
    )


def _event(value: Any) -> str:
    """Return a hint on how to extract the messages if ``value`` is an event of AWS Lambda; else an empty text."""
    found = _EVENTS.keys() & value.keys() if isinstance(value, Mapping) and "eventSource" in value else ()
    for layout, messages in (_EVENTS[member] for member in found):
        return f"\n  hint: this is an event of AWS Lambda: read the output of jq -c '{messages}' with --layout {layout}"
    return ""
