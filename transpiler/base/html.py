"""HTML for notebooks: tables, code and results of selectors, legible on light and on dark pages.

This module alone escapes text. The HTML loads no resource and contains no script.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from transpiler.base.diagnostics import printable

#: Colours of the results TRUE, FALSE and unknown (None). Their medium lightness contrasts with white and with black.
#: A result is also written as a word, never by its colour alone.
COLOURS: Mapping[bool | None, str] = MappingProxyType({True: "#2f9e44", False: "#e03131", None: "#e67700"})

#: Maximum number of rows of a table; one more row then states how many rows are left out.
MAX_ROWS = 50

_CELL = "padding:2px 10px;border:1px solid color-mix(in srgb,currentColor 25%,transparent);vertical-align:top"
_TEXT = f"{_CELL};text-align:left;white-space:pre-line"
_NUMBER = f"{_CELL};text-align:right;font-variant-numeric:tabular-nums"
_CODE = "font-family:ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:4px 0"


def escape(words: str) -> str:
    """Escape ``words`` for an HTML page or attribute, and replace control and bidirectional characters by U+FFFD."""
    return html.escape(printable(words))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return an HTML table of texts and numbers. Numbers are right-aligned, with thousands separators."""
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


def code(source: str) -> str:
    """Return HTML that shows ``source`` in a fixed-width font and wraps long lines."""
    return marked(source, ())


def heading(words: str) -> str:
    """Return HTML that shows ``words`` as the heading of a table or text."""
    return f'<div style="font-weight:600;margin:4px 0">{escape(words)}</div>'


def text(words: str) -> str:
    """Return HTML that shows ``words`` as a line of text."""
    return f"<div>{escape(words)}</div>"


def badged(label: str, verdict: bool | None, words: str) -> str:
    """Return HTML for one line: ``label`` in a frame of the colour of ``verdict``, followed by ``words``."""
    colour = COLOURS[verdict]
    style = f"color:{colour};border:1px solid {colour};border-radius:4px;padding:0 .4em;font-weight:600"
    return f'<div><span style="{style}">{escape(label)}</span> {escape(words)}</div>'


def marked(source: str, parts: Iterable[tuple[int, int, bool | None]]) -> str:
    """Return HTML for the code ``source``, with ``parts`` (start, end, result) underlined in their results' colours."""
    pieces, done = [], 0
    for start, end, verdict in parts:
        if start < done:
            continue
        style = f"text-decoration:underline wavy {COLOURS[verdict]};text-underline-offset:.25em;font-weight:600"
        pieces += [escape(source[done:start]), f'<span style="{style}">{escape(source[start:end])}</span>']
        done = end
    return f'<pre style="{_CODE}">{"".join(pieces)}{escape(source[done:])}</pre>'


def folded(title: str, lines: Iterable[tuple[int, str, str, str]]) -> str:
    """Return HTML for a heading that unfolds ``lines`` when it is clicked.

    Each line is (depth of indentation, code, remark, colour of the remark).
    """
    shown = "".join(
        f'<div style="padding-left:{1.5 * depth}em">{escape(source)} → '
        f'<span style="color:{colour}">{escape(remark)}</span></div>'
        for depth, source, remark, colour in lines
    )
    return f'<details><summary>{escape(title)}</summary><div style="{_CODE}">{shown}</div></details>'
