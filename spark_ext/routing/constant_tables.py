"""The tables of a plan as DataFrames: constants by key, the arrays of the trie, and the data of each exchange."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import reduce
from itertools import chain
from typing import Any, cast
from zlib import crc32

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from spark_ext.routing import tuning
from spark_ext.routing.broadcast_join import BY_PARTS, LIMIT_BROADCAST, MAX_BROADCAST, NUMBER, ConstantTable, share
from spark_ext.routing.lookups import Lookup
from spark_ext.routing.session_tables import KeptTables
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING, ColumnType, Path
from transpiler.compiler.layouts.schemas import parse_ddl
from transpiler.routing.columns import (
    ALTERNATES,
    EDGES,
    ENDS,
    ENTRY,
    LISTS,
    OTHERWISE,
    ROOT,
    ROUNDS,
    SLOTS,
    START,
    START_WHOLE,
    STEPS,
    TESTED,
    TYPES,
)
from transpiler.routing.constant_rows import Delivery
from transpiler.routing.exchange_graph import Entry, Hop, Visit
from transpiler.routing.interval_index import Interval, IntervalIndex, build_interval_index
from transpiler.routing.plan import Group, RoutingPlan, Table
from transpiler.routing.row_index import Index, MatchedKey
from transpiler.routing.signatures import Parameter
from transpiler.routing.substring_index import HashIndex, build_hash_index, build_substring_index
from transpiler.routing.topic_automaton import TopicAutomaton

try:
    # With pyarrow, Spark reads a large table as Arrow batches, which is fast. Without it, the rows are sent as JSON.
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_schema
except ImportError:
    pyarrow = None

#: The SQL types of the indexes of rows: of an interval index (``_INTERVALS``), and of a hash index (``_HASHES``).
_INTERVALS = (
    "STRUCT<low: DOUBLE, high: DOUBLE, scale: DOUBLE, last: INT, bounds: ARRAY<DOUBLE>, steps: ARRAY<INT>, "
    "leaves: ARRAY<ARRAY<INT>>, shifts: ARRAY<INT>, offsets: ARRAY<INT>, nodes: ARRAY<ARRAY<INT>>>"
)
_HASHES = "STRUCT<mask: INT, nodes: ARRAY<ARRAY<INT>>>"


class Payload(Enum):
    """The SQL type of a delivery: what a matching binding contributes to the result of a message.

    If no binding leads to an exchange, it is the name of a queue. Otherwise it is a struct. Its field ``x`` is the
    state of the exchange graph (an exchange and a routing key) from which the binding leads. ``e`` is the state to
    which it leads, or else ``q`` is the queue; the other one is NULL.
    """

    QUEUE = "STRING"
    DELIVERY = "STRUCT<x: INT, e: INT, q: STRING>"

    @property
    def empty(self) -> str:
        """The SQL of an empty array of this type."""
        one = "''" if self is Payload.QUEUE else "named_struct('x', 0, 'e', 0, 'q', '')"
        return f"array_repeat({one}, 0)"

    def of(self, queues: Sequence[str]) -> Callable[[Delivery], Any]:
        """Return the function that converts a delivery to a value of this type; ``queues`` contains names by index."""
        if self is Payload.QUEUE:
            return lambda delivery: queues[cast(int, delivery.queue)]
        return lambda delivery: (*delivery[:2], None if delivery.queue is None else queues[delivery.queue])


class ConstantTables:
    """Builder of the DataFrames with the constants of one plan.

    Each DataFrame is built once and cached in the session. ``kind`` is a part of the cache's key: it distinguishes
    tables that have the same plan and payload, but different contents.
    """

    def __init__(self, session: SparkSession, plan: RoutingPlan, payload: Payload, kind: Hashable) -> None:
        self._session = session
        self._plan = plan
        self._payload = payload
        self._of = payload.of(plan.queues)
        self._kept = KeptTables(session, plan, (payload, kind))

    def store(self, look_ups: Sequence[Lookup]) -> ConstantTable:
        """Return one Spark table with the rows of all tables in ``look_ups``, one row for each lookup key.

        For each table, a row has the array of the deliveries of the bindings with that key, and the array of the
        constants that their residual predicates read. Both are NULL if the table has no bindings with the key. Unless a
        table is ``flat``, its array of deliveries contains an array for each binding.
        """
        return self._kept.once(look_ups[0].store, lambda: self._store(look_ups))

    def _store(self, look_ups: Sequence[Lookup]) -> ConstantTable:
        parts = [self._rows(look_up) for look_up in look_ups]
        declared = dict.fromkeys(chain.from_iterable(parts))
        columns = {column: list(chain.from_iterable(_or_nulls(part, column) for part in parts)) for column in declared}
        table, shared = constant_table(self._session, columns), look_ups[0].shared
        if shared is None:
            return table
        return share(table, shared, {look_up.number: [*map(_last, self._keys(look_up))] for look_up in look_ups})

    def _keys(self, look_up: Lookup) -> dict[Path, ColumnType]:
        """Return the paths of the key columns with their types."""
        exchange = [ir.Column(look_up.exchange, STRING)] if self._plan.exchange is None else []
        return {column.path: column.type for column in (*exchange, *look_up.columns)}

    def _rows(self, look_up: Lookup) -> dict[str, list[Any]]:
        """Return the columns of ``look_up`` in the constant table: from a declaration (name and type) to the values."""
        keys = list(look_up.rows())
        columns: dict[str, list[Any]] = {
            f"{_last(path)} {key_type}": [key[index] for key in keys]
            for index, (path, key_type) in enumerate(self._keys(look_up).items())
        }
        if look_up.shared is not None:
            columns[f"{NUMBER} INT"] = [look_up.number] * len(keys)
        for number, table in enumerate(look_up.tables):
            columns |= self._table(_last(look_up.table(number)), table, [table.rows.get(key) for key in keys])
        return columns

    def _table(self, name: str, table: Table, groups: list[Group | None]) -> dict[str, list[Any]]:
        """Return the columns of ``table``, from a declaration (name and type) to a value for each of ``groups``.

        A group contains the rows of one lookup key; it is None if the table has no rows for this key.
        """
        of, payload = self._of, self._payload.value
        rows: list[Any]
        values: list[Any]
        if table.flat:
            rows = [
                group and [(row, each) for row, delivered in group.items() for each in delivered] for group in groups
            ]
            values = [listed and [of(delivery) for _, delivery in listed] for listed in rows]
        else:
            rows = [group and list(group.items()) for group in groups]
            values = [listed and [list(map(of, delivered)) for _, delivered in listed] for listed in rows]
        columns: dict[str, list[Any]] = {f"{name}_d ARRAY<{payload if table.flat else f'ARRAY<{payload}>'}>": values}
        fields = ", ".join(f"p{position}: {column_type}" for position, column_type in enumerate(table.signature.types))
        if fields:
            columns[f"{name}_p ARRAY<STRUCT<{fields}>>"] = [
                listed and [constants for constants, _ in listed] for listed in rows
            ]
        if table.index is not None:
            declared = _INTERVALS if isinstance(table.index, Interval) else _HASHES
            columns[f"{name}_r {declared}"] = [
                listed and self._index(table.index, [constants for constants, _ in listed]) for listed in rows
            ]
        return columns

    def _index(self, index: Index, rows: list[tuple[Parameter, ...]]) -> tuple[Any, ...]:
        """Return the index of the constants in ``rows``, which have the same key, as a tuple for a Spark struct."""
        if isinstance(index, Interval):
            return _as_row(build_interval_index(index, rows))
        if isinstance(index, MatchedKey):
            return _as_row(build_hash_index([cast(int, row[index.number]) for row in rows]))
        return _as_row(build_substring_index(index.text, self._plan.grams[index.value], rows))

    @property
    def automaton(self) -> dict[str, Column]:
        """The arrays of the topic automaton, and the codes of its words, as columns by name."""
        return self._kept.once("automaton", self._automaton)

    def _automaton(self) -> dict[str, Column]:
        trie = self._plan.trie
        assert trie is not None
        delivered, tested = [], []
        for ends in trie.ends:
            patterns = [(number, self._plan.patterns[number]) for number in ends]
            delivered.append([self._of(delivery) for _, delivery in patterns if delivery is not None])
            tested.append([number for number, delivery in patterns if delivery is None])
        # Put each array into the query as a scalar subquery, which Spark computes once and replaces by a literal. If
        # the arrays were columns of a joined table, Spark would copy them for each message.
        constants: dict[str, Any] = {
            # Pack the two numbers of an edge, its state and its list of next states, into one. With two arrays, each
            # lookup would miss the CPU cache twice.
            EDGES: [owner << 32 | to for owner, to in zip(trie.owners, trie.following, strict=True)],
            OTHERWISE: trie.otherwise,
            LISTS: trie.lists,
            ENDS: delivered,
            TESTED: tested,
            SLOTS: _slots(trie),
        }
        types = {**TYPES, ENDS: f"ARRAY<ARRAY<{self._payload.value}>>"}
        # Each array has a table of its own, because Spark reads the whole table for each scalar subquery.
        return {
            name: constant_table(self._session, {f"{name} {types[name]}": [value]}).rows.scalar()
            for name, value in constants.items()
        }

    @property
    def entries(self) -> ConstantTable:
        """The table with a row for each exchange: the automaton's start states, and the exchange graph as arrays."""
        return self._kept.once("entries", self._entries)

    def _entries(self) -> ConstantTable:
        plan = self._plan
        names = [*([ENTRY] if plan.exchange is None else []), START, START_WHOLE]
        if not plan.simple:
            names += [ROOT, ROUNDS, ALTERNATES, STEPS]
        columns: dict[str, list[Any]] = {declared(name): [] for name in names}
        for name, entry in plan.entries.items():
            row: list[Any] = [name] if plan.exchange is None else []
            row += self._starts(entry)
            if not plan.simple:
                row += [entry.states[0], entry.length, self._alternates(entry), self._steps(entry)]
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
        return constant_table(self._session, columns)

    def _starts(self, entry: Entry) -> tuple[list[int], list[int]]:
        """Return the automaton's start states for messages to one exchange, as two lists.

        With the first list, the walk reads the words of a routing key; with the second, the whole key as one word.
        """
        starts = {} if self._plan.trie is None else self._plan.trie.starts
        whole = self._plan.whole or ()
        starts_of_entry: tuple[list[int], list[int]] = ([], [])
        for state in entry.states:
            starts_of_entry[state in whole].extend(starts.get(state, ()))
        return starts_of_entry

    def _alternates(self, entry: Entry) -> list[Any]:
        return list(map(tuple, entry.alternates))

    def _steps(self, entry: Entry) -> list[Any]:
        steps = entry.steps or (Visit(entry.states[0]),)
        return [
            (
                step.state,
                [(state, hop.stop, hop.unless) for state, hop in step.onward],
                step.alternate_queue,
                *_hop(step.alternate),
            )
            for step in steps
        ]


