"""Comparison of operands: =, <>, <, >, <=, >=, BETWEEN and IN, for all pairs of alternatives.

Each pair is compared in one of a few kinds, never holds, or throws. Pairs that compare the same two values in the same
way differ only in their guards, so they become one comparison under the union of their guards. BETWEEN and IN consist
of comparisons; the dialect determines how they treat operands of different types, NULL, and operands that throw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import product

from transpiler.base.comparison import Comparison
from transpiler.base.ieee754 import EXACT
from transpiler.compiler import ir
from transpiler.compiler.lowering.comparison.comparison_kinds import (
    COMPLEMENTED,
    ComparisonKind,
    compare_as,
    comparison_kind,
    to_double,
    widens_left,
)
from transpiler.compiler.lowering.operands import (
    Alternative,
    Operand,
    Outcomes,
    as_boolean,
    as_number,
    complement,
    conjunction,
    disjunction,
    guard_of,
    one_value,
    restricted,
)
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import (
    BetweenMeaning,
    FloatOrder,
    InNotString,
    NullEquality,
    NumericPromotion,
    Ordering,
    UnlikeTypes,
)
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType

_Pair = tuple[Alternative, Alternative]


def compare(operator: Comparison, left: Operand, right: Operand, dialect: Dialect, convert: bool = False) -> Outcomes:
    """Lower ``left operator right``: return the predicates that the comparison is TRUE, is FALSE, or throws.

    If ``convert``, a string is converted to the type of the other operand.
    """
    if operator is Comparison.NE and dialect.unlike_types is UnlikeTypes.NOT_EQUAL:
        # In this dialect ``a <> b`` is ``NOT (a = b)``, also for values of types that cannot be compared.
        return _Pairs(Comparison.EQ, left, right, dialect, convert).outcomes().negated()
    return _Pairs(operator, left, right, dialect, convert).outcomes()


def equals(left: Operand, right: Operand, dialect: Dialect) -> ir.Predicate:
    """Return the predicate that Java's ``equals`` holds: both operands have equal values of the same type."""
    return _Pairs(Comparison.EQ, left, right, dialect, False, one_type=True).holding()


def alternatives_beside(operator: Comparison, left: Operand, right: Operand, dialect: Dialect) -> Iterator[_Pair]:
    """Yield the pairs of alternatives of ``left`` and ``right`` that have to be compared.

    An untyped text is compared with a number as a number, with a boolean as a boolean, and with any other value as a
    string. Two untyped texts are compared as strings. If ``dialect`` orders only numbers, two untyped texts are
    numbers for ``<``, ``>``, ``<=``, ``>=`` and BETWEEN.
    """
    if left.by_use is None and right.by_use is None:
        yield from _typed(operator, left, right, dialect)
        return
    orders_numbers = not operator.is_equality and dialect.ordering is Ordering.FALSE
    if orders_numbers and left.by_use is not None and right.by_use is not None:
        yield from _typed(operator, as_number(left), as_number(right), dialect)
        return
    untyped = ir.all_of(*[ir.FALSE if side.by_use is None else side.by_use.untyped for side in (left, right)])
    for kind, read in ((_Kind.NUMBER, as_number), (_Kind.BOOLEAN, as_boolean)):
        first, second = read(left), read(right)
        if untyped != ir.TRUE:
            for one, other in _typed(operator, _of_kinds(first, kind), _of_kinds(second, kind), dialect):
                yield _except_where(untyped, one), other
        # The remaining pairs have a typed number (or boolean) on one side, and on the other side an untyped text that
        # does not spell a number (or boolean), and so is a string.
        rest = tuple(other for other in _Kind if other.value > kind.value)
        yield from product(_of_kinds(left, kind).alternatives, _of_kinds(second, *rest).alternatives)
        yield from product(_of_kinds(first, *rest).alternatives, _of_kinds(right, kind).alternatives)
    yield from product(_of_kinds(left, _Kind.OTHER).alternatives, _of_kinds(right, _Kind.OTHER).alternatives)


class _Kind(Enum):
    """A class of types: numbers, booleans, and all others. Each untyped text is read as a value of one class."""

    NUMBER = 0
    BOOLEAN = 1
    OTHER = 2


