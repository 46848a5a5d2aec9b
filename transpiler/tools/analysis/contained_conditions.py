"""Containment within a list of conditions: find the conditions that select nothing that another condition misses.

Only a proved containment counts. Each condition has an example message that it selects. Most pairs need no search for
a proof, because the example of one condition is not selected by the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import NOT_TRUE, TRUE, Formula, all_tests, bit_of, possible
from transpiler.tools.analysis.solve import Found, Impossible, Solver

#: Maximum number of evaluations of tests for one pair of conditions.
_BUDGET = 40_000


class Candidate:
    """A condition to compare with other conditions, with an example message that it selects, if one was found.

    ``build(conditions)`` returns the formula of the condition, and registers its tests in ``conditions``.
    """

    def __init__(self, build: Callable[[Conditions], Formula]) -> None:
        self._build = build
        conditions = Conditions()
        self._formula = build(conditions)
        answer = Solver(conditions, _BUDGET).decide([Requirement(self._formula)])
        self.is_never_true = isinstance(answer, Impossible)
        self._example = answer.message if isinstance(answer, Found) else None

    def may_contain(self, other: Candidate) -> bool:
        """Return False if an example proves that this condition does not select every message that ``other`` selects.

        The example is a message that ``other`` selects and this condition does not. Without such an example, return
        True.
        """
        if other._example is None:
            return True
        outcomes = {test.number: bit_of(test.judge(other._example)) for test in all_tests(self._formula)}
        return bool(possible(self._formula, outcomes) & TRUE)

    def contains(self, other: Candidate) -> bool:
        """Return True if it is proved that this condition selects every message that ``other`` selects."""
        conditions = Conditions()
        outer, inner = self._build(conditions), other._build(conditions)
        return Solver(conditions, _BUDGET).impossible(Requirement(inner), Requirement(outer, NOT_TRUE))


def contained(
    candidates: Sequence[Candidate], related: Callable[[int, int], bool], most: int | None = None
) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices (contained, container): the container selects every message of the contained candidate.

    Of two equivalent candidates, the later one counts as contained. A pair is examined only if ``related(container,
    contained)``, called with two indices, returns True. After ``most`` pairs the search stops; None means no limit.
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
