"""Constant tables that a session makes once, for all queries and micro-batches that route by one plan.

A plan's tables are kept with the session, by the identity of the plan and for as long as the plan is there; they hold
no reference to it. Spark broadcasts them anew in every query.

Deliberately not here: what the tables have in them (``constant_tables``).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

from pyspark.sql import Column, SparkSession

from spark_ext.routing.broadcast_join import ConstantTable
from spark_ext.routing.constant_tables import ConstantTables, Payload
from spark_ext.routing.lookups import Lookup
from transpiler.routing.plan import RoutingPlan

T = TypeVar("T")

#: The attribute of a session that has the tables, so that they end with it.
_ATTRIBUTE = "_selector_sql_tables"

_LOCK = threading.RLock()


class SessionTables(ConstantTables):
    """The tables of a plan in a session; those of one ``kind`` of query are the same.

    The kind says on what the tables depend besides the plan and the payload.
    """

    def __init__(self, session: SparkSession, plan: RoutingPlan, payload: Payload, kind: Hashable) -> None:
        super().__init__(session, plan, payload)
        self._kind = kind
        self._kept = _kept_tables(session, plan)

    def _once(self, name: str, make: Callable[[], T]) -> T:
        key = name, self._payload, self._kind
        with _LOCK:
            if key not in self._kept:
                self._kept[key] = make()
            return cast(T, self._kept[key])

    def store(self, look_ups: Sequence[Lookup]) -> ConstantTable:
        """The table of look-ups that share one."""

        return self._once(look_ups[0].store, lambda: super(SessionTables, self).store(look_ups))

    @cached_property
    def automaton(self) -> dict[str, Column]:
        """The arrays of the automaton of topics, and the slots of its words, by name."""
        return self._once("automaton", lambda: super(SessionTables, self).automaton)

    @cached_property
    def entries(self) -> ConstantTable:
        """One row an exchange: where the trie begins, and how answers are put together."""
        return self._once("entries", lambda: super(SessionTables, self).entries)


def _kept_tables(session: SparkSession, plan: RoutingPlan) -> dict[Hashable, Any]:
    """Return what a session keeps for a plan, until one of the two is gone."""
    with _LOCK:
        plans: dict[int, tuple[weakref.ref[RoutingPlan], dict[Hashable, Any]]] = session.__dict__.setdefault(
            _ATTRIBUTE, {}
        )
        kept = plans.get(id(plan))
        if kept is None:
            number = id(plan)
            kept = plans[number] = weakref.ref(plan, lambda _: plans.pop(number, None) and None), {}
        return kept[1]
