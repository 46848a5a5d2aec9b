"""The public function ``explain_routing``, which reports how ``route`` finds the matching bindings.

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
    """Report how ``route`` finds the matching bindings of a topology, and which values the messages have for them.

    ``print()`` prints a table of the classes of bindings, and some of the bindings that are tested for every message;
    ``tried`` contains all of these. For a JMS broker the report lists the bindings of all addresses. If messages are
    given, ``found`` contains the number of rows, the types and the column of each property that bindings read, and of
    the exchange and the routing key; a single Spark job counts them. Without messages, for example with ``df.schema``,
    no data is read.

    Args:
        topology: Exchanges, bindings and queues, as ``read_topology`` returns them.
        layout: The messages, their schema or a preset; None to infer the layout from ``messages``, or for the canonical
            schema with a column ``exchange`` if there are no messages.
        messages: The messages, if ``layout`` is another argument than the messages; a stream is not read.
        exchange: As for ``route``.
        missing: As for ``route``.

    Raises:
        TranspilerError: The errors of ``route``.
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
        # Without known columns, as in a declarative pipeline, do not check for a routing key: the messages may have
        # one.
        published.check_key()
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
    """Count the rows with a value for each of ``places``, and the approximate number of distinct keys, in one job.

    ``key`` is the SQL of the routing key; None not to count keys. ``names`` is the number of all names.
    """
    counts = [sf.count("*"), *(sf.count_if(sf.expr(test)) for test in tests_of(places))]
    keys = [] if key is None else [sf.approx_count_distinct(sf.expr(key))]
    [[rows, *found]] = messages.agg(*(count.alias(f"c{index}") for index, count in enumerate(counts + keys))).collect()
    different = found.pop() if keys else None
    return found_values(places, rows, found, "binding", keys=different, names=names)
