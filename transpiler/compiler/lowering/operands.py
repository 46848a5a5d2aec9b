"""Values of expressions: an operand as typed alternatives, and a condition as predicates by polarity.

At most one of an operand's alternatives stands for it in a row. A typed column has one. A property whose type shows
only in the row has one for each type that the dialect tells apart. A header field with a default is its column and,
where the column is NULL, a constant. In a row exactly one of three holds: an alternative stands for the operand, the
operand is NULL (``absent``), or its evaluation ends in an error.

A condition is three predicates: where it is TRUE, where it is FALSE, and where its evaluation ends in an error.
Elsewhere it is unknown. Each is lowered when it is first asked for: a filter asks for TRUE alone, NOT exchanges the
first two, and only a dialect whose evaluation can throw asks for errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE, STRING, ColumnType, SparkType
from transpiler.language.selector.dialect_rules import Evaluation, Logic
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType

#: Integers of any size, as far as Spark has digits.
DECIMAL = ColumnType(SparkType.DECIMAL, 38, 0)


class Alternative(NamedTuple):
    """A value of one type, and the predicate under which it stands for the operand; its own NULL also rules it out.

    ``shared_guard`` is all the guard that is needed where every alternative of the same value is meant.
    ``stands_where`` says without the value where the alternative stands, if that is known: it is the guard of a value
    that is not NULL wherever the guard holds.
    """

    type: OperandType
    value: ir.Value
    guard: ir.Predicate = ir.TRUE
    shared_guard: ir.Predicate | None = None
    stands_where: ir.Predicate | None = None

    @property
    def stands(self) -> ir.Predicate:
        """The rows where the alternative stands for the operand."""
        if self.stands_where is not None:
            return self.stands_where
        if isinstance(self.value, ir.Constant):
            return self.guard
        return ir.all_of(self.guard, ir.IsNull(self.value, negated=True))

    @property
    def number(self) -> int | None:
        """The integer of a literal beyond 64 bits; None for any other value."""
        value = self.value
        return int(value.value) if isinstance(value, ir.Constant) and value.type == DECIMAL else None


class Operand(NamedTuple):
    """The alternatives; where the operand has a value, where it is NULL, and where its evaluation ends in an error.

    ``origin`` is the property that it is, for types that are compared by identity. ``nearest`` has the numbers again,
    if a layout reads integers and fractions from one place: the double that is nearest to a number of either kind, and
    the numbers that it does not stand for. ``by_use`` has two more readings of an operand in which texts have lost
    their types; it is None if there is no such text.
    """

    alternatives: tuple[Alternative, ...]
    present: ir.Predicate
    absent: ir.Predicate
    error: ir.Predicate = ir.FALSE
    origin: str = ""
    nearest: tuple[Alternative, ...] = ()
    by_use: ByUse | None = None

    def of(self, *types: OperandType) -> tuple[Alternative, ...]:
        """The alternatives of some types."""
        return tuple([item for item in self.alternatives if item.type in types])

    def where(self, types: Iterable[OperandType]) -> ir.Predicate:
        """The rows where the operand has a value of one of some types; FALSE where it never has one."""
        chosen = set(types)
        if all(item.type in chosen for item in self.alternatives):
            return self.present
        return ir.any_of(*[item.stands for item in self.alternatives if item.type in chosen])

    def is_boolean(self, truth: bool) -> ir.Predicate:
        """The rows where the operand is TRUE, or FALSE."""
        tests: list[ir.Predicate] = []
        for item in self.of(OperandType.BOOLEAN):
            if isinstance(item.value, ir.Constant):
                tests.append(item.guard if item.value.value is truth else ir.FALSE)
            else:
                tests.append(ir.all_of(item.guard, ir.IsTrue(item.value, negated=not truth)))
        return ir.any_of(*tests)

    @property
    def nodes(self) -> Iterator[ir.Value | ir.Predicate]:
        """All values and predicates that the operand is made of."""
        for item in (*self.alternatives, *self.nearest):
            yield item.value
            yield from (part for part in (item.guard, item.shared_guard, item.stands_where) if part is not None)
        yield from (self.present, self.absent, self.error)


class ByUse(NamedTuple):
    """An operand with texts that have lost their types, each read as a number, and each read as a boolean.

    A text that spells no number, or no boolean, is a string in that reading.
    """

    number: Operand
    boolean: Operand


def as_number(operand: Operand) -> Operand:
    """Read a text typed by use as its number; any other operand stays."""
    return operand if operand.by_use is None else operand.by_use.number


def as_boolean(operand: Operand) -> Operand:
    """Read a text typed by use as its boolean; any other operand stays."""
    return operand if operand.by_use is None else operand.by_use.boolean


#: An operand that is NULL in every row.
NULL = Operand((), ir.FALSE, ir.TRUE)


def complement(predicate: ir.Predicate) -> ir.Predicate:
    """Return the predicate that holds exactly where another one does not."""
    return ir.BoolConst(not predicate.value) if isinstance(predicate, ir.BoolConst) else ir.NotTrue(predicate)


def restricted(operand: Operand, items: tuple[Alternative, ...]) -> Operand:
    """The operand with all its alternatives of some types only; NULL where its value is of another one."""
    present = operand.where({item.type for item in items}) if items else ir.FALSE
    return Operand(items, present, complement(ir.any_of(present, operand.error)), operand.error)


def is_finite(value: ir.Value, operator: Comparison = Comparison.EQ) -> ir.Predicate:
    """Test if a double is finite, or is not: times zero only what is infinite, or no number, is not zero."""
    return ir.Compare(operator, ir.Apply(ir.Function.MULTIPLY, (value, ir.constant(0.0)), DOUBLE), ir.constant(0.0))


def literal(kind: OperandType, value: bool | int | float | str) -> Operand:
    """A literal: one alternative, in every row."""
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        return in_every_row(Alternative(kind, ir.Constant(value, DECIMAL)))
    return in_every_row(Alternative(kind, ir.constant(value)))


def in_every_row(item: Alternative) -> Operand:
    """An operand that is one alternative in every row."""
    return Operand((item,), ir.TRUE, ir.FALSE)


def from_value(kind: OperandType, value: ir.Value) -> Operand:
    """An operand that is one value; NULL where the value is."""
    null = ir.without_conversions(value)
    return Operand((Alternative(kind, value),), ir.IsNull(null, negated=True), ir.IsNull(null))


def choice(operand: Operand, kind: OperandType, choices: Sequence[tuple[ir.Predicate, bool | str]]) -> Operand:
    """A constant for each of some predicates, one of which holds wherever the operand has a value."""
    items = tuple(Alternative(kind, ir.constant(value), condition) for condition, value in choices)
    return Operand(items, operand.present, operand.absent, operand.error)


def or_else(operand: Operand, other: Operand, where: ir.Predicate | None = None) -> Operand:
    """The operand, and where it is NULL the other one; ``where`` says that for some of these rows only."""
    if operand is NULL and (where is None or where is ir.TRUE):
        return Operand(other.alternatives, other.present, other.absent, other.error)
    if where is None or where == operand.absent:
        where, absent = operand.absent, ir.all_of(operand.absent, other.absent)
    else:
        absent = ir.any_of(ir.all_of(operand.absent, complement(where)), ir.all_of(where, other.absent))
    fallback = tuple(
        item._replace(
            guard=ir.all_of(where, item.guard),
            shared_guard=None if item.shared_guard is None else ir.all_of(where, item.shared_guard),
            stands_where=None if item.stands_where is None else ir.all_of(where, item.stands_where),
        )
        for item in other.alternatives
    )
    other_error = other.error if other.error == ir.FALSE else ir.all_of(where, other.error)
    rest = other.present if operand.error == ir.FALSE and where is operand.absent else ir.all_of(where, other.present)
    return Operand(
        operand.alternatives + fallback,
        ir.any_of(operand.present, rest),
        absent,
        ir.any_of(operand.error, other_error),
    )


def truth_value(true: ir.Predicate, false: ir.Predicate, error: ir.Predicate) -> Operand:
    """A condition as an operand: a boolean, and NULL where it is unknown."""
    items = (
        Alternative(OperandType.BOOLEAN, ir.constant(True), true),
        Alternative(OperandType.BOOLEAN, ir.constant(False), false),
    )
    return Operand(items, ir.any_of(true, false), complement(ir.any_of(true, false, error)), error)


def one_value(
    items: Sequence[Alternative], operand: Operand, convert: Callable[[Alternative], ir.Value] | None = None
) -> ir.Value:
    """Some alternatives of an operand, each converted, as one value that is NULL where none of them stands."""
    groups: dict[ir.Value, list[Alternative]] = {}
    for item in items:
        groups.setdefault(item.value if convert is None else convert(item), []).append(item)
    values: list[ir.Value] = []
    for value, group in groups.items():
        guard = guard_of(group, operand)
        # A value behind another one is only asked for if that one is NULL.
        implied = bool(values) and guard == ir.IsNull(ir.without_conversions(values[-1]))
        values.append(value if implied else ir.guarded(guard, value))
    return ir.first_of(values, widest_type(values))


def guard_of(group: Sequence[Alternative], operand: Operand) -> ir.Predicate:
    """The rows where one of some alternatives of one value stands; shorter where they are all of that value."""
    if len(group) == 1 and group[0].guard == ir.TRUE:
        return ir.TRUE
    shared, value = group[0].shared_guard, group[0].value
    if shared is not None and len(group) == sum(item.value == value for item in operand.alternatives):
        return shared
    return ir.any_of(*[item.guard for item in group])


def with_valid_guards(pairs: Sequence[tuple[Alternative, Alternative]], operand: Operand) -> list[Alternative]:
    """Return the second alternative of each pair, computed from the first, without a shared guard that holds no longer.

    A shared guard is one of all types that a value has. Where only some of these types have the new value, as the
    narrow and the wide negative of one integer column, each needs the guard of its own type.
    """
    before = Counter(item.value for item in operand.alternatives)
    after = Counter(new.value for _, new in pairs)
    return [new if before[old.value] == after[new.value] else new._replace(shared_guard=None) for old, new in pairs]


def widest_type(values: Sequence[ir.Value]) -> ColumnType:
    """The type that has all values of some of one class."""
    types = {value.type for value in values}
    if len(types) == 1:
        return values[0].type
    return DECIMAL if DECIMAL in types else BIGINT if BIGINT in types else ColumnType(SparkType.INT)


#: The text of a Java byte array, before its address, which is unknown.
_ARRAY = ir.constant("[B@")


def java_text(item: Alternative) -> ir.Value:
    """A value as Java's string concatenation writes it."""
    match item.type:
        case OperandType.STRING | OperandType.CHAR | OperandType.ATOM:
            return item.value
        case OperandType.BYTES:
            return ir.When(ir.IsNull(item.value, negated=True), _ARRAY)
        case OperandType.BIG:
            return ir.constant(str(item.number))
        case OperandType.FLOAT:
            return ir.Apply(ir.Function.TEXT_OF_FLOAT, (item.value,), STRING)
        case _:
            return ir.Apply(ir.Function.JAVA_TEXT, (item.value,), STRING)


