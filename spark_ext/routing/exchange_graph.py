"""Compose the deliveries of all states, from a message's initial state: see ``routing.exchange_graph``."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark_ext.generated_methods import codegen_barrier
from spark_ext.routing.constant_tables import Payload
from transpiler.routing.binding_patterns import SUBJECT

#: The deliveries of a message, each with the state that it belongs to.
DELIVERED = "_routing_found"

#: TRUE if bindings alone, without an alternate, bring the message to a queue; and the same of its key, where the keys
#: were matched before.
DIRECT, KNOWN_DIRECT = "_routing_direct", "_routing_known_direct"

_WITH_ALTERNATES, _ACTIVE, _BOUND = "_routing_with_alternates", "_routing_active", "_routing_bound"

#: The states that a message reaches by deliveries of a column: a fixed point, in as many rounds as there are states.
_ACTIVATION = (
    "aggregate(array_repeat(0, coalesce(_routing_rounds, 0)), array(_routing_root), (active, i) -> "
    "array_union(active, transform(filter({}, "
    "m -> m.e IS NOT NULL AND array_contains(active, m.x)), m -> m.e)))"
)

#: The deliveries of each stop, from those of the stops that it leads to, which come before it.
_BY_STOP = (
    "aggregate(_routing_steps, CAST(array() AS ARRAY<ARRAY<STRING>>), (r, n) -> array_append(r, "
    "transform(array(array_distinct(concat("
    f"transform(filter({DELIVERED}, m -> m.x = n.x AND m.q IS NOT NULL), m -> m.q), "
    f"flatten(transform(filter(n.o, o -> exists({DELIVERED}, m -> m.x = n.x AND m.e = o.e) "
    f"AND NOT coalesce({SUBJECT} = o.u, false)), o -> get(r, o.s)))))), "
    "own -> CASE WHEN size(own) > 0 THEN own WHEN n.q IS NOT NULL THEN array(n.q) "
    f"WHEN n.a IS NOT NULL AND NOT coalesce({SUBJECT} = n.u, false) THEN get(r, n.a) ELSE own END)[0]))"
)


def composed(frame: DataFrame, on_no_match: bool) -> tuple[DataFrame, str]:
    """Return the messages, and the SQL of their queues, in any order.

    With ``on_no_match`` an alternate gets what no binding matched; else it gets what reached no queue.
    """
    if not on_no_match:
        return frame, f"coalesce(element_at({_BY_STOP}, -1), CAST(array() AS ARRAY<STRING>))"
    alternates = f"coalesce(_routing_alternates, {Payload.DELIVERY.empty})"
    unanswered = f"filter({alternates}, a -> NOT exists({DELIVERED}, m -> m.x = a.x))"
    frame = frame.selectExpr("*", f"concat({DELIVERED}, {unanswered}) AS {_WITH_ALTERNATES}")
    frame = frame.selectExpr("*", f"{_ACTIVATION.format(_WITH_ALTERNATES)} AS {_ACTIVE}")
    reached = f"filter({_WITH_ALTERNATES}, m -> m.q IS NOT NULL AND array_contains({_ACTIVE}, m.x))"
    return frame, f"transform({reached}, m -> m.q)"


def with_direct(frame: DataFrame, known: bool) -> DataFrame:
    """Add ``DIRECT`` to the messages: a queue is bound in a state that bindings alone lead to.

    With ``known`` there is a column ``KNOWN_DIRECT``.
    """
    frame = frame.selectExpr("*", f"{codegen_barrier(_ACTIVATION.format(DELIVERED))} AS {_BOUND}")
    direct = f"exists({DELIVERED}, m -> m.q IS NOT NULL AND array_contains({_BOUND}, m.x))"
    if known:
        # Of a known key not everything was matched anew.
        direct = f"coalesce({KNOWN_DIRECT}, {direct})"
    return frame.selectExpr("*", f"{direct} AS {DIRECT}")
