"""Filters, routes, backtests and streams run on a standalone Spark cluster, even if one of two workers is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
import pytest

from tests.cluster.jobs import NO_PYTHON

_HOME = Path(pyspark.__file__).parent
_ROOT = Path(__file__).parents[2]


@contextmanager
def started(directory: Path, name: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a Spark daemon in its own process group, which ends with the block. Its output goes to a log file."""
    environment = os.environ | {
        "SPARK_HOME": str(_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "300m",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_WORKER_DIR": str(directory / f"{name}.work"),
        "SPARK_LOCAL_DIRS": str(directory / f"{name}.local"),
    }
    with (directory / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [str(_HOME / "bin" / "spark-class"), *arguments],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def logged(directory: Path, name: str, text: str) -> bool:
    """Wait up to a minute until the log of the daemon ``name`` contains ``text``. Return False if it does not."""
    for _ in range(600):
        if text in (directory / f"{name}.log").read_text(encoding="utf-8", errors="replace"):
            return True
        time.sleep(0.1)
    return False


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


# A cluster takes a minute to start and to lose a worker.
@pytest.mark.full
def test_a_cluster_filters_routes_and_streams_and_loses_no_row_with_a_worker(tmp_path: Path) -> None:
    port = free_port()
    master = f"spark://127.0.0.1:{port}"
    package = "org.apache.spark.deploy"
    worker = (f"{package}.worker.Worker", "--cores", "1", "--memory", "1g", "--webui-port", "0", master)
    ports = ("--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    with (
        started(tmp_path, "master", f"{package}.master.Master", *ports),
        started(tmp_path, "first", *worker) as first,
        started(tmp_path, "second", *worker),
    ):
        for name in ("first", "second"):
            assert logged(tmp_path, name, "Successfully registered with master"), name
        done = subprocess.run(
            [
                *(str(_HOME / "bin" / "spark-submit"), "--master", master),
                *(str(_ROOT / "tests" / "cluster" / "jobs.py"), str(tmp_path), str(first.pid)),
            ],
            env=os.environ | {"PYSPARK_DRIVER_PYTHON": sys.executable, "PYSPARK_PYTHON": NO_PYTHON},
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
            cwd=_ROOT,
        )
        assert done.returncode == 0, done.stderr[-4_000:]
        # spark-submit also writes Python's warnings to standard output.
        steps = ("filter", "route", "backtest", "stream", "killed")
        printed = [line for line in done.stdout.splitlines() if line.partition(" ")[0] in steps]
        assert printed == ["filter 10", "route", "backtest True", "stream", "killed True"]
        assert first.wait(10) == -signal.SIGKILL
