"""From the places of a header field to the operand that JMS sees in them."""

from __future__ import annotations

from functools import lru_cache

from transpiler import ir
from transpiler.layouts.columns import (
    BIGINT,
    STRING,
    ColumnSource,
    ColumnType,
    Derivation,
    Derived,
    SparkType,
    TaggedUnion,
    TypedColumn,
)
from transpiler.lowering.operands import Alternative, Operand, at, chosen, from_value, is_boolean
from transpiler.message.fields import DELIVERY_MODES, MAX_PRIORITY
from transpiler.message.header_fields import Conversion
from transpiler.message.types import AmqpType, TypeClass
from transpiler.selector.ast import Comparison


def later(duration: ir.Value, times: tuple[ir.Value, ...]) -> Operand:
    """The end of a duration that begins at the first of some times that is not NULL."""
    begin = times[0] if len(times) == 1 else ir.Apply(ir.Function.FIRST, times, BIGINT)
    return from_value(ir.Apply(ir.Function.LATER, (duration, begin), BIGINT))


def whole_number(location: ColumnSource) -> ir.Value:
    """The integer at a place that holds nothing else."""
    return at(location).of(TypeClass.INTEGER)[0].value


@lru_cache(maxsize=1_024)
def mapped_operand(conversion: Conversion, location: ColumnSource) -> Operand:
    """The operand at a place, after the conversion that the JMS mapping prescribes."""
    # There are few header fields, and a layout has each of them in one place.
    if conversion in (Conversion.MESSAGE_ID, Conversion.CORRELATION_ID):
        return _id(conversion, location)
    operand = at(location)
    match conversion:
        case Conversion.AS_IS:
            return operand
        case Conversion.ANY_ID:
            found = operand.of(TypeClass.STRING, TypeClass.INTEGER, TypeClass.BYTES)
            return Operand(found, operand.present, operand.absent)
        case Conversion.INTEGER:
            return _only(operand, TypeClass.INTEGER)
        case Conversion.TEXT:
            return _each(operand, ir.Function.TEXT, TypeClass.BYTES, STRING)
        case Conversion.DELIVERY_MODE:
            return chosen(
                operand, tuple((is_boolean(operand, durable), mode) for durable, mode in DELIVERY_MODES.items())
            )
        case Conversion.REDELIVERED:
            return chosen(operand, ((_count(operand, Comparison.GT), True), (_count(operand, Comparison.LE), False)))
        case Conversion.PRIORITY:
            return _each(
                operand, ir.Function.AT_MOST, TypeClass.INTEGER, ColumnType(SparkType.INT), ir.constant(MAX_PRIORITY)
            )
        case Conversion.DELIVERY_COUNT:
            return _each(operand, ir.Function.NEXT, TypeClass.INTEGER, BIGINT)
        case Conversion.GROUP_SEQUENCE:
            return _each(operand, ir.Function.FOLDED, TypeClass.INTEGER, BIGINT)
    raise AssertionError(conversion)


def _each(operand: Operand, function: ir.Function, taken: TypeClass, result: ColumnType, *more: ir.Value) -> Operand:
    """A function of the alternatives of one class; the others are dropped."""
    alternatives = tuple(
        Alternative(ir.Apply(function, (item.value, *more), result), item.guard) for item in operand.of(taken)
    )
    return Operand(alternatives, operand.present, operand.absent)


def _only(operand: Operand, taken: TypeClass) -> Operand:
    [item] = operand.of(taken)
    return from_value(item.value)


def _count(operand: Operand, operator: Comparison) -> ir.Predicate:
    return ir.any_of(
        *(
            ir.all_of(item.guard, ir.Compare(operator, item.value, ir.constant(0)))
            for item in operand.of(TypeClass.INTEGER)
        )
    )


def _id(conversion: Conversion, location: ColumnSource) -> Operand:
    """The text of an id: one alternative for each type that it can have."""
    whole = ir.Function.STRING_MESSAGE_ID if conversion is Conversion.MESSAGE_ID else ir.Function.STRING_CORRELATION_ID
    operand = at(location)
    forms: list[tuple[ir.Function, TypeClass, ir.Predicate | None]] = []
    match location:
        case TaggedUnion(path=path):
            tag = ir.Column((*path, "type"), STRING)
            forms = [
                (whole, TypeClass.STRING, None),
                (ir.Function.ULONG_ID, TypeClass.INTEGER, None),
                (ir.Function.UUID_ID, TypeClass.BYTES, _is(tag, AmqpType.UUID)),
                (ir.Function.BINARY_ID, TypeClass.BYTES, _is(tag, AmqpType.BINARY)),
            ]
        case Derived(derivation=Derivation.UUID):
            forms = [(ir.Function.UUID_ID, TypeClass.BYTES, None)]
        case Derived() | TypedColumn():
            forms = [
                (whole, TypeClass.STRING, None),
                (ir.Function.ULONG_ID, TypeClass.INTEGER, None),
                (ir.Function.BINARY_ID, TypeClass.BYTES, None),
            ]
    alternatives = tuple(
        Alternative(ir.Apply(function, (item.value,), STRING), ir.all_of(item.guard, *([guard] if guard else [])))
        for function, taken, guard in forms
        for item in operand.of(taken)
    )
    return Operand(alternatives, operand.present, operand.absent)


def _is(tag: ir.Column, amqp_type: AmqpType) -> ir.Predicate:
    return ir.Compare(Comparison.EQ, tag, ir.Constant(amqp_type.value, STRING))
