"""The parts that Spark commands share: a session, inputs, outputs, and Spark's exceptions as one line."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from glob import glob
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from transpiler.cli.group import Program, click, fail
from transpiler.cli.inputs import input_lines, shown, system_path
from transpiler.cli.options import load_json_line
from transpiler.diagnostics import one_line

__all__ = ["Inputs", "Output", "SparkProgram", "click", "fail", "find_inputs", "spark_error", "start_session"]


class SparkProgram(Program):
    """A program whose commands start Spark jobs."""

    def describe(self, error: BaseException) -> str | None:
        """Return one line for an exception of Spark or of the connection to it."""
        return spark_error(error)


def spark_error(error: BaseException) -> str | None:
    """Return one line for an exception of Spark, with its first cause, or None if it is another library's.

    The outermost exception says which input failed, the innermost one why; between them are stages and tasks.
    """
    if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
        return "the connection to Spark was lost" if isinstance(error, ConnectionError) else None
    try:
        told = [text for text in _messages(error) if text]
    except Exception:
        # Java's messages are asked from the JVM, and it is gone.
        return "the connection to Spark was lost"
    if not told:
        return f"Spark failed without a reason: {type(error).__name__}"
    first, last = told[0], told[-1]
    return one_line(last if last in first or first.startswith("Job aborted") else f"{first}: {last}")


#: The name of a Java class before its message.
_CLASS = re.compile(r"(?:[\w$]+\.)+[\w$]*(?:Exception|Error): ")


def _messages(error: BaseException) -> Iterator[str]:
    """Yield the first line of the message of an exception and of each of its causes; a stack trace is none."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if java is None:
        yield _first_line(str(error))
    # A cause of a cause may be the exception itself.
    for _ in range(50):
        if java is None:
            return
        yield _first_line(java.getMessage() or java.toString())
        java = java.getCause()


def _first_line(text: str) -> str:
    return _CLASS.sub("", next((line.strip() for line in text.splitlines() if line.strip()), ""))


def start_session(master: str) -> Any:
    """Start a quiet session on a master."""
    if not logging.getLogger().handlers:
        # Py4J logs what it raises as well.
        logging.getLogger().addHandler(logging.NullHandler())
    if not sys.warnoptions:
        # PySpark warns of versions of libraries that no command uses.
        warnings.simplefilter("ignore")
    try:
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        fail("Spark is not installed: pip install 'selector-sql[cli,spark]'")
    if master.startswith("local") and not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        fail("Spark needs Java 17 or later: install it, for example with apt-get install openjdk-17-jre-headless")
    progress = sys.stderr.isatty()
    settings: dict[str, Any] = {
        "spark.master": master,
        "spark.app.name": "selector-spark",
        "spark.ui.showConsoleProgress": str(progress).lower(),
        "spark.ui.enabled": "false",
    }
    if SparkContext._gateway is None:
        gateway = _launch_java(SparkConf().setAll(list(settings.items())))
        SparkContext._ensure_initialized(gateway=gateway)
        if progress and os.path.exists("/dev/tty"):
            # Spark draws its progress on the standard error of Java, which is kept for the reason of a failure.
            java = gateway.jvm.java
            java.lang.System.setErr(java.io.PrintStream(java.io.FileOutputStream("/dev/tty")))
    session = SparkSession.builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _launch_java(settings: Any) -> Any:
    """Launch the JVM of the driver; its standard error, warnings of Java and of Spark, is shown to nobody."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    if sys.platform == "linux":
        named = next((value for key in ("LC_ALL", "LC_CTYPE", "LANG") if (value := os.environ.get(key))), "C")
        if "utf" not in named.lower():
            # Java opens files by the locale's character set, and by no option of its own.
            os.environ["LC_ALL"] = "C.UTF-8"
    with tempfile.TemporaryFile() as noise:
        try:
            return launch_gateway(settings, {"stderr": noise})  # type: ignore[no-untyped-call]
        except PySparkRuntimeError:
            noise.seek(0)
            lines = [line.strip() for line in noise.read().decode(errors="replace").splitlines() if line.strip()]
            why = [line for line in lines if "rror" in line or "xception" in line] or lines[-1:] or ["no reason given"]
            fail(one_line(f"Java cannot be started: {why[0]}"))


class Inputs(NamedTuple):
    """The inputs of a command: names of local files, patterns expanded, and URIs as they were given."""

    names: tuple[str, ...]
    form: str

    def table(self, session: Any) -> Any:
        """Read Parquet or ORC."""
        try:
            return session.read.format(self.form).load(self.for_spark())
        except Exception as error:
            told = spark_error(error)
            if told is None:
                raise
            # Not every error of Spark names the file.
            named = any(name in told for name in self.names)
            fail(told if named else one_line(f"{self.names[0]}: {told}"))

    def for_spark(self) -> list[str]:
        """Return the names as Spark's readers take them: absolute, and no pattern any more."""
        return [name if _is_uri(name) else _escaped(_absolute(name)) for name in self.names]

    def lines(self, session: Any) -> Iterator[tuple[str, int, str]]:
        """Yield the file, the number and the text of each line that is not blank."""
        for name in self.names:
            for file in _parts(name):
                for number, text in _remote_lines(session, file) if _is_uri(file) else input_lines(file):
                    if text.strip():
                        yield file, number, text

    def objects(self, session: Any) -> Iterator[tuple[str, int, Any]]:
        """Yield the file, the number and the value of each line of JSON."""
        for file, number, text in self.lines(session):
            yield file, number, load_json_line(text, file, number)


