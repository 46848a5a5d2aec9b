"""The Spark session of a test process, the order of the tests, and the option ``--full`` that runs all of them."""

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

#: Number of cases on Spark in this run, total number of cases on Spark, and number of cases marked ``full`` that this
#: run leaves out.
_COUNTS = pytest.StashKey[tuple[int, int, int]]()

#: Options of a JVM that ends soon: that of a sample, and at all sizes that of a process which a test starts. It ends
#: before the code of the second compiler would have paid for its compilation. With two processes on two cores no core
#: is idle for a concurrent garbage collector. The code cache has room for all of Spark: with the default of 48 MB,
#: evicted methods are interpreted and compiled again. To verify the bytecode of Spark's classes takes a quarter of the
#: time until the first query.
_SHORT = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)

#: Options of a JVM that runs for half an hour: the one of a test process at full size.
_LONG = "-XX:+UseParallelGC"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="all cases, and random examples that are drawn anew each time")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile(FULL if config.getoption("--full") else SAMPLE)
    os.environ.setdefault("SPARK_SUBMIT_OPTS", _SHORT)


@cache
def _uses_spark(file: Path) -> bool:
    return any(word in file.read_text(encoding="utf-8") for word in ("SparkSession", 'usefixtures("spark"'))


@cache
def _is_slow(file: Path) -> bool:
    return _uses_spark(file) or "subprocess" in file.read_text(encoding="utf-8")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the slow files first, so that short files remain for the process that finishes early.

    Deselect cases of tests on Spark, unless the command line names single tests or a keyword.
    """
    config.option.loadscopereorder = False
    if not config.option.keyword and not any("::" in argument for argument in config.args):
        kept = _sampled(items)
        left_out = [item for item in items if item not in kept]
        on_spark = sum(map(_on_spark, kept)), sum(map(_on_spark, items))
        config.stash[_COUNTS] = (*on_spark, sum(map(_is_full_only, left_out)))
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item in kept]
    items.sort(key=lambda item: not _is_slow(item.path))


def _on_spark(item: pytest.Item) -> bool:
    return "spark" in getattr(item, "fixturenames", ())


def _is_full_only(item: pytest.Item) -> bool:
    return item.get_closest_marker("full") is not None


def _sampled(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the items to run: all except some cases of each test on Spark, and in a sample those marked ``full``.

    Each case plans at least one query, which takes longer than all that it asserts. A sample runs one case of each
    test, the same in every run. Tests with equally many cases run different ones, so that every dialect and every
    setting is in some test. At full size, a quarter of the cases are drawn anew in each run. Pages and examples all
    run.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if _is_full_only(item) and not is_full():
            continue
        is_drawn = _on_spark(item) and not (is_full() and item.path.parent == _HERE)
        cases.setdefault(item.nodeid.partition("[")[0] if is_drawn else item.nodeid, []).append(item)
    if not is_full():
        return {randomness(name).choice(group) for name, group in cases.items()}
    quarters = (randomness(name).sample(group, (len(group) + 3) // 4) for name, group in cases.items())
    return set(chain.from_iterable(quarters))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the worker's counts of cases to the controller, which prints the summary."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["counts"] = session.config.stash.get(_COUNTS, (0, 0, 0))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    """Store the counts of one worker. Every worker collects all tests, so that the counts of all workers are equal."""
    node.config.stash[_COUNTS] = getattr(node, "workeroutput", {}).get("counts", (0, 0, 0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how many cases the sample ran, and the commands that run all tests."""
    on_spark, of, apart = config.stash.get(_COUNTS, (0, 0, 0))
    few, many = (settings.get_profile(name).max_examples for name in (SAMPLE, FULL))
    if not is_full() and (on_spark < of or apart):
        terminalreporter.write_line(
            f"This was a sample: {on_spark:,} of {of:,} cases on Spark, {few} of {many} examples of each property,"
            f" parts of long tables, and none of {apart:,} cases that start a process or a stream or plan many queries."
            " make test-all runs the rest, and make test-all ARGS=tests/FILE the rest of one file."
        )


