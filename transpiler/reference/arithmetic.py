"""Arithmetic on operands, under the rules of a dialect."""

from __future__ import annotations

import math
import operator as op
import struct
from collections.abc import Callable
from typing import Any

from transpiler.language.selector.ast import Arithmetic
from transpiler.language.selector.dialect_rules import (
    Division,
    Extension,
    IntegerArithmetic,
    NotNumbers,
    Remainder,
    UnaryPlus,
)
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType
from transpiler.reference.comparison import read_text
from transpiler.reference.operands import LONG_MAX, LONG_MIN, BrokerError, Operand, Value, to_double, wrap

_BASIC: dict[Arithmetic, Callable[[Any, Any], Any]] = {
    Arithmetic.ADD: op.add,
    Arithmetic.SUBTRACT: op.sub,
    Arithmetic.MULTIPLY: op.mul,
}


def sign(operator: Arithmetic, value: Operand, dialect: Dialect) -> Operand:
    """Return the result of ``operator``, a unary plus or minus, on ``value``."""
    if operator is Arithmetic.ADD and dialect.unary_plus is UnaryPlus.NOTHING:
        return value
    if value is None:
        return None
    if not value.numeric:
        if dialect.not_numbers is NotNumbers.THROWS:
            raise BrokerError("a sign before a value that is not a number")
        return None
    if operator is Arithmetic.ADD:
        return value
    number = value.value
    assert isinstance(number, int | float)
    if value.type.floating:
        return Value(value.type, -number)
    match dialect.integer_arithmetic:
        case IntegerArithmetic.LONG:
            return _long(-int(number))
        case IntegerArithmetic.WRAP_LONG:
            return Value(OperandType.LONG, wrap(-int(number), 64))
        case IntegerArithmetic.BIGNUM:
            return Value(OperandType.LONG, -number)
        case IntegerArithmetic.WRAP_INT:
            return _java_negate(value, int(number))


def _java_negate(value: Value, number: int) -> Operand:
    match value.type:
        case OperandType.INT:
            return Value(value.type, wrap(-number, 32))
        case OperandType.LONG:
            return Value(value.type, wrap(-number, 64))
        case OperandType.BIG:
            return Value(OperandType.LONG if -number == LONG_MIN else value.type, -number)
        case _:
            raise BrokerError(f"a {value.type.value} cannot be negated")


def calculate(
    operator: Arithmetic,
    left: Callable[[], Operand],
    right: Callable[[], Operand],
    dialect: Dialect,
    convert: bool = False,
) -> Operand:
    """Return the result of a binary arithmetic operation.

    ``left`` and ``right`` are functions that evaluate the operands, because Java does not evaluate the right operand if
    the left one is NULL. ``convert`` is True if the selector has the prefix ``convert_string_expressions:``; in some
    dialects arithmetic, too, then converts strings to numbers.
    """
    first = left()
    if first is None and dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT:
        return None
    second = right()
    if first is None or second is None:
        return None
    joins = operator is Arithmetic.ADD and first.type is OperandType.STRING
    if convert and dialect.has(Extension.CONVERT_IN_ARITHMETIC) and not joins:
        first, second = _read_number(first), _read_number(second)
    if not (first.numeric and second.numeric):
        return _not_numbers(operator, first, second, dialect)
    match operator:
        case Arithmetic.DIVIDE:
            return _divide(first, second, dialect)
        case Arithmetic.REMAINDER:
            return _remainder(first, second, dialect)
        case _:
            return _basic(operator, first, second, dialect)


def _read_number(value: Value) -> Value:
    """Convert a string to a number like Artemis: to a double if it contains a point, else to a long."""
    if value.type is not OperandType.STRING:
        return value
    text = str(value.value)
    return read_text(text, OperandType.DOUBLE if "." in text else OperandType.LONG) or value


def _not_numbers(operator: Arithmetic, left: Value, right: Value, dialect: Dialect) -> Operand:
    match dialect.not_numbers:
        case NotNumbers.UNKNOWN:
            # Arithmetic on an operand that is not a number is unknown, like arithmetic with NULL.
            return None
        case NotNumbers.CONCATENATE if operator is Arithmetic.ADD and left.type is OperandType.STRING:
            return Value(OperandType.STRING, java_text(left) + java_text(right))
        case NotNumbers.THROWS if _by_zero_atom(operator, dialect) and right.numeric and right.value == 0:
            # RabbitMQ defines a division by zero as ``plus_infinity`` if the dividend is greater than 0. It tests that
            # with Erlang's order of terms, in which everything that is not a number is greater than every number.
            return Value(OperandType.ATOM, "plus_infinity")
        case _:
            raise BrokerError(f"{operator.value} with an operand that is not a number")


def _by_zero_atom(operator: Arithmetic, dialect: Dialect) -> bool:
    return operator is Arithmetic.DIVIDE and dialect.division is Division.BY_ZERO_ATOMS


