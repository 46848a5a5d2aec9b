"""Constant tables that a session makes once, for all queries and micro-batches that route by one plan.

A plan's tables are kept with the session, by the identity of the plan and for as long as the plan is there; they hold
no reference to it. Spark broadcasts them anew in every query.

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

#: The attribute of a session that has the tables, so that they end with it.
_ATTRIBUTE = "_selector_sql_tables"

_LOCK = threading.RLock()


class KeptTables:
    """Cache of a plan's tables in a session; ``kind`` is what they depend on besides the plan."""

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


def _kept_tables(session: SparkSession, plan: RoutingPlan) -> dict[Hashable, Any]:
    """Return the tables that a session keeps for a plan, until the session or the plan is gone."""
    with _LOCK:
        plans: dict[int, tuple[weakref.ref[RoutingPlan], dict[Hashable, Any]]] = session.__dict__.setdefault(
            _ATTRIBUTE, {}
        )
        kept = plans.get(id(plan))
        if kept is None:
            number = id(plan)
            kept = plans[number] = weakref.ref(plan, lambda _: plans.pop(number, None) and None), {}
        return kept[1]
