"""The ways in which two values compare that a broker compares at all, and the predicate of each."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from enum import Enum

from transpiler.ir.functions import Function
from transpiler.ir.nodes import (
    Apply,
    Column,
    Compare,
    Constant,
    Predicate,
    Truth,
    Value,
    When,
    all_of,
    any_of,
    constant,
)
from transpiler.layouts.columns import BIGINT, BINARY, DOUBLE, STRING, Kind
from transpiler.lowering.comparison import compare_values, to_double
from transpiler.lowering.typed import DECIMAL, complement
from transpiler.message.operand_types import OperandType
from transpiler.selector.ast import Comparison


class Way(Enum):
    """How a pair of values compares."""

    NEVER = "never"
    ALWAYS = "always"
    THROWS = "throws"
    INTEGERS = "integers"
    FLOATS = "floats"
    #: By IEEE 754, and by Java's compareTo.
    DOUBLES = "doubles"
    TOTAL = "total order"
    EXACTLY = "exactly"
    STRINGS = "strings"
    UNITS = "units"
    BOOLEANS = "booleans"
    WORDS = "words"
    READ_LEFT = "read left"
    READ_RIGHT = "read right"


#: Bits of the integers.
WIDTHS = {OperandType.BYTE: 8, OperandType.SHORT: 16, OperandType.INT: 32, OperandType.LONG: 64}
#: Integers up to here are doubles too, every one.
_EXACT = 2**53


def _plain(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    left, right = _in_64_bits(left, right), _in_64_bits(right, left)
    if DECIMAL in (left.type, right.type):
        left, right = to_decimal(left), to_decimal(right)
    return Compare(operator, left, right)


#: The largest number in 64 signed bits.
_LARGEST = 2**63 - 1


def _in_64_bits(value: Value, other: Value) -> Value:
    """Integers beside a constant below the largest one: what is beyond 64 bits is above it, as the largest one is."""
    if not (isinstance(other, Constant) and isinstance(other.value, int) and other.value < _LARGEST):
        return value
    match value:
        case When(condition=large, value=Apply(function=Function.ADD_BIG, arguments=(Column(), Constant()))):
            return When(large, constant(_LARGEST))
        case Apply(function=Function.FIRST, arguments=arguments, type=found) if found == DECIMAL:
            parts = tuple(_in_64_bits(argument, other) for argument in arguments)
            return value if DECIMAL in {part.type for part in parts} else Apply(Function.FIRST, parts, BIGINT)
        case _:
            return value


def to_decimal(value: Value) -> Value:
    """An integer in 38 digits."""
    if value.type == DECIMAL:
        return value
    if isinstance(value, Constant):
        return Constant(value.value, DECIMAL)
    return Apply(Function.TO_DECIMAL, (value,), DECIMAL)


def as_double(value: Value) -> Value:
    """A number as a double, by Java's promotion."""
    return Apply(Function.TO_DOUBLE, (value,), DOUBLE) if value.type == DECIMAL else to_double(value)


