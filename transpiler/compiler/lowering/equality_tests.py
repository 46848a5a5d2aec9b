"""Equality with a value of a binding or filter, as tests of typed values.

A header may have any type, and values of different types can be equal: a boolean and an integer, bytes and text. So a
value becomes one *equality test* for each type of header value that can equal it. The form of a test is the test
without its constants; tests of the same form become the same predicate with different constants.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from transpiler.compiler.ir.column_types import BIGINT, BINARY, BOOLEAN, DOUBLE, STRING, ColumnType
from transpiler.message.types import (
    CLASS_OF,
    DECIMALS,
    AmqpType,
    AmqpValue,
    Compound,
    Equality,
    NumberEquality,
    TypeClass,
    ValueType,
    coerce,
)

#: The Python value of a constant.
ConstantValue = bool | int | float | str | bytes


class Comparand(Enum):
    """The type to which an equality test converts the value of a header before it compares the value."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    #: A timestamp as seconds, and any other integer unchanged.
    SECONDS = "seconds"
    FLOATING = "floating"
    #: An integer as the nearest double.
    WIDENED = "widened"
    #: A number of any type as a double. ``NUMBER``: a timestamp as milliseconds; ``NUMBER_SECONDS``: as seconds.
    NUMBER = "number"
    NUMBER_SECONDS = "number, seconds"
    STRING = "string"
    BYTES = "bytes"
    #: A string, or the UTF-8 text of bytes.
    TEXT = "text"

    @property
    def type(self) -> ColumnType:
        """The type of the constants with which the value is compared."""
        return _TYPES[self]


_TYPES = {
    Comparand.BOOLEAN: BOOLEAN,
    Comparand.INTEGER: BIGINT,
    Comparand.SECONDS: BIGINT,
    Comparand.FLOATING: DOUBLE,
    Comparand.WIDENED: DOUBLE,
    Comparand.NUMBER: DOUBLE,
    Comparand.NUMBER_SECONDS: DOUBLE,
    Comparand.STRING: STRING,
    Comparand.BYTES: BINARY,
    Comparand.TEXT: STRING,
}

#: The ``Comparand`` that compares a value without conversion, by the ``TypeClass`` of the value.
BY_CLASS = {
    TypeClass.BOOLEAN: Comparand.BOOLEAN,
    TypeClass.INTEGER: Comparand.INTEGER,
    TypeClass.FLOATING: Comparand.FLOATING,
    TypeClass.STRING: Comparand.STRING,
    TypeClass.BYTES: Comparand.BYTES,
}


class EqualityForm(NamedTuple):
    """An equality test without its constants, so that bindings whose tests have equal forms can share one predicate.

    The header must have one of the AMQP types ``types`` or, if ``excludes_types`` is True, none of them.
    """

    comparand: Comparand
    types: tuple[ValueType, ...] = ()
    excludes_types: bool = True
    #: True if the test has two constants: the first and the last value of a range.
    is_range: bool = False


class EqualityTest(NamedTuple):
    """The test that a header's value equals a constant, or that it is in the range between two constants."""

    form: EqualityForm
    constants: tuple[ConstantValue, ...]


COMPOUNDS = (Compound.LIST, Compound.MAP, Compound.ARRAY)
_EMPTY = {Compound.LIST: b"\x45", Compound.MAP: b"\xc1\x01\x00"}

#: The least number from which two different integers can have the same nearest double.
_NOT_EXACT = 2.0**53


class EqualityTests:
    """Makes the equality tests for the values of bindings, under one broker's definition of equality.

    A topology can have a million values, most of which are texts or small integers. So the forms of their tests are
    computed only once.
    """

    def __init__(self, equality: Equality) -> None:
        self._equality = equality
        text = Comparand.TEXT if equality.bytes_are_text else Comparand.STRING
        self._text = None if equality.same_type else EqualityForm(text)
        plain = (
            not equality.same_type and not equality.booleans_are_integers and equality.numbers is NumberEquality.APART
        )
        self._whole = EqualityForm(Comparand.SECONDS if equality.has_seconds else Comparand.INTEGER) if plain else None

    def of(self, value: AmqpValue) -> tuple[EqualityTest, ...]:
        """Return tests of a header, of which one holds if and only if the header equals the binding's ``value``.

        The tuple is empty if no header equals ``value``, as for null and NaN.
        """
        kind, content = value
        if kind is AmqpType.STRING and self._text is not None and isinstance(content, str):
            return (EqualityTest(self._text, (content,)),)
        whole = self._whole if kind is AmqpType.LONG or kind is AmqpType.INT else None
        if whole is not None and isinstance(content, int) and 0 <= content < 2**63:
            return (EqualityTest(whole, (content,)),)
        return equality_tests(value, self._equality)


def equality_tests(value: AmqpValue, equality: Equality) -> tuple[EqualityTest, ...]:
    """Return tests of a header, of which one holds if and only if the header equals the binding's ``value``.

    The tuple is empty if no header equals ``value``, as for null and NaN.
    """
    kind, content = value.type, coerce(value)
    if content is None or (isinstance(content, float) and math.isnan(content)):
        return ()
    if isinstance(kind, Compound):
        return tuple(_same_content(kind, value.value, equality))
    if equality.refuses_floats and kind is AmqpType.FLOAT:
        return ()
    own = CLASS_OF[kind]
    if equality.same_type:
        # The broker compares by Java's ``equals``, which is never true for two different byte arrays.
        if own is TypeClass.BYTES:
            return ()
        text = kind in (AmqpType.STRING, AmqpType.SYMBOL)
        form = (
            EqualityForm(BY_CLASS[own], (AmqpType.CHAR,))
            if text
            else EqualityForm(BY_CLASS[own], (kind,), excludes_types=False)
        )
        return (EqualityTest(form, (content,)),)
    match own:
        case TypeClass.BOOLEAN:
            return tuple(_truths(bool(content), equality))
        case TypeClass.INTEGER:
            return tuple(_integers(_in_seconds(value) if equality.asks_in_seconds else _integer(value), equality))
        case TypeClass.FLOATING:
            return tuple(_doubles(float(content), kind in DECIMALS, equality))
        case TypeClass.STRING:
            comparand = Comparand.TEXT if equality.bytes_are_text else Comparand.STRING
            return (EqualityTest(EqualityForm(comparand), (content,)),)
        case TypeClass.BYTES:
            assert isinstance(content, bytes)
            return (_bytes(content, equality),)


