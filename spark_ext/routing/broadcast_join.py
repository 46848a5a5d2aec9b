"""Left broadcast hash join on a 64-bit hash of the key, followed by an exact comparison of the keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from transpiler.base.comparison import Comparison
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT
from transpiler.compiler.sql import emit_filter, emit_value, quote_name
from transpiler.message.types import TypeClass
from transpiler.routing.columns import HASH
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.topology.model import Topology

#: If several constant tables share one broadcast table: the column with the number of the constant table to which a row
#: belongs.
NUMBER = "n"

#: An equality of the join: a value computed from the message, and the column of the constant table that must equal it.
Key = tuple[ir.Value, ir.Column]


#: The code and the hint of the error for a table that is too large for Spark to broadcast.
LIMIT_BROADCAST = "limit.broadcast"
BY_PARTS = "route by parts of the topology, one after the other: docs/compile-once.md explains how"

#: The setting for the maximum size of a table that Spark broadcasts, in bytes.
MAX_BROADCAST = "spark.sql.maxBroadcastTableSize"

#: Texts in Spark's errors about a broadcast that is too large, each with the setting that limits the broadcast.
_ERROR_TEXTS = (
    ("Not enough memory to build and broadcast", "spark.driver.memory"),
    ("bigger than spark.driver.maxResultSize", "spark.driver.maxResultSize"),
    ("Cannot broadcast the table that is larger than", MAX_BROADCAST),
    ("spark.sql.broadcastTimeout", "spark.sql.broadcastTimeout"),
    ("java.lang.OutOfMemoryError", "spark.driver.memory"),
)


class ConstantTable(NamedTuple):
    """A DataFrame of constants with the names of its columns, which Spark Connect would have to ask the server for."""

    rows: DataFrame
    names: tuple[str, ...]


class Part(NamedTuple):
    """The rows that belong to one join, in a table that several joins share.

    They are the rows whose field ``NUMBER`` has the value ``number``. ``row`` is the name of the struct column that
    contains the fields of each row.
    """

    number: int
    row: str

    @property
    def column(self) -> str:
        """The SQL of the field with the number of the part to which a row of the table belongs."""
        return f"{self.row}.{NUMBER}"


@contextmanager
def broadcast_of(name: str) -> Iterator[None]:
    """Replace Spark's errors about too large broadcasts by ``UnsupportedFeatureError`` with the topology's ``name``.

    Spark's own errors do not name the topology, and recommend settings that have no effect on a join with a broadcast
    hint. The new error names the setting that limits the broadcast.
    """
    try:
        yield
    except UnsupportedFeatureError as error:
        first, *others = error.diagnostics
        if first.code != LIMIT_BROADCAST or first.message.startswith(name):
            raise
        raise UnsupportedFeatureError([replace(first, message=f"{name}: {first.message}"), *others]) from None
    except Exception as error:
        reason = str(error)
        setting = next((setting for text, setting in _ERROR_TEXTS if text in reason), None)
        if setting is None:
            raise
        raise UnsupportedFeatureError.at(
            LIMIT_BROADCAST,
            f"{name}: Spark cannot broadcast the tables of the bindings within the limit {setting}",
            hint=f"perhaps start Spark with a larger {setting}, or {BY_PARTS}",
        ) from error


def called(topology: Topology | CompiledTopology) -> str:
    """Return the description of a topology for errors: the version if it is compiled, otherwise its headline."""
    if isinstance(topology, CompiledTopology):
        return f"the topology of version {topology.version}"
    return f"the topology {topology.headline}"


def join(
    frame: DataFrame,
    table: ConstantTable,
    keys: Sequence[Key],
    first: str,
    part: Part | None = None,
) -> DataFrame:
    """Join each message to the row of ``table`` whose key columns equal its ``keys``; without such a row, to NULLs.

    If ``keys`` is empty, each message is joined to the only row of ``table``. ``part`` identifies the rows of this join
    in a table from ``share``; None if the table is not shared. ``first`` is any column of the messages; the join reads
    it if ``keys`` is empty, because it needs an expression that is not constant.
    """
    conditions = [emit_filter(ir.Compare(Comparison.EQ, value, column)) for value, column in keys]
    # A join without keys still needs an equality, or Spark plans a nested-loop join, which the real-time mode of
    # streams rejects. The value must not look constant to Spark's optimizer, so it is computed from a column.
    constant = f"size(array_repeat({quote_name(first)}, 0))"
    if part is not None:
        sought = _hash_of(_as_stored(value, column) for value, column in keys) if keys else constant
        exact = conditions or [f"{part.column} = {part.number}"]
        condition = " AND ".join([f"{sought} ^ {part.number} = {HASH}", *map(_exactly, exact)])
        return without(frame.join(sf.broadcast(table.rows), sf.expr(condition), "left"), HASH)
    if not keys:
        stored = f"size(array_repeat({quote_name(table.names[0])}, 0))"
        return frame.join(sf.broadcast(table.rows), sf.expr(f"{constant} = {stored}"), "left")
    if not hashed(keys):
        return frame.join(sf.broadcast(table.rows), sf.expr(" AND ".join(conditions)), "left")
    sought = _hash_of(_as_stored(value, column) for value, column in keys)
    condition = " AND ".join([f"{sought} = {HASH}", *map(_exactly, conditions)])
    rows = table.rows.selectExpr(f"{_hash_of(emit_value(column) for _, column in keys)} AS {HASH}", "*")
    return without(frame.join(sf.broadcast(rows), sf.expr(condition), "left"), HASH)


def share(table: ConstantTable, name: str, keys: Mapping[int, Sequence[str]]) -> ConstantTable:
    """Prepare a table for several joins: add the hash of each row, and put the row into the struct ``name``.

    ``keys`` maps the number of each join to the names of its key columns; the column ``NUMBER`` of a row contains the
    number of its join. The hash includes this number, because rows of different joins can have equal keys.
    """
    hashes = " ".join(
        f"WHEN {number} THEN {_hash_of(columns) if columns else '0L'}" for number, columns in keys.items()
    )
    rows = table.rows.selectExpr(f"CASE {NUMBER} {hashes} END ^ {NUMBER} AS {HASH}", f"struct(*) AS {name}")
    return ConstantTable(rows, (name,))


def _hash_of(columns: Iterable[str]) -> str:
    return f"xxhash64({', '.join(columns)})"


def _exactly(condition: str) -> str:
    """Add IS TRUE to ``condition``, which compares the keys of a join themselves after their hashes were compared.

    Without IS TRUE, Spark would make this comparison an additional key of its hash join, which takes more memory.
    """
    return f"(({condition}) IS TRUE)"


def without(frame: DataFrame, *names: str) -> DataFrame:
    """Drop the columns ``names``, which must exist.

    Do not call ``DataFrame.drop``: on Spark Connect it asks the server for the columns of ``frame``, which is not
    allowed in the query function of a declarative pipeline.
    """
    return frame.selectExpr(f"* EXCEPT ({', '.join(map(quote_name, names))})")


def can_share(keys: Sequence[Key]) -> bool:
    """Return True if a join with ``keys`` can use a table that several joins share.

    Such a join compares hashes of the keys, so equal values must have equal hashes.
    """
    return all(_hashes(value, column) for value, column in keys)


def hashed(keys: Sequence[Key]) -> bool:
    """Return True if the join compares a BIGINT hash of ``keys`` instead of ``keys``.

    The reason is memory: for any key other than a single BIGINT, Spark allocates a page of up to 64 MB for each
    table.
    """
    if not keys or _is_long(keys):
        return False
    return can_share(keys)


def _is_long(keys: Sequence[Key]) -> bool:
    return [column.type for _, column in keys] == [BIGINT] and _hashes(*keys[0])


def _hashes(value: ir.Value, column: ir.Column) -> bool:
    """Return True if ``value``, converted to the type of ``column``, has the same hash as an equal value there."""
    return value.type == column.type or {ir.type_class(value.type), ir.type_class(column.type)} == {TypeClass.INTEGER}


def _as_stored(value: ir.Value, column: ir.Column) -> str:
    text = emit_value(value)
    return text if value.type == column.type else f"CAST({text} AS {column.type})"
