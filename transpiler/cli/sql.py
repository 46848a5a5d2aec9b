"""selector-sql sql: the Spark SQL of a selector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from transpiler import transpile_selector
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
def sql(selector: str, layout: str, schema: Path | None, dialect: str, missing: Any, result: Any) -> None:
    """Print the Spark SQL of SELECTOR (- reads it from standard input)."""
    transpiled = transpile_selector(
        read_text(selector), read_layout(layout, schema), dialect=dialect, missing=missing, result=result
    )
    click.echo(transpiled.sql)
    warn(transpiled.diagnostics)