def find_inputs(given: tuple[str, ...], form: str | None) -> Inputs:
    """Find the local files that names and patterns stand for; a name that stands for none ends the command."""
    names: list[str] = []
    for name in given:
        if _is_uri(name):
            names.append(_local(name))
            continue
        try:
            literal = os.path.lexists(system_path(name))
            found = [name] if literal else sorted(map(_text, glob(name.encode("utf-8"))))
        except ValueError:
            fail(one_line(f"{name!r} is not the name of a file"))
        if not found:
            fail(f"there is no file {shown(name)}")
        names += found
    return Inputs(tuple(names), form or _form_of(names[0]))


def _form_of(name: str) -> str:
    """Return the format that a file's name shows."""
    suffixes = PurePosixPath(name).suffixes
    if ".json" in suffixes or ".jsonl" in suffixes:
        return "json"
    return "orc" if ".orc" in suffixes else "parquet"


def _is_uri(name: str) -> bool:
    return "://" in name


def _local(uri: str) -> str:
    """Return the name of the local file that a URI with the scheme file stands for, or the URI."""
    found = urlsplit(uri)
    return unquote(found.path) if found.scheme == "file" and found.netloc in ("", "localhost") else uri


def _text(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode("utf-8")


def _absolute(name: str) -> str:
    return _text(os.path.abspath(system_path(name)))


def _escaped(name: str) -> str:
    """Escape what Hadoop takes for a pattern."""
    return "".join(f"\\{character}" if character in "\\*?[]{}" else character for character in name)


def _parts(name: str) -> list[str]:
    """Return the files of a directory that a job wrote, or the one file."""
    if _is_uri(name) or not os.path.isdir(system_path(name)):
        return [name]
    files = sorted(map(_text, os.listdir(system_path(name))))
    return [os.path.join(name, file) for file in files if not file.startswith(("_", "."))]


def _remote_lines(session: Any, uri: str) -> Iterator[tuple[int, str]]:
    rows = session.read.text(uri).toLocalIterator()
    return ((number, row.value) for number, row in enumerate(rows, 1))


class Output:
    """A Parquet directory that appears under its name when it is complete, and not before.

    It is written under a hidden name beside it, which Spark's readers skip, and renamed at the end. An existing output
    ends the command before it does anything.
    """

    def __init__(self, session: Any, name: str) -> None:
        self._name = name
        self._path = session._jvm.org.apache.hadoop.fs.Path(name if _is_uri(name) else _absolute(name))
        self._files = self._path.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
        self._refuse_existing()
        hidden = f".{self._path.getName()}.{uuid4().hex}.incomplete"
        self._hidden = session._jvm.org.apache.hadoop.fs.Path(self._path.getParent(), hidden)

    def write(self, frame: Any) -> None:
        """Write a frame."""
        try:
            frame.write.parquet(self._hidden.toString())
            # Renamed onto a directory that has come up meanwhile, it would become a part of that one.
            self._refuse_existing()
            if not self._files.rename(self._hidden, self._path):
                fail(f"{shown(self._name)} cannot be written: the complete output cannot be given its name")
        except BaseException:
            with suppress(Exception):
                # A task that has not noticed the end yet may begin a file anew.
                self._files.deleteOnExit(self._hidden)
                self._files.delete(self._hidden, True)
            raise

    def _refuse_existing(self) -> None:
        if self._files.exists(self._path):
            fail(f"{shown(self._name)} exists: name another output, or remove it first")
