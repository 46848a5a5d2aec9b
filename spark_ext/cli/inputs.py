"""Inputs of Spark commands: files, patterns, directories and URIs, and the format of their files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from glob import glob
from pathlib import PurePosixPath
from typing import Any, NamedTuple, NoReturn
from urllib.parse import unquote

from spark_ext.cli.spark_errors import spark_error
from transpiler import TranspilerError
from transpiler.base.arguments import has_scheme
from transpiler.base.diagnostics import one_line
from transpiler.base.local_files import no_file, why_skipped
from transpiler.cli.group import click, fail, say
from transpiler.cli.inputs import input_lines, shown, system_path
from transpiler.cli.layouts import read_schema as schema_of
from transpiler.compiler.sql import quote_name
from transpiler.tools.message_files.file_lines import Guard, Lines

#: The formats of inputs. XML is the format of Artemis's export.
FORMATS = ("json", "csv", "parquet", "orc", "avro", "xml")

_FORMAT_OF = {f".{name}": name for name in FORMATS} | dict.fromkeys((".jsonl", ".ndjson", ".log", ".txt"), "json")

_LOCAL_URI = re.compile("file:(?://(?:localhost)?)?(?=/)")

_NO_AVRO = re.compile("AVRO_[A-Z_]*NOT_ENABLED|Failed to find data source: avro|DATA_SOURCE_NOT_FOUND.*avro", re.DOTALL)


class Inputs(NamedTuple):
    """The inputs of a command: names of local files, with glob patterns expanded, and unchanged URIs."""

    names: tuple[str, ...]
    #: The format of the inputs; None if it can be found only by listing the files of a URI.
    form: str | None

    def with_form(self, session: Any) -> Inputs:
        """Return the inputs with their format. If no name shows it, list the files of the first URI to find it."""
        if self.form is not None:
            return self
        with self.failures(session):
            formats = (_format_of(file) for file in _remote_files(session, self.names[0]))
            return self._replace(form=next(filter(None, formats), "parquet"))

    def table(self, session: Any, schema: Any = None) -> Any:
        """Read the inputs as a table; ``schema`` has the types of columns in CSV and JSON, or is None."""
        with self.failures(session):
            if self.form == "csv":
                return self._csv(session, schema)
            if schema is not None and self.form != "json":
                fail(f"--schema sets the types of CSV and JSON, but {self.form} contains its own types: omit --schema")
            reader = session.read if schema is None else session.read.schema(schema).option("mode", "FAILFAST")
            return reader.format(self.form).load(self.for_spark())

    def _csv(self, session: Any, schema: Any) -> Any:
        # By RFC 4180, a quote in a quoted text is doubled. By default, Spark expects a backslash.
        reader = session.read.option("header", True).option("escape", '"').option("mode", "FAILFAST")
        # Reading is slower with multiLine, because files are not split, so use it only for texts on several lines.
        quotes = "length(value) - length(replace(value, '\"', ''))"
        if not session.read.text(self.for_spark()).filter(f"({quotes}) % 2 = 1").isEmpty():
            reader = reader.option("multiLine", True)
        texts = reader.csv(self.for_spark())
        if schema is None:
            return _with_absent(texts)
        from pyspark.sql.types import StructType

        types = {field.name: field for field in schema}
        absent = [name for name in types if name not in texts.columns]
        if absent:
            columns = ", ".join(texts.columns)
            fail(f"{shown(self.names[0])} has no column {' and no column '.join(absent)}; its columns are {columns}")
        typed = StructType([types.get(field.name, field) for field in texts.schema])
        return _with_absent(reader.schema(typed).option("enforceSchema", False).csv(self.for_spark()))

    def text(self, session: Any) -> Any:
        """Read the inputs as lines, with the columns ``value`` and ``file_path``."""
        with self.failures(session):
            return session.read.text(self.for_spark()).select("value", "_metadata.file_path")

    @contextmanager
    def failures(self, session: Any) -> Iterator[None]:
        """End the command with a one-line error if Spark cannot read the inputs."""
        try:
            yield
        except Exception as error:
            self._report(session, error)

    def _report(self, session: Any, error: Exception) -> NoReturn:
        message = spark_error(error)
        if message is None:
            raise error
        if self.form == "avro" and _NO_AVRO.search(str(error)):
            version = session.version
            fail(
                f"{shown(self.names[0])}: Spark reads Avro with a package: give --packages "
                f"org.apache.spark:spark-avro_2.13:{version}"
            )
        if self.form == "json":
            # Python's reader reports the line of a damaged file, which Spark does not.
            for _ in Inputs(tuple(name for name in self.names if not has_scheme(name)), "json").lines(session):
                pass
        # Some of Spark's errors do not name the file.
        named = any(name in message for name in self.names)
        fail(message if named else one_line(f"{self.names[0]}: {message}"))

    def for_spark(self) -> list[str]:
        """Return the names for Spark's readers: absolute, with the characters of patterns escaped."""
        return [name if has_scheme(name) else _escaped(absolute(name)) for name in self.names]

    @property
    def for_hadoop(self) -> bool:
        """Return False if the name of a local file has a colon, which Hadoop parses as the end of a scheme."""
        return not any(":" in os.path.basename(name) for name in self.names if not has_scheme(name))

    def at(self, file_path: str) -> Inputs:
        """Return inputs with only the file at the URI ``file_path``, under the name that the user gave it."""
        path = _local(file_path)
        for name in self.names:
            if not has_scheme(name) and not has_scheme(path):
                whole = absolute(name)
                if path == whole:
                    return self._replace(names=(name,))
                if path.startswith(f"{whole}/"):
                    return self._replace(names=(os.path.join(name, path.removeprefix(f"{whole}/")),))
        return self._replace(names=(path,))

    def files(self) -> Iterator[str]:
        """Yield the names of all files, including files in directories, for the function that ``opened`` returns."""
        return (file for name in self.names for file in _parts(name))

    def opened(self, session: Any) -> Lines:
        """Return a function that yields the numbered lines of a file, in this process; Spark reads files at URIs."""

        def opened(file: str, guard: Guard) -> Iterator[tuple[int, str]]:
            return _remote_lines(session, file) if has_scheme(file) else input_lines(file, guard)

        return opened

    def lines(self, session: Any) -> Iterator[tuple[str, int, str]]:
        """Yield the file, the number and the text of each line that is not blank, in this process."""
        opened = self.opened(session)
        for file in self.files():
            for number, text in opened(file, nullcontext):
                if text.strip():
                    yield file, number, text


