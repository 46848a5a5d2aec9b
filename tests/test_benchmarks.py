"""The benchmarks run, on hardly any data: what they compare gives the same answers. Nothing is timed here."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from pyspark.sql import SparkSession

from tests.benchmarks import report
from tests.benchmarks.__main__ import Size, tables
from tests.benchmarks.patterns import PATTERNS
from tests.benchmarks.selectors import CASES

TINY = Size(
    messages=120,
    fewer=30,
    listed=40,
    broker=10,
    rounds=0,
    scale=500,
    terms=(10, 20),
    characters=1_000,
    lengths=(10, 50),
    cases=CASES[-2:],
    kinds=("LIKE '%,n,%'", "mixed"),
    patterns=PATTERNS[:2],
)


def test_every_part_of_the_benchmarks_runs(spark: SparkSession, tmp_path: Path) -> None:
    found = list(tables(spark, tmp_path, TINY))
    assert [len(table.rows) for table in found[:3]] == [6, 2, 2]
    assert all(len(row) == len(table.columns) for table in found for row in table.rows)
    page = report.markdown(found, "tiny")
    assert page.count("\n## ") == len(found) == 11
    assert ElementTree.fromstring(report.svg(found, "tiny")).tag.endswith("svg")
