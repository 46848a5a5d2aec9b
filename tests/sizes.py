"""Sizes of tests: a sample in ``make test``, everything in ``make test-all``, which has the option ``--full``.

Every property and every table is in both. A sample is the same in every run; the full size draws its random examples
anew each time, and what it finds is pinned with ``@example``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")

#: Hypothesis's profiles. A failure of the full size may take minutes to reproduce, so it prints its blob.
SAMPLE, FULL = "sample", "full"
settings.register_profile(SAMPLE, deadline=None, max_examples=50, derandomize=True)
settings.register_profile(FULL, deadline=None, max_examples=1_000, print_blob=True)


def is_full() -> bool:
    """True under ``--full``; the profile is loaded before pytest imports any test."""
    return settings.get_current_profile_name() == FULL


def size(sample: int, full: int) -> int:
    """The one or the other number of cases."""
    return full if is_full() else sample


def sample(cases: Iterable[T], count: int, stratum: Callable[[T], object] | None = None) -> list[T]:
    """All cases under ``--full``; else ``count`` of them, evenly spread, in their order.

    With a stratum, of each stratum a share, and at least one case.
    """
    listed = list(cases)
    if is_full() or count >= len(listed):
        return listed
    strata: dict[object, list[int]] = {}
    for place, case in enumerate(listed):
        strata.setdefault(stratum(case) if stratum else None, []).append(place)
    chosen = {
        place
        for places in strata.values()
        for place in _spread(places, max(1, round(count * len(places) / len(listed))))
    }
    return [case for place, case in enumerate(listed) if place in chosen]


def _spread(places: Sequence[int], count: int) -> list[int]:
    """So many of the places, one from the middle of each of as many equal parts."""
    return [places[(2 * number + 1) * len(places) // (2 * count)] for number in range(count)]
