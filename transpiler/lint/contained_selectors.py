"""Selectors of one list that others of it contain.

Equal selectors are found in lists of any length. Beyond that each pair whose names allow it is compared, up to
``MAX_PAIRS`` of those that no message tells apart at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transpiler.analysis.building import identity_of
from transpiler.analysis.contained_conditions import Candidate, contained
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect

#: Selectors of a list that are compared in pairs, pairs that pass the cheap test, and tests in one selector.
MAX_SELECTORS, MAX_PAIRS, MAX_TESTS = 400, 2_000, 30


class Contained(NamedTuple):
    """A selector and the one that contains it, by their numbers; ``same`` if they are equal."""

    number: int
    container: int
    same: bool


def contained_in(selectors: Sequence[tuple[int, ast.Expression]], dialect: Dialect) -> Iterator[Contained]:
    """Yield the selectors that another one contains, each once; of two equal ones the later."""
    first: dict[object, int] = {}
    different = []
    for number, tree in selectors:
        key = identity_of(tree)
        if key in first:
            yield Contained(number, first[key], same=True)
        else:
            first[key] = number
            different.append((number, tree))
    if len(different) > MAX_SELECTORS:
        return
    numbers, names, candidates = [], [], []
    for number, tree in different:
        own = [(node.section, node.name) for node in ast.walk(tree) if isinstance(node, ast.Identifier)]
        if 0 < len(own) <= MAX_TESTS:
            candidate = Candidate(lambda conditions, tree=tree: conditions.selector(tree, dialect))  # type: ignore[misc]
            # A selector that is never true is contained in every other one.
            if not candidate.is_never_true:
                numbers.append(number)
                names.append(frozenset(own))
                candidates.append(candidate)
    for inner, outer in contained(candidates, lambda outer, inner: names[outer] <= names[inner], MAX_PAIRS):
        yield Contained(numbers[inner], numbers[outer], same=False)
