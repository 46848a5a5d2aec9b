"""selector-sql port: a selector of one broker in the words of another one."""

from __future__ import annotations

import click

from transpiler.cli.group import fail
from transpiler.cli.options import read_text, warn
from transpiler.dialect_tools.port import Changes, port_selector


@click.command()
@click.argument("selector")
@click.option("--from", "source", required=True, metavar="DIALECT", help="The dialect that SELECTOR is written in.")
@click.option("--to", "target", required=True, metavar="DIALECT", help="The dialect to write it in.")
@click.option("--strict", is_flag=True, help="Let no change of meaning pass, on no message.")
@click.option("--loose", is_flag=True, help="Keep what cannot be said exactly, with a warning for what changes.")
def port(selector: str, source: str, target: str, strict: bool, loose: bool) -> None:
    """Rewrite SELECTOR (- reads it from standard input) so that another broker selects the same messages.

    What cannot be said there is an error with a message on which the two part. What only changes for rare messages
    (types that JMS does not give to properties, NaN, overflows, line ends) is a warning.
    """
    if strict and loose:
        fail("--strict and --loose exclude each other: give one of them")
    changes: Changes = "none" if strict else "any" if loose else "rare"
    ported = port_selector(read_text(selector), source, target, changes=changes)
    click.echo(ported.text)
    warn(ported.notes)
