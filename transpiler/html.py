"""HTML for notebooks: tables and code that take their colours from the page, so that they suit light and dark ones.

All text is escaped here and nowhere else. Nothing is fetched, and there is no script.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

#: Rows of a table; the last row counts the others.
MAX_ROWS = 50

_CELL = "padding:2px 10px;border:1px solid color-mix(in srgb,currentColor 25%,transparent);vertical-align:top"
_TEXT = f"{_CELL};text-align:left"
_NUMBER = f"{_CELL};text-align:right;font-variant-numeric:tabular-nums"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return a table of texts and numbers; numbers stand to the right, with their thousands apart."""
    remaining = iter(rows)
    shown = [_row(row) for row in islice(remaining, MAX_ROWS)]
    others = sum(1 for _ in remaining)
    if others:
        shown.append(f'<tr><td style="{_TEXT}" colspan="{len(columns)}">and {others:,} more</td></tr>')
    head = "".join(f'<th scope="col" style="{_TEXT}">{escape(column)}</th>' for column in columns)
    title = f'<caption style="text-align:left;padding:4px 0">{escape(caption)}</caption>' if caption else ""
    return (
        f'<table style="border-collapse:collapse;margin:4px 0">{title}<thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(shown)}</tbody></table>"
    )


def _row(values: Sequence[object]) -> str:
    cells = (
        f'<td style="{_NUMBER}">{value:,}</td>'
        if isinstance(value, int) and not isinstance(value, bool)
        else f'<td style="{_TEXT}">{escape(str(value))}</td>'
        for value in values
    )
    return f"<tr>{''.join(cells)}</tr>"


def code(text: str) -> str:
    """Return a text in a fixed-width font, its lines wrapped where they are too long."""
    return f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere;margin:4px 0">{escape(text)}</pre>'


def heading(text: str) -> str:
    """Return a line above a table or a text."""
    return f'<div style="font-weight:600;margin:4px 0">{escape(text)}</div>'
