"""selector-sql compare and port: compare a selector under the rules of all brokers; rewrite it for another broker."""

from __future__ import annotations

import csv
import io
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import click

from transpiler import Diagnostic, TranspilerError, parse_selector, print_selector
from transpiler.base.diagnostics import one_line, printable
from transpiler.base.documents.jsontext import json_text
from transpiler.cli.group import fail, say, say_data
from transpiler.cli.inputs import InputFile, input_lines, shown
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import DIALECT, read_text, warn
from transpiler.language.selector.dialects import DIALECTS, find_dialect
from transpiler.message.types import TRUTH_TEXT
from transpiler.tools.dialect_tools.compare_dialects import Compared, compare_dialects
from transpiler.tools.dialect_tools.port import Changes, port_selector

Outcome = Literal["same", "changed", "unproved", "warning", "error"]

#: ``_STYLES`` is the colour of each outcome in a table. ``_WIDTH`` is the width of a table that is not printed on a
#: terminal, in characters.
_STYLES = {"changed": "", "unproved": "yellow", "warning": "yellow", "error": "red"}
_WIDTH = 120


@click.command(
    short_help="Compare what all dialects make of SELECTOR.",
    cls=ManualCommand,
    examples=[
        Example(
            "See which brokers refuse a selector or read it differently", 'selector-sql compare "s <> 5 AND NOT i > 6"'
        ),
        Example("See each broker's verdict on a message", 'selector-sql compare "color <> 5" --message message.json'),
    ],
)
@click.argument("selector")
@click.option(
    "--message", type=InputFile(), help="A file with one message, in any form that match reads; - is standard input."
)
def compare(selector: str, message: str | None) -> None:
    """Show for every dialect whether it accepts SELECTOR, or why not, and the result for a message.

    A dialect that parts from jms has a star, and the rule behind the difference.
    """
    text = read_text(selector)
    examples = []
    if message is not None:
        # Imported here because only the option for a message needs it, and it doubles the time of the import.
        from transpiler.cli.messages import read_messages

        examples = [read.message for read in read_messages([message])]
        if len(examples) != 1:
            fail(
                f"{shown(message)} has {len(examples)} messages, but the dialects are compared "
                "on a single message: give a file with one message"
            )
    width = max(len(name) for name in DIALECTS)
    for row in compare_dialects(text, examples[0] if examples else None):
        star = "*" if row.rule is not None or row.reading is not None else " "
        say(f"{star} {row.dialect.name:{width}}  {_acceptance(row)}")
        if row.verdict is not None and row.verdict.thrown is not None:
            say(f"  {'':{width}}    throws: {row.verdict.thrown}; {row.dialect.on_throw}")
        if row.reading is not None:
            say(f"  {'':{width}}    reads: {row.reading}")
        if row.rule is not None:
            say(f"  {'':{width}}    rule: {row.rule}")


#: Version number of the JSON form of a row.
VERSION = 1


def _acceptance(row: Compared) -> str:
    if row.refused is not None:
        return f"refused   {row.refused.code}: {row.refused.message}"
    if row.verdict is None:
        return "accepted"
    return f"accepted  {TRUTH_TEXT[row.verdict.truth]}"


@dataclass(frozen=True, slots=True)
class _Row:
    """The result for one line of a file with selectors: the selector ``source`` and its translation ``text``.

    ``text`` is None if the other dialect cannot express the selector.
    """

    file: str
    line: int
    source: str
    text: str | None
    notes: tuple[Diagnostic, ...]
    outcome: Outcome

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "file": self.file,
            "line": self.line,
            "from": self.source,
            "to": self.text,
            "outcome": self.outcome,
            "notes": [note.to_dict() for note in self.notes],
        }

    @property
    def note(self) -> str:
        """The messages of all notes as one text, separated by semicolons."""
        return "; ".join(map(_sentence, self.notes))


