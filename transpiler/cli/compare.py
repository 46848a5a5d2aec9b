"""selector-sql compare: one selector in every dialect."""

from __future__ import annotations

import click

from transpiler.cli.group import fail, say
from transpiler.cli.inputs import InputFile, shown
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.messages import read_messages
from transpiler.cli.options import read_text
from transpiler.dialect_tools.compare_dialects import Compared, compare_dialects
from transpiler.message.types import TRUTH_TEXT
from transpiler.selector.dialects import DIALECTS


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
    """Show what every dialect makes of SELECTOR: accepted or why not, and the verdict on a message.

    A dialect that parts from jms has a star, and the rule behind the difference.
    """
    text = read_text(selector)
    examples = [] if message is None else [read.message for read in read_messages([message])]
    if message is not None and len(examples) != 1:
        fail(f"{shown(message)} has {len(examples)} messages: every dialect judges one")
    width = max(len(name) for name in DIALECTS)
    for row in compare_dialects(text, examples[0] if examples else None):
        star = "*" if row.rule is not None or row.reading is not None else " "
        say(f"{star} {row.dialect.name:{width}}  {_said(row)}")
        if row.verdict is not None and row.verdict.thrown is not None:
            say(f"  {'':{width}}    throws: {row.verdict.thrown}; {row.dialect.on_throw}")
        if row.reading is not None:
            say(f"  {'':{width}}    reads: {row.reading}")
        if row.rule is not None:
            say(f"  {'':{width}}    rule: {row.rule}")


def _said(row: Compared) -> str:
    if row.refused is not None:
        return f"refused   {row.refused.code}: {row.refused.message}"
    if row.verdict is None:
        return "accepted"
    return f"accepted  {TRUTH_TEXT[row.verdict.truth]}"
