"""selector-spark explain: messages in files by the first part of a selector that kept them out."""

from __future__ import annotations

import json
from typing import Any

from spark_ext.cli_archives import check_layout, read_archive
from spark_ext.cli_inputs import FORMATS, find_inputs, read_schema
from spark_ext.cli_jobs import click, schema_option, session_options, start_session
from transpiler import parse_selector
from transpiler.cli.layouts import layout_option
from transpiler.cli.options import read_text


@click.command(short_help="Count messages by what kept them out.")
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
@click.option(
    "--examples", type=click.IntRange(min=0), default=3, show_default=True, help="Messages of each group, at most."
)
@click.option("--json", "as_json", is_flag=True, help="The counts and the examples as one JSON object.")
@session_options
def explain(
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
    examples: int,
    as_json: bool,
    master: str,
    packages: str | None,
) -> None:
    """Count the messages in INPUT by the first part of SELECTOR that kept them out.

    A part that is unknown is counted apart from one that is false, with the property that is missing. Where OR is
    outermost, the messages are counted by the first alternative that let them in. Examples say why.
    """
    text = read_text(selector)
    # Refuse what cannot be explained before Spark starts, which takes seconds.
    parse_selector(text, dialect)
    inputs = find_inputs(files, form)
    types = read_schema(schema)
    session = start_session(master, packages)
    from spark_ext.match_explanations import explain_matches

    rows, where = read_archive(session, inputs, layout, types, layout_option)
    explanation = explain_matches(
        rows,
        text,
        where,
        dialect=dialect,
        examples=examples,
        missing=missing,
        now=now,
        destination=destination,
    )
    if as_json:
        click.echo(json.dumps(explanation.to_dict(), ensure_ascii=False, indent=2))
    else:
        click.echo(str(explanation))
