"""Routing of the messages of a DataFrame through a topology, with Spark's own operators and in one pass.

The idea: ``transpiler.routing`` compiles a topology to constant tables, a topic automaton and a few compiled
conditions. This package broadcasts the tables, joins each message to its rows by a hash join, and collects the
deliveries in one array column. The messages themselves are never shuffled.

Invariants: every input row is kept once. The result is that of the reference router, whatever the size of the tables.

Deliberately not here: the lowering of a binding (``transpiler.compiler.lowering.conditions``).

In reading order: ``route_messages`` (the public functions), ``query`` (the pass), ``plan_deliveries``, ``sends``,
``plans``, ``routing_keys``, ``publication``, ``new_columns``, ``lookups``, ``constant_tables``, ``session_tables``,
``broadcast_join``, ``topic_sql``, ``deliveries``, ``choices``, ``codegen_budget``;
``tuning`` has the constants of all these modules.
"""

from __future__ import annotations

from spark_ext.routing.plans import compile_topology
from spark_ext.routing.route_messages import deliveries, route

__all__ = ["compile_topology", "deliveries", "route"]