#: A predicate, or what lowers it.
Lazy = ir.Predicate | Callable[[], ir.Predicate]


class Outcomes:
    """The outcomes of one condition, each as a predicate or as what lowers it."""

    __slots__ = ("_error", "_false", "_true")

    def __init__(self, true: Lazy, false: Lazy, error: Lazy = ir.FALSE) -> None:
        self._true, self._false, self._error = true, false, error

    @property
    def true(self) -> ir.Predicate:
        """The rows where the condition is TRUE."""
        if callable(self._true):
            self._true = self._true()
        return self._true

    @property
    def false(self) -> ir.Predicate:
        """The rows where the condition is FALSE."""
        if callable(self._false):
            self._false = self._false()
        return self._false

    @property
    def error(self) -> ir.Predicate:
        """The rows where the evaluation of the condition ends in an error."""
        if callable(self._error):
            self._error = self._error()
        return self._error

    def negated(self) -> Outcomes:
        """Return the outcomes of NOT: TRUE and FALSE change places, unknown and errors stay."""
        return Outcomes(lambda: self.false, lambda: self.true, lambda: self.error)

    def as_operand(self) -> Operand:
        """Return the condition as an operand: a boolean, and NULL where it is unknown."""
        return truth_value(self.true, self.false, self.error)


def boolean_operand(operand: Operand, others_are_false: bool) -> Outcomes:
    """Return an operand as a condition: TRUE and FALSE where its value is; in some dialects no boolean is FALSE."""

    def false() -> ir.Predicate:
        others = [item.type for item in operand.alternatives if item.type is not OperandType.BOOLEAN]
        return ir.any_of(operand.is_boolean(False), operand.where(others) if others_are_false and others else ir.FALSE)

    return Outcomes(lambda: operand.is_boolean(True), false, operand.error)


