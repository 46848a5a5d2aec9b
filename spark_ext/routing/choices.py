"""Routing through exchanges that choose one of their bindings: one pass for certain queues and one for possible queues.

Each pass uses a topology without choices, so that it is compiled like any other topology.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from transpiler.base.errors import UnsupportedFeatureError
from transpiler.compiler.sql import quote_name, quote_text
from transpiler.routing.exchange_graph import build_exchange_graph
from transpiler.topology.choices import certain_topology, choices, chosen_queue, possible_topology
from transpiler.topology.model import Topology

#: A function that routes messages through a topology without choices. The arguments are the messages, the topology, the
#: name of the column for the queues, and True to add the other columns of the result, too.
Pass = Callable[[DataFrame, Topology, str, bool], DataFrame]


def refuse_choices(topology: Topology, exchange: str | None) -> None:
    """Raise ``UnsupportedFeatureError`` if a message to ``exchange`` can reach an exchange that chooses a binding.

    None means any exchange.
    """
    made = choices(topology)
    if not made:
        return
    reached: Iterable[str] = {state.exchange for state in build_exchange_graph(topology, exchange).states}
    name = min((name for name in reached if name in made), default=None)
    if name is None:
        return
    chooses = topology.exchange_by_name[name]
    choosing = (
        f"delivers each message through one of its bindings, but the choice of the type {chooses.type} "
        "cannot be computed"
    )
    raise UnsupportedFeatureError.at(
        "routing.choice",
        f"the exchange {name!r} {'is not described by the file' if chooses.is_unknown else choosing}",
        hint="perhaps add a column with the queues that a message may reach: "
        "route(…, possible_column='possible_queues')",
    )


def route_with_choices(
    messages: DataFrame, topology: Topology, column: str, outcome: str | None, possible: str, routed: Pass
) -> DataFrame:
    """Return the messages with their certain queues in ``column`` and their other possible queues in ``possible``.

    ``outcome`` is the name of the column for the outcome; None to add no outcome. ``routed`` routes the messages. If
    exchanges of the topology choose among their bindings, it is called twice: with all bindings that may be chosen, and
    with only the certain bindings.
    """
    if not choices(topology):
        return with_no_choices(routed(messages, topology, column, True), possible)
    if not topology.rules.alternate_on_no_match:
        raise UnsupportedFeatureError.at(
            "routing.choice",
            f"the queues of a message cannot be computed, because the file does not describe all {topology.rules.name} "
            "exchanges",
            hint="perhaps run selector-sql route, which prints the queues that a message may reach",
        )
    chosen = chosen_queue(topology)
    frame = routed(messages, possible_topology(topology, chosen), possible, False)
    frame = routed(frame, certain_topology(topology, chosen), column, True)
    queues, others = quote_name(column), quote_name(possible)
    frame = frame.withColumn(column, sf.expr(f"array_remove({queues}, {quote_text(chosen)})"))
    frame = frame.withColumn(possible, sf.expr(f"array_except({others}, {queues})"))
    known = sf.expr(f"array_remove({others}, {quote_text(chosen)})")
    if outcome is None:
        return frame.withColumn(possible, known)
    # In both passes, the queue ``chosen`` stands for queues that cannot be named. If an exchange always chooses one of
    # several queues, the message certainly reaches ``chosen``, and its outcome "delivered" is right.
    reached = f"{quote_name(outcome)} IN ('delivered', 'alternate')"
    undecided = f"CASE WHEN size({others}) = 0 OR {reached} THEN {quote_name(outcome)} ELSE 'undecided' END"
    return frame.withColumn(outcome, sf.expr(undecided)).withColumn(possible, known)


def with_no_choices(frame: DataFrame, possible: str) -> DataFrame:
    """Add the column ``possible`` with an empty array for each message, for a topology without choices."""
    return frame.withColumn(possible, sf.expr("CAST(array() AS ARRAY<STRING>)"))
