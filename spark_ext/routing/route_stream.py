"""Route a stream whose topology changes while it runs: each micro-batch is routed by the version of its time.

Between batches the source of the topology is asked again. A batch that is repeated after a failure may be routed by a
newer version than at first; the column of the version says which one wrote a row.

Deliberately not tested: Spark Connect, which calls a function of a batch in a Python process of the server.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from errno import EISDIR
from inspect import Parameter, signature
from pathlib import Path
from stat import S_ISDIR
from typing import Any, NamedTuple, get_args

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.streaming.readwriter import DataStreamWriter

from spark_ext.messages.schemas import check_frame, message_columns
from spark_ext.routing.broadcast_join import without
from spark_ext.routing.new_columns import check_new
from spark_ext.routing.plans import COMPILED, compile_prepared, prepare, without_settings
from spark_ext.routing.publication import given_column, given_exchange
from spark_ext.routing.route_messages import RouteOptions, route
from transpiler import Layout
from transpiler.base.arguments import check_choice, local_path, unexpected
from transpiler.compiler.compile_options import Missing
from transpiler.routing.compiled_file import is_compiled
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.topology.files import read_topology
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.receivers import PublishSettings

#: The options of ``route``.
_OPTIONS = {
    *(name for name, each in signature(route).parameters.items() if each.kind is Parameter.KEYWORD_ONLY),
    *RouteOptions.__annotations__,
}

#: The column of the stream with the exchange that a Column gives for each message.
_EXCHANGE = "_stream_exchange"

#: The source of a topology: a file, compiled or of any form that ``read_topology`` reads, or a function.
TopologySource = str | Path | Callable[[], "Topology | CompiledTopology"]


def route_stream(
    messages: DataFrame,
    topology: TopologySource,
    write_batch: Callable[[DataFrame, int], object],
    *,
    version_column: str = "topology_version",
    layout: Layout | str | None = None,
    **options: Any,
) -> DataStreamWriter:
    """Route a stream by a topology that may change, and hand each batch to a function; infer a layout of None.

    A topology that cannot be read later, or that the messages cannot be routed by, ends the stream, with the reason.

    Args:
        messages: The stream.
        topology: The name of a file, which is read again when it has changed, or a function without arguments, which is
            called before each batch; a function that returns the same object again costs nothing.
        write_batch: A function that is called with each routed batch and its number.
        version_column: The name of the column with the version of the topology by which each message was routed.
        layout: The layout of the messages: a preset or a ``Layout``.
        options: The options of ``route``.

    Raises:
        OSError: The file is not there.
        TranspilerError: As ``route``: with a file here, and with a function in the first batch.
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
    columns = message_columns(messages, layout)
    places = {name: options.pop(name) for name in COMPILED if name in options}
    stream = messages
    if by_column.of_each is not None:
        # A Column may be one of the stream, and a batch is another DataFrame.
        stream, exchange = messages.withColumn(_EXCHANGE, by_column.of_each), sf.col(_EXCHANGE)
        if isinstance(options.get("keys"), DataFrame):
            options["keys"] = options["keys"].withColumn(_EXCHANGE, by_column.of_each)

    def version(read: Topology | CompiledTopology) -> _Version:
        if isinstance(read, CompiledTopology):
            without_settings({"exchange": exchange, "missing": missing, **places})
            return _Version(read)
        check_topology(read)
        given = given_exchange(exchange, read, stream, columns.schema)
        return _Version(
            compile_prepared(prepare(read, columns, given, PublishSettings(**places)), missing), given.of_each
        )

    def routed(batch: DataFrame) -> DataFrame:
        now = source.now()
        frame = route(batch, now.compiled, layout, exchange=now.exchange, **options)
        frame = without(frame, _EXCHANGE) if by_column.says else frame
        return frame.withColumn(version_column, sf.lit(now.compiled.version))

    def written(batch: DataFrame, number: int) -> None:
        write_batch(routed(batch), number)

    source = _Source(topology, version)
    if not callable(topology):
        # The first batch has nothing to find that the columns of the stream do not show.
        routed(stream)
    return stream.writeStream.foreachBatch(written)


class _Version(NamedTuple):
    """A topology as it was compiled, and the Column with the exchange of each message that it was compiled for."""

    compiled: CompiledTopology
    exchange: Column | None = None


class _Source:
    """Reads a topology again where its source has changed, and keeps the version that is made of it."""

    def __init__(self, source: TopologySource, version: Callable[[Topology | CompiledTopology], _Version]) -> None:
        if isinstance(source, Topology | CompiledTopology):
            raise unexpected("topology", "a file's name, or a function", source, "perhaps give lambda: topology")
        if not callable(source):
            source = local_path("topology", source, "copy the file, or give a function that reads it")
            if S_ISDIR(os.stat(source).st_mode):
                raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(source))
        self._source = source
        self._version = version
        self._stamp: tuple[int, int, int] | None = None
        self._read: Topology | CompiledTopology | None = None
        self._made: _Version | None = None

    def now(self) -> _Version:
        """Return the version of the topology as it is now."""
        read, stamp = (self._source(), None) if callable(self._source) else self._file(self._source)
        if self._made is None or read is not self._read:
            self._made = self._version(read)
            self._read, self._stamp = read, stamp
        return self._made

    def _file(self, name: str | Path) -> tuple[Topology | CompiledTopology, tuple[int, int, int]]:
        status = os.stat(name)
        stamp = status.st_mtime_ns, status.st_size, status.st_ino
        if self._read is None or stamp != self._stamp:
            return CompiledTopology.load(name) if is_compiled(name) else read_topology(name), stamp
        return self._read, stamp
