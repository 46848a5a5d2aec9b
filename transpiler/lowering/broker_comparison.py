"""Comparison of typed operands by a broker's rules: pair by pair of alternatives, gathered by the way they compare.

A pair compares in one of a few ways, or never holds, or throws. Pairs that compare the same two values in the same
way differ only in their guards, so they become one comparison under the union of their types.
"""

from __future__ import annotations

from typing import NamedTuple

from transpiler import ir
from transpiler.lowering.comparison_kinds import PREDICATES, WIDTHS, ComparisonKind
from transpiler.lowering.typed import Typed, TypedOperand, complement
from transpiler.message.operand_types import OperandType
from transpiler.selector.ast import Comparison
from transpiler.selector.dialect_rules import Evaluation, NullEquality, NumericPromotion, Ordering, UnlikeTypes
from transpiler.selector.dialects import Dialect


class Truths(NamedTuple):
    """Where a condition is TRUE, where it is FALSE, and where its evaluation throws; elsewhere it is unknown."""

    true: ir.Predicate
    false: ir.Predicate
    raises: ir.Predicate = ir.FALSE

    def negated(self) -> Truths:
        """NOT of the condition."""
        return Truths(self.false, self.true, self.raises)


_NARROW = (OperandType.BYTE, OperandType.SHORT)


def compare(
    operator: Comparison, left: TypedOperand, right: TypedOperand, dialect: Dialect, convert: bool = False
) -> Truths:
    """Where a comparison is TRUE, FALSE, and throws."""
    if operator is Comparison.NE and dialect.unlike_types is UnlikeTypes.NOT_EQUAL:
        # <> is NOT of =.
        return compare(Comparison.EQ, left, right, dialect, convert).negated()
    true, thrown = _pairs(operator, left, right, dialect, convert)
    both = ir.all_of(left.present, right.present)
    raises = ir.any_of(_operands_raise(operator, left, right, dialect), thrown)
    if _java(dialect) and not operator.is_equality:
        # Java casts the left side before it looks at the right one.
        raises = ir.any_of(raises, left.where([OperandType.BYTES]) if left.of(OperandType.BYTES) else ir.FALSE)
    false = _false_of_pairs(operator, left, right, dialect, both, ir.any_of(true, thrown), convert)
    if operator.is_equality and dialect.null_equality is not NullEquality.UNKNOWN:
        true = ir.any_of(true, ir.all_of(left.absent, right.absent))
        false = ir.any_of(false, ir.all_of(left.present, right.absent))
        if dialect.null_equality is NullEquality.FALSE:
            false = ir.any_of(false, ir.all_of(left.absent, right.present))
    return Truths(true, false, raises)


def _java(dialect: Dialect) -> bool:
    return dialect.type_ladder in (NumericPromotion.UPWARDS, NumericPromotion.UPWARDS_THROWING)


def _operands_raise(operator: Comparison, left: TypedOperand, right: TypedOperand, dialect: Dialect) -> ir.Predicate:
    both = dialect.evaluation is Evaluation.STRICT or dialect.type_ladder is NumericPromotion.EXACT
    if both or (_java(dialect) and operator.is_equality):
        return ir.any_of(left.raises, right.raises)
    return ir.any_of(left.raises, ir.all_of(left.present, right.raises))


def _pairs(
    operator: Comparison, left: TypedOperand, right: TypedOperand, dialect: Dialect, convert: bool
) -> tuple[ir.Predicate, ir.Predicate]:
    """Where a pair makes the comparison TRUE, and where one throws."""
    same = _same_array(operator, left, right, dialect)
    grouped: dict[tuple[ComparisonKind, ir.Value, ir.Value, ir.Predicate], list[tuple[Typed, Typed]]] = {}
    for first in left.alternatives:
        for second in right.alternatives:
            way = _way(operator, first, second, dialect, convert)
            if way is ComparisonKind.NEVER:
                continue
            read = (
                first.type
                if way is ComparisonKind.READ_RIGHT
                else second.type
                if way is ComparisonKind.READ_LEFT
                else None
            )
            predicate = PREDICATES[way](operator, first.value, second.value, read)
            grouped.setdefault((way, first.value, second.value, predicate), []).append((first, second))
    true, thrown = [left.where([OperandType.BYTES])] if same else [], []
    for (way, _, _, predicate), pairs in grouped.items():
        guard = _guards(pairs, left, right)
        if way is ComparisonKind.THROWS:
            thrown.append(ir.all_of(guard, _both_stand(pairs)))
        else:
            true.append(ir.all_of(guard, predicate, *([_both_stand(pairs)] if way is ComparisonKind.ALWAYS else [])))
    return ir.any_of(*true), ir.any_of(*thrown)


def _both_stand(pairs: list[tuple[Typed, Typed]]) -> ir.Predicate:
    """Where no comparison says that the values are there, their guards must."""
    return ir.any_of(*dict.fromkeys(ir.all_of(first.stands, second.stands) for first, second in pairs))


def _guards(pairs: list[tuple[Typed, Typed]], left: TypedOperand, right: TypedOperand) -> ir.Predicate:
    """The union of the pairs' guards, in as few terms as there are different partners."""
    partners: dict[Typed, list[Typed]] = {}
    for first, second in pairs:
        partners.setdefault(first, []).append(second)
    by_partners: dict[tuple[Typed, ...], list[Typed]] = {}
    for first, seconds in partners.items():
        by_partners.setdefault(tuple(seconds), []).append(first)
    return ir.any_of(
        *(ir.all_of(_union(firsts, left), _union(list(seconds), right)) for seconds, firsts in by_partners.items())
    )


