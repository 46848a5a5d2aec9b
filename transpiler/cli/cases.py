"""selector-sql cases: print test cases for a selector, with messages on each side of every condition."""

from __future__ import annotations

import click

from transpiler.cli.group import say_data
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import dialect_option, read_text
from transpiler.tools.test_cases.boundaries import case_file


@click.command(
    short_help="Write test cases for SELECTOR.",
    cls=ManualCommand,
    examples=[
        Example(
            "Print a file of cases",
            "selector-sql cases \"color = 'red' AND weight > 2500\"",
        ),
    ],
    exits={0: "the cases are printed", 2: "an error, such as a selector that the dialect refuses"},
)
@click.argument("selector")
@dialect_option
def cases(selector: str, dialect: str) -> None:
    """Print test cases for SELECTOR (- reads it from standard input), which the command test can run.

    There is a message on each side of every condition, messages without its names included, and the verdict that the
    selector has now: read them, and keep those that say what you mean.
    """
    say_data(case_file(read_text(selector), dialect).rstrip("\n"))
