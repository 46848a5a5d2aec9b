"""CSV with a header: rows of text cells, which are converted if a schema gives the types of the columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from transpiler.base.diagnostics import one_line
from transpiler.tools.message_files.record import NumberedLines, Record
from transpiler.tools.message_files.record_errors import Errors, location_of, refuse

#: A CSV header with at least two columns, by which CSV is recognized in any file. Semicolons, tabs and bars also match,
#: so that ``_check_header`` can report a wrong separator.
HEADER = re.compile(r'"?[\w.$:-]+"?(?:[,;\t|]"?[\w.$:-]+"?)+\s*', re.ASCII)


class _Kept:
    """An iterator over lines for ``csv.reader``, which also keeps the lines that the reader has taken in ``taken``.

    A record of CSV may consist of several lines. They are kept until the next record, so that the record can be
    printed.
    """

    def __init__(self, lines: NumberedLines) -> None:
        self._lines = lines
        self.taken: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[str]:
        for number, line in self._lines:
            self.taken.append((number, line))
            yield line + "\n"


def csv_records(file: str, lines: NumberedLines, errors: Errors) -> Iterator[Record]:
    """Yield a record for each row of the CSV lines, without its empty cells."""
    kept = _Kept(lines)
    # In strict mode, csv.reader rejects a quote that is not doubled inside a quoted text, as RFC 4180 requires.
    reader = csv.reader(kept, strict=True)
    names: list[str] = []
    header = ""
    while True:
        kept.taken.clear()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            number = kept.taken[0][0] if kept.taken else 1
            with errors.reported():
                refuse(location_of(file, number), f"this is not CSV: {one_line(str(error))}")
            reader = csv.reader(kept, strict=True)
            continue
        if cells is None:
            return
        if not cells:
            continue
        number, text = kept.taken[0][0], "\n".join(line for _, line in kept.taken)
        if not names:
            names, header = cells, text
            _check_header(location_of(file, number), names, text)
        elif len(cells) != len(names):
            with errors.reported():
                found = f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'}"
                refuse(location_of(file, number), f"{found}, and the header has {len(names)} names")
        else:
            # CSV cannot represent an absent value in another way, so an empty cell counts as absent.
            present = {name: cell for name, cell in zip(names, cells, strict=True) if cell}
            yield Record(file, number, text, present, header, names)


def _check_header(location: str, names: list[str], text: str) -> None:
    if len(set(names)) < len(names) or "" in names:
        refuse(location, f"a header of CSV names each column once: {one_line(text)}")
    if len(names) == 1 and (found := re.search(r"\w\s*([;\t|])\s*\w", text)):
        hint = f"write it with commas, as pandas does: read_csv(FILE, sep={found[1]!r}).to_csv(OTHER, index=False)"
        refuse(location, f"commas separate the cells of CSV, and here it is {found[1]!r}\n  hint: {hint}")


def _boolean(cell: str) -> bool:
    return {"true": True, "false": False}[cell.lower()]


#: For each type of a schema, by its name in Spark's JSON form, the function that converts a cell to it.
_READINGS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), int),
    **dict.fromkeys(("float", "double"), float),
    "boolean": _boolean,
}


def _as_first(cell: str, *readings: Callable[[str], Any]) -> Any:
    """Return ``cell`` converted by the first of ``readings`` that raises no error, or unchanged if all raise errors."""
    for reading in readings:
        with suppress(ValueError, KeyError):
            return reading(cell)
    return cell


def typed_cells(cells: Mapping[str, str], types: Mapping[str, Any]) -> dict[str, Any]:
    """Return a CSV row with its cells converted to ``types``, the column types of a schema in Spark's JSON form."""
    readings = {name: _READINGS.get(kind.split("(")[0], str) for name, kind in types.items() if isinstance(kind, str)}
    return {name: _as_first(cell, readings.get(name, str)) for name, cell in cells.items()}
