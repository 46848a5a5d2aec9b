"""selector-spark: filters and routing as Spark jobs on files."""

from __future__ import annotations

import time
from typing import Any

from spark_ext.cli_jobs import check_files, click, fail, form_of, json_lines, reported, start_session
from spark_ext.cli_routing import backtest, route
from transpiler import TranspilerError, __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selector-spark")
def main() -> None:
    """Message filters and routing as Spark jobs.

    Completion: eval "$(_SELECTOR_SPARK_COMPLETE=bash_source selector-spark)", likewise zsh_source and fish_source.
    """


@main.command("filter")
@click.argument("selector")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--format", "form", type=click.Choice(["json", "parquet", "orc"]), help="Default: by the file's name.")
@click.option("--layout", help="A layout's name; default: what the schema shows.")
@click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold.")
@click.option("--missing", type=click.Choice(["error", "null"]), default="error", show_default=True)
@click.option("--master", default="local[*]", show_default=True, help="The Spark master.")
@click.option("--output", help="Write the matching messages there, as Parquet.")
@click.option("--show", default=0, show_default=True, help="Print that many matching messages.")
def filter_(
    selector: str,
    inputs: tuple[str, ...],
    form: str | None,
    layout: str | None,
    dialect: str,
    missing: Any,
    master: str,
    output: str | None,
    show: int,
) -> None:
    """Filter messages in INPUT by SELECTOR: message JSON lines, or Parquet and ORC of any layout."""
    from transpiler import parse_selector

    try:
        parse_selector(selector, dialect)
    except TranspilerError as error:
        fail(str(error))
    check_files(inputs)
    session = start_session(master)
    from spark_ext import compile_selector, create_messages

    started = time.perf_counter()
    with reported():
        if (form or form_of(inputs[0])) == "json":
            messages = create_messages(session, json_lines(inputs))
            where: Any = None
        else:
            messages = session.read.format(form or form_of(inputs[0])).load(list(inputs))
            where = layout or messages
        matching = messages.filter(compile_selector(selector, where, dialect=dialect, missing=missing))
        if output:
            matching.write.mode("errorifexists").parquet(output)
        if show:
            matching.show(show, truncate=60, vertical=True)
        total, found = messages.count(), matching.count()
    click.echo(f"{found:,} of {total:,} messages match ({time.perf_counter() - started:.1f} s)", err=True)


main.add_command(route)
main.add_command(backtest)

if __name__ == "__main__":
    main()
