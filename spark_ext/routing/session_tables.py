"""Cache of constant tables, which are built once for all queries and micro-batches that use the same plan.

A plan's tables are cached by the identity of the plan, which the cache does not keep alive. All sessions of one Spark
context share the cache, because a stream has its own session, for which PySpark creates a new object in every
micro-batch. With Spark Connect each session has its own cache. Spark broadcasts the cached tables again in every query.

Deliberately not here: the contents of the tables (``constant_tables``).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from pyspark.sql import SparkSession

from spark_ext.routing import tuning
from transpiler.routing.plan import RoutingPlan

T = TypeVar("T")

#: The attribute with the cache, on the object that determines its lifetime: Spark's context or a Spark Connect session.
_ATTRIBUTE = "_selector_sql_tables"

_LOCK = threading.RLock()


class KeptTables:
    """Cache of the tables of one plan in a session; ``kind`` is everything else on which the tables depend."""

    def __init__(self, session: SparkSession, plan: RoutingPlan, kind: Hashable) -> None:
        self._kind = kind
        self._kept = _kept_tables(session, plan) if tuning.KEPT_TABLES else {}

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return the table ``name``; the first call builds the table with ``make``, later calls return the same one."""
        key = name, self._kind
        with _LOCK:
            if key not in self._kept:
                self._kept[key] = make()
            return cast(T, self._kept[key])


def kept_by_plan(session: SparkSession) -> dict[int, tuple[weakref.ref[RoutingPlan], dict[Hashable, Any]]]:
    """Return the cache for ``session``: for the ``id`` of each plan, a weak reference to the plan and its tables."""
    owner: object = session.sparkContext if hasattr(session, "_jsparkSession") else session
    return cast(dict[int, Any], owner.__dict__.setdefault(_ATTRIBUTE, {}))


def _kept_tables(session: SparkSession, plan: RoutingPlan) -> dict[Hashable, Any]:
    """Return the cached tables of ``plan`` for ``session``, a dictionary that is emptied when the plan is gone."""
    with _LOCK:
        plans, number = kept_by_plan(session), id(plan)
        if number not in plans:
            plans[number] = weakref.ref(plan, lambda _: plans.pop(number, None) and None), {}
        return plans[number][1]
