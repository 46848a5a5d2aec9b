"""Look-ups: tables of constants with the same keys are one table of Spark's, and what is asked of the rows found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import NamedTuple

from spark_ext.routing.broadcast_join import Key, Part, hashed
from spark_ext.routing.codegen_budget import hoist_to_method, lookup_length, rows_length, split_by_budget, table_length
from transpiler import ir
from transpiler.ir.column_types import ColumnType, Element, Path
from transpiler.routing.interval_index import Interval
from transpiler.routing.plan import Table
from transpiler.routing.signatures import Parameter, parameter_number
from transpiler.sql import emit_filter, emit_value

#: A row of constants, by its number, and what it delivers, as the lambdas have them: names that no column has.
_ROW, _DELIVERED = "_routing_row", "_routing_delivered"

#: Where a key delivers no more, each row has columns of its own if it is short: there is no array to read, and no
#: lambda, each of whose elements Spark puts into an object.
FEW = 4


class Limits(NamedTuple):
    """Operations that are asked of a message before it is looked up, and of rows with columns of their own."""

    needed: int
    short: int


#: From the fastest to the shortest.
LIMITS = Limits(50, 12), Limits(25, 12), Limits(12, 12), Limits(12, 6), Limits(0, 6)

#: Where no method has room for all.
SPREAD = Limits(12, 6)

#: So many columns may be there for each that has a value.
SPARSE = 3


class LookupForm(Enum):
    """What is delivered: a queue or NULL; an array of deliveries, or of arrays of them, or NULL."""

    ONE = auto()
    MANY = auto()
    LISTS = auto()


@dataclass(frozen=True)
class Lookup:
    """Tables with the same keys; ``name`` begins the names of what it finds.

    ``plain`` says that they deliver the names or numbers of queues, and no structs. Look-ups that share a ``store``
    have their rows in one table of Spark's, each under its ``number``.
    """

    name: str
    keys: tuple[ir.Value, ...]
    key_types: tuple[ColumnType, ...]
    tables: tuple[Table, ...]
    plain: bool
    limits: Limits
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
        """What tells the rows apart from those of other look-ups in the same store."""
        return None if self.shared is None else Part(self.number, f"{self.store}_n")

    @property
    def columns(self) -> list[ir.Column]:
        """The columns of the keys."""
        return [ir.Column((f"{self.store}_k{place}",), key_type) for place, key_type in enumerate(self.key_types)]

    @property
    def pairs(self) -> list[Key]:
        """What a message has, and the columns that are to equal it."""
        return list(zip(self.keys, self.columns, strict=True))

    @property
    def kind(self) -> tuple[object, ...]:
        """What is equal for look-ups that may share a store: the columns that they take.

        Where one took fewer, Spark would make it a table without the others.
        """
        tables = tuple(
            (table.most if self.in_columns(table) else 0, table.flat, table.ranges is None, table.signature.types)
            for table in self.tables
        )
        return self.key_types, tables

    @property
    def needed(self) -> ir.Predicate:
        """What a message must fulfil for any table to deliver something, where it is short enough to be asked first.

        A message that does not is looked up nowhere, which in large tables is what takes time.
        """
        needed = ir.any_of(*(table.needed for table in self.tables))
        return needed if self.keys and ir.size(needed) <= self.limits.needed else ir.TRUE

    @property
    def length(self) -> int:
        """What it takes of a generated method: see ``methods``."""
        return lookup_length(self.keys, self.needed) + sum(
            rows_length(table.most, table.signature, self._guard(table))
            if self.in_columns(table)
            else table_length(table.signature)
            for table in self.tables
        )

    def table_name(self, number: int) -> str:
        """How the columns begin that one of the tables has to itself."""
        return f"{self.store}_{number}"

    def rows(self) -> dict[tuple[Parameter, ...], None]:
        """The keys of all tables, each once, in order."""
        return dict.fromkeys(key for table in self.tables for key in table.rows)

    def in_columns(self, table: Table) -> bool:
        """Whether each row of a key has columns of its own, for there are few."""
        asked = ir.size(table.signature.guard) + ir.size(table.signature.residual)
        few = table.most <= FEW and table.most * len(table.rows) <= SPARSE * len(table.deliveries)
        return self.plain and few and table.flat and table.ranges is None and asked <= self.limits.short

    def _guard(self, table: Table) -> ir.Predicate:
        """What is still to be asked of a message that the rows of a key were joined to."""
        return ir.TRUE if len(self.tables) == 1 and self.needed != ir.TRUE else table.signature.guard

    def found(self) -> Iterator[tuple[LookupForm, str]]:
        """What the tables deliver to the message that the rows of a key were joined to; of one table, in one form."""
        for number, table in enumerate(self.tables):
            name, guard = self.table_name(number), self._guard(table)
            if self.in_columns(table):
                yield from ((LookupForm.ONE, text) for text in _of_columns(name, table, guard))
            else:
                yield LookupForm.MANY if table.flat else LookupForm.LISTS, _of_arrays(name, table, guard)


def build_lookups(prefix: str, tables: Sequence[Table], room: int, taken: int, plain: bool) -> list[Lookup]:
    """The tables by their keys, as many of them in one look-up as a generated method has room for.

    As much is asked in the fastest way as all of them leave room for in one method, of which so much is ``taken``.
    """
    for limits in LIMITS:
        found = _by_keys(prefix, tables, room, plain, limits)
        if taken + sum(look_up.length for look_up in found) <= room:
            break
    else:
        found = _by_keys(prefix, tables, room, plain, SPREAD)
    return _in_stores(found)


def _by_keys(prefix: str, tables: Iterable[Table], room: int, plain: bool, limits: Limits) -> list[Lookup]:
    found: list[Lookup] = []
    places: dict[tuple[object, ...], int] = {}
    for table in tables:
        keys = table.signature.keys, table.signature.key_types
        place = places.get(keys)
        if place is not None:
            before = found[place]
            joined = replace(before, tables=(*before.tables, table))
            if joined.length <= room:
                found[place] = joined
                continue
        places[keys] = len(found)
        found.append(Lookup(f"{prefix}{len(found)}", *keys, (table,), plain, limits))
    return found


def _in_stores(found: Sequence[Lookup]) -> list[Lookup]:
    """The look-ups, those of one kind in one store: twenty tables would be twenty jobs of Spark's."""
    kinds: dict[tuple[object, ...], list[Lookup]] = {}
    for look_up in found:
        kinds.setdefault(look_up.kind if hashed(look_up.pairs) else (look_up.name,), []).append(look_up)
    placed = {}
    for alike in kinds.values():
        shared = alike[0].name if len(alike) > 1 else None
        for number, look_up in enumerate(alike):
            placed[look_up.name] = replace(look_up, shared=shared, number=number)
    return [placed[look_up.name] for look_up in found]


