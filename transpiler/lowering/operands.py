"""An operand as typed alternatives: the values that it may have, of which at most one is not NULL in a row.

A typed column has one alternative. A property whose type shows only in the row has one for each class of values. A
header field with a default is its column and, where the column is NULL, a constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from transpiler.ir.functions import Function
from transpiler.ir.nodes import (
    CLASSES,
    FALSE,
    TRUE,
    Apply,
    Column,
    Compare,
    Constant,
    Flag,
    IsNull,
    NotTrue,
    Or,
    Predicate,
    Truth,
    Value,
    When,
    all_of,
    any_of,
    constant,
    type_class,
)
from transpiler.layouts.columns import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    PERSISTENT,
    STRING,
    ColumnType,
    Derivation,
    Derived,
    Kind,
    Location,
    TaggedUnion,
    TypedColumn,
)
from transpiler.message.types import AmqpType, TypeClass
from transpiler.selector.ast import Comparison


class Alternative(NamedTuple):
    """A value, and the predicate under which it stands for the operand; the value's own NULL also rules it out."""

    value: Value
    guard: Predicate = TRUE

    @property
    def type_class(self) -> TypeClass:
        """The class of the value."""
        return type_class(self.value.type)


class Operand(NamedTuple):
    """The alternatives, and when the operand has a value at all (``present``) or is NULL (``absent``)."""

    alternatives: tuple[Alternative, ...]
    present: Predicate
    absent: Predicate

    def of(self, *classes: TypeClass) -> tuple[Alternative, ...]:
        """The alternatives of some classes."""
        return tuple([item for item in self.alternatives if CLASSES[item.value.type.kind] in classes])

    @property
    def classes(self) -> frozenset[TypeClass]:
        """The classes that the operand's value can have."""
        return frozenset([CLASSES[item.value.type.kind] for item in self.alternatives])

    @property
    def nodes(self) -> Iterator[Value | Predicate]:
        """All values and predicates that it is made of."""
        for alternative in self.alternatives:
            yield from alternative
        yield from (self.present, self.absent)


#: An operand that is NULL in every row.
MISSING = Operand((), FALSE, TRUE)

_NULL_TYPE = Constant(AmqpType.NULL.value, STRING)
_UNION_FIELDS: tuple[tuple[str, ColumnType], ...] = (
    ("boolean", BOOLEAN),
    ("long", BIGINT),
    ("double", DOUBLE),
    ("string", STRING),
    ("binary", BINARY),
)


def literal(value: Value) -> Operand:
    """A literal: one alternative, in every row."""
    return Operand((Alternative(value),), TRUE, FALSE)


@lru_cache(maxsize=1_024)
def at(location: Location) -> Operand:
    """What a place in a row can hold; selectors ask for the same few properties again and again."""
    match location:
        case TypedColumn(path=path, type=column_type):
            return from_value(_seen(Column(path, column_type)))
        case TaggedUnion(path=path):
            fields = [Alternative(Column((*path, name), field_type)) for name, field_type in _UNION_FIELDS]
            tag = Column((*path, "type"), STRING)
            absent = Or((IsNull(tag), Compare(Comparison.EQ, tag, _NULL_TYPE)))
            return Operand(tuple(fields), Compare(Comparison.NE, tag, _NULL_TYPE), absent)
        case Derived():
            return _derived(location)


def _derived(location: Derived) -> Operand:
    values = [_seen(Column(column.path, column.type)) for column in location.columns]
    match location.derivation, values:
        case Derivation.TEXT, [value]:
            return from_value(Apply(Function.TEXT, (value,), STRING))
        case Derivation.UUID, [value]:
            return from_value(value)
        case Derivation.PERSISTENT, [mode]:
            persistent = Compare(Comparison.EQ, mode, constant(PERSISTENT))
            other = Compare(Comparison.NE, mode, constant(PERSISTENT))
            return chosen(from_value(mode), ((persistent, True), (other, False)))
        case Derivation.ADDRESS, [exchange, key]:
            return from_value(Apply(Function.ADDRESS, (exchange, key), STRING))
        case derivation, _:
            raise AssertionError(f"{derivation} of {len(values)} columns")


