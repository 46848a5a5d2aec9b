"""Validation of a plan that was read from a file: ranges of numbers, types of constants, and conditions.

Every plan of ``build_plan`` is valid, but a file can come from an untrusted source. So this module checks everything
that an engine inserts into a query without quoting (numbers, and names of columns that begin with ``columns.PREFIX``),
and translates all conditions to SQL once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import chain

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING, ColumnType, Element
from transpiler.compiler.sql import emit_filter, emit_value
from transpiler.routing.columns import PREFIX, READ, ROW
from transpiler.routing.constant_rows import Delivery
from transpiler.routing.exchange_graph import Entry
from transpiler.routing.plan import RoutingPlan, Table
from transpiler.routing.signatures import CLASSES, Parameter, Signature
from transpiler.routing.topic_automaton import TopicAutomaton

_NAME = re.compile(rf"{PREFIX}[a-z0-9_]+")
_READ = re.compile(rf"{READ}(0|[1-9][0-9]{{0,8}})(_[a-z0-9_]+)?")
_PARAMETER = re.compile("p(0|[1-9][0-9]{0,8})")

#: Maximum of state numbers and of the lengths of paths through the exchange graph, because Spark has them as INT.
_MAX_INT = 2**31 - 1


#: The exceptions that the compiler can raise for an IR tree that the compiler itself would never build.
_STUMBLES = (LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, RecursionError)


def check_plan(plan: RoutingPlan) -> None:
    """Raise ``ValueError`` if ``plan``, which was read from a file, cannot come from the compiler."""
    try:
        _check(plan)
    except _STUMBLES as error:
        raise ValueError(f"a condition cannot be written: {type(error).__name__} {error}") from None


def _check(plan: RoutingPlan) -> None:
    for name, path in plan.reads.items():
        _need(_READ.fullmatch(name) is not None, f"a column {name!r}")
        _check_columns([ir.Column(path, STRING)], 0, ())
    for name, entry in plan.entries.items():
        _check_entry(name, entry)
    _need(plan.exchange is None or plan.entries.keys() <= {plan.exchange}, "entries of other exchanges")
    _need(plan.key_exchanges <= plan.entries.keys(), "an exchange that compares keys and is no entry")
    _check_deliveries(plan, (each for each in plan.patterns if each is not None))
    _check_deliveries(plan, (each.delivery for each in plan.compiled))
    for compiled in plan.compiled:
        _check_columns(ir.columns_in(compiled.condition), 0, ())
        emit_filter(compiled.condition)
    for table in plan.tables:
        _check_table(plan, table)
    if plan.trie is not None:
        _check_automaton(plan.trie, len(plan.patterns))
    _need(plan.trie is not None or not plan.patterns, "patterns without an automaton")
    _check_numbers(plan.whole or ())


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(f"there is {what}, which no plan has")


def _check_numbers(numbers: Collection[int | None], below: int = _MAX_INT) -> None:
    known = [number for number in numbers if number is not None]
    _need(not known or (min(known) >= 0 and max(known) < below), "a number out of its range")


def _check_entry(name: str, entry: Entry) -> None:
    _need(bool(entry.states), f"no state of {name!r}")
    _check_numbers((*entry.states, entry.length))
    _check_numbers([number for state, onward, _ in entry.alternates for number in (state, onward)])
    for index, step in enumerate(entry.steps):
        _check_numbers([step.state, *(state for state, _ in step.onward)])
        hops = [hop.stop for _, hop in step.onward] + ([] if step.alternate is None else [step.alternate.stop])
        _check_numbers(hops, index)


def _check_deliveries(plan: RoutingPlan, deliveries: Iterable[Delivery]) -> None:
    listed = list(deliveries)
    _check_numbers([each.state for each in listed])
    _check_numbers([each.onward for each in listed])
    _check_numbers([each.queue for each in listed], len(plan.queues))
    ends = {(each.onward is None, each.queue is None) for each in listed}
    _need(ends <= {(True, False)} if plan.simple else ends <= {(True, False), (False, True)}, "a delivery to nowhere")


def _check_table(plan: RoutingPlan, table: Table) -> None:
    signature = table.signature
    _need(len(signature.keys) == len(signature.key_types), "a key without a type")
    of_message = list(chain(signature.keys, (signature.guard,)))
    _check_columns(chain.from_iterable(map(ir.columns_in, of_message)), 0, ())
    _check_columns(ir.columns_in(signature.residual), len(signature.types), signature.types)
    for value in signature.keys:
        emit_value(value)
    emit_filter(signature.guard)
    emit_filter(_with_rows(signature))
    exchange = (STRING,) if plan.exchange is None else ()
    _check_constants(table.rows, (*exchange, *signature.key_types))
    _check_constants(chain.from_iterable(table.rows.values()), signature.types)
    _need(all(table.rows.values()) and all(map(all, (group.values() for group in table.rows.values()))), "an empty row")
    _check_deliveries(plan, table.deliveries)


def _with_rows(signature: Signature) -> ir.Predicate:
    """Return the residual predicate of ``signature``, with each parameter read from an element of an array of rows."""

    def constant(column: ir.Column) -> ir.Value:
        if column.path[0] != ROW:
            return column
        return ir.Column(("rows", Element(ROW), str(column.path[1])), column.type)

    return ir.replace_columns(signature.residual, constant)


def _check_columns(columns: Iterable[ir.Column], count: int, types: tuple[ColumnType, ...]) -> None:
    """Raise ``ValueError`` if a condition with ``count`` parameters of ``types`` must not read one of ``columns``."""
    for column in columns:
        first, *steps = column.path
        _need(isinstance(first, str), "a column without a name")
        if first == ROW:
            step = steps[0] if len(steps) == 1 else None
            found = _PARAMETER.fullmatch(step) if isinstance(step, str) else None
            number = count if found is None else int(found[1])
            _need(number < count and types[number] == column.type, f"a parameter {steps}")
        elif str(first).startswith(PREFIX):
            _need(_NAME.fullmatch(str(first)) is not None, f"a column {first!r}")


def _check_constants(rows: Iterable[tuple[Parameter, ...]], types: tuple[ColumnType, ...]) -> None:
    """Raise ``ValueError`` unless each of ``rows`` has one constant of the right type for each of ``types``."""
    listed = list(rows)
    _need({len(types)} >= {*map(len, listed)}, "a row of another length")
    for column_type, column in zip(types, zip(*listed, strict=True), strict=False):
        kind = column_type.kind
        _need(kind in CLASSES and {*map(type, column)} <= {CLASSES[kind]}, f"a constant that is no {kind.value}")
        if kind.bits is not None:
            _need(-(2 ** (kind.bits - 1)) <= min(column) and max(column) < 2 ** (kind.bits - 1), "an integer too large")


def _check_automaton(automaton: TopicAutomaton, patterns: int) -> None:
    states = len(automaton.otherwise)
    _need(len(automaton.owners) == len(automaton.following) and len(automaton.ends) == states, "a part of an automaton")
    _check_numbers([owner for owner in automaton.owners if owner != -1], states)
    _check_numbers([*automaton.following, *automaton.otherwise], len(automaton.lists))
    _check_numbers(list(chain.from_iterable(automaton.lists)), states)
    _check_numbers(list(chain.from_iterable(automaton.ends)), patterns)
    _check_numbers(list(chain.from_iterable(automaton.starts.values())), states)
    _check_numbers(automaton.starts)
    # States of the automaton in which a topic pattern ends have odd numbers, so that an engine can skip all states with
    # even numbers.
    _need(not any(automaton.ends[::2]), "an end in a state that has none")
