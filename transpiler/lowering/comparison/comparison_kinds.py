"""Kinds of comparison: those of two values, by their types and the dialect."""

from __future__ import annotations

from enum import Enum

from transpiler.message.operand_types import OperandType
from transpiler.selector.ast import Comparison
from transpiler.selector.dialect_rules import FloatOrder, NumericPromotion, Ordering
from transpiler.selector.dialects import Dialect


class ComparisonKind(Enum):
    """The comparison of a pair of values."""

    # There is one of each, and Enum's own hash is slow.
    __hash__ = object.__hash__

    #: FALSE for every pair of values.
    NEVER = "never"
    #: TRUE for every pair of values.
    ALWAYS = "always"
    THROWS = "throws"
    INTEGERS = "integers"
    #: As 64-bit numbers by IEEE 754, or by Java's compareTo.
    DOUBLES = "doubles"
    TOTAL_DOUBLES = "doubles in total order"
    #: As 32-bit numbers, likewise.
    FLOATS = "floats"
    TOTAL_FLOATS = "floats in total order"
    #: An integer with a double by their exact values.
    EXACTLY = "exactly"
    #: Strings by their bytes, and by UTF-16 units.
    STRINGS = "strings"
    UTF16_UNITS = "UTF-16 units"
    BOOLEANS = "booleans"
    #: Atoms, true and false among them, by their names.
    ATOMS = "atoms"
    #: A string is read as the type of the other side.
    READ_LEFT = "read left"
    READ_RIGHT = "read right"


#: Bits of the integers.
WIDTHS = {OperandType.BYTE: 8, OperandType.SHORT: 16, OperandType.INT: 32, OperandType.LONG: 64}
_NARROW = (OperandType.BYTE, OperandType.SHORT)
_TEXTS = (OperandType.STRING, OperandType.CHAR)
_CONDITIONS = (OperandType.BOOLEAN, OperandType.ATOM)


def widens_left(dialect: Dialect) -> bool:
    """Return True if the dialect has the comparisons of ActiveMQ's family, which go by the left operand's Java type."""
    return dialect.type_ladder in (NumericPromotion.UPWARDS, NumericPromotion.UPWARDS_THROWING)


def comparison_kind(
    operator: Comparison, first: OperandType, second: OperandType, dialect: Dialect, convert: bool = False
) -> ComparisonKind:
    """The comparison of values of two types; ``convert`` says that strings are read as the other side's type."""
    if OperandType.BYTES in (first, second) and widens_left(dialect):
        # Two properties are two arrays, never equal; the same property is told apart before.
        if not operator.is_equality:
            return ComparisonKind.THROWS
        return ComparisonKind.ALWAYS if operator is Comparison.NE and first is second else ComparisonKind.NEVER
    if first.numeric and second.numeric:
        return _numbers(first, second, dialect)
    if convert and first is not second and OperandType.STRING in (first, second):
        return _converting(first, second, dialect)
    ranks = _rank(first), _rank(second)
    if first is not second and not (ranks[0] == ranks[1] == 1):
        return _unlike(operator, ranks, dialect)
    if operator.is_equality or dialect.ordering is Ordering.TERMS:
        if OperandType.ATOM in (first, second):
            return ComparisonKind.ATOMS
        return ComparisonKind.BOOLEANS if first is OperandType.BOOLEAN else ComparisonKind.STRINGS
    if dialect.ordering is Ordering.FALSE or first not in (*_TEXTS, OperandType.BOOLEAN):
        return ComparisonKind.NEVER
    java = dialect.ordering is Ordering.COMPARE_TO
    if first is OperandType.BOOLEAN:
        return ComparisonKind.BOOLEANS if java else ComparisonKind.NEVER
    return ComparisonKind.UTF16_UNITS if java else ComparisonKind.STRINGS


def _rank(kind: OperandType) -> int:
    """The place in Erlang's order of all terms."""
    return 0 if kind.numeric else 1 if kind in _CONDITIONS else 2 if kind in _TEXTS else 3


def _unlike(operator: Comparison, ranks: tuple[int, int], dialect: Dialect) -> ComparisonKind:
    if operator.is_equality or dialect.ordering is not Ordering.TERMS or ranks[0] == ranks[1]:
        return ComparisonKind.NEVER
    above = operator in (Comparison.GT, Comparison.GE)
    return ComparisonKind.ALWAYS if (ranks[0] > ranks[1]) is above else ComparisonKind.NEVER


def _numbers(first: OperandType, second: OperandType, dialect: Dialect) -> ComparisonKind:
    total = dialect.float_order is FloatOrder.COMPARE_TO
    doubles = ComparisonKind.TOTAL_DOUBLES if total else ComparisonKind.DOUBLES
    if widens_left(dialect) and first is not second:
        if OperandType.BIG in (first, second):
            return ComparisonKind.NEVER
        if second in _NARROW and WIDTHS.get(first, 99) > WIDTHS[second]:
            return ComparisonKind.NEVER
        if (first, second) == (OperandType.DOUBLE, OperandType.FLOAT):
            throwing = dialect.type_ladder is NumericPromotion.UPWARDS_THROWING
            return ComparisonKind.THROWS if throwing else doubles
        if OperandType.DOUBLE not in (first, second) and not (first.integer and second.integer):
            return ComparisonKind.TOTAL_FLOATS if total else ComparisonKind.FLOATS
    if first.integer and second.integer:
        return ComparisonKind.INTEGERS
    if first.floating and second.floating:
        return doubles
    return ComparisonKind.EXACTLY if dialect.type_ladder is NumericPromotion.EXACT else doubles


def _converting(first: OperandType, second: OperandType, dialect: Dialect) -> ComparisonKind:
    other = second if first is OperandType.STRING else first
    if not (other.numeric or other is OperandType.BOOLEAN) or other is OperandType.BIG:
        return ComparisonKind.NEVER
    if first is OperandType.STRING:
        return ComparisonKind.READ_LEFT
    if first is OperandType.BOOLEAN and dialect.type_ladder is NumericPromotion.UPWARDS_THROWING:
        return ComparisonKind.THROWS
    return ComparisonKind.READ_RIGHT
