"""Containment in a list of conditions: which ones select nothing that another one does not select.

Only what is proved counts. Each condition has a message that it selects, by which most pairs are told apart without a
search for a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import NOT_TRUE, TRUE, Formula, all_tests, bit_of, possible
from transpiler.tools.analysis.solve import Found, Impossible, Solver

#: Evaluations of tests for one pair.
_BUDGET = 40_000


class Candidate:
    """A condition, which ``build`` makes of the tests of a question, and a message that it selects, if one is known."""

    def __init__(self, build: Callable[[Conditions], Formula]) -> None:
        self._build = build
        conditions = Conditions()
        self._formula = build(conditions)
        answer = Solver(conditions, _BUDGET).decide([Requirement(self._formula)])
        self.is_never_true = isinstance(answer, Impossible)
        self._example = answer.message if isinstance(answer, Found) else None

    def may_contain(self, other: Candidate) -> bool:
        """Return False if the other condition's message is one that this condition does not select."""
        if other._example is None:
            return True
        outcomes = {test.number: bit_of(test.judge(other._example)) for test in all_tests(self._formula)}
        return bool(possible(self._formula, outcomes) & TRUE)

    def contains(self, other: Candidate) -> bool:
        """Return True if it is proved that the condition selects every message that the other one selects."""
        conditions = Conditions()
        outer, inner = self._build(conditions), other._build(conditions)
        return Solver(conditions, _BUDGET).impossible(Requirement(inner), Requirement(outer, NOT_TRUE))


def contained(
    candidates: Sequence[Candidate], related: Callable[[int, int], bool], most: int | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of candidates that another one contains, with its number; the later of two that are equal.

    Only ``related`` pairs of a container and a contained one are looked at, and no more than ``most`` of them.
    """
    pairs = 0
    for inner, one in enumerate(candidates):
        for outer, other in enumerate(candidates):
            if outer == inner or not related(outer, inner) or not other.may_contain(one):
                continue
            pairs += 1
            if most is not None and pairs > most:
                return
            if other.contains(one) and (outer < inner or not one.contains(other)):
                yield inner, outer
                break
