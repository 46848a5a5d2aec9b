"""The Spark session of a process, the order of the tests, and the option for their size."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import settings
from py4j.java_gateway import JavaPackage, JVMView
from pyspark.sql import SparkSession
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests.sizes import FULL, SAMPLE, is_full, randomness

_HERE = Path(__file__).parent

#: Number of cases on Spark that a run leaves out, and total number of cases on Spark.
_ON_SPARK = pytest.StashKey[tuple[int, int]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="all cases, and random examples that are drawn anew each time")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile(FULL if config.getoption("--full") else SAMPLE)
    # A sample is over before the JVM's second compiler has paid for itself, and with two processes on two cores no core
    # is left to a collector that works beside the program. Processes that tests start get the same.
    # Compiled code has room for all of Spark: what is thrown out of 48 MB is interpreted and compiled again.
    sample = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
    options = "-XX:+UseParallelGC" if is_full() else sample
    os.environ.setdefault("SPARK_SUBMIT_OPTS", options)


@cache
def _starts_a_jvm(file: Path) -> bool:
    return any(word in file.read_text(encoding="utf-8") for word in ("SparkSession", "subprocess", '"spark"'))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the files that take long first, so that short ones are left to fill the time of the process ahead.

    Leave out cases of tests on Spark, unless the command line names tests itself.
    """
    config.option.loadscopereorder = False
    if not config.option.keyword and not any("::" in argument for argument in config.args):
        kept = _sampled(items)
        config.stash[_ON_SPARK] = (len(items) - len(kept), sum(map(_on_spark, items)))
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]
    items.sort(key=lambda item: not _starts_a_jvm(item.path))


def _on_spark(item: pytest.Item) -> bool:
    return "spark" in getattr(item, "fixturenames", ())


def _sampled(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the items without some of the cases of each test on Spark.

    Each case plans a query or more, which takes longer than all that it asserts. A sample has one, the same in each
    run; tests of as many cases have different ones, so that every dialect and every setting is in some. At full size
    half of them are drawn anew each time; pages and examples are all run.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        is_drawn = _on_spark(item) and not (is_full() and item.path.parent == _HERE)
        cases.setdefault(item.nodeid.partition("[")[0] if is_drawn else item.nodeid, []).append(item)
    if not is_full():
        return {randomness(name).choice(group) for name, group in cases.items()}
    halves = (randomness(name).sample(group, (len(group) + 1) // 2) for name, group in cases.items())
    return set(chain.from_iterable(halves))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the worker's counts of cases on Spark to the controller, which prints the summary."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["on_spark"] = session.config.stash.get(_ON_SPARK, (0, 0))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    """Store the counts of one worker. Every worker collects all tests, so that their counts are equal."""
    left_out, of = getattr(node, "workeroutput", {}).get("on_spark", (0, 0))
    node.config.stash[_ON_SPARK] = (left_out, of)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how large the sample of a run was, and how to run all tests."""
    left_out, of = config.stash.get(_ON_SPARK, (0, 0))
    few, many = (settings.get_profile(name).max_examples for name in (SAMPLE, FULL))
    if not is_full() and left_out:
        terminalreporter.write_line(
            f"This was a sample: {of - left_out:,} of {of:,} cases on Spark, {few} of {many} examples of each property,"
            " and parts of long tables. make test-all runs the rest."
        )


def pytest_collection_finish() -> None:
    """Leave the thousands of tests to no collection of garbage, each of which would go through them."""
    gc.freeze()


class _Scheduler(LoadFileScheduling):
    """Distribute whole files, but one case at a time of all verdicts on Spark, which take as long as all else there.

    Files that start a server of Spark Connect are one scope, for there is one port for it.
    """

    def _split_scope(self, nodeid: str) -> str:
        if "/test_connect.py" in nodeid or "/test_pipelines.py" in nodeid:
            return "Spark Connect"
        return nodeid if is_full() and "/test_dialects_spark.py" in nodeid else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Let each process have a session of its own.

    Spark plans a query in one thread, and tests plan more than they run, so one session for all leaves the second core
    idle.
    """
    config.option.loadscopereorder = False
    return _Scheduler(config, log)


def java_is_there() -> bool:
    """Return True if some Java answers, where Spark looks for it; the Makefile checks its version."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin") if home else None)
    return java is not None and subprocess.run([java, "-version"], capture_output=True).returncode == 0


def _ask_once_for_classes() -> None:
    """Keep what the JVM says of the names of packages and classes.

    Py4J asks for each part of a name whenever it is used, and the JVM looks for a class ``org`` in 300 archives.
    """
    for kind in (JVMView, JavaPackage):
        ask = kind.__getattr__

        def get(self: object, name: str, ask: Callable[[object, str], object] = ask) -> object:
            return vars(self).setdefault(name, ask(self, name))

        kind.__getattr__ = get


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The session: two cores, quiet, in UTC; in a sample it interprets its expressions."""
    # Imported here: the size of the tests is known once they are collected.
    from tests.spark_ext.harness import IN_SAMPLE

    if not java_is_there():
        pytest.exit("Spark needs Java 17 or later: install it, or set JAVA_HOME to where it is", returncode=2)
    session = (
        SparkSession.builder.master("local[2]")
        .appName("selector-sql tests")
        .config("spark.ui.enabled", "false")
        # Thousands of compiled expressions in one session: the plans of the brokers' dialects are long.
        .config("spark.driver.memory", "4g")
        # Plans are garbage soon, and are collected less often where new objects have room.
        .config("spark.driver.extraJavaOptions", "-Xms2g -Xmn1200m")
        # What the parser learns of every text it keeps, gigabytes in the end, unless it is told how much of that.
        .config("spark.sql.parser.manageParserCaches", "true")
        .config("spark.sql.parser.parserDfaCacheFlushThreshold", "100000")
        # A broadcast table takes a page, of 64 MB by default in such a heap, until it is collected as garbage.
        .config("spark.buffer.pageSize", "1m")
        .config("spark.ui.showConsoleProgress", "false")
        # The description of a query for Spark's pages, which nobody looks at, holds each of its expressions as a text.
        .config("spark.sql.ui.explainMode", "simple")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config(map=IN_SAMPLE)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    _ask_once_for_classes()
    yield session
    session.stop()


@pytest.fixture
def compiled(spark: SparkSession) -> Iterator[None]:
    """For a test of plans or of generated code, which a sample is without."""
    from tests.spark_ext.harness import COMPILED
    from tests.spark_ext.harness import settings as spark_settings

    with spark_settings(spark, COMPILED):
        yield
