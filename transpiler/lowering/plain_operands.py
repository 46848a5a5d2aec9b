"""An operand as typed alternatives: the values that it may have, of which at most one is not NULL in a row.

A typed column has one alternative. A property whose type shows only in the row has one for each class of values. A
header field with a default is its column and, where the column is NULL, a constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from transpiler import ir
from transpiler.layouts.columns import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    PERSISTENT,
    STRING,
    ColumnSource,
    ColumnType,
    Derivation,
    Derived,
    SparkType,
    TaggedUnion,
    TypedColumn,
)
from transpiler.message.types import AmqpType, TypeClass
from transpiler.selector.ast import Comparison


class Alternative(NamedTuple):
    """A value, and the predicate under which it stands for the operand; the value's own NULL also rules it out."""

    value: ir.Value
    guard: ir.Predicate = ir.TRUE

    @property
    def type_class(self) -> TypeClass:
        """The class of the value."""
        return ir.type_class(self.value.type)


class Operand(NamedTuple):
    """The alternatives, and when the operand has a value at all (``present``) or is NULL (``absent``)."""

    alternatives: tuple[Alternative, ...]
    present: ir.Predicate
    absent: ir.Predicate

    def of(self, *classes: TypeClass) -> tuple[Alternative, ...]:
        """The alternatives of some classes."""
        return tuple([item for item in self.alternatives if ir.CLASSES[item.value.type.kind] in classes])

    @property
    def classes(self) -> frozenset[TypeClass]:
        """The classes that the operand's value can have."""
        return frozenset([ir.CLASSES[item.value.type.kind] for item in self.alternatives])

    @property
    def nodes(self) -> Iterator[ir.Value | ir.Predicate]:
        """All values and predicates that it is made of."""
        for alternative in self.alternatives:
            yield from alternative
        yield from (self.present, self.absent)


#: An operand that is NULL in every row.
MISSING = Operand((), ir.FALSE, ir.TRUE)

_NULL_TYPE = ir.Constant(AmqpType.NULL.value, STRING)
_UNION_FIELDS: tuple[tuple[str, ColumnType], ...] = (
    ("boolean", BOOLEAN),
    ("long", BIGINT),
    ("double", DOUBLE),
    ("string", STRING),
    ("binary", BINARY),
)


def literal(value: ir.Value) -> Operand:
    """A literal: one alternative, in every row."""
    return Operand((Alternative(value),), ir.TRUE, ir.FALSE)


@lru_cache(maxsize=1_024)
def at(location: ColumnSource) -> Operand:
    """What a place in a row can hold; selectors ask for the same few properties again and again."""
    match location:
        case TypedColumn(path=path, type=column_type):
            return from_value(_seen(ir.Column(path, column_type)))
        case TaggedUnion(path=path):
            fields = [Alternative(ir.Column((*path, name), field_type)) for name, field_type in _UNION_FIELDS]
            tag = ir.Column((*path, "type"), STRING)
            absent = ir.Or((ir.IsNull(tag), ir.Compare(Comparison.EQ, tag, _NULL_TYPE)))
            return Operand(tuple(fields), ir.Compare(Comparison.NE, tag, _NULL_TYPE), absent)
        case Derived():
            return _derived(location)


def _derived(location: Derived) -> Operand:
    values = [_seen(ir.Column(column.path, column.type)) for column in location.columns]
    match location.derivation, values:
        case Derivation.TEXT, [value]:
            return from_value(ir.Apply(ir.Function.TEXT, (value,), STRING))
        case Derivation.UUID, [value]:
            return from_value(value)
        case Derivation.PERSISTENT, [mode]:
            persistent = ir.Compare(Comparison.EQ, mode, ir.constant(PERSISTENT))
            other = ir.Compare(Comparison.NE, mode, ir.constant(PERSISTENT))
            return chosen(from_value(mode), ((persistent, True), (other, False)))
        case Derivation.ADDRESS, [exchange, key]:
            return from_value(ir.Apply(ir.Function.ADDRESS, (exchange, key), STRING))
        case derivation, _:
            raise AssertionError(f"{derivation} of {len(values)} columns")


def one_value(location: TypedColumn | Derived) -> ir.Value:
    """The value at a place that has one type."""
    found = at(location).alternatives
    if len(found) == 1:
        return found[0].value
    return ir.Apply(ir.Function.FIRST, tuple(ir.When(item.guard, item.value) for item in found), found[0].value.type)


