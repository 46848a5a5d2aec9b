"""The tables of a program as DataFrames: constants by key, the trie as one row, and what each exchange leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from transpiler.layouts.columns import Kind
from transpiler.predicate.core import TRUE
from transpiler.routing.program import Delivery, Program, Table
from transpiler.routing.ranks import Ranks, rank
from transpiler.routing.shapes import Parameter
from transpiler.routing.states import Entry, Lead, Step
from transpiler.routing.tries import fill_slots

try:
    # Spark's own way in for large tables; without it rows go one by one.
    import pyarrow
except ImportError:
    pyarrow = None

#: An array of Arrow.
_Arrow = Any

_ARROW_TYPES = {
    Kind.BOOLEAN: lambda: pyarrow.bool_(),
    Kind.TINYINT: lambda: pyarrow.int8(),
    Kind.SMALLINT: lambda: pyarrow.int16(),
    Kind.INT: lambda: pyarrow.int32(),
    Kind.BIGINT: lambda: pyarrow.int64(),
    Kind.DOUBLE: lambda: pyarrow.float64(),
    Kind.STRING: lambda: pyarrow.string(),
    Kind.BINARY: lambda: pyarrow.binary(),
}


#: Bytes from which on a table is no part of the plan: rows in a plan are hashed, compared and projected one by one.
LOCAL = 1 << 20

_LOCAL_LIMIT = "spark.sql.execution.arrow.localRelationThreshold"


@contextmanager
def _set(session: SparkSession, name: str, value: str) -> Iterator[None]:
    before = session.conf.get(name, None)
    session.conf.set(name, value)
    try:
        yield
    finally:
        if before is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, before)


class Payload(Enum):
    """What a binding delivers: a queue's number, or a queue or state with the state that it belongs to."""

    QUEUE = "INT"
    DELIVERY = "STRUCT<x: INT, e: INT, q: INT>"

    def of(self, delivery: Delivery) -> Any:
        """A delivery as a value of this type."""
        return delivery.queue if self is Payload.QUEUE else tuple(delivery)


