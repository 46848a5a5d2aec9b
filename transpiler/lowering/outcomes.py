"""A condition by polarity: where it is TRUE, where it is FALSE, and where its evaluation ends in an error.

Elsewhere it is unknown. Each of the three is a predicate, lowered when it is first asked for: a filter asks for TRUE
alone, NOT exchanges the first two, and only a dialect whose evaluation can throw asks for errors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from transpiler import ir
from transpiler.lowering.operands import Operand, complement
from transpiler.message.operand_types import OperandType
from transpiler.selector.dialect_rules import Evaluation, Logic
from transpiler.selector.dialects import Dialect


class Outcomes(ABC):
    """The outcomes of one condition; a kind of condition says how each is lowered."""

    __slots__ = ("_error", "_false", "_true")

    def __init__(self) -> None:
        self._true: ir.Predicate | None = None
        self._false: ir.Predicate | None = None
        self._error: ir.Predicate | None = None

    @property
    def true(self) -> ir.Predicate:
        """The rows where the condition is TRUE."""
        if self._true is None:
            self._true = self.lower_true()
        return self._true

    @property
    def false(self) -> ir.Predicate:
        """The rows where the condition is FALSE."""
        if self._false is None:
            self._false = self.lower_false()
        return self._false

    @property
    def error(self) -> ir.Predicate:
        """The rows where the evaluation of the condition ends in an error."""
        if self._error is None:
            self._error = self.lower_error()
        return self._error

    @abstractmethod
    def lower_true(self) -> ir.Predicate:
        """Lower the condition for TRUE."""

    @abstractmethod
    def lower_false(self) -> ir.Predicate:
        """Lower the condition for FALSE."""

    @abstractmethod
    def lower_error(self) -> ir.Predicate:
        """Lower the condition for an error."""

    def negated(self) -> Outcomes:
        """The outcomes of NOT of the condition."""
        return Negation(self)

    def as_operand(self) -> Operand:
        """The condition as an operand: a boolean, and NULL where it is unknown."""
        from transpiler.lowering.operands import truth_value

        return truth_value(self.true, self.false, self.error)


class Settled(Outcomes):
    """Outcomes whose predicates are at hand."""

    __slots__ = ()

    def __init__(self, true: ir.Predicate, false: ir.Predicate, error: ir.Predicate = ir.FALSE) -> None:
        self._true, self._false, self._error = true, false, error

    def lower_true(self) -> ir.Predicate:
        """Unreachable: the predicate is at hand."""
        raise AssertionError

    lower_false = lower_error = lower_true


class Negation(Outcomes):
    """NOT: TRUE and FALSE change places, unknown and errors stay."""

    __slots__ = ("_operand",)

    def __init__(self, operand: Outcomes) -> None:
        super().__init__()
        self._operand = operand

    def lower_true(self) -> ir.Predicate:
        """The rows where the operand is FALSE."""
        return self._operand.false

    def lower_false(self) -> ir.Predicate:
        """The rows where the operand is TRUE."""
        return self._operand.true

    def lower_error(self) -> ir.Predicate:
        """The rows where the operand ends in an error."""
        return self._operand.error

    def negated(self) -> Outcomes:
        """The operand itself."""
        return self._operand


class BooleanOperand(Outcomes):
    """An operand as a condition: TRUE and FALSE where its value is."""

    __slots__ = ("_operand", "_others_are_false")

    def __init__(self, operand: Operand, others_are_false: bool) -> None:
        super().__init__()
        self._operand = operand
        self._others_are_false = others_are_false

    def lower_true(self) -> ir.Predicate:
        """The rows where the operand is TRUE."""
        return self._is(True)

    def lower_false(self) -> ir.Predicate:
        """The rows where the operand is FALSE, or, in some dialects, no boolean."""
        others = [item.type for item in self._operand.alternatives if item.type is not OperandType.BOOLEAN]
        other = self._operand.where(others) if self._others_are_false and others else ir.FALSE
        return ir.any_of(self._is(False), other)

    def lower_error(self) -> ir.Predicate:
        """The rows where the operand ends in an error."""
        return self._operand.error

    def _is(self, value: bool) -> ir.Predicate:
        booleans = self._operand.of(OperandType.BOOLEAN)
        return ir.any_of(*[ir.all_of(item.guard, _flag(item.value, value)) for item in booleans])


def _flag(value: ir.Value, truth: bool) -> ir.Predicate:
    if isinstance(value, ir.Constant):
        return ir.BoolConst(value.value is truth)
    return ir.IsTrue(value, negated=not truth)


class NullTest(Outcomes):
    """IS NULL: TRUE or FALSE, never unknown."""

    __slots__ = ("_operand",)

    def __init__(self, operand: Operand) -> None:
        super().__init__()
        self._operand = operand

    def lower_true(self) -> ir.Predicate:
        """The rows where the operand is NULL."""
        return self._operand.absent

    def lower_false(self) -> ir.Predicate:
        """The rows where the operand has a value."""
        return self._operand.present

    def lower_error(self) -> ir.Predicate:
        """The rows where the operand ends in an error."""
        return self._operand.error


def conjunction(terms: Sequence[Outcomes], dialect: Dialect) -> Outcomes:
    """AND, by the dialect's table of truth and order of evaluation."""
    return _Junction(terms, dialect, deciding=False)


