"""Sets of integers as ranges."""

from __future__ import annotations

from collections.abc import Iterable

#: A set: ranges in order, both ends included, that do not touch.
Ranges = tuple[tuple[int, int], ...]


def joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the union of ranges; a range whose ends are in the wrong order is empty."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(pair for pair in ranges if pair[0] <= pair[1]):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return tuple(merged)
