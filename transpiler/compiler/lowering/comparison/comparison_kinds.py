"""The kinds of comparison of two values, determined by their types and the dialect, and the predicate of each kind.

In IEEE 754, NaN is unequal to itself; Spark treats NaN as equal to itself and greater than every number.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import assert_never

from transpiler.base.comparison import Comparison
from transpiler.base.ieee754 import EXACT, float32
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BINARY, DOUBLE, STRING, SparkType
from transpiler.compiler.lowering.operands import DECIMAL, Alternative, complement
from transpiler.language.selector.dialect_rules import FloatOrder, NumericPromotion, Ordering
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType
from transpiler.message.types import TypeClass


class ComparisonKind(Enum):
    """The rule by which two values are compared, such as by 64-bit doubles or by UTF-16 code units."""

    #: The comparison is FALSE for every pair of values.
    NEVER = "never"
    #: The comparison is TRUE for every pair of values.
    ALWAYS = "always"
    THROWS = "throws"
    INTEGERS = "integers"
    #: Comparisons of numbers as 64-bit floating-point numbers. ``DOUBLES``: in the order of IEEE 754.
    #: ``TOTAL_DOUBLES``: in the order of Java's ``Double.compareTo``, in which NaN is greater than any number.
    DOUBLES = "doubles"
    TOTAL_DOUBLES = "doubles in total order"
    #: Comparisons of numbers as 32-bit floating-point numbers. ``FLOATS``: in the order of IEEE 754. ``TOTAL_FLOATS``:
    #: in the order of Java's ``Float.compareTo``.
    FLOATS = "floats"
    TOTAL_FLOATS = "floats in total order"
    #: The exact comparison of an integer with a double; the integer is not rounded to a double.
    EXACTLY = "exactly"
    #: Comparisons of strings. ``STRINGS``: by their UTF-8 bytes. ``UTF16_UNITS``: by their UTF-16 code units.
    STRINGS = "strings"
    UTF16_UNITS = "UTF-16 units"
    BOOLEANS = "booleans"
    #: Comparisons of Erlang atoms, which include true and false, by their names.
    ATOMS = "atoms"
    #: ``READ_LEFT``: the left value is a string, which is converted to the type of the right value. ``READ_RIGHT``: the
    #: right value is a string, which is converted to the type of the left value.
    READ_LEFT = "read left"
    READ_RIGHT = "read right"


#: The width of each integer type, in bits.
WIDTHS = {OperandType.BYTE: 8, OperandType.SHORT: 16, OperandType.INT: 32, OperandType.LONG: 64}
_NARROW = (OperandType.BYTE, OperandType.SHORT)
_TEXTS = (OperandType.STRING, OperandType.CHAR)
_CONDITIONS = (OperandType.BOOLEAN, OperandType.ATOM)


def widens_left(dialect: Dialect) -> bool:
    """Return True if ``dialect`` compares by the Java type of the left operand, as the ActiveMQ family does."""
    return dialect.numeric_promotion in (NumericPromotion.UPWARDS, NumericPromotion.UPWARDS_THROWING)


def comparison_kind(
    operator: Comparison, first: OperandType, second: OperandType, dialect: Dialect, convert: bool = False
) -> ComparisonKind:
    """Return how values of the types ``first`` and ``second`` are compared.

    If ``convert``, a string is converted to the type of the other value.
    """
    if OperandType.BYTES in (first, second) and widens_left(dialect):
        # Java compares byte arrays by identity, so two properties are never equal, even if they have the same bytes.
        # ``_Pairs`` handles the comparison of a property with itself.
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
    """Return the rank of the type ``kind`` in Erlang's order of terms."""
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
            throwing = dialect.numeric_promotion is NumericPromotion.UPWARDS_THROWING
            return ComparisonKind.THROWS if throwing else doubles
        if OperandType.DOUBLE not in (first, second) and not (first.integer and second.integer):
            return ComparisonKind.TOTAL_FLOATS if total else ComparisonKind.FLOATS
    if first.integer and second.integer:
        return ComparisonKind.INTEGERS
    if first.floating and second.floating:
        return doubles
    return ComparisonKind.EXACTLY if dialect.numeric_promotion is NumericPromotion.EXACT else doubles


