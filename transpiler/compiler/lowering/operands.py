"""Values of expressions: an operand as typed alternatives, and a condition as predicates by polarity.

In each row, at most one alternative of an operand applies. A typed column has one alternative. A property whose type is
known only in the row has an alternative for each type that the dialect distinguishes. A header field with a default has
its column and, for rows in which the column is NULL, a constant. In each row, exactly one of these is true: an
alternative applies, the operand is NULL (``absent``), or its evaluation ends in an error.

Some fields of operands only make the SQL shorter; the docstring of ``comparison`` measures each of them.

A condition is three predicates: for the rows in which it is TRUE, those in which it is FALSE, and those in which its
evaluation ends in an error. In all other rows it is unknown. Each predicate is lowered when it is first needed: a
filter needs only TRUE, NOT swaps TRUE and FALSE, and only a dialect whose evaluation can throw needs errors.
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

#: The type of integers beyond 64 bits: the widest DECIMAL of Spark.
DECIMAL = ColumnType(SparkType.DECIMAL, 38, 0)


class Alternative(NamedTuple):
    """One of the typed values that an operand can have in different rows, with the test for these rows.

    The operand has ``value``, as a value of ``type``, in the rows in which ``guard`` holds and ``value`` is not NULL.
    ``applies_where`` is a shorter predicate for the same rows, or None.

    Several alternatives can have the same SQL value with different types, such as int and long. Then ``shared_guard``
    is a short predicate for the rows in which any of them applies; otherwise it is None.
    """

    type: OperandType
    value: ir.Value
    guard: ir.Predicate = ir.TRUE
    shared_guard: ir.Predicate | None = None
    applies_where: ir.Predicate | None = None

    @property
    def applies(self) -> ir.Predicate:
        """The predicate for the rows in which the operand has the value of this alternative."""
        if self.applies_where is not None:
            return self.applies_where
        if isinstance(self.value, ir.Constant):
            return self.guard
        return ir.all_of(self.guard, ir.IsNull(self.value, negated=True))

    @property
    def number(self) -> int | None:
        """The integer of a literal beyond 64 bits; None for any other value."""
        value = self.value
        return int(value.value) if isinstance(value, ir.Constant) and value.type == DECIMAL else None


class Operand(NamedTuple):
    """The lowered value of an expression: ``alternatives`` contains a value for each type that it can have in a row.

    In a row, at most one alternative applies. ``present``, ``absent`` and ``error`` are predicates for the rows in
    which the expression has a value, is NULL, or throws.

    - ``origin``: the name of the property that the operand reads, or "". Java compares byte arrays by identity, so a
      property of bytes equals only itself.
    - ``nearest``: the numbers of the operand, with one double for a column that contains both integers and fractions;
      empty if there is no such column.
    - ``by_use``: two more versions of an operand that contains untyped texts; otherwise None.
    """

    alternatives: tuple[Alternative, ...]
    present: ir.Predicate
    absent: ir.Predicate
    error: ir.Predicate = ir.FALSE
    origin: str = ""
    nearest: tuple[Alternative, ...] = ()
    by_use: ByUse | None = None

    def of(self, *types: OperandType) -> tuple[Alternative, ...]:
        """Return the alternatives whose type is in ``types``."""
        return tuple([item for item in self.alternatives if item.type in types])

    def where(self, types: Iterable[OperandType]) -> ir.Predicate:
        """Return the predicate that the operand has a value of one of ``types``."""
        chosen = set(types)
        if all(item.type in chosen for item in self.alternatives):
            return self.present
        return ir.any_of(*[item.applies for item in self.alternatives if item.type in chosen])

    def is_boolean(self, truth: bool) -> ir.Predicate:
        """Return the predicate that the operand is the boolean ``truth``."""
        tests: list[ir.Predicate] = []
        for item in self.of(OperandType.BOOLEAN):
            if isinstance(item.value, ir.Constant):
                tests.append(item.guard if item.value.value is truth else ir.FALSE)
            else:
                tests.append(ir.all_of(item.guard, ir.IsTrue(item.value, negated=not truth)))
        return ir.any_of(*tests)

    @property
    def nodes(self) -> Iterator[ir.Value | ir.Predicate]:
        """All values and predicates that the operand contains."""
        for item in (*self.alternatives, *self.nearest):
            yield item.value
            yield from (part for part in (item.guard, item.shared_guard, item.applies_where) if part is not None)
        yield from (self.present, self.absent, self.error)


class ByUse(NamedTuple):
    """Two versions of an operand that has untyped texts, which are texts whose original type is lost.

    In ``number``, a text that spells a number is that number; in ``boolean``, a text that spells a boolean is that
    boolean. Any other text remains a string. ``untyped`` holds in rows in which the operand is an untyped text.
    """

    number: Operand
    boolean: Operand
    untyped: ir.Predicate


def as_number(operand: Operand) -> Operand:
    """Return ``operand`` with its untyped texts read as numbers; return an operand without such texts unchanged."""
    return operand if operand.by_use is None else operand.by_use.number


def as_boolean(operand: Operand) -> Operand:
    """Return ``operand`` with its untyped texts read as booleans; return an operand without such texts unchanged."""
    return operand if operand.by_use is None else operand.by_use.boolean


#: An operand that is NULL in every row.
NULL = Operand((), ir.FALSE, ir.TRUE)


def complement(predicate: ir.Predicate) -> ir.Predicate:
    """Return the predicate that holds in exactly the rows in which ``predicate`` does not hold."""
    return ir.BoolConst(not predicate.value) if isinstance(predicate, ir.BoolConst) else ir.NotTrue(predicate)


def restricted(operand: Operand, items: tuple[Alternative, ...]) -> Operand:
    """Return ``operand`` restricted to ``items``, which are all its alternatives of certain types.

    In rows in which ``operand`` has a value of another type, the result is NULL.
    """
    present = operand.where({item.type for item in items}) if items else ir.FALSE
    return Operand(items, present, complement(ir.any_of(present, operand.error)), operand.error)


def is_finite(value: ir.Value, operator: Comparison = Comparison.EQ) -> ir.Predicate:
    """Return the test that a double is finite (its product with zero is zero); with ``<>``, that it is not."""
    return ir.Compare(operator, ir.Apply(ir.Function.MULTIPLY, (value, ir.constant(0.0)), DOUBLE), ir.constant(0.0))


def literal(kind: OperandType, value: bool | int | float | str) -> Operand:
    """Return the operand of a literal, which has the same value in every row; an integer can exceed 64 bits."""
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        return in_every_row(Alternative(kind, ir.Constant(value, DECIMAL)))
    return in_every_row(Alternative(kind, ir.constant(value)))


def in_every_row(item: Alternative) -> Operand:
    """Return an operand whose only alternative is ``item``, which has a value in every row."""
    return Operand((item,), ir.TRUE, ir.FALSE)


def from_value(kind: OperandType, value: ir.Value) -> Operand:
    """Return an operand with one value, which is NULL if ``value`` is NULL."""
    null = ir.without_conversions(value)
    return Operand((Alternative(kind, value),), ir.IsNull(null, negated=True), ir.IsNull(null))


def choice(operand: Operand, kind: OperandType, choices: Sequence[tuple[ir.Predicate, bool | str]]) -> Operand:
    """Return an operand that is, in each row, the constant whose predicate in ``choices`` holds.

    One of the predicates must hold if ``operand`` has a value. If ``operand`` is NULL, the result is NULL.
    """
    items = tuple(Alternative(kind, ir.constant(value), condition) for condition, value in choices)
    return Operand(items, operand.present, operand.absent, operand.error)


def or_else(operand: Operand, other: Operand, where: ir.Predicate | None = None) -> Operand:
    """Return ``operand``, or ``other`` if ``operand`` is NULL.

    If ``where`` is not None, ``other`` is used only if ``where`` holds.
    """
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
            applies_where=None if item.applies_where is None else ir.all_of(where, item.applies_where),
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
    """Return a condition as an operand: a boolean that is NULL if the condition is unknown."""
    items = (
        Alternative(OperandType.BOOLEAN, ir.constant(True), true),
        Alternative(OperandType.BOOLEAN, ir.constant(False), false),
    )
    return Operand(items, ir.any_of(true, false), complement(ir.any_of(true, false, error)), error)


def one_value(
    items: Sequence[Alternative], operand: Operand, convert: Callable[[Alternative], ir.Value] | None = None
) -> ir.Value:
    """Merge ``items``, alternatives of ``operand``, into one IR value: a COALESCE of their guarded values.

    The value is NULL in rows in which none of ``items`` applies. If ``convert`` is not None, it is called with each
    alternative and returns the value to use for it.
    """
    groups: dict[ir.Value, list[Alternative]] = {}
    for item in items:
        groups.setdefault(item.value if convert is None else convert(item), []).append(item)
    values: list[ir.Value] = []
    for value, group in groups.items():
        guard = guard_of(group, operand)
        # The values become the arguments of a COALESCE, which evaluates each of them only if the value before is NULL.
        # A guard that only tests that the value before is NULL is therefore redundant.
        implied = bool(values) and guard == ir.IsNull(ir.without_conversions(values[-1]))
        values.append(value if implied else ir.guarded(guard, value))
    return ir.first_of(values, widest_type(values))


def guard_of(group: Sequence[Alternative], operand: Operand) -> ir.Predicate:
    """Return the predicate that one of the guards of ``group`` holds.

    ``group`` are alternatives of ``operand`` with the same SQL value. If they are all alternatives with this value,
    return their ``shared_guard``, which is shorter than an OR of their guards.
    """
    if len(group) == 1 and group[0].guard == ir.TRUE:
        return ir.TRUE
    shared, value = group[0].shared_guard, group[0].value
    if shared is not None and len(group) == sum(item.value == value for item in operand.alternatives):
        return shared
    return ir.any_of(*[item.guard for item in group])


def with_valid_guards(pairs: Sequence[tuple[Alternative, Alternative]], operand: Operand) -> list[Alternative]:
    """Return the second alternative of each pair, which was computed from the first, an alternative of ``operand``.

    A ``shared_guard`` is valid for all alternatives with the same SQL value. It is removed if the computation has given
    them different values: for example, the SQL of ``-a`` differs for an int and a long.
    """
    before = Counter(item.value for item in operand.alternatives)
    after = Counter(new.value for _, new in pairs)
    return [new if before[old.value] == after[new.value] else new._replace(shared_guard=None) for old, new in pairs]


def widest_type(values: Sequence[ir.Value]) -> ColumnType:
    """Return the widest type of ``values``, which are all integers or all of one type."""
    types = {value.type for value in values}
    if len(types) == 1:
        return values[0].type
    return DECIMAL if DECIMAL in types else BIGINT if BIGINT in types else ColumnType(SparkType.INT)


#: The beginning of the text of a Java byte array; its address follows, which is unknown.
_ARRAY = ir.constant("[B@")


def java_text(item: Alternative) -> ir.Value:
    """Return the text that Java's string concatenation writes for a value."""
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