def _or_nulls(columns: Mapping[str, list[Any]], name: str) -> list[Any]:
    """Return the column ``name``, or a column of NULLs of the same length if ``columns`` has no such column."""
    return columns[name] if name in columns else [None] * len(next(iter(columns.values())))


def _last(path: Path) -> str:
    """Return the name of a column at ``path``: the last step, without the struct that contains the column."""
    return str(path[-1])


def _slots(automaton: TopicAutomaton) -> list[dict[str, int]]:
    """Return the integer codes of the automaton's words as a hash table: an array of maps from words to codes.

    The index of a word's map is given by the last bits of the word's CRC-32.
    """
    slots: list[dict[str, int]] = [{} for _ in range(1 << (2 * len(automaton.words)).bit_length())]
    for code, word in enumerate(automaton.words, 1):
        slots[crc32(word.encode()) & (len(slots) - 1)][word] = code
    return slots


def constant_table(session: SparkSession, columns: Mapping[str, Sequence[Any]]) -> ConstantTable:
    """Build a table of constants from ``columns``: from a declaration such as ``n INT`` to the values of the column.

    The values go to Spark as Arrow or JSON. ``createDataFrame`` with a list of rows would create an RDD of pickled
    rows, which every query unpickles in Python workers.
    """
    schema = declared_schema(", ".join(columns))
    if pyarrow is None:
        rows = json_frame(session, zip(*columns.values(), strict=True), schema)
    else:
        rows = arrow_frame(session, pyarrow.table(list(columns.values()), schema=to_arrow_schema(schema)), schema)
    return ConstantTable(rows, tuple(schema.names))


