"""The public function that reports how ``route`` finds bindings: ``explain_routing``.

Deliberately not here: the report (``transpiler.routing.explain``).
"""

from __future__ import annotations

from typing import get_args

from pyspark.sql import Column, DataFrame
from pyspark.sql.types import StringType, StructField, StructType

from spark_ext.messages.schemas import SchemaLike, message_columns
from spark_ext.routing.plans import plan_of, prepare
from spark_ext.routing.publication import given_exchange
from spark_ext.routing.routing_keys import Published
from transpiler import Layout
from transpiler.base.arguments import check_choice
from transpiler.compiler.compile_options import Missing
from transpiler.message.publication import EXCHANGE
from transpiler.routing.explain import RoutingReport, explain_plan
from transpiler.topology.model import Topology, check_topology


def explain_routing(
    topology: Topology,
    layout: Layout | SchemaLike | None = None,
    *,
    exchange: str | Column | None = None,
    missing: Missing = "error",
) -> RoutingReport:
    """Report how ``route`` finds the bindings of a topology; without a layout, for the canonical schema.

    No message is read. ``print()`` shows a table of the classes, and names some of the bindings that every message
    tests; ``tried`` has all of them. Bindings of a JMS broker are those of its addresses, whatever the destination.

    Args:
        topology: Exchanges, bindings and queues, as ``read_topology`` returns them.
        layout: The messages, their schema or a preset; None for the canonical schema with a column ``exchange``.
        exchange: As for ``route``.
        missing: As for ``route``.

    Raises:
        TranspilerError: As ``route``.
    """
    check_topology(topology)
    check_choice("missing", missing, get_args(Missing))
    columns = message_columns(None, layout)
    if layout is None:
        columns = columns._replace(schema=StructType([*columns.schema, StructField(EXCHANGE, StringType())]))
    messages = layout if isinstance(layout, DataFrame) else None
    given = given_exchange(exchange, topology, messages, columns.schema)
    prepared = prepare(topology, columns, given)
    plan = plan_of(prepared.topology, prepared.columns.layout, missing, prepared.to.exchange, prepared.several)
    if columns.schema.names:
        # Without the columns nobody knows whether one of them has the key.
        Published(prepared.topology, prepared.columns, [plan], prepared.to).check_places()
    return explain_plan(prepared.topology, plan)