#: A predicate, or a function without parameters that lowers a condition and returns its predicate.
Lazy = ir.Predicate | Callable[[], ir.Predicate]


class Outcomes:
    """The predicates that one condition of a selector is TRUE, is FALSE, or throws; if none holds, it is unknown.

    Each predicate is lowered when it is first read.
    """

    __slots__ = ("_error", "_false", "_true")

    def __init__(self, true: Lazy, false: Lazy, error: Lazy = ir.FALSE) -> None:
        self._true, self._false, self._error = true, false, error

    @property
    def true(self) -> ir.Predicate:
        """The predicate that the condition is TRUE."""
        if callable(self._true):
            self._true = self._true()
        return self._true

    @property
    def false(self) -> ir.Predicate:
        """The predicate that the condition is FALSE."""
        if callable(self._false):
            self._false = self._false()
        return self._false

    @property
    def error(self) -> ir.Predicate:
        """The predicate that the evaluation of the condition ends in an error."""
        if callable(self._error):
            self._error = self._error()
        return self._error

    def negated(self) -> Outcomes:
        """Return the outcomes of NOT: TRUE and FALSE are swapped; unknown and errors stay the same."""
        return Outcomes(lambda: self.false, lambda: self.true, lambda: self.error)

    def as_operand(self) -> Operand:
        """Return the condition as an operand: a boolean that is NULL if the condition is unknown."""
        return truth_value(self.true, self.false, self.error)


