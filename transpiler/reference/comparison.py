"""Comparison of two operands under the rules of a dialect."""

from __future__ import annotations

import math
import operator as op
import re
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from transpiler.base.comparison import Comparison
from transpiler.language.selector.dialect_rules import FloatOrder, NullEquality, NumericPromotion, Ordering, UnlikeTypes
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType
from transpiler.reference.operands import BrokerError, Value, to_double
from transpiler.reference.untyped import compared_by_use

_HOLDS: Mapping[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.EQ: op.eq,
    Comparison.NE: op.ne,
    Comparison.LT: op.lt,
    Comparison.LE: op.le,
    Comparison.GT: op.gt,
    Comparison.GE: op.ge,
}
_WIDTH = {
    kind: width for width, kind in enumerate((OperandType.BYTE, OperandType.SHORT, OperandType.INT, OperandType.LONG))
}


def compare(operator: Comparison, left: Value, right: Value, dialect: Dialect, convert: bool = False) -> bool:
    """Return True if a comparison of two operands that are not NULL holds; raise ``BrokerError`` if the broker throws.

    ``convert`` is True if the selector has the prefix that makes comparisons convert strings to numbers and booleans.
    """
    left, right = compared_by_use(operator, left, right, dialect)
    if dialect.unlike_types is UnlikeTypes.NOT_EQUAL and operator is Comparison.NE:
        # A dialect with this rule evaluates a <> b as NOT (a = b), even for operands of unlike types.
        return not compare(Comparison.EQ, left, right, dialect, convert)
    java = dialect.numeric_promotion in (NumericPromotion.UPWARDS, NumericPromotion.UPWARDS_THROWING)
    if java and (_is_array(left) or _is_array(right)):
        if not operator.is_equality:
            raise BrokerError("arrays of bytes cannot be ordered")
        # Java's ``equals`` compares arrays by identity. The two arrays are the same object only if both operands are
        # the same property.
        is_one = bool(left.origin) and left.origin == right.origin
        return left.type is right.type and is_one is (operator is Comparison.EQ)
    if convert and left.type is not right.type:
        converted = _converted(left, right, dialect)
        if converted is not None:
            left, right = converted
    if left.numeric and right.numeric:
        return _compare_numbers(operator, left, right, dialect)
    return _compare_others(operator, left, right, dialect)


def _is_array(value: Value) -> bool:
    return value.type is OperandType.BYTES or isinstance(value.value, tuple)


def compare_null(operator: Comparison, left: Value | None, right: Value | None, dialect: Dialect) -> bool | None:
    """Compare two operands of which at least one is NULL; return None if the result is unknown."""
    # Jakarta Messaging 3.8.1.2: "SQL treats a NULL value as unknown. Comparison or arithmetic with an unknown value
    # always yields an unknown."
    if not operator.is_equality or dialect.null_equality is NullEquality.UNKNOWN:
        return None
    if left is None and right is None:
        equal = True
    elif left is None and dialect.null_equality is NullEquality.FALSE_ON_THE_RIGHT:
        return None
    else:
        equal = False
    return equal if operator is Comparison.EQ else not equal


def _compare_numbers(operator: Comparison, left: Value, right: Value, dialect: Dialect) -> bool:
    first, second = left.value, right.value
    floating = left.type.floating or right.type.floating
    match dialect.numeric_promotion:
        case NumericPromotion.PROMOTION if floating:
            # Java's numeric promotion converts both operands to doubles if one of them is a floating-point number.
            first, second = to_double(first), to_double(second)  # type: ignore[arg-type]
        case NumericPromotion.UPWARDS | NumericPromotion.UPWARDS_THROWING if left.type is not right.type:
            if not _widens(left.type, right.type):
                return False
            if floating:
                first, second = _as_java_floats(left, right, dialect)
        case _:
            # No conversion is needed: Python compares an int with a float by their exact values, as Erlang does.
            pass
    if floating and dialect.float_order is FloatOrder.COMPARE_TO:
        first, second = _compare_to_key(first), _compare_to_key(second)  # type: ignore[assignment]
    return _HOLDS[operator](first, second)


def _compare_others(operator: Comparison, left: Value, right: Value, dialect: Dialect) -> bool:
    """Return True if a comparison of two operands holds, of which at least one is not a number."""
    if operator.is_equality:
        # Jakarta Messaging 3.8.1.1: "Comparison ... of values of unlike types: the value of the operation is false." So
        # <> is false, too.
        return left.type is right.type and _HOLDS[operator](left.value, right.value)
    if dialect.ordering is Ordering.TERMS:
        return _HOLDS[operator](_term(left), _term(right))
    if left.type is not right.type:
        return False
    texts = left.type in (OperandType.STRING, OperandType.CHAR)
    match dialect.ordering:
        case Ordering.COMPARE_TO if texts:
            return _HOLDS[operator](_units(left), _units(right))
        case Ordering.COMPARE_TO if left.type is OperandType.BOOLEAN:
            return _HOLDS[operator](left.value, right.value)
        case Ordering.BYTES if texts:
            return _HOLDS[operator](_octets(left), _octets(right))
        case _:
            # Jakarta Messaging 3.8.1.2: "String and Boolean comparison is restricted to = and <>". The parser cannot
            # reject a comparison of two properties, so the result is false.
            return False


def _octets(value: Value) -> bytes:
    return str(value.value).encode("utf-8", "surrogateescape")


