"""selector-spark diff: find messages in files that a new selector, filter or topology selects or routes differently."""

from __future__ import annotations

import os
from typing import Any

from spark_ext.cli.archives import StartJob, archive_options
from spark_ext.cli.jobs import click, fail
from transpiler import transpile_filter
from transpiler.base.diagnostics import printable
from transpiler.base.local_files import replace_file
from transpiler.cli.comparables import Comparable, read_pair
from transpiler.cli.inputs import shown, system_path
from transpiler.cli.layouts import missing_option
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import connection_option, dialect_option, new_dialect_option, receiver_options
from transpiler.cli.publications import hint_subscribers
from transpiler.cli.topologies import TopologyForm, exchange_option, topology_options
from transpiler.language.filters.sets import FilterSet
from transpiler.message.receiver import Receiver


@click.command(
    short_help="Count what NEW wins and loses in INPUT.",
    cls=ManualCommand,
    examples=[
        Example(
            "Count the messages that a change wins and loses",
            'selector-spark diff "speed > 5" "speed >= 5" messages.jsonl',
        ),
        Example(
            "Write a report for a pull request",
            "selector-spark diff old.json new.json trace.jsonl.gz --format markdown --output report.md",
        ),
    ],
    exits={0: "no message changes", 1: "some messages change"},
)
@click.argument("old")
@click.argument("new")
@click.argument("files", nargs=-1, required=True, metavar="INPUT...")
@archive_options
@dialect_option
@new_dialect_option
@missing_option
@connection_option
@receiver_options
@topology_options
@exchange_option("The exchange that all messages were published to.")
@click.option(
    "--format",
    "report",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="How to print the result; markdown is for a pull request.",
)
@click.option("--examples", type=click.IntRange(min=0), default=5, show_default=True, help="Messages of each change.")
@click.option("--output", type=click.Path(dir_okay=False), help="Write the report there instead of printing it.")
def diff(
    old: str,
    new: str,
    files: tuple[str, ...],
    start_job: StartJob,
    dialect: str,
    new_dialect: str | None,
    missing: Any,
    connection: str | None,
    receiver: Receiver,
    form: TopologyForm,
    exchange: str | None,
    report: Any,
    examples: int,
    output: str | None,
) -> None:
    """Count the messages in INPUT that OLD and NEW (two selectors or two topologies) treat differently.

    OLD and NEW are two selectors, two filters or two topologies: the text of a selector, or a file (NAME or @NAME; - is
    standard input) with a selector, a filter or filter set in JSON, or a topology, as the contents show. INPUT is read
    as by filter and route. Topologies are compared queue by queue.
    """
    first, second = read_pair(old, new, form)
    if first.kind == "topology" and (new_dialect is not None or dialect != "jms"):
        fail(
            "--dialect and --new-dialect apply only to selectors and filters: a topology has the dialect of its broker"
        )
    if first.kind != "topology" and exchange is not None:
        fail("--exchange applies only to topologies, not to selectors and filters")
    if output is not None and not os.path.isdir(os.path.dirname(output) or "."):
        fail(f"{shown(output)} cannot be written: there is no directory {shown(os.path.dirname(output))}")
    # Before Spark starts, which takes seconds, reject conditions that cannot be compiled.
    _check(first, dialect, connection)
    _check(second, new_dialect or dialect, connection)
    rows, where = start_job(files).read()
    from spark_ext.reports.diff import diff as diff_rows

    result = diff_rows(
        rows,
        first.value,
        second.value,
        where,
        dialect=dialect,
        new_dialect=new_dialect,
        examples=examples,
        missing=missing,
        connection=connection,
        exchange=exchange,
        **receiver.keywords,
    )
    hint_subscribers(first.value, second.value)
    text = result.render(report)
    # In JSON, control characters are already escaped.
    text = text if report == "json" else printable(text)
    if output is None:
        click.echo(text)
    else:
        replace_file(system_path(output), f"{text}\n".encode())
    raise SystemExit(1 if result.differs else 0)


def _check(given: Comparable, dialect: str, connection: str | None) -> None:
    given.check(dialect)
    if isinstance(given.value, FilterSet):
        transpile_filter(given.value, dialect=dialect, connection=connection)
