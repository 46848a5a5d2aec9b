"""One Spark session for all tests, and how many examples the properties try."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from hypothesis import settings
from pyspark.sql import SparkSession

settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("thorough", deadline=None, max_examples=2_000, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="many more random examples, drawn anew every time")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("thorough" if config.getoption("--thorough") else "default")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Beside each other: all tests with a session of Spark, which are one group, and the others, by file."""
    for item in items:
        with_spark = "spark" in getattr(item, "fixturenames", ())
        item.add_marker(pytest.mark.xdist_group("spark" if with_spark else item.location[0]))


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