def _term(value: Value) -> tuple[int, Any]:
    """Return a sort key for Erlang's order of terms: atoms (which include the booleans) before strings before bytes.

    Numbers precede all other terms. They share one key, because two numbers are compared elsewhere.
    """
    match value.type:
        case OperandType.BOOLEAN:
            return 1, "true" if value.value else "false"
        case OperandType.ATOM:
            return 1, value.value
        case OperandType.STRING | OperandType.CHAR:
            return 2, _octets(value)
        case OperandType.BYTES:
            return 3, value.value
        case _:
            return 0, 0


def _units(value: Value) -> bytes:
    """Return the sort key of Java's ``String.compareTo``, which compares UTF-16 code units."""
    return str(value.value).encode("utf-16-be", "surrogatepass")


def _widens(left: OperandType, right: OperandType) -> bool:
    """Return True if ActiveMQ converts one operand to the other's type before it compares numbers of two types.

    Its Java code has no case for a byte or short on the right, unless the left type is narrower; the values are then
    never equal.
    """
    if OperandType.BIG in (left, right):
        return False
    if right in (OperandType.BYTE, OperandType.SHORT):
        return _WIDTH.get(left, 9) < _WIDTH[right]
    return True


def _as_java_floats(left: Value, right: Value, dialect: Dialect) -> tuple[float, float]:
    """Return two numbers of different types as doubles, or as 32-bit floats if neither number is a double."""
    if OperandType.DOUBLE not in (left.type, right.type):
        return to_float(left.value), to_float(right.value)
    narrowing = (left.type, right.type) == (OperandType.DOUBLE, OperandType.FLOAT)
    if narrowing and dialect.numeric_promotion is NumericPromotion.UPWARDS_THROWING:
        raise BrokerError("a double on the left is cast to the float on the right")
    return to_double(left.value), to_double(right.value)  # type: ignore[arg-type]


def to_float(number: Any) -> float:
    """Round ``number`` to the nearest 32-bit floating-point number."""
    exact = to_double(number)
    try:
        # Round a large integer directly. To round it to a double first would round twice, which can give another
        # result.
        if isinstance(number, int) and abs(number) > 2**53:
            shift = abs(number).bit_length() - 26
            cut = abs(number) >> shift << shift
            cut |= (abs(number) != cut) << shift
            exact = math.copysign(float(cut), number)
        return float(struct.unpack("f", struct.pack("f", exact))[0])
    except OverflowError:
        return math.copysign(math.inf, exact)


def _float_in(digits: str) -> float:
    """Return the decimal number ``digits`` as the nearest 32-bit floating-point number.

    To avoid rounding twice, the number is first truncated to a double, and the last bit of that double is set if the
    truncation was not exact ("round to odd").
    """
    exact, cut = Decimal(digits), float(digits)
    if math.isinf(cut):
        return cut
    if Decimal(cut).copy_abs() > exact.copy_abs():
        cut = math.nextafter(cut, 0.0)
    if Decimal(cut) != exact:
        [bits] = struct.unpack("q", struct.pack("d", cut))
        [cut] = struct.unpack("d", struct.pack("q", bits | 1))
    return to_float(math.copysign(cut, float(digits)))


def _compare_to_key(value: Any) -> tuple[int, float, float]:
    """Return the sort key of Java's ``Double.compareTo``: NaN equals itself and is the greatest value, -0.0 < 0.0."""
    if isinstance(value, float) and math.isnan(value):
        return 1, 0.0, 0.0
    return 0, value, math.copysign(1.0, value) if value == 0 else 0.0


_INTEGER = re.compile(r"[+-]?[0-9]+")
#: The characters that Java's ``String.trim`` removes; ``Double.valueOf`` trims its argument first.
_TRIMMED = "".join(map(chr, range(0x21)))
_FLOATING = re.compile(r"[+-]?(NaN|Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?)")
_BITS = {OperandType.BYTE: 8, OperandType.SHORT: 16, OperandType.INT: 32, OperandType.LONG: 64}


def _converted(left: Value, right: Value, dialect: Dialect) -> tuple[Value, Value] | None:
    """Return the two operands after the conversion of strings that ``convert_string_expressions:`` requests.

    A string is converted to the type of the other operand. Return None if no operand is a string, or if the string
    cannot be converted.
    """
    if left.type is OperandType.STRING:
        read = read_text(str(left.value), right.type)
        return None if read is None else (read, right)
    if right.type is OperandType.STRING:
        if left.type is OperandType.BOOLEAN and dialect.numeric_promotion is NumericPromotion.UPWARDS_THROWING:
            raise BrokerError("the boolean is cast to the string")
        read = read_text(str(right.value), left.type)
        return None if read is None else (left, read)
    return None


def read_text(text: str, target: OperandType) -> Value | None:
    """Convert ``text`` to the type ``target`` like Java's ``valueOf``; return None if ``text`` is not such a value."""
    match target:
        case OperandType.BOOLEAN:
            return Value(target, text.lower() == "true")
        case OperandType.FLOAT | OperandType.DOUBLE if _FLOATING.fullmatch(text.strip(_TRIMMED)):
            content = text.strip(_TRIMMED)
            if "N" in content or "I" in content:
                return Value(target, float(content))
            # For a float, ActiveMQ's ComparisonExpression calls Float.valueOf, which rounds the decimal number only
            # once.
            digits = content.rstrip("fFdD")
            return Value(target, _float_in(digits) if target is OperandType.FLOAT else float(digits))
        case _ if target in _BITS and _INTEGER.fullmatch(text):
            bits = _BITS[target]
            number = int(text)
            return Value(target, number) if -(2 ** (bits - 1)) <= number < 2 ** (bits - 1) else None
        case _:
            return None
