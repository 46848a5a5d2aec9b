"""What the commands read alike: layout and dialect options, selectors, messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from transpiler import Diagnostic, Layout, TranspilerError
from transpiler.cli.group import fail
from transpiler.jsontext import JsonTextError, load_json
from transpiler.layouts.infer import layout_from_schema

if TYPE_CHECKING:
    from transpiler import Message
    from transpiler.filters.sets import FilterSet


def layout_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say where properties are, and whose rules hold."""
    options: list[Callable[..., Any]] = [
        click.option("--layout", default="amqp", show_default=True, help="The layout of the DataFrame, by name."),
        click.option(
            "--schema",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
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


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that give a filter set in the place of a selector."""
    options: list[Callable[..., Any]] = [
        click.option(
            "--filter",
            "filter_file",
            type=click.Path(allow_dash=True, exists=True, dir_okay=False),
            help="A filter or a filter set as JSON, in the place of SELECTOR; - is standard input.",
        ),
        click.option(
            "--filter-bytes",
            type=click.Path(allow_dash=True, exists=True, dir_okay=False),
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
    if filter_file is not None:
        with click.open_file(filter_file, encoding="utf-8") as text:
            return read_filters(str(text.read()), unknown)
    assert filter_bytes is not None
    with click.open_file(filter_bytes, "rb") as data:
        return read_filters(data.read(), unknown)


def read_layout(name: str, schema: Path | None) -> str | Layout:
    """The layout that the options name."""
    if schema is None:
        return name
    try:
        loaded = load_json(schema.read_text(encoding="utf-8"))
        return layout_from_schema(loaded)
    except (JsonTextError, KeyError, TypeError, AttributeError):
        fail(f"{schema} is no schema in Spark's JSON form: write it with df.schema.json()")


def read_text(selector: str) -> str:
    """An argument, or standard input where it is -."""
    if selector != "-":
        return selector
    with click.open_file("-", encoding="utf-8") as text:
        return str(text.read()).strip("\r\n")


def warn(findings: tuple[Diagnostic, ...]) -> None:
    """Print findings on standard error."""
    for finding in findings:
        click.echo(finding.render(), err=True)


def read_message(text: str, name: str) -> Message:
    """A message from its JSON form; ``name`` says in errors where it stands."""
    from transpiler import Message

    try:
        return Message.from_dict(load_json(text))
    except JsonTextError as error:
        fail(f"{name}{error.place(text)}: {error.message}")
    except TranspilerError as error:
        fail(f"{name}: {error}")
