"""Case analysis: can conditions have given outcomes together? Exact in a fragment, and never a false "no".

The idea: each name's values are split into cells, in which every test of that name has the same outcomes. What is left
are finitely many cases, and a condition is evaluated in a case by the dialect's tables of truth. Conditions over
different names are independent, so names are bound one after the other and a requirement is checked as soon as its
names are bound.

The fragment is that of ``satisfiability``: AND, OR and NOT over tests of one name against literals. In it the answer
is exact. A test outside of it, such as ``a = b`` or ``a + 1 > 2``, is a variable of its own with any outcome: the same
test has the same outcome wherever it stands, and all else about it is unknown. So more cases are considered than there
are messages, and what is impossible in all of them is impossible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from transpiler.lint.cells import (
    FALSE,
    NOT_TRUE,
    OUTCOMES,
    THROWN,
    TRUE,
    UNKNOWN,
    Cell,
    CellValue,
    split_values,
)
from transpiler.lint.field_values import field_values
from transpiler.message.message import Message
from transpiler.reference.evaluate import judge
from transpiler.selector import ast
from transpiler.selector.dialect_rules import Evaluation, Logic
from transpiler.selector.dialects import Dialect
from transpiler.selector.satisfiability import Meaning, Meanings, Name, identity_of, meaning_of
from transpiler.selector.value_sets import EVERYTHING, NOTHING, ValueSet, intersection

#: Tests in the conditions of one question, and cases that are looked at for one.
MAX_TESTS, MAX_CASES = 400, 4_000


class TestOutcome(NamedTuple):
    """A test whose outcome is a variable."""

    key: object


#: A name, or a test.
Variable = Name | TestOutcome


class Requirement(NamedTuple):
    """A condition, and the outcomes that it shall have."""

    condition: ast.Expression
    outcomes: int = TRUE


class Case(NamedTuple):
    """Values of names for which the requirements may hold; ``exact`` if they do."""

    values: dict[Name, CellValue]
    exact: bool


@dataclass(slots=True)
class _Test:
    """A test that conditions consist of."""

    key: object
    name: Name | None
    meaning: Meaning
    #: The place of the test among those of its name.
    place: int = 0
    #: True if the value of the name does not decide the outcome alone.
    ambiguous: bool = False

    @property
    def variable(self) -> TestOutcome:
        return TestOutcome(self.key)


@dataclass(slots=True)
class _Binding:
    """The cells of the names, and the outcomes of ambiguous tests, that are bound so far."""

    cells: dict[Variable, Cell] = field(default_factory=dict)
    outcomes: dict[Variable, int] = field(default_factory=dict)


class TooManyCasesError(Exception):
    """The question has more cases than are looked at."""


class Cases:
    """The tests of some conditions in one dialect, and the questions about them."""

    def __init__(
        self,
        conditions: Sequence[ast.Expression],
        dialect: Dialect,
        max_tests: int = MAX_TESTS,
        known: Meanings | None = None,
    ) -> None:
        self._dialect = dialect
        self._max_tests = max_tests
        self._known: Meanings = {} if known is None else known
        self._subjects: dict[int, frozenset[Variable]] = {}
        self._tests: dict[object, _Test] = {}
        #: The test of each node, and True if the node is its negation; the keys are ids.
        self._test_nodes: dict[int, tuple[_Test, bool]] = {}
        self._of_name: dict[Name, list[_Test]] = {}
        self._cells: dict[Name, list[Cell]] = {}
        self._variables: dict[int, frozenset[Variable]] = {}
        #: Keeps the nodes whose ids are keys.
        self._nodes: list[ast.Expression] = []
        for condition in conditions:
            self._collect(condition)

    def possible(self, requirements: Sequence[Requirement]) -> Case | None:
        """Return a case in which all requirements may hold, or None if there is none.

        Raise ``TooManyCasesError`` if that is not decided within ``MAX_CASES``.
        """
        split = [part for requirement in requirements for part in self._split(requirement)]
        # A case costs as much as the conditions are long.
        budget = [max(200, MAX_CASES * 10 // max(10, len(self._tests)))]
        bound = _Binding()
        for component in self._components(split):
            if not self._bind(component, bound, budget):
                return None
        values = {name: cell.value for name, cell in bound.cells.items() if not isinstance(name, TestOutcome)}
        return Case(values, exact=not bound.outcomes)

    def impossible(self, *requirements: Requirement) -> bool:
        """Return True if it is certain that no message meets all requirements."""
        try:
            return self.possible(requirements) is None
        except TooManyCasesError:
            return False

    def related(self, first: ast.Expression, second: ast.Expression) -> bool:
        """Return True if two conditions test a name in common, or have a test of no one name in common."""
        return not self._subjects_of(first).isdisjoint(self._subjects_of(second))

    def _subjects_of(self, node: ast.Expression) -> frozenset[Variable]:
        known = self._subjects.get(id(node))
        if known is None:
            self._nodes.append(node)
            known = self._subjects[id(node)] = frozenset(self._find_subjects(node))
        return known

    def _find_subjects(self, node: ast.Expression) -> Iterator[Variable]:
        match node:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                for term in terms:
                    yield from self._subjects_of(term)
            case ast.Not(operand=operand):
                yield from self._subjects_of(operand)
            case _:
                test = self._test_of(node)[0]
                yield test.variable if test.name is None else test.name

    def _variables_of(self, node: ast.Expression) -> frozenset[Variable]:
        """Return the names, and the tests that are variables, of a condition."""
        known = self._variables.get(id(node))
        if known is None:
            self._nodes.append(node)
            known = self._variables[id(node)] = frozenset(self._find_variables(node))
        return known

    # tests and cells

    def _collect(self, root: ast.Expression) -> None:
        pending = [root]
        while pending:
            node = pending.pop()
            match node:
                case ast.And(terms=terms) | ast.Or(terms=terms):
                    pending.extend(terms)
                case ast.Not(operand=operand):
                    pending.append(operand)
                case _:
                    positive, _ = _positive(node)
                    if identity_of(positive) not in self._tests:
                        self._add(positive)
            if len(self._tests) > self._max_tests:
                raise TooManyCasesError

    def _test_of(self, node: ast.Expression) -> tuple[_Test, bool]:
        """Return the test that a node is, and True if the node is its negation."""
        known = self._test_nodes.get(id(node))
        if known is None:
            positive, inverted = _positive(node)
            self._nodes.append(node)
            known = self._test_nodes[id(node)] = self._tests[identity_of(positive)], inverted
        return known

    def _add(self, node: ast.Expression) -> None:
        name, meaning = None, _OPEN
        if not any(isinstance(inner, ast.Identifier | ast.Call | ast.BodyQuery) for inner in ast.walk(node)):
            meaning = self._constant(node)
        else:
            _, name, meaning = meaning_of(node, self._dialect, self._known)
            if not self._dialect.on_throw:
                meaning = meaning._replace(thrown=NOTHING)
        test = _Test(identity_of(node), name, meaning)
        self._tests[test.key] = test
        if name is not None:
            others = self._of_name.setdefault(name, [])
            test.place = len(others)
            others.append(test)
            self._cells.pop(name, None)

    def _constant(self, node: ast.Expression) -> Meaning:
        verdict = judge(node, Message(), self._dialect, now=0)
        if verdict.thrown is not None:
            return Meaning(thrown=EVERYTHING)
        if verdict.truth is None:
            return Meaning(unknown=EVERYTHING)
        return Meaning(true=EVERYTHING) if verdict.truth else Meaning(false=EVERYTHING)

    def _name_cells(self, name: Name) -> list[Cell]:
        cells = self._cells.get(name)
        if cells is None:
            known = field_values(ast.Identifier(name[1], section=name[0]), self._dialect)
            within = known.values if known is not None and known.sure else EVERYTHING
            tests = self._of_name[name]
            cells = list(split_values(within, [test.meaning for test in tests]))
            for test in tests:
                test.ambiguous = any(_several(cell.outcomes[test.place]) for cell in cells)
            self._cells[name] = cells
        return cells

    def _find_variables(self, node: ast.Expression) -> Iterator[Variable]:
        match node:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                for term in terms:
                    yield from self._variables_of(term)
            case ast.Not(operand=operand):
                yield from self._variables_of(operand)
            case _:
                test = self._test_of(node)[0]
                if test.name is None:
                    if _several(self._outcomes(test)):
                        yield test.variable
                    return
                yield test.name
                self._name_cells(test.name)
                if test.ambiguous:
                    yield test.variable

    @staticmethod
    def _outcomes(test: _Test) -> int:
        """The outcomes that a test may have at all."""
        sets = zip(OUTCOMES, test.meaning, strict=True)
        return sum(outcome for outcome, values in sets if values != NOTHING)

    # requirements

    def _split(self, requirement: Requirement) -> Iterator[Requirement]:
        """Split a requirement into several on smaller conditions, all of which are necessary and together enough."""
        node, outcomes = requirement
        match node:
            case ast.And(terms=terms) if outcomes == TRUE:
                for term in terms:
                    yield from self._split(Requirement(term))
            case ast.Or(terms=terms) if outcomes == NOT_TRUE and not self._dialect.on_throw:
                # After a term that throws, a later one may be true and the whole is not.
                for term in terms:
                    yield from self._split(Requirement(term, NOT_TRUE))
            case ast.Not(operand=operand):
                yield from self._split(Requirement(operand, _negated(outcomes)))
            case _:
                yield requirement

    def _components(self, requirements: list[Requirement]) -> Iterator[list[Requirement]]:
        """Group requirements that have variables in common, directly or through others."""
        groups: list[tuple[set[Variable], list[Requirement]]] = []
        for requirement in requirements:
            variables, members = set(self._variables_of(requirement.condition)), [requirement]
            apart = []
            for group in groups:
                if group[0].isdisjoint(variables):
                    apart.append(group)
                else:
                    variables |= group[0]
                    members = group[1] + members
            groups = [*apart, (variables, members)]
        for _, members in groups:
            yield members

    def _bind(self, requirements: list[Requirement], bound: _Binding, budget: list[int]) -> bool:
        """Bind the variables of some requirements to a case in which they hold; return False if there is none."""
        counts: dict[Variable, int] = {}
        for requirement in requirements:
            for variable in self._variables_of(requirement.condition):
                counts[variable] = counts.get(variable, 0) + 1
        # Names before the tests of them, and what most requirements have first.
        order = sorted(counts, key=lambda variable: (isinstance(variable, TestOutcome), -counts[variable]))
        places = {variable: place for place, variable in enumerate(order)}
        due: list[list[Requirement]] = [[] for _ in range(len(order) + 1)]
        for requirement in requirements:
            last = max((places[variable] + 1 for variable in self._variables_of(requirement.condition)), default=0)
            due[last].append(requirement)
        return self._bind_from(0, order, due, bound, budget)

    def _bind_from(
        self, place: int, order: list[Variable], due: list[list[Requirement]], bound: _Binding, budget: list[int]
    ) -> bool:
        if not all(self._evaluate(node, bound) & outcomes for node, outcomes in due[place]):
            return False
        if place == len(order):
            return True
        variable = order[place]
        if not isinstance(variable, TestOutcome):
            for cell in self._name_cells(variable):
                self._spend(budget)
                bound.cells[variable] = cell
                if self._bind_from(place + 1, order, due, bound, budget):
                    return True
            del bound.cells[variable]
            return False
        possible = self._possible_outcomes(self._tests[variable.key], bound)
        for outcome in OUTCOMES:
            if possible & outcome:
                self._spend(budget)
                bound.outcomes[variable] = outcome
                if self._bind_from(place + 1, order, due, bound, budget):
                    return True
        bound.outcomes.pop(variable, None)
        return False

    @staticmethod
    def _spend(budget: list[int]) -> None:
        budget[0] -= 1
        if budget[0] < 0:
            raise TooManyCasesError

    # evaluation

    def _possible_outcomes(self, test: _Test, bound: _Binding) -> int:
        return self._outcomes(test) if test.name is None else bound.cells[test.name].outcomes[test.place]

    def _evaluate(self, node: ast.Expression, bound: _Binding) -> int:
        """Evaluate a condition in a case that binds all of its variables."""
        match node:
            case ast.And(terms=terms):
                return self._junction(terms, FALSE, bound)
            case ast.Or(terms=terms):
                return self._junction(terms, TRUE, bound)
            case ast.Not(operand=operand):
                return _negated(self._evaluate(operand, bound))
            case _:
                test, inverted = self._test_of(node)
                outcome = bound.outcomes.get(test.variable) or self._possible_outcomes(test, bound)
                return _negated(outcome) if inverted else outcome

    def _junction(self, terms: Sequence[ast.Expression], deciding: int, bound: _Binding) -> int:
        """Evaluate AND, which FALSE decides, or OR, which TRUE decides, as the reference evaluator does."""
        dialect = self._dialect
        result = TRUE if deciding == FALSE else FALSE
        if dialect.evaluation is Evaluation.STRICT:
            outcomes = [self._evaluate(term, bound) for term in terms]
            if THROWN in outcomes:
                return THROWN
        for term in terms:
            outcome = self._evaluate(term, bound)
            if outcome in (deciding, THROWN):
                return outcome
            if dialect.logic is Logic.QPID_JAVA:
                result = outcome
                if outcome == UNKNOWN and deciding == FALSE:
                    return outcome
            elif outcome == UNKNOWN:
                result = UNKNOWN
        return result


_OPEN = Meaning(EVERYTHING, EVERYTHING, EVERYTHING, EVERYTHING)


def needed_values(condition: ast.Expression, dialect: Dialect, known: Meanings | None = None) -> dict[Name, ValueSet]:
    """Return, for the names of an AND's own terms, the values with which it can be true."""
    needed: dict[Name, ValueSet] = {}
    for term in condition.terms if isinstance(condition, ast.And) else (condition,):
        if isinstance(term, ast.And | ast.Or | ast.Not):
            continue
        _, name, meaning = meaning_of(term, dialect, known)
        if name is not None:
            needed[name] = intersection((needed[name], meaning.true)) if name in needed else meaning.true
    return needed


def are_disjoint(first: dict[Name, ValueSet], second: dict[Name, ValueSet]) -> bool:
    """Return True if no value of some name is one with which both conditions can be true."""
    return any(name in first and intersection((first[name], values)).is_empty for name, values in second.items())


def _several(outcomes: int) -> bool:
    return outcomes & (outcomes - 1) != 0


def _negated(outcomes: int) -> int:
    """Exchange TRUE and FALSE."""
    return (outcomes & (UNKNOWN | THROWN)) | (FALSE if outcomes & TRUE else 0) | (TRUE if outcomes & FALSE else 0)


def _positive(node: ast.Expression) -> tuple[ast.Expression, bool]:
    """Return LIKE for NOT LIKE, which is its negation in every dialect, and True if the outcome is to be negated."""
    if isinstance(node, ast.Like) and node.negated:
        return ast.Like(node.operand, node.pattern, node.escape, False, node.span), True
    return node, False
