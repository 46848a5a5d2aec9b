"""The numbers of an operand, and the numeric results of an operation by a dialect's rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE
from transpiler.compiler.ir.constant_folding import wrapped
from transpiler.compiler.lowering.comparison.comparison_kinds import to_decimal, to_double
from transpiler.compiler.lowering.operands import DECIMAL, Alternative, Operand, complement, one_value
from transpiler.language.selector.ast import Arithmetic
from transpiler.language.selector.dialect_rules import Division, IntegerArithmetic, Remainder
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType

_INTS = (OperandType.BYTE, OperandType.SHORT, OperandType.INT, OperandType.BIG)
_FLOATS = (OperandType.FLOAT, OperandType.DOUBLE)
WHOLE = (*_INTS, OperandType.LONG)
NUMBERS = (*WHOLE, *_FLOATS)

#: The IR function for each operator on integers. The four dictionaries differ in what happens on an overflow:
#: ``_CHECKED`` returns NULL, ``_WRAPPED_LONG`` and ``_WRAPPED_INT`` wrap around, ``_BIG`` returns the exact DECIMAL.
_CHECKED = {
    Arithmetic.ADD: ir.Function.ADD,
    Arithmetic.SUBTRACT: ir.Function.SUBTRACT,
    Arithmetic.MULTIPLY: ir.Function.MULTIPLY,
    Arithmetic.DIVIDE: ir.Function.DIVIDE,
}
_WRAPPED_LONG = {
    Arithmetic.ADD: ir.Function.ADD_LONG,
    Arithmetic.SUBTRACT: ir.Function.SUBTRACT_LONG,
    Arithmetic.MULTIPLY: ir.Function.MULTIPLY_LONG,
}
_WRAPPED_INT = {
    Arithmetic.ADD: ir.Function.ADD_INT,
    Arithmetic.SUBTRACT: ir.Function.SUBTRACT_INT,
    Arithmetic.MULTIPLY: ir.Function.MULTIPLY_INT,
}
_BIG = {
    Arithmetic.ADD: ir.Function.ADD_BIG,
    Arithmetic.SUBTRACT: ir.Function.SUBTRACT_BIG,
    Arithmetic.MULTIPLY: ir.Function.MULTIPLY_BIG,
}
#: The functions that are evaluated at compile time if both operands are constants.
_FOLDED = frozenset(_CHECKED.values())
#: The identity element of each function, for integers.
_IDENTITIES = {ir.Function.ADD: 0, ir.Function.MULTIPLY: 1}


class Numbers:
    """The numbers that ``operand`` can be, read as a single SQL value of one type: integer, double or DECIMAL.

    Each method that returns a value converts the numbers of certain types. The value is NULL in rows in which the
    operand is of another type.
    """

    def __init__(self, operand: Operand) -> None:
        self.operand = operand

    def where(self, types: Sequence[OperandType]) -> ir.Predicate:
        """Return the predicate that the operand has one of ``types``."""
        return self.operand.where(types) if self.operand.of(*types) else ir.FALSE

    def integer(self, types: Sequence[OperandType] = WHOLE, bits: int = 64) -> ir.Value | None:
        """Return the integers of ``types`` as 64-bit values; None if the operand never is such an integer.

        A literal beyond 64 bits is truncated to its low ``bits`` bits.
        """
        value = self._one_value(types, lambda item: _cut(item, bits))
        if value is None or isinstance(value, ir.Constant) or value.type == BIGINT:
            return value
        return ir.Apply(ir.Function.TO_LONG, (value,), BIGINT)

    def decimal(self) -> ir.Value | None:
        """Return the integers as DECIMALs, of any size; None if the operand never is an integer."""
        return self._one_value(WHOLE, lambda item: to_decimal(item.value))

    def floating(self) -> ir.Value | None:
        """Return the floating-point numbers; None if the operand never is a floating-point number."""
        return self._one_value(_FLOATS, None)

    def widened(self) -> ir.Value | None:
        """Return the integers as doubles; None if the operand never is an integer."""
        value = self._one_value(WHOLE, _approximate)
        return None if value is None else to_double(value)

    def double(self) -> ir.Value | None:
        """Return all numbers as doubles; None if the operand never is a number."""
        if self.operand.nearest:
            return to_double(one_value(self.operand.nearest, self.operand, lambda item: to_double(item.value)))
        values = [value for value in (self.floating(), self.widened()) if value is not None]
        return ir.first_of(values, DOUBLE) if values else None

    def by_width(self, dialect: Dialect) -> Iterator[Alternative]:
        """Yield one alternative for each type of number, such as int and long, if ``dialect`` computes as Java does.

        In other dialects the width of a number does not change results. So yield one alternative for all integers, and
        one for all floating-point numbers.
        """
        groups: dict[OperandType, list[Alternative]] = {}
        for item in self.operand.of(*NUMBERS):
            kind = item.type
            if not is_java(dialect):
                kind = OperandType.LONG if kind.integer else OperandType.DOUBLE
            groups.setdefault(kind, []).append(item)
        for kind, items in groups.items():
            if len(items) == 1:
                yield items[0]._replace(type=kind)
            else:
                where = self.operand.where({item.type for item in items})
                yield Alternative(kind, one_value(items, self.operand), applies_where=where)

    def _one_value(
        self, types: Sequence[OperandType], convert: Callable[[Alternative], ir.Value] | None
    ) -> ir.Value | None:
        items = self.operand.of(*types)
        return one_value(items, self.operand, convert) if items else None


def _cut(item: Alternative, bits: int) -> ir.Value:
    return item.value if item.number is None else ir.constant(wrapped(item.number, bits))


def _approximate(item: Alternative) -> ir.Value:
    return item.value if item.number is None else ir.constant(float(item.number))


def is_java(dialect: Dialect) -> bool:
    """Return True if ``dialect`` computes with Java's types, so that integers have 32 or 64 bits."""
    return dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT


