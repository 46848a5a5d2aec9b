"""Arithmetic on operands: integers in 64 bits, doubles by IEEE 754, everything else missing."""

from __future__ import annotations

from transpiler import ir
from transpiler.layouts.columns import BIGINT, DOUBLE, SparkType
from transpiler.lowering.comparison import to_double
from transpiler.lowering.operands import Alternative, Operand, single
from transpiler.message.types import TypeClass
from transpiler.selector.ast import Arithmetic

_FUNCTIONS = {
    Arithmetic.ADD: ir.Function.ADD,
    Arithmetic.SUBTRACT: ir.Function.SUBTRACT,
    Arithmetic.MULTIPLY: ir.Function.MULTIPLY,
    Arithmetic.DIVIDE: ir.Function.DIVIDE,
}


def number(operand: Operand) -> Operand:
    """Apply a unary plus: the operand where it is a number; anything else is missing, as in all arithmetic."""
    if all(kind.numeric for kind in operand.classes):
        return operand
    return _operand([_integer(operand), _floating(operand)])


def negate(operand: Operand) -> Operand:
    """A unary minus; the least long has no negative in 64 bits."""
    values: list[ir.Value | None] = []
    for value in (_integer(operand), _floating(operand)):
        if isinstance(value, ir.Constant):
            assert isinstance(value.value, int | float)
            negative = -value.value if isinstance(value.value, float) else ir.in_64_bits(-value.value)
            values.append(None if negative is None else ir.constant(negative))
        elif value is not None:
            values.append(ir.Apply(ir.Function.NEGATE, (value,), value.type))
    return _operand(values)


def calculate(operator: Arithmetic, left: Operand, right: Operand) -> Operand:
    """A binary operation; integer with integer stays an integer, anything else is a double."""
    function = _FUNCTIONS[operator]
    integers = (_integer(left), _integer(right))
    floats = (_floating(left), _floating(right))
    whole = _apply(function, *integers)
    # The left side, which a chain of operations makes long, stands as a double in one place.
    sides = [value for value in (floats[1], _widened(integers[1])) if value is not None]
    right_number = single(tuple(map(Alternative, sides))) if sides else None
    pairs = ((floats[0], right_number), (_widened(integers[0]), floats[1]))
    doubles = [result for pair in pairs if (result := _apply(function, *pair)) is not None]
    double = single(tuple(map(Alternative, doubles))) if doubles else None
    return _operand([whole, double])


def _apply(function: ir.Function, left: ir.Value | None, right: ir.Value | None) -> ir.Value | None:
    if left is None or right is None:
        return None
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
        assert isinstance(left.value, int | float)
        assert isinstance(right.value, int | float)
        result = ir.calculate_constants(function, left.value, right.value)
        return None if result is None else ir.constant(result)
    return ir.Apply(function, (left, right), DOUBLE if left.type == DOUBLE else BIGINT)


def _integer(operand: Operand) -> ir.Value | None:
    found = operand.of(TypeClass.INTEGER)
    if not found:
        return None
    value = single(found)
    if isinstance(value, ir.Constant) or value.type.kind is SparkType.BIGINT:
        return value
    return ir.Apply(ir.Function.TO_LONG, (value,), BIGINT)


def _floating(operand: Operand) -> ir.Value | None:
    found = operand.of(TypeClass.FLOATING)
    return single(found) if found else None


def _widened(value: ir.Value | None) -> ir.Value | None:
    return None if value is None else to_double(value)


def _operand(values: list[ir.Value | None]) -> Operand:
    found = [value for value in values if value is not None]
    return Operand(
        tuple(Alternative(value) for value in found),
        ir.any_of(*(ir.IsNull(value, negated=True) for value in found)),
        ir.all_of(*(ir.IsNull(value) for value in found)),
    )
