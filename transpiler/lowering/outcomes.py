"""A condition by polarity: where it is TRUE, where it is FALSE, and where its evaluation ends in an error.

Elsewhere it is unknown. Each of the three is a predicate, lowered when it is first asked for: a filter asks for TRUE
alone, NOT exchanges the first two, and only a dialect whose evaluation can throw asks for errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from transpiler import ir
from transpiler.lowering.operands import Operand, complement, truth_value
from transpiler.message.operand_types import OperandType
from transpiler.selector.dialect_rules import Evaluation, Logic
from transpiler.selector.dialects import Dialect

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
