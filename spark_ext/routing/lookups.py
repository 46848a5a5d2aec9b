"""Lookups: tables of constants with equal keys share one broadcast table; residual predicates filter matched rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from spark_ext.messages.generated_methods import hoist_to_method
from spark_ext.routing import tuning
from spark_ext.routing.broadcast_join import Key, Part, can_share, hashed
from spark_ext.routing.codegen_budget import lookup_length, split_by_budget, table_length
from spark_ext.routing.topic_sql import let
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, Element, Path
from transpiler.compiler.sql import emit_filter, emit_value, quote_path, quote_text
from transpiler.routing.columns import MATCHED, ROW, ROW_DELIVERED, labelled
from transpiler.routing.interval_index import Interval
from transpiler.routing.plan import Table
from transpiler.routing.row_index import MatchedKey
from transpiler.routing.signatures import Parameter, parameter_number
from transpiler.routing.substring_index import Grams


@dataclass(frozen=True)
class Lookup:
    """Constant tables with the same lookup keys, whose rows one join finds together.

    ``name`` is the prefix of the names of the columns. Several lookups can have their rows in one Spark table, called
    the store. Then ``shared`` is the name of the store, and ``number`` identifies the rows of this lookup; otherwise
    ``shared`` is None. Lookups whose columns have the same types have the same ``form``, and use the same columns of
    the store.
    """

    name: str
    keys: tuple[ir.Value, ...]
    key_types: tuple[ColumnType, ...]
    tables: tuple[Table, ...]
    shared: str | None = None
    number: int = 0
    form: int = 0

    @property
    def store(self) -> str:
        """The name of the Spark table with the rows, which is also the prefix of its columns."""
        return self.shared or self.name

    @property
    def exchange(self) -> Path:
        """The path of the column with the exchange of each row in the stored table.

        The lookup compares this column if the routing plan has several exchanges.
        """
        return (f"{self.store}_exchange",) if self.shared is None else (self.store, "exchange")

    @property
    def part(self) -> Part | None:
        """The rows of this lookup in the shared store; None if the lookup has its own store."""
        return None if self.shared is None else Part(self.number, self.shared)

    @property
    def columns(self) -> list[ir.Column]:
        """The columns of the stored table that contain the lookup keys."""
        return [ir.Column(self._path(f"key{index}"), key_type) for index, key_type in enumerate(self.key_types)]

    def _path(self, column: str) -> Path:
        return (f"{self.store}_{column}",) if self.shared is None else (self.shared, f"form{self.form}_{column}")

    @property
    def pairs(self) -> list[Key]:
        """The key values of a message, each with the column that must equal the value."""
        return list(zip(self.keys, self.columns, strict=True))

    @property
    def kind(self) -> tuple[object, ...]:
        """The types of the columns of this lookup; lookups with equal types get the same form."""
        return self.key_types, tuple((table.flat, type(table.index), table.signature.types) for table in self.tables)

    @property
    def length(self) -> int:
        """The estimated bytecode of the lookup in a generated method, in bytes: see ``codegen_budget``."""
        return lookup_length(self.keys) + sum(table_length(table.signature) for table in self.tables)

    def table(self, number: int) -> Path:
        """Return the path of table ``number``, to which ``_column`` appends a suffix for each column."""
        return self._path(f"rows{number}")

    def rows(self) -> dict[tuple[Parameter, ...], None]:
        """Return the distinct keys of all tables, in order, as a dict with the value None for each key."""
        return dict.fromkeys(key for table in self.tables for key in table.rows)

    def deliveries(self, grams: Mapping[ir.Value, str]) -> Iterator[tuple[bool, str]]:
        """Yield, for each table, a flag and the SQL of the deliveries of a message that was joined to the store.

        The flag is True if the SQL yields an array of deliveries, False if it yields an array of arrays; either can be
        NULL. ``grams`` maps each value with a substring index to the column with the hashes of its substrings.
        """
        for number, table in enumerate(self.tables):
            yield table.flat, _of_arrays(self.table(number), table, grams)


def build_lookups(prefix: str, tables: Iterable[Table], room: int) -> list[Lookup]:
    """Group ``tables`` by their keys into lookups, each of which fits into one generated method of ``room`` bytes.

    ``prefix`` is the prefix of the names of the lookups.
    """
    lookups: list[Lookup] = []
    index_by_keys: dict[tuple[object, ...], int] = {}
    for table in tables:
        keys = table.signature.keys, table.signature.key_types
        index = index_by_keys.get(keys)
        if index is not None:
            before = lookups[index]
            joined = replace(before, tables=(*before.tables, table))
            if joined.length <= room:
                lookups[index] = joined
                continue
        index_by_keys[keys] = len(lookups)
        lookups.append(Lookup(f"{prefix}{len(lookups)}_{_label(keys[0])}", *keys, (table,)))
    return _in_stores(lookups)


def _label(keys: Iterable[ir.Value]) -> str:
    """Return the suffix of a lookup's name that describes its keys: ``by_color_weight``; ``all`` without keys."""
    paths = [column.path for key in keys for column in ir.columns_in(key)]
    return labelled("by", paths) if paths else "all"


