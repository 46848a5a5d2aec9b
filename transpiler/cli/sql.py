"""selector-sql sql: the Spark SQL of a selector or a filter set."""

from __future__ import annotations

import sys
from typing import Any

import click

from transpiler import Transpiled, translate_names, transpile_filter, transpile_selector
from transpiler.cli.group import fail
from transpiler.cli.layouts import ChosenLayout, layout_options, rules_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import (
    filter_options,
    read_filter,
    read_text,
    receiver_options,
    warn,
)
from transpiler.cli.statements import KINDS, NO_VIEW, Kind, on_lines, statement


@click.command(
    short_help="Print the Spark SQL of SELECTOR.",
    cls=ManualCommand,
    examples=[
        Example("Print SQL for the canonical schema", "selector-sql sql \"color = 'blue' AND JMSPriority > 6\""),
        Example(
            "Print SQL for columns of your own",
            'selector-sql sql "weight > 2500" --schema "color STRING, weight BIGINT"',
        ),
        Example(
            "Read properties from Kafka's record headers", 'selector-sql sql "weight > 2500" --layout kafka-headers'
        ),
        Example(
            "Print a function for a row filter",
            'selector-sql sql "weight > 2500" --schema "color STRING, weight BIGINT" --as function lake.heavy',
        ),
    ],
    exits={0: "the SQL is printed; warnings are on standard error"},
)
@click.argument("selector", required=False)
@filter_options
@layout_options
@rules_options
@receiver_options
@click.option(
    "--result",
    type=click.Choice(["filter", "boolean", "ternary"]),
    default="filter",
    show_default=True,
    help="TRUE or not; never NULL; or JMS's three values.",
)
@click.option(
    "--as",
    "named",
    type=(click.Choice(KINDS), str),
    metavar="KIND NAME",
    help="Print a statement: CREATE FUNCTION NAME, CREATE VIEW NAME, or for where the rows of the table NAME.",
)
@click.option("--from", "source", metavar="TABLE", help="With --as view: the table that the view reads.")
@click.option(
    "--names",
    type=click.Choice(["jms", "amqp"]),
    help="Print the selector instead, its header names in JMS's form or the wire's, by apache-filters.xml.",
)
@click.option("--pretty/--no-pretty", default=None, help="Each AND and OR on a line  [default: on a terminal]")
def sql(
    selector: str | None,
    filter_file: str | None,
    filter_bytes: str | None,
    connection: str | None,
    unknown: Any,
    layout: ChosenLayout,
    dialect: str,
    missing: Any,
    now: int | None,
    destination: str | None,
    result: Any,
    named: tuple[Kind, str] | None,
    source: str | None,
    names: Any,
    pretty: bool | None,
) -> None:
    """Print the Spark SQL of SELECTOR (- reads it from standard input), or of a filter set."""
    filters = read_filter(filter_file, filter_bytes, unknown)
    if filters is not None and (selector is not None or names is not None):
        fail("a filter set takes the place of SELECTOR and --names: give one of the two")
    options = {
        "layout": layout.layout,
        "dialect": dialect,
        "missing": missing,
        "result": result,
        "now": now,
        "destination": destination,
    }
    transpiled: Transpiled
    if filters is not None:
        transpiled = transpile_filter(filters, connection=connection, **options)
    elif selector is None:
        fail("nothing to translate: give a selector, --filter FILE or --filter-bytes FILE")
    elif names is not None:
        if named is not None:
            fail("--names prints a selector, and --as a statement: give one of the two")
        click.echo(translate_names(read_text(selector), names, dialect=dialect))
        return
    else:
        transpiled = transpile_selector(read_text(selector), **options)
    if named is None and source is not None:
        fail(NO_VIEW)
    text = transpiled.sql if named is None else statement(*named, transpiled.sql, layout, source)
    click.echo(on_lines(text) if pretty or (pretty is None and sys.stdout.isatty()) else text)
    warn(transpiled.diagnostics)
