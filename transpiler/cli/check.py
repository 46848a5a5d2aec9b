"""selector-sql check: findings about selectors, for people and for machines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import click

from transpiler import __version__
from transpiler.cli.check_inputs import CheckInputs, properties_of
from transpiler.cli.completion import DIALECT
from transpiler.cli.inputs import InputFile
from transpiler.cli.layouts import ChosenLayout, layout_options, missing_option
from transpiler.cli.manual import Example, ManualCommand
from transpiler.lint.check import Checker
from transpiler.lint.formats import github, human, json_form, oneline, sarif
from transpiler.lint.registry import Selection
from transpiler.lint.report import Report
from transpiler.lint.run import Run
from transpiler.selector.dialects import find_dialect

_COLORS = {"error": "red", "warning": "yellow", "info": "cyan"}


@click.command(
    short_help="Lint selectors in arguments, files and directories.",
    cls=ManualCommand,
    examples=[
        Example("Check one selector", 'selector-sql check "a = 1 AND a = 2"'),
        Example(
            "Check every selector below a directory, as Artemis reads them", "selector-sql check . --dialect artemis"
        ),
        Example("Correct what can mean one thing only", "selector-sql check . --fix"),
        Example("Annotate a pull request", "selector-sql check . --format github"),
    ],
    exits={
        0: "no error and no warning, or --exit-zero",
        1: "an error or a warning",
        2: "a file that was named cannot be read, or the command is wrong",
    },
)
@click.argument("inputs", nargs=-1, metavar="[FILE|DIRECTORY|-|SELECTOR]...", shell_complete=InputFile().shell_complete)
@click.option("-e", "selectors", multiple=True, metavar="SELECTOR", help="A selector, whatever it looks like.")
@click.option(
    "--file",
    "files",
    multiple=True,
    type=InputFile(),
    help="A file, whatever it is called; - is standard input.",
)
@click.option("--stdin-filename", metavar="NAME", help="The name of standard input, whose end says what it is.")
@click.option(
    "--dialect",
    "dialects",
    type=DIALECT,
    multiple=True,
    metavar="NAME",
    help="The broker whose rules hold; may be repeated.  [default: jms, or the broker's whose file it is]",
)
@click.option("--select", multiple=True, metavar="ID[,ID]", help="Report only these rules, groups or severities.")
@click.option("--ignore", multiple=True, metavar="ID[,ID]", help="Do not report these.")
@click.option("--fix", is_flag=True, help="Write corrections that are certain into the files first.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 with findings too.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["human", "oneline", "json", "github", "sarif"]),
    default="human",
    show_default=True,
    help="How to print findings: for people, a line each, as data, as annotations, for code scanning.",
)
@layout_options
@missing_option
def check(
    inputs: tuple[str, ...],
    selectors: tuple[str, ...],
    files: tuple[str, ...],
    stdin_filename: str | None,
    dialects: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fix: bool,
    exit_zero: bool,
    form: str,
    layout: ChosenLayout,
    missing: Any,
) -> None:
    """Lint selectors, in selector files and wherever other files have some.

    A selector file has one selector a line, and # begins a comment line. In XML, JSON, YAML, properties and source code
    selectors are found where brokers, JMS or a comment "selector" say so. "# selector-sql: ignore[ID]" on a line, or on
    the line before, ignores a rule.
    """
    selection = Selection.of(_listed(select), _listed(ignore))
    checker = Checker(None if layout == ChosenLayout() else layout.layout, missing, selection)
    chosen = tuple(find_dialect(name) for name in dict.fromkeys(_listed(dialects)))
    sources = CheckInputs(inputs, selectors, files, stdin_filename)
    texts = sources.fixed(chosen, checker) if fix else sources.texts()
    with _progress(sources.has_files) as progress:
        report = Run(checker, chosen, progress, sources.refuse, cache(properties_of)).report(texts)
    click.echo(_printed(report, form), nl=False)
    for note in sources.notes:
        click.echo(note, err=True)
    if form in ("human", "oneline") and (report.files or report.selectors > 1):
        click.echo(report.summary(), err=True)
    if sources.failed:
        raise SystemExit(2)
    if report.fails and not exit_zero:
        raise SystemExit(1)


def _listed(given: tuple[str, ...]) -> list[str]:
    return [item.strip() for text in given for item in text.split(",") if item.strip()]


def _printed(report: Report, form: str) -> str:
    match form:
        case "json":
            return json_form(report)
        case "github":
            return github(report)
        case "sarif":
            return sarif(report, __version__)
        case _:
            return (oneline if form == "oneline" else human)(report, _paint)


def _paint(text: str, severity: str) -> str:
    return click.style(text, fg=_COLORS[severity], bold=True)


@contextmanager
def _progress(of_files: bool) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how many selectors of files are checked."""
    if not (of_files and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,} selectors checked"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("check", total=None)
        yield lambda count: progress.advance(task, count)
