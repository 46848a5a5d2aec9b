"""Comparison of typed operands by a broker's rules: pair by pair of alternatives, gathered by the way they compare.

A pair compares in one of a few ways, or never holds, or throws. Pairs that compare the same two values in the same
way differ only in their guards, so they become one comparison under the union of their types.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from transpiler.analysis.comparison import compare_values, to_double
from transpiler.analysis.typed import DECIMAL, Typed, TypedOperand, complement
from transpiler.layouts.columns import BIGINT, BINARY, DOUBLE, STRING, Kind
from transpiler.message.operand_types import OperandType
from transpiler.predicate.core import (
    FALSE,
    Apply,
    Column,
    Compare,
    Constant,
    Predicate,
    Truth,
    Value,
    When,
    all_of,
    any_of,
    constant,
)
from transpiler.predicate.functions import Function
from transpiler.selector.ast import Comparison
from transpiler.selector.dialects import Dialect
from transpiler.selector.rules import Evaluation, NullEquality, Ordering, TypeLadder, UnlikeTypes


class Truths(NamedTuple):
    """Where a condition is TRUE, where it is FALSE, and where its evaluation throws; elsewhere it is unknown."""

    true: Predicate
    false: Predicate
    raises: Predicate = FALSE

    def negated(self) -> Truths:
        """NOT of the condition."""
        return Truths(self.false, self.true, self.raises)


class _Way(Enum):
    """How a pair of values compares."""

    NEVER = "never"
    ALWAYS = "always"
    THROWS = "throws"
    INTEGERS = "integers"
    FLOATS = "floats"
    #: By IEEE 754, and by Java's compareTo.
    DOUBLES = "doubles"
    TOTAL = "total order"
    EXACTLY = "exactly"
    STRINGS = "strings"
    UNITS = "units"
    BOOLEANS = "booleans"
    WORDS = "words"
    READ_LEFT = "read left"
    READ_RIGHT = "read right"


_WIDTHS = {OperandType.BYTE: 8, OperandType.SHORT: 16, OperandType.INT: 32, OperandType.LONG: 64}
#: Integers up to here are doubles too, every one.
_EXACT = 2**53
_NARROW = (OperandType.BYTE, OperandType.SHORT)


def compare(
    operator: Comparison, left: TypedOperand, right: TypedOperand, dialect: Dialect, convert: bool = False
) -> Truths:
    """Where a comparison is TRUE, FALSE, and throws."""
    if operator is Comparison.NE and dialect.unlike_types is UnlikeTypes.NOT_EQUAL:
        # <> is NOT of =.
        return compare(Comparison.EQ, left, right, dialect, convert).negated()
    true, thrown = _pairs(operator, left, right, dialect, convert)
    both = all_of(left.present, right.present)
    raises = any_of(_operands_raise(operator, left, right, dialect), thrown)
    if _java(dialect) and not operator.is_equality:
        # Java casts the left side before it looks at the right one.
        raises = any_of(raises, left.where([OperandType.BYTES]) if left.of(OperandType.BYTES) else FALSE)
    false = _false_of_pairs(operator, left, right, dialect, both, any_of(true, thrown), convert)
    if operator.is_equality and dialect.null_equality is not NullEquality.UNKNOWN:
        true = any_of(true, all_of(left.absent, right.absent))
        false = any_of(false, all_of(left.present, right.absent))
        if dialect.null_equality is NullEquality.FALSE:
            false = any_of(false, all_of(left.absent, right.present))
    return Truths(true, false, raises)


def _java(dialect: Dialect) -> bool:
    return dialect.type_ladder in (TypeLadder.UPWARDS, TypeLadder.UPWARDS_THROWING)


def _operands_raise(operator: Comparison, left: TypedOperand, right: TypedOperand, dialect: Dialect) -> Predicate:
    both = dialect.evaluation is Evaluation.STRICT or dialect.type_ladder is TypeLadder.EXACT
    if both or (_java(dialect) and operator.is_equality):
        return any_of(left.raises, right.raises)
    return any_of(left.raises, all_of(left.present, right.raises))


def _pairs(
    operator: Comparison, left: TypedOperand, right: TypedOperand, dialect: Dialect, convert: bool
) -> tuple[Predicate, Predicate]:
    """Where a pair makes the comparison TRUE, and where one throws."""
    same = _same_array(operator, left, right, dialect)
    grouped: dict[tuple[_Way, Value, Value, Predicate], list[tuple[Typed, Typed]]] = {}
    for first in left.alternatives:
        for second in right.alternatives:
            way = _way(operator, first, second, dialect, convert)
            if way is _Way.NEVER:
                continue
            read = first.type if way is _Way.READ_RIGHT else second.type if way is _Way.READ_LEFT else None
            predicate = _PREDICATES[way](operator, first.value, second.value, read)
            grouped.setdefault((way, first.value, second.value, predicate), []).append((first, second))
    true, thrown = [left.where([OperandType.BYTES])] if same else [], []
    for (way, _, _, predicate), pairs in grouped.items():
        guard = _guards(pairs, left, right)
        if way is _Way.THROWS:
            thrown.append(all_of(guard, _both_stand(pairs)))
        else:
            true.append(all_of(guard, predicate, *([_both_stand(pairs)] if way is _Way.ALWAYS else [])))
    return any_of(*true), any_of(*thrown)


def _both_stand(pairs: list[tuple[Typed, Typed]]) -> Predicate:
    """Where no comparison says that the values are there, their guards must."""
    return any_of(*dict.fromkeys(all_of(first.stands, second.stands) for first, second in pairs))


def _guards(pairs: list[tuple[Typed, Typed]], left: TypedOperand, right: TypedOperand) -> Predicate:
    """The union of the pairs' guards, in as few terms as there are different partners."""
    partners: dict[Typed, list[Typed]] = {}
    for first, second in pairs:
        partners.setdefault(first, []).append(second)
    by_partners: dict[tuple[Typed, ...], list[Typed]] = {}
    for first, seconds in partners.items():
        by_partners.setdefault(tuple(seconds), []).append(first)
    return any_of(
        *(all_of(_union(firsts, left), _union(list(seconds), right)) for seconds, firsts in by_partners.items())
    )


