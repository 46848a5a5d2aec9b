"""The examples run and print the expected output, and the archive is what its script creates."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.sizes import is_full
from tests.spark_ext.harness import settings
from transpiler import Message, evaluate

EXAMPLES = Path(__file__).parent.parent / "examples"
ARCHIVE = EXAMPLES / "data" / "messages.jsonl"
ALL_ROUTED = "3,000 of 3,000 messages have exactly the broker's queues"


@pytest.mark.parametrize(
    "case",
    [
        ("01_filter.py", "50 of 3000 messages match"),
        ("02_stream.py", "50 messages came through the stream"),
        ("03_filter_set.py", "2550 of 3000 messages pass"),
        ("04_route.py", "3000 messages, 8142 deliveries; the busiest queue is alerts.04"),
        ("05_backtest.py", "2,851 of 3,000 messages have exactly the broker's queues"),
        ("06_route_stream.py", "8142 deliveries came through the stream"),
        ("demo.py", "GreaterThan(header.priority,6)", "GreaterThanOrEqual(properties.creation_time,2025", ALL_ROUTED),
    ],
    ids=lambda case: case[0],
)
def test_an_example_runs(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, case: tuple[str, ...]
) -> None:
    """Each example runs in this process and uses its Spark session. At full size the demo runs in its own process."""
    script, *texts = case
    if is_full() and script == "demo.py":
        done = subprocess.run([sys.executable, EXAMPLES / script], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        printed = done.stdout
    else:
        monkeypatch.setattr(SparkSession, "stop", lambda _: None)
        with settings(spark, {"spark.sql.maxMetadataStringLength": "10000"}):
            runpy.run_path(str(EXAMPLES / script), run_name="__main__")
        printed = capsys.readouterr().out
    for text in texts:
        assert text in printed


def test_every_example_is_run_above() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "01_filter.py",
        "02_stream.py",
        "03_filter_set.py",
        "04_route.py",
        "05_backtest.py",
        "06_route_stream.py",
        "demo.py",
    }


def test_the_archive_is_what_its_script_makes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ARCHIVE.parent))
    import make_archive  # type: ignore[import-not-found]

    monkeypatch.setattr(make_archive, "ARCHIVE", tmp_path / "messages.jsonl")
    make_archive.main()
    assert (tmp_path / "messages.jsonl").read_bytes() == ARCHIVE.read_bytes()


def test_the_archive_loads_and_the_oracle_counts_what_spark_counts() -> None:
    messages = [Message.from_dict(json.loads(line)) for line in ARCHIVE.read_text(encoding="utf-8").splitlines()]
    assert len(messages) == 3000
    assert (
        sum(evaluate("area = 'Viking' AND speed > 5 AND JMSPriority > 4", message) is True for message in messages)
        == 50
    )


def test_the_filter_sets_of_the_example_are_a_client_librarys() -> None:
    corpus = (Path(__file__).parent / "message" / "amqp" / "data" / "amqp_filter_sets.jsonl").read_text(
        encoding="utf-8"
    )
    encoded = {json.loads(line)["amqp"] for line in corpus.splitlines()}
    sample = (EXAMPLES / "data" / "filter_sets.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["amqp"] for line in sample} < encoded
