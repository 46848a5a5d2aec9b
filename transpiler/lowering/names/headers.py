"""From the places of a header field to the operand that a selector sees in them: one clause for each conversion."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, assert_never

from transpiler import ir
from transpiler.ir.column_types import BIGINT, BOOLEAN, DOUBLE, STRING, ColumnType, SparkType
from transpiler.layouts.stored import Stored
from transpiler.lowering.names.column_values import at
from transpiler.lowering.operands import (
    NULL,
    Alternative,
    Operand,
    choice,
    complement,
    from_value,
)
from transpiler.message.fields import DELIVERY_MODES, MAX_PRIORITY, MessageField
from transpiler.message.header_fields import PROPERTIES, Conversion
from transpiler.message.operand_types import OperandType, OperandTypes
from transpiler.message.types import AmqpType
from transpiler.selector.ast import Comparison

#: Places whose values tell their own types: maps, and ids.
_MAPS = (PROPERTIES, "message_annotations")
_IDS = (MessageField("properties", "message_id"), MessageField("properties", "correlation_id"))

_DURABILITIES = {True: "DURABLE", False: "NON_DURABLE"}


class _IdTexts(NamedTuple):
    """The function that makes an id of each type a text."""

    string: ir.Function
    ulong: ir.Function
    uuid: ir.Function
    binary: ir.Function


_MESSAGE_ID_TEXTS = _IdTexts(
    ir.Function.STRING_MESSAGE_ID, ir.Function.ULONG_ID, ir.Function.UUID_ID, ir.Function.BINARY_ID
)
_PREFIXED_TEXTS = _IdTexts(
    ir.Function.PREFIXED_STRING, ir.Function.PREFIXED_ULONG, ir.Function.PREFIXED_UUID, ir.Function.PREFIXED_BINARY
)


def whole_number(stored: Stored) -> ir.Value:
    """The integer at a place that holds nothing else."""
    [item] = at(stored).of(OperandType.LONG)
    return item.value


def expiry(kind: OperandType, duration: ir.Value, times: tuple[ir.Value, ...], zero_is_forever: bool) -> Operand:
    """The end of a duration that begins at the first of some times that is not NULL."""
    end = ir.Apply(ir.Function.LATER, (duration, ir.first_of(times, BIGINT)), BIGINT)
    if not zero_is_forever:
        return from_value(kind, end)
    some = ir.Compare(Comparison.NE, duration, ir.constant(0))
    none = ir.any_of(ir.IsNull(duration), ir.Compare(Comparison.EQ, duration, ir.constant(0)))
    return Operand((Alternative(kind, end, some, stands_where=some),), some, none)


@lru_cache(maxsize=4_096)
def converted(
    conversion: Conversion, place: MessageField, stored: Stored, kind: OperandType, types: OperandTypes, name: str
) -> Operand:
    """The operand at a place after a conversion: of one type, or, as it is stored, of the dialect's types.

    There are few header fields, and a layout has each of them in one place, so the operands are kept.
    """
    operand = at(stored)
    match conversion:
        case Conversion.ANY_ID:
            return _without_columns_of(at(stored, types, name), BOOLEAN, DOUBLE)
        case Conversion.AS_IS:
            if place.section in _MAPS or place in _IDS:
                return at(stored, types, name)
            return _each(operand, kind, lambda value: value)
        case Conversion.INTEGER:
            return _only_integers(at(stored, types, name))
        case Conversion.TEXT:
            return _each(operand, kind, lambda value: _text(ir.Function.TEXT, value))
        case Conversion.TEXT_OF_BYTES:
            return _each(operand, kind, lambda value: _text(ir.Function.TEXT_OF_BYTES, value))
        case Conversion.DELIVERY_MODE:
            return choice(operand, kind, [(_is(operand, durable), mode) for durable, mode in DELIVERY_MODES.items()])
        case Conversion.DURABILITY:
            return choice(operand, kind, [(_is(operand, durable), mode) for durable, mode in _DURABILITIES.items()])
        case Conversion.REDELIVERED:
            counts = ((Comparison.GT, True), (Comparison.LE, False))
            return choice(operand, kind, [(_compares(operand, operator), truth) for operator, truth in counts])
        case Conversion.PRIORITY:
            highest, small = ir.constant(MAX_PRIORITY), ColumnType(SparkType.INT)
            return _each(operand, kind, lambda value: ir.Apply(ir.Function.AT_MOST, (value, highest), small))
        case Conversion.DELIVERY_COUNT:
            return _each(operand, kind, lambda value: ir.Apply(ir.Function.NEXT, (value,), BIGINT))
        case Conversion.GROUP_SEQUENCE:
            return _each(operand, kind, lambda value: ir.Apply(ir.Function.FOLDED, (value,), BIGINT))
        case Conversion.WHOLE_SECONDS:
            return _each(operand, kind, _whole_seconds)
        case Conversion.STRING_ID:
            return _string_id(stored, kind)
        case Conversion.PREFIXED_ID:
            return _id_texts(stored, kind, _PREFIXED_TEXTS)
        case Conversion.MESSAGE_ID:
            return _id_texts(stored, kind, _MESSAGE_ID_TEXTS)
        case Conversion.CORRELATION_ID:
            return _id_texts(stored, kind, _MESSAGE_ID_TEXTS._replace(string=ir.Function.STRING_CORRELATION_ID))
        case Conversion.EXPIRY | Conversion.EXPIRY_UNLESS_ZERO:
            raise AssertionError("an expiry has several places")
        case _:
            assert_never(conversion)


def _without_columns_of(operand: Operand, *column_types: ColumnType) -> Operand:
    """The operand without the columns of some types, in which an id never has a value."""
    return operand._replace(
        alternatives=tuple(
            item
            for item in operand.alternatives
            if not (isinstance(item.value, ir.Column) and item.value.type in column_types)
        )
    )


def _text(function: ir.Function, value: ir.Value) -> ir.Value:
    """The text of bytes; some stores have the text itself."""
    return value if value.type == STRING else ir.Apply(function, (value,), STRING)


def _each(operand: Operand, kind: OperandType, convert: Callable[[ir.Value], ir.Value]) -> Operand:
    """A function of every value."""
    return operand._replace(
        alternatives=tuple(item._replace(type=kind, value=convert(item.value)) for item in operand.alternatives)
    )


def _only_integers(operand: Operand) -> Operand:
    """The operand, NULL where its value is no integer."""
    items = tuple(item for item in operand.alternatives if item.type.integer)
    if len(items) == 1 and items[0].guard == ir.TRUE:
        return from_value(items[0].type, items[0].value)
    present = operand.where({item.type for item in items}) if items else ir.FALSE
    return Operand(items, present, complement(ir.any_of(present, operand.error)), operand.error)


def _is(operand: Operand, truth: bool) -> ir.Predicate:
    return ir.any_of(
        *(
            ir.all_of(
                item.guard,
                ir.BoolConst(item.value.value is truth)
                if isinstance(item.value, ir.Constant)
                else ir.IsTrue(item.value, negated=not truth),
            )
            for item in operand.of(OperandType.BOOLEAN)
        )
    )


def _compares(operand: Operand, operator: Comparison) -> ir.Predicate:
    """The rows where an integer compares with zero."""
    return ir.any_of(
        *(
            ir.all_of(item.guard, ir.Compare(operator, item.value, ir.constant(0)))
            for item in operand.of(OperandType.LONG)
        )
    )


def _whole_seconds(milliseconds: ir.Value) -> ir.Value:
    """Milliseconds without what is beyond the second, in arithmetic that does not overflow."""
    rest = ir.Apply(ir.Function.REMAINDER_BIG, (milliseconds, ir.constant(1000)), BIGINT)
    return ir.Apply(ir.Function.TO_LONG, (ir.Apply(ir.Function.SUBTRACT_BIG, (milliseconds, rest), BIGINT),), BIGINT)


def _string_id(stored: Stored, kind: OperandType) -> Operand:
    """The text of an id that is a string."""
    strings = at(stored).of(OperandType.STRING)
    if not strings:
        return NULL
    item = strings[0]
    # Beside a tag, the field of strings is NULL where the tag says something else.
    plain = item.guard == ir.TRUE or stored.tag is not None
    return from_value(kind, item.value if plain else ir.guarded(item.guard, item.value))


def _id_texts(stored: Stored, kind: OperandType, functions: _IdTexts) -> Operand:
    """The text of an id: one alternative for each type that it can have."""
    operand = at(stored)
    forms: list[tuple[ir.Function, ir.Predicate, Alternative]]
    forms = [(functions.string, ir.TRUE, item) for item in operand.of(OperandType.STRING)]
    forms += [(functions.ulong, ir.TRUE, item) for item in operand.of(OperandType.LONG)]
    for item in operand.of(OperandType.BYTES):
        for function, amqp in ((functions.uuid, AmqpType.UUID), (functions.binary, AmqpType.BINARY)):
            guard = stored.has_type([amqp])
            if guard != ir.FALSE:
                forms.append((function, guard, item))
    alternatives = tuple(
        Alternative(kind, ir.Apply(function, (item.value,), STRING), ir.all_of(item.guard, guard))
        for function, guard, item in forms
    )
    return operand._replace(alternatives=alternatives)
