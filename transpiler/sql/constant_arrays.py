"""Lists of constants as SQL: numbers as one text in JSON, which Spark reads once, when it plans the query.

As so many literals a list of 10,000 ranges takes Spark ten seconds to analyze, and in JSON a tenth of one. Texts are
literals, of which the quoting knows what every parser makes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from transpiler import ir
from transpiler.ir.column_types import BIGINT, DOUBLE
from transpiler.spark_plan.range_buckets import Row

#: Writes a constant as SQL whose own type counts.
Write = Callable[[ir.Constant], str]


def rows_text(rows: Sequence[Row], write: Write) -> str:
    """Return an array of structs with the fields c0, c1 and so on."""
    if not _are_numbers(rows):
        return _array(_struct(row, 0, write) for row in rows)
    return _from_json(_list(_object(row, 0) for row in rows), f"ARRAY<{_type(rows[0], 0)}>")


def chunks_text(chunks: Sequence[tuple[Row, Sequence[Row]]], write: Write) -> str:
    """Return an array of structs of the bounds b of a chunk and the list l of its rows."""
    if not _are_numbers([row for first, rows in chunks for row in (first, *rows)]):
        texts = ((_struct(first, 0, write), rows_text(rows, write)) for first, rows in chunks)
        return _array(f"struct({first} AS b, {rows} AS l)" for first, rows in texts)
    row = _type(chunks[0][0], 0)
    lists = ((_object(first, 0), _list(_object(row, 0) for row in rows)) for first, rows in chunks)
    return _from_json(
        _list(f"{{b:{first},l:{rows}}}" for first, rows in lists), f"ARRAY<STRUCT<b: {row}, l: ARRAY<{row}>>>"
    )


def map_text(rows: Sequence[Row], write: Write) -> str:
    """Return a map from the rows' first constants to arrays of structs of the others, whose fields begin with c1."""
    by_key: dict[ir.Constant, dict[Row, None]] = {}
    for key, *rest in rows:
        by_key.setdefault(key, {})[tuple(rest)] = None
    if _are_numbers((key,) for key in by_key):
        keys = _from_json(_list(repr(key.value) for key in by_key), f"ARRAY<{rows[0][0].type}>")
    else:
        keys = _array(map(write, by_key))
    if _are_numbers(row[1:] for row in rows):
        values = _list(_list(_object(row, 1) for row in group) for group in by_key.values())
        lists = _from_json(values, f"ARRAY<ARRAY<{_type(rows[0][1:], 1)}>>")
    else:
        lists = _array(_array(_struct(row, 1, write) for row in group) for group in by_key.values())
    return f"map_from_arrays({keys}, {lists})"


def _are_numbers(rows: Iterable[Row]) -> bool:
    """Return True if JSON has all constants, and exactly."""
    return all(
        constant.type in (BIGINT, DOUBLE) and isinstance(constant.value, int | float) and math.isfinite(constant.value)
        for row in rows
        for constant in row
    )


def _from_json(text: str, sql_type: str) -> str:
    # A double quote around a name is one that some setting of Spark's parser would read.
    return f"from_json('{text}', '{sql_type}', map('allowUnquotedFieldNames', 'true'))"


def _list(items: Iterable[str]) -> str:
    return f"[{','.join(items)}]"


def _object(row: Row, start: int) -> str:
    return f"{{{','.join(f'c{place}:{constant.value!r}' for place, constant in enumerate(row, start))}}}"


def _type(row: Row, start: int) -> str:
    return f"STRUCT<{', '.join(f'c{place}: {constant.type}' for place, constant in enumerate(row, start))}>"


def _array(texts: Iterable[str]) -> str:
    return f"array({', '.join(texts)})"


def _struct(row: Row, start: int, write: Write) -> str:
    return f"struct({', '.join(f'{write(constant)} AS c{place}' for place, constant in enumerate(row, start))})"
