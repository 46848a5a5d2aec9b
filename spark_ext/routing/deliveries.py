"""SQL that collects the deliveries of all lookups in one array, and sorts the queues."""

from __future__ import annotations

from spark_ext.routing.constant_tables import Payload
from spark_ext.routing.topic_sql import let


class CollectedDeliveries:
    """The names of the columns with the deliveries that earlier steps of the query have found for each message.

    Each column is an array of deliveries, or an array of arrays of deliveries.
    """

    def __init__(self, payload: Payload) -> None:
        self._payload = payload
        self._arrays: list[str] = []
        self._lists: list[str] = []

    def add(self, *names: str, flat: bool = True) -> None:
        """Add columns: arrays of deliveries if ``flat`` is True, otherwise arrays of arrays."""
        (self._arrays if flat else self._lists).extend(names)

    def together(self) -> str:
        """Return the SQL of one array with the deliveries from all added columns."""
        empty = self._payload.empty
        parts = [f"coalesce({name}, {empty})" for name in self._arrays]
        if self._lists:
            # Concatenate all arrays of arrays and call ``flatten`` once. Spark generates much code for each call, and
            # the JIT compiler skips methods of more than 8,000 bytes.
            none = f"array_repeat({empty}, 0)"
            parts.append(f"flatten(concat({', '.join(f'coalesce({name}, {none})' for name in self._lists)}))")
        if len(parts) < 2:
            return parts[0] if parts else empty
        return f"concat({', '.join(parts)})"

    def in_order(self, distinct: bool) -> str:
        """Return the SQL of the sorted queues; ``distinct`` is True if no queue can occur twice."""
        together = self.together()
        return f"sort_array({together})" if distinct else distinct_in_order(together)


def distinct_in_order(queues: str) -> str:
    """Return the SQL of the array ``queues`` sorted and without duplicates."""
    # An array of at most one queue needs no sort. The sorted array is a lambda variable, because Spark copies the
    # expression of a column into each filter that it pushes down.
    once = let({"s": "sort_array(q)"}, "filter(s, (n, i) -> NOT n <=> get(s, i - 1))")
    return let({"q": queues}, f"CASE WHEN size(q) > 1 THEN {once} ELSE q END")
