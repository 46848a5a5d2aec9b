"""Routing of a stream whose topology changes while the stream runs: each micro-batch uses the current version.

The topology is read again before each batch if its source has changed. A batch that is repeated after a failure may use
a newer version than before; the version column contains the version that routed each row. With ``on_error="keep"`` a
version that fails causes a warning, and the last version that worked stays in use.

Spark Connect calls the function of a batch in a Python process on the server, so the file of the topology must be
there.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from errno import EISDIR
from inspect import Parameter, signature
from pathlib import Path
from stat import S_ISDIR
from typing import Any, Literal, NamedTuple, get_args

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.streaming.readwriter import DataStreamWriter

from spark_ext.messages.schemas import check_frame, message_columns
from spark_ext.routing.broadcast_join import broadcast_of, called, without
from spark_ext.routing.new_columns import check_new
from spark_ext.routing.plans import COMPILED, RoutingWarning, compile_prepared, prepare, without_settings
from spark_ext.routing.publication import given_column, given_exchange
from spark_ext.routing.route_messages import RouteOptions, route
from transpiler import Layout, TopologyError, TranspilerError
from transpiler.base.arguments import check_choice, local_path, unexpected
from transpiler.compiler.compile_options import Missing
from transpiler.routing.compiled_file import is_compiled
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.topology.files import read_topology
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.receivers import PublishSettings

#: The names of all options of ``route``.
_OPTIONS = {
    *(name for name, each in signature(route).parameters.items() if each.kind is Parameter.KEYWORD_ONLY),
    *RouteOptions.__annotations__,
}

#: The temporary column of the stream with the exchange of each message, if ``exchange`` is a Column.
_EXCHANGE = "_stream_exchange"

#: The source of a topology: a compiled file, a file in any format of ``read_topology``, or a function without arguments
#: that returns the topology.
TopologySource = str | Path | Callable[[], "Topology | CompiledTopology"]

#: The reaction to a later version of the topology that fails: stop the stream, or keep using the last version.
OnError = Literal["stop", "keep"]


def route_stream(
    messages: DataFrame,
    topology: TopologySource,
    write_batch: Callable[[DataFrame, int], object],
    *,
    version_column: str = "topology_version",
    layout: Layout | str | None = None,
    on_error: OnError = "stop",
    **options: Any,
) -> DataStreamWriter:
    """Route a stream through a topology that may change, and pass each routed batch to a function.

    A version of the topology fails if it cannot be read, or if it cannot route these messages. A version that fails
    stops the stream with the reason; with ``on_error="keep"`` only the very first version does.

    Args:
        messages: The stream.
        topology: The name of a file, which is read again after each change, or a function without arguments, which is
            called before each batch. The topology is compiled again only if the function returns another object.
        write_batch: A function that is called with each routed batch and its number.
        version_column: The name of the column with the version of the topology that routed each message.
        layout: The layout of the messages: a preset or a ``Layout``; None to infer the layout.
        on_error: ``"stop"`` stops the stream when a version fails. ``"keep"`` keeps routing with the last version that
            worked, and warns with the number of the batch and the reason: once for each state of the file that fails,
            or once for each error of the function.
        options: The options of ``route``.

    Raises:
        OSError: The file does not exist.
        TranspilerError: The errors of ``route``; raised immediately for a file, in the first batch for a function.
    """
    check_frame("messages", messages)
    if not callable(write_batch):
        raise unexpected("write_batch", "a function of the routed batch and its number", write_batch)
    if unknown := options.keys() - _OPTIONS:
        raise TypeError(f"route_stream() got an unexpected keyword argument {min(unknown)!r}")
    exchange = options.pop("exchange", None)
    by_column = given_column(None if isinstance(exchange, str) else exchange, messages)
    optional = {name: options.get(name) for name in ("outcome", "exchange_column", "possible_column")}
    optional["exchange"] = _EXCHANGE if by_column.says else None
    new = {"version_column": version_column, "column": options.get("column", "queues"), **optional}
    check_new(messages, new, optional)
    missing = options.pop("missing", "error")
    check_choice("missing", missing, get_args(Missing))
    check_choice("on_error", on_error, get_args(OnError))
    columns = message_columns(messages, layout)
    compiled_options = {name: options.pop(name) for name in COMPILED if name in options}
    stream = messages
    if by_column.of_each is not None:
        # A Column may belong to the stream, but a batch is another DataFrame, so the Column is evaluated here.
        stream, exchange = messages.withColumn(_EXCHANGE, by_column.of_each), sf.col(_EXCHANGE)
        if isinstance(options.get("keys"), DataFrame):
            options["keys"] = options["keys"].withColumn(_EXCHANGE, by_column.of_each)

    def version(read: Topology | CompiledTopology) -> _Version:
        if isinstance(read, CompiledTopology):
            without_settings({"exchange": exchange, "missing": missing, **compiled_options})
            return _Version(read)
        check_topology(read)
        given = given_exchange(exchange, read, stream, columns)
        return _Version(
            compile_prepared(prepare(read, columns, given, PublishSettings(**compiled_options)), missing), given.of_each
        )

    def routed(batch: DataFrame, by: _Version) -> DataFrame:
        frame = route(batch, by.compiled, layout, exchange=by.exchange, **options)
        frame = without(frame, _EXCHANGE) if by_column.says else frame
        return frame.withColumn(version_column, sf.lit(by.compiled.version))

    def written(batch: DataFrame, number: int) -> None:
        frame = source.routed(batch, number)
        with broadcast_of(source.name):
            write_batch(frame, number)

    source = _Source(topology, version, routed, on_error)
    if not callable(topology):
        # Plan the routing once before the stream starts, so that errors are raised now: all errors of the first batch
        # follow from the columns of the stream.
        source.routed(stream, 0)
    return stream.writeStream.foreachBatch(written)


class _Version(NamedTuple):
    """A compiled topology; ``exchange`` is the Column with each message's exchange for which it was compiled."""

    compiled: CompiledTopology
    exchange: Column | None = None