def yields_doubles(operator: Arithmetic, dialect: Dialect) -> bool:
    """Return True if the result of ``operator`` for two integers is a double."""
    if operator is Arithmetic.REMAINDER:
        return dialect.remainder is Remainder.DOUBLE
    return operator is Arithmetic.DIVIDE and dialect.division not in (
        Division.TRUNCATING,
        Division.TRUNCATING_THROWING,
    )


def is_zero(numbers: Numbers) -> ir.Predicate:
    """Return the predicate that the operand of ``numbers`` is a number and is zero."""
    tests = []
    for item in numbers.operand.of(*NUMBERS):
        if isinstance(item.value, ir.Constant):
            tests.append(item.guard if item.value.value == 0 else ir.FALSE)
        else:
            zero = ir.constant(0.0 if item.type.floating else 0)
            tests.append(ir.all_of(item.guard, ir.Compare(Comparison.EQ, item.value, zero)))
    return ir.any_of(*tests)


def results_of(operator: Arithmetic, left: Numbers, right: Numbers, dialect: Dialect) -> list[Alternative]:
    """Return the results of an operation on numbers, one alternative for each type of result.

    Each result is NULL in rows in which the operands do not have the types that yield it.
    """
    if yields_doubles(operator, dialect):
        results = _quotients(operator, left, right, dialect)
    else:
        results = _integers(operator, left, right, dialect)
        if operator is not Arithmetic.REMAINDER:
            results += _doubles(operator, left, right, dialect)
    return [_with_lifted_guards(item) for item in results]


#: Functions whose result is NULL if an argument is NULL.
_STRICT = frozenset(
    (*_CHECKED.values(), *_WRAPPED_LONG.values(), *_WRAPPED_INT.values(), *_BIG.values(), ir.Function.TRY_DIVIDE)
)


def _with_lifted_guards(item: Alternative) -> Alternative:
    """Move the conditions of CASE expressions in the value of ``item`` to its guard.

    The value ``CASE WHEN g THEN a END * 2`` becomes ``a * 2``, and ``g`` is added to the guard. Only conditions that
    test the type of a text or VARIANT are moved.
    """
    if not isinstance(item.value, ir.Apply) or item.value.function not in _STRICT:
        return item
    guards: list[ir.Predicate] = []
    values: list[ir.Value] = []
    for side in item.value.arguments:
        if isinstance(side, ir.When) and _tests_type(side.condition):
            guards.append(side.condition)
            values.append(side.value)
        else:
            values.append(side)
    return item._replace(value=replace(item.value, arguments=tuple(values)), guard=ir.all_of(item.guard, *guards))