def declared(name: str) -> str:
    """Return the declaration (name and type) of the column ``name``, with the type from ``TYPES``."""
    return f"{name} {TYPES[name]}"


def declared_schema(columns: str) -> StructType:
    """Return the schema for ``columns``, declarations such as ``n INT, a ARRAY<INT>``.

    Arrays in the schema contain no NULLs, so that Spark sorts numbers without boxing them.
    """
    # Spark Connect would parse DDL on the server, which the query function of a pipeline must not call.
    return cast(StructType, _without_nulls(StructType.fromJson(parse_ddl(columns) if columns else {"fields": []})))


def _without_nulls(data_type: DataType) -> DataType:
    match data_type:
        case ArrayType(elementType=inner):
            return ArrayType(_without_nulls(inner), containsNull=False)
        case StructType(fields=fields):
            return StructType([StructField(field.name, _without_nulls(field.dataType)) for field in fields])
        case _:
            return data_type


def _as_row(index: IntervalIndex | HashIndex) -> tuple[Any, ...]:
    return tuple(getattr(index, field.name) for field in fields(index))


def _hop(hop: Hop | None) -> tuple[int | None, str | None]:
    return (None, None) if hop is None else (hop.stop, hop.unless)


_LOCAL_LIMIT = "spark.sql.execution.arrow.localRelationThreshold"
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"