def _of_columns(name: str, table: Table, guard: ir.Predicate) -> Iterator[str]:
    """What each row of a key delivers; the columns of a row that the key does not have are NULL."""
    for row in range(table.most):

        def path(number: int, row: int = row) -> Path:
            return (f"{name}_p{number}_{row}",)

        asked = ir.all_of(guard, _with_constants(table.signature.residual, path))
        yield f"{name}_d{row}" if asked == ir.TRUE else _asked_first(asked, f"{name}_d{row}")


def _of_arrays(name: str, table: Table, guard: ir.Predicate) -> str:
    """What the rows of a key deliver; the same may be delivered several times."""
    signature, delivered = table.signature, f"{name}_d"
    if signature.residual == guard == ir.TRUE:
        return delivered
    found = []
    for residual in split_by_budget(signature.residual):
        text = delivered if residual == ir.TRUE else _asked(name, table, residual)
        found.append(hoist_to_method(text if guard == ir.TRUE else _asked_first(guard, text)))
    return found[0] if len(found) == 1 else f"concat({', '.join(found)})"


def _asked_first(condition: ir.Predicate, text: str) -> str:
    return f"CASE WHEN {emit_filter(condition)} THEN {text} END"


def _with_constants(residual: ir.Predicate, path: Callable[[int], Path]) -> ir.Predicate:
    """A residual with the columns of its constants, by where each parameter is."""

    def constant(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        return column if number is None else ir.Column(path(number), column.type)

    return ir.replace_columns(residual, constant)


def _asked(name: str, table: Table, residual: ir.Predicate) -> str:
    """What the rows deliver of which a predicate holds."""
    delivered = f"{name}_d"
    asked = emit_filter(_with_constants(residual, lambda number: (f"{name}_p{number}", Element(_ROW))))
    if table.ranges is None:
        return f"filter({delivered}, ({_DELIVERED}, {_ROW}) -> {asked})"
    rows = f"filter({_place(f'{name}_r', table.ranges)}, {_ROW} -> {asked})"
    return f"transform({rows}, {_ROW} -> {delivered}[{_ROW}])"


def _place(tree: str, ranges: Interval) -> str:
    """The numbers of the rows whose range has the message's value in it: see ``routing.interval_index``."""
    values = ", ".join(emit_value(value) for value in ranges.values)
    value = values if len(ranges.values) == 1 else f"coalesce({values})"
    place = (
        f"aggregate({tree}.steps, 0, (place, step) -> "
        f"CASE WHEN get({tree}.bounds, place + step - 1) <= value THEN place + step ELSE place END)"
    )
    to_root = f"sequence(0, size({tree}.steps))"
    rows = f"transform({to_root}, up -> get({tree}.nodes, shiftright({tree}.leaves + {place}, up)))"
    # Without a value nothing is in a range.
    return f"flatten(transform(filter(array({value}), value -> value IS NOT NULL), value -> flatten({rows})))"
