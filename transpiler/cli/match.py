"""selector-sql match: message JSON lines through a selector or a filter set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from transpiler import Message, evaluate, matches, parse_selector
from transpiler.cli.group import fail
from transpiler.cli.inputs import check_input, input_lines
from transpiler.cli.layouts import ChosenLayout, layout_options
from transpiler.cli.options import MessageReader, filter_options, read_filter, read_text, receiver_options, warn


@click.command()
@click.argument("arguments", nargs=-1, metavar="SELECTOR [FILES]...")
@filter_options
@layout_options
@click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold.")
@receiver_options
@click.option("--invert", is_flag=True, help="The messages that do not match.")
@click.option("--count", is_flag=True, help="Only how many there are.")
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
) -> None:
    """Filter lines of JSON from FILES (default: standard input) by SELECTOR.

    A line is plain properties ({"color": "red", "weight": 2600, "JMSPriority": 7}) or message JSON; with --layout, or
    --schema, it is a row of that layout, binary columns in base64 and times in ISO 8601 or milliseconds.
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
    messages = MessageReader(layout.rows)
    matched = 0
    for file in files or ("-",):
        for number, line in input_lines(file):
            if line.strip() and test(messages.read(line, file, number)) is not invert:
                matched += 1
                if not count:
                    click.echo(line)
    messages.finish()
    if count:
        click.echo(str(matched))
