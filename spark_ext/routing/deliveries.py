"""SQL that collects the deliveries of all lookups, and combines them to the sorted queues of a message."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark_ext.messages.generated_methods import codegen_barrier
from spark_ext.routing.constant_tables import Payload
from spark_ext.routing.topic_sql import let
from transpiler.compiler.sql import quote_text
from transpiler.routing.columns import (
    ALTERNATES,
    BOUND,
    DELIVERED,
    DIRECT,
    KNOWN_DIRECT,
    ROOT,
    ROUNDS,
    STEPS,
    SUBJECT,
    WITH_ALTERNATES,
    reached_end,
)
from transpiler.topology.targets import FAILED

#: The lambda variable that contains the deliveries in the expressions of this module. With a column instead, Spark
#: could inline the expression of the column, and compute the deliveries again in each round of a fold.
_ALL = "deliveries"

#: SQL of the array of states that a message reaches in the exchange graph, starting with ``ROOT``. Each round adds the
#: states to which a matching binding leads from a state reached before. ``ROUNDS`` is the maximum number of steps on a
#: path.
_ACTIVATION = (
    f"aggregate(array_repeat(0, coalesce({ROUNDS}, 0)), array({ROOT}), (active, i) -> "
    f"array_union(active, transform(filter({_ALL}, "
    "m -> m.e IS NOT NULL AND array_contains(active, m.x)), m -> m.e)))"
)

#: SQL of an array with the queues that the message reaches from each stop, a state on a path through the exchange
#: graph. The queues of a stop include those of the stops after it, which have lower numbers and so are computed before.
_BY_STOP = (
    f"aggregate({STEPS}, CAST(array() AS ARRAY<ARRAY<STRING>>), (r, n) -> array_append(r, "
    "transform(array(array_distinct(concat("
    f"transform(filter({DELIVERED}, m -> m.x = n.x AND m.q IS NOT NULL), m -> m.q), "
    f"flatten(transform(filter(n.o, o -> exists({DELIVERED}, m -> m.x = n.x AND m.e = o.e) "
    f"AND NOT coalesce({SUBJECT} = o.u, false)), o -> get(r, o.s)))))), "
    "own -> CASE WHEN size(own) > 0 THEN own WHEN n.q IS NOT NULL THEN array(n.q) "
    f"WHEN n.a IS NOT NULL AND NOT coalesce({SUBJECT} = n.u, false) THEN get(r, n.a) ELSE own END)[0]))"
)


_NO_QUEUES = "CAST(array() AS ARRAY<STRING>)"

#: SQL that is TRUE if the message comes back to a state, because it is still in some state after ``ROUNDS`` + 1 steps.
_COMES_BACK = (
    f"size(aggregate(array_repeat(0, coalesce({ROUNDS}, 0) + 1), array({ROOT}), (now, i) -> "
    f"array_distinct(transform(filter({_ALL}, "
    "m -> m.e IS NOT NULL AND array_contains(now, m.x)), m -> m.e)))) > 0"
)


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


def composed(on_no_match: bool, rings: bool) -> tuple[tuple[str, ...], str]:
    """Return the SQL of columns to add, and the SQL of a message's unsorted queues, for a topology of linked exchanges.

    If ``on_no_match`` is True, an alternate exchange gets the messages that no binding matched; otherwise it gets the
    messages that reached no queue. If ``rings`` is True and a message comes back to a state of the exchange graph, its
    queues also contain the name that represents a failed send.
    """
    if not on_no_match:
        return (), f"coalesce(element_at({_BY_STOP}, -1), {_NO_QUEUES})"
    alternates = f"coalesce({ALTERNATES}, {Payload.DELIVERY.empty})"
    unanswered = f"filter({alternates}, a -> NOT exists({DELIVERED}, m -> m.x = a.x))"
    reached = let({"active": _ACTIVATION}, f"filter({_ALL}, m -> m.q IS NOT NULL AND array_contains(active, m.x))")
    queues = f"transform({reached}, m -> m.q)"
    if rings:
        failure = quote_text(reached_end(*FAILED[:2]))
        failed = f"CASE WHEN {_COMES_BACK} THEN array({failure}) ELSE {_NO_QUEUES} END"
        queues = f"concat({queues}, {failed})"
    return (f"concat({DELIVERED}, {unanswered}) AS {WITH_ALTERNATES}",), let({_ALL: WITH_ALTERNATES}, queues)


def with_direct(frame: DataFrame, known: bool) -> DataFrame:
    """Add the column ``DIRECT``: True if the message reaches a queue through bindings alone.

    ``known`` is True if the messages have the column ``KNOWN_DIRECT``, which takes precedence unless it is NULL.
    """
    frame = frame.selectExpr("*", f"{codegen_barrier(let({_ALL: DELIVERED}, _ACTIVATION))} AS {BOUND}")
    direct = let({"bound": BOUND}, f"exists({DELIVERED}, m -> m.q IS NOT NULL AND array_contains(bound, m.x))")
    if known:
        # A message with a value in ``KNOWN_DIRECT`` has no deliveries of its own: the result for its routing key was
        # looked up.
        direct = f"coalesce({KNOWN_DIRECT}, {direct})"
    return frame.selectExpr("*", f"{direct} AS {DIRECT}")
