"""How a message comes to its row in a table of constants: by one broadcast join, with one number wherever that does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from transpiler import ir
from transpiler.ir.column_types import BIGINT
from transpiler.message.types import TypeClass
from transpiler.selector.ast import Comparison
from transpiler.sql import emit_filter, emit_value

_HASH = "_routing_hash"

#: What a message has, and the column of the table that is to equal it.
Key = tuple[ir.Value, ir.Column]


class Part(NamedTuple):
    """Of a table whose rows several joins look for, those of one of them: with this ``number`` in the ``column``."""

    number: int
    column: str


def join(
    frame: DataFrame, table: DataFrame, keys: Sequence[Key], needed: ir.Predicate = ir.TRUE, part: Part | None = None
) -> DataFrame:
    """The messages with the row that their keys have in a table, or NULLs; without keys, with the only row.

    Those of which what is ``needed`` does not hold have no key. A ``part`` is for keys that are ``hashed``.
    """
    conditions = [emit_filter(ir.Compare(Comparison.EQ, value, column)) for value, column in keys]
    if not hashed(keys):
        if keys and needed != ir.TRUE:
            value, column = keys[0]
            conditions[0] = emit_filter(ir.Compare(Comparison.EQ, ir.When(needed, value), column))
        return frame.join(sf.broadcast(table), sf.expr(" AND ".join(conditions) or "true"), "left")
    stored = f"xxhash64({', '.join(emit_value(column) for _, column in keys)})"
    sought = f"xxhash64({', '.join(_as_stored(value, column) for value, column in keys)})"
    if part is not None:
        # Equal keys of two parts have two numbers, so no more is asked of the rows found.
        stored, sought = f"{stored} ^ {part.column}", f"{sought} ^ {part.number}"
    if needed != ir.TRUE:
        # The hash of NULL is a number.
        sought = f"CASE WHEN {emit_filter(needed)} THEN {sought} END"
    # What IS TRUE is no key to Spark, and asked of the rows found: two keys may have one hash.
    condition = " AND ".join([f"{sought} = {_HASH}", *(f"(({exact}) IS TRUE)" for exact in conditions)])
    rows = table.selectExpr(f"{stored} AS {_HASH}", "*")
    return frame.join(sf.broadcast(rows), sf.expr(condition), "left").drop(_HASH)


def hashed(keys: Sequence[Key]) -> bool:
    """Whether rows are found by a hash of the keys.

    By one BIGINT Spark keeps the rows and no more, and by anything else a page of up to 64 MB for each table.
    """
    if [column.type for _, column in keys] in ([], [BIGINT]):
        return False
    return all(_hashes(value, column) for value, column in keys)


def _hashes(value: ir.Value, column: ir.Column) -> bool:
    """Whether equal values have one hash, once the message's value has the column's type."""
    return value.type == column.type or {ir.type_class(value.type), ir.type_class(column.type)} == {TypeClass.INTEGER}


def _as_stored(value: ir.Value, column: ir.Column) -> str:
    text = emit_value(value)
    return text if value.type == column.type else f"CAST({text} AS {column.type})"
