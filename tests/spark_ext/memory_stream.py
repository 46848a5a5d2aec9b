"""A stream of texts in memory that the real-time mode can read, and its sink. PySpark has no API for these two."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession


class MemoryStream:
    """A source with one partition and its sink. ``frame`` is the stream, with its texts in the column ``value``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark, self._jvm = spark, spark._jvm
        sources = self._jvm.org.apache.spark.sql.execution.streaming.sources
        texts = self._jvm.org.apache.spark.sql.Encoders.STRING()
        self._source = _object(sources, "LowLatencyMemoryStream").singlePartition(spark._jsparkSession, texts)
        self._sink = sources.ContinuousMemorySink()
        self.frame = DataFrame(self._source.toDF(), spark)

    def start(self, routed: DataFrame, directory: Path, trigger: str) -> Any:
        """Start ``routed``, a query with one column of texts, in real time. Return the Java object of the query."""
        streaming, none = self._jvm.org.apache.spark.sql.streaming, _object(self._jvm.scala, "None")
        queries = self._spark._jsparkSession.streams()
        clock = getattr(queries, "startQuery$default$11")()
        options = _object(self._jvm.scala.collection.immutable, "Map").empty()
        mode, real_time = streaming.OutputMode.Update(), streaming.Trigger.RealTime(trigger)
        state = self._jvm.scala.Some(str(directory))
        return queries.startQuery(
            none, none, state, routed._jdf, options, self._sink, mode, False, True, real_time, clock, none, none
        )

    def send(self, texts: Iterable[str]) -> None:
        """Send ``texts``, which contain no NUL, with a constant number of calls of Java."""
        java = self._jvm.java.util
        listed = java.Collections.list(java.StringTokenizer("\0".join(texts), "\0"))
        self._source.addData(self._jvm.org.apache.spark.api.python.PythonUtils.toSeq(listed))

    @property
    def received(self) -> int:
        """The number of texts that the sink has received so far."""
        return int(self._sink.allData().size())

    def texts(self) -> list[str]:
        """Return the texts that the sink has received so far."""
        rows = self._sink.allData()
        return [rows.apply(number).getString(0) for number in range(rows.size())]


def _object(package: Any, name: str) -> Any:
    return getattr(getattr(package, f"{name}$"), "MODULE$")