def is_boolean(operand: Operand, wanted: bool) -> ir.Predicate:
    """Where an operand has a boolean value, and that one."""
    return ir.any_of(*(ir.all_of(item.guard, _flag(item.value, wanted)) for item in operand.of(TypeClass.BOOLEAN)))


def _flag(value: ir.Value, wanted: bool) -> ir.Predicate:
    return (
        ir.BoolConst(value.value is wanted) if isinstance(value, ir.Constant) else ir.IsTrue(value, negated=not wanted)
    )


def chosen(operand: Operand, choices: tuple[tuple[ir.Predicate, bool | str], ...]) -> Operand:
    """A constant for each of some predicates, one of which holds wherever the operand has a value."""
    alternatives = tuple(Alternative(ir.constant(value), condition) for condition, value in choices)
    return Operand(alternatives, operand.present, operand.absent)


def from_value(value: ir.Value) -> Operand:
    """An operand that is one value; NULL where the value is."""
    null = _without_conversions(value)
    return Operand((Alternative(value),), ir.IsNull(null, negated=True), ir.IsNull(null))


def or_else(operand: Operand, other: Operand) -> Operand:
    """The operand, and where it is NULL the other one."""
    fallback = tuple(Alternative(item.value, ir.all_of(operand.absent, item.guard)) for item in other.alternatives)
    return Operand(
        operand.alternatives + fallback,
        ir.any_of(operand.present, other.present),
        ir.all_of(operand.absent, other.absent),
    )


def guarded(condition_true: ir.Predicate, condition_false: ir.Predicate, when: object, otherwise: object) -> Operand:
    """A constant where one predicate holds, another where the other holds, NULL elsewhere."""
    assert isinstance(when, bool | str)
    assert isinstance(otherwise, bool | str)
    alternatives = (
        Alternative(ir.constant(when), condition_true),
        Alternative(ir.constant(otherwise), condition_false),
    )
    present = ir.any_of(condition_true, condition_false)
    return Operand(alternatives, present, ir.NotTrue(present))


def single(alternatives: tuple[Alternative, ...]) -> ir.Value:
    """Alternatives of one class as one value."""
    values: list[ir.Value] = []
    for item in alternatives:
        # What stands behind another value is only asked for where that one is NULL.
        implied = bool(values) and item.guard == ir.IsNull(_without_conversions(values[-1]))
        values.append(item.value if item.guard == ir.TRUE or implied else ir.When(item.guard, item.value))
    if len(values) == 1:
        return values[0]
    kinds = {value.type for value in values}
    value_type = values[0].type if len(kinds) == 1 else BIGINT if BIGINT in kinds else ColumnType(SparkType.INT)
    return ir.Apply(ir.Function.FIRST, tuple(values), value_type)


def _seen(column: ir.Column) -> ir.Value:
    """A column as the value that a selector sees."""
    match column.type.kind:
        case SparkType.FLOAT | SparkType.DECIMAL:
            return ir.Apply(ir.Function.TO_DOUBLE, (column,), DOUBLE)
        case SparkType.TIMESTAMP | SparkType.TIMESTAMP_NTZ:
            return ir.Apply(ir.Function.MILLISECONDS, (column,), BIGINT)
        case SparkType.CHAR:
            return ir.Apply(ir.Function.UNPADDED, (_by_bytes(column),), STRING)
        case SparkType.STRING | SparkType.VARCHAR:
            return _by_bytes(column)
        case _:
            return column


def _by_bytes(column: ir.Column) -> ir.Value:
    if column.type.collation == "UTF8_BINARY":
        return column
    return ir.Apply(ir.Function.BY_BYTES, (column,), STRING)


#: Functions that are NULL where their first argument is, and nowhere else.
_CONVERSIONS = (
    ir.Function.TO_DOUBLE,
    ir.Function.MILLISECONDS,
    ir.Function.BY_BYTES,
    ir.Function.UNPADDED,
    ir.Function.TEXT,
    ir.Function.AT_MOST,
    ir.Function.NEXT,
    ir.Function.LATER,
    ir.Function.FOLDED,
    ir.Function.STRING_MESSAGE_ID,
    ir.Function.STRING_CORRELATION_ID,
    ir.Function.ULONG_ID,
    ir.Function.UUID_ID,
    ir.Function.BINARY_ID,
)


def _without_conversions(value: ir.Value) -> ir.Value:
    """What decides whether a value is NULL, without conversions that keep NULL and nothing else."""
    while isinstance(value, ir.Apply) and value.function in _CONVERSIONS:
        value = value.arguments[0]
    return value