def _of_kinds(operand: Operand, *kinds: _Kind) -> Operand:
    """Return ``operand`` without the alternatives whose types are not in the classes ``kinds``."""

    def kind_of(item: Alternative) -> _Kind:
        if item.type.numeric:
            return _Kind.NUMBER
        return _Kind.BOOLEAN if item.type is OperandType.BOOLEAN else _Kind.OTHER

    items = tuple([item for item in operand.alternatives if kind_of(item) in kinds])
    return operand._replace(alternatives=items, nearest=operand.nearest if _Kind.NUMBER in kinds else (), by_use=None)


def _except_where(excluded: ir.Predicate, item: Alternative) -> Alternative:
    """Return ``item``, an alternative of an operand, restricted to the rows in which ``excluded`` does not hold."""
    if excluded == ir.FALSE:
        return item
    return item._replace(guard=ir.all_of(complement(excluded), item.guard), shared_guard=None, applies_where=None)


def _typed(operator: Comparison, left: Operand, right: Operand, dialect: Dialect) -> Iterator[_Pair]:
    """Yield the pairs of alternatives that have to be compared, for two operands without untyped texts.

    If ``operator`` is ``<`` or ``>``, two integers are compared both as integers and as their nearest doubles. Rounding
    never reverses the order of two numbers, so if the comparison of the doubles holds, that of the integers holds too.
    """
    left, right = _as_nearest(left, right, dialect), _as_nearest(right, left, dialect)
    if not (left.nearest or right.nearest) or not _are_doubles_together(dialect):
        yield from product(left.alternatives, right.alternatives)
        return
    first, second = _numbers(left.alternatives), _numbers(right.alternatives)
    whole = [item for item in first if item.type.integer], [item for item in second if item.type.integer]
    integers = list(product(*whole))
    doubles = [
        (one, other)
        for one, other in product(_one_double(left) or first, _one_double(right) or second)
        if one.type.floating or other.type.floating
    ]
    if len(integers) + len(doubles) >= len(first) * len(second):
        yield from product(left.alternatives, right.alternatives)
        return
    yield from integers
    if operator in (Comparison.LT, Comparison.GT):
        yield from doubles
    else:
        both_whole = ir.all_of(*[ir.any_of(*[item.applies for item in side]) for side in whole])
        for one, other in doubles:
            yield one._replace(guard=ir.all_of(one.guard, complement(both_whole)), applies_where=None), other
    for one, other in product(left.alternatives, right.alternatives):
        if not (one.type.numeric and other.type.numeric):
            yield one, other


def _one_double(operand: Operand) -> Sequence[Alternative]:
    """Return one alternative: a double that stands for all numbers of ``operand`` (see ``Operand.nearest``).

    Return an empty list if ``operand`` has no such double.
    """
    if len(operand.nearest) < 2:
        return operand.nearest
    value = one_value(operand.nearest, operand, lambda item: to_double(item.value))
    return [Alternative(OperandType.DOUBLE, value)]


def _numbers(items: Iterable[Alternative]) -> Sequence[Alternative]:
    return [item for item in items if item.type.numeric]


def _are_doubles_together(dialect: Dialect) -> bool:
    """Return True if ``dialect`` compares two numbers as doubles, in IEEE 754's order, if at least one is a double."""
    return dialect.float_order is FloatOrder.IEEE and dialect.numeric_promotion is NumericPromotion.PROMOTION


