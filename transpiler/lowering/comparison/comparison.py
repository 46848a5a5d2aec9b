"""Comparison of two operands: pair by pair of alternatives, gathered by how the pair compares.

A pair compares in one of a few kinds, or never holds, or ends in an error. Pairs that compare the same two values in
the same way differ only in their guards, so they become one comparison under the union of their types.
"""

from __future__ import annotations

from collections.abc import Sequence

from transpiler import ir
from transpiler.ieee754 import EXACT
from transpiler.lowering.comparison.comparison_kinds import ComparisonKind, comparison_kind, widens_left
from transpiler.lowering.comparison.comparison_predicates import COMPLEMENTED, compare_as
from transpiler.lowering.operands import Alternative, Operand, complement, guard_of, typed_by_use
from transpiler.lowering.outcomes import Outcomes
from transpiler.message.operand_types import OperandType
from transpiler.selector.ast import Comparison
from transpiler.selector.dialect_rules import FloatOrder, NullEquality, NumericPromotion, UnlikeTypes
from transpiler.selector.dialects import Dialect

_Pair = tuple[Alternative, Alternative]


def compare(operator: Comparison, left: Operand, right: Operand, dialect: Dialect, convert: bool = False) -> Outcomes:
    """Return the outcomes of a comparison; ``convert`` reads a string as the type of the other side."""
    left, right = typed_by_use(left, right), typed_by_use(right, left)
    left, right = _as_nearest(left, right, dialect), _as_nearest(right, left, dialect)
    if operator is Comparison.NE and dialect.unlike_types is UnlikeTypes.NOT_EQUAL:
        # <> is NOT of =.
        return _Pairs(Comparison.EQ, left, right, dialect, convert).outcomes().negated()
    return _Pairs(operator, left, right, dialect, convert).outcomes()


def equals(left: Operand, right: Operand, dialect: Dialect) -> ir.Predicate:
    """Return the rows where Java's ``equals`` holds: both have values of one type, which are equal."""
    left, right = typed_by_use(left, right), typed_by_use(right, left)
    return _Pairs(Comparison.EQ, left, right, dialect, False, one_type=True).holding()


def _as_nearest(operand: Operand, other: Operand, dialect: Dialect) -> Operand:
    """The operand with its numbers as one double, where it is compared with a small constant and that is the same.

    Beside a constant below 2**53 the nearest double of any number compares as the number itself.
    """
    if operand.nearest is None or dialect.float_order is not FloatOrder.IEEE or widens_left(dialect):
        return operand
    if len(other.alternatives) != 1 or not isinstance(constant := other.alternatives[0].value, ir.Constant):
        return operand
    number = constant.value
    if isinstance(number, bool | str | bytes) or not abs(number) < EXACT:
        return operand
    others = tuple([item for item in operand.alternatives if not item.type.numeric])
    return operand._replace(alternatives=(operand.nearest, *others), nearest=None)


