"""Left broadcast hash join on a 64-bit hash of the key, with an exact recheck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT
from transpiler.compiler.sql import emit_filter, emit_value, quote_name
from transpiler.message.types import TypeClass
from transpiler.routing.columns import HASH

#: A value of the message, and the column of the table that it is compared with.
Key = tuple[ir.Value, ir.Column]


class ConstantTable(NamedTuple):
    """A DataFrame of constants and the names of its columns: Spark Connect asks the server for those of a DataFrame."""

    rows: DataFrame
    names: tuple[str, ...]


class Part(NamedTuple):
    """The rows of one join in a table that several share: those with this ``number`` in the ``column``."""

    number: int
    column: str


def join(
    frame: DataFrame,
    table: ConstantTable,
    keys: Sequence[Key],
    first: str,
    part: Part | None = None,
) -> DataFrame:
    """Join each message to the row of its keys in a table, or to NULLs; without keys, to the only row.

    A ``part`` is for keys that are ``hashed``. ``first`` is a column of the messages.
    """
    if not keys:
        # A constant key that Spark does not know to be one. A join without any is a nested loop, which the real-time
        # mode of streams refuses.
        sought, stored = (f"size(array_repeat({quote_name(name)}, 0))" for name in (first, table.names[0]))
        return frame.join(sf.broadcast(table.rows), sf.expr(f"{sought} = {stored}"), "left")
    conditions = [emit_filter(ir.Compare(Comparison.EQ, value, column)) for value, column in keys]
    if not hashed(keys):
        return frame.join(sf.broadcast(table.rows), sf.expr(" AND ".join(conditions)), "left")
    stored = f"xxhash64({', '.join(emit_value(column) for _, column in keys)})"
    sought = f"xxhash64({', '.join(_as_stored(value, column) for value, column in keys)})"
    if part is not None:
        # Equal keys of two parts differ in the number, so the matched rows need no further test.
        stored, sought = f"{stored} ^ {part.column}", f"{sought} ^ {part.number}"
    condition = " AND ".join([f"{sought} = {HASH}", *map(_exactly, conditions)])
    rows = table.rows.selectExpr(f"{stored} AS {HASH}", "*")
    return without(frame.join(sf.broadcast(rows), sf.expr(condition), "left"), HASH)


def _exactly(condition: str) -> str:
    """Two keys may have one hash, so the matched rows are compared. IS TRUE hides that from Spark's join keys."""
    return f"(({condition}) IS TRUE)"


def without(frame: DataFrame, *names: str) -> DataFrame:
    """Drop columns that there are. ``DataFrame.drop`` analyzes the frame on Spark Connect, which a pipeline refuses."""
    return frame.selectExpr(f"* EXCEPT ({', '.join(map(quote_name, names))})")


def hashed(keys: Sequence[Key]) -> bool:
    """Return True if the join is on a hash of the keys.

    For a key of one BIGINT Spark stores the rows and no more, and for any other a page of up to 64 MB for each table.
    """
    if not keys or _is_long(keys):
        return False
    return all(_hashes(value, column) for value, column in keys)


def _is_long(keys: Sequence[Key]) -> bool:
    return [column.type for _, column in keys] == [BIGINT] and _hashes(*keys[0])


def _hashes(value: ir.Value, column: ir.Column) -> bool:
    """Return True if equal values have one hash, once the message's value has the column's type."""
    return value.type == column.type or {ir.type_class(value.type), ir.type_class(column.type)} == {TypeClass.INTEGER}


def _as_stored(value: ir.Value, column: ir.Column) -> str:
    text = emit_value(value)
    return text if value.type == column.type else f"CAST({text} AS {column.type})"