def _in_stores(lookups: Sequence[Lookup]) -> list[Lookup]:
    """Return ``lookups``, each with its store: the Spark table that contains its rows.

    If all lookups together have few rows, they share one store, because each store takes a Spark job in each query.
    Otherwise only lookups with the same column types share a store, because each row of a store has columns for all
    forms of lookups in it.
    """
    rows = sum(len(table.rows) for look_up in lookups for table in look_up.tables)
    groups: dict[object, list[Lookup]] = {}
    for look_up in lookups:
        if rows <= tuning.SHARED_ROWS and can_share(look_up.pairs):
            group: object = None
        else:
            group = look_up.kind if hashed(look_up.pairs) else look_up.name
        groups.setdefault(group, []).append(look_up)
    placed = {}
    for together in groups.values():
        shared = together[0].name if len(together) > 1 else None
        forms = {kind: form for form, kind in enumerate(dict.fromkeys(look_up.kind for look_up in together))}
        for number, look_up in enumerate(together):
            placed[look_up.name] = replace(look_up, shared=shared, number=number, form=forms[look_up.kind])
    return [placed[look_up.name] for look_up in lookups]


def _of_arrays(path: Path, table: Table, grams: Mapping[ir.Value, str]) -> str:
    """Return the SQL of a message's deliveries from the joined row of ``table``; they may contain duplicates.

    If the store is shared, its columns are fields of one struct, and the SQL also tests the whole struct for NULL.
    Without this test, Spark would read only the needed fields, and would broadcast another copy of the store for each
    lookup that needs other fields.
    """
    signature, guard, delivered = table.signature, table.signature.guard, quote_path(_column(path, "d"))
    tests = [f"{path[0]} IS NOT NULL"] if len(path) > 1 else []
    if signature.residual == guard == ir.TRUE:
        return _where(tests, delivered)
    if guard != ir.TRUE:
        tests.append(f"({emit_filter(guard)})")
    parts = []
    for residual in split_by_budget(signature.residual):
        text = delivered if residual == ir.TRUE else _filter_rows(path, table, residual, grams)
        parts.append(hoist_to_method(_where(tests, text)))
    return parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"


def _column(path: Path, name: str) -> Path:
    """Return the path of one column of the table at ``path``.

    ``name`` is ``d`` for the deliveries, ``p`` for the constants, and ``r`` for the index of the constants.
    """
    return (*path[:-1], f"{path[-1]}_{name}")


def _where(tests: Sequence[str], text: str) -> str:
    return f"CASE WHEN {' AND '.join(tests)} THEN {text} END" if tests else text


def _filter_rows(path: Path, table: Table, residual: ir.Predicate, grams: Mapping[ir.Value, str]) -> str:
    """Return the SQL of the deliveries of the rows for which ``residual`` holds."""
    delivered, indexed = (quote_path(_column(path, column)) for column in "dr")
    constants, index = _column(path, "p"), table.index

    def constant(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        return column if number is None else ir.Column((*constants, Element(ROW), f"p{number}"), column.type)

    condition = emit_filter(ir.replace_columns(residual, constant))
    if index is None:
        return f"filter({delivered}, ({ROW_DELIVERED}, {ROW}) -> {condition})"
    if isinstance(index, Interval):
        rows = _rows_at(indexed, index)
    else:
        hashes = MATCHED if isinstance(index, MatchedKey) else grams[index.value]
        rows = f"flatten(transform({hashes}, h -> get({indexed}.nodes, CAST(h & {indexed}.mask AS INT))))"
    return f"transform(filter({rows}, {ROW} -> {condition}), {ROW} -> {delivered}[{ROW}])"


def cut_up(value: ir.Value, grams: Grams) -> str:
    """Return the SQL of the hashes of the substrings of ``value``: see ``routing.substring_index``."""
    text = emit_value(value)
    parts = [f"regexp_extract_all({text}, {quote_text(expression)}, 1)" for expression in grams.expressions]
    substrings = parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"
    return f"array_distinct(transform({substrings}, g -> crc32(g)))"


def _rows_at(index: str, ranges: Interval) -> str:
    """Return the SQL of the rows whose ranges may contain the message's value: see ``routing.interval_index``."""
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
    # If the message's value is NULL, no range contains it, and the index of the leaf is NULL.
    names["leaf"] = f"CASE WHEN {value} IS NOT NULL THEN {leaf} END"
    node = f"get({index}.nodes, get({index}.offsets, level) + shiftright(leaf, shift))"
    lowest, above = f"get({index}.leaves, leaf)", f"flatten(transform({index}.shifts, (shift, level) -> {node}))"
    rows = f"CASE WHEN size({index}.shifts) = 0 THEN {lowest} ELSE concat({lowest}, {above}) END"
    return let(names, rows)