@click.command(
    short_help="Rewrite SELECTOR for another broker.",
    cls=ManualCommand,
    examples=[
        Example("Rewrite one selector", 'selector-sql port --from activemq --to artemis "color <> 5"'),
        Example(
            "List what changes in a file of selectors", "selector-sql port --from jms --to rabbitmq --file routes.sel"
        ),
        Example(
            "Write the selectors alone", "selector-sql port --from jms --to rabbitmq --file routes.sel --format text"
        ),
    ],
    exits={
        0: "all selectors can be said",
        2: "some cannot be said, or an error",
        3: "with --strict: all can be said, and of some it is not proved that they select the same messages",
    },
)
@click.argument("selector", required=False)
@click.option(
    "--file",
    "files",
    multiple=True,
    type=InputFile(),
    help="A file with one selector a line; # begins a comment line; - is standard input. May be repeated.",
)
@click.option("--from", "source", required=True, type=DIALECT, help="The dialect that the selectors are written in.")
@click.option("--to", "target", required=True, type=DIALECT, help="The dialect to write them in.")
@click.option("--strict", is_flag=True, help="Let no change of meaning pass, on no message.")
@click.option(
    "--loose", is_flag=True, help="Keep a condition as it is where that is not exact, with a warning for what changes."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "text", "tsv", "json"]),
    help="How to print selectors of files: what changes and what cannot be said, the selectors alone, one a line, or "
    "every selector with its notes.  [default: table; of SELECTOR: text]",
)
def port(
    selector: str | None, files: tuple[str, ...], source: str, target: str, strict: bool, loose: bool, form: str | None
) -> None:
    """Rewrite SELECTOR (- reads it from standard input), or the selectors in files, for another broker.

    The result selects the same messages there. What the other broker cannot express is an error, with a message on
    which the two disagree. What only changes for rare messages (types that JMS does not give to properties, NaN,
    overflows, line ends) is a warning; a condition for which no such message was found, and no proof, is reported.
    What check reports about the result, and does not report about SELECTOR, is printed as well.
    """
    if strict and loose:
        fail("--strict and --loose exclude each other: give one of them")
    if (selector is None) is not bool(files):
        fail("give either SELECTOR or --file FILE")
    changes: Changes = "none" if strict else "any" if loose else "rare"
    if selector is not None and form in (None, "text"):
        ported = port_selector(read_text(selector), source, target, changes=changes)
        say_data(ported.text)
        warn(ported.notes)
        _end(ported.notes, strict)
        return
    # Report an unknown dialect once, before the loop that would report it for each line.
    find_dialect(source)
    find_dialect(target)
    given: Iterable[tuple[str, int, str]] = ((file, *line) for file in files for line in input_lines(file))
    if selector is not None:
        given = [("", 1, read_text(selector))]
    rows = [
        row
        for name, number, text in given
        if (row := _ported(name, number, text, source, target, changes, form == "text")) is not None
    ]
    _print(rows, form, len(files) > 1)
    selectors = [row for row in rows if row.source.strip() and not row.source.lstrip().startswith("#")]
    failed = sum(row.outcome == "error" for row in selectors)
    if failed:
        are = "selector" if len(selectors) == 1 else "selectors"
        fail(f"{failed:,} of {len(selectors):,} {are} cannot be ported to {find_dialect(target).title}")
    _end((note for row in rows for note in row.notes), strict)


def _ported(
    name: str, number: int, text: str, source: str, target: str, changes: Changes, comments: bool
) -> _Row | None:
    """Translate the selector ``text`` from the dialect ``source`` to ``target``, and return it as a row.

    ``name`` and ``number`` are its file and line. For a comment or a blank line, return an unchanged row if
    ``comments`` is True, otherwise None.
    """
    if not text.strip() or text.lstrip().startswith("#"):
        return _Row(name, number, text, text, (), "same") if comments else None
    try:
        ported = port_selector(text, source, target, changes=changes)
    except TranspilerError as error:
        return _Row(name, number, text, None, tuple(error.diagnostics), "error")
    if any(note.severity == "warning" for note in ported.notes):
        return _Row(name, number, text, ported.text, ported.notes, "warning")
    if any(note.code == "port.unproved" for note in ported.notes):
        return _Row(name, number, text, ported.text, ported.notes, "unproved")
    if _reads_alike(text, ported.text, source, target):
        return _Row(name, number, text, text, ported.notes, "same")
    return _Row(name, number, text, ported.text, ported.notes, "changed")


