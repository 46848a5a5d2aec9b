"""Selectors, filters and topologies on Spark: native Columns, routing, the canonical schema, messages as DataFrames.

In order of use::

    from spark_ext import compile_selector, explain_matches, verify, route, backtest
    from spark_ext import diff

    df.filter(compile_selector("color = 'red' AND weight > 2500", df))   # one native expression over df's columns
    explain_matches(df, "color = 'red' AND weight > 2500")               # how many rows each part kept out, and why
    verify(df, "color = 'red'")                                          # Spark against the reference, on df's rows
    diff(df, "weight > 2500", "weight > 2400")                           # rows won and lost by a change
    compare_dialects(df, "color <> 5", ["jms", "activemq"])              # rows on which brokers differ
    route(df, read_topology("definitions.json"))                         # the queues of each message
    print(explain_routing(topology, df.schema))                          # by which key or index bindings are looked up
    backtest(route(trace_messages(log), topology))                       # against what a broker recorded

Readers (``read_messages``, ``read_rabbitmq_trace``, …) and ``create_messages`` make DataFrames; ``infer_layout``
says what a schema shows. Doubts are ``SelectorWarning``s and ``RoutingWarning``s, errors those of ``transpiler``.
"""

from __future__ import annotations

import spark_ext.requirements  # noqa: F401
from spark_ext.columns import (
    SelectorWarning,
    compile_address,
    compile_filter,
    compile_selector,
    destination_type,
    message_type,
    reply_to_type,
)
from spark_ext.messages.readers import (
    read_artemis_export,
    read_lambda_events,
    read_messages,
    read_rabbitmq_get,
    read_rabbitmq_trace,
)
from spark_ext.messages.schemas import MESSAGE_SCHEMA, create_messages, infer_layout
from spark_ext.messages.traces import trace_messages
from spark_ext.reports.backtests import backtest
from spark_ext.reports.compare_dialects import DialectComparison, compare_dialects
from spark_ext.reports.diff import diff
from spark_ext.reports.differences import Diff
from spark_ext.reports.match_explanations import explain_matches
from spark_ext.reports.match_report import MatchExplanation
from spark_ext.reports.verification import Verification, verify
from spark_ext.routing.plans import compile_topology
from spark_ext.routing.route_messages import RoutingWarning, deliveries, route
from spark_ext.routing.route_stream import route_stream
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.routing.explain import RoutingReport, explain_routing

__all__ = [
    "MESSAGE_SCHEMA",
    "CompiledTopology",
    "DialectComparison",
    "Diff",
    "MatchExplanation",
    "RoutingReport",
    "RoutingWarning",
    "SelectorWarning",
    "Verification",
    "backtest",
    "compare_dialects",
    "compile_address",
    "compile_filter",
    "compile_selector",
    "compile_topology",
    "create_messages",
    "deliveries",
    "destination_type",
    "diff",
    "explain_matches",
    "explain_routing",
    "infer_layout",
    "message_type",
    "read_artemis_export",
    "read_lambda_events",
    "read_messages",
    "read_rabbitmq_get",
    "read_rabbitmq_trace",
    "reply_to_type",
    "route",
    "route_stream",
    "trace_messages",
    "verify",
]