def conjunction(terms: Sequence[Outcomes], dialect: Dialect) -> Outcomes:
    """AND, by the dialect's table of truth and order of evaluation."""
    return _junction(terms, dialect, is_disjunction=False)


def disjunction(terms: Sequence[Outcomes], dialect: Dialect) -> Outcomes:
    """OR, by the dialect's table of truth and order of evaluation."""
    return _junction(terms, dialect, is_disjunction=True)


def _junction(terms: Sequence[Outcomes], dialect: Dialect, is_disjunction: bool) -> Outcomes:
    """Return AND, which FALSE decides, or OR, which TRUE decides.

    Where all terms are reached, SQL's tables need only the terms' own predicates. Else the terms are joined two by
    two in a balanced tree, for both tables are associative.
    """
    strict = dialect.evaluation is Evaluation.STRICT
    joined: list[Outcomes] = []

    def all_are_reached() -> bool:
        # Each term is evaluated, or might as well be, for none throws.
        return strict or all(term.error == ir.FALSE for term in terms)

    def calm(predicate: ir.Predicate) -> ir.Predicate:
        # Strict evaluation has no outcome where any term throws.
        return ir.all_of(predicate, complement(whole.error)) if strict else predicate

    def tree() -> Outcomes:
        if not joined:
            joined.append(_balanced(terms, dialect, is_disjunction))
        return joined[0]

    def true() -> ir.Predicate:
        if not is_disjunction:
            return calm(ir.all_of(*[term.true for term in terms]))
        return calm(ir.any_of(*[term.true for term in terms])) if all_are_reached() else tree().true

    def false() -> ir.Predicate:
        if dialect.logic is Logic.SQL and is_disjunction:
            return calm(ir.all_of(*[term.false for term in terms]))
        if dialect.logic is Logic.SQL and all_are_reached():
            return calm(ir.any_of(*[term.false for term in terms]))
        return calm(tree().false)

    def error() -> ir.Predicate:
        return ir.any_of(*[term.error for term in terms]) if all_are_reached() else tree().error

    whole = Outcomes(true, false, error)
    return whole


