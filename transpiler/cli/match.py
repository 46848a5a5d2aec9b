"""selector-sql match: message JSON lines through a selector or a filter set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from transpiler import Message, evaluate, matches, parse_selector
from transpiler.cli.group import fail
from transpiler.cli.options import filter_options, read_filter, read_message, read_text, warn


@click.command()
@click.argument("arguments", nargs=-1, metavar="SELECTOR [FILES]...")
@filter_options
@click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold.")
@click.option("--invert", is_flag=True, help="The messages that do not match.")
@click.option("--count", is_flag=True, help="Only how many there are.")
def match(
    arguments: tuple[str, ...],
    filter_file: str | None,
    filter_bytes: str | None,
    connection: str | None,
    unknown: Any,
    dialect: str,
    invert: bool,
    count: bool,
) -> None:
    """Filter message JSON lines from FILES (default: standard input) by SELECTOR.

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
            return matches(filters, message, dialect=dialect, connection=connection)

    elif arguments:
        tree = parse_selector(read_text(arguments[0]), dialect)
        files = arguments[1:]

        def test(message: Message) -> bool:
            return evaluate(tree, message, dialect) is True

    else:
        fail("nothing to match: give a selector, --filter FILE or --filter-bytes FILE")
    _check_files(files)
    if "-" in (filter_file, filter_bytes) and "-" in (files or ("-",)):
        fail("standard input cannot hold both the filter and the messages: name a file of messages")
    found = 0
    for file in files or ("-",):
        with click.open_file(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip() and test(read_message(line, f"{file}:{number}")) is not invert:
                    found += 1
                    if not count:
                        click.echo(line.rstrip("\r\n"))
    if count:
        click.echo(str(found))


def _check_files(files: tuple[str, ...]) -> None:
    path = click.Path(allow_dash=True, exists=True, dir_okay=False)
    for file in files:
        try:
            path.convert(file, None, click.get_current_context())
        except click.BadParameter as error:
            fail(error.message)