def pytest_collection_finish() -> None:
    """Exclude the thousands of collected tests from garbage collection, which would otherwise traverse each of them."""
    gc.freeze()


class _Scheduler(LoadFileScheduling):
    """Distribute whole files to processes, and at full size the long ``test_dialects_spark.py`` case by case.

    In a sample, all files that use Spark form one scope: while one process runs them, the other runs all others. A
    second Spark would load and compile the same classes once more, on cores that are both in use: with it, a sample
    took as long. At full size, files that start a Spark Connect server form one scope, because all servers use the same
    port.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        if not is_full():
            return "Spark" if _uses_spark(self.config.rootpath / file) else file
        if file.endswith(("/test_connect.py", "/test_pipelines.py")):
            return "Spark Connect"
        return nodeid if file.endswith("/test_dialects_spark.py") else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Give each process its own Spark session at full size.

    Spark plans a query in one thread, and tests plan more than they execute, so that one session for all would leave
    the second core idle when all other tests are done.
    """
    config.option.loadscopereorder = False
    return _Scheduler(config, log)


def java_is_there() -> bool:
    """Return True if a Java runs at the location where Spark looks for it. The Makefile checks its version."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin") if home else None)
    return java is not None and subprocess.run([java, "-version"], capture_output=True).returncode == 0


def _ask_once_for_classes() -> None:
    """Cache what the JVM returns for the names of packages and classes.

    Py4J sends a request for each part of a dotted name at every use, and for ``org`` the JVM searches 300 archives for
    a class of this name.
    """
    for kind in (JVMView, JavaPackage):
        ask = kind.__getattr__

        def get(self: object, name: str, ask: Callable[[object, str], object] = ask) -> object:
            return vars(self).setdefault(name, ask(self, name))

        kind.__getattr__ = get


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start the Spark session: two cores, no console progress, time zone UTC. In a sample it interprets expressions."""
    # Imported here because the size of the tests is known only after they are collected.
    from tests.spark_ext.harness import IN_SAMPLE

    if not java_is_there():
        pytest.exit("Spark needs Java 17 or later: install it, or set JAVA_HOME to where it is", returncode=2)
    given = os.environ["SPARK_SUBMIT_OPTS"]
    if is_full():
        os.environ["SPARK_SUBMIT_OPTS"] = given.replace(_SHORT, _LONG)
    session = (
        SparkSession.builder.master("local[2]")
        .appName("selector-sql tests")
        .config("spark.ui.enabled", "false")
        # Thousands of compiled expressions in one session: the plans of the brokers' dialects are large.
        .config("spark.driver.memory", "4g")
        # Plans soon become garbage. With a large young generation they are collected less often.
        .config("spark.driver.extraJavaOptions", "-Xms2g -Xmn1200m")
        # Without these two settings the parser caches what it learns from each text, up to gigabytes.
        .config("spark.sql.parser.manageParserCaches", "true")
        .config("spark.sql.parser.parserDfaCacheFlushThreshold", "100000")
        # A broadcast table occupies a whole page until it is collected as garbage: 64 MB by default in a heap of this
        # size.
        .config("spark.buffer.pageSize", "1m")
        .config("spark.ui.showConsoleProgress", "false")
        # The description of a query for Spark's UI, which nobody opens here, would contain each expression as text.
        .config("spark.sql.ui.explainMode", "simple")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config(map=IN_SAMPLE)
        .getOrCreate()
    )
    os.environ["SPARK_SUBMIT_OPTS"] = given
    session.sparkContext.setLogLevel("OFF")
    _ask_once_for_classes()
    yield session
    session.stop()


@pytest.fixture
def compiled(spark: SparkSession) -> Iterator[None]:
    """Compile expressions in this test, which checks plans or code. A sample interprets expressions otherwise."""
    from tests.spark_ext.harness import COMPILED
    from tests.spark_ext.harness import settings as spark_settings

    with spark_settings(spark, COMPILED):
        yield
