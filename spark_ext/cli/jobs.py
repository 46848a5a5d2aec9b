"""Helpers that all Spark commands use: the session, outputs, and one-line texts for Spark's exceptions."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from spark_ext.cli.inputs import absolute
from spark_ext.cli.spark_errors import spark_error
from transpiler.base.arguments import has_scheme
from transpiler.base.diagnostics import one_line
from transpiler.cli.group import Program, click, fail
from transpiler.cli.inputs import shown, system_path
from transpiler.cli.layouts import SCHEMA
from transpiler.cli.options import together

__all__ = ["Output", "SparkProgram", "click", "fail", "schema_option", "session_options", "start_session"]


class SparkProgram(Program):
    """A program whose commands start Spark jobs."""

    def describe(self, error: BaseException) -> str | None:
        """Return a one-line text for an exception of Spark or of the connection to Spark; None for any other."""
        return spark_error(error)


schema_option = click.option(
    "--schema",
    type=SCHEMA,
    help="The types of columns of CSV or JSON: DDL text, Spark's JSON form (df.schema.json()), or a file of either.",
)


#: The options for the Spark session: its master, and Maven packages.
session_options = together(
    click.option("--master", default="local[*]", show_default=True, help="The Spark master."),
    click.option(
        "--packages", metavar="COORDINATES", help="Maven packages for Spark, such as the one that reads Avro."
    ),
)


def start_session(master: str, packages: str | None = None) -> Any:
    """Start a Spark session on ``master`` that prints no logs or warnings."""
    if not logging.getLogger().handlers:
        # Hide Py4J's log, which repeats the exceptions that Py4J raises.
        logging.getLogger().addHandler(logging.NullHandler())
    if not sys.warnoptions:
        # Hide PySpark's warnings about versions of libraries, because no command uses these libraries.
        warnings.simplefilter("ignore")
    try:
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        fail("Spark is not installed: pip install 'pyspark>=4.0'")
    if master.startswith("local") and not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        fail("Spark needs Java 17 or later: install it, for example with apt-get install openjdk-17-jre-headless")
    progress = sys.stderr.isatty()
    settings: dict[str, Any] = {
        "spark.master": master,
        "spark.app.name": "selector-spark",
        "spark.ui.showConsoleProgress": str(progress).lower(),
        "spark.ui.enabled": "false",
        # Without pruning and pushdown, an incomplete row of CSV is an error even if the query needs none of its cells.
        "spark.sql.csv.parser.columnPruning.enabled": "false",
        "spark.sql.csv.filterPushdown.enabled": "false",
    }
    if packages is not None:
        settings["spark.jars.packages"] = packages
    if SparkContext._gateway is None:
        if progress:
            click.echo("starting Spark …", err=True)
        gateway = _launch_java(SparkConf().setAll(list(settings.items())))
        SparkContext._ensure_initialized(gateway=gateway)
        if progress and os.path.exists("/dev/tty"):
            # Send Java's standard error to the terminal from now on, because Spark draws its progress there.
            java = gateway.jvm.java
            java.lang.System.setErr(java.io.PrintStream(java.io.FileOutputStream("/dev/tty")))
    session = SparkSession.builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _launch_java(settings: Any) -> Any:
    """Launch the driver's JVM. Its standard error, with warnings of Java and Spark, is hidden from the user."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    if sys.platform == "linux":
        named = next((value for key in ("LC_ALL", "LC_CTYPE", "LANG") if (value := os.environ.get(key))), "C")
        if "utf" not in named.lower():
            # Java encodes file names with the locale's character set, which no option of Java can change.
            os.environ["LC_ALL"] = "C.UTF-8"
    with tempfile.TemporaryFile() as noise:
        try:
            return launch_gateway(settings, {"stderr": noise})  # type: ignore[no-untyped-call]
        except PySparkRuntimeError:
            noise.seek(0)
            lines = [line.strip() for line in noise.read().decode(errors="replace").splitlines() if line.strip()]
            why = [line for line in lines if "rror" in line or "xception" in line] or lines[-1:] or ["no reason given"]
            fail(one_line(f"Java cannot be started: {why[0]}"))


class Output:
    """A Parquet directory that gets its name only when it is complete.

    The output is written under a hidden name in the same directory, which Spark's readers skip, and then renamed. If it
    already exists, the constructor ends the command.
    """

    def __init__(self, session: Any, name: str) -> None:
        self._name = name
        self._path = session._jvm.org.apache.hadoop.fs.Path(name if has_scheme(name) else absolute(name))
        self._files = self._path.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
        self._refuse_existing()
        hidden = f".{self._path.getName()}.{uuid4().hex}.incomplete"
        self._hidden = session._jvm.org.apache.hadoop.fs.Path(self._path.getParent(), hidden)

    def write(self, frame: Any) -> None:
        """Write ``frame``. If a signal ends the process, first cancel the job and delete its incomplete files."""
        try:
            with _signals_raised():
                self._files.mkdirs(self._hidden)
                # A task may still create a file after the job is cancelled, and a signal may reach only Java.
                self._files.deleteOnExit(self._hidden)
                frame.write.mode("append").parquet(self._hidden.toString())
                self._rename()
        except BaseException as error:
            with suppress(Exception):
                frame.sparkSession.sparkContext.cancelAllJobs()
            with suppress(Exception):
                self._files.delete(self._hidden, True)
            if isinstance(error, _Ended):
                os.kill(os.getpid(), error.number)
            raise

    def _rename(self) -> None:
        """Give the complete output its name. If two jobs write the same output, the job that ends first wins."""
        # If a directory of that name exists, Hadoop's rename would move the output into it instead of failing.
        self._refuse_existing()
        if has_scheme(self._name):
            if not self._files.rename(self._hidden, self._path):
                fail(f"{shown(self._name)} cannot be written: the complete output cannot be given its name")
            return
        target = absolute(self._name)
        hidden = os.path.join(os.path.dirname(target), self._hidden.getName())
        try:
            os.rename(system_path(hidden), system_path(target))
        except OSError as error:
            self._refuse_existing()
            fail(f"{shown(self._name)} cannot be written: {error.strerror}")

    def _refuse_existing(self) -> None:
        if self._files.exists(self._path):
            fail(f"{shown(self._name)} already exists: name another output, or remove it first")


class _Ended(BaseException):
    """Exception raised when the process receives the signal ``number``, which should end it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _signals_raised() -> Iterator[None]:
    """Raise ``_Ended`` for the signals with which a system ends processes; afterwards restore their default effect."""

    def handle(number: int, _: object) -> None:
        raise _Ended(number)

    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # Leave a signal alone if other code handles it, or ignores it as nohup does.
    ending = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        ending = []
    for number in ending:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in ending:
            signal.signal(number, signal.SIG_DFL)