def _reads_alike(text: str, ported: str, source: str, target: str) -> bool:
    """Return True if the selector ``text`` can stay as it is, instead of its translation ``ported``.

    That is so if ``target`` parses both to the same tree, and ``ported`` is the canonical text of the selector in
    ``source``.
    """
    try:
        tree = parse_selector(text, target)
    except TranspilerError:
        return False
    own = parse_selector(text, source)
    return (
        tree is not None
        and own is not None
        and tree == parse_selector(ported, target)
        and (print_selector(own, source) == ported)
    )


def _sentence(note: Diagnostic) -> str:
    """Return ``note`` as a sentence: its kind, the part of the selector that it is about, its message and its hint."""
    kind = "changes" if note.severity == "warning" else "cannot be said"
    if note.code == "port.rare":
        kind = "changes for rare messages"
    elif note.code == "port.unproved":
        kind = "is not proved to be the same"
    elif not note.code.startswith("port."):
        kind = "is no selector" if note.severity == "error" else f"check reports {note.code}"
    part = ""
    if note.source is not None and note.span is not None:
        part = note.source.text[note.span.start : note.span.end]
    whole = note.source is None or part == note.source.text.strip()
    entry = f"{kind}: {note.message}" if whole or not part else f"{kind}: {part}: {note.message}"
    return entry if note.hint is None else f"{entry} ({note.hint})"


def _end(notes: Iterable[Diagnostic], strict: bool) -> None:
    """Exit with code 3 if ``strict`` is True and no proof was found that a translation is equivalent.

    Other ``notes`` do not change the exit code.
    """
    if strict and any(note.code == "port.unproved" for note in notes):
        raise SystemExit(3)


def _location(row: _Row, several: bool) -> str:
    return f"{shown(row.file)}:{row.line}" if several else str(row.line)


def _printable(text: str) -> str:
    """Return ``text`` unchanged if it is printable; otherwise as one printable line, shortened if it is long."""
    return text if text.isprintable() else one_line(text)


def _print(rows: list[_Row], form: str | None, several: bool) -> None:
    match form:
        case "json":
            click.echo(json_text([row.to_dict() for row in rows], indent=2))
        case "text":
            for row in rows:
                say_data(f"# cannot be ported: {_printable(row.source.strip())}" if row.text is None else row.text)
                for note in row.notes:
                    click.echo(_printable(f"{_location(row, True)}: {_sentence(note)}"), err=True)
        case "tsv":
            buffer = io.StringIO()
            writer = csv.writer(buffer, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
            writer.writerow(("line", "outcome", "from", "to", "note"))
            for row in rows:
                cells = (_location(row, several), row.outcome, row.source.strip(), row.text or "", row.note)
                writer.writerow([_printable(cell) for cell in cells])
            click.echo(buffer.getvalue(), nl=False)
        case _:
            changed = [row for row in rows if row.outcome != "same"]
            if changed:
                texts = [(_location(row, several), row.source.strip(), row.text or "-", row.note) for row in changed]
                styles = [_STYLES[row.outcome] for row in changed]
                print_table(("line", "from", "to", "note"), [tuple(map(one_line, one)) for one in texts], styles)
            same = len(rows) - len(changed)
            if same:
                click.echo(f"{same:,} {'selector needs' if same == 1 else 'selectors need'} no change")


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[str]) -> None:
    """Print a table with the headings ``heads``; ``styles`` contains, for each row, the colour of its last cell.

    Colours are used only on a terminal, and only if NO_COLOR is not set.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((_WIDTH, 24)).columns if terminal else _WIDTH
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=terminal,
        no_color=bool(os.environ.get("NO_COLOR")) or not terminal,
        highlight=False,
    )
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in heads:
        # A word of a selector may be longer than the column; it is then wrapped, not cut off.
        table.add_column(head, overflow="fold", justify="right" if head == "line" else "left")
    for row, style in zip(rows, styles, strict=True):
        *cells, last = map(printable, row)
        table.add_row(*(Text(cell) for cell in cells), Text(last, style=style))
    console.print(table)
    click.echo("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()))
