"""selector-sql explain: tree, types, rewrites, and why a message matches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from transpiler import Message, parse_selector, transpile_selector
from transpiler.cli.inputs import InputFile, read_text_file
from transpiler.cli.layouts import ChosenLayout, layout_options, rules_options
from transpiler.cli.options import MessageReader, read_text, receiver_options, warn
from transpiler.compiler import find_layout
from transpiler.layouts.layout import Layout
from transpiler.lowering.names import Missing, Names
from transpiler.lowering.receiving import Receiver
from transpiler.reference.evaluate import judge, value_of
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect, find_dialect
from transpiler.selector.printer import print_selector
from transpiler.source import Source

_TRUTHS = {True: "TRUE", False: "FALSE", None: "unknown"}


@click.command()
@click.argument("selector")
@layout_options
@rules_options
@receiver_options
@click.option("--message", type=InputFile(), help="A message in JSON, or a row of --layout; - is standard input.")
def explain(
    selector: str,
    layout: ChosenLayout,
    dialect: str,
    missing: Any,
    now: int | None,
    destination: str | None,
    message: str | None,
) -> None:
    """Show what SELECTOR means: its tree, the SQL before and after the rewrites, and why a message matches."""
    text = read_text(selector)
    rules = find_dialect(dialect)
    tree = parse_selector(text, rules)
    if tree is None:
        click.echo("no selector: every message matches")
        return
    where = layout.layout
    transpiled = transpile_selector(text, where, dialect=dialect, missing=missing, now=now, destination=destination)
    receiver = Receiver(now, destination)
    example = None
    if message is not None:
        reader = MessageReader(layout.rows)
        example = reader.read(read_text_file(message), message)
        reader.finish()
    click.echo("selector   " + print_selector(tree, rules))
    for line in _tree(tree, example, 0, rules, receiver):
        click.echo("  " + line)
    for line in _types(tree, find_layout(where), missing, Source(text), rules, receiver):
        click.echo(line)
    for phase, emitted in transpiled.trace:
        click.echo(f"{phase:10} {emitted}")
    if example is not None:
        verdict = judge(tree, example, rules, *receiver)
        matches = "matches" if verdict.truth else "does not match"
        click.echo(f"verdict    {_TRUTHS[verdict.truth]}: the message {matches}")
        if verdict.thrown is not None:
            click.echo(f"throws     {rules.title} would have thrown here: {verdict.thrown}")
            click.echo(f"           there {rules.on_throw}")
    warn(transpiled.diagnostics)


def _types(
    tree: ast.Expression, layout: Layout, missing: Missing, source: Source, dialect: Dialect, receiver: Receiver
) -> Iterator[str]:
    """Each name once, with the types that its value can have over the layout."""
    identifiers = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.Identifier)}
    for name, identifier in identifiers.items():
        operand = Names(layout, missing, source, dialect, receiver).operand(identifier)
        types = {item.type.value for item in operand.alternatives}
        yield f"type       {name}: {' or '.join(sorted(types)) or 'always NULL'}"


def _tree(
    node: ast.Expression,
    message: Message | None,
    depth: int,
    dialect: Dialect,
    receiver: Receiver,
    convert: bool = False,
) -> Iterator[str]:
    label = type(node).__name__.lower() if ast.children(node) else print_selector(node, dialect)
    if ast.children(node):
        label += f"  {print_selector(node, dialect)}"
    if message is not None and not isinstance(node, ast.StringLiteral | ast.IntegerLiteral | ast.FloatLiteral):
        label += f"  → {_seen(node, message, dialect, receiver, convert)}"
    yield "  " * depth + label
    for child in ast.children(node):
        yield from _tree(child, message, depth + 1, dialect, receiver, convert or isinstance(node, ast.ConvertStrings))


def _seen(node: ast.Expression, message: Message, dialect: Dialect, receiver: Receiver, convert: bool) -> str:
    # Below the prefix a condition is read as the prefix has it.
    verdict = judge(ast.ConvertStrings(node) if convert else node, message, dialect, *receiver)
    if verdict.thrown is not None:
        return f"throws: {verdict.thrown}"
    if isinstance(node, ast.Identifier | ast.Sign | ast.Calculate | ast.Call):
        value = value_of(node, message, dialect, *receiver)
        return "NULL" if value is None else repr(value)
    return _TRUTHS[verdict.truth]
