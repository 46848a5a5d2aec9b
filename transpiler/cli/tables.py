"""Tables on a terminal: columns that wrap at its width, in colour where it has some."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Sequence

from transpiler.cli.group import click
from transpiler.diagnostics import printable

#: The width of a table that is no terminal's.
_WIDTH = 120


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[str]) -> None:
    """Print rows under heads; ``styles`` has the colour of the last cell of each row.

    There is no colour where NO_COLOR is set, nor in a file or a pipe.
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
        # Text of a selector may be longer than a word, and nothing of it is left out.
        table.add_column(head, overflow="fold", justify="right" if head == "line" else "left")
    for row, style in zip(rows, styles, strict=True):
        *cells, last = map(printable, row)
        table.add_row(*(Text(cell) for cell in cells), Text(last, style=style))
    console.print(table)
    click.echo("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()))