def _balanced(terms: Sequence[Outcomes], dialect: Dialect, is_disjunction: bool) -> Outcomes:
    level = list(terms)
    while len(level) > 1:
        pairs = [_pair(level[at], level[at + 1], dialect, is_disjunction) for at in range(0, len(level) - 1, 2)]
        level = pairs + level[len(pairs) * 2 :]
    return level[0]


def _pair(left: Outcomes, right: Outcomes, dialect: Dialect, is_disjunction: bool) -> Outcomes:
    """Return AND or OR of two conditions of which the left one is evaluated first.

    In strict evaluation both are, and the whole junction says where a term throws. Broker-J forgets an unknown left
    side of OR, and an unknown left side ends its AND.
    """
    own_logic = dialect.logic is Logic.QPID_JAVA

    def reached() -> ir.Predicate:
        # The rows where the left side has not thrown.
        return ir.TRUE if dialect.evaluation is Evaluation.STRICT else complement(left.error)

    def true() -> ir.Predicate:
        if not is_disjunction:
            return ir.all_of(left.true, right.true)
        return ir.any_of(left.true, ir.all_of(right.true, reached()))

    def false() -> ir.Predicate:
        if is_disjunction:
            if own_logic:
                return ir.all_of(right.false, complement(left.true), reached())
            return ir.all_of(left.false, right.false)
        if own_logic:
            return ir.any_of(left.false, ir.all_of(left.true, right.false))
        return ir.any_of(left.false, ir.all_of(right.false, reached()))

    def error() -> ir.Predicate:
        evaluated = complement(left.true) if is_disjunction else left.true if own_logic else complement(left.false)
        return ir.any_of(left.error, ir.all_of(right.error, evaluated))

    return Outcomes(true, false, error)
