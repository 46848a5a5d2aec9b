"""selector-spark: filters as Spark jobs on files."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from transpiler import TranspilerError, __version__

if TYPE_CHECKING:
    import click
else:
    try:
        import click
    except ImportError:
        sys.exit("the commands need click: pip install 'selector-sql[cli,spark]'")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selector-spark")
def main() -> None:
    """Message filters as Spark jobs.

    Completion: eval "$(_SELECTOR_SPARK_COMPLETE=bash_source selector-spark)", likewise zsh_source and fish_source.
    """


def _fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(2)


def _session(master: str) -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        _fail("Spark is not installed: pip install 'selector-sql[cli,spark]'")
    import os

    if master.startswith("local") and not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        _fail("Spark needs Java 17 or later: install it, for example with apt-get install openjdk-17-jre-headless")
    session = (
        SparkSession.builder.master(master)
        .appName("selector-spark")
        .config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


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
        _fail(str(error))
    for name in inputs:
        if "://" not in name and not any(Path().glob(name) if not Path(name).is_absolute() else [Path(name)]):
            _fail(f"there is no file {name}")
    session = _session(master)
    from spark_ext import compile_selector, create_messages

    started = time.perf_counter()
    try:
        if (form or _form(inputs[0])) == "json":
            messages = create_messages(session, _json_lines(inputs))
            where: Any = None
        else:
            messages = session.read.format(form or _form(inputs[0])).load(list(inputs))
            where = layout or messages
        matching = messages.filter(compile_selector(selector, where, dialect=dialect, missing=missing))
        if output:
            matching.write.mode("errorifexists").parquet(output)
        if show:
            matching.show(show, truncate=60, vertical=True)
        total, found = messages.count(), matching.count()
    except TranspilerError as error:
        _fail(str(error))
    except Exception as error:
        from pyspark.errors import PySparkException

        if not isinstance(error, PySparkException):
            raise
        _fail(str(error).splitlines()[0])
    click.echo(f"{found:,} of {total:,} messages match ({time.perf_counter() - started:.1f} s)", err=True)


def _form(name: str) -> str:
    suffixes = Path(name).suffixes
    if ".json" in suffixes or ".jsonl" in suffixes:
        return "json"
    return "orc" if ".orc" in suffixes else "parquet"


def _json_lines(inputs: tuple[str, ...]) -> Any:
    for name in inputs:
        with Path(name).open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    try:
                        yield json.loads(line)
                    except json.JSONDecodeError as error:
                        _fail(f"{name}:{number}:{error.colno}: this is not JSON: {error.msg}")


if __name__ == "__main__":
    main()