def _converting(first: OperandType, second: OperandType, dialect: Dialect) -> ComparisonKind:
    other = second if first is OperandType.STRING else first
    if not (other.numeric or other is OperandType.BOOLEAN) or other is OperandType.BIG:
        return ComparisonKind.NEVER
    if first is OperandType.STRING:
        return ComparisonKind.READ_LEFT
    if first is OperandType.BOOLEAN and dialect.numeric_promotion is NumericPromotion.UPWARDS_THROWING:
        return ComparisonKind.THROWS
    return ComparisonKind.READ_RIGHT


def compare_as(
    kind: ComparisonKind, operator: Comparison, left: Alternative, right: Alternative, polarity: bool = True
) -> ir.Predicate:
    """Return the predicate that ``left operator right``, compared by the rule ``kind``, is TRUE.

    If ``polarity`` is False, return the predicate that the comparison is FALSE; ``kind`` must then be in
    ``COMPLEMENTED``. Both values must not be NULL.
    """
    first, second, own = left.value, right.value, operator if polarity else operator.negated
    match kind:
        case ComparisonKind.INTEGERS:
            return compare_integers(own, first, second)
        case ComparisonKind.STRINGS | ComparisonKind.BOOLEANS:
            return compare_values(operator, first, second, polarity)
        case ComparisonKind.DOUBLES:
            return compare_values(operator, to_double(first), to_double(second), polarity)
        case ComparisonKind.FLOATS:
            return compare_values(operator, to_float(first), to_float(second), polarity)
        case ComparisonKind.TOTAL_DOUBLES:
            return compare_to(own, to_double(first), to_double(second))
        case ComparisonKind.TOTAL_FLOATS:
            return compare_to(own, to_float(first), to_float(second))
        case ComparisonKind.EXACTLY:
            return _exactly(own, first, second)
        case ComparisonKind.UTF16_UNITS:
            # This is the order of Java's String.compareTo.
            return ir.Compare(own, *(ir.Apply(ir.Function.UTF16, (side,), BINARY) for side in (first, second)))
        case ComparisonKind.ATOMS:
            return ir.Compare(own, _atom_name(first), _atom_name(second))
        case ComparisonKind.ALWAYS:
            return ir.TRUE
        case ComparisonKind.NEVER | ComparisonKind.THROWS | ComparisonKind.READ_LEFT | ComparisonKind.READ_RIGHT:
            raise AssertionError(kind)
        case _:
            assert_never(kind)


def compare_integers(operator: Comparison, left: ir.Value, right: ir.Value) -> ir.Predicate:
    """Return the comparison of two integers, of 64 bits or of any size."""
    if DECIMAL in (left.type, right.type):
        left, right = to_decimal(left), to_decimal(right)
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
        return ir.BoolConst(ir.compare_constants(operator, left.value, right.value))
    return ir.Compare(operator, left, right)


def to_decimal(value: ir.Value) -> ir.Value:
    """Return an integer as a DECIMAL of 38 digits."""
    if value.type == DECIMAL:
        return value
    if isinstance(value, ir.Constant):
        return ir.Constant(value.value, DECIMAL)
    return ir.Apply(ir.Function.TO_DECIMAL, (value,), DECIMAL)


def to_float(value: ir.Value) -> ir.Value:
    """Return an integer as the nearest 32-bit floating-point number; return a float unchanged."""
    if value.type == DOUBLE:
        return value
    if isinstance(value, ir.Constant) and isinstance(value.value, int) and abs(value.value) <= EXACT:
        return ir.constant(float32(value.value))
    return ir.Apply(ir.Function.TO_FLOAT, (value,), DOUBLE)


def compare_to(operator: Comparison, left: ir.Value, right: ir.Value) -> ir.Predicate:
    """Return the comparison of Java's Double.compareTo, which differs from Spark's only for -0.0 and 0.0."""
    plain = ir.Compare(operator, left, right)
    if not (_zero(left) and _zero(right)) or not (_signed(left) or _signed(right)):
        return plain
    zeros = ir.all_of(
        ir.Compare(Comparison.EQ, left, ir.constant(0.0)), ir.Compare(Comparison.EQ, right, ir.constant(0.0))
    )
    # If both are zeros, compare the texts '-0.0' and '0.0', whose order is the order of the zeros in compareTo.
    by_sign = ir.Compare(operator, _sign(left), _sign(right))
    return ir.any_of(ir.all_of(plain, complement(zeros)), ir.all_of(zeros, by_sign))


