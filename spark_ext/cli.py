"""selector-spark: filters and routing as Spark jobs on files."""

from __future__ import annotations

import time
from typing import Any

from spark_ext.cli_jobs import Output, SparkProgram, click, fail, find_inputs, start_session
from spark_ext.cli_routing import backtest, route
from spark_ext.cli_verify import verify
from transpiler import __version__, parse_selector, transpile_filter
from transpiler.cli.options import filter_options, read_filter, read_text, to_message, warn


@click.group(cls=SparkProgram, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selector-spark")
def main() -> None:
    """Message filters and routing as Spark jobs.

    Completion: eval "$(_SELECTOR_SPARK_COMPLETE=bash_source selector-spark)", likewise zsh_source and fish_source.
    """


@main.command("filter")
@click.argument("arguments", nargs=-1, required=True, metavar="[SELECTOR] INPUT...")
@filter_options
@click.option("--format", "form", type=click.Choice(["json", "parquet", "orc"]), help="Default: by the file's name.")
@click.option("--layout", help="A layout's name; default: what the schema shows.")
@click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold.")
@click.option("--missing", type=click.Choice(["error", "null"]), default="error", show_default=True)
@click.option("--now", type=int, metavar="MILLISECONDS", help="The current time since the epoch; default: the query's.")
@click.option("--destination", help="The consumer's destination: JMSDestination where a message has none.")
@click.option("--master", default="local[*]", show_default=True, help="The Spark master.")
@click.option("--output", help="Write the matching messages there, as Parquet.")
@click.option("--show", default=0, show_default=True, help="Print that many matching messages.")
def filter_(
    arguments: tuple[str, ...],
    filter_file: str | None,
    filter_bytes: str | None,
    connection: str | None,
    unknown: Any,
    form: str | None,
    layout: str | None,
    dialect: str,
    missing: Any,
    now: int | None,
    destination: str | None,
    master: str,
    output: str | None,
    show: int,
) -> None:
    """Filter messages in INPUT by SELECTOR: message JSON lines, or Parquet and ORC of any layout.

    With --filter or --filter-bytes there is no SELECTOR, and all arguments are inputs.
    """
    filters = read_filter(filter_file, filter_bytes, unknown)
    options: dict[str, Any] = {"dialect": dialect, "missing": missing, "now": now, "destination": destination}
    selector = ""
    if filters is not None:
        warn(filters.findings)
        options["connection"] = connection
        # Refuse a filter that cannot be asked before Spark starts, which takes seconds.
        transpile_filter(filters, dialect=dialect, connection=connection)
        given = arguments
    else:
        selector, given = read_text(arguments[0]), arguments[1:]
        parse_selector(selector, dialect)
        if not given:
            fail("nothing to filter: give INPUT after SELECTOR")
    inputs = find_inputs(given, form)
    session = start_session(master)
    target = None if output is None else Output(session, output)
    from spark_ext import compile_filter, compile_selector, create_messages

    started = time.perf_counter()
    where: Any = None
    if inputs.form == "json":
        messages = create_messages(
            session, (to_message(value, file, line) for file, line, value in inputs.objects(session))
        )
    else:
        messages = inputs.table(session)
        where = layout or messages
    if filters is None:
        condition = compile_selector(selector, where, **options)
    else:
        condition = compile_filter(filters, where, **options)
    matching = messages.filter(condition)
    if target is not None:
        target.write(matching)
    if show:
        matching.show(show, truncate=60, vertical=True)
    total, found = messages.count(), matching.count()
    click.echo(f"{found:,} of {total:,} messages match ({time.perf_counter() - started:.1f} s)", err=True)


main.add_command(route)
main.add_command(backtest)
main.add_command(verify)

if __name__ == "__main__":
    main()
