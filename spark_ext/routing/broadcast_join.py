"""Left broadcast hash join on a 64-bit hash of the key, with an exact recheck."""

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

#: The column of a shared table that has the number of a row's part.
NUMBER = "n"

#: A value of the message, and the column of the table that it is compared with.
Key = tuple[ir.Value, ir.Column]


#: The code of the error that a table is more than Spark broadcasts, and what to do about it.
LIMIT_BROADCAST = "limit.broadcast"
BY_PARTS = "route by parts of the topology, one after the other: docs/compile-once.md says how"

#: The most bytes of a table that Spark broadcasts.
MAX_BROADCAST = "spark.sql.maxBroadcastTableSize"

#: Texts in Spark's errors about a broadcast that is too large, with the setting that limits it.
_SAID = (
    ("Not enough memory to build and broadcast", "spark.driver.memory"),
    ("bigger than spark.driver.maxResultSize", "spark.driver.maxResultSize"),
    ("Cannot broadcast the table that is larger than", MAX_BROADCAST),
    ("spark.sql.broadcastTimeout", "spark.sql.broadcastTimeout"),
    ("java.lang.OutOfMemoryError", "spark.driver.memory"),
)


class ConstantTable(NamedTuple):
    """A DataFrame of constants and the names of its columns: Spark Connect asks the server for those of a DataFrame."""

    rows: DataFrame
    names: tuple[str, ...]


class Part(NamedTuple):
    """The rows of one join in a table that several share: those with this ``number`` in the struct ``row``."""

    number: int
    row: str

    @property
    def column(self) -> str:
        """The SQL of a row's number."""
        return f"{self.row}.{NUMBER}"


@contextmanager
def broadcast_of(name: str) -> Iterator[None]:
    """Name a topology in the error that its tables are more than Spark broadcasts.

    Spark's own errors name no topology, and advise settings that decide nothing for a join that asks for its broadcast.
    ``UnsupportedFeatureError`` takes their place, with the setting that limits the broadcast.
    """
    try:
        yield
    except UnsupportedFeatureError as error:
        first, *others = error.diagnostics
        if first.code != LIMIT_BROADCAST or first.message.startswith(name):
            raise
        raise UnsupportedFeatureError([replace(first, message=f"{name}: {first.message}"), *others]) from None
    except Exception as error:
        told = str(error)
        setting = next((setting for text, setting in _SAID if text in told), None)
        if setting is None:
            raise
        raise UnsupportedFeatureError.at(
            LIMIT_BROADCAST,
            f"{name}: Spark cannot broadcast the tables of its bindings within {setting}",
            hint=f"perhaps start Spark with a larger {setting}, or {BY_PARTS}",
        ) from error


def called(topology: Topology | CompiledTopology) -> str:
    """Return how errors call a topology: by the version of a compiled one, else by the numbers of its objects."""
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
    """Join each message to the row of its keys in a table, or to NULLs; without keys, to the only row.

    A ``part`` is one of a table that is made by ``share``. ``first`` is a column of the messages.
    """
    conditions = [emit_filter(ir.Compare(Comparison.EQ, value, column)) for value, column in keys]
    # A constant key that Spark does not know to be one. A join without any is a nested loop, which the real-time mode
    # of streams refuses.
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
    """Return a table that several joins share: the hash of each row, and the row as a struct.

    ``keys`` are the columns of each part's keys by its number, which is in the column ``NUMBER``. Equal keys of two
    parts differ in the number, and no more than that is needed: the fields of other parts' keys are NULL.
    """
    hashes = " ".join(
        f"WHEN {number} THEN {_hash_of(columns) if columns else '0L'}" for number, columns in keys.items()
    )
    rows = table.rows.selectExpr(f"CASE {NUMBER} {hashes} END ^ {NUMBER} AS {HASH}", f"struct(*) AS {name}")
    return ConstantTable(rows, (name,))


def _hash_of(columns: Iterable[str]) -> str:
    return f"xxhash64({', '.join(columns)})"


def _exactly(condition: str) -> str:
    """Two keys may have one hash, so the matched rows are compared. IS TRUE hides that from Spark's join keys."""
    return f"(({condition}) IS TRUE)"


def without(frame: DataFrame, *names: str) -> DataFrame:
    """Drop columns that there are. ``DataFrame.drop`` analyzes the frame on Spark Connect, which a pipeline refuses."""
    return frame.selectExpr(f"* EXCEPT ({', '.join(map(quote_name, names))})")


def can_share(keys: Sequence[Key]) -> bool:
    """Return True if the rows of a join can be in a shared table: there is a hash of its keys, or it has no key."""
    return all(_hashes(value, column) for value, column in keys)


def hashed(keys: Sequence[Key]) -> bool:
    """Return True if the join is on a hash of the keys.

    For a key of one BIGINT Spark stores the rows and no more, and for any other a page of up to 64 MB for each table.
    """
    if not keys or _is_long(keys):
        return False
    return can_share(keys)


def _is_long(keys: Sequence[Key]) -> bool:
    return [column.type for _, column in keys] == [BIGINT] and _hashes(*keys[0])


def _hashes(value: ir.Value, column: ir.Column) -> bool:
    """Return True if equal values have one hash, once the message's value has the column's type."""
    return value.type == column.type or {ir.type_class(value.type), ir.type_class(column.type)} == {TypeClass.INTEGER}


def _as_stored(value: ir.Value, column: ir.Column) -> str:
    text = emit_value(value)
    return text if value.type == column.type else f"CAST({text} AS {column.type})"
