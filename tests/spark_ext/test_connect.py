"""The functions work on Spark Connect as on classic Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sizes import size
from tests.spark_ext.harness import java_options

ROOT = Path(__file__).parents[2]


@pytest.mark.full
def test_selectors_filter_on_spark_connect() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    environment["SPARK_SUBMIT_OPTS"] = java_options()
    environment["PYSPARK_PYTHON"] = sys.executable
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark_ext.connect_script", str(size(500, 20_000))],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "canonical 1",
        "typed 1",
        "others 1",
        "kafka 1",
        "inferred 1",
        "stores 0 of 160 differ",
        "amq.topic ['q1']",
        "amq.direct ['q2']",
        "amq.fanout ['q3']",
        "binding keys 8",
        "stream 8",
        "route_stream 8",
    ]