def _union(chosen: list[Typed], operand: TypedOperand) -> Predicate:
    """Where one of some alternatives of one value stands; hardly anything is left to say where all of that value do."""
    siblings = [item for item in operand.alternatives if item.value == chosen[0].value]
    family = chosen[0].family
    if family is not None and len(siblings) == len(chosen) > 1:
        return family
    return any_of(*(item.guard for item in chosen))


def _same_array(operator: Comparison, left: TypedOperand, right: TypedOperand, dialect: Dialect) -> bool:
    """To Java an array of bytes equals itself alone, so the same property of the same message."""
    same = bool(left.origin) and left.origin == right.origin
    return _java(dialect) and operator is Comparison.EQ and same and bool(left.of(OperandType.BYTES))


def _false_of_pairs(
    operator: Comparison,
    left: TypedOperand,
    right: TypedOperand,
    dialect: Dialect,
    both: Predicate,
    decided: Predicate,
    convert: bool,
) -> Predicate:
    """Where both operands have values and the comparison is FALSE."""
    if len(left.alternatives) == len(right.alternatives) == 1:
        first, second = left.alternatives[0], right.alternatives[0]
        way = _way(operator, first, second, dialect, convert)
        if way in (_Way.INTEGERS, _Way.STRINGS, _Way.BOOLEANS):
            opposite = _PREDICATES[way](operator.negated, first.value, second.value, None)
            return all_of(first.guard, second.guard, opposite)
    return all_of(both, complement(decided))


