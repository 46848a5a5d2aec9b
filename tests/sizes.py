"""Sizes of tests: a sample in ``make test``, everything in ``make test-all``, which has the option ``--full``.

Every property and every table is in both. A sample is the same in every run; the full size draws its random examples
anew each time, or by ``--hypothesis-seed``, and what it finds is pinned with ``@example``.
"""

from __future__ import annotations

import os
import random
import uuid
from collections.abc import Callable, Iterable
from typing import TypeVar

from hypothesis import core, settings

T = TypeVar("T")

#: The seed of a run in one process.
_RUN = uuid.uuid4().hex

#: Hypothesis's profiles. A failure of the full size may take minutes to reproduce, so it prints its blob.
SAMPLE, FULL = "sample", "full"
settings.register_profile(SAMPLE, deadline=None, max_examples=15, derandomize=True)
settings.register_profile(FULL, deadline=None, max_examples=200, print_blob=True)


def is_full() -> bool:
    """True under ``--full``; the profile is loaded before pytest imports any test."""
    return settings.get_current_profile_name() == FULL


def size(sample: int, full: int) -> int:
    """The one or the other number of cases."""
    return full if is_full() else sample


def randomness(seed: int | str) -> random.Random:
    """A source of random draws: for a sample the same in each run, at full size by Hypothesis's own seed.

    That is another one each time, unless ``--hypothesis-seed`` gives one; the processes of one run draw the same.
    """
    if not is_full():
        return random.Random(seed)
    drawn = core.global_force_seed
    if drawn is None:
        drawn = os.environ.get("PYTEST_XDIST_TESTRUNUID", _RUN)
    return random.Random(f"{seed} {drawn}")


def sample(cases: Iterable[T], count: int, stratum: Callable[[T], object] | None = None) -> list[T]:
    """All cases under ``--full``; else about ``count`` of them in their order, drawn at random, the same in each run.

    With a stratum, of each stratum a share, and at least one case.
    """
    listed = list(cases)
    if is_full() or count >= len(listed):
        return listed
    strata: dict[object, list[int]] = {}
    for place, case in enumerate(listed):
        strata.setdefault(stratum(case) if stratum else None, []).append(place)
    draw = random.Random(0)
    chosen: set[int] = set()
    for places in strata.values():
        chosen.update(draw.sample(places, max(1, round(count * len(places) / len(listed)))))
    return [listed[place] for place in sorted(chosen)]
