"""Collect the deliveries of all lookups into one array, and the queues into one in their order."""

from __future__ import annotations

from spark_ext.routing.constant_tables import Payload
from spark_ext.routing.topic_sql import let


class CollectedDeliveries:
    """The columns of deliveries that are computed so far: arrays of them, and arrays of those."""

    def __init__(self, payload: Payload) -> None:
        self._payload = payload
        self._arrays: list[str] = []
        self._lists: list[str] = []

    def add(self, *names: str, flat: bool = True) -> None:
        """Add columns, whose arrays have deliveries themselves where they are ``flat``."""
        (self._arrays if flat else self._lists).extend(names)

    def together(self) -> str:
        """Concatenate all deliveries to one array."""
        empty = self._payload.empty
        parts = [f"coalesce({name}, {empty})" for name in self._arrays]
        if self._lists:
            # One flatten for all: it is long once compiled, and a generated method has little room.
            none = f"array_repeat({empty}, 0)"
            parts.append(f"flatten(concat({', '.join(f'coalesce({name}, {none})' for name in self._lists)}))")
        if len(parts) < 2:
            return parts[0] if parts else empty
        return f"concat({', '.join(parts)})"

    def in_order(self, distinct: bool) -> str:
        """Return the SQL of the queues in order; ``distinct`` if none is delivered twice."""
        together = self.together()
        return f"sort_array({together})" if distinct else distinct_in_order(together)


def distinct_in_order(queues: str) -> str:
    """Return an array of queues without those that repeat, in order."""
    # Most messages go to a queue or two. Variables of lambdas name the parts, and columns do not: a filter behind the
    # query would copy each column that it is pushed through, once for every time that it is named.
    once = let({"s": "sort_array(q)"}, "filter(s, (n, i) -> NOT n <=> get(s, i - 1))")
    return let({"q": queues}, f"CASE WHEN size(q) > 1 THEN {once} ELSE q END")
