"""Tables of the site that fit their windows; ``site.css`` has what the attributes mean."""

from __future__ import annotations

import re

_TABLE = re.compile(r"<table>(.*?)</table>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<t[hd]([^>]*)>(.*?)(?=</t[hd]>)", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
#: Characters that fit side by side into the window of a phone.
_NARROW = 38


def with_fitted_tables(page: str, *, is_wide: bool = False) -> str:
    """Return a page whose tables of three columns and more can be scrolled by keyboard, and stacked on a phone.

    ``is_wide`` marks tables that need all of a large window. A table is stacked, each row a block, where its longest
    words do not fit side by side; its cells have the names of their columns then.
    """
    wide = " data-wide" if is_wide else ""
    return _TABLE.sub(lambda match: _fitted(match[1], wide), page)


def _fitted(table: str, wide: str) -> str:
    rows = [[_text(cell) for _, cell in _CELL.findall(row)] for row in _ROW.findall(table)]
    names, columns = rows[0], zip(*rows, strict=True)
    if len(names) < 3:
        return f"<table>{table}</table>"
    words = [[word for text in column for word in text.split()] for column in columns]
    if sum(max(map(len, column), default=0) + 2 for column in words) <= _NARROW:
        return f'<table tabindex="0"{wide}>{table}</table>'
    head, body = table.split("<tbody>")
    stacked = _ROW.sub(lambda row: _named(row[0], names), body)
    return f'<table tabindex="0"{wide} data-stacks>{head}<tbody>{stacked}</table>'


def _named(row: str, names: list[str]) -> str:
    given = iter(names)
    return _CELL.sub(lambda cell: f'<td{cell[1]} data-name="{next(given)}">{cell[2]}', row)


def _text(cell: str) -> str:
    return _TAG.sub("", cell).replace('"', "&quot;").strip()
