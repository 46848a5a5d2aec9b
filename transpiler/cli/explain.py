"""selector-sql explain: tree, types, rewrites, and why a message matches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from transpiler import Message, evaluate, parse_selector, transpile_selector
from transpiler.analysis.names import Names
from transpiler.cli.options import layout_options, read_layout, read_message, read_text, warn
from transpiler.compiler import find_layout
from transpiler.selector import ast
from transpiler.selector.printer import print_selector
from transpiler.source import Source

_TRUTHS = {True: "TRUE", False: "FALSE", None: "unknown"}


@click.command()
@click.argument("selector")
@layout_options
@click.option("--message", type=click.File(encoding="utf-8"), help="A message in JSON; - is standard input.")
def explain(selector: str, layout: str, schema: Path | None, dialect: str, missing: Any, message: Any) -> None:
    """Show what SELECTOR means: its tree, the SQL before and after the rewrites, and why a message matches."""
    text = read_text(selector)
    tree = parse_selector(text, dialect)
    if tree is None:
        click.echo("no selector: every message matches")
        return
    where = read_layout(layout, schema)
    transpiled = transpile_selector(text, where, dialect=dialect, missing=missing)
    found = None if message is None else read_message(message.read(), message.name)
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
    warn(transpiled.diagnostics)


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
