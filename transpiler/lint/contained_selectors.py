"""Selectors of one list that others of it contain.

Equal selectors are found in lists of any length. Beyond that each pair whose names allow it is compared, up to
``MAX_PAIRS`` of them, after a cheap test: a message that one selector selects must be one that the other selects.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from transpiler.analysis.building import Conditions, identity_of
from transpiler.analysis.cases import Requirement
from transpiler.analysis.formula import NOT_TRUE
from transpiler.analysis.solve import Found, Impossible, Solver
from transpiler.message.message import Message
from transpiler.reference.evaluate import judge
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect

#: Selectors of a list that are compared in pairs, pairs that pass the cheap test, and tests in one selector.
MAX_SELECTORS, MAX_PAIRS, MAX_TESTS = 400, 2_000, 30
#: Evaluations of tests for one pair.
_BUDGET = 40_000


class Contained(NamedTuple):
    """A selector and the one that contains it, by their numbers; ``same`` if they are equal."""

    number: int
    container: int
    same: bool


class _Selector(NamedTuple):
    number: int
    tree: ast.Expression
    names: frozenset[Hashable]
    #: A message that it selects, if one is known.
    example: Message | None


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
            if other is one or not other.names <= one.names or not _selects(other, one.example, dialect):
                continue
            pairs += 1
            if pairs > MAX_PAIRS:
                return
            # Of two that contain each other, the later is the contained one.
            if _contains(other, one, dialect) and (other.number < one.number or not _contains(one, other, dialect)):
                yield Contained(one.number, other.number, same=False)
                break


def _described(number: int, tree: ast.Expression, dialect: Dialect) -> _Selector | None:
    names = [(node.section, node.name) for node in ast.walk(tree) if isinstance(node, ast.Identifier)]
    if not names or len(names) > MAX_TESTS:
        return None
    conditions = Conditions()
    formula = conditions.selector(tree, dialect)
    answer = Solver(conditions, _BUDGET).decide([Requirement(formula)])
    if isinstance(answer, Impossible):
        # A selector that is never true is contained in every other one.
        return None
    return _Selector(number, tree, frozenset(names), answer.message if isinstance(answer, Found) else None)


def _selects(selector: _Selector, message: Message | None, dialect: Dialect) -> bool:
    return message is None or judge(selector.tree, message, dialect, now=0).truth is True


def _contains(container: _Selector, contained: _Selector, dialect: Dialect) -> bool:
    conditions = Conditions()
    outer, inner = (conditions.selector(one.tree, dialect) for one in (container, contained))
    return Solver(conditions, _BUDGET).impossible(Requirement(inner), Requirement(outer, NOT_TRUE))