def _zero(value: ir.Value) -> bool:
    """Return True if ``value`` can be zero."""
    return not isinstance(value, ir.Constant) or value.value == 0


def _signed(value: ir.Value) -> bool:
    """Return True if ``value`` can be -0.0."""
    if isinstance(value, ir.Constant):
        return str(value.value).startswith("-")
    if isinstance(value, ir.Apply) and value.function in (ir.Function.TO_DOUBLE, ir.Function.TO_FLOAT):
        return value.arguments[0].type.kind in (SparkType.FLOAT, SparkType.DOUBLE)
    return True


def _sign(value: ir.Value) -> ir.Value:
    if isinstance(value, ir.Constant):
        return ir.constant("-0.0" if str(value.value).startswith("-") else "0.0")
    return ir.Apply(ir.Function.SIGNED_TEXT, (value,), STRING)


def _exactly(operator: Comparison, left: ir.Value, right: ir.Value) -> ir.Predicate:
    """Return the exact comparison of an integer with a double.

    Compare both numbers as doubles, which keeps the order; if the doubles are equal, compare the numbers as integers.
    """
    if left.type == DOUBLE:
        return _exactly(operator.mirrored, right, left)
    whole, double = to_double(left), right
    if isinstance(left, ir.Constant) and isinstance(left.value, int) and abs(left.value) <= EXACT:
        return compare_values(operator, whole, double, True)
    if isinstance(right, ir.Constant):
        assert isinstance(right.value, float)
        if not right.value.is_integer() or abs(right.value) >= 10.0**37:
            # No integer equals this constant. Rounding the integer to a double cannot reverse the order, so a
            # comparison of doubles is exact here.
            return ir.Compare(operator, whole, double)
        number = int(right.value)
        inside = -(2**63) <= number < 2**63
        return compare_integers(operator, left, ir.Constant(number, BIGINT if inside else DECIMAL))
    exact = ir.Apply(ir.Function.EXACT_DECIMAL, (double,), DECIMAL)
    equal = ir.Compare(Comparison.EQ, whole, double)
    tie = ir.all_of(equal, ir.Compare(operator, to_decimal(left), exact))
    if operator is Comparison.EQ:
        return tie
    if operator is Comparison.NE:
        return ir.any_of(ir.Compare(operator, whole, double), tie)
    strict = Comparison.LT if operator in (Comparison.LT, Comparison.LE) else Comparison.GT
    return ir.any_of(ir.Compare(strict, whole, double), tie)


def _atom_name(side: ir.Value) -> ir.Value:
    """Return the name of ``side``, an Erlang atom; a boolean is the atom ``true`` or ``false``."""
    if side.type == STRING:
        return side
    if isinstance(side, ir.Constant):
        return ir.constant("true" if side.value else "false")
    return ir.Apply(ir.Function.JAVA_TEXT, (side,), STRING)


#: The kinds for which a comparison of values that are not NULL is FALSE exactly if the negated operator is TRUE.
COMPLEMENTED = frozenset(
    {
        ComparisonKind.INTEGERS,
        ComparisonKind.DOUBLES,
        ComparisonKind.TOTAL_DOUBLES,
        ComparisonKind.FLOATS,
        ComparisonKind.TOTAL_FLOATS,
        ComparisonKind.STRINGS,
        ComparisonKind.UTF16_UNITS,
        ComparisonKind.BOOLEANS,
        ComparisonKind.ATOMS,
    }
)


def to_double(value: ir.Value) -> ir.Value:
    """Return a number as a double, as Java promotes it."""
    if isinstance(value, ir.Constant) and not isinstance(value.value, str | bytes):
        return ir.constant(float(value.value))
    if value.type == DECIMAL or ir.type_class(value.type) is TypeClass.INTEGER:
        return ir.Apply(ir.Function.TO_DOUBLE, (value,), DOUBLE)
    return value


def compare_values(operator: Comparison, left: ir.Value, right: ir.Value, polarity: bool) -> ir.Predicate:
    """Return the predicate that ``left operator right`` is TRUE, or FALSE if ``polarity`` is False.

    The two values must be both numbers, both strings or both booleans, and not NULL.
    """
    if ir.type_class(left.type) is TypeClass.FLOATING or ir.type_class(right.type) is TypeClass.FLOATING:
        return _compare_doubles(operator, to_double(left), to_double(right), polarity)
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
        return ir.BoolConst(ir.compare_constants(operator, left.value, right.value) is polarity)
    return ir.Compare(operator if polarity else operator.negated, left, right)


