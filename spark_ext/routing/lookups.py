"""Lookups: tables of constants with equal keys share one broadcast table; the residual filters the matched rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from spark_ext.messages.generated_methods import hoist_to_method
from spark_ext.routing.broadcast_join import Key, Part, hashed
from spark_ext.routing.codegen_budget import lookup_length, split_by_budget, table_length
from spark_ext.routing.topic_sql import let
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, Element
from transpiler.compiler.sql import emit_filter, emit_value, quote_text
from transpiler.routing.columns import MATCHED, ROW, ROW_DELIVERED
from transpiler.routing.interval_index import Interval
from transpiler.routing.plan import Table
from transpiler.routing.row_index import MatchedKey
from transpiler.routing.signatures import Parameter, parameter_number
from transpiler.routing.substring_index import Grams


@dataclass(frozen=True)
class Lookup:
    """Tables with the same keys; ``name`` is the prefix of the columns with their deliveries.

    Look-ups that share a ``store`` have their rows in one table of Spark's, each under its ``number``.
    """

    name: str
    keys: tuple[ir.Value, ...]
    key_types: tuple[ColumnType, ...]
    tables: tuple[Table, ...]
    shared: str | None = None
    number: int = 0

    @property
    def store(self) -> str:
        """The name of the table that has the rows, with which the names of its columns begin."""
        return self.shared or self.name

    @property
    def exchange(self) -> str:
        """The column of the exchange, which is the first key where a table has several exchanges."""
        return f"{self.store}_e"

    @property
    def part(self) -> Part | None:
        """The discriminator of the rows among those of other look-ups in the same store."""
        return None if self.shared is None else Part(self.number, f"{self.store}_n")

    @property
    def columns(self) -> list[ir.Column]:
        """The columns of the keys."""
        return [ir.Column((f"{self.store}_k{place}",), key_type) for place, key_type in enumerate(self.key_types)]

    @property
    def pairs(self) -> list[Key]:
        """The key values of a message, each with the column that it is compared with."""
        return list(zip(self.keys, self.columns, strict=True))

    @property
    def kind(self) -> tuple[object, ...]:
        """The shape of the columns, which is equal for look-ups that may share a store.

        If one needed fewer columns, Spark would prune the others and broadcast a second table.
        """
        return self.key_types, tuple((table.flat, type(table.index), table.signature.types) for table in self.tables)

    @property
    def length(self) -> int:
        """The bytes of bytecode in a generated method: see ``codegen_budget``."""
        return lookup_length(self.keys) + sum(table_length(table.signature) for table in self.tables)

    def table_name(self, number: int) -> str:
        """Return the prefix of the columns that belong to one of the tables."""
        return f"{self.store}_{number}"

    def rows(self) -> dict[tuple[Parameter, ...], None]:
        """The keys of all tables, each once, in order."""
        return dict.fromkeys(key for table in self.tables for key in table.rows)

    def deliveries(self, grams: Mapping[ir.Value, str]) -> Iterator[tuple[bool, str]]:
        """Yield the SQL of the deliveries of each table to the message that its row was joined to.

        With True it is an array of deliveries, with False an array of arrays of them; either may be NULL. ``grams`` are
        the columns with the hashed substrings of values.
        """
        for number, table in enumerate(self.tables):
            yield table.flat, _of_arrays(self.table_name(number), table, grams)


def build_lookups(prefix: str, tables: Iterable[Table], room: int) -> list[Lookup]:
    """Group the tables by their keys into look-ups, each of which fits in one generated method of ``room`` bytes."""
    lookups: list[Lookup] = []
    places: dict[tuple[object, ...], int] = {}
    for table in tables:
        keys = table.signature.keys, table.signature.key_types
        place = places.get(keys)
        if place is not None:
            before = lookups[place]
            joined = replace(before, tables=(*before.tables, table))
            if joined.length <= room:
                lookups[place] = joined
                continue
        places[keys] = len(lookups)
        lookups.append(Lookup(f"{prefix}{len(lookups)}", *keys, (table,)))
    return _in_stores(lookups)


def _in_stores(lookups: Sequence[Lookup]) -> list[Lookup]:
    """Put the look-ups of one kind into one store: twenty tables would be twenty jobs of Spark's."""
    kinds: dict[tuple[object, ...], list[Lookup]] = {}
    for look_up in lookups:
        kinds.setdefault(look_up.kind if hashed(look_up.pairs) else (look_up.name,), []).append(look_up)
    placed = {}
    for alike in kinds.values():
        shared = alike[0].name if len(alike) > 1 else None
        for number, look_up in enumerate(alike):
            placed[look_up.name] = replace(look_up, shared=shared, number=number)
    return [placed[look_up.name] for look_up in lookups]


