"""Comparisons of operands: over all pairs of alternatives, with IEEE's NaN on an engine that orders NaN."""

from __future__ import annotations

import math

from transpiler.ir.constant_folding import compare_constants
from transpiler.ir.functions import Function
from transpiler.ir.nodes import (
    CLASSES,
    FALSE,
    TRUE,
    Apply,
    Compare,
    Constant,
    FirstKnown,
    IsNan,
    IsNull,
    NotTrue,
    Predicate,
    Truth,
    Value,
    all_of,
    any_of,
    constant,
    type_class,
)
from transpiler.layouts.columns import DOUBLE, Kind
from transpiler.lowering.operands import Alternative, Operand
from transpiler.message.types import TypeClass
from transpiler.selector.ast import Comparison


def compare(operator: Comparison, left: Operand, right: Operand, wanted: bool) -> Predicate:
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
    others = [(second, comparable[CLASSES[second.value.type.kind]]) for second in right.alternatives]
    return [
        (first, second)
        for first in left.alternatives
        for second, classes in others
        if CLASSES[first.value.type.kind] in classes
    ]


def compare_pairs(operator: Comparison, left: Operand, right: Operand, pairs: _Pairs, wanted: bool) -> Predicate:
    """Where a comparison is TRUE, or FALSE, by the pairs of alternatives that can be compared."""
    if not wanted and len(pairs) < len(left.alternatives) * len(right.alternatives):
        return all_of(left.present, right.present, not_true(compare_pairs(operator, left, right, pairs, True)))
    numbers = _as_one_number(operator, left, right, wanted)
    if numbers is not None:
        pairs = [pair for pair in pairs if not pair[0].type_class.numeric]
    return any_of(
        *([] if numbers is None else [numbers]),
        *[
            all_of(first.guard, second.guard, compare_values(operator, first.value, second.value, wanted))
            for first, second in pairs
        ],
    )


def _as_one_number(operator: Comparison, left: Operand, right: Operand, wanted: bool) -> Predicate | None:
    """Numbers of either kind on both sides as two tests instead of four: as integers where both are, else as doubles.

    None where a side has one kind only.
    """
    if len(left.alternatives) < 2 or len(right.alternatives) < 2:
        return None
    sides = [(side.of(TypeClass.INTEGER), side.of(TypeClass.FLOATING)) for side in (left, right)]
    if any(len(kind) != 1 or kind[0].guard != TRUE for side in sides for kind in side):
        return None
    integers = [whole[0].value for whole, _ in sides]
    doubles = [Apply(Function.FIRST, (part[0].value, to_double(whole[0].value)), DOUBLE) for whole, part in sides]
    tests = (compare_values(operator, first, second, wanted) for first, second in (integers, doubles))
    return FirstKnown(tuple(tests))


def not_true(predicate: Predicate) -> Predicate:
    """The complement of a predicate."""
    return Truth(not predicate.value) if isinstance(predicate, Truth) else NotTrue(predicate)


def to_double(value: Value) -> Value:
    """A number as a double, by Java's promotion."""
    if isinstance(value, Constant) and not isinstance(value.value, str):
        return constant(float(value.value))
    if type_class(value.type) is TypeClass.INTEGER:
        return Apply(Function.TO_DOUBLE, (value,), DOUBLE)
    return value


def compare_values(operator: Comparison, left: Value, right: Value, wanted: bool) -> Predicate:
    """Where a comparison of two like values, both not NULL, is TRUE, or FALSE."""
    if type_class(left.type) is TypeClass.FLOATING or type_class(right.type) is TypeClass.FLOATING:
        return _compare_doubles(operator, to_double(left), to_double(right), wanted)
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Truth(compare_constants(operator, left.value, right.value) is wanted)
    return Compare(operator if wanted else operator.negated, left, right)


def _compare_doubles(operator: Comparison, left: Value, right: Value, wanted: bool) -> Predicate:
    # To Spark NaN equals itself and is above every number; to IEEE nothing holds of it but <>.
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Truth(compare_constants(operator, left.value, right.value) is wanted)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Constant) and isinstance(one.value, float) and math.isnan(one.value):
            holds = (operator is Comparison.NE) is wanted
            return IsNull(other, negated=True) if holds else FALSE
    if operator is Comparison.NE:
        operator, wanted = Comparison.EQ, not wanted
    if operator is Comparison.EQ:
        both = _can_be_nan(left) and _can_be_nan(right)
        if wanted:
            guard: Predicate = IsNan(left, negated=True) if both else Truth(True)
            return all_of(Compare(Comparison.EQ, left, right), guard)
        unequal = all_of(IsNan(left), IsNan(right)) if both else FALSE
        return any_of(Compare(Comparison.NE, left, right), unequal)
    upper, lower = (right, left) if operator in (Comparison.LT, Comparison.LE) else (left, right)
    if wanted:
        guard = IsNan(upper, negated=True) if _can_be_nan(upper) else Truth(True)
        return all_of(Compare(operator, left, right), guard)
    below_nan = (
        all_of(IsNan(upper), Truth(True) if isinstance(lower, Constant) else IsNull(lower, negated=True))
        if _can_be_nan(upper)
        else FALSE
    )
    return any_of(Compare(operator.negated, left, right), below_nan)


def _can_be_nan(value: Value) -> bool:
    if isinstance(value, Constant):
        return False
    if isinstance(value, Apply) and value.function is Function.TO_DOUBLE:
        return value.arguments[0].type.kind is Kind.FLOAT
    return True