#: The maximum size of a table that Spark before 4.1 broadcasts; later versions have the setting ``MAX_BROADCAST``.
_LIMIT = "8g"

#: Spark's suffixes for units of bytes, with the number of bytes of each unit.
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}

#: Size of a row in Spark's hash table without its values, in bytes (the copy of its key, its slot and its share of free
#: slots), and additional size of each field.
ROW, FIELD = 72, 8


def arrow_frame(session: SparkSession, rows: Any, schema: StructType) -> DataFrame:
    """Return the Arrow table ``rows`` as a DataFrame; raise ``UnsupportedFeatureError`` if Spark can't broadcast it."""
    if rows.nbytes < tuning.LOCAL_TABLE:
        return session.createDataFrame(rows, schema)
    size, limit = rows.nbytes + rows.num_rows * (ROW + FIELD * rows.num_columns), _most_bytes(session)
    if limit is not None and size > limit:
        raise UnsupportedFeatureError.at(
            LIMIT_BROADCAST,
            f"a table of the bindings takes about {size:,} bytes, but Spark broadcasts at most {limit:,} bytes "
            f"({MAX_BROADCAST})",
            hint=f"perhaps {BY_PARTS}",
        )
    count = max(1, rows.num_rows * tuning.TASK // rows.nbytes)
    if not hasattr(session, "_jsparkSession"):
        # Spark Connect would send the table as one task, so send it in parts that each become a task of a union.
        parts = [rows.slice(at, count) for at in range(0, rows.num_rows, count)]
        return reduce(DataFrame.union, (session.createDataFrame(part, schema) for part in parts))
    with _set(session, _LOCAL_LIMIT, "0"), _set(session, _BATCH, str(count)):
        return session.createDataFrame(rows, schema)


def _most_bytes(session: SparkSession) -> int | None:
    """Return the maximum size of a table that Spark broadcasts, in bytes; None if the setting cannot be parsed."""
    text = session.conf.get(MAX_BROADCAST, _LIMIT) or _LIMIT
    size = re.fullmatch("([0-9]+)([kmgtp]?)b?", text.strip().lower())
    return None if size is None else int(size[1]) * _UNITS[size[2]]


@contextmanager
def _set(session: SparkSession, name: str, value: str) -> Iterator[None]:
    before = session.conf.get(name, None)
    try:
        session.conf.set(name, value)
    except PySparkException:
        # A declarative pipeline rejects changes of settings. That does no harm: it runs on Spark Connect, which ignores
        # this setting.
        changed = False
    else:
        changed = True
    try:
        yield
    finally:
        if changed:
            if before is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, before)


def json_frame(session: SparkSession, rows: Iterable[Iterable[Any]], schema: StructType) -> DataFrame:
    """Return the DataFrame of ``rows``; structs in the rows are tuples."""
    text = json.dumps([_plain(tuple(row), schema) for row in rows])
    values = sf.from_json(sf.lit(text), ArrayType(schema))
    return session.range(0, 1, 1, 1).select(sf.inline(values))


def _plain(value: Any, kind: DataType) -> Any:
    """Convert ``value``, of the Spark type ``kind``, to the JSON form that ``from_json`` parses."""
    if value is None:
        return None
    match kind:
        case StructType(fields=fields):
            return {field.name: _plain(item, field.dataType) for field, item in zip(fields, value, strict=True)}
        case ArrayType(elementType=inner):
            return [_plain(item, inner) for item in value]
        case MapType(valueType=inner):
            return {key: _plain(item, inner) for key, item in value.items()}
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case Decimal():
            return str(value)
        case datetime():
            return value.isoformat()
    return value
