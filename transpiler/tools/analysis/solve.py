"""Decide whether conditions can have given outcomes together: impossible, a message, or open with the reason.

The cases cover every message, and more, so what is impossible in every case is impossible. A message is composed of
the values of a case, or of samples if a test reads several names. It is returned only if the reference evaluator
confirms it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from transpiler.message.header_fields import MessageField
from transpiler.message.message import Message
from transpiler.tools.analysis.building import Conditions, fields_read, shown
from transpiler.tools.analysis.cell_search import Requirement, Search, split, variable_of
from transpiler.tools.analysis.cells import COMMON, ODD, RARE, Cell, cells_of, cells_of_relations
from transpiler.tools.analysis.formula import (
    OUTCOMES,
    Accepted,
    Formula,
    Junction,
    Negation,
    Test,
    UndecidedError,
    all_tests,
    bit_of,
    possible,
)
from transpiler.tools.analysis.samples import Sampled, merged, sampled_cells, size_of

#: Maximum number of evaluations of tests in one search.
BUDGET = 400_000


class Impossible(NamedTuple):
    """The answer that no message meets the requirements (each a formula with its allowed outcomes). This is proved."""


class Found(NamedTuple):
    """A message that meets the requirements. ``rare`` is True if few real messages have such values.

    ``only`` is a sentence about every message that meets the requirements, if all of them are proved to be unusual;
    else it is empty.
    """

    message: Message
    rare: bool
    only: str = ""


class Open(NamedTuple):
    """The answer that the analysis could neither find a message nor prove that there is none. ``reason`` says why.

    ``tried`` is True if sample messages were tried, and no sample meets the requirements.
    """

    reason: str
    tried: bool = False


Answer = Impossible | Found | Open


class Solver:
    """A solver for questions about the registered ``conditions``, such as "can a message match both?".

    A question stays open after ``budget`` evaluations of tests, or if more than ``most`` tests read one name. None as
    ``most`` means no limit. The solver caches the possible outcomes of tests.
    """

    def __init__(self, conditions: Conditions, budget: int = BUDGET, most: int | None = None) -> None:
        self.conditions, self._budget, self._most = conditions, budget, most
        self._variables: dict[int, frozenset[Hashable]] = {}
        self._cells: dict[Hashable, list[Cell]] = {}
        self._groups: dict[Hashable, list[Test]] = {}
        self._sampled_cells: dict[tuple[tuple[int, ...], int], Sampled] = {}
        self._grouped = 0

    def solve(self, requirements: Sequence[Requirement]) -> Answer:
        """Decide whether a message meets all ``requirements``: by case analysis, or else by trying sample messages."""
        answer = self.decide(requirements)
        return self.search(requirements, answer.reason) if isinstance(answer, Open) else answer

    def decide(self, requirements: Sequence[Requirement]) -> Answer:
        """Decide by case analysis whether a message can meet all ``requirements``, without trying sample messages.

        Return ``Open`` with the reason if case analysis does not decide.
        """
        try:
            if self._case(requirements, self._domain) is None:
                return Impossible()
            return self._message(requirements) or Open(self._outside(requirements))
        except UndecidedError as error:
            return Open(str(error))

    def search(self, requirements: Sequence[Requirement], reason: str) -> Found | Open:
        """Try sample messages on ``requirements``, and return the first that meets them.

        If no sample meets them, return ``Open`` with ``reason``, or with a note that not all constants were tried.
        """
        rare: Found | None = None
        try:
            for thorough in (False, True):
                found, dropped = self._sampled(requirements, thorough)
                if found is not None and not found.rare:
                    return found
                rare = rare or found
        except UndecidedError as error:
            return rare or Open(str(error))
        return rare or Open(dropped or reason, tried=True)

    def cells(self, formula: Formula) -> list[Mapping[int, int]] | None:
        """Return the possible combinations of test outcomes, if ``formula`` reads a single variable such as one field.

        Each combination maps test numbers to outcome bits. Return None if the formula has no variable or several.
        """
        variables = self.variables(formula)
        if len(variables) != 1:
            return None
        (variable,) = variables
        cells = self._domain(variable)
        numbers = [test.number for test in self.tests(variable)]
        return [dict(zip(numbers, cell.outcomes, strict=True)) for cell in cells]

    def impossible(self, *requirements: Requirement) -> bool:
        """Return True if it is proved that no message meets all ``requirements``, False if one may exist."""
        try:
            return self._case(requirements, self._domain) is None
        except UndecidedError:
            return False

    def example(self, requirement: Requirement) -> Message | None:
        """Return a message that meets ``requirement``, found by case analysis alone; None if that gives no message."""
        answer = self.decide([requirement])
        return answer.message if isinstance(answer, Found) else None

    def variables(self, formula: Formula) -> frozenset[Hashable]:
        """Return the search variables of ``formula``: one for each field that some test reads as its only input.

        A test that reads several fields has a variable of its own, or one with all tests of the same two names.
        """
        known = self._variables.get(id(formula))
        if known is None:
            match formula:
                case Test():
                    known = formula.beside | {variable_of(formula)}
                case Junction(terms=terms):
                    known = frozenset().union(*map(self.variables, terms)) if terms else frozenset()
                case Negation(term=term) | Accepted(term=term):
                    known = self.variables(term)
            self._variables[id(formula)] = known
        return known

    def tests(self, variable: Hashable) -> list[Test]:
        """Return the registered tests of ``variable``, in the order in which its cells list the outcomes."""
        tests = self.conditions.tests
        for test in tests[self._grouped :]:
            own = variable_of(test)
            self._groups.setdefault(own, []).append(test)
            self._cells.pop(own, None)
        self._grouped = len(tests)
        return self._groups[variable]

    def _domain(self, variable: Hashable) -> list[Cell]:
        tests = self.tests(variable)
        cells = self._cells.get(variable)
        if cells is None:
            if self._most is not None and len(tests) > self._most:
                raise UndecidedError(f"{len(tests):,} tests of one name")
            first = tests[0]
            if first.subject is not None:
                cells = cells_of(first.subject, tests)
            elif first.relation is not None and first.dialect is not None:
                cells = cells_of_relations([test.relation for test in tests if test.relation], first.dialect)
            else:
                cells = [Cell((outcome,), None) for outcome in OUTCOMES if outcome & first.outcomes]
            self._cells[variable] = cells
        return cells

    def _case(
        self, requirements: Sequence[Requirement], domain: Callable[[Hashable], list[Cell]]
    ) -> dict[Hashable, Cell] | None:
        """Choose a cell (possible outcomes of its tests) for each variable such that all ``requirements`` hold.

        ``domain(variable)`` returns the cells to choose from. Return None if no choice meets the requirements.
        """
        search = Search(variable_of, self.tests, domain, self._budget, self.conditions.tests)
        parts = [part for requirement in requirements for part in split(requirement)]
        case: dict[Hashable, Cell] = {}
        for component in self._components(parts):
            if not search.bind(component, case):
                return None
        return case

    def _components(self, requirements: list[Requirement]) -> Iterator[list[Requirement]]:
        """Yield groups of ``requirements`` such that requirements of different groups share no variables.

        So each group can be solved separately.
        """
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

    def _message(self, requirements: Sequence[Requirement]) -> Found | None:
        """Return a message that meets ``requirements``, with few and common values if possible; None if not found."""
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
        """Return a message that meets ``requirements``, composed of sample messages, and a note on untried constants.

        The message is None if no samples meet the requirements. Tests that read a common message field, directly or
        through other tests, form a group, and each group has its own samples.
        """
        tests = {test.number: test for one in requirements for test in all_tests(one.formula)}
        groups: list[tuple[set[MessageField], list[Test]]] = []
        for test in tests.values():
            message_fields, members = set(fields_read(test)), [test]
            for group in [group for group in groups if group[0] & message_fields]:
                message_fields |= group[0]
                members = group[1] + members
                groups.remove(group)
            groups.append((message_fields, members))
        made = [self._samples(message_fields, members, len(tests), thorough) for message_fields, members in groups]
        of_test = {test.number: number for number, one in enumerate(made) for test in one.tests}
        constants, tried = (sum(counts) for counts in zip(*((one.constants, one.tried) for one in made), strict=True))
        dropped = f"{tried:,} of {constants:,} constants were tried" if tried < constants else ""
        parts = [part for requirement in requirements for part in split(requirement)]

        def members_of(number: Hashable) -> list[Test]:
            assert isinstance(number, int)
            return made[number].tests

        for most in (COMMON, RARE):

            def domain(number: Hashable, most: int = most) -> list[Cell]:
                assert isinstance(number, int)
                return [cell for cell in made[number].cells if cell.level <= most]

            search = Search(lambda test: of_test[test.number], members_of, domain, self._budget)
            case: dict[Hashable, Cell] = {}
            with suppress(UndecidedError):
                if search.bind(parts, case) and self._holds(requirements, _joined(case)):
                    return self._smallest(requirements, case, domain), dropped
        return None, dropped

    def _samples(self, message_fields: set[MessageField], tests: list[Test], weight: int, thorough: bool) -> Sampled:
        if len({*map(variable_of, tests)}) == 1 and all(test.decided for test in tests):
            variable = variable_of(tests[0])
            with suppress(UndecidedError):
                cells = self._domain(variable)
                if all(cell.message is not None for cell in cells):
                    return Sampled(self.tests(variable), cells, 0, 0, True)
        key = tuple(test.number for test in tests), weight
        known = self._sampled_cells.get(key)
        if known is None or (thorough and not known.all):
            known = self._sampled_cells[key] = sampled_cells(message_fields, tests, weight, thorough)
        return known

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
