"""selector-spark verify: Spark against the reference evaluator on the rows of files."""

from __future__ import annotations

from typing import Any

from spark_ext.cli_archives import check_layout, read_archive
from spark_ext.cli_inputs import FORMATS, find_inputs, read_schema
from spark_ext.cli_jobs import click, schema_option, session_options, start_session
from transpiler import parse_selector
from transpiler.cli.layouts import layout_option
from transpiler.cli.options import read_text


@click.command(short_help="Compare Spark's answers with the reference.")
@click.argument("selector")
@click.argument("files", nargs=-1, required=True, metavar="INPUT...")
@click.option("--format", "form", type=click.Choice(FORMATS), help="Default: by the file's name.")
@click.option("--layout", callback=check_layout, help="A layout's name; default: what the schema shows.")
@layout_option
@schema_option
@click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold.")
@click.option("--missing", type=click.Choice(["error", "null"]), default="error", show_default=True)
@click.option("--now", type=int, metavar="MILLISECONDS", help="The current time since the epoch; default: the clock's.")
@click.option("--destination", help="The consumer's destination: JMSDestination where a message has none.")
@click.option("--sample", type=click.IntRange(min=1), default=1000, show_default=True, help="The rows to compare.")
@click.option("--all", "whole", is_flag=True, help="Compare all rows.")
@session_options
def verify(
    selector: str,
    files: tuple[str, ...],
    form: str | None,
    layout: str | None,
    layout_option: tuple[str, ...],
    schema: str | None,
    dialect: str,
    missing: Any,
    now: int | None,
    destination: str | None,
    sample: int,
    whole: bool,
    master: str,
    packages: str | None,
) -> None:
    """Compare Spark's answers for SELECTOR with the reference evaluator's, on rows of INPUT.

    The rows are drawn at random, the same ones each time. Exit 0 when all answers agree, 1 when some do not.
    """
    text = read_text(selector)
    # Refuse what cannot be verified before Spark starts, which takes seconds.
    parse_selector(text, dialect)
    inputs = find_inputs(files, form)
    types = read_schema(schema)
    session = start_session(master, packages)
    from spark_ext.verification import verify as verify_rows

    rows, where = read_archive(session, inputs, layout, types, layout_option)
    verification = verify_rows(
        rows,
        text,
        where,
        sample=None if whole else sample,
        dialect=dialect,
        missing=missing,
        now=now,
        destination=destination,
    )
    click.echo(str(verification))
    if not verification.agrees:
        raise SystemExit(1)
