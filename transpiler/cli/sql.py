"""selector-sql sql: the Spark SQL of a selector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from transpiler import translate_names, transpile_selector
from transpiler.cli.options import layout_options, read_layout, read_text, warn


@click.command()
@click.argument("selector")
@layout_options
@click.option(
    "--result",
    type=click.Choice(["filter", "boolean", "ternary"]),
    default="filter",
    show_default=True,
    help="TRUE or not; never NULL; or JMS's three values.",
)
@click.option(
    "--names",
    type=click.Choice(["jms", "amqp"]),
    help="Print the selector instead, its header names in JMS's form or the wire's.",
)
def sql(selector: str, layout: str, schema: Path | None, dialect: str, missing: Any, result: Any, names: Any) -> None:
    """Print the Spark SQL of SELECTOR (- reads it from standard input)."""
    if names is not None:
        click.echo(translate_names(read_text(selector), names, dialect=dialect))
        return
    transpiled = transpile_selector(
        read_text(selector), read_layout(layout, schema), dialect=dialect, missing=missing, result=result
    )
    click.echo(transpiled.sql)
    warn(transpiled.diagnostics)
