"""The SQL and the findings have not changed; ``python -m tests.golden sample`` accepts the current ones."""

from __future__ import annotations

import gzip
import json
from difflib import unified_diff
from typing import Any

from tests import sizes
from tests.golden.__main__ import SAMPLE, sample
from tests.golden.findings import answer, kind, recorded_lines


def test_the_sql_of_the_sample_is_what_it_was() -> None:
    before = gzip.decompress(SAMPLE.read_bytes()).decode().split("\n")
    now = sample()
    assert len(before) > 1_000
    changed = [(json.loads(old), json.loads(new)) for old, new in zip(before, now, strict=True) if old != new]
    assert changed == []


def test_every_finding_is_what_it_was() -> None:
    """A failure prints the input and the changed lines of the first answers."""
    lines = recorded_lines()
    assert len(lines) > 12_000
    changed = []
    # Only the lines of the sample are parsed, because the file is long.
    for line in map(json.loads, sizes.sample(lines, 500, stratum=kind)):
        now = answer(line["input"])
        if now != line["answer"]:
            changed.append("\n".join([json.dumps(line["input"]), *_difference(line["answer"], now)]))
    assert not changed, f"{len(changed)} answers changed:\n" + "\n\n".join(changed[:5])


def test_no_finding_is_a_fault_of_the_input() -> None:
    """An answer is a result or an error with a message for users. A KeyError says that the input names nothing."""
    faults = ("KeyError", "AttributeError", "IndexError", "AssertionError", "RecursionError", "NameError")
    found = [
        line
        for line in recorded_lines()
        if line.split('"answer": {"')[-1].startswith(tuple(f'{name}"' for name in faults))
    ]
    assert found == []


def _difference(before: Any, now: Any) -> list[str]:
    old, new = (json.dumps(expected_text, indent=1, ensure_ascii=False).split("\n") for expected_text in (before, now))
    return list(unified_diff(old, new, "before", "now", lineterm="", n=1))
