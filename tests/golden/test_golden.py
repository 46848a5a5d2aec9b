"""The SQL of a sample of the golden corpus has not changed; ``python -m tests.golden sample`` accepts the
current SQL.
"""

from __future__ import annotations

import gzip
import json

from tests.golden.__main__ import SAMPLE, sample


def test_the_sql_of_the_sample_is_what_it_was() -> None:
    before = gzip.decompress(SAMPLE.read_bytes()).decode().split("\n")
    now = sample()
    assert len(before) > 1_000
    changed = [(json.loads(old), json.loads(new)) for old, new in zip(before, now, strict=True) if old != new]
    assert changed == []
