"""Constant tables that are made once, for all queries and micro-batches that route by one plan.

A plan's tables are kept by the identity of the plan and for as long as the plan is there; they hold no reference to it.
All sessions of one Spark share them: a stream has a session of its own, for which PySpark makes a new object in every
micro-batch. Over Spark Connect each session has its own. Spark broadcasts them anew in every query.

Deliberately not here: what the tables have in them (``constant_tables``).
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

#: The attribute that has the tables, of what they end with: Spark's context, or a session of Spark Connect.
_ATTRIBUTE = "_selector_sql_tables"

_LOCK = threading.RLock()


class KeptTables:
    """Cache of a plan's tables; ``kind`` is what they depend on besides the plan."""

    def __init__(self, session: SparkSession, plan: RoutingPlan, kind: Hashable) -> None:
        self._kind = kind
        self._kept = _kept_tables(session, plan) if tuning.KEPT_TABLES else {}

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return the table of a name, made by the first query that asks for it."""
        key = name, self._kind
        with _LOCK:
            if key not in self._kept:
                self._kept[key] = make()
            return cast(T, self._kept[key])


def kept_by_plan(session: SparkSession) -> dict[int, tuple[weakref.ref[RoutingPlan], dict[Hashable, Any]]]:
    """Return the plans whose tables are kept for a session, each with them, by the identity of the plan."""
    owner: object = session.sparkContext if hasattr(session, "_jsparkSession") else session
    return cast(dict[int, Any], owner.__dict__.setdefault(_ATTRIBUTE, {}))


def _kept_tables(session: SparkSession, plan: RoutingPlan) -> dict[Hashable, Any]:
    """Return the tables that are kept for a plan, until Spark or the plan is gone."""
    with _LOCK:
        plans, number = kept_by_plan(session), id(plan)
        if number not in plans:
            plans[number] = weakref.ref(plan, lambda _: plans.pop(number, None) and None), {}
        return plans[number][1]
