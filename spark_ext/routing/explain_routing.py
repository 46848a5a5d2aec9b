"""The public function that reports how ``route`` finds bindings: ``explain_routing``.

Deliberately not here: the report (``transpiler.routing.explain``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import StringType, StructField, StructType

from spark_ext.messages.schemas import SchemaLike, check_frame, message_columns
from spark_ext.routing.plans import plan_of, prepare
from spark_ext.routing.publication import given_exchange
from spark_ext.routing.routing_keys import Published
from transpiler import Layout
from transpiler.base.arguments import check_choice
from transpiler.compiler.compile_options import Missing
from transpiler.language.selector.dialects import find_dialect
from transpiler.message.publication import EXCHANGE
from transpiler.routing.asked_names import asked_names
from transpiler.routing.explain import RoutingReport, explain_plan
from transpiler.routing.found_values import FoundValues, Place, found_values, places_of, tests_of
from transpiler.topology.model import Topology, check_topology


def explain_routing(
    topology: Topology,
    layout: Layout | SchemaLike | None = None,
    *,
    messages: DataFrame | None = None,
    exchange: str | Column | None = None,
    missing: Missing = "error",
) -> RoutingReport:
    """Report how ``route`` finds the bindings of a topology, and what the messages have under the names that they ask.

    ``print()`` shows a table of the classes, and names some of the bindings that every message tests; ``tried`` has all
    of them. Bindings of a JMS broker are those of its addresses, whatever the destination. With messages ``found`` has
    the rows, the types and the place of each property that bindings ask for, and of the exchange and the routing key:
    one job counts them. Without messages, as with ``df.schema``, nothing is read.

    Args:
        topology: Exchanges, bindings and queues, as ``read_topology`` returns them.
        layout: The messages, their schema or a preset; None for what the messages show, and without these for the
            canonical schema with a column ``exchange``.
        messages: The messages, beside a layout that is not theirs; those of a stream are not read.
        exchange: As for ``route``.
        missing: As for ``route``.

    Raises:
        TranspilerError: As ``route``.
    """
    check_topology(topology)
    check_choice("missing", missing, get_args(Missing))
    if messages is not None:
        check_frame("messages", messages)
    elif isinstance(layout, DataFrame):
        messages, layout = layout, None
    columns = message_columns(messages, layout)
    if layout is None and messages is None:
        columns = columns._replace(schema=StructType([*columns.schema, StructField(EXCHANGE, StringType())]))
    given = given_exchange(exchange, topology, messages, columns)
    prepared = prepare(topology, columns, given)
    plan = plan_of(prepared.topology, prepared.columns.layout, missing, prepared.to.exchange, prepared.several)
    published = Published(prepared.topology, prepared.columns, [plan], prepared.to)
    if columns.schema.names:
        # Without the columns nobody knows whether one of them has the key.
        published.check_places()
    report = explain_plan(prepared.topology, plan)
    if messages is None or not columns.schema.names or messages.isStreaming:
        return report
    asked = {name: (each.bindings, each.identifier) for name, each in asked_names(topology).items()}
    layout_over, dialect = prepared.columns.layout, find_dialect(topology.rules.dialect)
    places = [*published.places(), *places_of(asked, layout_over, dialect)]
    key = published.key if plan.trie is not None or plan.words else None
    found = _count(given.added(messages), places, key, len(asked))
    return replace(report, found=found)


def _count(messages: DataFrame, places: list[Place], key: str | None, names: int) -> FoundValues:
    """Count the rows that have a value at each place, and about how many routing keys are different, in one job."""
    counts = [sf.count("*"), *(sf.count_if(sf.expr(test)) for test in tests_of(places))]
    keys = [] if key is None else [sf.approx_count_distinct(sf.expr(key))]
    [[rows, *found]] = messages.agg(*(count.alias(f"c{place}") for place, count in enumerate(counts + keys))).collect()
    different = found.pop() if keys else None
    return found_values(places, rows, found, "binding", keys=different, names=names)
