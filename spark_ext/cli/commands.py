"""The command group of selector-spark, and the command selector-spark filter."""

from __future__ import annotations

import time
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from spark_ext.cli.archives import StartJob, archive_options
from spark_ext.cli.compile import compile_topology
from spark_ext.cli.diff import diff
from spark_ext.cli.explain import explain
from spark_ext.cli.jobs import Output, SparkProgram, click, fail
from spark_ext.cli.routing import backtest, route
from spark_ext.cli.verify import verify
from transpiler import __version__, parse_selector, transpile_filter
from transpiler.cli.group import say
from transpiler.cli.layouts import rules_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import filter_options, read_text, receiver_options, warn
from transpiler.language.filters.sets import FilterSet
from transpiler.message.receiver import Receiver


@click.group(cls=SparkProgram, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selector-spark")
def main() -> None:
    """Message filters and routing as Spark jobs.

    Completion: eval "$(_SELECTOR_SPARK_COMPLETE=bash_source selector-spark)", likewise zsh_source and fish_source.
    """


@main.command(
    "filter",
    short_help="Filter messages in INPUT by SELECTOR.",
    cls=ManualCommand,
    examples=[
        Example(
            "Print three matching messages and write all of them",
            "selector-spark filter \"area = 'Viking' AND speed > 5\" messages.jsonl --show 3 --output matching.parquet",
        ),
        Example(
            "Read Kafka's records that were kept as Parquet",
            "selector-spark filter \"weight > 2500\" 'day=*/*.parquet' --layout kafka-headers",
        ),
    ],
)
@click.argument("arguments", nargs=-1, required=True, metavar="[SELECTOR] INPUT...")
@filter_options
@archive_options
@rules_options
@receiver_options
@click.option("--output", help="Write the matching messages there, as Parquet.")
@click.option("--show", default=0, show_default=True, help="Print that many matching messages.")
def filter_(
    arguments: tuple[str, ...],
    filters: FilterSet | None,
    connection: str | None,
    start_job: StartJob,
    dialect: str,
    missing: Any,
    receiver: Receiver,
    output: str | None,
    show: int,
) -> None:
    """Filter messages in INPUT by SELECTOR: message JSON lines, or Parquet, ORC, Avro and CSV of any layout.

    INPUT is a file, a directory, a pattern or a URI as Spark reads them, compressed or not. RabbitMQ's tracing log is
    read as its publications. CSV has a header; a cell is text, and a number or a boolean where SELECTOR compares it
    with one, or of its type in --schema.
    With --filter or --filter-bytes there is no SELECTOR, and all arguments are inputs.
    """
    options: dict[str, Any] = {"dialect": dialect, "missing": missing, **receiver.keywords}
    selector = ""
    if filters is not None:
        warn(filters.findings)
        options["connection"] = connection
        # Before Spark starts, which takes seconds, reject a filter that cannot be compiled.
        transpile_filter(filters, dialect=dialect, connection=connection)
        given = arguments
    else:
        selector, given = read_text(arguments[0]), arguments[1:]
        parse_selector(selector, dialect)
        if not given:
            fail("nothing to filter: give INPUT after SELECTOR")
    job = start_job(given)
    target = None if output is None else Output(job.session, output)
    from spark_ext import compile_filter, compile_selector

    started = time.perf_counter()
    messages, where = job.read()
    if filters is None:
        condition = compile_selector(selector, where, **options)
    else:
        condition = compile_filter(filters, where, **options)
    matching = messages.filter(condition)
    if target is not None:
        target.write(matching)
    if show:
        with redirect_stdout(StringIO()) as shown:
            matching.show(show, truncate=60, vertical=True)
        say(shown.getvalue().rstrip("\n"))
    total, matched = messages.count(), matching.count()
    click.echo(f"{matched:,} of {total:,} messages match ({time.perf_counter() - started:.1f} s)", err=True)


main.add_command(route)
main.add_command(backtest)
main.add_command(compile_topology)
main.add_command(diff)
main.add_command(verify)
main.add_command(explain)
