"""Compose the deliveries of all states, from a message's initial state: see ``routing.exchange_graph``."""

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

#: The deliveries within the expressions of this room. Spark puts a column that is read in one place there, and would
#: make it anew in each round of a fold, or for each element of an array: so it is bound to a variable first.
_ALL = "deliveries"

#: The states that a message reaches by deliveries of a column: a fixed point, in as many rounds as a path has steps.
_ACTIVATION = (
    f"aggregate(array_repeat(0, coalesce({ROUNDS}, 0)), array({ROOT}), (active, i) -> "
    f"array_union(active, transform(filter({_ALL}, "
    "m -> m.e IS NOT NULL AND array_contains(active, m.x)), m -> m.e)))"
)

#: The deliveries of each stop, from those of the stops that it leads to, which come before it.
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

#: The states that a message is in after more steps than a path has: some only if it comes back to one.
_COMES_BACK = (
    f"size(aggregate(array_repeat(0, coalesce({ROUNDS}, 0) + 1), array({ROOT}), (now, i) -> "
    f"array_distinct(transform(filter({_ALL}, "
    "m -> m.e IS NOT NULL AND array_contains(now, m.x)), m -> m.e)))) > 0"
)


def composed(on_no_match: bool, rings: bool) -> tuple[tuple[str, ...], str]:
    """Return columns to add to the messages, and the SQL of their queues, in any order.

    With ``on_no_match`` an alternate gets what no binding matched; else it gets what reached no queue. With ``rings`` a
    message that comes back to a state reaches the end of a send that fails.
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
    """Add ``DIRECT`` to the messages: a queue is bound in a state that bindings alone lead to.

    With ``known`` there is a column ``KNOWN_DIRECT``.
    """
    frame = frame.selectExpr("*", f"{codegen_barrier(let({_ALL: DELIVERED}, _ACTIVATION))} AS {BOUND}")
    direct = let({"bound": BOUND}, f"exists({DELIVERED}, m -> m.q IS NOT NULL AND array_contains(bound, m.x))")
    if known:
        # Part of the matching was skipped for a key whose answer is known, so that answer comes first.
        direct = f"coalesce({KNOWN_DIRECT}, {direct})"
    return frame.selectExpr("*", f"{direct} AS {DIRECT}")
