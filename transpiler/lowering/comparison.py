"""Comparisons of operands: over all pairs of alternatives, with IEEE's NaN on an engine that orders NaN."""

from __future__ import annotations

import math

from transpiler import ir
from transpiler.layouts.columns import DOUBLE, SparkType
from transpiler.lowering.operands import Alternative, Operand
from transpiler.message.types import TypeClass
from transpiler.selector.ast import Comparison


def compare(operator: Comparison, left: Operand, right: Operand, wanted: bool) -> ir.Predicate:
    """Where the comparison is TRUE, or FALSE.

    It is unknown where an operand is NULL, and FALSE between values of unlike types, whatever the operator.
    """
    return compare_pairs(operator, left, right, comparable_pairs(operator, left, right), wanted)


_Pairs = list[tuple[Alternative, Alternative]]

#: By class, the classes that it can be equal to, and those that it has an order with: only numbers have one.
_LIKE = {first: {second for second in TypeClass if first.is_like(second)} for first in TypeClass}
_ORDERED = {first: {second for second in likes if first.numeric} for first, likes in _LIKE.items()}


def comparable_pairs(operator: Comparison, left: Operand, right: Operand) -> _Pairs:
    """The alternatives of two operands that are alike, and whose classes take the operator."""
    comparable = _LIKE if operator.is_equality else _ORDERED
    others = [(second, comparable[ir.CLASSES[second.value.type.kind]]) for second in right.alternatives]
    return [
        (first, second)
        for first in left.alternatives
        for second, classes in others
        if ir.CLASSES[first.value.type.kind] in classes
    ]


def compare_pairs(operator: Comparison, left: Operand, right: Operand, pairs: _Pairs, wanted: bool) -> ir.Predicate:
    """Where a comparison is TRUE, or FALSE, by the pairs of alternatives that can be compared."""
    if not wanted and len(pairs) < len(left.alternatives) * len(right.alternatives):
        return ir.all_of(left.present, right.present, not_true(compare_pairs(operator, left, right, pairs, True)))
    numbers = _as_one_number(operator, left, right, wanted)
    if numbers is not None:
        pairs = [pair for pair in pairs if not pair[0].type_class.numeric]
    return ir.any_of(
        *([] if numbers is None else [numbers]),
        *[
            ir.all_of(first.guard, second.guard, compare_values(operator, first.value, second.value, wanted))
            for first, second in pairs
        ],
    )


def _as_one_number(operator: Comparison, left: Operand, right: Operand, wanted: bool) -> ir.Predicate | None:
    """Numbers of either kind on both sides as two tests instead of four: as integers where both are, else as doubles.

    None where a side has one kind only.
    """
    if len(left.alternatives) < 2 or len(right.alternatives) < 2:
        return None
    sides = [(side.of(TypeClass.INTEGER), side.of(TypeClass.FLOATING)) for side in (left, right)]
    if any(len(kind) != 1 or kind[0].guard != ir.TRUE for side in sides for kind in side):
        return None
    integers = [whole[0].value for whole, _ in sides]
    doubles = [ir.Apply(ir.Function.FIRST, (part[0].value, to_double(whole[0].value)), DOUBLE) for whole, part in sides]
    tests = (compare_values(operator, first, second, wanted) for first, second in (integers, doubles))
    return ir.Coalesce(tuple(tests))


def not_true(predicate: ir.Predicate) -> ir.Predicate:
    """The complement of a predicate."""
    return ir.BoolConst(not predicate.value) if isinstance(predicate, ir.BoolConst) else ir.NotTrue(predicate)


def to_double(value: ir.Value) -> ir.Value:
    """A number as a double, by Java's promotion."""
    if isinstance(value, ir.Constant) and not isinstance(value.value, str):
        return ir.constant(float(value.value))
    if ir.type_class(value.type) is TypeClass.INTEGER:
        return ir.Apply(ir.Function.TO_DOUBLE, (value,), DOUBLE)
    return value


def compare_values(operator: Comparison, left: ir.Value, right: ir.Value, wanted: bool) -> ir.Predicate:
    """Where a comparison of two like values, both not NULL, is TRUE, or FALSE."""
    if ir.type_class(left.type) is TypeClass.FLOATING or ir.type_class(right.type) is TypeClass.FLOATING:
        return _compare_doubles(operator, to_double(left), to_double(right), wanted)
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
        return ir.BoolConst(ir.compare_constants(operator, left.value, right.value) is wanted)
    return ir.Compare(operator if wanted else operator.negated, left, right)


def _compare_doubles(operator: Comparison, left: ir.Value, right: ir.Value, wanted: bool) -> ir.Predicate:
    # To Spark NaN equals itself and is above every number; to IEEE nothing holds of it but <>.
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
        return ir.BoolConst(ir.compare_constants(operator, left.value, right.value) is wanted)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ir.Constant) and isinstance(one.value, float) and math.isnan(one.value):
            holds = (operator is Comparison.NE) is wanted
            return ir.IsNull(other, negated=True) if holds else ir.FALSE
    if operator is Comparison.NE:
        operator, wanted = Comparison.EQ, not wanted
    if operator is Comparison.EQ:
        both = _can_be_nan(left) and _can_be_nan(right)
        if wanted:
            guard: ir.Predicate = ir.IsNan(left, negated=True) if both else ir.BoolConst(True)
            return ir.all_of(ir.Compare(Comparison.EQ, left, right), guard)
        unequal = ir.all_of(ir.IsNan(left), ir.IsNan(right)) if both else ir.FALSE
        return ir.any_of(ir.Compare(Comparison.NE, left, right), unequal)
    upper, lower = (right, left) if operator in (Comparison.LT, Comparison.LE) else (left, right)
    if wanted:
        guard = ir.IsNan(upper, negated=True) if _can_be_nan(upper) else ir.BoolConst(True)
        return ir.all_of(ir.Compare(operator, left, right), guard)
    below_nan = (
        ir.all_of(
            ir.IsNan(upper), ir.BoolConst(True) if isinstance(lower, ir.Constant) else ir.IsNull(lower, negated=True)
        )
        if _can_be_nan(upper)
        else ir.FALSE
    )
    return ir.any_of(ir.Compare(operator.negated, left, right), below_nan)


def _can_be_nan(value: ir.Value) -> bool:
    if isinstance(value, ir.Constant):
        return False
    if isinstance(value, ir.Apply) and value.function is ir.Function.TO_DOUBLE:
        return value.arguments[0].type.kind is SparkType.FLOAT
    return True
