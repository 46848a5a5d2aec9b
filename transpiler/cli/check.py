"""selector-sql check and rule: findings about selectors, for people and for machines, and the pages of their rules."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import click

from transpiler import __version__
from transpiler.base.diagnostics import did_you_mean
from transpiler.base.source import Span
from transpiler.cli.group import fail
from transpiler.cli.inputs import (
    InputFile,
    check_input,
    exists,
    input_lines,
    read_bytes,
    read_text_file,
    shown,
    system_path,
)
from transpiler.cli.layouts import ChosenLayout, layout_options, missing_option
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import DIALECT, Name
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.embedded import UnreadableError, is_known
from transpiler.tools.lint.embedded.placeholders import Properties, read_properties
from transpiler.tools.lint.fixes import fix_file
from transpiler.tools.lint.formats import github, human, json_form, oneline, sarif
from transpiler.tools.lint.pages import index, page
from transpiler.tools.lint.registry import RULES, Selection, find_rule, full_id
from transpiler.tools.lint.report import Lines, Report
from transpiler.tools.lint.run import Run, Text

_COLORS = {"error": "red", "warning": "yellow", "info": "cyan"}


#: Directories that hold what others wrote, or what a build made.
_SKIPPED = frozenset("node_modules target build dist out bin obj vendor venv __pycache__ site-packages".split())
#: A word without blanks, quotes and operators, with a slash or an ending, that looks like the name of a file.
_FILE_NAME = re.compile(r"[^\s'\"=<>()]*(?:[/\\][^\s'\"=<>()]*|\.[A-Za-z][A-Za-z0-9]{0,11})")
_ENCODING = re.compile(rb"""^<\?xml[^>]*?encoding=["']([A-Za-z0-9._-]+)["']""")
#: Bytes of a file that is read because its directory is checked: what people write by hand is smaller.
_MAX_BYTES = 8 * 2**20

_STANDARD_INPUT = "standard input"
#: The properties of an application, from a directory of its project on.
_APPLICATION = ("application*.*", "src/main/resources/application*.*")


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
    sources = _Inputs(inputs, selectors, files, stdin_filename)
    texts = sources.fixed(chosen, checker) if fix else sources.texts()
    with _progress(sources.has_files) as progress:
        report = Run(checker, chosen, progress, sources.refuse, cache(_properties_of)).report(texts)
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


@dataclass
class _Inputs:
    """Arguments of ``check``, resolved in their order.

    ``notes`` says which files were not read. ``failed`` if the user named one of them, and not its directory only.
    """

    arguments: tuple[str, ...]
    selectors: tuple[str, ...]
    files: tuple[str, ...]
    stdin_filename: str | None = None
    notes: list[str] = field(default_factory=list)
    failed: bool = False

    def __post_init__(self) -> None:
        if not (self.arguments or self.selectors or self.files):
            fail("nothing to check: give a file, a directory, a selector, or - for standard input")
        for argument in self.arguments:
            if argument != "-" and not exists(argument) and _FILE_NAME.fullmatch(argument):
                fail(f"there is no file {shown(argument)!r}; if it is a selector, write -e '{argument}'")
        for name in (*self.files, *(one for one in self.arguments if exists(one) and not _is_directory(one))):
            check_input(name)

    @property
    def has_files(self) -> bool:
        """True if a file, a directory or standard input is checked."""
        return bool(self.files) or any(argument == "-" or exists(argument) for argument in self.arguments)

    def texts(self) -> Iterator[Text]:
        """Read and yield the texts one after the other; a file that cannot be read ends the command."""
        for argument in self.arguments:
            if argument == "-":
                yield self._standard_input()
            elif not exists(argument):
                yield Text(argument)
            elif _is_directory(argument):
                yield from self._directory(argument)
            else:
                yield _read(argument)
        for selector in self.selectors:
            yield Text(selector)
        for name in self.files:
            yield self._standard_input() if name == "-" else _read(name)

    def fixed(self, dialects: Sequence[Dialect], checker: Checker) -> Iterator[Text]:
        """Read the texts and write their corrections, then yield them as they are now."""
        for text in self.texts():
            if text.file is None or text.file in (_STANDARD_INPUT, self.stdin_filename) or text.file.endswith(".gz"):
                fail("--fix writes files: give the names of files or directories, not a selector or standard input")
            try:
                content, count = fix_file(text.content, text.kind or text.file, dialects, checker)
            except UnreadableError:
                # It is told with the findings.
                content, count = text.content, 0
            if count and (problem := _write(text.file, text.content, content)) is None:
                self.notes.append(f"{shown(text.file)}: {count} correction{'' if count == 1 else 's'} written")
                yield text._replace(content=content)
                continue
            if count:
                self.notes.append(f"{shown(text.file)}: not corrected: {problem}")
            yield text

    def refuse(self, text: Text, error: UnreadableError) -> None:
        """Note that a file is not what its name says."""
        place = ""
        if error.offset is not None:
            line, column, *_ = Lines(text.content).place(Span(error.offset, error.offset))
            place = f":{line}:{column}"
        skipped = "" if text.named else "skipped: "
        self.notes.append(f"{shown(text.file or 'argument')}{place}: {skipped}{error.message}")
        self.failed = self.failed or text.named

    def _standard_input(self) -> Text:
        name = self.stdin_filename
        return Text(read_text_file("-"), name or _STANDARD_INPUT, name or "-.sel")

    def _directory(self, directory: str) -> Iterator[Text]:
        for name in _files_of(directory):
            try:
                size = os.stat(system_path(name)).st_size
                if size > _MAX_BYTES:
                    self.notes.append(f"{shown(name)}: skipped: it has more than {_MAX_BYTES // 2**20} MiB")
                    continue
                yield Text(_normalized(_decoded(read_bytes(name))), name, named=False)
            except (UnicodeDecodeError, LookupError):
                self.notes.append(f"{shown(name)}: skipped: it is not UTF-8")
            except (OSError, click.ClickException) as error:
                self.notes.append(f"{shown(name)}: skipped: {getattr(error, 'message', error)}")


def _read(name: str) -> Text:
    """Read a file that the user named; what cannot be read ends the command."""
    if name.endswith(".gz"):
        content = "\n".join(line for _, line in input_lines(name))
        return Text(content, name, name.removesuffix(".gz"))
    if name.lower().endswith(".xml"):
        with suppress(UnicodeDecodeError, LookupError):
            return Text(_normalized(_decoded(read_bytes(name))), name)
    return Text(read_text_file(name), name)


def _properties_of(name: str) -> Properties:
    """Return the values of each property in the nearest ``application*.properties`` and ``.yml`` above a file."""
    found: dict[str, set[str]] = {}
    for directory in Path(name).absolute().parents:
        for file in (file for pattern in _APPLICATION for file in directory.glob(pattern)):
            with suppress(OSError):
                text = _normalized(file.read_text(encoding="utf-8", errors="replace"))
                for key, value in read_properties(text, file.suffix):
                    found.setdefault(key, set()).add(value)
        if found:
            break
    return found


def _write(name: str, old: str, new: str) -> str | None:
    """Write the text of a file, its line ends as they were; return the reason where that is not possible."""
    path = os.path.realpath(system_path(name))
    with open(path, "rb") as stream:
        data = stream.read()
    begins = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    ends = next((end for end in ("\n", "\r\n", "\r") if begins + old.replace("\n", end).encode() == data), None)
    if ends is None:
        return "it is not UTF-8, or its lines end in several ways"
    try:
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), delete=False) as copy:
            copy.write(begins + new.replace("\n", ends).encode())
        shutil.copymode(path, copy.name)
        os.replace(copy.name, path)
    except OSError as error:
        return str(error.strerror)
    return None


def _files_of(directory: str) -> Iterator[str]:
    """Yield the files of a directory and those below in which selectors are looked for, in the order of names."""
    for parent, directories, files in os.walk(directory):
        directories[:] = sorted(one for one in directories if not one.startswith(".") and one not in _SKIPPED)
        for file in sorted(files):
            if not file.startswith(".") and is_known(file):
                yield os.path.normpath(os.path.join(parent, file))


def _decoded(data: bytes) -> str:
    """Decode a file: XML by its own declaration, all else as UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    declared = _ENCODING.match(data)
    return data.decode("utf-8-sig" if declared is None or declared[1].lower() == b"utf-8" else declared[1].decode())


def _normalized(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_directory(name: str) -> bool:
    return os.path.isdir(system_path(name))


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
