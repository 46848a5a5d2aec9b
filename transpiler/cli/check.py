"""selector-sql check: findings about selectors, for people and for machines."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import click

from transpiler import Diagnostic, Layout, TranspilerError, __version__, parse_selector, transpile_selector
from transpiler.cli.group import fail
from transpiler.cli.inputs import InputFile, input_lines, shown
from transpiler.cli.layouts import ChosenLayout, layout_options, rules_options
from transpiler.source import Source


@click.command()
@click.argument("selectors", nargs=-1)
@click.option(
    "--file",
    "files",
    multiple=True,
    type=InputFile(),
    help="A file with one selector a line; # begins a comment line; - is standard input.",
)
@click.option("--format", "form", type=click.Choice(["human", "json", "github", "sarif"]), default="human")
@layout_options
@rules_options
def check(
    selectors: tuple[str, ...],
    files: tuple[str, ...],
    form: str,
    layout: ChosenLayout,
    dialect: str,
    missing: Any,
) -> None:
    """Lint selectors. Exit 0 when clean, 1 with findings, 2 when it could not run."""
    if not selectors and not files:
        fail("nothing to check: give a selector, --file FILE or -")
    findings: list[tuple[str, int, Diagnostic]] = []
    for name, line, text in _selectors(selectors, files):
        findings.extend((name, line, finding) for finding in _check_one(text, layout.layout, dialect, missing))
    click.echo(_FORMATS[form](findings), nl=False)
    if findings:
        raise SystemExit(1)


def _selectors(selectors: tuple[str, ...], files: tuple[str, ...]) -> Iterator[tuple[str, int, str]]:
    for text in selectors:
        if text == "-":
            yield from _lines("-")
        else:
            yield "", 0, text
    for file in files:
        yield from _lines(file)


def _lines(file: str) -> Iterator[tuple[str, int, str]]:
    for number, text in input_lines(file):
        if text.strip() and not text.lstrip().startswith("#"):
            yield "standard input" if file == "-" else file, number, text


def _check_one(text: str, layout: str | Layout, dialect: str, missing: Any) -> tuple[Diagnostic, ...]:
    from transpiler.selector.dialects import find_dialect
    from transpiler.selector.lint import lint

    try:
        tree = parse_selector(text, dialect)
        findings = lint(tree, Source(text), find_dialect(dialect)) if tree is not None else []
        compiled = transpile_selector(text, layout, dialect=dialect, missing=missing).diagnostics
    except TranspilerError as error:
        return error.diagnostics
    return (*findings, *compiled)


_Findings = list[tuple[str, int, Diagnostic]]


def _human(findings: _Findings) -> str:
    blocks = []
    for name, line, finding in findings:
        text = finding.render()
        blocks.append(f"{shown(name)}:{line}: {text}" if name else text)
    return "".join(f"{block}\n" for block in blocks)


def _json(findings: _Findings) -> str:
    entries = [
        finding.to_dict() | ({"file": name, "file_line": line} if name else {}) for name, line, finding in findings
    ]
    return json.dumps(entries, ensure_ascii=False, indent=2) + "\n"


def _github(findings: _Findings) -> str:
    lines = []
    for name, line, finding in findings:
        column = finding.to_dict().get("column", 1)
        properties = {"file": name, "line": str(line), "col": str(column)} if name else {}
        properties["title"] = finding.code
        listed = ",".join(f"{key}={_command_property(value)}" for key, value in properties.items())
        message = finding.message + (f" ({finding.hint})" if finding.hint else "")
        lines.append(f"::{finding.severity} {listed}::{_command_data(message)}\n")
    return "".join(lines)


def _command_data(text: str) -> str:
    """Escape the message of a workflow command, as ``escapeData`` of GitHub's actions toolkit does."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _command_property(text: str) -> str:
    """Escape a property of a workflow command, as ``escapeProperty`` of GitHub's actions toolkit does."""
    return _command_data(text).replace(":", "%3A").replace(",", "%2C")


def _uri(name: str) -> str:
    """Return a file's name as a URI reference: relative to the run's directory, or with the scheme file."""
    quoted = quote(name.replace("\\", "/") if os.name == "nt" else name)
    return f"file://{quoted}" if quoted.startswith("/") else quoted


def _sarif(findings: _Findings) -> str:
    results = []
    for name, line, finding in findings:
        data = finding.to_dict()
        region = {"startLine": line or 1, "startColumn": data.get("column", 1)}
        results.append(
            {
                "ruleId": finding.code,
                "level": finding.severity,
                "message": {"text": finding.message},
                "locations": [
                    {"physicalLocation": {"artifactLocation": {"uri": _uri(name or "selector")}, "region": region}}
                ],
            }
        )
    driver = {
        "name": "selector-sql",
        "version": __version__,
        "rules": [{"id": code} for code in sorted({finding.code for _, _, finding in findings})],
    }
    log = {
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


_FORMATS: dict[str, Callable[[_Findings], str]] = {
    "human": _human,
    "json": _json,
    "github": _github,
    "sarif": _sarif,
}
