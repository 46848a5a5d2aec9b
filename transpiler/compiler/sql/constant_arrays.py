"""Emit lists of constants: numbers as one JSON text, which Spark parses once, when it plans the query.

Spark takes ten seconds to analyze a list of 10,000 ranges as separate literals, and a tenth of that as JSON. Strings
are separate literals, because ``quoting`` makes literals that mean the same under every parser setting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE

#: A function that returns the SQL of a constant, written so that it has the constant's type.
Write = Callable[[ir.Constant], str]


def rows_text(rows: Sequence[ir.Row], write: Write) -> str:
    """Return the SQL of an array with a struct for each row, with the fields c0, c1 and so on."""
    if not _are_numbers(rows):
        return _array(_struct(row, 0, write) for row in rows)
    return _from_json(_list(_object(row, 0) for row in rows), f"ARRAY<{_type(rows[0], 0)}>")


def chunks_text(chunks: Sequence[ir.Chunk], write: Write) -> str:
    """Return the SQL of an array with a struct for each chunk. Field b has the chunk's bounds, field l its rows."""
    if not _are_numbers(row for bounds, rows in chunks for row in (bounds, *rows)):
        texts = ((_struct(bounds, 0, write), rows_text(rows, write)) for bounds, rows in chunks)
        return _array(f"struct({bounds} AS b, {rows} AS l)" for bounds, rows in texts)
    row = _type(chunks[0][0], 0)
    lists = ((_object(bounds, 0), _list(_object(each, 0) for each in rows)) for bounds, rows in chunks)
    return _from_json(
        _list(f"{{b:{bounds},l:{rows}}}" for bounds, rows in lists), f"ARRAY<STRUCT<b: {row}, l: ARRAY<{row}>>>"
    )


def map_text(rows: Sequence[ir.Row], write: Write) -> str:
    """Return the SQL of a map from the first constant of each of ``rows`` to all rows that begin with this constant.

    A value of the map is an array of structs with the other constants of a row as the fields c1, c2 and so on.
    """
    by_key: dict[ir.Constant, dict[ir.Row, None]] = {}
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


def _are_numbers(rows: Iterable[ir.Row]) -> bool:
    """Return True if JSON can represent all constants exactly."""
    return all(
        constant.type in (BIGINT, DOUBLE) and isinstance(constant.value, int | float) and math.isfinite(constant.value)
        for row in rows
        for constant in row
    )


def _from_json(text: str, sql_type: str) -> str:
    # Names are unquoted because under some settings of Spark's parser, a double quote begins a string.
    return f"from_json('{text}', '{sql_type}', map('allowUnquotedFieldNames', 'true'))"


def _list(items: Iterable[str]) -> str:
    return f"[{','.join(items)}]"


def _object(row: ir.Row, start: int) -> str:
    return f"{{{','.join(f'c{index}:{constant.value!r}' for index, constant in enumerate(row, start))}}}"


def _type(row: ir.Row, start: int) -> str:
    return f"STRUCT<{', '.join(f'c{index}: {constant.type}' for index, constant in enumerate(row, start))}>"


def _array(texts: Iterable[str]) -> str:
    return f"array({', '.join(texts)})"


def _struct(row: ir.Row, start: int, write: Write) -> str:
    return f"struct({', '.join(f'{write(constant)} AS c{index}' for index, constant in enumerate(row, start))})"


def let_row_variables(node: ir.AnyRow, row: str) -> tuple[tuple[ir.Value, ...], ir.Predicate]:
    """Return the values of the message that the predicate of ``node`` reads, and the body of a lambda for it.

    The lambda's parameter ``row`` is a row of constants. If ``node`` has no key, the body reads the values as fields of
    a struct ``m``, so that they are computed once and not for every row. If ``node`` has a key, few rows are tested,
    and the body contains the values themselves.
    """
    values: dict[ir.Value, None] = {}

    def value(inner: ir.Value) -> ir.Value:
        match inner:
            case ir.RowParameter(index=index, type=cell_type):
                return ir.Column((row, f"c{index}"), cell_type)
            case ir.Constant():
                return inner
            case _:
                values[inner] = None
                if node.key is not None:
                    return inner
                return ir.Column(("m", f"v{list(values).index(inner)}"), inner.type)

    def visit(inner: ir.Predicate) -> ir.Predicate:
        return ir.rebuild(inner, visit, value)

    predicate = visit(node.predicate)
    return tuple(values), predicate