def _as_nearest(operand: Operand, other: Operand, dialect: Dialect) -> Operand:
    """Return ``operand`` with one double (``Operand.nearest``) instead of an alternative for each type of number.

    Do so only if ``other`` is a constant below 2**53. A comparison with the double then has the same result as a
    comparison with the number itself. Otherwise return ``operand`` unchanged.
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


class _Pairs:
    """A comparison of two operands, for all pairs of their alternatives (the typed values that they can have)."""

    __slots__ = (
        "_are_all_alike",
        "_dialect",
        "_kinds",
        "_left",
        "_operator",
        "_pairs_hold",
        "_pairs_throw",
        "_right",
        "_same_array",
    )

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
        #: True if both operands are the same property. Needed for byte arrays: in Java, an array equals only itself, so
        #: a property equals itself and no other property, whatever the bytes are.
        self._same_array = widens_left(dialect) and bool(left.origin) and left.origin == right.origin
        pairs = list(alternatives_beside(operator, left, right, dialect))
        self._kinds: list[tuple[ComparisonKind, Alternative, Alternative]] = [
            (kind, first, second)
            for first, second in pairs
            if (kind := comparison_kind(operator, first.type, second.type, dialect, convert))
            is not ComparisonKind.NEVER
            and not (one_type and first.type is not second.type)
            and not (self._same_array and operator.is_equality and first.type is OperandType.BYTES)
        ]
        # ``<`` and ``>`` may compare two integers both as integers and as doubles (see ``_typed``). Then the result is
        # FALSE only if both comparisons fail.
        is_compared_once = operator.is_equality or not (left.nearest or right.nearest)
        self._are_all_alike = (
            is_compared_once
            and len(self._kinds) == len(pairs)
            and all(kind in COMPLEMENTED for kind, _, _ in self._kinds)
        )
        self._pairs_hold: ir.Predicate | None = None
        self._pairs_throw: ir.Predicate | None = None

    def outcomes(self) -> Outcomes:
        """Return the outcomes of the comparison, each of which is lowered when it is first read."""
        return Outcomes(self._true, self._false, self._error)

    def _true(self) -> ir.Predicate:
        """Return the predicate that the comparison is TRUE; in some dialects, ``NULL = NULL`` is TRUE as well."""
        equal = self._operator is Comparison.EQ
        return ir.any_of(self.holding(), self._nulls_are_equal() if equal else self._nulls_are_unequal())

    def _false(self) -> ir.Predicate:
        """Return the predicate that the comparison is FALSE: both operands have values, and it is not TRUE or throws.

        In dialects in which a comparison with NULL is not unknown, the predicate also holds if such a comparison is
        FALSE.
        """
        equal = self._operator is Comparison.EQ
        return ir.any_of(self._not_holding(), self._nulls_are_unequal() if equal else self._nulls_are_equal())

    def _error(self) -> ir.Predicate:
        """Return the predicate that the evaluation of an operand throws, or that the comparison of a pair throws."""
        error = ir.any_of(self._operands_throw(), self._throwing())
        if widens_left(self._dialect) and not self._operator.is_equality and self._left.of(OperandType.BYTES):
            # ActiveMQ and Artemis cast the left side to Comparable, which throws for a byte array, before they evaluate
            # the right side. So the comparison throws even if the right side is NULL.
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
        """Return the predicate that the evaluation of an operand throws.

        In some dialects, the right operand is not evaluated if the left operand is NULL.
        """
        left, right = self._left, self._right
        ends = self._dialect.numeric_promotion is not NumericPromotion.EXACT
        if self._operator.is_equality and (widens_left(self._dialect) or self._nulls_compare()):
            ends = False
        return ir.any_of(left.error, ir.all_of(left.present, right.error) if ends else right.error)

    def holding(self) -> ir.Predicate:
        """Return the predicate that a pair of alternatives makes the comparison TRUE."""
        if self._pairs_hold is None:
            is_itself = self._same_array and self._operator is Comparison.EQ and self._left.of(OperandType.BYTES)
            terms = [self._left.where([OperandType.BYTES])] if is_itself else []
            self._pairs_hold = ir.any_of(*terms, *self._of_pairs(True))
        return self._pairs_hold

    def _of_pairs(self, polarity: bool) -> list[ir.Predicate]:
        """Return the predicates whose disjunction holds if the comparison of the two values is ``polarity``.

        Pairs of alternatives that are compared by the same SQL, such as an int and a long in one column, share one
        predicate.
        """
        compared = [
            (kind, first, second, _compared(kind, self._operator, first, second, polarity))
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
        """Return ``predicate`` restricted to rows in which the operands have the types of one of ``pairs``."""
        applies = [_both_apply(pairs)] if kind is ComparisonKind.ALWAYS else []
        return ir.all_of(*self._guards(pairs), predicate, *applies)

    def _throwing(self) -> ir.Predicate:
        """Return the predicate that the comparison of a pair of alternatives throws."""
        if self._pairs_throw is None:
            pairs = [(first, second) for kind, first, second in self._kinds if kind is ComparisonKind.THROWS]
            self._pairs_throw = _both_apply(pairs)
        return self._pairs_throw

    def _not_holding(self) -> ir.Predicate:
        left, right = self._left, self._right
        if self._are_all_alike:
            # Every pair of types can be compared, and the result is FALSE exactly if the negated operator is TRUE.
            return ir.any_of(*self._of_pairs(False))
        decided = ir.any_of(self.holding(), self._throwing())
        return ir.all_of(left.present, right.present, complement(decided))

    def _guards(self, pairs: list[_Pair]) -> tuple[ir.Predicate, ...]:
        """Return predicates whose conjunction holds if both guards (type tests) of one of ``pairs`` hold.

        To keep the SQL short, left alternatives that have the same right partners share one term.
        """
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


def _compared(
    kind: ComparisonKind, operator: Comparison, first: Alternative, second: Alternative, polarity: bool
) -> ir.Predicate:
    """Return the predicate that ``first operator second``, compared as ``kind``, is TRUE (``polarity``) or FALSE.

    For a ``kind`` that converts a string, callers pass only True.
    """
    if kind not in (ComparisonKind.READ_LEFT, ComparisonKind.READ_RIGHT):
        return compare_as(kind, operator, first, second, polarity)
    # Imported in the function to save start-up time: only a prefix of ActiveMQ's selectors converts strings.
    from transpiler.compiler.lowering.comparison.converted_texts import compare_converted

    if kind is ComparisonKind.READ_LEFT:
        return compare_converted(operator, first.value, second.value, second.type)
    return compare_converted(operator.mirrored, second.value, first.value, first.type)


def _union(group: Sequence[Alternative], operand: Operand) -> ir.Predicate:
    """Return the predicate that one of the guards of ``group`` holds; the alternatives have the same SQL value."""
    return group[0].guard if len(group) == 1 else guard_of(group, operand)


def _both_apply(pairs: list[_Pair]) -> ir.Predicate:
    """Return the predicate that, for one of ``pairs``, both operands have the value of their alternative in the row.

    The predicate tests explicitly that the values are not NULL, because its callers do not compare the values.
    """
    return ir.any_of(*dict.fromkeys([ir.all_of(first.applies, second.applies) for first, second in pairs]))


def between(value: Operand, low: Operand, high: Operand, negated: bool, dialect: Dialect, convert: bool) -> Outcomes:
    """Return the outcomes of BETWEEN, or NOT BETWEEN, for three operands."""
    if dialect.between_meaning is BetweenMeaning.COMPARISONS:
        # BETWEEN is >= AND <=, and NOT BETWEEN is < OR >. For different types, these are not negations of each other.
        lower, upper = (Comparison.LT, Comparison.GT) if negated else (Comparison.GE, Comparison.LE)
        tests = [compare(lower, value, low, dialect, convert), compare(upper, value, high, dialect, convert)]
        return (disjunction if negated else conjunction)(tests, dialect)
    test = _one_test(value, low, high, dialect)
    return test.negated() if negated else test


def _one_test(value: Operand, low: Operand, high: Operand, dialect: Dialect) -> Outcomes:
    """Return the outcomes of BETWEEN in dialects in which it is unknown whenever one of the three operands is NULL.

    In other dialects BETWEEN is ``value >= low AND value <= high``, which can be FALSE if a bound is NULL.
    """
    operands = (value, low, high)
    above = compare(Comparison.GE, value, low, dialect)
    below = compare(Comparison.LE, value, high, dialect)

    def all_present() -> ir.Predicate:
        return ir.all_of(*[operand.present for operand in operands])

    def comparisons_throw() -> ir.Predicate:
        # The broker evaluates ``value <= high`` only if ``value >= low`` is TRUE, so only then it can throw.
        if above.error == below.error == ir.FALSE:
            return ir.FALSE
        return ir.all_of(all_present(), ir.any_of(above.error, ir.all_of(above.true, below.error)))

    whole = Outcomes(
        lambda: ir.all_of(all_present(), above.true, below.true),
        lambda: ir.all_of(all_present(), complement(ir.any_of(whole.true, comparisons_throw()))),
        lambda: ir.any_of(*[operand.error for operand in operands], comparisons_throw()),
    )
    return whole


def is_member(value: Operand, members: Sequence[Operand], node: ast.In, dialect: Dialect) -> Outcomes:
    """Return the outcomes of IN, or NOT IN, for an operand and the members of a list."""
    both_ways = dialect.in_not_string is InNotString.FALSE_BOTH_WAYS and node.negated
    if all(isinstance(member, ast.StringLiteral) for member in node.members) and not both_ways:
        test = _in_texts(value, members, dialect)
        return test.negated() if node.negated else test
    if dialect.in_not_string is InNotString.FALSE_BOTH_WAYS:
        return _in_by_type(value, members, node.negated, dialect)
    test = _in_values(value, members, dialect)
    return test.negated() if node.negated else test


def _in_texts(value: Operand, members: Sequence[Operand], dialect: Dialect) -> Outcomes:
    """Return the outcomes of IN for a list of strings.

    If ``value`` is not a string, the result is FALSE in most dialects, and unknown in the others.
    """
    texts = [item.value for member in members for item in member.alternatives]

    def tests(negated: bool) -> list[ir.Predicate]:
        strings = value.of(OperandType.STRING)
        return [ir.all_of(item.guard, _is_listed(item.value, texts, negated)) for item in strings]

    def false() -> ir.Predicate:
        others = [item.type for item in value.alternatives if item.type is not OperandType.STRING]
        unlike_is_false = dialect.in_not_string is not InNotString.UNKNOWN and others
        return ir.any_of(*tests(True), value.where(others) if unlike_is_false else ir.FALSE)

    return Outcomes(lambda: ir.any_of(*tests(False)), false, value.error)


def _is_listed(value: ir.Value, members: Sequence[ir.Value], negated: bool = False) -> ir.Predicate:
    """Return the predicate ``value IN members``, or ``value NOT IN members`` if ``negated``."""
    known = tuple(member for member in members if isinstance(member, ir.Constant))
    if len(known) == len(members):
        return ir.In(value, known, negated)
    if negated:
        return ir.all_of(*(ir.Compare(Comparison.NE, value, member) for member in members))
    return ir.any_of(*(ir.Compare(Comparison.EQ, value, member) for member in members))


def _in_values(value: Operand, members: Sequence[Operand], dialect: Dialect) -> Outcomes:
    """Return the outcomes of IN for a list of any operands, in dialects that ignore members that are NULL."""
    strings_only = dialect.in_not_string is InNotString.UNKNOWN
    candidate = restricted(value, value.of(OperandType.STRING)) if strings_only else value
    equal, error = _first_equal(candidate, members, dialect)
    false = ir.all_of(candidate.present, complement(ir.any_of(equal, error)))
    return Outcomes(equal, false, ir.any_of(value.error, error))


def _in_by_type(value: Operand, members: Sequence[Operand], negated: bool, dialect: Dialect) -> Outcomes:
    """Return the outcomes of IN or NOT IN for a list in which a NULL member makes the result unknown.

    NOT IN is also FALSE if a member has a different type than the value.
    """
    equal, error = _first_equal(value, members, dialect)
    known = ir.all_of(value.present, *[member.present for member in members])
    otherwise = ir.all_of(known, complement(ir.any_of(equal, error)))
    thrown = ir.any_of(value.error, error)
    if not negated:
        return Outcomes(equal, otherwise, thrown)
    unlike = ir.any_of(*[complement(_are_like(value, member, dialect)) for member in members])
    true = ir.all_of(otherwise, complement(unlike))
    return Outcomes(true, ir.any_of(equal, ir.all_of(otherwise, unlike)), thrown)


def _first_equal(value: Operand, members: Sequence[Operand], dialect: Dialect) -> tuple[ir.Predicate, ir.Predicate]:
    """Return two predicates: that a member of the list equals ``value``, and that the search for it throws.

    The broker compares the members in order. A member throws only if no earlier member equals ``value``.
    """
    equal: ir.Predicate = ir.FALSE
    error: ir.Predicate = ir.FALSE
    for member in members:
        test = compare(Comparison.EQ, value, member, dialect)
        if test.error != ir.FALSE:
            error = ir.any_of(error, ir.all_of(value.present, test.error, complement(equal)))
        is_equal = test.true if dialect.null_equality is NullEquality.UNKNOWN else ir.all_of(value.present, test.true)
        equal = ir.any_of(equal, ir.all_of(is_equal, complement(error)))
    return equal, error


def _are_like(value: Operand, member: Operand, dialect: Dialect) -> ir.Predicate:
    """Return the predicate that two operands have values of the same type or are both numbers."""
    like = [
        (first, second)
        for first, second in alternatives_beside(Comparison.EQ, value, member, dialect)
        if first.type is second.type or (first.type.numeric and second.type.numeric)
    ]
    return _both_apply(like)
