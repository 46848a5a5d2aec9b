"""The SQL and the findings have not changed; ``python -m tests.golden sample`` accepts the current ones."""

from __future__ import annotations

import gzip
import json

from tests import sizes
from tests.golden.__main__ import SAMPLE, sample
from tests.golden.findings import changed, kind, recorded_lines


def test_the_sql_of_the_sample_is_what_it_was() -> None:
    before = gzip.decompress(SAMPLE.read_bytes()).decode().split("\n")
    now = sample()
    assert len(before) > 1_000
    different = [(json.loads(old), json.loads(new)) for old, new in zip(before, now, strict=True) if old != new]
    assert different == []


def test_every_finding_is_what_it_was() -> None:
    """A failure prints the input and the changed lines of the first answers."""
    lines = recorded_lines()
    assert len(lines) > 12_000
    # Only the lines of the sample are parsed, because the file is long.
    different = changed(sizes.sample(lines, 500, stratum=kind))
    assert not different, f"{len(different)} answers changed:\n" + "\n\n".join(different[:5])


def test_no_finding_is_a_fault_of_the_input() -> None:
    """An answer is a result or an error with a message for users. A KeyError says that the input names nothing."""
    faults = ("KeyError", "AttributeError", "IndexError", "AssertionError", "RecursionError", "NameError")
    found = [
        line
        for line in recorded_lines()
        if line.split('"answer": {"')[-1].startswith(tuple(f'{name}"' for name in faults))
    ]
    assert found == []
