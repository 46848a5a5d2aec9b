"""selector-sql: the commands that need neither Spark nor a JVM.

Results go to standard output and findings to standard error. Exit codes: 0 for a clean run, 1 for findings of
``check``, 2 for what could not be done.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from transpiler import (
    Diagnostic,
    Layout,
    Message,
    TranspilerError,
    __version__,
    evaluate,
    parse_selector,
    transpile_selector,
)
from transpiler.analysis.names import Names
from transpiler.compiler import find_layout
from transpiler.layouts.flat import layout_from_schema
from transpiler.selector import ast
from transpiler.selector.printer import print_selector
from transpiler.source import Source

if TYPE_CHECKING:
    import click
else:
    try:
        import click
    except ImportError:
        sys.exit("the commands need click: pip install 'selector-sql[cli]'")

_TRUTHS = {True: "TRUE", False: "FALSE", None: "unknown"}


class _Group(click.Group):
    """Commands whose bad input ends in an error text and exit code 2, never in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except TranspilerError as error:
            _fail(str(error))
        except UnicodeDecodeError as error:
            _fail(f"the input is not UTF-8: byte {error.start}")


def _fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(2)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selector-sql")
def main() -> None:
    """JMS selectors as Spark SQL: print it, lint it, explain it, try it.

    Completion: eval "$(_SELECTOR_SQL_COMPLETE=bash_source selector-sql)", likewise zsh_source and fish_source.
    """


def _layout_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options: list[Callable[..., Any]] = [
        click.option("--layout", default="amqp", show_default=True, help="The layout of the DataFrame, by name."),
        click.option(
            "--schema",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Typed columns instead: a schema in Spark's JSON form (df.schema.json()).",
        ),
        click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold."),
        click.option(
            "--missing",
            type=click.Choice(["error", "null"]),
            default="error",
            show_default=True,
            help="What a name without a column means.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _layout(name: str, schema: Path | None) -> str | Layout:
    if schema is None:
        return name
    try:
        loaded = json.loads(schema.read_text(encoding="utf-8"))
        return layout_from_schema(loaded)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError):
        _fail(f"{schema} is no schema in Spark's JSON form: write it with df.schema.json()")


def _text(selector: str) -> str:
    if selector != "-":
        return selector
    with click.open_file("-", encoding="utf-8") as text:
        return str(text.read()).strip("\r\n")


def _warn(findings: tuple[Diagnostic, ...]) -> None:
    for finding in findings:
        click.echo(finding.render(), err=True)


@main.command()
@click.argument("selector")
@_layout_options
@click.option(
    "--result",
    type=click.Choice(["filter", "boolean", "ternary"]),
    default="filter",
    show_default=True,
    help="TRUE or not; never NULL; or JMS's three values.",
)
def sql(selector: str, layout: str, schema: Path | None, dialect: str, missing: Any, result: Any) -> None:
    """Print the Spark SQL of SELECTOR (- reads it from standard input)."""
    transpiled = transpile_selector(
        _text(selector), _layout(layout, schema), dialect=dialect, missing=missing, result=result
    )
    click.echo(transpiled.sql)
    _warn(transpiled.diagnostics)


@main.command()
@click.argument("selectors", nargs=-1)
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(allow_dash=True, exists=True, dir_okay=False),
    help="A file with one selector a line; # begins a comment line; - is standard input.",
)
@click.option("--format", "form", type=click.Choice(["human", "json", "github", "sarif"]), default="human")
@_layout_options
def check(
    selectors: tuple[str, ...],
    files: tuple[str, ...],
    form: str,
    layout: str,
    schema: Path | None,
    dialect: str,
    missing: Any,
) -> None:
    """Lint selectors. Exit 0 when clean, 1 with findings, 2 when it could not run."""
    if not selectors and not files:
        _fail("nothing to check: give a selector, --file FILE or -")
    where = _layout(layout, schema)
    findings: list[tuple[str, int, Diagnostic]] = []
    for name, line, text in _selectors(selectors, files):
        findings.extend((name, line, finding) for finding in _check_one(text, where, dialect, missing))
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
    with click.open_file(file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            text = line.rstrip("\r\n")
            if text.strip() and not text.lstrip().startswith("#"):
                yield "standard input" if file == "-" else file, number, text


def _check_one(text: str, layout: str | Layout, dialect: str, missing: Any) -> tuple[Diagnostic, ...]:
    from transpiler.selector.lint import lint

    try:
        tree = parse_selector(text, dialect)
        found = lint(tree, Source(text)) if tree is not None else []
        compiled = transpile_selector(text, layout, dialect=dialect, missing=missing).diagnostics
    except TranspilerError as error:
        return error.diagnostics
    return (*found, *compiled)


_Findings = list[tuple[str, int, Diagnostic]]


def _human(findings: _Findings) -> str:
    blocks = []
    for name, line, finding in findings:
        text = finding.render()
        blocks.append(f"{name}:{line}: {text}" if name else text)
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
        place = f" file={name},line={line},col={column}," if name else " "
        message = finding.message + (f" ({finding.hint})" if finding.hint else "")
        escaped = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        lines.append(f"::{finding.severity}{place}title={finding.code}::{escaped}\n")
    return "".join(lines)


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
                    {"physicalLocation": {"artifactLocation": {"uri": name or "selector"}, "region": region}}
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
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


_FORMATS: dict[str, Callable[[_Findings], str]] = {
    "human": _human,
    "json": _json,
    "github": _github,
    "sarif": _sarif,
}


@main.command()
@click.argument("selector")
@_layout_options
@click.option("--message", type=click.File(encoding="utf-8"), help="A message in JSON; - is standard input.")
def explain(selector: str, layout: str, schema: Path | None, dialect: str, missing: Any, message: Any) -> None:
    """Show what SELECTOR means: its tree, the SQL before and after the rewrites, and why a message matches."""
    text = _text(selector)
    tree = parse_selector(text, dialect)
    if tree is None:
        click.echo("no selector: every message matches")
        return
    where = _layout(layout, schema)
    transpiled = transpile_selector(text, where, dialect=dialect, missing=missing)
    found = None if message is None else _message(message.read(), message.name)
    click.echo("selector   " + print_selector(tree))
    for line in _tree(tree, found, 0):
        click.echo("  " + line)
    for line in _types(tree, Names(find_layout(where), missing, Source(text))):
        click.echo(line)
    for phase, emitted in transpiled.trace:
        click.echo(f"{phase:10} {emitted}")
    if found is not None:
        truth = evaluate(tree, found)
        click.echo(f"verdict    {_TRUTHS[truth]}: the message {'matches' if truth else 'does not match'}")
    _warn(transpiled.diagnostics)


def _types(tree: ast.Expression, names: Names) -> Iterator[str]:
    """Each name once, with the types that its value can have over the layout."""
    identifiers = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.Identifier)}
    for name, identifier in identifiers.items():
        types = sorted(found.value for found in names.resolve(identifier).classes)
        yield f"type       {name}: {' or '.join(types) or 'always NULL'}"


