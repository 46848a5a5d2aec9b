"""selector-sql match: message JSON lines through a selector or a filter set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from transpiler import Message, TranspilerError, evaluate, matches, parse_selector
from transpiler.cli.group import fail
from transpiler.cli.inputs import check_input, shown
from transpiler.cli.layouts import ChosenLayout, layout_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import MessageReader, filter_options, read_filter, read_text, receiver_options, warn
from transpiler.cli.records import Errors, Record, compact, header_value, records, typed_cells
from transpiler.layouts.store import StoreLayout
from transpiler.message.named_properties import HEADERS, with_headers


@click.command(
    short_help="Filter messages by SELECTOR.",
    cls=ManualCommand,
    examples=[
        Example(
            "Count the messages that match",
            "selector-sql match \"area = 'Viking' AND speed > 5\" messages.jsonl --count",
        ),
        Example("Filter a pipe", 'echo \'{"color": "red"}\' | selector-sql match "color = \'red\'"'),
        Example(
            "Filter records of Kafka that to_json has written",
            'selector-sql match "weight > 2500" records.jsonl --layout kafka-headers',
        ),
    ],
    exits={0: "some message matches", 1: "no message matches", 2: "an error, such as a record that is no message"},
)
@click.argument("arguments", nargs=-1, metavar="SELECTOR [FILES]...")
@filter_options
@layout_options
@click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold.")
@receiver_options
@click.option("--invert", is_flag=True, help="The messages that do not match.")
@click.option("--count", is_flag=True, help="Only how many there are.")
@click.option(
    "--input-format", type=click.Choice(["json", "csv"]), help="What FILES are  [default: CSV if the name ends in .csv]"
)
@click.option("--keep-going", is_flag=True, help="Tell of bad records and leave them out; the exit code is 2 then.")
def match(
    arguments: tuple[str, ...],
    filter_file: str | None,
    filter_bytes: str | None,
    connection: str | None,
    unknown: Any,
    layout: ChosenLayout,
    dialect: str,
    now: int | None,
    destination: str | None,
    invert: bool,
    count: bool,
    input_format: str | None,
    keep_going: bool,
) -> None:
    """Filter messages in FILES (default: standard input) by SELECTOR.

    A file has JSON lines, a JSON array, or CSV with a header, compressed (.gz) or not. A message is plain properties
    ({"color": "red", "weight": 2600, "JMSPriority": 7}) or message JSON; with --layout, or --schema, it is a row of
    that layout, binary columns in base64 and times in ISO 8601 or milliseconds. A cell of CSV is text, and a number or
    a boolean where SELECTOR compares it with one, or of its type in --schema; an empty one is missing.
    With --filter or --filter-bytes there is no SELECTOR, and all arguments are files.
    """
    filters = read_filter(filter_file, filter_bytes, unknown)
    test: Callable[[Message], bool]
    if filters is not None:
        warn(filters.findings)
        # Refuse a filter that cannot be asked before the first message is read.
        matches(filters, Message(), dialect=dialect, connection=connection)
        files = arguments

        def test(message: Message) -> bool:
            return matches(filters, message, dialect=dialect, connection=connection, now=now, destination=destination)

    elif arguments:
        tree = parse_selector(read_text(arguments[0]), dialect)
        files = arguments[1:]

        def test(message: Message) -> bool:
            return evaluate(tree, message, dialect, now=now, destination=destination) is True

    else:
        fail("nothing to match: give a selector, --filter FILE or --filter-bytes FILE")
    for file in files:
        check_input(file)
    if "-" in (filter_file, filter_bytes) and "-" in (files or ("-",)):
        fail("standard input cannot hold both the filter and the messages: name a file of messages")
    reader = RecordReader(layout)
    errors = Errors(keep_going)
    matched = 0
    for file in files or ("-",):
        output = _Output(count)
        for record in records(file, input_format, errors, output.header):
            with errors.told():
                if test(reader.message(record)) is not invert:
                    matched += 1
                    output.record(record)
    reader.finish()
    if count:
        click.echo(str(matched))
    errors.finish()
    if not matched:
        raise SystemExit(1)


class RecordReader:
    """Messages of records, by the layout that the options name."""

    def __init__(self, layout: ChosenLayout) -> None:
        self._json = MessageReader(layout.rows)
        self._chosen = layout
        self._texts: StoreLayout | None = None

    def message(self, record: Record) -> Message:
        """Return the message of a record; one that is none ends the command."""
        if record.cells is None:
            return self._json.read(record.text, record.file, record.line)
        if self._chosen.rows is not None:
            return self._json.read_value(typed_cells(record.cells, self._chosen.types), record.file, record.line)
        if self._texts is None:
            from transpiler.stores import text_map

            self._texts = text_map(types="by-use")
        headers = {name: header_value(name, cell) for name, cell in record.cells.items() if name in HEADERS}
        properties = {name: cell for name, cell in record.cells.items() if name not in HEADERS}
        try:
            return with_headers(self._texts.message({"properties": properties}), headers)
        except TranspilerError as error:
            fail(f"{shown(record.file)}:{record.line}: {error}")

    def finish(self) -> None:
        """Warn of members that no record had."""
        self._json.finish()


class _Output:
    """The records that match, as they were read; the header of CSV comes before the first of them."""

    def __init__(self, count: bool) -> None:
        self._silent = count
        self._header: str | None = None

    def header(self, text: str) -> None:
        self._header = text

    def record(self, record: Record) -> None:
        if self._silent:
            return
        if self._header is not None:
            click.echo(self._header)
            self._header = None
        click.echo(record.text if record.cells is not None else compact(record.text))