def _compare_doubles(operator: Comparison, left: ir.Value, right: ir.Value, polarity: bool) -> ir.Predicate:
    # Brokers compare by IEEE 754, in which only <> holds for NaN. In Spark, NaN equals itself and is greater than every
    # number, so the predicate tests for NaN where a side can be NaN.
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
        return ir.BoolConst(ir.compare_constants(operator, left.value, right.value) is polarity)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ir.Constant) and isinstance(one.value, float) and math.isnan(one.value):
            holds = (operator is Comparison.NE) is polarity
            return ir.IsNull(other, negated=True) if holds else ir.FALSE
    if operator is Comparison.NE:
        operator, polarity = Comparison.EQ, not polarity
    if operator is Comparison.EQ:
        both = _can_be_nan(left) and _can_be_nan(right)
        if polarity:
            guard: ir.Predicate = ir.IsNan(left, negated=True) if both else ir.TRUE
            return ir.all_of(ir.Compare(Comparison.EQ, left, right), guard)
        unequal = ir.all_of(ir.IsNan(left), ir.IsNan(right)) if both else ir.FALSE
        return ir.any_of(ir.Compare(Comparison.NE, left, right), unequal)
    upper, lower = (right, left) if operator in (Comparison.LT, Comparison.LE) else (left, right)
    if polarity:
        guard = ir.IsNan(upper, negated=True) if _can_be_nan(upper) else ir.TRUE
        return ir.all_of(ir.Compare(operator, left, right), guard)
    below_nan = (
        ir.all_of(ir.IsNan(upper), ir.TRUE if isinstance(lower, ir.Constant) else ir.IsNull(lower, negated=True))
        if _can_be_nan(upper)
        else ir.FALSE
    )
    return ir.any_of(ir.Compare(operator.negated, left, right), below_nan)


def _can_be_nan(value: ir.Value) -> bool:
    match value:
        case ir.Constant():
            return False
        case ir.Apply(function=function) if function in (*_SUMS, ir.Function.DIVIDE):
            # The result can be NaN only if a value may be infinite: infinity minus infinity, infinity times zero.
            return _largest(value) > _FAR_FROM_INFINITE
        case ir.Apply(function=ir.Function.TO_DOUBLE, arguments=(inner,)):
            return inner.type.kind is SparkType.FLOAT
        case _:
            return not _is_from_json_or_number(value)


_SUMS = (ir.Function.ADD, ir.Function.SUBTRACT, ir.Function.MULTIPLY)
#: An upper bound for results of operations: if ``_largest`` is not above this bound, no result is infinite.
_FAR_FROM_INFINITE = 1e300


def _largest(value: ir.Value) -> float:
    """Return an upper bound for the absolute value of ``value``; infinity if ``value`` may be infinite or NaN."""
    match value:
        case ir.Constant(value=int() | float() as number):
            return abs(float(number)) if abs(number) < _FAR_FROM_INFINITE else math.inf
        case ir.Apply(function=ir.Function.TO_DOUBLE, arguments=(inner,)) if inner.type.kind is not SparkType.FLOAT:
            # ``inner`` is an integer or a DECIMAL. Spark's DECIMALs have at most 38 digits.
            return 1e38
        case ir.Apply(function=ir.Function.MULTIPLY, arguments=(left, right)):
            return _largest(left) * _largest(right)
        case ir.Apply(function=ir.Function.ADD | ir.Function.SUBTRACT, arguments=(left, right)):
            return _largest(left) + _largest(right)
        case ir.Apply(function=ir.Function.DIVIDE, arguments=(left, ir.Constant(value=int() | float() as divisor))):
            return _largest(left) / abs(divisor) if divisor else math.inf
        case _:
            return math.inf


def _is_from_json_or_number(value: ir.Value) -> bool:
    """Return True if ``value`` is a number from JSON or from the text of a number, which cannot be NaN."""
    match value:
        case ir.Apply(function=ir.Function.NUMBER_IN_TEXT):
            return True
        case ir.Apply(function=ir.Function.VARIANT_GET | ir.Function.CAST_VARIANT, arguments=(variant, *_)):
            return ir.is_parsed_json(variant)
        case _:
            return False
