"""The ways in which two values compare that a broker compares at all, and the predicate of each."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from enum import Enum

from transpiler import ir
from transpiler.layouts.columns import BIGINT, BINARY, DOUBLE, STRING, SparkType
from transpiler.lowering.comparison import compare_values, to_double
from transpiler.lowering.typed import DECIMAL, complement
from transpiler.message.operand_types import OperandType
from transpiler.selector.ast import Comparison


class ComparisonKind(Enum):
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


def _plain(operator: Comparison, left: ir.Value, right: ir.Value, _: OperandType | None) -> ir.Predicate:
    left, right = _in_64_bits(left, right), _in_64_bits(right, left)
    if DECIMAL in (left.type, right.type):
        left, right = to_decimal(left), to_decimal(right)
    return ir.Compare(operator, left, right)


#: The largest number in 64 signed bits.
_LARGEST = 2**63 - 1


def _in_64_bits(value: ir.Value, other: ir.Value) -> ir.Value:
    """Integers beside a constant below the largest one: what is beyond 64 bits is above it, as the largest one is."""
    if not (isinstance(other, ir.Constant) and isinstance(other.value, int) and other.value < _LARGEST):
        return value
    match value:
        case ir.When(
            condition=large, value=ir.Apply(function=ir.Function.ADD_BIG, arguments=(ir.Column(), ir.Constant()))
        ):
            return ir.When(large, ir.constant(_LARGEST))
        case ir.Apply(function=ir.Function.FIRST, arguments=arguments, type=found) if found == DECIMAL:
            parts = tuple(_in_64_bits(argument, other) for argument in arguments)
            return value if DECIMAL in {part.type for part in parts} else ir.Apply(ir.Function.FIRST, parts, BIGINT)
        case _:
            return value


def to_decimal(value: ir.Value) -> ir.Value:
    """An integer in 38 digits."""
    if value.type == DECIMAL:
        return value
    if isinstance(value, ir.Constant):
        return ir.Constant(value.value, DECIMAL)
    return ir.Apply(ir.Function.TO_DECIMAL, (value,), DECIMAL)


def as_double(value: ir.Value) -> ir.Value:
    """A number as a double, by Java's promotion."""
    return ir.Apply(ir.Function.TO_DOUBLE, (value,), DOUBLE) if value.type == DECIMAL else to_double(value)


def _doubles(operator: Comparison, left: ir.Value, right: ir.Value, _: OperandType | None) -> ir.Predicate:
    return compare_values(operator, as_double(left), as_double(right), True)


def _total(operator: Comparison, left: ir.Value, right: ir.Value, _: OperandType | None) -> ir.Predicate:
    return _compare_to(operator, as_double(left), as_double(right))


def _floats(operator: Comparison, left: ir.Value, right: ir.Value, _: OperandType | None) -> ir.Predicate:
    return _compare_to(operator, to_float(left), to_float(right))


def to_float(value: ir.Value) -> ir.Value:
    """An integer as the nearest 32-bit number; a float is one already."""
    if value.type == DOUBLE:
        return value
    if isinstance(value, ir.Constant) and isinstance(value.value, int) and abs(value.value) <= _EXACT:
        return ir.constant(float(struct.unpack("f", struct.pack("f", float(value.value)))[0]))
    return ir.Apply(ir.Function.TO_FLOAT, (value,), DOUBLE)


def _compare_to(operator: Comparison, left: ir.Value, right: ir.Value) -> ir.Predicate:
    """Double.compareTo, which Spark's order is but for the two zeros."""
    plain = ir.Compare(operator, left, right)
    if not (_zero(left) and _zero(right)) or not (_signed(left) or _signed(right)):
        return plain
    zeros = ir.all_of(
        ir.Compare(Comparison.EQ, left, ir.constant(0.0)), ir.Compare(Comparison.EQ, right, ir.constant(0.0))
    )
    # As texts '-0.0' is below '0.0' too.
    by_sign = ir.Compare(operator, _sign(left), _sign(right))
    return ir.any_of(ir.all_of(plain, complement(zeros)), ir.all_of(zeros, by_sign))


def _zero(value: ir.Value) -> bool:
    """Whether a value can be zero."""
    return not isinstance(value, ir.Constant) or value.value == 0


def _signed(value: ir.Value) -> bool:
    """Whether a value can be -0.0."""
    if isinstance(value, ir.Constant):
        return str(value.value).startswith("-")
    if isinstance(value, ir.Apply) and value.function in (ir.Function.TO_DOUBLE, ir.Function.TO_FLOAT):
        return value.arguments[0].type.kind in (SparkType.FLOAT, SparkType.DOUBLE)
    return True


def _sign(value: ir.Value) -> ir.Value:
    if isinstance(value, ir.Constant):
        return ir.constant("-0.0" if str(value.value).startswith("-") else "0.0")
    return ir.Apply(ir.Function.SIGNED_TEXT, (value,), STRING)


