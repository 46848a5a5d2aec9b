"""selector-sql match: message JSON lines through a selector."""

from __future__ import annotations

import click

from transpiler import evaluate, parse_selector
from transpiler.cli.options import read_message, read_text


@click.command()
@click.argument("selector")
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True, exists=True, dir_okay=False))
@click.option("--dialect", default="jms", show_default=True, help="The broker whose rules hold.")
@click.option("--invert", is_flag=True, help="The messages that do not match.")
@click.option("--count", is_flag=True, help="Only how many there are.")
def match(selector: str, files: tuple[str, ...], dialect: str, invert: bool, count: bool) -> None:
    """Filter message JSON lines from FILES (default: standard input) by SELECTOR."""
    tree = parse_selector(read_text(selector), dialect)
    found = 0
    for file in files or ("-",):
        with click.open_file(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                truth = evaluate(tree, read_message(line, f"{file}:{number}"), dialect)
                if (truth is True) is not invert:
                    found += 1
                    if not count:
                        click.echo(line.rstrip("\r\n"))
    if count:
        click.echo(str(found))
