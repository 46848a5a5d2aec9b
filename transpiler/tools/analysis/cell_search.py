"""Cases: cells of variables, bound one after the other until all requirements hold, or none can.

A requirement is a formula and the outcomes that it shall have. Each subject is a variable over its cells, each test
that its cells leave open is one of any outcome. Those that leave little come first; after each the outcomes that are
still possible decide whether a requirement holds, or never will.
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
    """A formula, and the outcomes that it shall have."""

    formula: Formula
    outcomes: int = TRUE


_Domains = dict[Hashable, list[Cell]]


def variable_of(test: Test) -> Hashable:
    """Return the subject of a test, the pair of names that it compares, or a key of its own."""
    if test.subject is not None:
        return test.subject.key
    if test.relation is not None:
        names = test.relation.left, test.relation.right
        return frozenset((id(test.dialect), *names))
    return test.number, "test"


def split(requirement: Requirement) -> Iterator[Requirement]:
    """Split a requirement into several on smaller formulas, all of which are necessary and together enough."""
    formula, outcomes = requirement
    match formula:
        case Junction(decides=False, terms=terms) if outcomes == TRUE:
            for term in terms:
                yield from split(Requirement(term))
        case Junction(decides=True, terms=terms, forgets=False) if outcomes == FALSE or (
            outcomes == NOT_TRUE and not any(test.outcomes & THROWN for test in all_tests(formula))
        ):
            # After a term that throws, a later one may be true and the whole is not; Qpid's OR forgets an unknown term.
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
    """The search for a case, variable after variable."""

    def __init__(
        self,
        variable: Callable[[Test], Hashable],
        tests: Callable[[Hashable], list[Test]],
        domain: Callable[[Hashable], list[Cell]],
        budget: int,
        known: Sequence[Test] = (),
    ) -> None:
        #: The variable of a test, and the tests of a variable in the order of the outcomes of its cells.
        self._variable, self._tests = variable, tests
        self._domain, self._budget = domain, budget
        #: Tests that may say of an operand that it is greater than itself.
        self._known = known

    def bind(self, requirements: list[Requirement], case: dict[Hashable, Cell]) -> bool:
        """Bind the variables of some requirements to cells with which they hold; return False if there are none."""
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
_GREATER = {Comparison.GT: False, Comparison.LT: True}


def _has_circle(tests: Sequence[Test], outcomes: Mapping[int, int]) -> bool:
    """Return True if the comparisons that hold form a cycle, by which an operand is greater than itself.

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