input_format_option = click.option(
    "--input-format", type=click.Choice(FORMATS), help="What INPUT is  [default: by the files' names]"
)


def find_inputs(given: tuple[str, ...], form: str | None) -> Inputs:
    """Find the local files for the names and glob patterns ``given``; end the command if a name has no file."""
    names: list[str] = []
    for name in map(_local, given):
        if has_scheme(name):
            names.append(name)
            continue
        try:
            literal = os.path.lexists(system_path(name))
            matching = [name] if literal else sorted(map(_text, glob(name.encode("utf-8"))))
        except ValueError:
            fail(one_line(f"{name!r} is not the name of a file"))
        if literal:
            _refuse_no_file(name)
        else:
            matching = [one for one in matching if not _is_skipped(one)]
        if not matching:
            fail(f"there is no file {shown(name)}")
        names += matching
    for name in names:
        if not has_scheme(name) and os.path.isdir(system_path(name)):
            for below in _below(name):
                _is_skipped(below)
    return Inputs(tuple(names), form or _format_of_all(names))


def _refuse_no_file(name: str) -> None:
    """End the command if ``name`` is a pipe, a socket or a device, which Spark would read as an empty file."""
    with suppress(OSError):
        other = no_file(system_path(name))
        if other is not None:
            fail(
                f"{shown(name)} is {other}, but Spark reads only files: copy the content to a file, and give that file"
            )


def _is_skipped(name: str) -> bool:
    """Return True and print a note if the entry ``name`` of a directory or pattern is not a readable file."""
    why = why_skipped(system_path(name))
    if why is not None:
        say(f"{name}: skipped: {why}", err=True)
    return why is not None


def _with_absent(table: Any) -> Any:
    """Replace each empty string in rows of CSV by NULL: a quoted empty cell means the same as an unquoted one."""
    from pyspark.sql import functions as sf

    texts = {field.name for field in table.schema if field.dataType.typeName() == "string"}
    columns = ((name, sf.col(quote_name(name))) for name in table.columns)
    return table.select(*(sf.nullif(c, sf.lit("")).alias(name) if name in texts else c for name, c in columns))