def one_value(location: TypedColumn | Derived) -> Value:
    """The value at a place that has one type."""
    found = at(location).alternatives
    if len(found) == 1:
        return found[0].value
    return Apply(Function.FIRST, tuple(When(item.guard, item.value) for item in found), found[0].value.type)


def is_boolean(operand: Operand, wanted: bool) -> Predicate:
    """Where an operand has a boolean value, and that one."""
    return any_of(*(all_of(item.guard, _flag(item.value, wanted)) for item in operand.of(TypeClass.BOOLEAN)))


def _flag(value: Value, wanted: bool) -> Predicate:
    return Truth(value.value is wanted) if isinstance(value, Constant) else Flag(value, negated=not wanted)


def chosen(operand: Operand, choices: tuple[tuple[Predicate, bool | str], ...]) -> Operand:
    """A constant for each of some predicates, one of which holds wherever the operand has a value."""
    alternatives = tuple(Alternative(constant(value), condition) for condition, value in choices)
    return Operand(alternatives, operand.present, operand.absent)


def from_value(value: Value) -> Operand:
    """An operand that is one value; NULL where the value is."""
    null = _without_conversions(value)
    return Operand((Alternative(value),), IsNull(null, negated=True), IsNull(null))


def or_else(operand: Operand, other: Operand) -> Operand:
    """The operand, and where it is NULL the other one."""
    fallback = tuple(Alternative(item.value, all_of(operand.absent, item.guard)) for item in other.alternatives)
    return Operand(
        operand.alternatives + fallback,
        any_of(operand.present, other.present),
        all_of(operand.absent, other.absent),
    )


def guarded(condition_true: Predicate, condition_false: Predicate, when: object, otherwise: object) -> Operand:
    """A constant where one predicate holds, another where the other holds, NULL elsewhere."""
    assert isinstance(when, bool | str)
    assert isinstance(otherwise, bool | str)
    alternatives = (
        Alternative(constant(when), condition_true),
        Alternative(constant(otherwise), condition_false),
    )
    present = any_of(condition_true, condition_false)
    return Operand(alternatives, present, NotTrue(present))


def single(alternatives: tuple[Alternative, ...]) -> Value:
    """Alternatives of one class as one value."""
    values: list[Value] = []
    for item in alternatives:
        # What stands behind another value is only asked for where that one is NULL.
        implied = bool(values) and item.guard == IsNull(_without_conversions(values[-1]))
        values.append(item.value if item.guard == TRUE or implied else When(item.guard, item.value))
    if len(values) == 1:
        return values[0]
    kinds = {value.type for value in values}
    value_type = values[0].type if len(kinds) == 1 else BIGINT if BIGINT in kinds else ColumnType(Kind.INT)
    return Apply(Function.FIRST, tuple(values), value_type)


def _seen(column: Column) -> Value:
    """A column as the value that a selector sees."""
    match column.type.kind:
        case Kind.FLOAT | Kind.DECIMAL:
            return Apply(Function.TO_DOUBLE, (column,), DOUBLE)
        case Kind.TIMESTAMP | Kind.TIMESTAMP_NTZ:
            return Apply(Function.MILLISECONDS, (column,), BIGINT)
        case Kind.CHAR:
            return Apply(Function.UNPADDED, (_by_bytes(column),), STRING)
        case Kind.STRING | Kind.VARCHAR:
            return _by_bytes(column)
        case _:
            return column


def _by_bytes(column: Column) -> Value:
    if column.type.collation == "UTF8_BINARY":
        return column
    return Apply(Function.BY_BYTES, (column,), STRING)


#: Functions that are NULL where their first argument is, and nowhere else.
_CONVERSIONS = (
    Function.TO_DOUBLE,
    Function.MILLISECONDS,
    Function.BY_BYTES,
    Function.UNPADDED,
    Function.TEXT,
    Function.AT_MOST,
    Function.NEXT,
    Function.LATER,
    Function.FOLDED,
    Function.STRING_MESSAGE_ID,
    Function.STRING_CORRELATION_ID,
    Function.ULONG_ID,
    Function.UUID_ID,
    Function.BINARY_ID,
)


def _without_conversions(value: Value) -> Value:
    """What decides whether a value is NULL, without conversions that keep NULL and nothing else."""
    while isinstance(value, Apply) and value.function in _CONVERSIONS:
        value = value.arguments[0]
    return value
