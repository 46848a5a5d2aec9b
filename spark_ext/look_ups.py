"""Look-ups: tables of constants with the same keys are one table of Spark's, and what is asked of the rows found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spark_ext.methods import in_methods, look_up_length, own_method
from transpiler.layouts.columns import ColumnType, Element
from transpiler.predicate.core import TRUE, Column, Predicate, Value
from transpiler.predicate.walk import replace_columns
from transpiler.routing.program import Table
from transpiler.routing.ranks import Range
from transpiler.routing.shapes import Parameter, parameter_number
from transpiler.sql import emit_filter, emit_value

#: A row of constants, by its number, and what it delivers, as the lambdas have them: names that no column has.
_ROW, _DELIVERED = "_routing_row", "_routing_delivered"


@dataclass(frozen=True)
class LookUp:
    """Tables with the same keys; ``name`` begins the names of all its columns."""

    name: str
    keys: tuple[Value, ...]
    key_types: tuple[ColumnType, ...]
    tables: tuple[Table, ...]

    @property
    def exchange(self) -> str:
        """The column of the exchange, which is the first key where a table has several exchanges."""
        return f"{self.name}_e"

    @property
    def columns(self) -> list[Column]:
        """The columns of the keys."""
        return [Column((f"{self.name}_k{place}",), key_type) for place, key_type in enumerate(self.key_types)]

    @property
    def length(self) -> int:
        """What it takes of a generated method: see ``methods``."""
        return look_up_length(self.keys, self.tables)

    def table_name(self, number: int) -> str:
        """How the columns begin that one of the tables has to itself."""
        return f"{self.name}_{number}"

    def rows(self) -> dict[tuple[Parameter, ...], None]:
        """The keys of all tables, each once, in order."""
        return dict.fromkeys(key for table in self.tables for key in table.rows)

    def found(self) -> Iterable[str]:
        """What each table delivers to the message that the rows of a key were joined to: arrays, of arrays or not."""
        for number, table in enumerate(self.tables):
            yield _found(self.table_name(number), table)


def look_ups(prefix: str, tables: Iterable[Table], room: int) -> list[LookUp]:
    """The tables by their keys, as many of them in one look-up as there is room for in a generated method."""
    found: list[LookUp] = []
    places: dict[tuple[object, ...], int] = {}
    for table in tables:
        keys = table.shape.keys, table.shape.key_types
        place = places.get(keys)
        if place is not None:
            before = found[place]
            joined = LookUp(before.name, *keys, (*before.tables, table))
            if joined.length <= room:
                found[place] = joined
                continue
        places[keys] = len(found)
        found.append(LookUp(f"{prefix}{len(found)}", *keys, (table,)))
    return found


def _found(name: str, table: Table) -> str:
    """What a table delivers; the same may be delivered several times."""
    shape, delivered = table.shape, f"{name}_d"
    if shape.residual == TRUE and shape.guard == TRUE:
        return delivered
    found = []
    for residual in in_methods(shape.residual):
        text = delivered if residual == TRUE else _asked(name, table, residual)
        if shape.guard != TRUE:
            text = f"CASE WHEN {emit_filter(shape.guard)} THEN {text} END"
        found.append(own_method(text))
    return found[0] if len(found) == 1 else f"concat({', '.join(found)})"


def _asked(name: str, table: Table, residual: Predicate) -> str:
    """What the rows deliver of which a predicate holds."""
    delivered = f"{name}_d"

    def constant(column: Column) -> Value:
        number = parameter_number(column)
        return column if number is None else Column((f"{name}_p{number}", Element(_ROW)), column.type)

    asked = emit_filter(replace_columns(residual, constant))
    if table.ranges is None:
        return f"filter({delivered}, ({_DELIVERED}, {_ROW}) -> {asked})"
    rows = f"filter({_place(f'{name}_r', table.ranges)}, {_ROW} -> {asked})"
    return f"transform({rows}, {_ROW} -> {delivered}[{_ROW}])"


def _place(tree: str, ranges: Range) -> str:
    """The numbers of the rows whose range has the message's value in it: see ``routing.ranks``."""
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