def boolean_operand(operand: Operand, others_are_false: bool) -> Outcomes:
    """Return ``operand`` as a condition. If ``others_are_false``, it is FALSE for a value that is not a boolean."""

    def false() -> ir.Predicate:
        others = [item.type for item in operand.alternatives if item.type is not OperandType.BOOLEAN]
        return ir.any_of(operand.is_boolean(False), operand.where(others) if others_are_false and others else ir.FALSE)

    return Outcomes(lambda: operand.is_boolean(True), false, operand.error)


def conjunction(terms: Sequence[Outcomes], dialect: Dialect) -> Outcomes:
    """Return the AND of ``terms`` by the dialect's truth table and order of evaluation."""
    return _junction(terms, dialect, is_disjunction=False)


def disjunction(terms: Sequence[Outcomes], dialect: Dialect) -> Outcomes:
    """Return the OR of ``terms`` by the dialect's truth table and order of evaluation."""
    return _junction(terms, dialect, is_disjunction=True)


def _junction(terms: Sequence[Outcomes], dialect: Dialect, is_disjunction: bool) -> Outcomes:
    """Return the outcomes of the AND of ``terms``, or of their OR if ``is_disjunction``.

    If the dialect evaluates all terms and has SQL's truth tables, the result is a plain AND or OR of the terms'
    predicates. Otherwise the terms are joined two by two in a balanced tree. The order of joining does not matter,
    because AND and OR are associative in all dialects.
    """
    strict = dialect.evaluation is Evaluation.STRICT
    joined: list[Outcomes] = []

    def all_are_reached() -> bool:
        # True if every term is evaluated, or if evaluating all terms makes no difference because no term throws.
        return strict or all(term.error == ir.FALSE for term in terms)

    def calm(predicate: ir.Predicate) -> ir.Predicate:
        # In strict evaluation all terms are evaluated, so ``predicate`` must not hold in rows in which a term throws.
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
    """Return the AND of two conditions, or their OR if ``is_disjunction``; ``left`` is evaluated first.

    ``right`` is not evaluated if ``left`` decides the result or throws. In strict evaluation it is always evaluated,
    and ``_junction`` handles the rows in which a term throws.

    The broker Broker-J differs (``own_logic``): its OR treats an unknown ``left`` as FALSE, and its AND does not
    evaluate ``right`` after an unknown ``left``.
    """
    own_logic = dialect.logic is Logic.QPID_JAVA

    def reached() -> ir.Predicate:
        # The predicate that ``right`` is evaluated although ``left`` may throw: always in strict evaluation, otherwise
        # if ``left`` does not throw.
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
