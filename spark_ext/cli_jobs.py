"""What the commands share: a session, files of messages, and errors without a traceback."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from transpiler import TranspilerError

if TYPE_CHECKING:
    import click as click
else:
    try:
        import click
    except ImportError:
        sys.exit("the commands need click: pip install 'selector-sql[cli,spark]'")


def fail(message: str) -> NoReturn:
    """Print an error and exit with 2."""
    click.echo(message, err=True)
    raise SystemExit(2)


def start_session(master: str) -> Any:
    """A quiet session on a master."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        fail("Spark is not installed: pip install 'selector-sql[cli,spark]'")
    import os

    if master.startswith("local") and not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        fail("Spark needs Java 17 or later: install it, for example with apt-get install openjdk-17-jre-headless")
    session = (
        SparkSession.builder.master(master)
        .appName("selector-spark")
        .config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


@contextmanager
def reported() -> Iterator[None]:
    """Errors of ours and of Spark's as one message on standard error, and exit code 2."""
    try:
        yield
    except TranspilerError as error:
        fail(str(error))
    except Exception as error:
        from pyspark.errors import PySparkException

        if not isinstance(error, PySparkException):
            raise
        fail(str(error).splitlines()[0])


def check_files(inputs: tuple[str, ...]) -> None:
    """Refuse names of local files that match nothing."""
    for name in inputs:
        if "://" not in name and not glob(name):
            fail(f"there is no file {name}")


def form_of(name: str) -> str:
    """The format that a file's name shows."""
    suffixes = Path(name).suffixes
    if ".json" in suffixes or ".jsonl" in suffixes:
        return "json"
    return "orc" if ".orc" in suffixes else "parquet"


def json_lines(inputs: tuple[str, ...]) -> Iterator[Any]:
    """The objects of files with one a line."""
    for name in inputs:
        with Path(name).open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    try:
                        yield json.loads(line)
                    except json.JSONDecodeError as error:
                        fail(f"{name}:{number}:{error.colno}: this is not JSON: {error.msg}")