def _way(operator: Comparison, first: Typed, second: Typed, dialect: Dialect, convert: bool) -> _Way:
    match dialect.type_ladder:
        case TypeLadder.UPWARDS | TypeLadder.UPWARDS_THROWING:
            return _java_way(operator, first.type, second.type, dialect, convert)
        case TypeLadder.EXACT:
            return _exact_way(operator, first, second, dialect)
        case TypeLadder.PROMOTION:
            return _promoted_way(operator, first.type, second.type)


def _promoted_way(operator: Comparison, first: OperandType, second: OperandType) -> _Way:
    if first.numeric and second.numeric:
        return _Way.INTEGERS if first.integer and second.integer else _Way.DOUBLES
    if first is not second or not operator.is_equality:
        return _Way.NEVER
    return _Way.BOOLEANS if first is OperandType.BOOLEAN else _Way.STRINGS


def _exact_way(operator: Comparison, first: Typed, second: Typed, dialect: Dialect) -> _Way:
    if first.type.numeric and second.type.numeric:
        if first.type.integer and second.type.integer:
            return _Way.INTEGERS
        return _Way.DOUBLES if first.type.floating and second.type.floating else _Way.EXACTLY
    ranks = [_rank(item.type) for item in (first, second)]
    if ranks[0] != ranks[1]:
        if operator.is_equality or dialect.ordering is not Ordering.TERMS:
            return _Way.NEVER
        above = operator in (Comparison.GT, Comparison.GE)
        return _Way.ALWAYS if (ranks[0] > ranks[1]) is above else _Way.NEVER
    if ranks[0] == 1:
        if OperandType.ATOM in (first.type, second.type):
            return _Way.WORDS
        ordered = operator.is_equality or dialect.ordering is Ordering.TERMS
        return _Way.BOOLEANS if ordered else _Way.NEVER
    return _Way.STRINGS


def _rank(kind: OperandType) -> int:
    return 0 if kind.numeric else 1 if kind in (OperandType.BOOLEAN, OperandType.ATOM) else 2


def _java_way(operator: Comparison, first: OperandType, second: OperandType, dialect: Dialect, convert: bool) -> _Way:
    if OperandType.BYTES in (first, second):
        # Two properties are two arrays, never equal; the same property is told apart before.
        return _Way.NEVER if operator.is_equality else _Way.THROWS
    if first is second:
        if first.floating:
            return _Way.TOTAL
        if first.integer:
            return _Way.INTEGERS
        if first is OperandType.BOOLEAN:
            return _Way.BOOLEANS
        return _Way.STRINGS if operator.is_equality else _Way.UNITS
    if convert and OperandType.STRING in (first, second):
        return _converting_way(first, second, dialect)
    if not (first.numeric and second.numeric) or OperandType.BIG in (first, second):
        return _Way.NEVER
    if second in _NARROW and _WIDTHS.get(first, 99) > _WIDTHS[second]:
        return _Way.NEVER
    if first.integer and second.integer:
        return _Way.INTEGERS
    if OperandType.DOUBLE not in (first, second):
        return _Way.FLOATS
    if first is OperandType.DOUBLE and second is OperandType.FLOAT:
        return _Way.THROWS if dialect.type_ladder is TypeLadder.UPWARDS_THROWING else _Way.TOTAL
    return _Way.TOTAL


def _converting_way(first: OperandType, second: OperandType, dialect: Dialect) -> _Way:
    other = second if first is OperandType.STRING else first
    if not (other.numeric or other is OperandType.BOOLEAN) or other is OperandType.BIG:
        return _Way.NEVER
    if first is OperandType.STRING:
        return _Way.READ_LEFT
    if first is OperandType.BOOLEAN and dialect.type_ladder is TypeLadder.UPWARDS_THROWING:
        return _Way.THROWS
    return _Way.READ_RIGHT


# The predicates


