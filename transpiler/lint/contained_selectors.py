"""Selectors of one list that others of it contain.

Equal selectors are found in lists of any length. Beyond that each pair whose names allow it is compared, up to
``MAX_PAIRS`` of them, after a cheap test: a value that one selector asks of a name must be one that the other allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transpiler.lint.cases import Cases, Requirement, TooManyCasesError, are_disjoint, needed_values
from transpiler.lint.cells import NOT_TRUE
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect
from transpiler.selector.satisfiability import Name, identity_of
from transpiler.selector.value_sets import ValueSet

#: Selectors of a list that are compared in pairs, pairs that pass the test of names, and tests in one selector.
MAX_SELECTORS, MAX_PAIRS, MAX_TESTS = 400, 5_000, 30


class Contained(NamedTuple):
    """A selector and the one that contains it, by their numbers; ``same`` if they are equal."""

    number: int
    container: int
    same: bool


class _Selector(NamedTuple):
    number: int
    tree: ast.Expression
    names: frozenset[Name]
    #: The values of each name for which the selector can be true.
    needed: dict[Name, ValueSet]


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
    described = [one for number, tree in different if (one := _described(number, tree, dialect)) is not None]
    pairs = 0
    for one in described:
        for other in described:
            if other is one or not other.names <= one.names or are_disjoint(one.needed, other.needed):
                continue
            pairs += 1
            if pairs > MAX_PAIRS:
                return
            # Of two that contain each other, the later is the contained one.
            if _contains(other.tree, one.tree, dialect) and (
                other.number < one.number or not _contains(one.tree, other.tree, dialect)
            ):
                yield Contained(one.number, other.number, same=False)
                break


def _described(number: int, tree: ast.Expression, dialect: Dialect) -> _Selector | None:
    names: set[Name] = set()
    tests = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Identifier):
            names.add((node.section, node.name))
            tests += 1
    if not names or tests > MAX_TESTS:
        return None
    needed = needed_values(tree, dialect)
    if any(values.is_empty for values in needed.values()):
        # A selector that is never true is contained in every other one.
        return None
    return _Selector(number, tree, frozenset(names), needed)


def _contains(container: ast.Expression, contained: ast.Expression, dialect: Dialect) -> bool:
    try:
        cases = Cases([container, contained], dialect, 2 * MAX_TESTS)
    except TooManyCasesError:
        return False
    return cases.impossible(Requirement(contained), Requirement(container, NOT_TRUE))
