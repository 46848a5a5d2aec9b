"""Equality of a value of a message and the value that a binding or a filter expects.

Integers are compared without coercion: an unsigned long above 2**63-1 does not become negative.
"""

from __future__ import annotations

import math

from transpiler.message.operand_types import OperandType
from transpiler.message.types import (
    CLASS_OF,
    AmqpType,
    AmqpValue,
    Compound,
    Equality,
    NumberEquality,
    TypeClass,
    UntypedText,
    coerce,
)
from transpiler.reference.operands import Value
from transpiler.reference.untyped import as_boolean, as_number

_TEXT = (AmqpType.STRING, AmqpType.SYMBOL)
_DECIMALS = (AmqpType.DECIMAL32, AmqpType.DECIMAL64, AmqpType.DECIMAL128)


def is_equal(expected: AmqpValue, actual: AmqpValue, equality: Equality) -> bool:
    """Return True if ``expected`` equals the message's value ``actual`` under ``equality``; nothing equals a null."""
    if expected.value is None or actual.value is None:
        return False
    if isinstance(actual.value, UntypedText) and not isinstance(expected.type, Compound):
        actual = _typed_as(expected, actual)
    if isinstance(expected.type, Compound) or isinstance(actual.type, Compound):
        return _same_content(expected, actual, equality)
    first, second = _class(expected), _class(actual)
    if equality.same_type:
        # Java's ``equals`` is false for objects of different classes, and for any two byte arrays.
        same = expected.type is actual.type or (expected.type in _TEXT and actual.type in _TEXT)
        if not same or first is TypeClass.BYTES:
            return False
        return _raw_integer_or_coerced(expected) == _raw_integer_or_coerced(actual)
    if equality.refuses_floats and expected.type is AmqpType.FLOAT:
        return False
    if equality.decimals_apart and (expected.type in _DECIMALS) is not (actual.type in _DECIMALS):
        return False
    integral = (TypeClass.INTEGER, TypeClass.BOOLEAN)
    if equality.booleans_are_integers and first in integral and second in integral:
        return int(_raw_integer_or_coerced(expected)) == int(_raw_integer_or_coerced(actual))
    if equality.bytes_are_text and {first, second} == {TypeClass.STRING, TypeClass.BYTES}:
        return _octets(expected) == _octets(actual)
    if {first, second} == {TypeClass.INTEGER, TypeClass.FLOATING}:
        return _are_equal_numbers(_expected(expected, equality), _actual(actual, equality), equality.numbers)
    return first is second and _expected(expected, equality) == _actual(actual, equality)


def _typed_as(expected: AmqpValue, actual: AmqpValue) -> AmqpValue:
    """Convert ``actual``, a text whose original type is lost, to a number or boolean if ``expected`` is one.

    The text does not tell the width of a number, so it gets the type of ``expected``. A text that is not a number or
    boolean stays a text.
    """
    text = Value(OperandType.STRING, UntypedText(actual.value))
    kind = _class(expected)
    if kind is TypeClass.BOOLEAN:
        spelled = as_boolean(text)
    elif kind.numeric:
        spelled = as_number(text, infinite=True)
    else:
        return actual
    assert spelled is not None
    match spelled.value:
        case bool() as truth:
            return AmqpValue(AmqpType.BOOLEAN, truth)
        case int() as number:
            return AmqpValue(expected.type if kind is TypeClass.INTEGER else AmqpType.LONG, number)
        case float() as number:
            return AmqpValue(expected.type if kind is TypeClass.FLOATING else AmqpType.DOUBLE, number)
        case _:
            return actual


def _same_content(expected: AmqpValue, actual: AmqpValue, equality: Equality) -> bool:
    """Return True if compound values have the same encoding, which determines the types and order of their items."""
    if not isinstance(expected.type, Compound) or not isinstance(actual.type, Compound):
        return False
    if equality.empty_compounds_alike and _is_empty(expected) and _is_empty(actual):
        return True
    return expected.type is actual.type and bool(expected.value) and expected.value == actual.value


def _is_empty(value: AmqpValue) -> bool:
    return value.value in (b"\x45", b"\xc1\x01\x00")


def _class(value: AmqpValue) -> TypeClass:
    return CLASS_OF[value.type]


def _raw_integer_or_coerced(value: AmqpValue) -> bool | int | float | str | bytes:
    """Return the value of an integer as stored, even above 2**63-1, and any other value as a selector sees it."""
    if isinstance(value.value, int):
        return value.value
    coerced = coerce(value)
    assert coerced is not None
    return coerced


def _expected(value: AmqpValue, equality: Equality) -> bool | int | float | str | bytes:
    return _in_seconds(value) if equality.asks_in_seconds else _raw_integer_or_coerced(value)


def _actual(value: AmqpValue, equality: Equality) -> bool | int | float | str | bytes:
    return _in_seconds(value) if equality.has_seconds else _raw_integer_or_coerced(value)


def _in_seconds(value: AmqpValue) -> bool | int | float | str | bytes:
    if value.type is AmqpType.TIMESTAMP and isinstance(value.value, int):
        return value.value // 1000 if value.value >= 0 else -(-value.value // 1000)
    return _raw_integer_or_coerced(value)


def _are_equal_numbers(first: object, second: object, numbers: NumberEquality) -> bool:
    assert isinstance(first, int | float)
    assert isinstance(second, int | float)
    match numbers:
        case NumberEquality.APART:
            return False
        case NumberEquality.EXACT:
            # Python compares an int with a float by their exact values, as Erlang does.
            return first == second
        case NumberEquality.AS_DOUBLES:
            return float(first) == float(second) and not math.isnan(float(first))


def _octets(value: AmqpValue) -> bytes:
    coerced = coerce(value)
    assert isinstance(coerced, str | bytes)
    return coerced.encode() if isinstance(coerced, str) else coerced