#: The state of a file: the time of its last change in nanoseconds, its size in bytes, and its inode.
_Stamp = tuple[int, int, int]


#: Maximum number of times that a file is read if it changes during each read.
_MOST_READS = 100


class _Failure(NamedTuple):
    """A version of the topology that failed: the state of its file and the reason.

    The state is None if the version came from a function or the file cannot be read.
    """

    stamp: _Stamp | None
    reason: str


class _Source:
    """Reader of a topology's source, which compiles a new version after each change and routes batches with it."""

    def __init__(
        self,
        source: TopologySource,
        version: Callable[[Topology | CompiledTopology], _Version],
        route_by: Callable[[DataFrame, _Version], DataFrame],
        on_error: OnError,
    ) -> None:
        if isinstance(source, Topology | CompiledTopology):
            raise unexpected("topology", "a file's name, or a function", source, "perhaps give lambda: topology")
        if not callable(source):
            source = local_path("topology", source, "copy the file, or pass a function that reads the file")
            if S_ISDIR(os.stat(source).st_mode):
                raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(source))
        self._source = source
        self._version = version
        self._route_by = route_by
        self._keeps = on_error == "keep"
        self._stamp: _Stamp | None = None
        self._read: Topology | CompiledTopology | None = None
        self._made: _Version | None = None
        self._failure: _Failure | None = None

    @property
    def name(self) -> str:
        """The description of the file and of the version that routed the last batch, for errors."""
        assert self._made is not None
        version = called(self._made.compiled)
        return version if callable(self._source) else f"{self._source}: {version}"

    def routed(self, batch: DataFrame, number: int) -> DataFrame:
        """Route ``batch`` with the newest version of the topology, or with the last version that worked."""
        kept = self._made
        if kept is None or not self._keeps:
            return self._by_newest(batch)
        stamp: _Stamp | None = None
        try:
            stamp = None if callable(self._source) else _stamp(self._source)
            if stamp is None or self._failure is None or self._failure.stamp != stamp:
                return self._by_newest(batch)
        except Exception as error:
            # Catch everything, because the user's function can raise anything. If ``batch`` itself causes the error, it
            # is raised again below.
            shown = None if isinstance(error, OSError) else stamp
            self._warn(_Failure(shown, f"{type(error).__name__}: {error}"), kept, number)
        return self._route_by(batch, kept)

    def _by_newest(self, batch: DataFrame) -> DataFrame:
        """Route ``batch`` with the newest version, and remember that version if it works."""
        stamp = None if callable(self._source) else _stamp(self._source)
        read, made = self._read, self._made
        if callable(self._source):
            read = self._source()
        elif read is None or stamp != self._stamp:
            read, stamp = _read_whole(self._source)
        if made is None or read is not self._read:
            made = self._version(read)
        routed = self._route_by(batch, made)
        self._read, self._stamp, self._made, self._failure = read, stamp, made, None
        return routed

    def _warn(self, failure: _Failure, kept: _Version, number: int) -> None:
        """Warn about ``failure`` unless the last failure was the same; ``kept`` is the version that stays in use."""
        if failure == self._failure:
            return
        self._failure = failure
        name = "the function of the topology" if callable(self._source) else self._source
        message = (
            f"batch {number}: {name} failed, so the messages are still routed by version "
            f"{kept.compiled.version} as before: "
            f"{failure.reason}"
        )
        warnings.warn(message, RoutingWarning, stacklevel=4)


def _read_whole(name: str | Path) -> tuple[Topology | CompiledTopology, _Stamp]:
    """Read the topology in a file, and return it with the state of the file.

    A file that changes during the read is read again, because the data can be a mixture of two versions, or incomplete
    if the file is being written in place.
    """
    for _ in range(_MOST_READS):
        before = _stamp(name)
        try:
            read = CompiledTopology.load(name) if is_compiled(name) else read_topology(name)
        except (OSError, TranspilerError):
            if _stamp(name) == before:
                raise
        else:
            if _stamp(name) == before:
                return read, before
    raise TopologyError.at(
        "topology.changing",
        f"{name} changed {_MOST_READS} times while it was being read",
        hint="perhaps write each version to a temporary file and rename the file, as CompiledTopology.save does",
    )


def _stamp(name: str | Path) -> _Stamp:
    """Return the state of the file ``name``, which is different after each change of the file."""
    status = os.stat(name)
    return status.st_mtime_ns, status.st_size, status.st_ino
