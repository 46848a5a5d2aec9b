"""What the commands read alike: layout and dialect options, selectors, messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from transpiler import Diagnostic, Layout, Message, Topology, TranspilerError
from transpiler.cli.group import fail
from transpiler.layouts.infer import layout_from_schema
from transpiler.topology.files import Form, read_topology


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


def read_layout(name: str, schema: Path | None) -> str | Layout:
    """The layout that the options name."""
    if schema is None:
        return name
    try:
        loaded = json.loads(schema.read_text(encoding="utf-8"))
        return layout_from_schema(loaded)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError):
        fail(f"{schema} is no schema in Spark's JSON form: write it with df.schema.json()")


def topology_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how to read a topology's file."""
    options: list[Callable[..., Any]] = [
        click.option(
            "--form",
            type=click.Choice(["topology", "rabbitmq", "broker-j"]),
            help="What the topology's file is  [default: as it shows]",
        ),
        click.option("--vhost", help="The virtual host, where the file has several."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_topology_file(path: Path, form: Form | None, vhost: str | None) -> Topology:
    """The topology in a file that can be opened."""
    try:
        return read_topology(path, form=form, vhost=vhost)
    except OSError as error:
        fail(f"{path}: {error.strerror}")


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
    try:
        return Message.from_dict(json.loads(text))
    except json.JSONDecodeError as error:
        fail(f"{name}:{error.lineno}:{error.colno}: this is not JSON: {error.msg}")
    except TranspilerError as error:
        fail(f"{name}: {error}")
