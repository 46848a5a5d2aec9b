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
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.streaming.readwriter import DataStreamWriter

from spark_ext.messages.schemas import check_frame, message_columns
from spark_ext.routing.new_columns import check_new
from spark_ext.routing.plans import COMPILED, check_compiled, compile_topology
from spark_ext.routing.route_messages import PublisherKeywords, route
from transpiler import Layout
from transpiler.base.arguments import local_path, unexpected
from transpiler.routing.compiled_file import is_compiled
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.topology.files import read_topology
from transpiler.topology.model import Topology

#: The options of ``route``.
_OPTIONS = {
    *(name for name, each in signature(route).parameters.items() if each.kind is Parameter.KEYWORD_ONLY),
    *PublisherKeywords.__annotations__,
}

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
    """Route a stream by a topology that may change, and hand each batch to ``write_batch(routed, batch_id)``.

    ``topology`` is the name of a file, which is read again when it has changed, or a function, which is called before
    each batch; a function that returns the same object again costs nothing. ``layout`` is None for what the messages
    show. ``version_column`` names the version of the topology by which each message was routed. ``options`` are those
    of ``route``. Returns the writer: give it a checkpoint and a trigger, and start it. ``OSError`` for a file that is
    not there, and what ``route`` raises for an option; a topology that cannot be read later ends the stream, with the
    reason.
    """
    check_frame("messages", messages)
    if not callable(write_batch):
        raise unexpected("write_batch", "a function of the routed batch and its number", write_batch)
    if unknown := options.keys() - _OPTIONS:
        raise TypeError(f"route_stream() got an unexpected keyword argument {min(unknown)!r}")
    optional = {name: options.get(name) for name in ("outcome", "exchange_column", "possible_column")}
    new = {"version_column": version_column, "column": options.get("column", "queues"), **optional}
    check_new(messages, new, optional)
    check_compiled(options.get("exchange"), options.get("missing", "error"))
    if layout is not None:
        message_columns(messages, layout)
    compile_options = {name: options.pop(name) for name in COMPILED if name in options}
    source = _Source(topology)

    def compiled(read: Topology, batch: DataFrame) -> CompiledTopology:
        return compile_topology(read, layout, messages=batch, **compile_options)

    def routed_batch(batch: DataFrame, number: int) -> None:
        version = source.now(lambda read: compiled(read, batch))
        routed = route(batch, version, layout, **options)
        write_batch(routed.withColumn(version_column, sf.lit(version.version)), number)

    return messages.writeStream.foreachBatch(routed_batch)


class _Source:
    """Reads a topology again where its source has changed, and keeps what was compiled of it."""

    def __init__(self, source: TopologySource) -> None:
        if isinstance(source, Topology | CompiledTopology):
            raise unexpected("topology", "a file's name, or a function", source, "perhaps give lambda: topology")
        if not callable(source):
            source = local_path("topology", source, "copy the file, or give a function that reads it")
            if S_ISDIR(os.stat(source).st_mode):
                raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(source))
        self._source = source
        self._stamp: tuple[int, int, int] | None = None
        self._read: Topology | CompiledTopology | None = None
        self._compiled: CompiledTopology | None = None

    def now(self, compiled: Callable[[Topology], CompiledTopology]) -> CompiledTopology:
        """Return the topology as it is now, compiled."""
        read = self._source() if callable(self._source) else self._file(self._source)
        if self._compiled is None or read is not self._read:
            self._compiled = compiled(read) if isinstance(read, Topology) else read
            self._read = read
        return self._compiled

    def _file(self, name: str | Path) -> Topology | CompiledTopology:
        status = os.stat(name)
        stamp = status.st_mtime_ns, status.st_size, status.st_ino
        if self._read is None or stamp != self._stamp:
            self._stamp = stamp
            return CompiledTopology.load(name) if is_compiled(name) else read_topology(name)
        return self._read