def _tree(node: ast.Expression, message: Message | None, depth: int) -> Iterator[str]:
    label = type(node).__name__.lower() if ast.children(node) else print_selector(node)
    if ast.children(node):
        label += f"  {print_selector(node)}"
    if message is not None and not isinstance(node, ast.StringLiteral | ast.IntegerLiteral | ast.FloatLiteral):
        label += f"  → {_seen(node, message)}"
    yield "  " * depth + label
    for child in ast.children(node):
        yield from _tree(child, message, depth + 1)


def _seen(node: ast.Expression, message: Message) -> str:
    from transpiler.reference.evaluate import value_of

    if isinstance(node, ast.Identifier | ast.Sign | ast.Calculate):
        value = value_of(node, message)
        return "NULL" if value is None else repr(value)
    return _TRUTHS[evaluate(node, message)]


def _message(text: str, name: str) -> Message:
    try:
        return Message.from_dict(json.loads(text))
    except json.JSONDecodeError as error:
        _fail(f"{name}:{error.lineno}:{error.colno}: this is not JSON: {error.msg}")
    except TranspilerError as error:
        _fail(f"{name}: {error}")


@main.command()
@click.argument("selector")
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True, exists=True, dir_okay=False))
@click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold.")
@click.option("--invert", is_flag=True, help="The messages that do not match.")
@click.option("--count", is_flag=True, help="Only how many there are.")
def match(selector: str, files: tuple[str, ...], dialect: str, invert: bool, count: bool) -> None:
    """Filter message JSON lines from FILES (default: standard input) by SELECTOR."""
    tree = parse_selector(_text(selector), dialect)
    found = 0
    for file in files or ("-",):
        with click.open_file(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip() and (evaluate(tree, _message(line, f"{file}:{number}")) is True) is not invert:
                    found += 1
                    if not count:
                        click.echo(line.rstrip("\r\n"))
    if count:
        click.echo(str(found))


if __name__ == "__main__":
    main()
