"""Can conditions have given outcomes together? Impossible, a message, or open with the reason.

A requirement is a formula and the outcomes that it shall have. Each subject is a variable over its cells, each test
that its cells leave open is one of any outcome. Variables are bound one after the other, those first that leave little;
after each the outcomes that are still possible decide whether a requirement holds, or never will. More cases are
considered than there are messages, so what is impossible in all of them is impossible. A message is made of the values
of a case, or where a test reads several names, of samples; it counts only if the reference evaluator agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

from transpiler.analysis.building import Conditions, places_read, shown
from transpiler.analysis.cells import COMMON, ODD, RARE, Cell, TooManyError, cells_of, cells_of_relations
from transpiler.analysis.formula import (
    FALSE,
    NOT_TRUE,
    OUTCOMES,
    THROWN,
    TRUE,
    Accepted,
    Formula,
    Junction,
    Negation,
    Test,
    all_tests,
    bit_of,
    negated,
    possible,
)
from transpiler.analysis.samples import merged, sampled_cells, size_of
from transpiler.message.fields import MessageField
from transpiler.message.message import Message
from transpiler.selector import ast

#: Evaluations of tests in one search.
BUDGET = 400_000


class Requirement(NamedTuple):
    """A formula, and the outcomes that it shall have."""

    formula: Formula
    outcomes: int = TRUE


class Impossible(NamedTuple):
    """The proof that no message meets the requirements."""


class Found(NamedTuple):
    """A message that meets the requirements, and True if few messages are like it.

    ``only`` says what is odd about all that do, where that is proved.
    """

    message: Message
    rare: bool
    only: str = ""


class Open(NamedTuple):
    """The reason for which it is not known."""

    reason: str


Answer = Impossible | Found | Open

_Domains = dict[Hashable, list[Cell]]


class Solver:
    """The cells of the tests of some conditions, and the questions about them."""

    def __init__(self, conditions: Conditions, budget: int = BUDGET, most: int | None = None) -> None:
        self.conditions, self._budget, self._most = conditions, budget, most
        self._variables: dict[int, frozenset[Hashable]] = {}
        self._cells: dict[Hashable, list[Cell]] = {}
        self._groups: dict[Hashable, list[Test]] = {}
        self._grouped = 0

    def solve(self, requirements: Sequence[Requirement]) -> Answer:
        """Decide whether a message can meet all requirements."""
        answer = self.decide(requirements)
        return self.search(requirements, answer.reason) if isinstance(answer, Open) else answer

    def decide(self, requirements: Sequence[Requirement]) -> Answer:
        """Decide by cases alone: open is also what only samples can show."""
        try:
            if self._case(requirements, self._domain) is None:
                return Impossible()
            return self._message(requirements) or Open(self._outside(requirements))
        except TooManyError as error:
            return Open(str(error))

    def search(self, requirements: Sequence[Requirement], reason: str) -> Found | Open:
        """Look for a message among samples of the places that tests read together; open keeps the reason."""
        for thorough in (False, True):
            found, dropped = self._sampled(requirements, thorough)
            if found is not None:
                return found
        return Open(dropped or reason)

    def cells(self, formula: Formula) -> list[Mapping[int, int]] | None:
        """Return the outcomes of all tests in each cell of the one subject of a formula; None where it has several."""
        variables = self.variables(formula)
        if len(variables) != 1:
            return None
        (variable,) = variables
        cells = self._domain(variable)
        numbers = [test.number for test in self.tests(variable)]
        return [dict(zip(numbers, cell.outcomes, strict=True)) for cell in cells]

    def impossible(self, *requirements: Requirement) -> bool:
        """Return True if it is certain that no message meets all requirements."""
        try:
            return self._case(requirements, self._domain) is None
        except TooManyError:
            return False

    def quick_message(self, requirements: Sequence[Requirement]) -> Message | None:
        """Return a message that meets requirements if a case gives one; no samples are tried."""
        try:
            case = self._case(requirements, self._domain)
        except TooManyError:
            return None
        if case is None or any(cell.message is None for cell in case.values()):
            return None
        message = _joined(case)
        return message if self._holds(requirements, message) else None

    def variables(self, formula: Formula) -> frozenset[Hashable]:
        """Return the subjects that a formula tests, and the tests of several."""
        known = self._variables.get(id(formula))
        if known is None:
            match formula:
                case Test():
                    known = formula.beside | {_variable(formula)}
                case Junction(terms=terms):
                    known = frozenset().union(*map(self.variables, terms)) if terms else frozenset()
                case Negation(term=term) | Accepted(term=term):
                    known = self.variables(term)
            self._variables[id(formula)] = known
        return known

    # cells

    def tests(self, variable: Hashable) -> list[Test]:
        """Return the tests of a variable, in the order of the outcomes of its cells."""
        tests = self.conditions.tests
        for test in tests[self._grouped :]:
            own = _variable(test)
            self._groups.setdefault(own, []).append(test)
            self._cells.pop(own, None)
        self._grouped = len(tests)
        return self._groups[variable]

    def _domain(self, variable: Hashable) -> list[Cell]:
        tests = self.tests(variable)
        cells = self._cells.get(variable)
        if cells is None:
            if self._most is not None and len(tests) > self._most:
                raise TooManyError(f"{len(tests):,} tests of one name")
            first = tests[0]
            if first.subject is not None:
                cells = cells_of(first.subject, tests)
            elif first.relation is not None and first.dialect is not None:
                cells = cells_of_relations([test.relation for test in tests if test.relation], first.dialect)
            else:
                cells = [Cell((outcome,), None) for outcome in OUTCOMES if outcome & first.outcomes]
            self._cells[variable] = cells
        return cells

    # cases

    def _case(
        self, requirements: Sequence[Requirement], domain: Callable[[Hashable], list[Cell]]
    ) -> dict[Hashable, Cell] | None:
        """Return a cell of each variable that matters, or None where there is no case."""
        search = _Search(self, domain, self._budget)
        split = [part for requirement in requirements for part in _split(requirement)]
        case: dict[Hashable, Cell] = {}
        for component in self._components(split):
            if not search.bind(component, case):
                return None
        return case

    def _components(self, requirements: list[Requirement]) -> Iterator[list[Requirement]]:
        """Group requirements that have variables in common, directly or through others."""
        groups: list[tuple[set[Hashable], list[Requirement]]] = []
        for requirement in requirements:
            variables, members = set(self.variables(requirement.formula)), [requirement]
            apart = []
            for group in groups:
                if group[0].isdisjoint(variables):
                    apart.append(group)
                else:
                    variables |= group[0]
                    members = group[1] + members
            groups = [*apart, (variables, members)]
        yield from (members for _, members in groups)

    # messages

    def _message(self, requirements: Sequence[Requirement]) -> Found | None:
        """Return a message of the values of cells, with no more of them and no rarer ones than it needs."""
        only = False
        for most in (COMMON, ODD, RARE):
            for real in (False, True):

                def domain(variable: Hashable, most: int = most, real: bool = real) -> list[Cell]:
                    own = [cell for cell in self._domain(variable) if cell.level <= most]
                    return [cell for cell in own if cell.message is not None] if real else own

                case = self._case(requirements, domain)
                if case is None:
                    only = only or (most == COMMON and not real)
                    break
                if all(cell.message is not None for cell in case.values()) and self._holds(requirements, _joined(case)):
                    return self._smallest(requirements, case, domain, only)
        return None

    def _smallest(
        self,
        requirements: Sequence[Requirement],
        case: dict[Hashable, Cell],
        domain: Callable[[Hashable], list[Cell]],
        only: bool = False,
    ) -> Found:
        chosen = dict(case)
        for variable, kept in case.items():
            assert kept.message is not None
            for other in domain(variable):
                if other.message is None or other.level > kept.level:
                    continue
                if size_of(other.message) >= size_of(kept.message) and other.level == kept.level:
                    continue
                chosen[variable] = other
                if self._holds(requirements, _joined(chosen)):
                    break
                chosen[variable] = kept
        odd = sorted({cell.odd for cell in chosen.values() if cell.odd}) if only else ()
        rare = any(cell.level == RARE for cell in chosen.values())
        return Found(_joined(chosen), rare, " and ".join(odd) if not rare else "")

    def _holds(self, requirements: Sequence[Requirement], message: Message) -> bool:
        outcomes: dict[int, int] = {}
        for formula, wanted in requirements:
            for test in all_tests(formula):
                if test.number not in outcomes:
                    outcomes[test.number] = bit_of(test.judge(message))
            if not possible(formula, outcomes) & wanted:
                return False
        return True

    def _sampled(self, requirements: Sequence[Requirement], thorough: bool) -> tuple[Found | None, str]:
        """Return a message that is made of samples of places that tests read together, and what had no samples."""
        tests = {test.number: test for one in requirements for test in all_tests(one.formula)}
        groups: list[tuple[set[MessageField], list[Test]]] = []
        for test in tests.values():
            places, members = set(places_read(test)), [test]
            for group in [group for group in groups if group[0] & places]:
                places |= group[0]
                members = group[1] + members
                groups.remove(group)
            groups.append((places, members))
        made = [sampled_cells(places, members, len(tests), thorough) for places, members in groups]
        of_test = {test.number: number for number, (_, members) in enumerate(groups) for test in members}
        constants, tried = (sum(counts) for counts in zip(*((one.constants, one.tried) for one in made), strict=True))
        dropped = f"{tried:,} of {constants:,} constants were tried" if tried < constants else ""
        split = [part for requirement in requirements for part in _split(requirement)]
        for most in (COMMON, RARE):

            def domain(number: Hashable, most: int = most) -> list[Cell]:
                assert isinstance(number, int)
                return [cell for cell in made[number].cells if cell.level <= most]

            search = _Search(self, domain, self._budget, (of_test, [members for _, members in groups]))
            case: dict[Hashable, Cell] = {}
            with suppress(TooManyError):
                if search.bind(split, case) and self._holds(requirements, _joined(case)):
                    return self._smallest(requirements, case, domain), dropped
        return None, dropped

    def _outside(self, requirements: Sequence[Requirement]) -> str:
        for requirement in requirements:
            for test in all_tests(requirement.formula):
                if test.subject is None or not test.decided:
                    if test.subject is None and test.outcomes & (test.outcomes - 1) == 0:
                        continue
                    return f"{shown(test)} is beyond proof"
        return "no message was found, and no proof"


def _joined(case: Mapping[Hashable, Cell]) -> Message:
    return merged(cell.message for cell in case.values() if cell.message is not None)


def _variable(test: Test) -> Hashable:
    if test.subject is not None:
        return test.subject.key
    if test.relation is not None:
        names = test.relation.left, test.relation.right
        return frozenset((id(test.dialect), *names))
    return test.number, "test"


def _split(requirement: Requirement) -> Iterator[Requirement]:
    """Split a requirement into several on smaller formulas, all of which are necessary and together enough."""
    formula, outcomes = requirement
    match formula:
        case Junction(decides=False, terms=terms) if outcomes == TRUE:
            for term in terms:
                yield from _split(Requirement(term))
        case Junction(decides=True, terms=terms) if outcomes == FALSE or (
            outcomes == NOT_TRUE and not any(test.outcomes & THROWN for test in all_tests(formula))
        ):
            # After a term that throws, a later one may be true and the whole is not.
            for term in terms:
                yield from _split(Requirement(term, outcomes))
        case Negation(term=term):
            yield from _split(Requirement(term, negated(outcomes)))
        case Accepted(term=term):
            yield from _split(Requirement(term, (outcomes & TRUE) | (NOT_TRUE if outcomes & FALSE else 0)))
        case _:
            yield requirement


class _Search:
    """The search for a case, variable after variable."""

    def __init__(
        self,
        solver: Solver,
        domain: Callable[[Hashable], list[Cell]],
        budget: int,
        groups: tuple[Mapping[int, int], Sequence[list[Test]]] | None = None,
    ) -> None:
        self._solver, self._domain, self._budget = solver, domain, budget
        #: The number of the group of each test, and the groups, where variables are places and not subjects.
        self._by_place = groups

    def _variable(self, test: Test) -> Hashable:
        return _variable(test) if self._by_place is None else self._by_place[0][test.number]

    def bind(self, requirements: list[Requirement], case: dict[Hashable, Cell]) -> bool:
        """Bind the variables of some requirements to cells with which they hold; return False if there are none."""
        domains: _Domains = {}
        weights = []
        of_one: dict[Hashable, list[Requirement]] = {}
        for requirement in requirements:
            tests = list(all_tests(requirement.formula))
            weights.append(len(tests))
            own = {self._variable(test) for test in tests}
            for variable in own:
                if variable not in domains:
                    domains[variable] = self._domain(variable)
            if len(own) == 1:
                of_one.setdefault(own.pop(), []).append(requirement)
        for variable, alone in of_one.items():
            numbers = [test.number for test in self._tests(variable)]
            domains[variable] = [
                cell
                for cell in domains[variable]
                if all(
                    possible(one.formula, dict(zip(numbers, cell.outcomes, strict=True))) & one.outcomes
                    for one in alone
                )
            ]
        outcomes: dict[int, int] = {}
        for variable, cells in domains.items():
            if not cells:
                return False
            self._open(variable, cells, outcomes)
        found = self._descend(list(zip(requirements, weights, strict=True)), domains, outcomes)
        if found is None:
            return False
        case.update(found)
        return True

    def _tests(self, variable: Hashable) -> list[Test]:
        if self._by_place is None:
            return self._solver.tests(variable)
        assert isinstance(variable, int)
        return self._by_place[1][variable]

    def _open(self, variable: Hashable, cells: list[Cell], outcomes: dict[int, int]) -> None:
        """Note the outcomes that the tests of a variable can have in some cells."""
        tests = self._tests(variable)
        if len(cells) == 1:
            for test, outcome in zip(tests, cells[0].outcomes, strict=True):
                outcomes[test.number] = outcome
            return
        for place, test in enumerate(tests):
            union = 0
            for cell in cells:
                union |= cell.outcomes[place]
            outcomes[test.number] = union

    def _descend(
        self, requirements: list[tuple[Requirement, int]], domains: _Domains, outcomes: dict[int, int]
    ) -> dict[Hashable, Cell] | None:
        left = []
        for pair in requirements:
            (formula, wanted), weight = pair
            self._budget -= weight
            got = possible(formula, outcomes)
            if not got & wanted:
                return None
            if got & ~wanted:
                left.append(pair)
        if self._budget < 0:
            raise TooManyError("more cases than are looked at")
        if not left:
            if self._by_place is None and _has_circle(self._solver.conditions.tests, outcomes):
                return None
            return {variable: cells[0] for variable, cells in domains.items()}
        variable = self._next(left, domains, outcomes)
        if variable is None:
            return self._descend_test(left, domains, outcomes)
        for cell in domains[variable]:
            bound = dict(outcomes)
            self._open(variable, [cell], bound)
            found = self._descend(left, domains | {variable: [cell]}, bound)
            if found is not None:
                return found
        return None

    def _next(
        self, left: list[tuple[Requirement, int]], domains: _Domains, outcomes: dict[int, int]
    ) -> Hashable | None:
        """Return the variable with the fewest cells of those that the shortest open requirement has."""
        shortest = min(left, key=lambda pair: pair[1])[0]
        best: Hashable | None = None
        fewest = 0
        for test in all_tests(shortest.formula):
            outcome = outcomes[test.number]
            if outcome & (outcome - 1):
                variable = self._variable(test)
                cells = len(domains[variable])
                if cells > 1 and (best is None or cells < fewest):
                    best, fewest = variable, cells
        return best

    def _descend_test(
        self, left: list[tuple[Requirement, int]], domains: _Domains, outcomes: dict[int, int]
    ) -> dict[Hashable, Cell] | None:
        """Bind a test that the values of its subject leave open."""
        for (formula, _), _ in left:
            for test in all_tests(formula):
                may_be = outcomes[test.number]
                if not may_be & (may_be - 1):
                    continue
                for outcome in OUTCOMES:
                    if outcome & may_be:
                        found = self._descend(left, domains, outcomes | {test.number: outcome})
                        if found is not None:
                            variable = self._variable(test)
                            return found | {variable: found[variable]._replace(message=None)}
                return None
        return None


#: A number or another operand, with the id of its dialect.
_Operand = tuple[int, float | ast.Expression]
_GREATER = {ast.Comparison.GT: False, ast.Comparison.LT: True}


def _has_circle(tests: Sequence[Test], outcomes: Mapping[int, int]) -> bool:
    """Return True if comparisons that hold say of an operand that it is greater than itself.

    Only ``<`` and ``>`` count: of two operands that are equal when rounded one may be greater, but in a circle of
    which each is greater, all would be equal in every rounding, and then exactly.
    """
    if not any(test.relation is not None for test in tests):
        return False
    above: dict[_Operand, set[_Operand]] = {}
    for test in tests:
        node = test.node
        if outcomes.get(test.number) != TRUE or not isinstance(node, ast.Compare) or node.operator not in _GREATER:
            continue
        sides: tuple[ast.Expression, ast.Expression] = (node.left, node.right)
        high, low = reversed(sides) if _GREATER[node.operator] else sides
        above.setdefault((id(test.dialect), _operand(high)), set()).add((id(test.dialect), _operand(low)))
    numbers = sorted(
        (dialect, operand)
        for dialect, operand in {*above, *(low for lows in above.values() for low in lows)}
        if isinstance(operand, float)
    )
    for lesser, greater in pairwise(numbers):
        if lesser[0] == greater[0]:
            above.setdefault(greater, set()).add(lesser)
    state: dict[_Operand, bool] = {}

    def closes(node: _Operand) -> bool:
        if node in state:
            return state[node]
        state[node] = True
        if any(closes(low) for low in above.get(node, ())):
            return True
        state[node] = False
        return False

    return any(closes(node) for node in list(above) if node not in state)


def _operand(node: ast.Expression) -> float | ast.Expression:
    if isinstance(node, ast.IntegerLiteral | ast.FloatLiteral) and abs(node.value) < 2**1000:
        return float(node.value)
    return node
