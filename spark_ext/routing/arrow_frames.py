"""DataFrames from Arrow tables that are to be broadcast, cut so that no task carries more than a share of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_ext.routing import tuning
from transpiler.base.errors import UnsupportedFeatureError

_LOCAL_LIMIT = "spark.sql.execution.arrow.localRelationThreshold"
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"

#: The most bytes of a table that Spark broadcasts, and what that is where Spark has no such setting (before 4.1).
_BROADCAST_LIMIT, _LIMIT = "spark.sql.maxBroadcastTableSize", "8g"

#: Spark's units of bytes.
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}

#: Bytes of a row in Spark's hash table besides its values: the copy of its key, its place and its share of free places;
#: and those of each field.
ROW, FIELD = 72, 8


def arrow_frame(session: SparkSession, rows: Any, schema: StructType) -> DataFrame:
    """Return the DataFrame of an Arrow table. ``UnsupportedFeatureError`` if Spark will refuse to broadcast it."""
    if rows.nbytes < tuning.LOCAL_TABLE:
        return session.createDataFrame(rows, schema)
    size, limit = rows.nbytes + rows.num_rows * (ROW + FIELD * rows.num_columns), _most_bytes(session)
    if limit is not None and size > limit:
        raise UnsupportedFeatureError.at(
            "limit.broadcast",
            f"a table of the bindings takes about {size:,} bytes, and Spark broadcasts {limit:,} at most "
            f"({_BROADCAST_LIMIT})",
            hint="perhaps route by parts of the topology, one after the other: docs/compile-once.md says how",
        )
    count = max(1, rows.num_rows * tuning.TASK // rows.nbytes)
    if not hasattr(session, "_jsparkSession"):
        # Spark Connect cuts no table, so each part is a table of its own.
        parts = [rows.slice(at, count) for at in range(0, rows.num_rows, count)]
        return reduce(DataFrame.union, (session.createDataFrame(part, schema) for part in parts))
    with _set(session, _LOCAL_LIMIT, "0"), _set(session, _BATCH, str(count)):
        return session.createDataFrame(rows, schema)


def _most_bytes(session: SparkSession) -> int | None:
    """Return the most bytes of a table that Spark broadcasts; None where its setting is not understood here."""
    text = session.conf.get(_BROADCAST_LIMIT, _LIMIT) or _LIMIT
    size = re.fullmatch("([0-9]+)([kmgtp]?)b?", text.strip().lower())
    return None if size is None else int(size[1]) * _UNITS[size[2]]


@contextmanager
def _set(session: SparkSession, name: str, value: str) -> Iterator[None]:
    before = session.conf.get(name, None)
    try:
        session.conf.set(name, value)
    except PySparkException:
        # A pipeline allows no settings. It runs on Spark Connect, which does not read this one.
        changed = False
    else:
        changed = True
    try:
        yield
    finally:
        if changed:
            if before is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, before)
