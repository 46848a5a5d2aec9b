"""The stored form of a field or property: the typed values that its column or key can hold, as IR expressions.

Every form of storage is described this way (a column of one type, a tagged union, bytes that encode text, a choice
between two columns), so that no module outside of ``layouts`` knows which store it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import (
    AMQP_TYPES,
    STRING,
    ColumnType,
    Path,
)
from transpiler.compiler.layouts.columns import UNION, seen
from transpiler.message.types import CLASS_OF, AmqpType, ValueType


class StoredValue(NamedTuple):
    """One alternative: an IR value that represents one of ``types`` if ``guard`` holds and the value is not NULL."""

    types: tuple[ValueType, ...]
    value: ir.Value
    guard: ir.Predicate = ir.TRUE

    @property
    def applies(self) -> ir.Predicate:
        """The predicate for the rows that have this value: ``guard`` holds and the value is not NULL."""
        if isinstance(self.value, ir.Constant):
            return self.guard
        return ir.all_of(self.guard, ir.IsNull(ir.without_conversions(self.value), negated=True))


class StoredByUse(NamedTuple):
    """Two versions of stored text whose original type is lost: for comparisons with numbers and with booleans.

    In ``number``, a text that spells a number is that number; in ``boolean``, likewise for booleans. ``untyped`` holds
    in rows in which the stored value is such a text.
    """

    number: Stored
    boolean: Stored
    untyped: ir.Predicate = ir.TRUE


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """The content of a column or map key: ``values`` has a value for each type, of which at most one applies in a row.

    - ``present`` holds in rows with a value other than null, and ``absent`` in all other rows. ``key_absent`` holds
      only in rows whose map lacks the key.
    - ``tag`` is the name of the value's AMQP type. If it is None, each of ``values`` has one type.
    - ``union`` is the path of a tagged union of the canonical schema, or None.
    - ``number`` is the double nearest to the value if it is a number of any type, or None.
    - ``by_use`` contains two more versions of text whose original type is lost, or None.
    """

    values: tuple[StoredValue, ...]
    present: ir.Predicate
    absent: ir.Predicate
    key_absent: ir.Predicate
    tag: ir.Value | None = None
    union: Path | None = None
    number: StoredValue | None = None
    by_use: StoredByUse | None = None

    @property
    def key_present(self) -> ir.Predicate:
        """The predicate that the key exists, even with the value null."""
        if isinstance(self.key_absent, ir.IsNull):
            return ir.IsNull(self.key_absent.value, negated=True)
        return self.present

    @property
    def types(self) -> frozenset[ValueType]:
        """The AMQP types of all alternatives."""
        return frozenset(amqp for value in self.values for amqp in value.types)

    def has_type(self, types: Iterable[ValueType]) -> ir.Predicate:
        """Return the predicate that the AMQP type of the value is in ``types``."""
        return self._test_type(frozenset(types), excluded=False)

    def lacks_type(self, types: Iterable[ValueType]) -> ir.Predicate:
        """Return the predicate that the AMQP type of the value is not in ``types``."""
        return self._test_type(frozenset(types), excluded=True)

    def _test_type(self, types: frozenset[ValueType], excluded: bool) -> ir.Predicate:
        if self.tag is None:
            chosen = [value for value in self.values if (_is_among(value.types, types) is not excluded)]
            if len(chosen) == len(self.values):
                return ir.TRUE
            return ir.any_of(*[value.applies for value in chosen])
        members = tuple([ir.constant(name) for name in sorted(amqp.value for amqp in types)])
        if len(members) > 1:
            return ir.In(self.tag, members, excluded)
        return ir.Compare(Comparison.NE if excluded else Comparison.EQ, self.tag, members[0])


def _is_among(own: tuple[ValueType, ...], types: frozenset[ValueType]) -> bool:
    """Return True if the only type in ``own`` is in ``types``.

    A string counts as a symbol too, because stores without a type tag store symbols as strings.
    """
    return own[0] in types or (own[0] is AmqpType.STRING and AmqpType.SYMBOL in types)


#: The content of a column or key that has no value in any row.
NOTHING = Stored((), ir.FALSE, ir.TRUE, ir.TRUE)


def stored_alternatives(
    values: Sequence[StoredValue],
    present: ir.Predicate | None = None,
    absent: ir.Predicate | None = None,
    key_absent: ir.Predicate | None = None,
    number: StoredValue | None = None,
) -> Stored:
    """Return the content of a column or key whose value in a row is one of ``values``, each of which has one type.

    If ``absent`` or ``key_absent`` is None, the predicate holds if all of ``values`` are NULL.
    """
    own_absent = absent
    if own_absent is None:
        own_absent = ir.all_of(*[ir.IsNull(ir.without_conversions(value.value)) for value in values])
    if present is None:
        present = ir.any_of(*[value.applies for value in values])
    return Stored(tuple(values), present, own_absent, key_absent or own_absent, number=number)


def stored_value(amqp: AmqpType, value: ir.Value) -> Stored:
    """Return the content of a column or key whose only value is ``value``, of the type ``amqp``."""
    decides = ir.without_conversions(value)
    present, absent = ir.IsNull(decides, negated=True), ir.IsNull(decides)
    return Stored((StoredValue((amqp,), value),), present, absent, absent)


def stored_behind(stored: Stored, guard: ir.Predicate, converted: ir.Value) -> Stored:
    """Return ``stored`` with ``guard`` before each of its values.

    ``converted`` is the value that all values of ``stored`` are made of, such as text that was parsed. Where ``guard``
    does not hold, ``converted`` must be NULL; so the guard changes no answer, but Spark need not compute ``converted``.
    """
    absent = ir.IsNull(ir.When(guard, converted))
    others = [p for p in (stored.absent.terms if isinstance(stored.absent, ir.Or) else ()) if p != ir.IsNull(converted)]

    def behind(value: StoredValue) -> StoredValue:
        return value._replace(guard=ir.all_of(guard, value.guard))

    return replace(
        stored,
        values=tuple(behind(value) for value in stored.values),
        present=ir.all_of(guard, stored.present),
        absent=ir.any_of(absent, *[ir.all_of(guard, other) for other in others]),
        key_absent=absent,
        number=stored.number and behind(stored.number),
    )


@lru_cache(maxsize=4_096)
def stored_column(path: Path, column_type: ColumnType) -> Stored:
    """Return the content of the column ``path`` of the type ``column_type``, as the value that a selector sees."""
    return stored_value(AMQP_TYPES[column_type.kind], seen(ir.Column(path, column_type)))


#: The AMQP types whose values are stored in each field of a tagged union ``V``.
_TYPES_IN_FIELD = {
    field: tuple(amqp for amqp, own in CLASS_OF.items() if own.value == field) for field in UNION if field != "type"
}

_NULL = ir.constant(AmqpType.NULL.value)


@lru_cache(maxsize=4_096)
def stored_union(path: Path) -> Stored:
    """Return the content of the tagged union ``V`` at ``path``: a type name, and one field for each type class."""
    tag = ir.Column((*path, "type"), STRING)
    values = tuple(StoredValue(types, ir.Column((*path, name), UNION[name])) for name, types in _TYPES_IN_FIELD.items())
    absent = ir.any_of(ir.IsNull(tag), ir.Compare(Comparison.EQ, tag, _NULL))
    return Stored(values, ir.Compare(Comparison.NE, tag, _NULL), absent, ir.IsNull(tag), tag, path)


def case_of_constants(decides: ir.Value, choices: Sequence[tuple[ir.Predicate, bool | int]]) -> Stored:
    """Return content that is one of several constants: in each row, the constant whose predicate in ``choices`` holds.

    ``decides`` is the value that the predicates test. If it is NULL, the content is absent; otherwise exactly one
    predicate must hold.
    """
    values = tuple(
        StoredValue((AmqpType.BOOLEAN if isinstance(value, bool) else AmqpType.LONG,), ir.constant(value), guard)
        for guard, value in choices
    )
    present, absent = ir.IsNull(decides, negated=True), ir.IsNull(decides)
    return Stored(values, present, absent, absent)


def stored_in_choice(raw: Stored, choices: Sequence[tuple[ir.Predicate, bool]]) -> Stored:
    """Return content that is a boolean: in each row, the truth value whose predicate in ``choices`` holds.

    If no predicate holds, the value is absent. The predicates test ``raw``, which determines in which rows the key is
    absent.
    """
    values = tuple(StoredValue((AmqpType.BOOLEAN,), ir.constant(truth), guard) for guard, truth in choices)
    present = ir.any_of(*[guard for guard, _ in choices])
    absent = ir.NotTrue(present) if choices else ir.TRUE
    return Stored(values, present, absent, raw.key_absent)


def stored_beside(column: ir.Column, union: Stored) -> Stored:
    """Return the content of a property that is stored in the tagged union ``union`` and in its own ``column``.

    Values of the column's type are read from ``column``, all others from ``union``, whose tag names the type of both.
    """
    values = tuple(value._replace(value=column) if value.value.type == column.type else value for value in union.values)
    return replace(union, values=values, union=None)