class _Pairs:
    """A comparison of two operands, by all pairs of their alternatives."""

    __slots__ = ("_dialect", "_kinds", "_left", "_operator", "_pairs_hold", "_pairs_throw", "_right", "_same_array")

    def __init__(
        self,
        operator: Comparison,
        left: Operand,
        right: Operand,
        dialect: Dialect,
        convert: bool,
        one_type: bool = False,
    ) -> None:
        self._operator = operator
        self._left = left
        self._right = right
        self._dialect = dialect
        #: To Java an array of bytes equals itself alone, so the same property of the same message.
        self._same_array = widens_left(dialect) and bool(left.origin) and left.origin == right.origin
        self._kinds: list[tuple[ComparisonKind, Alternative, Alternative]] = [
            (kind, first, second)
            for first in left.alternatives
            for second in right.alternatives
            if (kind := comparison_kind(operator, first.type, second.type, dialect, convert))
            is not ComparisonKind.NEVER
            and not (one_type and first.type is not second.type)
            and not (self._same_array and operator.is_equality and first.type is OperandType.BYTES)
        ]
        self._pairs_hold: ir.Predicate | None = None
        self._pairs_throw: ir.Predicate | None = None

    def outcomes(self) -> Outcomes:
        """Return the outcomes of the comparison, each lowered when it is asked for."""
        return Outcomes(self._true, self._false, self._error)

    def _true(self) -> ir.Predicate:
        """The rows where a pair holds, or, in some dialects, NULL is equal or unequal."""
        equal = self._operator is Comparison.EQ
        return ir.any_of(self.holding(), self._nulls_are_equal() if equal else self._nulls_are_unequal())

    def _false(self) -> ir.Predicate:
        """The rows where both operands have values and no pair holds or throws, or, in some dialects, by NULL."""
        equal = self._operator is Comparison.EQ
        return ir.any_of(self._not_holding(), self._nulls_are_unequal() if equal else self._nulls_are_equal())

    def _error(self) -> ir.Predicate:
        """The rows where an operand throws that is evaluated, or a pair throws."""
        error = ir.any_of(self._operands_throw(), self._throwing())
        if widens_left(self._dialect) and not self._operator.is_equality and self._left.of(OperandType.BYTES):
            # Java casts the left side before it looks at the right one.
            error = ir.any_of(error, self._left.where([OperandType.BYTES]))
        return error

    def _nulls_compare(self) -> bool:
        return self._operator.is_equality and self._dialect.null_equality is not NullEquality.UNKNOWN

    def _nulls_are_equal(self) -> ir.Predicate:
        return ir.all_of(self._left.absent, self._right.absent) if self._nulls_compare() else ir.FALSE

    def _nulls_are_unequal(self) -> ir.Predicate:
        if not self._nulls_compare():
            return ir.FALSE
        unequal = ir.all_of(self._left.present, self._right.absent)
        if self._dialect.null_equality is NullEquality.FALSE:
            unequal = ir.any_of(unequal, ir.all_of(self._left.absent, self._right.present))
        return unequal

    def _operands_throw(self) -> ir.Predicate:
        """The rows where an operand throws: the right one, if NULL on the left does not end the comparison."""
        left, right = self._left, self._right
        ends = self._dialect.type_ladder is not NumericPromotion.EXACT
        if self._operator.is_equality and (widens_left(self._dialect) or self._nulls_compare()):
            ends = False
        return ir.any_of(left.error, ir.all_of(left.present, right.error) if ends else right.error)

    def holding(self) -> ir.Predicate:
        """The rows where a pair of alternatives makes the comparison TRUE."""
        if self._pairs_hold is None:
            is_itself = self._same_array and self._operator is Comparison.EQ and self._left.of(OperandType.BYTES)
            terms = [self._left.where([OperandType.BYTES])] if is_itself else []
            self._pairs_hold = ir.any_of(*terms, *self._of_pairs(True))
        return self._pairs_hold

    def _of_pairs(self, polarity: bool) -> list[ir.Predicate]:
        """For each kind of comparison of two values, where it is TRUE, or FALSE."""
        compared = [
            (kind, first, second, compare_as(kind, self._operator, first, second, polarity))
            for kind, first, second in self._kinds
            if kind is not ComparisonKind.THROWS
        ]
        if len(compared) == 1:
            [(kind, first, second, predicate)] = compared
            return [self._of_group(kind, predicate, [(first, second)])]
        groups: dict[tuple[ComparisonKind, ir.Value, ir.Value, ir.Predicate], list[_Pair]] = {}
        for kind, first, second, predicate in compared:
            groups.setdefault((kind, first.value, second.value, predicate), []).append((first, second))
        return [self._of_group(kind, predicate, pairs) for (kind, _, _, predicate), pairs in groups.items()]

    def _of_group(self, kind: ComparisonKind, predicate: ir.Predicate, pairs: list[_Pair]) -> ir.Predicate:
        """Guard the comparison of two values by the union of the guards of the pairs that compare them."""
        stands = [_both_stand(pairs)] if kind is ComparisonKind.ALWAYS else []
        return ir.all_of(*self._guards(pairs), predicate, *stands)

    def _throwing(self) -> ir.Predicate:
        """The rows where a pair of alternatives throws."""
        if self._pairs_throw is None:
            pairs = [(first, second) for kind, first, second in self._kinds if kind is ComparisonKind.THROWS]
            self._pairs_throw = _both_stand(pairs)
        return self._pairs_throw

    def _not_holding(self) -> ir.Predicate:
        left, right = self._left, self._right
        every = len(left.alternatives) * len(right.alternatives)
        if len(self._kinds) == every and all(kind in COMPLEMENTED for kind, _, _ in self._kinds):
            # No value of one side is unlike one of the other, so the opposite operator says it.
            return ir.any_of(*self._of_pairs(False))
        decided = ir.any_of(self.holding(), self._throwing())
        return ir.all_of(left.present, right.present, complement(decided))

    def _guards(self, pairs: list[_Pair]) -> tuple[ir.Predicate, ...]:
        """The union of the pairs' guards, in as few terms as there are different partners."""
        if len(pairs) == 1:
            [(first, second)] = pairs
            return first.guard, second.guard
        partners: dict[Alternative, list[Alternative]] = {}
        for first, second in pairs:
            partners.setdefault(first, []).append(second)
        by_partners: dict[tuple[Alternative, ...], list[Alternative]] = {}
        for first, seconds in partners.items():
            by_partners.setdefault(tuple(seconds), []).append(first)
        return (
            ir.any_of(
                *[
                    ir.all_of(_union(firsts, self._left), _union(seconds, self._right))
                    for seconds, firsts in by_partners.items()
                ]
            ),
        )


def _union(group: Sequence[Alternative], operand: Operand) -> ir.Predicate:
    """The union of the guards of some alternatives of one value."""
    return group[0].guard if len(group) == 1 else guard_of(group, operand)


def _both_stand(pairs: list[_Pair]) -> ir.Predicate:
    """The rows where both values of a pair are there, which no comparison says."""
    return ir.any_of(*dict.fromkeys([ir.all_of(first.stands, second.stands) for first, second in pairs]))