class Tables:
    """Makes the DataFrames of one program."""

    def __init__(self, session: SparkSession, program: Program, payload: Payload) -> None:
        self._session = session
        self._program = program
        self._payload = payload
        self._numbers = {name: number for number, name in enumerate(program.queues)}

    def queues(self) -> DataFrame:
        """One row with one array: the names of the queues by number."""
        if pyarrow is None:
            return self._frame([(self._program.queues,)], "queues ARRAY<STRING>")
        names = pyarrow.array(self._program.queues, pyarrow.string())
        ends = pyarrow.array([0, len(names)], pyarrow.int32())
        return self._columns({"queues": pyarrow.ListArray.from_arrays(ends, names)}, "queues ARRAY<STRING>")

    def _frame(self, rows: list[Any], schema: str) -> DataFrame:
        return self._session.createDataFrame(rows, schema, verifySchema=False)

    def _columns(self, columns: dict[str, _Arrow], schema: str) -> DataFrame:
        rows = pyarrow.Table.from_pydict(columns)
        if rows.nbytes < LOCAL:
            return self._session.createDataFrame(rows, schema)
        with _set(self._session, _LOCAL_LIMIT, "0"):
            return self._session.createDataFrame(rows, schema)

    def _delivered(self, groups: Iterable[list[Delivery]]) -> _Arrow:
        """What some rows deliver, a list each."""
        flat: list[Delivery] = []
        ends = [0]
        for group in groups:
            flat += group
            ends.append(len(flat))
        return pyarrow.ListArray.from_arrays(pyarrow.array(ends, pyarrow.int32()), self._payloads(flat))

    def _payloads(self, flat: list[Delivery]) -> _Arrow:
        queues = pyarrow.array([delivery.queue for delivery in flat], pyarrow.int32())
        if self._payload is Payload.DELIVERY:
            states = pyarrow.array([delivery.state for delivery in flat], pyarrow.int32())
            onward = pyarrow.array([delivery.onward for delivery in flat], pyarrow.int32())
            queues = pyarrow.StructArray.from_arrays([states, onward, queues], ["x", "e", "q"])
        return queues

    def _candidates(self, table: Table) -> _Arrow:
        """The rows of constants of each key, a list each."""
        flat: list[tuple[Parameter, ...]] = []
        ends = [0]
        for group in table.rows.values():
            flat += group
            ends.append(len(flat))
        names = [f"p{place}" for place in range(len(table.shape.types))]
        constants = [
            pyarrow.array([row[place] for row in flat], _ARROW_TYPES[column_type.kind]())
            for place, column_type in enumerate(table.shape.types)
        ]
        groups = [delivered for group in table.rows.values() for delivered in group.values()]
        found = self._payloads([delivered[0] for delivered in groups]) if table.single else self._delivered(groups)
        rows = pyarrow.StructArray.from_arrays([*constants, found], [*names, "d"])
        return pyarrow.ListArray.from_arrays(pyarrow.array(ends, pyarrow.int32()), rows)

    def table(self, number: int, table: Table) -> DataFrame:
        """One row a key, with all that has the key: what it delivers, or rows of constants where more is asked."""
        shape, name = table.shape, f"_routing_{number}_"
        columns = [f"{name}e STRING"] if self._program.exchange is None else []
        columns += [f"{name}k{place} {column_type}" for place, column_type in enumerate(shape.key_types)]
        found = self._payload.value
        if shape.residual != TRUE:
            inner = "".join(f"p{place}: {column_type}, " for place, column_type in enumerate(shape.types))
            delivered = self._payload.value if table.single else f"ARRAY<{self._payload.value}>"
            found = f"STRUCT<{inner}d: {delivered}>"
        columns.append(f"{name}c ARRAY<{found}>")
        trees: list[Ranks] = []
        if table.ranges is not None:
            columns.append(
                f"{name}r STRUCT<bounds: ARRAY<DOUBLE>, steps: ARRAY<INT>, leaves: INT, nodes: ARRAY<ARRAY<INT>>>"
            )
            trees = [rank(table.ranges, list(group)) for group in table.rows.values()]
        schema = ", ".join(columns)
        if pyarrow is None:
            rows: list[tuple[Any, ...]] = [(*key, self._row(group, table)) for key, group in table.rows.items()]
            if trees:
                rows = [(*row, _tree(tree)) for row, tree in zip(rows, trees, strict=True)]
            return self._frame(rows, schema)
        kinds = [column_type.kind for column_type in shape.key_types]
        if self._program.exchange is None:
            kinds.insert(0, Kind.STRING)
        arrays = {
            column.split()[0]: pyarrow.array([key[place] for key in table.rows], _ARROW_TYPES[kind]())
            for place, (column, kind) in enumerate(zip(columns, kinds, strict=False))
        }
        if shape.residual == TRUE:
            arrays[f"{name}c"] = self._delivered(group[()] for group in table.rows.values())
        else:
            arrays[f"{name}c"] = self._candidates(table)
        if trees:
            arrays[f"{name}r"] = pyarrow.array([_tree(tree) for tree in trees], _tree_type())
        return self._columns(arrays, schema)

    def _row(self, group: dict[tuple[Parameter, ...], list[Delivery]], table: Table) -> list[Any]:
        of = self._payload.of
        if table.shape.residual == TRUE:
            return [of(delivery) for delivery in group[()]]
        if table.single:
            return [(*constants, of(delivery)) for constants, [delivery] in group.items()]
        return [(*constants, [of(delivery) for delivery in found]) for constants, found in group.items()]

    def trie(self, slots: bool) -> DataFrame:
        """One row with one struct: the trie's arrays, with slots for its words or without."""
        trie = self._program.trie
        assert trie is not None
        delivered, asked = [], []
        for ends in trie.ends:
            patterns = [(number, self._program.patterns[number]) for number in ends]
            delivered.append([self._payload.of(delivery) for _, delivery in patterns if delivery is not None])
            asked.append([number for number, delivery in patterns if delivery is None])
        row: tuple[Any, ...] = (
            trie.bases,
            trie.owners,
            trie.edge_lists,
            trie.lists,
            trie.otherwise,
            delivered,
            asked,
        )
        schema = (
            "bases: ARRAY<INT>, owners: ARRAY<INT>, following: ARRAY<INT>, lists: ARRAY<ARRAY<INT>>, "
            f"otherwise: ARRAY<INT>, d: ARRAY<ARRAY<{self._payload.value}>>, i: ARRAY<ARRAY<INT>>"
        )
        if slots:
            found = fill_slots(trie.words)
            row = (found.words, found.codes, found.mask, found.more, *row)
            schema = f"words: ARRAY<STRING>, codes: ARRAY<INT>, mask: INT, more: MAP<STRING, INT>, {schema}"
        return self._frame([(row,)], f"trie STRUCT<{schema}>")

    def entries(self) -> DataFrame:
        """One row an exchange: where the trie begins, and how answers are put together."""
        program = self._program
        columns = ["_routing_e STRING"] if program.exchange is None else []
        columns.append("_routing_start ARRAY<INT>, _routing_whole ARRAY<INT>")
        if not program.simple:
            columns += [
                "_routing_root INT",
                "_routing_rounds INT",
                "_routing_alternates ARRAY<STRUCT<x: INT, e: INT, q: INT>>",
                "_routing_steps ARRAY<STRUCT<x: INT, o: ARRAY<STRUCT<e: INT, s: INT, u: STRING>>, "
                "q: INT, a: INT, u: STRING>>",
            ]
        rows = []
        for name, entry in program.entries.items():
            row: list[Any] = [name] if program.exchange is None else []
            row += self._starts(entry)
            if not program.simple:
                row += [entry.states[0], len(entry.states) - 1, self._alternates(entry), self._steps(entry)]
            rows.append(tuple(row))
        return self._frame(rows, ", ".join(columns))

    def _starts(self, entry: Entry) -> tuple[list[int], list[int]]:
        """Where the trie begins for the words of a key, and for a key as one word."""
        starts = {} if self._program.trie is None else self._program.trie.starts
        whole = self._program.whole or ()
        found: tuple[list[int], list[int]] = ([], [])
        for state in entry.states:
            found[state in whole].extend(starts.get(state, ()))
        return found

    def _alternates(self, entry: Entry) -> list[Any]:
        return [(state, onward, self._number(queue)) for state, onward, queue in entry.alternates]

    def _steps(self, entry: Entry) -> list[Any]:
        steps = entry.steps or (Step(entry.states[0]),)
        return [
            (
                step.state,
                [(state, lead.stop, lead.unless) for state, lead in step.onward],
                self._number(step.alternate_queue),
                *_lead(step.alternate),
            )
            for step in steps
        ]

    def _number(self, queue: str | None) -> int | None:
        return None if queue is None else self._numbers[queue]


def _tree(ranks: Ranks) -> tuple[Any, ...]:
    return ranks.bounds, ranks.steps, ranks.leaves, ranks.nodes


def _tree_type() -> _Arrow:
    whole = pyarrow.int32()
    return pyarrow.struct(
        [
            ("bounds", pyarrow.list_(pyarrow.float64())),
            ("steps", pyarrow.list_(whole)),
            ("leaves", whole),
            ("nodes", pyarrow.list_(pyarrow.list_(whole))),
        ]
    )


def _lead(lead: Lead | None) -> tuple[int | None, str | None]:
    return (None, None) if lead is None else (lead.stop, lead.unless)
