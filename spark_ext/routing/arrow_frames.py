"""DataFrames from Arrow tables, cut so that no task carries more than a share of the data with it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

#: Bytes from which on a table is no part of the plan: rows in a plan are hashed, compared and projected one by one.
LOCAL = 1 << 17

#: Bytes of a table that go with one task. Spark warns of tasks from 1,000 KiB on.
TASK = 1 << 19

_LOCAL_LIMIT = "spark.sql.execution.arrow.localRelationThreshold"
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"

_LARGE: weakref.WeakSet[DataFrame] = weakref.WeakSet()


def arrow_frame(session: SparkSession, rows: Any, schema: StructType) -> DataFrame:
    """Return the DataFrame of an Arrow table."""
    if rows.nbytes < LOCAL:
        return session.createDataFrame(rows, schema)
    count = max(1, rows.num_rows * TASK // rows.nbytes)
    if not hasattr(session, "_jsparkSession"):
        # Spark Connect cuts no table, so each part is one of its own.
        parts = [rows.slice(at, count) for at in range(0, rows.num_rows, count)]
        return reduce(DataFrame.union, (session.createDataFrame(part, schema) for part in parts))
    with _set(session, _LOCAL_LIMIT, "0"), _set(session, _BATCH, str(count)):
        frame = session.createDataFrame(rows, schema)
    _LARGE.add(frame)
    return frame


def is_large(frame: DataFrame) -> bool:
    """Return True if a DataFrame was made of an Arrow table that is no part of the plan."""
    return frame in _LARGE


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
