"""The pairs of alternatives that a comparison of two operands looks at: each side as it is beside the other side.

A text that has lost its type is a number beside a number, a boolean beside a boolean, and a text beside a text. In a
dialect that orders numbers only, two such texts are numbers on both sides of ``<``, ``>``, ``<=``, ``>=`` and BETWEEN.

An operand may be an integer in one row and a fraction in the next. Two such operands would have four comparisons of
numbers; they have two, of integers and of the doubles that are nearest to the numbers of either kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from transpiler.base.comparison import Comparison
from transpiler.base.ieee754 import EXACT
from transpiler.compiler import ir
from transpiler.compiler.lowering.comparison.comparison_kinds import widens_left
from transpiler.compiler.lowering.operands import Alternative, Operand, as_boolean, as_number, complement
from transpiler.language.selector.dialect_rules import FloatOrder, NumericPromotion, Ordering
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType

_Pair = tuple[Alternative, Alternative]


def alternatives_beside(operator: Comparison, left: Operand, right: Operand, dialect: Dialect) -> Iterator[_Pair]:
    """Yield each alternative of ``left`` with each of ``right``, as the two operands are beside each other."""
    orders_numbers = not operator.is_equality and dialect.ordering is Ordering.FALSE
    if left.by_use is not None and right.by_use is not None and orders_numbers:
        left, right = as_number(left), as_number(right)
    if (left.by_use is None) is (right.by_use is None):
        # Two operands of which each may be a text that has lost its type: as texts, and as the types that they have.
        yield from _typed(left, right, dialect)
        return
    for kind in (True, False, None):
        # A number beside numbers, a boolean beside booleans, and a text beside anything else.
        read = {True: as_number, False: as_boolean, None: _as_it_is}[kind]
        if right.by_use is None:
            yield from _typed(read(left), _of_kind(right, kind), dialect)
        else:
            yield from _typed(_of_kind(left, kind), read(right), dialect)


def _as_it_is(operand: Operand) -> Operand:
    return operand


def _of_kind(operand: Operand, kind: bool | None) -> Operand:
    """Return the operand with its numbers only if ``kind`` is True, its booleans if False, and the others if None."""
    kinds = {OperandType.BOOLEAN: False}
    items = tuple(
        item for item in operand.alternatives if (True if item.type.numeric else kinds.get(item.type)) is kind
    )
    return operand._replace(alternatives=items, nearest=operand.nearest if kind else (), by_use=None)


def _typed(left: Operand, right: Operand, dialect: Dialect) -> Iterator[_Pair]:
    """Yield the pairs of two operands whose alternatives have types."""
    left, right = _as_nearest(left, right, dialect), _as_nearest(right, left, dialect)
    if not (left.nearest or right.nearest) or not _are_doubles_together(dialect):
        yield from product(left.alternatives, right.alternatives)
        return
    first, second = _numbers(left.alternatives), _numbers(right.alternatives)
    whole = [item for item in first if item.type.integer], [item for item in second if item.type.integer]
    yield from product(*whole)
    both_whole = ir.all_of(*[ir.any_of(*[item.stands for item in side]) for side in whole])
    for one, other in product(left.nearest or first, right.nearest or second):
        if one.type.floating or other.type.floating:
            yield one._replace(guard=ir.all_of(one.guard, complement(both_whole)), stands_where=None), other
    for one, other in product(left.alternatives, right.alternatives):
        if not (one.type.numeric and other.type.numeric):
            yield one, other


def _numbers(items: Iterable[Alternative]) -> Sequence[Alternative]:
    return [item for item in items if item.type.numeric]


def _are_doubles_together(dialect: Dialect) -> bool:
    """Return True if numbers one of which is a double are compared as doubles, by the order of IEEE 754."""
    return dialect.float_order is FloatOrder.IEEE and dialect.numeric_promotion is NumericPromotion.PROMOTION


def _as_nearest(operand: Operand, other: Operand, dialect: Dialect) -> Operand:
    """Return the operand with its numbers as one double, if ``other`` is a small constant.

    The nearest double of any number compares with a constant below 2**53 as the number itself does.
    """
    if not operand.nearest or dialect.float_order is not FloatOrder.IEEE or widens_left(dialect):
        return operand
    if len(other.alternatives) != 1 or not isinstance(constant := other.alternatives[0].value, ir.Constant):
        return operand
    number = constant.value
    if isinstance(number, bool | str | bytes) or not abs(number) < EXACT:
        return operand
    others = tuple([item for item in operand.alternatives if not item.type.numeric])
    return operand._replace(alternatives=(*operand.nearest, *others), nearest=())