def _basic(operator: Arithmetic, left: Value, right: Value, dialect: Dialect) -> Operand:
    calculation = _BASIC[operator]
    if left.type.floating or right.type.floating:
        return _float(calculation, left.value, right.value, dialect)  # type: ignore[arg-type]
    result = calculation(left.value, right.value)
    match dialect.integer_arithmetic:
        case IntegerArithmetic.LONG:
            # In this dialect, a result that does not fit into 64 bits is unknown.
            return _long(result)
        case IntegerArithmetic.WRAP_LONG:
            return Value(OperandType.LONG, wrap(result, 64))
        case IntegerArithmetic.BIGNUM:
            return Value(OperandType.LONG, result)
        case IntegerArithmetic.WRAP_INT:
            # ActiveMQ's ``ArithmeticExpression`` computes with longs if an operand is a Long, and otherwise with ints,
            # even if an operand is a BigDecimal.
            if OperandType.LONG in (left.type, right.type):
                return Value(OperandType.LONG, wrap(result, 64))
            return Value(OperandType.INT, wrap(result, 32))


def _long(value: int) -> Operand:
    return Value(OperandType.LONG, value) if LONG_MIN <= value <= LONG_MAX else None


def _float(calculation: Callable[[float, float], float], left: float, right: float, dialect: Dialect) -> Operand:
    """Apply ``calculation`` to two numbers as doubles.

    Erlang has no infinities: in its dialects, raise ``BrokerError`` if an operand or the result is too large.
    """
    first, second = to_double(left), to_double(right)
    result = calculation(first, second)
    any_size = dialect.integer_arithmetic is IntegerArithmetic.BIGNUM
    if any_size and not all(map(math.isfinite, (first, second, result))):
        raise BrokerError("the result is too large for a float")
    return Value(OperandType.DOUBLE, result)


def _divide(left: Value, right: Value, dialect: Dialect) -> Operand:
    first, second = left.value, right.value
    assert isinstance(first, int | float)
    assert isinstance(second, int | float)
    integers = left.type.integer and right.type.integer
    match dialect.division:
        case Division.TRUNCATING | Division.TRUNCATING_THROWING if integers:
            if dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT:
                first, second = wrap(int(first), 64), wrap(int(second), 64)
            throws = dialect.division is Division.TRUNCATING_THROWING
            if throws and second == 0:
                raise BrokerError("an integer division by zero")
            if throws and first == LONG_MIN and second == -1:
                raise BrokerError("an integer division whose result is too large")
            # Integer division in Java truncates toward zero. By zero, the result is unknown.
            if second == 0:
                return None
            quotient = abs(int(first)) // abs(int(second))
            return _long(quotient if (first < 0) == (second < 0) else -quotient)
        case Division.BY_ZERO_UNKNOWN if second == 0:
            return None
        case Division.BY_ZERO_ATOMS if second == 0:
            atom = "plus_infinity" if first > 0 else "minus_infinity" if first < 0 else "nan"
            return Value(OperandType.ATOM, atom)
        case _:
            return _float(divide, first, second, dialect)


def divide(dividend: float, divisor: float) -> float:
    """Return the quotient under IEEE 754, which defines division by zero; Python raises an exception instead."""
    if divisor != 0:
        return dividend / divisor
    if dividend == 0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1, divisor)


def _remainder(left: Value, right: Value, dialect: Dialect) -> Operand:
    first, second = left.value, right.value
    assert isinstance(first, int | float)
    assert isinstance(second, int | float)
    if dialect.remainder is Remainder.DOUBLE:
        dividend, divisor = to_double(first), to_double(second)
        if divisor == 0 or math.isinf(dividend):
            return Value(OperandType.DOUBLE, math.nan)
        return Value(OperandType.DOUBLE, math.fmod(dividend, divisor))
    if not (left.type.integer and right.type.integer) or second == 0:
        return None
    rest = abs(int(first)) % abs(int(second))
    return Value(OperandType.LONG, rest if first >= 0 else -rest)


def java_text(value: Value) -> str:
    """Return the text of ``value`` in a Java string concatenation."""
    match value.value:
        case bool() as truth:
            return "true" if truth else "false"
        case float() as number:
            return _java_float(number, value.type)
        case tuple() as items:
            return f"[{', '.join('null' if item is None else java_text(item) for item in items)}]"
        case bytes():
            # Java appends the array's hash code, which differs from run to run, so it is left out.
            return "[B@"
        case other:
            return str(other)


def _java_float(number: float, kind: OperandType) -> str:
    """Return the text of Java's ``Double.toString`` or ``Float.toString``.

    The text has a point and as few digits as possible, and an exponent if the number is below 0.001 or at least 10
    million.
    """
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "-0.0" if math.copysign(1, number) < 0 else "0.0"
    digits = _shortest_float(abs(number)) if kind is OperandType.FLOAT else repr(abs(number))
    mantissa, _, exponent = digits.partition("e")
    whole, _, fraction = mantissa.partition(".")
    figures = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(figures)
    point = len(whole) - leading + int(exponent or 0)
    figures = figures.rstrip("0") or "0"
    sign = "-" if number < 0 else ""
    if -2 <= point <= 7:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{figures}"
        padded = figures.ljust(point, "0")
        return f"{sign}{padded[:point]}.{padded[point:] or '0'}"
    return f"{sign}{figures[0]}.{figures[1:] or '0'}E{point - 1}"


def _shortest_float(number: float) -> str:
    for precision in range(1, 10):
        text = f"{number:.{precision}g}"
        if struct.unpack("f", struct.pack("f", float(text)))[0] == number:
            return text
    return repr(number)