def _tests_type(guard: ir.Predicate) -> bool:
    terms = guard.terms if isinstance(guard, ir.And) else (guard,)
    return any(ir.tested_value(term) is not None for term in terms)


def _integers(operator: Arithmetic, left: Numbers, right: Numbers, dialect: Dialect) -> list[Alternative]:
    """Return the results for two integers, in the integer type of the dialect.

    The type has 64 bits, or 32 bits for two ints in Java's arithmetic, or up to 38 digits for RabbitMQ's big integers.
    """
    applies = ir.all_of(left.where(WHOLE), right.where(WHOLE))
    if applies == ir.FALSE:
        return []
    if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM:
        function = ir.Function.REMAINDER_BIG if operator is Arithmetic.REMAINDER else _BIG[operator]
        return _result(OperandType.LONG, function, left.decimal(), right.decimal(), applies)
    if operator is Arithmetic.REMAINDER:
        return _result(OperandType.LONG, ir.Function.REMAINDER_BIG, left.integer(), right.integer(), applies)
    if operator is Arithmetic.DIVIDE:
        return _result(OperandType.LONG, ir.Function.DIVIDE, left.integer(), right.integer(), applies)
    if not is_java(dialect):
        functions = _CHECKED if dialect.integer_arithmetic is IntegerArithmetic.LONG else _WRAPPED_LONG
        return _result(OperandType.LONG, functions[operator], left.integer(), right.integer(), applies)
    narrow = ir.all_of(left.where(_INTS), right.where(_INTS))
    results = []
    if narrow != ir.FALSE:
        sides = left.integer(_INTS, 32), right.integer(_INTS, 32)
        results = _result(OperandType.INT, _WRAPPED_INT[operator], *sides, narrow)
    wide = ir.any_of(left.where([OperandType.LONG]), right.where([OperandType.LONG]))
    if wide != ir.FALSE:
        always = any(not side.operand.of(*_INTS) for side in (left, right))
        guard = ir.TRUE if always else wide
        applies = ir.all_of(applies, guard)
        results += _result(OperandType.LONG, _WRAPPED_LONG[operator], left.integer(), right.integer(), applies, guard)
    return results


def _result(
    kind: OperandType,
    function: ir.Function,
    left: ir.Value | None,
    right: ir.Value | None,
    applies: ir.Predicate,
    guard: ir.Predicate = ir.TRUE,
) -> list[Alternative]:
    """Return a list with ``function(left, right)`` as an alternative of the type ``kind``.

    Return an empty list if ``left`` or ``right`` is None, or if both are constants whose result overflows.
    """
    value = None if left is None or right is None else _apply(function, left, right)
    return [] if value is None else [Alternative(kind, value, guard, applies_where=applies)]


def _apply(function: ir.Function, left: ir.Value, right: ir.Value) -> ir.Value | None:
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant) and function in _FOLDED:
        assert isinstance(left.value, int | float)
        assert isinstance(right.value, int | float)
        result = ir.calculate_constants(function, left.value, right.value)
        return None if result is None else ir.constant(result)
    types = (left.type, right.type)
    if types == (BIGINT, BIGINT) and function in _IDENTITIES:
        # Leave out an addition of 0 and a multiplication by 1. Spark's optimizer would otherwise remove them later, and
        # then merge and reorder the operations around them, which changes when they overflow.
        identity = ir.constant(_IDENTITIES[function])
        if identity in (left, right):
            return right if left == identity else left
    return ir.Apply(function, (left, right), DOUBLE if DOUBLE in types else DECIMAL if DECIMAL in types else BIGINT)