def _exactly(operator: Comparison, left: ir.Value, right: ir.Value, kind: OperandType | None) -> ir.Predicate:
    """An integer with a double: first as doubles, which keeps the order, and where those are equal as integers."""
    if left.type == DOUBLE:
        return _exactly(operator.mirrored, right, left, kind)
    whole, double = as_double(left), right
    if isinstance(left, ir.Constant) and isinstance(left.value, int) and abs(left.value) <= _EXACT:
        return compare_values(operator, whole, double, True)
    if isinstance(right, ir.Constant):
        assert isinstance(right.value, float)
        if abs(right.value) < _LARGEST / 2:
            whole = as_double(_in_64_bits(left, ir.constant(math.floor(right.value))))
        if not right.value.is_integer() or abs(right.value) >= 10.0**37:
            # No integer is equal to it, and rounding one does not carry it past.
            return ir.Compare(operator, whole, double)
        number = int(right.value)
        inside = -(2**63) <= number < 2**63
        return _plain(operator, left, ir.Constant(number, BIGINT if inside else DECIMAL), kind)
    exact = ir.Apply(ir.Function.EXACT_DECIMAL, (double,), DECIMAL)
    equal = ir.Compare(Comparison.EQ, whole, double)
    tie = ir.all_of(equal, ir.Compare(operator, to_decimal(left), exact))
    if operator is Comparison.EQ:
        return tie
    if operator is Comparison.NE:
        return ir.any_of(ir.Compare(operator, whole, double), tie)
    strict = Comparison.LT if operator in (Comparison.LT, Comparison.LE) else Comparison.GT
    return ir.any_of(ir.Compare(strict, whole, double), tie)


def _units(operator: Comparison, left: ir.Value, right: ir.Value, _: OperandType | None) -> ir.Predicate:
    """String.compareTo, by UTF-16 units."""
    return ir.Compare(operator, *(ir.Apply(ir.Function.UTF16, (side,), BINARY) for side in (left, right)))


def _words(operator: Comparison, left: ir.Value, right: ir.Value, _: OperandType | None) -> ir.Predicate:
    """Erlang's atoms, true and false among them, by their names."""
    return ir.Compare(operator, *(side if side.type == STRING else _named(side) for side in (left, right)))


def _named(side: ir.Value) -> ir.Value:
    if isinstance(side, ir.Constant):
        return ir.constant("true" if side.value else "false")
    return ir.Apply(ir.Function.JAVA_TEXT, (side,), STRING)


def _read(operator: Comparison, text: ir.Value, other: ir.Value, kind: OperandType) -> ir.Predicate:
    """A comparison of what a string says, in the type of the other side."""
    if kind is OperandType.BOOLEAN:
        said = ir.Compare(Comparison.EQ, ir.Apply(ir.Function.LOWER, (text,), STRING), ir.constant("true"))
        unsaid = ir.Compare(Comparison.NE, ir.Apply(ir.Function.LOWER, (text,), STRING), ir.constant("true"))
        holds = {
            Comparison.EQ: ((True, True), (False, False)),
            Comparison.LT: ((False, True),),
            Comparison.GT: ((True, False),),
            Comparison.LE: ((False, True), (True, True), (False, False)),
            Comparison.GE: ((True, False), (True, True), (False, False)),
        }[operator]
        return ir.any_of(
            *(
                ir.all_of(said if first else unsaid, ir.Compare(Comparison.EQ, other, ir.constant(second)))
                for first, second in holds
            )
        )
    if kind.floating:
        number: ir.Value = ir.Apply(ir.Function.READ_DOUBLE, (text,), DOUBLE)
        if kind is OperandType.FLOAT:
            number = ir.Apply(ir.Function.TO_FLOAT, (number,), DOUBLE)
        return _compare_to(operator, number, other)
    number = ir.Apply(ir.Function.READ_LONG, (text,), BIGINT)
    half = 2 ** (WIDTHS[kind] - 1)
    bounds = (
        (
            ir.Compare(Comparison.GE, number, ir.constant(-half)),
            ir.Compare(Comparison.LE, number, ir.constant(half - 1)),
        )
        if kind is not OperandType.LONG
        else ()
    )
    return ir.all_of(*bounds, ir.Compare(operator, number, other))


def _read_left(operator: Comparison, left: ir.Value, right: ir.Value, kind: OperandType | None) -> ir.Predicate:
    assert kind is not None
    return _read(operator, left, right, kind)


def _read_right(operator: Comparison, left: ir.Value, right: ir.Value, kind: OperandType | None) -> ir.Predicate:
    assert kind is not None
    return _read(operator.mirrored, right, left, kind)


_Make = Callable[[Comparison, ir.Value, ir.Value, OperandType | None], ir.Predicate]

#: By way.
PREDICATES: dict[ComparisonKind, _Make] = {
    ComparisonKind.ALWAYS: lambda *_: ir.BoolConst(True),
    ComparisonKind.THROWS: lambda *_: ir.BoolConst(True),
    ComparisonKind.INTEGERS: _plain,
    ComparisonKind.FLOATS: _floats,
    ComparisonKind.DOUBLES: _doubles,
    ComparisonKind.TOTAL: _total,
    ComparisonKind.EXACTLY: _exactly,
    ComparisonKind.STRINGS: _plain,
    ComparisonKind.UNITS: _units,
    ComparisonKind.BOOLEANS: _plain,
    ComparisonKind.WORDS: _words,
    ComparisonKind.READ_LEFT: _read_left,
    ComparisonKind.READ_RIGHT: _read_right,
}
