"""Sizes of tests: a sample in ``make test``, everything in ``make test-all``, which passes the option ``--full``.

A sample contains every property and every table, except tests with the mark ``full``, which start a process or a
stream, or plan many queries of their own on Spark. It is the same in every run. The full size draws new random examples
in every run, unless ``--hypothesis-seed`` is given. A failure that it finds is pinned with ``@example``.
"""

from __future__ import annotations

import os
import random
import uuid
from collections.abc import Callable, Iterable
from typing import TypeVar

from hypothesis import core, settings

T = TypeVar("T")

#: The seed of a full run in one process.
_RUN = uuid.uuid4().hex

#: Names of the Hypothesis profiles. A failure of the full size may take minutes to reproduce, so ``FULL`` prints the
#: blob that reproduces it.
SAMPLE, FULL = "sample", "full"
settings.register_profile(SAMPLE, deadline=None, max_examples=15, derandomize=True)
settings.register_profile(FULL, deadline=None, max_examples=100, print_blob=True)


def is_full() -> bool:
    """Return True under ``--full``. The profile is loaded before pytest imports any test."""
    return settings.get_current_profile_name() == FULL


def size(sample: int, full: int) -> int:
    """Return the number of cases for this run: ``full`` under ``--full``, otherwise ``sample``."""
    return full if is_full() else sample


def randomness(seed: int | str) -> random.Random:
    """Return a random generator: in a sample the same in every run, at full size seeded with Hypothesis's own seed.

    Hypothesis's seed is new in each run, unless ``--hypothesis-seed`` gives it. All processes of a run draw the same
    values.
    """
    if not is_full():
        return random.Random(seed)
    drawn = core.global_force_seed
    if drawn is None:
        drawn = os.environ.get("PYTEST_XDIST_TESTRUNUID", _RUN)
    return random.Random(f"{seed} {drawn}")


def sample(cases: Iterable[T], count: int, stratum: Callable[[T], object] | None = None) -> list[T]:
    """Return all ``cases`` under ``--full``, otherwise about ``count``, in order, the same random ones in every run.

    If ``stratum`` is given, the sample contains a proportional share, and at least one case, of each stratum.
    """
    listed = list(cases)
    if is_full() or count >= len(listed):
        return listed
    strata: dict[object, list[int]] = {}
    for index, case in enumerate(listed):
        strata.setdefault(stratum(case) if stratum else None, []).append(index)
    draw = random.Random(0)
    chosen: set[int] = set()
    for indexes in strata.values():
        chosen.update(draw.sample(indexes, max(1, round(count * len(indexes) / len(listed)))))
    return [listed[index] for index in sorted(chosen)]
