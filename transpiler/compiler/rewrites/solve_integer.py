"""Solve comparisons of an integer calculation with a constant for the only value that is not a constant.

The bare column is then compared with a constant, so that the comparison is pushed down to a file reader.
"""

from __future__ import annotations

from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, SparkType

_LEAST, _LARGEST = -(2**63), 2**63 - 1

#: For each integer type of fewer than 64 bits: the number of its integers that are not negative.
_NARROW = {SparkType.TINYINT: 2**7, SparkType.SMALLINT: 2**15, SparkType.INT: 2**31}


class _Line(NamedTuple):
    """The calculation ``factor * value + offset`` on an integer ``value``, where ``factor`` is not zero.

    ``low`` and ``high`` are the least and the largest ``value`` for which no step of the calculation overflows. The
    type of ``value`` has the range ``type_low`` to ``type_high``.
    """

    value: ir.Value
    factor: int
    offset: int
    low: int
    high: int
    type_low: int
    type_high: int

    def then(self, factor: int, offset: int) -> _Line | None:
        """Return this calculation followed by ``factor * … + offset``; None if the result is a constant."""
        product, added = self.factor * factor, self.offset * factor + offset
        if product == 0:
            return None
        # Solve _LEAST <= product * value + added <= _LARGEST for the integers ``value`` for which nothing overflows.
        ends = (_LEAST - added, _LARGEST - added)
        first, last = ends if product > 0 else (-ends[1], -ends[0])
        low, high = -(-first // abs(product)), last // abs(product)
        return self._replace(factor=product, offset=added, low=max(self.low, low), high=min(self.high, high))


def solve_integer(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``i + 1 > 5`` as ``i > 4``, unless ``i > 4`` holds for a value for which ``i + 1`` overflows."""
    match node:
        case ir.Compare(operator=operator, left=ir.Apply() as left, right=ir.Constant(value=int() as bound)) if (
            left.type == BIGINT and node.right.type == BIGINT
        ):
            line = _line(left)
            return node if line is None or line.value is left else _solved(line, operator, bound) or node
        case _:
            return node


def _line(value: ir.Value) -> _Line | None:
    """Return ``value`` as a calculation on one value; None if it has several values or is not 64-bit arithmetic."""
    match value:
        case ir.Apply(function=ir.Function.ADD, arguments=(inner, ir.Constant(value=int() as number))):
            return _after(inner, 1, number)
        case ir.Apply(function=ir.Function.ADD, arguments=(ir.Constant(value=int() as number), inner)):
            return _after(inner, 1, number)
        case ir.Apply(function=ir.Function.SUBTRACT, arguments=(inner, ir.Constant(value=int() as number))):
            return _after(inner, 1, -number)
        case ir.Apply(function=ir.Function.SUBTRACT, arguments=(ir.Constant(value=int() as number), inner)):
            return _after(inner, -1, number)
        case ir.Apply(function=ir.Function.MULTIPLY, arguments=(inner, ir.Constant(value=int() as number))):
            return _after(inner, number, 0)
        case ir.Apply(function=ir.Function.MULTIPLY, arguments=(ir.Constant(value=int() as number), inner)):
            return _after(inner, number, 0)
        case ir.Apply(function=ir.Function.NEGATE, arguments=(inner,)):
            return _after(inner, -1, 0)
        case ir.Apply(function=ir.Function.TO_LONG, arguments=(inner,)) if inner.type.kind in _NARROW:
            limit = _NARROW[inner.type.kind]
            return _Line(inner, 1, 0, -limit, limit - 1, -limit, limit - 1)
        case _:
            return _Line(value, 1, 0, _LEAST, _LARGEST, _LEAST, _LARGEST) if value.type == BIGINT else None


def _after(inner: ir.Value, factor: int, offset: int) -> _Line | None:
    line = _line(inner)
    return None if line is None else line.then(factor, offset)


def _solved(line: _Line, operator: Comparison, bound: int) -> ir.Predicate | None:
    """Solve ``factor * value + offset operator bound`` for the value in ``line``.

    Return None if the solution would hold for a value for which the calculation overflows.
    """
    if line.factor < 0:
        line = line._replace(factor=-line.factor, offset=-line.offset)
        operator, bound = operator.mirrored, -bound
    quotient, rest = divmod(bound - line.offset, line.factor)
    match operator:
        case Comparison.EQ | Comparison.NE if rest:
            if operator is Comparison.EQ:
                return ir.FALSE
            return _within(line, ir.IsNull(line.value, negated=True), line.type_low, line.type_high)
        case Comparison.EQ if not line.low <= quotient <= line.high:
            return ir.FALSE
        case Comparison.GE | Comparison.LT if rest:
            # No integer yields exactly ``bound``. The quotient was rounded down, so the smallest integer that yields
            # more is the next one.
            quotient += 1
        case _:
            pass
    test = ir.Compare(operator, line.value, ir.constant(quotient))
    match operator:
        case Comparison.EQ:
            return test
        case Comparison.GT | Comparison.GE:
            return _within(line, test, max(quotient, line.type_low), line.type_high)
        case Comparison.LT | Comparison.LE:
            return _within(line, test, line.type_low, min(quotient, line.type_high))
        case _:
            return _within(line, test, line.type_low, line.type_high)


def _within(line: _Line, test: ir.Predicate, low: int, high: int) -> ir.Predicate | None:
    """Return ``test`` if it is a valid solution, and otherwise None.

    ``test`` holds only for values from ``low`` to ``high``. It is valid if the calculation ``line`` overflows for none
    of these values, and if the constant of ``test`` fits in 64 bits.
    """
    if isinstance(test, ir.Compare) and isinstance(test.right, ir.Constant):
        number = test.right.value
        if not (isinstance(number, int) and _LEAST <= number <= _LARGEST):
            return None
    return test if line.low <= low and high <= line.high else None
