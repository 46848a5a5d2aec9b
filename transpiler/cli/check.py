"""selector-sql check and rule: findings about selectors, for people and for machines, and the pages of their rules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import click

from transpiler import __version__
from transpiler.base.diagnostics import did_you_mean
from transpiler.cli.check_inputs import Choice, Inputs, named_kind, properties_of
from transpiler.cli.group import fail
from transpiler.cli.inputs import InputFile
from transpiler.cli.layouts import ChosenLayout, layout_options, missing_option
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import DIALECT, Name
from transpiler.language.selector.dialects import find_dialect
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.embedded import KINDS
from transpiler.tools.lint.formats import github, human, json_form, oneline, sarif
from transpiler.tools.lint.pages import index, page
from transpiler.tools.lint.registry import RULES, Selection, find_rule, full_id
from transpiler.tools.lint.report import Report
from transpiler.tools.lint.run import Run

_COLORS = {"error": "red", "warning": "yellow", "info": "cyan"}


def _paint(text: str, severity: str) -> str:
    return click.style(text, fg=_COLORS[severity], bold=True)


#: The forms in which findings are printed.
_FORMS: Mapping[str, Callable[[Report], str]] = {
    "human": partial(human, paint=_paint),
    "oneline": partial(oneline, paint=_paint),
    "json": json_form,
    "github": github,
    "sarif": partial(sarif, version=__version__),
}


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
        2: "a file that was named cannot be read, there is none to read, or the command is wrong",
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
@click.option(
    "--as",
    "kind",
    type=click.Choice(list(KINDS)),
    metavar="KIND",
    help="What the files that are named are, whatever they are called: selectors (one a line), xml, json, java, …",
)
@click.option("--ignore-unknown", is_flag=True, help="Skip named files that check does not know, or cannot read.")
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
    type=click.Choice(list(_FORMS)),
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
    kind: str | None,
    ignore_unknown: bool,
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
    choice = Choice(named_kind(kind), stdin_filename, ignore_unknown=ignore_unknown)
    sources = Inputs(inputs, selectors, files, choice)
    texts = sources.fixed(chosen, checker) if fix else sources.texts()
    with _progress(sources.has_files) as progress:
        report = Run(checker, chosen, progress, sources.refuse, cache(properties_of)).report(texts)
    report.left_out = sources.left_out
    click.echo(_FORMS[form](report), nl=False)
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


@click.command(
    short_help="Print the page of a rule of check.",
    cls=ManualCommand,
    examples=[
        Example("Say what a finding means, with an example", "selector-sql rule lint.may-be-absent"),
        Example("List all rules", "selector-sql rule"),
    ],
    exits={0: "the page is printed"},
)
@click.argument("rule_id", metavar="[ID]", required=False, type=Name("rule", lambda: [one.id for one in RULES]))
def rule(rule_id: str | None) -> None:
    """Print the page of the rule called ID, or the list of all rules; no network is needed."""
    if rule_id is None:
        click.echo(index(), nl=False)
        return
    name = full_id(rule_id)
    found = find_rule(name)
    if found is None:
        hint = did_you_mean(name, [one.id for one in RULES]) or "selector-sql rule, without an id, lists them"
        fail(f"there is no rule called {rule_id!a}\n  hint: {hint}")
    click.echo(page(found), nl=False)
