"""selector-sql explain: print why a message matches a selector, and the selector's tree, types and rewrites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import click

from transpiler import Message, parse_selector, transpile_selector
from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.base.documents.jsontext import json_text
from transpiler.base.source import Source
from transpiler.cli.group import fail, say
from transpiler.cli.inputs import TextOrFile, shown
from transpiler.cli.layouts import ChosenLayout, layout_options, rules_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.messages import read_messages
from transpiler.cli.options import quiet_option, read_text, receiver_options, text_or_json, warn
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.names.names import Names
from transpiler.compiler.presets import find_layout
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.printer import print_tree
from transpiler.message.ids import message_id_text
from transpiler.message.receiver import Receiver
from transpiler.message.types import TRUTH_TEXT
from transpiler.tools.explanation.explanation import explain_tree
from transpiler.tools.explanation.parts import Part
from transpiler.tools.lint.advice import all_warnings


def _is_text(given: str) -> bool:
    return given.lstrip().startswith("{")


@click.command(
    short_help="Say why a message matches SELECTOR, or does not.",
    cls=ManualCommand,
    examples=[
        Example(
            "Say why a message does not match",
            "selector-sql explain \"color = 'red' AND weight > 2500\" --message message.json",
        ),
        Example(
            "Say so of a message on the command line",
            'selector-sql explain "color = \'red\'" --message \'{"color": "blue"}\'',
        ),
        Example(
            "Show what a selector means: tree, types and SQL",
            "selector-sql explain \"NOT (color = 'red' OR weight BETWEEN 1 AND 5)\"",
        ),
    ],
)
@click.argument("selector")
@layout_options
@rules_options
@receiver_options
@click.option(
    "--message",
    type=TextOrFile("file", _is_text),
    help="A message in JSON, or a file of some in any form that match reads; rows of --layout; - is standard input.",
)
@quiet_option
@click.option("-v", "--verbose", is_flag=True, help="With a message: show also what SELECTOR means, part by part.")
@text_or_json("How to print why a message matches; the JSON of several messages is one a line.")
def explain(
    selector: str,
    layout: ChosenLayout,
    dialect: str,
    missing: Any,
    receiver: Receiver,
    message: str | None,
    quiet: bool,
    verbose: bool,
    output_format: str,
) -> None:
    """Say why a message matches SELECTOR or does not match it, and show how SELECTOR is read.

    The first line is the verdict with one sentence on what decided, which is underlined below; of several messages
    there is one sentence each. With -v, and without --message, come the tree of the selector with the verdict or value
    of each part, the types of its names, and the SQL before and after the rewrites.
    """
    if output_format == "json" and message is None:
        fail("--format json explains a message, but no message is given: add --message FILE")
    text = read_text(selector)
    rules = find_dialect(dialect)
    tree = parse_selector(text, rules)
    messages = [] if message is None else _read_messages(message, layout)
    if tree is None and not messages:
        say("no selector: every message matches")
        return
    where = layout.layout
    transpiled = transpile_selector(text, where, dialect=dialect, missing=missing, **receiver.keywords)
    of_selector = () if quiet else all_warnings(transpiled, text, where, dialect)
    warnings = with_ids_of([each for _, each in messages], of_selector)
    # Read the clock once, so that all messages are judged at the same time.
    at_one_time = receiver.timed
    explanations = [(number, explain_tree(tree, text, each, rules, at_one_time)) for number, each in messages]
    several = len(explanations) != 1
    if output_format == "json":
        for _, explanation in explanations:
            click.echo(json_text(explanation.to_dict(), indent=None if several else 2))
        return
    for number, explanation in explanations:
        say(f"{shown(message or '')}:{number}: {explanation}" if several else str(explanation))
    if messages and (several or tree is None or not verbose):
        warn(warnings)
        return
    shown_parts = explanations[0][1].tree if messages else None
    if messages:
        click.echo()
    assert tree is not None
    say("selector   " + print_tree(tree, rules))
    for line in _tree(tree, shown_parts, 0, rules):
        say("  " + line)
    for line in _types(tree, find_layout(where), missing, Source(text), rules, receiver):
        say(line)
    for phase, emitted in transpiled.trace:
        say(f"{phase:10} {emitted}")
    for _, explanation in explanations:
        matches = "matches" if explanation.matches else "does not match"
        say(f"verdict    {TRUTH_TEXT[explanation.verdict]}: the message {matches}")
        if explanation.thrown is not None:
            say(f"throws     {rules.title} would have thrown here: {explanation.thrown}")
            say(f"           there {explanation.consequence}")
    if not messages:
        say('a message  --message \'{"color": "red"}\', or a file of messages, says why one matches or does not')
    warn(warnings)


def _read_messages(name: str, layout: ChosenLayout) -> list[tuple[int, Message]]:
    """Read the messages of the file ``name``, or of ``name`` itself if it is JSON text, each with its line number."""
    if _is_text(name):
        given = read_messages(["--message"], layout, lines=lambda *_: enumerate(name.split("\n"), 1))
    else:
        given = read_messages([name], layout)
    messages = [(read.record.line, read.message) for read in given]
    if not messages:
        fail("standard input has no message" if name == "-" else f"{shown(name)} has no message")
    return messages


def _types(
    tree: ast.Expression, layout: Layout, missing: Missing, source: Source, dialect: Dialect, receiver: Receiver
) -> Iterator[str]:
    """Yield a line for each name in ``tree`` with the types that its value can have in the rows of ``layout``."""
    identifiers = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.Identifier)}
    for name, identifier in identifiers.items():
        operand = Names(layout, missing, source, dialect, receiver).operand(identifier)
        types = {item.type.value for item in operand.alternatives}
        yield f"type       {name}: {' or '.join(sorted(types)) or 'always NULL'}"


def _tree(node: ast.Expression, part: Part | None, depth: int, dialect: Dialect) -> Iterator[str]:
    """Yield a line for each node of the tree ``node``, indented by its depth.

    ``part`` contains the values of the nodes for a message; None without a message.
    """
    inner = ast.children(node)
    label = f"{type(node).__name__.lower()}  " * bool(inner) + print_tree(node, dialect)
    yield "  " * depth + label + ("" if part is None or isinstance(node, ast.LITERALS) else f"  → {_seen(part)}")
    for child, within in zip_longest(inner, () if part is None else part.parts):
        yield from _tree(child, within, depth + 1, dialect)


def _seen(part: Part) -> str:
    if part.thrown is not None:
        return f"throws: {part.thrown}"
    if part.is_condition and part.kind not in ("identifier", "call"):
        return TRUTH_TEXT[part.verdict]
    return "NULL" if part.value is None else repr(part.value)


def with_ids_of(messages: Sequence[Message], findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return ``findings``; a finding about a malformed message ID then proposes an ID that one of ``messages`` has."""
    ids = [message.properties.message_id for message in messages if message.properties is not None]
    texts = (message_id_text(value) for value in ids if value is not None)
    known = [text for text in dict.fromkeys(texts) if text is not None]
    return tuple(_with_id(finding, known) if finding.code == "id.form" else finding for finding in findings)


def _with_id(finding: Diagnostic, known: Sequence[str]) -> Diagnostic:
    assert finding.source is not None
    assert finding.span is not None
    meant = finding.source.text[slice(*finding.span)].strip("'")
    text = next((one for one in known if one.endswith(f":{meant}")), None)
    if text is None:
        return finding
    written = string_literal(text)
    return replace(finding, hint=f"the id of the message reads {written}: write that", fix=Fix(written))