def disjunction(terms: Sequence[Outcomes], dialect: Dialect) -> Outcomes:
    """OR, by the dialect's table of truth and order of evaluation."""
    return _Junction(terms, dialect, deciding=True)


class _Junction(Outcomes):
    """AND, which FALSE decides, or OR, which TRUE decides.

    Where all terms are reached, SQL's tables need only the terms' own predicates. Else the terms are joined two by
    two in a balanced tree, for both tables are associative.
    """

    __slots__ = ("_binary", "_deciding", "_dialect", "_terms")

    def __init__(self, terms: Sequence[Outcomes], dialect: Dialect, deciding: bool) -> None:
        super().__init__()
        self._terms = terms
        self._dialect = dialect
        self._deciding = deciding
        self._binary: Outcomes | None = None

    def lower_true(self) -> ir.Predicate:
        """For AND all terms are TRUE; for OR one is that is reached."""
        if not self._deciding:
            return self._calm(ir.all_of(*[term.true for term in self._terms]))
        if self._all_are_reached():
            return self._calm(ir.any_of(*[term.true for term in self._terms]))
        return self._joined().true

    def lower_false(self) -> ir.Predicate:
        """For OR all terms are FALSE; for AND one is that is reached."""
        if self._dialect.logic is Logic.SQL and self._deciding:
            return self._calm(ir.all_of(*[term.false for term in self._terms]))
        if self._dialect.logic is Logic.SQL and self._all_are_reached():
            return self._calm(ir.any_of(*[term.false for term in self._terms]))
        return self._calm(self._joined().false)

    def lower_error(self) -> ir.Predicate:
        """The rows where a term throws that is reached."""
        if self._all_are_reached():
            return ir.any_of(*[term.error for term in self._terms])
        return self._joined().error

    def _all_are_reached(self) -> bool:
        """Return True if each term is evaluated, or might as well be, for none throws."""
        strict = self._dialect.evaluation is Evaluation.STRICT
        return strict or all(term.error == ir.FALSE for term in self._terms)

    def _calm(self, predicate: ir.Predicate) -> ir.Predicate:
        """Strict evaluation has no outcome where any term throws."""
        if self._dialect.evaluation is not Evaluation.STRICT:
            return predicate
        return ir.all_of(predicate, complement(self.error))

    def _joined(self) -> Outcomes:
        if self._binary is None:
            terms = list(self._terms)
            while len(terms) > 1:
                pairs: list[Outcomes] = [
                    _BinaryJunction(terms[at], terms[at + 1], self._dialect, self._deciding)
                    for at in range(0, len(terms) - 1, 2)
                ]
                terms = pairs + terms[len(pairs) * 2 :]
            [self._binary] = terms
        return self._binary


class _BinaryJunction(Outcomes):
    """AND or OR of two conditions of which the left one is evaluated first.

    In strict evaluation both are, and the whole junction says where a term throws.
    """

    __slots__ = ("_dialect", "_disjunction", "_left", "_right")

    def __init__(self, left: Outcomes, right: Outcomes, dialect: Dialect, is_disjunction: bool) -> None:
        super().__init__()
        self._left = left
        self._right = right
        self._dialect = dialect
        self._disjunction = is_disjunction

    def lower_true(self) -> ir.Predicate:
        """The rows where both are TRUE, or for OR the first that is reached."""
        left, right = self._left, self._right
        if not self._disjunction:
            return ir.all_of(left.true, right.true)
        return ir.any_of(left.true, ir.all_of(right.true, self._reached_after(left)))

    def lower_false(self) -> ir.Predicate:
        """The rows where both are FALSE, or for AND the first that is reached; Broker-J forgets an unknown one."""
        left, right = self._left, self._right
        own_logic = self._dialect.logic is Logic.QPID_JAVA
        if self._disjunction:
            if own_logic:
                return ir.all_of(right.false, complement(left.true), self._reached_after(left))
            return ir.all_of(left.false, right.false)
        if own_logic:
            # An unknown left side ends its AND.
            return ir.any_of(left.false, ir.all_of(left.true, right.false))
        return ir.any_of(left.false, ir.all_of(right.false, self._reached_after(left)))

    def lower_error(self) -> ir.Predicate:
        """The rows where a side throws that is evaluated."""
        left, right = self._left, self._right
        if self._disjunction:
            reached = complement(left.true)
        else:
            reached = left.true if self._dialect.logic is Logic.QPID_JAVA else complement(left.false)
        return ir.any_of(left.error, ir.all_of(right.error, reached))

    def _reached_after(self, left: Outcomes) -> ir.Predicate:
        """The rows where the left side has not thrown."""
        return ir.TRUE if self._dialect.evaluation is Evaluation.STRICT else complement(left.error)
