"""One Spark session for all tests, and how many examples the properties try."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from pyspark.sql import SparkSession
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("thorough", deadline=None, max_examples=2_000, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="many more random examples, drawn anew every time")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("thorough" if config.getoption("--thorough") else "default")


class OneSession(LoadScopeScheduling):
    """Tests beside each other by file, but for those with a session of Spark, which are all in one process."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "spark" if _has_session(file) else file


@cache
def _has_session(file: str) -> bool:
    return "SparkSession" in Path(__file__).parent.parent.joinpath(file).read_text(encoding="utf-8")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> OneSession:
    return OneSession(config, log)


def java_is_there() -> bool:
    """Whether some Java answers, where Spark looks for it; which version is the Makefile's to check."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin") if home else None)
    return java is not None and subprocess.run([java, "-version"], capture_output=True).returncode == 0


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The session: two cores, quiet, in UTC."""
    if not java_is_there():
        pytest.exit("Spark needs Java 17 or later: install it, or set JAVA_HOME to where it is", returncode=2)
    session = (
        SparkSession.builder.master("local[2]")
        .appName("selector-sql tests")
        .config("spark.ui.enabled", "false")
        # Thousands of compiled expressions in one session: the plans of the brokers' dialects are long.
        .config("spark.driver.memory", "4g")
        # What the parser learns of every text it keeps, gigabytes in the end, unless it is told how much of that.
        .config("spark.sql.parser.manageParserCaches", "true")
        .config("spark.sql.parser.parserDfaCacheFlushThreshold", "100000")
        # A broadcast table takes a page, of 64 MB by default in such a heap, until it is collected as garbage.
        .config("spark.buffer.pageSize", "1m")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