def _doubles(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    return compare_values(operator, as_double(left), as_double(right), True)


def _total(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    return _compare_to(operator, as_double(left), as_double(right))


def _floats(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    return _compare_to(operator, to_float(left), to_float(right))


def to_float(value: Value) -> Value:
    """An integer as the nearest 32-bit number; a float is one already."""
    if value.type == DOUBLE:
        return value
    if isinstance(value, Constant) and isinstance(value.value, int) and abs(value.value) <= _EXACT:
        return constant(float(struct.unpack("f", struct.pack("f", float(value.value)))[0]))
    return Apply(Function.TO_FLOAT, (value,), DOUBLE)


def _compare_to(operator: Comparison, left: Value, right: Value) -> Predicate:
    """Double.compareTo, which Spark's order is but for the two zeros."""
    plain = Compare(operator, left, right)
    if not (_zero(left) and _zero(right)) or not (_signed(left) or _signed(right)):
        return plain
    zeros = all_of(Compare(Comparison.EQ, left, constant(0.0)), Compare(Comparison.EQ, right, constant(0.0)))
    # As texts '-0.0' is below '0.0' too.
    by_sign = Compare(operator, _sign(left), _sign(right))
    return any_of(all_of(plain, complement(zeros)), all_of(zeros, by_sign))


def _zero(value: Value) -> bool:
    """Whether a value can be zero."""
    return not isinstance(value, Constant) or value.value == 0


def _signed(value: Value) -> bool:
    """Whether a value can be -0.0."""
    if isinstance(value, Constant):
        return str(value.value).startswith("-")
    if isinstance(value, Apply) and value.function in (Function.TO_DOUBLE, Function.TO_FLOAT):
        return value.arguments[0].type.kind in (Kind.FLOAT, Kind.DOUBLE)
    return True


def _sign(value: Value) -> Value:
    if isinstance(value, Constant):
        return constant("-0.0" if str(value.value).startswith("-") else "0.0")
    return Apply(Function.SIGNED_TEXT, (value,), STRING)


def _exactly(operator: Comparison, left: Value, right: Value, kind: OperandType | None) -> Predicate:
    """An integer with a double: first as doubles, which keeps the order, and where those are equal as integers."""
    if left.type == DOUBLE:
        return _exactly(operator.mirrored, right, left, kind)
    whole, double = as_double(left), right
    if isinstance(left, Constant) and isinstance(left.value, int) and abs(left.value) <= _EXACT:
        return compare_values(operator, whole, double, True)
    if isinstance(right, Constant):
        assert isinstance(right.value, float)
        if abs(right.value) < _LARGEST / 2:
            whole = as_double(_in_64_bits(left, constant(math.floor(right.value))))
        if not right.value.is_integer() or abs(right.value) >= 10.0**37:
            # No integer is equal to it, and rounding one does not carry it past.
            return Compare(operator, whole, double)
        number = int(right.value)
        inside = -(2**63) <= number < 2**63
        return _plain(operator, left, Constant(number, BIGINT if inside else DECIMAL), kind)
    exact = Apply(Function.EXACT_DECIMAL, (double,), DECIMAL)
    equal = Compare(Comparison.EQ, whole, double)
    tie = all_of(equal, Compare(operator, to_decimal(left), exact))
    if operator is Comparison.EQ:
        return tie
    if operator is Comparison.NE:
        return any_of(Compare(operator, whole, double), tie)
    strict = Comparison.LT if operator in (Comparison.LT, Comparison.LE) else Comparison.GT
    return any_of(Compare(strict, whole, double), tie)


def _units(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    """String.compareTo, by UTF-16 units."""
    return Compare(operator, *(Apply(Function.UTF16, (side,), BINARY) for side in (left, right)))


def _words(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    """Erlang's atoms, true and false among them, by their names."""
    return Compare(operator, *(side if side.type == STRING else _named(side) for side in (left, right)))


def _named(side: Value) -> Value:
    if isinstance(side, Constant):
        return constant("true" if side.value else "false")
    return Apply(Function.JAVA_TEXT, (side,), STRING)


def _read(operator: Comparison, text: Value, other: Value, kind: OperandType) -> Predicate:
    """A comparison of what a string says, in the type of the other side."""
    if kind is OperandType.BOOLEAN:
        said = Compare(Comparison.EQ, Apply(Function.LOWER, (text,), STRING), constant("true"))
        unsaid = Compare(Comparison.NE, Apply(Function.LOWER, (text,), STRING), constant("true"))
        holds = {
            Comparison.EQ: ((True, True), (False, False)),
            Comparison.LT: ((False, True),),
            Comparison.GT: ((True, False),),
            Comparison.LE: ((False, True), (True, True), (False, False)),
            Comparison.GE: ((True, False), (True, True), (False, False)),
        }[operator]
        return any_of(
            *(
                all_of(said if first else unsaid, Compare(Comparison.EQ, other, constant(second)))
                for first, second in holds
            )
        )
    if kind.floating:
        number: Value = Apply(Function.READ_DOUBLE, (text,), DOUBLE)
        if kind is OperandType.FLOAT:
            number = Apply(Function.TO_FLOAT, (number,), DOUBLE)
        return _compare_to(operator, number, other)
    number = Apply(Function.READ_LONG, (text,), BIGINT)
    half = 2 ** (WIDTHS[kind] - 1)
    bounds = (
        (Compare(Comparison.GE, number, constant(-half)), Compare(Comparison.LE, number, constant(half - 1)))
        if kind is not OperandType.LONG
        else ()
    )
    return all_of(*bounds, Compare(operator, number, other))


def _read_left(operator: Comparison, left: Value, right: Value, kind: OperandType | None) -> Predicate:
    assert kind is not None
    return _read(operator, left, right, kind)


def _read_right(operator: Comparison, left: Value, right: Value, kind: OperandType | None) -> Predicate:
    assert kind is not None
    return _read(operator.mirrored, right, left, kind)


_Make = Callable[[Comparison, Value, Value, OperandType | None], Predicate]

#: By way.
PREDICATES: dict[Way, _Make] = {
    Way.ALWAYS: lambda *_: Truth(True),
    Way.THROWS: lambda *_: Truth(True),
    Way.INTEGERS: _plain,
    Way.FLOATS: _floats,
    Way.DOUBLES: _doubles,
    Way.TOTAL: _total,
    Way.EXACTLY: _exactly,
    Way.STRINGS: _plain,
    Way.UNITS: _units,
    Way.BOOLEANS: _plain,
    Way.WORDS: _words,
    Way.READ_LEFT: _read_left,
    Way.READ_RIGHT: _read_right,
}