def _of_arrays(name: str, table: Table, grams: Mapping[ir.Value, str]) -> str:
    """Return the deliveries of the rows of a key; the same may be delivered several times."""
    signature, guard, delivered = table.signature, table.signature.guard, f"{name}_d"
    if signature.residual == guard == ir.TRUE:
        return delivered
    parts = []
    for residual in split_by_budget(signature.residual):
        text = delivered if residual == ir.TRUE else _filter_rows(name, table, residual, grams)
        parts.append(hoist_to_method(text if guard == ir.TRUE else _where(guard, text)))
    return parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"


def _where(condition: ir.Predicate, text: str) -> str:
    return f"CASE WHEN {emit_filter(condition)} THEN {text} END"


def _filter_rows(name: str, table: Table, residual: ir.Predicate, grams: Mapping[ir.Value, str]) -> str:
    """Return the deliveries of the rows for which a predicate holds."""
    delivered, index = f"{name}_d", table.index

    def constant(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        return column if number is None else ir.Column((f"{name}_p", Element(ROW), f"p{number}"), column.type)

    condition = emit_filter(ir.replace_columns(residual, constant))
    if index is None:
        return f"filter({delivered}, ({ROW_DELIVERED}, {ROW}) -> {condition})"
    if isinstance(index, Interval):
        rows = _rows_at(f"{name}_r", index)
    else:
        hashes = MATCHED if isinstance(index, MatchedKey) else grams[index.value]
        rows = f"flatten(transform({hashes}, h -> get({name}_r.nodes, CAST(h & {name}_r.mask AS INT))))"
    return f"transform(filter({rows}, {ROW} -> {condition}), {ROW} -> {delivered}[{ROW}])"


def cut_up(value: ir.Value, grams: Grams) -> str:
    """Return the hashes of the substrings of a value: see ``routing.substring_index``."""
    text = emit_value(value)
    parts = [f"regexp_extract_all({text}, {quote_text(expression)}, 1)" for expression in grams.expressions]
    substrings = parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"
    return f"array_distinct(transform({substrings}, g -> crc32(g)))"


def _rows_at(index: str, ranges: Interval) -> str:
    """Return the numbers of the rows whose range may contain the message's value: see ``routing.interval_index``."""
    names = {}
    if len(ranges.values) == 1 and isinstance(ranges.values[0], ir.Column):
        value = emit_value(ranges.values[0])
    else:
        value, names["value"] = "value", f"coalesce({', '.join(map(emit_value, ranges.values))})"
    bucket = (
        f"CASE WHEN {value} < {index}.low THEN 0 WHEN {value} < {index}.high "
        f"THEN least(CAST(({value} - {index}.low) * {index}.scale AS INT), {index}.last) ELSE {index}.last END"
    )
    searched = (
        f"aggregate({index}.steps, 0, (place, step) -> "
        f"CASE WHEN get({index}.bounds, place + step - 1) <= {value} THEN place + step ELSE place END)"
    )
    leaf = f"CASE WHEN size({index}.steps) = 0 THEN {bucket} ELSE {searched} END"
    # NULL is in no range.
    names["leaf"] = f"CASE WHEN {value} IS NOT NULL THEN {leaf} END"
    node = f"get({index}.nodes, get({index}.offsets, level) + shiftright(leaf, shift))"
    lowest, above = f"get({index}.leaves, leaf)", f"flatten(transform({index}.shifts, (shift, level) -> {node}))"
    rows = f"CASE WHEN size({index}.shifts) = 0 THEN {lowest} ELSE concat({lowest}, {above}) END"
    return let(names, rows)