def _same_content(kind: Compound, content: object, equality: Equality) -> Iterator[EqualityTest]:
    assert isinstance(content, bytes)
    alike = equality.empty_compounds_alike and content in _EMPTY.values()
    for other, data in _EMPTY.items() if alike else [(kind, content)]:
        if data:
            yield EqualityTest(EqualityForm(Comparand.BYTES, (other,), excludes_types=False), (data,))


def _truths(truth: bool, equality: Equality) -> Iterator[EqualityTest]:
    yield EqualityTest(EqualityForm(Comparand.BOOLEAN), (truth,))
    if equality.booleans_are_integers:
        yield EqualityTest(EqualityForm(Comparand.INTEGER), (int(truth),))


def _integer(value: AmqpValue) -> int:
    assert isinstance(value.value, int)
    return value.value


def _in_seconds(value: AmqpValue) -> int:
    number = _integer(value)
    if value.type is not AmqpType.TIMESTAMP:
        return number
    return number // 1000 if number >= 0 else -(-number // 1000)


def _integers(number: int, equality: Equality) -> Iterator[EqualityTest]:
    if equality.booleans_are_integers and number in (0, 1):
        yield EqualityTest(EqualityForm(Comparand.BOOLEAN), (bool(number),))
    if equality.numbers is NumberEquality.EXACT and abs(number) < _NOT_EXACT:
        yield _number(float(number), equality)
        return
    yield from _exact(number, equality)
    if equality.numbers is NumberEquality.AS_DOUBLES or (
        equality.numbers is NumberEquality.EXACT and float(number) == number
    ):
        yield _floating(float(number), equality)


def _exact(number: int, equality: Equality) -> Iterator[EqualityTest]:
    """Yield the test of integers for equality with ``number``; yield nothing if ``number`` exceeds 64 bits.

    An unsigned long is stored as its low 64 bits. So a stored negative integer may be a large unsigned long, and the
    test includes the AMQP type.
    """
    comparand = Comparand.SECONDS if equality.has_seconds else Comparand.INTEGER
    if 0 <= number < 2**63:
        yield EqualityTest(EqualityForm(comparand), (number,))
    elif -(2**63) <= number < 0:
        yield EqualityTest(EqualityForm(comparand, (AmqpType.ULONG,)), (number,))
    elif 2**63 <= number < 2**64:
        yield EqualityTest(EqualityForm(Comparand.INTEGER, (AmqpType.ULONG,), excludes_types=False), (number - 2**64,))


def _number(number: float, equality: Equality) -> EqualityTest:
    """Return one test that compares integers and doubles with ``number`` as doubles; it is exact below 2**53."""
    comparand = Comparand.NUMBER_SECONDS if equality.has_seconds else Comparand.NUMBER
    excluded: tuple[ValueType, ...] = DECIMALS if equality.decimals_apart else ()
    return EqualityTest(EqualityForm(comparand, (*excluded, AmqpType.ULONG) if number < 0 else excluded), (number,))


def _floating(number: float, equality: Equality) -> EqualityTest:
    return EqualityTest(EqualityForm(Comparand.FLOATING, DECIMALS if equality.decimals_apart else ()), (number,))


def _doubles(number: float, is_decimal: bool, equality: Equality) -> Iterator[EqualityTest]:
    if is_decimal and equality.decimals_apart:
        yield EqualityTest(EqualityForm(Comparand.FLOATING, DECIMALS, excludes_types=False), (number,))
        return
    match equality.numbers:
        case NumberEquality.APART:
            yield _floating(number, equality)
        case NumberEquality.EXACT if abs(number) < _NOT_EXACT:
            yield _number(number, equality)
        case NumberEquality.EXACT:
            yield _floating(number, equality)
            if math.isfinite(number):
                yield from _exact(int(number), equality)
        case NumberEquality.AS_DOUBLES:
            yield _floating(number, equality)
            yield EqualityTest(EqualityForm(Comparand.WIDENED, () if number >= 0 else (AmqpType.ULONG,)), (number,))
            if 2.0**63 <= number <= 2.0**64:
                low, high = _rounded_to(number)
                form = EqualityForm(Comparand.INTEGER, (AmqpType.ULONG,), excludes_types=False, is_range=True)
                yield EqualityTest(form, (low - 2**64, high - 2**64))


def _rounded_to(number: float) -> tuple[int, int]:
    """Return the first and the last unsigned long above 2**63-1 whose nearest double is ``number``."""
    low = (int(math.nextafter(number, 0.0)) + int(number)) // 2
    high = (int(math.nextafter(number, math.inf)) + int(number)) // 2
    return max(low + (float(low) != number), 2**63), min(high - (float(high) != number), 2**64 - 1)


def _bytes(data: bytes, equality: Equality) -> EqualityTest:
    if equality.bytes_are_text:
        try:
            return EqualityTest(EqualityForm(Comparand.TEXT), (data.decode(),))
        except UnicodeDecodeError:
            pass
    return EqualityTest(EqualityForm(Comparand.BYTES, COMPOUNDS), (data,))
