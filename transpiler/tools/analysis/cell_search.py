"""Search for a case: bind variables to cells, one after the other, until all requirements hold or one never can.

A requirement is a formula and the outcomes that the formula must have. Each subject is a variable whose values are its
cells. A test that the cells leave open is bound to each of its outcomes. Variables with few cells come first. After
each binding, the outcomes that are still possible decide whether a requirement holds or can never hold.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.language.selector import ast
from transpiler.tools.analysis.cells import Cell
from transpiler.tools.analysis.formula import (
    ANYTHING,
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
    UndecidedError,
    all_tests,
    negated,
    possible,
)


class Requirement(NamedTuple):
    """A formula and the allowed outcomes, as bits. The requirement holds if the formula has one of these outcomes."""

    formula: Formula
    outcomes: int = TRUE


_Domains = dict[Hashable, list[Cell]]


def variable_of(test: Test) -> Hashable:
    """Return the search variable to which ``test`` belongs: tests of one message or header field share it.

    Tests that compare the same two names share a variable as well. Any other test has a variable of its own.
    """
    if test.subject is not None:
        return test.subject.key
    if test.relation is not None:
        names = test.relation.left, test.relation.right
        return frozenset((id(test.dialect), *names))
    return test.number, "test"


def split(requirement: Requirement) -> Iterator[Requirement]:
    """Split ``requirement`` (a formula with its allowed outcomes) into equivalent requirements on smaller formulas.

    All of them together hold if and only if ``requirement`` holds.
    """
    formula, outcomes = requirement
    match formula:
        case Junction(decides=False, terms=terms) if outcomes == TRUE:
            for term in terms:
                yield from split(Requirement(term))
        case Junction(decides=True, terms=terms, forgets=False) if outcomes == FALSE or (
            outcomes == NOT_TRUE and not any(test.outcomes & THROWN for test in all_tests(formula))
        ):
            # Do not split an OR with a term that may throw: if the term throws, the OR is not TRUE, even if a later
            # term is TRUE. Do not split Qpid's OR either: it ignores unknown terms, so that it may be FALSE although a
            # term is not FALSE.
            for term in terms:
                yield from split(Requirement(term, outcomes))
        case Negation(term=term):
            yield from split(Requirement(term, negated(outcomes)))
        case Accepted(term=term, outcomes=accepted):
            refused = ANYTHING & ~accepted
            wanted = (accepted if outcomes & TRUE else 0) | (refused if outcomes & FALSE else 0)
            yield from split(Requirement(term, wanted))
        case _:
            yield requirement


class Search:
    """A backtracking search that chooses one cell (a possible combination of test outcomes) for each variable.

    The chosen cells meet all requirements. ``variable(test)`` returns the variable of a test, ``tests(variable)`` the
    tests of a variable, and ``domain(variable)`` its cells. After ``budget`` evaluations the search raises
    ``UndecidedError``. ``known`` are all registered tests, among which the search looks for contradictory cycles such
    as a < b and b < a.
    """

    def __init__(
        self,
        variable: Callable[[Test], Hashable],
        tests: Callable[[Hashable], list[Test]],
        domain: Callable[[Hashable], list[Cell]],
        budget: int,
        known: Sequence[Test] = (),
    ) -> None:
        self._variable, self._tests = variable, tests
        self._domain, self._budget = domain, budget
        #: All registered tests. The search examines them for comparisons that form a cycle, such as a < b and b < a.
        self._known = known

    def bind(self, requirements: list[Requirement], case: dict[Hashable, Cell]) -> bool:
        """Choose a cell (possible outcomes of its tests) for each variable such that all ``requirements`` hold.

        Store the chosen cells in ``case`` by variable. Return False if no choice of cells meets the requirements.
        """
        domains: _Domains = {}
        weights = []
        of_one: dict[Hashable, list[Requirement]] = {}
        for requirement in requirements:
            tests = list(all_tests(requirement.formula))
            weights.append(len(tests))
            own = list(dict.fromkeys(map(self._variable, tests)))
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

    def _open(self, variable: Hashable, cells: list[Cell], outcomes: dict[int, int]) -> None:
        """Store in ``outcomes`` the possible outcomes of each test of ``variable``, as bits by the test's number.

        A test's possible outcomes are the union of its outcomes in ``cells``, the cells that can still be chosen.
        """
        tests = self._tests(variable)
        if len(cells) == 1:
            for test, outcome in zip(tests, cells[0].outcomes, strict=True):
                outcomes[test.number] = outcome
            return
        for index, test in enumerate(tests):
            union = 0
            for cell in cells:
                union |= cell.outcomes[index]
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
            raise UndecidedError("more cases than are looked at")
        if not left:
            if _has_circle(self._known, outcomes):
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
        """Return the variable to which the search assigns a cell next; None if every candidate has only one cell left.

        The candidates are the undecided variables of the requirement with the fewest tests, and the one with the fewest
        cells is chosen. ``left`` are pairs of a requirement and its number of tests.
        """
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
        """Try each possible outcome of the first undecided test in ``left``; return cells that meet the requirements.

        ``left`` are pairs of a requirement and its number of tests. A test is undecided if it has several possible
        outcomes. Return None if no outcome of the test leads to a solution.
        """
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


#: An operand of a comparison, with the id of the comparison's dialect. The operand is a number or any other expression.
_Operand = tuple[int, float | ast.Expression]
_GREATER = {Comparison.GT: False, Comparison.LT: True}


def _has_circle(tests: Sequence[Test], outcomes: Mapping[int, int]) -> bool:
    """Return True if the comparisons that are TRUE in ``outcomes`` contradict each other in a cycle: a < b and b < a.

    Only ``<`` and ``>`` count, because two operands that are equal after rounding may still differ. A cycle of strict
    comparisons would make every operand greater than itself, which is impossible under every rounding.
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
