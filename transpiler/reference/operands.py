"""Operands of a selector with their types in a broker: literals, and values of a message."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import IntegerArithmetic
from transpiler.language.selector.dialects import Dialect
from transpiler.message.message import Message
from transpiler.message.operand_types import ByteText, OperandType, UnsignedLong
from transpiler.message.types import AmqpType, AmqpValue, coerce

LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1
INT_MIN, INT_MAX = -(2**31), 2**31 - 1


class BrokerError(Exception):
    """The exception with which the broker's own evaluation would end; the text names the cause."""


class Value(NamedTuple):
    """The value of an operand, if it is not NULL.

    ``origin`` is the name of the property that contains the value; Java compares some values by identity.
    """

    type: OperandType
    value: bool | int | float | str | bytes | tuple[Value | None, ...]
    origin: str = ""

    @property
    def numeric(self) -> bool:
        """True if the value can be an operand of arithmetic."""
        return self.type.numeric


#: A value of an operand. None is NULL, which is also the value of an unknown condition.
Operand = Value | None


def wrap(value: int, bits: int) -> int:
    """Wrap ``value`` to a signed integer of ``bits`` bits in two's complement."""
    half: int = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def to_double(number: float) -> float:
    """Round to the nearest double. An integer beyond the largest double becomes an infinity, as in ``doubleValue``."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def literal(node: ast.Literal, dialect: Dialect) -> Operand:
    """Return the operand that a broker of ``dialect`` makes of a literal."""
    match node:
        case ast.NullLiteral():
            return None
        case ast.StringLiteral(value=value):
            return Value(OperandType.STRING, dict(dialect.fields.rewritten).get(value, value))
        case ast.BinaryLiteral(value=octets):
            return Value(OperandType.STRING, octets.decode("utf-8", "surrogateescape"))
        case ast.IntegerLiteral(value=number):
            if dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT:
                return _java_integer(number)
            return Value(OperandType.LONG, number)
        case ast.FloatLiteral(value=approximate):
            return Value(OperandType.DOUBLE, approximate)
        case ast.BooleanLiteral(value=truth):
            return Value(OperandType.BOOLEAN, truth)


def _java_integer(number: int) -> Value:
    """Return the value of a decimal literal in ActiveMQ's parser. A minus before it is a separate operator.

    A number of more than 64 bits is a BigDecimal, except that it is an int if its lowest 64 bits have the value of an
    int.
    """
    sign, size = (-1 if number < 0 else 1), abs(number)
    low = wrap(size, 64)
    if INT_MIN <= low <= INT_MAX:
        return Value(OperandType.INT, wrap(sign * low, 32))
    if size <= LONG_MAX or number == LONG_MIN:
        return Value(OperandType.LONG, number)
    return Value(OperandType.BIG, number)


def from_amqp(value: AmqpValue | None, dialect: Dialect, origin: str = "") -> Operand:
    """Convert a value of a message to the broker's type; return None, which is NULL, for an absent value.

    Return None also if the broker ignores the value's AMQP type; raise ``BrokerError`` if it throws on the type.
    ``origin`` is the name of the property that contains the value.
    """
    types = dialect.types
    if value is None or value.value is None:
        return None
    if value.type in types.throws:
        raise BrokerError(f"{origin} is a {value.type.value}, for which the evaluation has no clause")
    operand_type = types.table.get(value.type)
    if operand_type is None:
        return None
    content = value.value
    match operand_type:
        case OperandType.LONG if types.char_is_number and value.type is AmqpType.CHAR:
            return Value(OperandType.LONG, ord(str(content)))
        case OperandType.LONG if value.type is AmqpType.ULONG and isinstance(content, int) and content > LONG_MAX:
            match types.unsigned_long:
                case UnsignedLong.DOUBLE:
                    return Value(OperandType.DOUBLE, float(content))
                case UnsignedLong.EXACT:
                    return Value(OperandType.LONG, content)
                case UnsignedLong.WRAPPED:
                    return Value(OperandType.LONG, wrap(content, 64))
        case OperandType.FLOAT | OperandType.DOUBLE:
            assert isinstance(content, int | float | Decimal)
            number = float(content)
            if not types.special_doubles and not math.isfinite(number):
                return None
            return Value(operand_type, number)
        case OperandType.STRING if isinstance(content, UUID) and types.byte_text is ByteText.UUID:
            return Value(operand_type, str(content))
        case OperandType.STRING if isinstance(content, bytes | UUID):
            octets = content.bytes if isinstance(content, UUID) else content
            return Value(operand_type, octets.decode("utf-8", "surrogateescape"))
        case _:
            pass
    coerced = coerce(value)
    assert coerced is not None
    return Value(operand_type, coerced, origin)


def body_text(message: Message) -> str | None:
    """Return the text of the body: an amqp-value that is a string, or data as UTF-8; None if there is no such body."""
    body = message.body
    if body is None:
        return None
    if body.value is not None and isinstance(body.value.value, str):
        return body.value.value
    return body.data.decode("utf-8", "replace") if body.data is not None else None