def _doubles(operator: Arithmetic, left: Numbers, right: Numbers, dialect: Dialect) -> list[Alternative]:
    """Return the results for two doubles, or for a double and an integer, as a list of at most one alternative.

    If an operand has ``Operand.nearest``, which is one double for its integers and fractions, the result is computed
    from that double, except in rows in which both operands are integers. If the other operand is always an integer,
    the result is computed from the fractions alone, which is shorter.
    """
    if (left.operand.nearest or right.operand.nearest) and left.operand.of(*_FLOATS) and right.operand.of(*_FLOATS):
        return _nearest_doubles(operator, left, right)
    values = [
        value
        for sides in ((left.floating(), right.double()), (left.widened(), right.floating()))
        if sides[0] is not None and sides[1] is not None
        if (value := _apply(_CHECKED[operator], sides[0], sides[1])) is not None
    ]
    if not values:
        return []
    if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM and _may_overflow(operator, left, right):
        values = [ir.Apply(ir.Function.FINITE, (value,), DOUBLE) for value in values]
    floating = ir.any_of(left.where(_FLOATS), right.where(_FLOATS))
    applies = ir.all_of(left.where(NUMBERS), right.where(NUMBERS), floating)
    return [Alternative(OperandType.DOUBLE, ir.first_of(values, DOUBLE), applies_where=applies)]


def _nearest_doubles(operator: Arithmetic, left: Numbers, right: Numbers) -> list[Alternative]:
    first, second = left.double(), right.double()
    value = None if first is None or second is None else _apply(_CHECKED[operator], first, second)
    if value is None:
        return []
    return [Alternative(OperandType.DOUBLE, value, complement(ir.all_of(left.where(WHOLE), right.where(WHOLE))))]


def _may_overflow(operator: Arithmetic, left: Numbers, right: Numbers) -> bool:
    """Return True if the result of ``operator`` for two finite numbers can be infinite.

    The answer is an estimate: it is True unless the constants among the operands are small enough.
    """
    small, unit = 1e290, 1.0

    def bound(numbers: Numbers) -> float:
        values = [item.value for item in numbers.operand.of(*NUMBERS)]
        return max(
            abs(float(value.value))
            if isinstance(value, ir.Constant) and not isinstance(value.value, str)
            else math.inf
            if value.type == DOUBLE
            else 1e38
            for value in values
        )

    match operator:
        case Arithmetic.ADD | Arithmetic.SUBTRACT:
            return min(bound(left), bound(right)) > small
        case Arithmetic.MULTIPLY:
            return min(bound(left), bound(right)) > unit and max(bound(left), bound(right)) > 1e200
        case _:
            divisors = [item.value for item in right.operand.of(*_FLOATS)]
            return not all(
                isinstance(value, ir.Constant) and isinstance(value.value, float) and abs(value.value) >= unit
                for value in divisors
            )


def _quotients(operator: Arithmetic, left: Numbers, right: Numbers, dialect: Dialect) -> list[Alternative]:
    """Return the results of a division or remainder of doubles."""
    dividend, divisor = left.double(), right.double()
    if dividend is None or divisor is None:
        return []
    both = ir.all_of(left.where(NUMBERS), right.where(NUMBERS))
    if operator is Arithmetic.REMAINDER:
        return _result(OperandType.DOUBLE, ir.Function.REMAINDER_DOUBLE, dividend, divisor, both)
    by_zero = dialect.division in (Division.BY_ZERO_UNKNOWN, Division.BY_ZERO_ATOMS)
    function = ir.Function.TRY_DIVIDE if by_zero else ir.Function.DIVIDE
    value: ir.Value = ir.Apply(function, (dividend, divisor), DOUBLE)
    if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM and _may_overflow(operator, left, right):
        value = ir.Apply(ir.Function.FINITE, (value,), DOUBLE)
    zero = is_zero(right) if by_zero else ir.FALSE
    quotient = Alternative(OperandType.DOUBLE, value, applies_where=ir.all_of(both, complement(zero)))
    if dialect.division is not Division.BY_ZERO_ATOMS or zero == ir.FALSE:
        return [quotient]
    where = ir.all_of(both, zero)
    above, below = (ir.Compare(operator, dividend, ir.constant(0.0)) for operator in (Comparison.GT, Comparison.LT))
    neither = ir.any_of(ir.Compare(Comparison.EQ, dividend, ir.constant(0.0)), ir.IsNan(dividend))
    return [
        quotient,
        atom("plus_infinity", ir.all_of(where, above, ir.IsNan(dividend, negated=True))),
        atom("minus_infinity", ir.all_of(where, below)),
        atom("nan", ir.all_of(where, neither)),
    ]


def atom(name: str, guard: ir.Predicate) -> Alternative:
    """Return the Erlang atom ``name`` as an alternative that applies if ``guard`` holds."""
    return Alternative(OperandType.ATOM, ir.constant(name), guard)