def _plain(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    left, right = _in_64_bits(left, right), _in_64_bits(right, left)
    if DECIMAL in (left.type, right.type):
        left, right = to_decimal(left), to_decimal(right)
    return Compare(operator, left, right)


#: The largest number in 64 signed bits.
_LARGEST = 2**63 - 1


def _in_64_bits(value: Value, other: Value) -> Value:
    """Integers beside a constant below the largest one: what is beyond 64 bits is above it, as the largest one is."""
    if not (isinstance(other, Constant) and isinstance(other.value, int) and other.value < _LARGEST):
        return value
    match value:
        case When(condition=large, value=Apply(function=Function.ADD_BIG, arguments=(Column(), Constant()))):
            return When(large, constant(_LARGEST))
        case Apply(function=Function.FIRST, arguments=arguments, type=found) if found == DECIMAL:
            parts = tuple(_in_64_bits(argument, other) for argument in arguments)
            return value if DECIMAL in {part.type for part in parts} else Apply(Function.FIRST, parts, BIGINT)
        case _:
            return value


def to_decimal(value: Value) -> Value:
    """An integer in 38 digits."""
    if value.type == DECIMAL:
        return value
    if isinstance(value, Constant):
        return Constant(value.value, DECIMAL)
    return Apply(Function.TO_DECIMAL, (value,), DECIMAL)


def as_double(value: Value) -> Value:
    """A number as a double, by Java's promotion."""
    return Apply(Function.TO_DOUBLE, (value,), DOUBLE) if value.type == DECIMAL else to_double(value)


def _doubles(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    return compare_values(operator, as_double(left), as_double(right), True)


def _total(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    return _compare_to(operator, as_double(left), as_double(right))


def _floats(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    return _compare_to(operator, to_float(left), to_float(right))


def to_float(value: Value) -> Value:
    """An integer as the nearest 32-bit number; a float is one already."""
    if value.type == DOUBLE:
        return value
    if isinstance(value, Constant) and isinstance(value.value, int) and abs(value.value) <= _EXACT:
        return constant(float(struct.unpack("f", struct.pack("f", float(value.value)))[0]))
    return Apply(Function.TO_FLOAT, (value,), DOUBLE)


def _compare_to(operator: Comparison, left: Value, right: Value) -> Predicate:
    """Double.compareTo, which Spark's order is but for the two zeros."""
    plain = Compare(operator, left, right)
    if not (_zero(left) and _zero(right)) or not (_signed(left) or _signed(right)):
        return plain
    zeros = all_of(Compare(Comparison.EQ, left, constant(0.0)), Compare(Comparison.EQ, right, constant(0.0)))
    # As texts '-0.0' is below '0.0' too.
    by_sign = Compare(operator, _sign(left), _sign(right))
    return any_of(all_of(plain, complement(zeros)), all_of(zeros, by_sign))


def _zero(value: Value) -> bool:
    """Whether a value can be zero."""
    return not isinstance(value, Constant) or value.value == 0


def _signed(value: Value) -> bool:
    """Whether a value can be -0.0."""
    if isinstance(value, Constant):
        return str(value.value).startswith("-")
    if isinstance(value, Apply) and value.function in (Function.TO_DOUBLE, Function.TO_FLOAT):
        return value.arguments[0].type.kind in (Kind.FLOAT, Kind.DOUBLE)
    return True


def _sign(value: Value) -> Value:
    if isinstance(value, Constant):
        return constant("-0.0" if str(value.value).startswith("-") else "0.0")
    return Apply(Function.SIGNED_TEXT, (value,), STRING)


def _exactly(operator: Comparison, left: Value, right: Value, kind: OperandType | None) -> Predicate:
    """An integer with a double: first as doubles, which keeps the order, and where those are equal as integers."""
    if left.type == DOUBLE:
        return _exactly(operator.mirrored, right, left, kind)
    whole, double = as_double(left), right
    if isinstance(left, Constant) and isinstance(left.value, int) and abs(left.value) <= _EXACT:
        return compare_values(operator, whole, double, True)
    if isinstance(right, Constant):
        assert isinstance(right.value, float)
        if abs(right.value) < _LARGEST / 2:
            whole = as_double(_in_64_bits(left, constant(math.floor(right.value))))
        if not right.value.is_integer() or abs(right.value) >= 10.0**37:
            # No integer is equal to it, and rounding one does not carry it past.
            return Compare(operator, whole, double)
        number = int(right.value)
        inside = -(2**63) <= number < 2**63
        return _plain(operator, left, Constant(number, BIGINT if inside else DECIMAL), kind)
    exact = Apply(Function.EXACT_DECIMAL, (double,), DECIMAL)
    equal = Compare(Comparison.EQ, whole, double)
    tie = all_of(equal, Compare(operator, to_decimal(left), exact))
    if operator is Comparison.EQ:
        return tie
    if operator is Comparison.NE:
        return any_of(Compare(operator, whole, double), tie)
    strict = Comparison.LT if operator in (Comparison.LT, Comparison.LE) else Comparison.GT
    return any_of(Compare(strict, whole, double), tie)


def _units(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    """String.compareTo, by UTF-16 units."""
    return Compare(operator, *(Apply(Function.UTF16, (side,), BINARY) for side in (left, right)))


def _words(operator: Comparison, left: Value, right: Value, _: OperandType | None) -> Predicate:
    """Erlang's atoms, true and false among them, by their names."""
    return Compare(operator, *(side if side.type == STRING else _named(side) for side in (left, right)))


def _named(side: Value) -> Value:
    if isinstance(side, Constant):
        return constant("true" if side.value else "false")
    return Apply(Function.JAVA_TEXT, (side,), STRING)


def _read(operator: Comparison, text: Value, other: Value, kind: OperandType) -> Predicate:
    """A comparison of what a string says, in the type of the other side."""
    if kind is OperandType.BOOLEAN:
        said = Compare(Comparison.EQ, Apply(Function.LOWER, (text,), STRING), constant("true"))
        unsaid = Compare(Comparison.NE, Apply(Function.LOWER, (text,), STRING), constant("true"))
        holds = {
            Comparison.EQ: ((True, True), (False, False)),
            Comparison.LT: ((False, True),),
            Comparison.GT: ((True, False),),
            Comparison.LE: ((False, True), (True, True), (False, False)),
            Comparison.GE: ((True, False), (True, True), (False, False)),
        }[operator]
        return any_of(
            *(
                all_of(said if first else unsaid, Compare(Comparison.EQ, other, constant(second)))
                for first, second in holds
            )
        )
    if kind.floating:
        number: Value = Apply(Function.READ_DOUBLE, (text,), DOUBLE)
        if kind is OperandType.FLOAT:
            number = Apply(Function.TO_FLOAT, (number,), DOUBLE)
        return _compare_to(operator, number, other)
    number = Apply(Function.READ_LONG, (text,), BIGINT)
    half = 2 ** (_WIDTHS[kind] - 1)
    bounds = (
        (Compare(Comparison.GE, number, constant(-half)), Compare(Comparison.LE, number, constant(half - 1)))
        if kind is not OperandType.LONG
        else ()
    )
    return all_of(*bounds, Compare(operator, number, other))


def _read_left(operator: Comparison, left: Value, right: Value, kind: OperandType | None) -> Predicate:
    assert kind is not None
    return _read(operator, left, right, kind)


def _read_right(operator: Comparison, left: Value, right: Value, kind: OperandType | None) -> Predicate:
    assert kind is not None
    return _read(operator.mirrored, right, left, kind)


_Make = Callable[[Comparison, Value, Value, OperandType | None], Predicate]

_PREDICATES: dict[_Way, _Make] = {
    _Way.ALWAYS: lambda *_: Truth(True),
    _Way.THROWS: lambda *_: Truth(True),
    _Way.INTEGERS: _plain,
    _Way.FLOATS: _floats,
    _Way.DOUBLES: _doubles,
    _Way.TOTAL: _total,
    _Way.EXACTLY: _exactly,
    _Way.STRINGS: _plain,
    _Way.UNITS: _units,
    _Way.BOOLEANS: _plain,
    _Way.WORDS: _words,
    _Way.READ_LEFT: _read_left,
    _Way.READ_RIGHT: _read_right,
}