def read_schema(given: str | None) -> Any:
    """Read the schema ``given`` for Spark's readers: DDL text, Spark's JSON form, or a file with one of these."""
    if given is None:
        return None
    from pyspark.sql.types import StructType

    try:
        return StructType.fromJson(dict(schema_of(given)))
    except Exception as error:
        if isinstance(error, TranspilerError):
            raise
        # The errors of PySpark's JSON reader have no common base class.
        fail(f"{shown(given)} is not a schema in Spark's JSON form: write it with df.schema.json()")


def _format_of_all(names: list[str]) -> str | None:
    """Return the common format that the suffixes of ``names`` show; None if only listing a URI's files can show it."""
    formats = {name: _format_of(name) for name in names}
    for name in names:
        if formats[name] is None and not has_scheme(name):
            below = _below(name) if os.path.isdir(system_path(name)) else iter(())
            formats[name] = next(filter(None, map(_format_of, below)), "parquet")
    forms = list(dict.fromkeys(form for form in formats.values() if form is not None))
    if len(forms) > 1:
        fail(f"the inputs are {' and '.join(forms)}: give files of one format, or set the format with --input-format")
    return forms[0] if forms else None


def _format_of(name: str) -> str | None:
    """Return the format of a file by the suffix of its name: ``a.csv.gz`` is CSV; None if no suffix is known."""
    suffixes = PurePosixPath(name.rstrip("/")).suffixes
    return next((_FORMAT_OF[suffix] for suffix in reversed(suffixes) if suffix in _FORMAT_OF), None)


def _below(name: str) -> Iterator[str]:
    """Yield all entries below the directory ``name`` that are not directories.

    Symbolic links are followed. Each directory is visited only once, because links may form a cycle.
    """
    waiting, seen = [name], {os.path.realpath(system_path(name))}
    while waiting:
        for below in _listed(waiting.pop()):
            if not os.path.isdir(system_path(below)):
                yield below
            elif (resolved := os.path.realpath(system_path(below))) not in seen:
                seen.add(resolved)
                waiting.append(below)


def _remote_files(session: Any, uri: str) -> Iterator[str]:
    """Yield the names of the files at ``uri``, a directory or a glob pattern, as Hadoop lists them."""
    path = session._jvm.org.apache.hadoop.fs.Path(uri)
    files = path.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
    for entry in files.globStatus(path) or ():
        listed = files.listFiles(entry.getPath(), True) if entry.isDirectory() else None
        if listed is None:
            yield str(entry.getPath().getName())
        while listed is not None and listed.hasNext():
            name = str(listed.next().getPath().getName())
            if not name.startswith(("_", ".")):
                yield name


def _local(uri: str) -> str:
    """Return the path of the local file if ``uri`` has the scheme ``file``; otherwise ``uri``."""
    # A question mark is a wildcard in the file name, so it does not begin a query.
    local = _LOCAL_URI.match(uri)
    return uri if local is None else unquote(uri[local.end() :])


def _text(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode("utf-8")


def absolute(name: str) -> str:
    """Return the absolute path of the local file ``name``."""
    return _text(os.path.abspath(system_path(name)))


def _escaped(name: str) -> str:
    """Escape the characters in ``name`` that have a meaning in Hadoop's glob patterns."""
    return "".join(f"\\{character}" if character in "\\*?[]{}" else character for character in name)


def _parts(name: str) -> list[str]:
    """Return the files in the directory ``name``, such as the output of a Spark job; ``[name]`` if it is a file."""
    if has_scheme(name) or not os.path.isdir(system_path(name)):
        return [name]
    return [part for part in _listed(name) if why_skipped(system_path(part)) is None]


def _listed(directory: str) -> list[str]:
    """Return the paths of the entries in ``directory`` that Spark's readers do not skip as hidden, sorted."""
    try:
        entries = sorted(map(_text, os.listdir(system_path(directory))))
    except OSError as error:
        fail(f"{shown(directory)} cannot be read: {error.strerror}")
    return [os.path.join(directory, entry) for entry in entries if not entry.startswith(("_", "."))]


def _remote_lines(session: Any, uri: str) -> Iterator[tuple[int, str]]:
    rows = session.read.text(uri).toLocalIterator()
    return ((number, row.value) for number, row in enumerate(rows, 1))
