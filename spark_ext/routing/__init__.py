"""Route the messages of a DataFrame through a topology, natively and in one pass.

The idea: ``transpiler.routing`` turns a topology into constant tables, a topic automaton and a few compiled conditions;
here the tables are broadcast, each message finds its rows by a hash join, and the deliveries are collected into one
array column. The messages themselves are never shuffled.

Invariants: every input row is kept once; the answer is the reference router's, whatever the size of the tables.

Deliberately not here: what a binding means (``transpiler.compiler.lowering.conditions``).

In reading order: ``route_messages`` (the public functions), ``query`` (the pass), ``plan_deliveries``, ``sends``,
``plans``, ``routing_keys``, ``publication``, ``new_columns``, ``lookups``, ``constant_tables``, ``session_tables``,
``broadcast_join``, ``topic_sql``, ``exchange_graph``, ``deliveries``, ``publish_outcomes``, ``choices``,
``codegen_budget``; ``tuning`` has the constants of all of them.
"""

from __future__ import annotations

from spark_ext.routing.plans import compile_topology
from spark_ext.routing.route_messages import deliveries, route

__all__ = ["compile_topology", "deliveries", "route"]
