"""selector-sql match: filter messages of files with a selector or a filter set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from transpiler.cli.comparables import condition
from transpiler.cli.group import fail, say_data
from transpiler.cli.layouts import ChosenLayout, layout_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.messages import CommandErrors, compact, keep_going_option, read_messages
from transpiler.cli.options import (
    dialect_option,
    filter_options,
    quiet_option,
    read_text,
    receiver_options,
    say_result,
    text_or_json,
    warn,
)
from transpiler.message.receiver import Receiver
from transpiler.tools.lint.advice import warnings_of
from transpiler.tools.message_files.record import Record

if TYPE_CHECKING:
    from transpiler.language.filters.sets import FilterSet
    from transpiler.tools.message_files.record_forms import RecordForm


@click.command(
    short_help="Filter messages by SELECTOR.",
    cls=ManualCommand,
    examples=[
        Example(
            "Count the messages that match",
            "selector-sql match \"area = 'Viking' AND speed > 5\" messages.jsonl --count",
        ),
        Example(
            "Count why messages do not match",
            "selector-sql match \"area = 'Viking' AND speed > 5\" messages.jsonl --reasons",
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
@dialect_option
@receiver_options
@click.option("--invert", is_flag=True, help="The messages that do not match.")
@click.option("--count", is_flag=True, help="Only how many there are.")
@click.option(
    "--reasons", is_flag=True, help="Only why messages do not match: how many, by the parts of SELECTOR that decide."
)
@text_or_json("How to print --reasons.")
@click.option("--input-format", type=click.Choice(["json", "csv"]), help="What FILES are  [default: as they show]")
@quiet_option
@keep_going_option
def match(
    arguments: tuple[str, ...],
    filters: FilterSet | None,
    connection: str | None,
    layout: ChosenLayout,
    dialect: str,
    receiver: Receiver,
    invert: bool,
    count: bool,
    reasons: bool,
    output_format: str,
    input_format: RecordForm | None,
    quiet: bool,
    keep_going: bool,
) -> None:
    """Filter messages in FILES (default: standard input) by SELECTOR.

    A file has JSON lines, a JSON array, CSV with a header, RabbitMQ's tracing log, an export of Artemis, a browse of
    ActiveMQ, or answers of Jolokia, RabbitMQ's management or Broker-J's, compressed (.gz) or not. A message is plain
    properties ({"color": "red", "weight": 2600, "JMSPriority": 7}) or message JSON; with --layout, or --schema, it is a
    row of that layout, binary columns in base64 and times in ISO 8601 or milliseconds. A cell of CSV is text, and a
    number or a boolean where SELECTOR compares it with one, or of its type in --schema; an empty one is missing.
    With --filter or --filter-bytes there is no SELECTOR, and all arguments are files.
    """
    files = arguments if filters is not None else arguments[1:]
    text = ""
    if filters is not None:
        warn(() if quiet else filters.findings)
        test = condition(filters, dialect, connection, receiver)
    elif arguments:
        text = read_text(arguments[0])
        test = condition(text, dialect, connection, receiver)
        warn(() if quiet else warnings_of(text, dialect, layout.rows))
    else:
        fail("nothing to match: give a selector, --filter FILE or --filter-bytes FILE")
    why = None
    if reasons:
        if filters is not None or invert or count:
            fail(
                "--reasons explains the messages that SELECTOR does not match: omit "
                "--filter, --filter-bytes, --invert and --count"
            )
        # Imported here because only the option --reasons needs the module.
        from transpiler.cli.reasons import Reasons

        why = Reasons(text, dialect, receiver)
    elif output_format == "json":
        fail("--format applies only with --reasons: without it, messages are printed as they were read")
    errors, output, matched = CommandErrors(keep_going), _Output(), 0
    for read in read_messages(files or ("-",), layout, errors, input_format, progress=count or reasons):
        if why is not None:
            matched += why.add(read.message)
        elif test(read.message) is not invert:
            matched += 1
            if not count:
                output.record(read.record)
    if count:
        click.echo(str(matched))
    if why is not None:
        say_result(why, output_format)
    errors.finish()
    if not matched:
        raise SystemExit(1)


class _Output:
    """Writer of the records that match, as they were read. A header precedes the records of each CSV file."""

    def __init__(self) -> None:
        self._header: tuple[str, str | None] | None = None

    def record(self, record: Record) -> None:
        if record.header is not None and self._header != (record.file, record.header):
            say_data(record.header)
            self._header = record.file, record.header
        say_data(record.text if record.cells is not None else compact(record.text))
