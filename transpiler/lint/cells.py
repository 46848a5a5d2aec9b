"""Cells: the parts into which the tests of one name split its values, so that in each a test has the same outcomes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from transpiler.selector.satisfiability import Meaning
from transpiler.selector.value_sets import EVERYTHING, FIRST, GREATEST, LAST, LEAST, NOTHING, ValueSet, float_at

#: The outcomes of a condition, as bits of a set.
TRUE, FALSE, UNKNOWN, THROWN = 1, 2, 4, 8
OUTCOMES = (TRUE, FALSE, UNKNOWN, THROWN)
NOT_TRUE = FALSE | UNKNOWN | THROWN

#: A value of a property; None is a missing one, and bytes stand for all other types.
CellValue = bool | int | float | str | bytes | None


@dataclass(frozen=True, slots=True)
class Cell:
    """A set of values of one name: the outcomes that each test of the name may have, and one of the values."""

    outcomes: tuple[int, ...]
    value: CellValue


def split_values(within: ValueSet, meanings: Sequence[Meaning]) -> Iterator[Cell]:
    """Yield the cells of a set of values, each with the outcomes of all tests; cells with equal outcomes are one."""
    seen: set[tuple[int, ...]] = set()
    sets = [
        [(outcome, values) for outcome, values in zip(OUTCOMES, meaning, strict=True) if values != NOTHING]
        for meaning in meanings
    ]
    for value in _representatives(within, [part for meaning in meanings for part in meaning]):
        outcomes = tuple([sum([outcome for outcome, values in own if values.has(value)]) for own in sets])
        if outcomes not in seen:
            seen.add(outcomes)
            yield Cell(outcomes, value)


def _representatives(within: ValueSet, sets: Sequence[ValueSet]) -> Iterator[CellValue]:
    """Yield at least one value of each part into which some sets split a set of values; the plainest first."""
    candidates: list[CellValue] = []
    for low, high in _intervals([pair for one in sets for pair in one.integers], LEAST, GREATEST):
        candidates.append(min(max(low, 0), high))
    texts = sorted({"", *(bound for one in sets for pair in one.strings for bound in pair if bound is not None)})
    candidates += [text or "x" for text in texts if text or "x" not in texts]
    candidates += ["", True, False, None]
    for low, high in _intervals([pair for one in sets for pair in one.floats], FIRST, LAST):
        candidates.append(float_at(min(max(low, 0), high)))
    candidates += [math.nan, b""]
    if within is EVERYTHING:
        return iter(candidates)
    for low, high in within.integers:
        candidates += [low, high]
    candidates += [low for low, _ in within.strings]
    return (value for value in candidates if within.has(value))


def _intervals(ranges: list[tuple[int, int]], low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the intervals into which the bounds of some ranges split all numbers from ``low`` to ``high``."""
    starts = sorted({low, high + 1, *(start for start, _ in ranges), *(end + 1 for _, end in ranges)})
    for start, end in pairwise(starts):
        yield start, end - 1
