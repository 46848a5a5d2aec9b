"""The answer of a layout: the values that a place in a row can hold, as typed alternatives of the intermediate form.

Whatever a store looks like, a column of one type, a struct that tells its own type, bytes that are a text, a choice
between two columns, comes down to this, so that no module outside of ``layouts`` knows which store it reads.
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
    """A value, the AMQP types that it stands for, and the predicate under which it does, where it is not NULL."""

    types: tuple[ValueType, ...]
    value: ir.Value
    guard: ir.Predicate = ir.TRUE

    @property
    def stands(self) -> ir.Predicate:
        """The rows where the value is there."""
        if isinstance(self.value, ir.Constant):
            return self.guard
        return ir.all_of(self.guard, ir.IsNull(ir.without_conversions(self.value), negated=True))


class StoredByUse(NamedTuple):
    """A text whose type has been lost, as the number and as the boolean that it is where one is compared with it."""

    number: Stored
    boolean: Stored


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """The content of a place: values of which at most one stands for it in a row.

    ``present`` and ``absent`` say where the place has a value that is not null, and where it has none; ``key_absent``
    where a map does not have the key, so that a stored null is none. ``tag`` is the text of the AMQP type where values
    have several types each; without it each value has one type. ``union`` is the path of a struct ``V`` of the
    canonical schema. ``number`` is a double that stands wherever one of the values is a number, and is the nearest one
    to it. ``by_use`` is there for a text whose type is that of what it is compared with.
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
        """The rows where there is a value, be it null."""
        if isinstance(self.key_absent, ir.IsNull):
            return ir.IsNull(self.key_absent.value, negated=True)
        return self.present

    @property
    def types(self) -> frozenset[ValueType]:
        """The AMQP types of all values."""
        return frozenset(amqp for value in self.values for amqp in value.types)

    def has_type(self, types: Iterable[ValueType]) -> ir.Predicate:
        """The rows where the value is of one of some AMQP types."""
        return self._test_type(frozenset(types), excluded=False)

    def lacks_type(self, types: Iterable[ValueType]) -> ir.Predicate:
        """The rows where the value is of none of some AMQP types."""
        return self._test_type(frozenset(types), excluded=True)

    def _test_type(self, types: frozenset[ValueType], excluded: bool) -> ir.Predicate:
        if self.tag is None:
            chosen = [value for value in self.values if (_is_among(value.types, types) is not excluded)]
            if len(chosen) == len(self.values):
                return ir.TRUE
            return ir.any_of(*[value.stands for value in chosen])
        members = tuple([ir.constant(name) for name in sorted(amqp.value for amqp in types)])
        if len(members) > 1:
            return ir.In(self.tag, members, excluded)
        return ir.Compare(Comparison.NE if excluded else Comparison.EQ, self.tag, members[0])


def _is_among(own: tuple[ValueType, ...], types: frozenset[ValueType]) -> bool:
    """Return True if a value's one type is among some; a symbol is a string to a store that does not know of it."""
    return own[0] in types or (own[0] is AmqpType.STRING and AmqpType.SYMBOL in types)


#: A place that has no value in any row.
NOTHING = Stored((), ir.FALSE, ir.TRUE, ir.TRUE)


def stored_alternatives(
    values: Sequence[StoredValue],
    present: ir.Predicate | None = None,
    absent: ir.Predicate | None = None,
    key_absent: ir.Predicate | None = None,
    number: StoredValue | None = None,
) -> Stored:
    """A place that holds one of several values, each of one type; it is absent where none of them is there."""
    own_absent = absent
    if own_absent is None:
        own_absent = ir.all_of(*[ir.IsNull(ir.without_conversions(value.value)) for value in values])
    if present is None:
        present = ir.any_of(*[value.stands for value in values])
    return Stored(tuple(values), present, own_absent, key_absent or own_absent, number=number)


def stored_value(amqp: AmqpType, value: ir.Value) -> Stored:
    """A place that holds values of one type."""
    decides = ir.without_conversions(value)
    present, absent = ir.IsNull(decides, negated=True), ir.IsNull(decides)
    return Stored((StoredValue((amqp,), value),), present, absent, absent)


@lru_cache(maxsize=4_096)
def stored_column(path: Path, column_type: ColumnType) -> Stored:
    """A column of one type, as the value that a selector sees."""
    return stored_value(AMQP_TYPES[column_type.kind], seen(ir.Column(path, column_type)))


#: The types of the values in each field of a struct ``V``.
_TYPES_IN_FIELD = {
    field: tuple(amqp for amqp, own in CLASS_OF.items() if own.value == field) for field in UNION if field != "type"
}

_NULL = ir.constant(AmqpType.NULL.value)


@lru_cache(maxsize=4_096)
def stored_union(path: Path) -> Stored:
    """A struct ``V`` of the canonical schema: a type's name, and one field for each class of values."""
    tag = ir.Column((*path, "type"), STRING)
    values = tuple(StoredValue(types, ir.Column((*path, name), UNION[name])) for name, types in _TYPES_IN_FIELD.items())
    absent = ir.any_of(ir.IsNull(tag), ir.Compare(Comparison.EQ, tag, _NULL))
    return Stored(values, ir.Compare(Comparison.NE, tag, _NULL), absent, ir.IsNull(tag), tag, path)


def case_of_constants(decides: ir.Value, choices: Sequence[tuple[ir.Predicate, bool | int]]) -> Stored:
    """Return a CASE of constants: one for each predicate; exactly one holds where ``decides`` is not NULL."""
    values = tuple(
        StoredValue((AmqpType.BOOLEAN if isinstance(value, bool) else AmqpType.LONG,), ir.constant(value), guard)
        for guard, value in choices
    )
    present, absent = ir.IsNull(decides, negated=True), ir.IsNull(decides)
    return Stored(values, present, absent, absent)


def stored_in_choice(raw: Stored, choices: Sequence[tuple[ir.Predicate, bool]]) -> Stored:
    """A boolean for each of some predicates on the values of another place; absent where none of them holds."""
    values = tuple(StoredValue((AmqpType.BOOLEAN,), ir.constant(truth), guard) for guard, truth in choices)
    present = ir.any_of(*[guard for guard, _ in choices])
    absent = ir.NotTrue(present) if choices else ir.TRUE
    return Stored(values, present, absent, raw.key_absent)


def stored_beside(column: ir.Column, union: Stored) -> Stored:
    """A union of which one class of values is in a column beside it; the union still tells the types."""
    values = tuple(value._replace(value=column) if value.value.type == column.type else value for value in union.values)
    return replace(union, values=values, union=None)
