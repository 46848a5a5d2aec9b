"""Arguments and options that commands share: filters, receivers, selectors, messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from transpiler import Diagnostic, Layout, TranspilerError
from transpiler.cli.group import fail
from transpiler.cli.inputs import InputFile, read_bytes, read_text_file, shown
from transpiler.jsontext import JsonTextError, load_json

if TYPE_CHECKING:
    from transpiler import Message
    from transpiler.filters.sets import FilterSet


def text_or_json(help_text: str) -> Callable[..., Any]:
    """The option that says how to print a result, as ``output_format``."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help=help_text,
    )


def receiver_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say when messages are received, and at which destination."""
    options: list[Callable[..., Any]] = [
        click.option(
            "--now",
            type=int,
            metavar="MILLISECONDS",
            help="The current time since the epoch, for UTC() and for JMSExpiration by a ttl. Default: the clock's.",
        ),
        click.option(
            "--destination", help="The consumer's destination: JMSDestination of a message that does not say its own."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that give a filter set in the place of a selector."""
    options: list[Callable[..., Any]] = [
        click.option(
            "--filter",
            "filter_file",
            type=InputFile(),
            help="A filter or a filter set as JSON, in the place of SELECTOR; - is standard input.",
        ),
        click.option(
            "--filter-bytes",
            type=InputFile(),
            help="The same as the AMQP 1.0 bytes of an attach frame's filter map.",
        ),
        click.option("--connection", help="The receiver's connection, for no-local filters."),
        click.option(
            "--unknown",
            type=click.Choice(["error", "ignore"]),
            default="error",
            show_default=True,
            help="What a filter with an unknown descriptor is.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_filter(filter_file: str | None, filter_bytes: str | None, unknown: Any) -> FilterSet | None:
    """The filter set that the options name; None where they name none."""
    if filter_file is None and filter_bytes is None:
        return None
    # Only who gives a filter waits for what reads one.
    from transpiler.filters.sets import read_filters

    if filter_file is not None and filter_bytes is not None:
        fail("--filter and --filter-bytes are two ways to give one filter set: give one of them")
    name = filter_bytes if filter_file is None else filter_file
    assert name is not None
    given = read_bytes(name) if filter_file is None else read_text_file(name)
    try:
        return read_filters(given, unknown)
    except TranspilerError as error:
        fail(f"{shown(name)}: {error}")


def read_text(selector: str) -> str:
    """An argument, or standard input where it is -."""
    if selector != "-":
        return selector
    return read_text_file("-").strip("\n")


def warn(findings: tuple[Diagnostic, ...]) -> None:
    """Print findings on standard error."""
    for finding in findings:
        click.echo(finding.render(), err=True)


def read_message(text: str, name: str, line: int | None = None) -> Message:
    """A message from message JSON or plain properties; errors say the name of its file, and the number of its line."""
    return to_message(load_json_line(text, name, line), name, line)


def to_message(value: Any, name: str, line: int | None = None, rows: Layout | None = None) -> Message:
    """A message from the value of its JSON, or from a row of a layout; errors as those of ``read_message``."""
    from transpiler.layouts.json_rows import message_from_json, message_from_json_row

    try:
        return message_from_json(value) if rows is None else message_from_json_row(value, rows)
    except TranspilerError as error:
        fail(_placed(error, name, line))


def _placed(error: TranspilerError, name: str, line: int | None) -> str:
    return f"{shown(name)}{'' if line is None else f':{line}'}: {error}"


class MessageReader:
    """Messages in JSON; with a layout they are its rows, and at least one of them has a column of it."""

    def __init__(self, rows: Layout | None) -> None:
        self._rows = rows
        #: The error text of the first row without a column of the layout, until a row has one.
        self._foreign: str | None = None
        self._known = rows is None

    def read(self, text: str, name: str, line: int | None = None) -> Message:
        """Return one message; errors as those of ``read_message``."""
        return self.read_value(load_json_line(text, name, line), name, line)

    def read_value(self, value: Any, name: str, line: int | None = None) -> Message:
        """Return the message in a value of JSON; errors as those of ``read_message``."""
        message = to_message(value, name, line, self._rows)
        if not self._known and self._rows is not None and value:
            from transpiler.layouts.json_rows import check_columns

            try:
                check_columns(value, self._rows)
                self._known = True
            except TranspilerError as error:
                self._foreign = self._foreign or _placed(error, name, line)
        return message

    def finish(self) -> None:
        """End the command if there were rows, and none had a column of the layout."""
        if self._foreign is not None and not self._known:
            fail(self._foreign)


def load_json_line(text: str, name: str, line: int | None = None) -> Any:
    """The value of a JSON text; errors say its file, line and column. ``line`` is the number of the text's own line."""
    try:
        return load_json(text)
    except JsonTextError as error:
        place = error.place(text) if line is None else f":{line}"
        if line is not None and error.span is not None:
            place += f":{error.span.start + 1}"
        fail(f"{shown(name)}{place}: {error.message}")