def _union(chosen: list[Typed], operand: TypedOperand) -> ir.Predicate:
    """Where one of some alternatives of one value stands; hardly anything is left to say where all of that value do."""
    siblings = [item for item in operand.alternatives if item.value == chosen[0].value]
    family = chosen[0].family
    if family is not None and len(siblings) == len(chosen) > 1:
        return family
    return ir.any_of(*(item.guard for item in chosen))


def _same_array(operator: Comparison, left: TypedOperand, right: TypedOperand, dialect: Dialect) -> bool:
    """To Java an array of bytes equals itself alone, so the same property of the same message."""
    same = bool(left.origin) and left.origin == right.origin
    return _java(dialect) and operator is Comparison.EQ and same and bool(left.of(OperandType.BYTES))


def _false_of_pairs(
    operator: Comparison,
    left: TypedOperand,
    right: TypedOperand,
    dialect: Dialect,
    both: ir.Predicate,
    decided: ir.Predicate,
    convert: bool,
) -> ir.Predicate:
    """Where both operands have values and the comparison is FALSE."""
    if len(left.alternatives) == len(right.alternatives) == 1:
        first, second = left.alternatives[0], right.alternatives[0]
        way = _way(operator, first, second, dialect, convert)
        if way in (ComparisonKind.INTEGERS, ComparisonKind.STRINGS, ComparisonKind.BOOLEANS):
            opposite = PREDICATES[way](operator.negated, first.value, second.value, None)
            return ir.all_of(first.guard, second.guard, opposite)
    return ir.all_of(both, complement(decided))


def _way(operator: Comparison, first: Typed, second: Typed, dialect: Dialect, convert: bool) -> ComparisonKind:
    match dialect.type_ladder:
        case NumericPromotion.UPWARDS | NumericPromotion.UPWARDS_THROWING:
            return _java_way(operator, first.type, second.type, dialect, convert)
        case NumericPromotion.EXACT:
            return _exact_way(operator, first, second, dialect)
        case NumericPromotion.PROMOTION:
            return _promoted_way(operator, first.type, second.type)


def _promoted_way(operator: Comparison, first: OperandType, second: OperandType) -> ComparisonKind:
    if first.numeric and second.numeric:
        return ComparisonKind.INTEGERS if first.integer and second.integer else ComparisonKind.DOUBLES
    if first is not second or not operator.is_equality:
        return ComparisonKind.NEVER
    return ComparisonKind.BOOLEANS if first is OperandType.BOOLEAN else ComparisonKind.STRINGS


def _exact_way(operator: Comparison, first: Typed, second: Typed, dialect: Dialect) -> ComparisonKind:
    if first.type.numeric and second.type.numeric:
        if first.type.integer and second.type.integer:
            return ComparisonKind.INTEGERS
        return ComparisonKind.DOUBLES if first.type.floating and second.type.floating else ComparisonKind.EXACTLY
    ranks = [_rank(item.type) for item in (first, second)]
    if ranks[0] != ranks[1]:
        if operator.is_equality or dialect.ordering is not Ordering.TERMS:
            return ComparisonKind.NEVER
        above = operator in (Comparison.GT, Comparison.GE)
        return ComparisonKind.ALWAYS if (ranks[0] > ranks[1]) is above else ComparisonKind.NEVER
    if ranks[0] == 1:
        if OperandType.ATOM in (first.type, second.type):
            return ComparisonKind.WORDS
        ordered = operator.is_equality or dialect.ordering is Ordering.TERMS
        return ComparisonKind.BOOLEANS if ordered else ComparisonKind.NEVER
    return ComparisonKind.STRINGS


def _rank(kind: OperandType) -> int:
    return 0 if kind.numeric else 1 if kind in (OperandType.BOOLEAN, OperandType.ATOM) else 2


def _java_way(
    operator: Comparison, first: OperandType, second: OperandType, dialect: Dialect, convert: bool
) -> ComparisonKind:
    if OperandType.BYTES in (first, second):
        # Two properties are two arrays, never equal; the same property is told apart before.
        return ComparisonKind.NEVER if operator.is_equality else ComparisonKind.THROWS
    if first is second:
        if first.floating:
            return ComparisonKind.TOTAL
        if first.integer:
            return ComparisonKind.INTEGERS
        if first is OperandType.BOOLEAN:
            return ComparisonKind.BOOLEANS
        return ComparisonKind.STRINGS if operator.is_equality else ComparisonKind.UNITS
    if convert and OperandType.STRING in (first, second):
        return _converting_way(first, second, dialect)
    if not (first.numeric and second.numeric) or OperandType.BIG in (first, second):
        return ComparisonKind.NEVER
    if second in _NARROW and WIDTHS.get(first, 99) > WIDTHS[second]:
        return ComparisonKind.NEVER
    if first.integer and second.integer:
        return ComparisonKind.INTEGERS
    if OperandType.DOUBLE not in (first, second):
        return ComparisonKind.FLOATS
    if first is OperandType.DOUBLE and second is OperandType.FLOAT:
        return (
            ComparisonKind.THROWS if dialect.type_ladder is NumericPromotion.UPWARDS_THROWING else ComparisonKind.TOTAL
        )
    return ComparisonKind.TOTAL


def _converting_way(first: OperandType, second: OperandType, dialect: Dialect) -> ComparisonKind:
    other = second if first is OperandType.STRING else first
    if not (other.numeric or other is OperandType.BOOLEAN) or other is OperandType.BIG:
        return ComparisonKind.NEVER
    if first is OperandType.STRING:
        return ComparisonKind.READ_LEFT
    if first is OperandType.BOOLEAN and dialect.type_ladder is NumericPromotion.UPWARDS_THROWING:
        return ComparisonKind.THROWS
    return ComparisonKind.READ_RIGHT
