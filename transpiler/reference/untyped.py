"""Untyped strings: values from stores that do not keep types, converted by their use in a selector.

A string becomes the number that it spells if the selector needs a number, and a boolean if the selector needs a
boolean. A number is spelled like a literal of JMS, with an optional sign: digits with an optional point, and an
optional exponent. In a dialect without infinite numbers, a string that spells a number outside the range of doubles
stays a string.
"""

from __future__ import annotations

import math
import re

from transpiler.base.comparison import Comparison
from transpiler.language.selector.dialect_rules import Ordering
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType
from transpiler.message.types import UntypedText
from transpiler.reference.operands import LONG_MAX, LONG_MIN, Operand, Value

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]+")


def typed_by_use(value: Value, other: Value, dialect: Dialect) -> Value:
    """Return ``value``; a text whose original type is lost becomes a number or boolean if ``other`` is one."""
    if not isinstance(value.value, UntypedText) or isinstance(other.value, UntypedText):
        return value
    if other.numeric:
        return as_number(value, dialect.types.special_doubles) or value
    if other.type is OperandType.BOOLEAN:
        return as_boolean(value) or value
    return value


def compared_by_use(operator: Comparison, left: Value, right: Value, dialect: Dialect) -> tuple[Value, Value]:
    """Return the operands of a comparison, with texts whose original type is lost converted to the other's type.

    If both are such texts, they become numbers for <, <=, > and >=, unless the dialect also orders strings.
    """
    if isinstance(left.value, UntypedText) and isinstance(right.value, UntypedText):
        if operator.is_equality or dialect.ordering is not Ordering.FALSE:
            return left, right
        infinite = dialect.types.special_doubles
        return as_number(left, infinite) or left, as_number(right, infinite) or right
    return typed_by_use(left, right, dialect), typed_by_use(right, left, dialect)


def as_number(operand: Operand, infinite: bool) -> Operand:
    """Convert a text whose original type is lost to the number in it; return any other operand unchanged.

    A number beyond the range of doubles becomes an infinity if ``infinite`` is True; otherwise the text is returned.
    """
    if operand is None or not isinstance(operand.value, UntypedText) or not _NUMBER.fullmatch(operand.value):
        return operand
    text = str(operand.value)
    digits = text.lstrip("+-").lstrip("0")
    if _INTEGER.fullmatch(text) and len(digits) < 20 and LONG_MIN <= int(text) <= LONG_MAX:
        return Value(OperandType.LONG, int(text))
    double = float(text)
    if math.isinf(double) and not infinite:
        return operand
    return Value(OperandType.DOUBLE, double)


def as_boolean(operand: Operand) -> Operand:
    """Convert a text whose original type is lost to the boolean in it; return any other operand unchanged."""
    if operand is None or not isinstance(operand.value, UntypedText) or operand.value.lower() not in ("true", "false"):
        return operand
    return Value(OperandType.BOOLEAN, operand.value.lower() == "true")
