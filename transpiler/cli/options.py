"""What the commands read alike: layout and dialect options, selectors, messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from transpiler import Diagnostic, Layout, TranspilerError
from transpiler.cli.group import fail
from transpiler.cli.inputs import InputFile, read_bytes, read_text_file, shown
from transpiler.inference import layout_from_schema
from transpiler.jsontext import JsonTextError, load_json

if TYPE_CHECKING:
    from transpiler import Message
    from transpiler.filters.sets import FilterSet


def layout_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say where properties are, and whose rules hold."""
    options: list[Callable[..., Any]] = [
        click.option("--layout", default="amqp", show_default=True, help="The layout of the DataFrame, by name."),
        click.option(
            "--schema",
            type=InputFile(),
            help="Typed columns instead: a schema in Spark's JSON form (df.schema.json()).",
        ),
        click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold."),
        click.option(
            "--missing",
            type=click.Choice(["error", "null"]),
            default="error",
            show_default=True,
            help="What a name without a column means.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


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


def read_layout(name: str, schema: str | None) -> str | Layout:
    """The layout that the options name."""
    if schema is None:
        return name
    text = read_text_file(schema)
    form = "is no schema in Spark's JSON form: write it with df.schema.json()"
    try:
        return layout_from_schema(load_json(text))
    except JsonTextError as error:
        fail(f"{shown(schema)}{error.place(text)}: {error.message}; it {form}")
    except (KeyError, TypeError, AttributeError):
        fail(f"{shown(schema)} {form}")


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
    """A message from its JSON form; errors say the name of its file, and the number of the line that it is."""
    return to_message(load_json_line(text, name, line), name, line)


def to_message(value: Any, name: str, line: int | None = None) -> Message:
    """A message from the value of its JSON form; errors say its place as those of ``read_message`` do."""
    from transpiler import Message

    try:
        return Message.from_dict(value)
    except TranspilerError as error:
        fail(f"{shown(name)}{'' if line is None else f':{line}'}: {error}")


def load_json_line(text: str, name: str, line: int | None = None) -> Any:
    """The value of a JSON text; errors say its file, line and column. ``line`` is the number of the text's own line."""
    try:
        return load_json(text)
    except JsonTextError as error:
        place = error.place(text) if line is None else f":{line}"
        if line is not None and error.span is not None:
            place += f":{error.span.start + 1}"
        fail(f"{shown(name)}{place}: {error.message}")
