"""selector-sql check and rule: diagnostics about selectors, for people and programs, and the pages of the rules."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from transpiler import __version__
from transpiler.base.diagnostics import did_you_mean
from transpiler.base.local_files import read_file, replace_file
from transpiler.cli.check_inputs import Choice, Inputs, named_kind, properties_of
from transpiler.cli.globs import Globs
from transpiler.cli.group import fail
from transpiler.cli.inputs import InputFile, exists, read_text_file, shown, system_path
from transpiler.cli.layouts import ChosenLayout, layout_options, missing_option
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import DIALECT, Name
from transpiler.language.selector.dialects import find_dialect
from transpiler.tools.lint.baseline import Baseline
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.embedded import KINDS
from transpiler.tools.lint.formats import Paint, github, human, json_form, json_listing, listing, oneline, sarif
from transpiler.tools.lint.pages import index, page, page_without_example
from transpiler.tools.lint.registry import RULES, WITHOUT_EXAMPLE, Selection, find_rule, full_id
from transpiler.tools.lint.report import Report
from transpiler.tools.lint.run import Run
from transpiler.tools.topology_report.finding_pages import FINDINGS, finding_page

_COLORS = {"error": "red", "warning": "yellow", "info": "cyan"}


def _paint(text: str, severity: str) -> str:
    return click.style(text, fg=_COLORS[severity], bold=True)


class _Known(NamedTuple):
    """The baseline of a check: the findings that are not reported again, and the name of the file that lists them."""

    file: str
    baseline: Baseline

    @classmethod
    def of(cls, given: str | None, config: _Config, is_written: bool) -> _Known | None:
        """Return the baseline that the option --baseline or the project's configuration names; None without a baseline.

        ``given`` is the value of the option. If ``is_written`` is True, the file is going to be replaced, so return an
        empty baseline.
        """
        file = given or next((os.path.join(config.directory, name) for name in config.baseline), None)
        if file is None:
            if is_written:
                fail("--write-baseline needs --baseline FILE, or baseline in [tool.selector-sql]")
            return None
        path = partial(_relative, os.path.dirname(os.path.abspath(file)))
        if is_written:
            return cls(file, Baseline(path))
        if not exists(file):
            fail(f"there is no baseline {shown(file)!r}: --write-baseline writes it")
        try:
            return cls(file, Baseline.read(read_text_file(file), path))
        except ValueError as error:
            fail(f"file '{shown(file)}' is not a baseline: {error}")

    def write(self, report: Report) -> None:
        """Write the findings of ``report`` to the file of the baseline."""
        try:
            replace_file(system_path(self.file), self.baseline.write(report).encode())
        except OSError as error:
            fail(f"file '{shown(self.file)}' cannot be written: {error.strerror}")
        click.echo(f"{shown(self.file)}: {len(report.findings):,} findings written", err=True)


def _relative(directory: str, name: str) -> str:
    return os.path.relpath(name, directory).replace(os.sep, "/")


_FOR_PEOPLE: Mapping[str, Callable[[Report, Paint, bool], str]] = {"human": human, "oneline": oneline}
#: The function that returns a report as text, by the name of the output format.
_FORMS: Mapping[str, Callable[[Report], str]] = {
    "human": human,
    "oneline": oneline,
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
@click.option(
    "--exclude", multiple=True, metavar="GLOB", help="Leave files and directories out, as .gitignore writes them."
)
@click.option("--baseline", metavar="FILE", help="A file of known findings, which are not reported again.")
@click.option("--write-baseline", is_flag=True, help="Write the findings into the baseline, and exit 0.")
@click.option("--list", "lists", is_flag=True, help="Print every selector with its place, and no findings.")
@click.option(
    "--unread", is_flag=True, help="Print all places whose selector is not read; json, sarif and github have them."
)
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
    exclude: tuple[str, ...],
    baseline: str | None,
    write_baseline: bool,
    lists: bool,
    unread: bool,
    exit_zero: bool,
    form: str,
    layout: ChosenLayout,
    missing: Any,
) -> None:
    """Lint the selectors in selector files, source code and configuration files.

    A selector file has one selector a line, and # begins a comment line. In XML, JSON, YAML, properties and source code
    selectors are found where brokers, JMS or a comment "selector" say so. "# selector-sql: ignore[ID]" on a line, or on
    the line before, ignores a rule.
    """
    config = _read_config(Path.cwd())
    selection = Selection.of(_listed(select or config.select), _listed(ignore or config.ignore))
    checker = Checker(None if layout == ChosenLayout() else layout.layout, missing, selection)
    chosen = tuple(find_dialect(name) for name in dict.fromkeys(_listed(dialects or config.dialect)))
    excluded = (Globs(exclude, "."), Globs(config.exclude, config.directory))
    choice = Choice(named_kind(kind), stdin_filename, excluded, ignore_unknown)
    known = _Known.of(baseline, config, write_baseline)
    sources = Inputs(inputs, selectors, files, choice)
    declarations = sources.declarations()
    texts = sources.fixed(chosen, checker, declarations) if fix else sources.texts()
    with _progress(sources.has_files) as progress:
        report = Run(checker, chosen, progress, sources.refuse, cache(properties_of), declarations).report(texts)
    report.left_out = sources.left_out
    if lists:
        click.echo((json_listing if form == "json" else listing)(report), nl=False)
    elif known is not None and write_baseline:
        known.write(report)
    else:
        if known is not None:
            known.baseline.subtract_from(report)
        click.echo(
            _FORMS[form](report) if form not in _FOR_PEOPLE else _FOR_PEOPLE[form](report, _paint, unread), nl=False
        )
    for note in sources.notes:
        click.echo(note, err=True)
    if form in ("human", "oneline") and (report.files or report.selectors > 1):
        click.echo(report.summary(), err=True)
    if sources.failed:
        raise SystemExit(2)
    if report.fails and not (exit_zero or lists or write_baseline):
        raise SystemExit(1)


def _listed(given: tuple[str, ...]) -> list[str]:
    return [item.strip() for text in given for item in text.split(",") if item.strip()]


@contextmanager
def _progress(of_files: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that updates the progress on a terminal; its argument is the number of newly checked selectors.

    If ``of_files`` is False, the function does nothing, because only a check of files can take long.
    """
    if not (of_files and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,} selectors checked"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("check", total=None)
        yield lambda count: progress.advance(task, count)


