"""solve_integer: a comparison of an integer calculation becomes a comparison of its one value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compiler.rewrites.nodes import N, column, compare, not_null
from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, ColumnType, SparkType
from transpiler.compiler.rewrites.solve_integer import solve_integer

BYTE = column("byte", ColumnType(SparkType.TINYINT))
LONG_BYTE = ir.Apply(ir.Function.TO_LONG, (BYTE,), BIGINT)
LARGEST = 2**63 - 1
ADD, SUBTRACT, MULTIPLY = ir.Function.ADD, ir.Function.SUBTRACT, ir.Function.MULTIPLY


def calculate(function: ir.Function, left: ir.Value | int, right: ir.Value | int) -> ir.Value:
    values = tuple(ir.constant(side) if isinstance(side, int) else side for side in (left, right))
    return ir.Apply(function, values, BIGINT)


REWRITTEN: dict[str, tuple[ir.Predicate, ir.Predicate]] = {
    "a sum": (compare(calculate(ADD, LONG_BYTE, 1), ">", 5), compare(BYTE, ">", 4)),
    "a difference with the value on the right": (
        compare(calculate(SUBTRACT, 1, LONG_BYTE), ">=", 5),
        compare(BYTE, "<=", -4),
    ),
    "a product that never equals the constant": (compare(calculate(MULTIPLY, LONG_BYTE, 2), "=", 5), ir.FALSE),
    "a product that always differs": (compare(calculate(MULTIPLY, LONG_BYTE, 2), "<>", 5), not_null(BYTE)),
    "a long from which a number is subtracted": (compare(calculate(SUBTRACT, N, 1), ">", 0), compare(N, ">", 1)),
    "a long that equals": (compare(calculate(ADD, N, 1), "=", 5), compare(N, "=", 4)),
    "a conversion": (compare(LONG_BYTE, ">", 5), compare(BYTE, ">", 5)),
    "a result that only an overflow would have": (compare(calculate(SUBTRACT, N, 1), "=", LARGEST), ir.FALSE),
}

KEPT: dict[str, ir.Predicate] = {
    "a long above a limit, whose largest value overflows": compare(calculate(ADD, N, 1), ">", 5),
    "a long that differs, whose largest value overflows": compare(calculate(ADD, N, 1), "<>", 5),
    "a calculation on two values": compare(calculate(ADD, N, LONG_BYTE), "=", 5),
    "a product with zero": compare(calculate(MULTIPLY, N, 0), "=", 0),
    "a long alone": compare(N, ">", 5),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_comparison_is_solved_for_its_value(before: ir.Predicate, after: ir.Predicate) -> None:
    assert solve_integer(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_any_other_comparison_is_unchanged(node: ir.Predicate) -> None:
    assert solve_integer(node) is node


def result(value: ir.Value, number: int) -> int | None:
    """Return what a calculation yields if its column is ``number``; None if a step overflows 64 bits."""
    match value:
        case ir.Constant(value=int() as constant):
            return constant
        case ir.Apply(function=ir.Function.TO_LONG) | ir.Column():
            return number
        case ir.Apply(function=ir.Function.NEGATE, arguments=(inner,)):
            return applied(SUBTRACT, 0, result(inner, number))
        case ir.Apply(function=function, arguments=(first, second)):
            return applied(function, result(first, number), result(second, number))
        case _:
            raise AssertionError(value)


def applied(function: ir.Function, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    found = left + right if function is ADD else left - right if function is SUBTRACT else left * right
    return found if -(2**63) <= found < 2**63 else None


def holds(node: ir.Predicate, number: int) -> bool:
    match node:
        case ir.BoolConst(value=value):
            return value
        case ir.IsNull(negated=True):
            return True
        case ir.Compare(operator=operator, left=left, right=ir.Constant(value=int() as bound)):
            found = result(left, number)
            return found is not None and ir.compare_constants(operator, found, bound)
        case _:
            raise AssertionError(node)


CONSTANTS = st.one_of(st.integers(-5, 5), st.sampled_from([2**31, 2**62, LARGEST, -(2**63), LARGEST - 1, 2**63 - 128]))


@st.composite
def calculations(draw: st.DrawFn) -> ir.Value:
    value: ir.Value = LONG_BYTE if draw(st.booleans()) else N
    for _ in range(draw(st.integers(1, 3))):
        function = draw(st.sampled_from([ADD, SUBTRACT, MULTIPLY, ir.Function.NEGATE]))
        if function is ir.Function.NEGATE:
            value = ir.Apply(function, (value,), BIGINT)
        else:
            number = draw(CONSTANTS)
            value = calculate(function, value, number) if draw(st.booleans()) else calculate(function, number, value)
    return value


@given(calculations(), st.sampled_from(Comparison), CONSTANTS, st.data())
def test_the_solved_comparison_holds_for_the_same_integers(
    value: ir.Value, operator: Comparison, bound: int, data: st.DataObject
) -> None:
    node = ir.Compare(operator, value, ir.constant(bound))
    solved = solve_integer(node)
    is_byte = BYTE in ir.descendants(value)
    ends = [-(2**63), LARGEST, *range(-6, 7), 2**62, -(2**62), 2**31]
    near = data.draw(st.lists(st.integers(-(2**63), LARGEST), max_size=3))
    for number in range(-128, 128) if is_byte else (*ends, *near, *(end + step for end in ends[:1] for step in (1, 2))):
        assert holds(solved, number) == holds(node, number), (node, solved, number)