#: The ids for which ``rule`` can print a page: those of lint rules, and of warnings about topology files.
_PAGES = (*(one.id for one in RULES), *FINDINGS)


@click.command(
    short_help="Print the page of a rule of check.",
    cls=ManualCommand,
    examples=[
        Example("Say what a finding means, with an example", "selector-sql rule lint.may-be-absent"),
        Example("List all rules", "selector-sql rule"),
    ],
    exits={0: "the page is printed"},
)
@click.argument(
    "rule_id",
    metavar="[ID]",
    required=False,
    type=Name("rule", lambda: [*(one.id for one in RULES), *WITHOUT_EXAMPLE, *FINDINGS]),
)
def rule(rule_id: str | None) -> None:
    """Print the page of the rule called ID, or the list of all rules; no network is needed."""
    if rule_id is None:
        click.echo(index(), nl=False)
        return
    if rule_id in FINDINGS:
        click.echo(finding_page(rule_id))
        return
    if rule_id in WITHOUT_EXAMPLE:
        click.echo(page_without_example(rule_id))
        return
    name = full_id(rule_id)
    found = find_rule(name)
    if found is None:
        hint = (
            did_you_mean(name, [*(one.id for one in RULES), *FINDINGS])
            or "selector-sql rule, without an id, lists them"
        )
        fail(f"there is no rule called {rule_id!a}\n  hint: {hint}")
    click.echo(page(found), nl=False)


_NAME = "pyproject.toml"


class _Config(NamedTuple):
    """The options of a project from its pyproject.toml.

    ``exclude`` and ``baseline`` are relative to ``directory``, the directory of this file.
    """

    dialect: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    baseline: tuple[str, ...] = ()
    directory: str = "."


_KEYS = _Config._fields[:-1]


def _read_config(start: Path) -> _Config:
    """Return the options from the nearest pyproject.toml in ``start`` or a directory above it.

    An invalid table in the file ends the command with an error.
    """
    for directory in (start, *start.parents):
        file = directory / _NAME
        try:
            text = read_file(file).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if "selector-sql" not in text:
            continue
        try:
            table = tomllib.loads(text).get("tool", {}).get("selector-sql")
        except (tomllib.TOMLDecodeError, AttributeError) as error:
            fail(f"{shown(str(file))}: this is not TOML: {error}")
        if table is not None:
            return _of_table(table, file)
    return _Config()


def _of_table(table: Any, file: Path) -> _Config:
    where = f"{shown(str(file))}: [tool.selector-sql]"
    if not isinstance(table, dict):
        fail(f"{where} must be a table")
    for key, value in table.items():
        if key not in _KEYS:
            fail(
                f"{where} has no key {key!a}\n  hint: {did_you_mean(key, _KEYS) or 'its keys are ' + ', '.join(_KEYS)}"
            )
        texts = value if isinstance(value, list) and key != "baseline" else [value]
        if not all(isinstance(text, str) for text in texts):
            kind = "a text" if key == "baseline" else "a text, or a list of texts"
            fail(f"{where}: {key} must be {kind}")
    listed = {key: tuple(value) if isinstance(value, list) else (value,) for key, value in table.items()}
    return _Config(**listed, directory=str(file.parent))
