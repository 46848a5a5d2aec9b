"""Selectors, filters and topologies on Spark: native Columns, routing, the canonical schema, messages as DataFrames.

In order of use::

    from spark_ext import compile_selector, explain_matches, verify, route, backtest
    from spark_ext import diff

    df.filter(compile_selector("color = 'red' AND weight > 2500", df))   # one native expression over df's columns
    explain_matches(df, "color = 'red' AND weight > 2500")               # how many rows each part rejected, and why
    verify(df, "color = 'red'")                                          # Spark against the reference, on df's rows
    diff(df, "weight > 2500", "weight > 2400")                           # rows won and lost by a change
    compare_dialects(df, "color <> 5", ["jms", "activemq"])              # rows on which brokers differ
    route(df, read_topology("definitions.json"))                         # the queues of each message
    print(explain_routing(topology, df.schema))                          # by which key or index bindings are looked up
    backtest(route(trace_messages(log), topology))                       # against what a broker recorded

Readers (``read_messages``, ``read_rabbitmq_trace``, …) and ``create_messages`` make DataFrames; ``infer_layout`` finds
the layout for a schema. Warnings are ``SelectorWarning`` and ``RoutingWarning``; errors are those of ``transpiler``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.base.on_demand import names_on_demand

if TYPE_CHECKING:
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
    from spark_ext.reports.splits import Split, split
    from spark_ext.reports.verification import Verification, verify
    from spark_ext.routing.explain_routing import explain_routing
    from spark_ext.routing.plans import RoutingWarning, compile_topology
    from spark_ext.routing.route_messages import deliveries, route
    from spark_ext.routing.route_stream import route_stream
    from transpiler.routing.compiled_topology import CompiledTopology
    from transpiler.routing.explain import RoutingReport

__all__ = [
    "MESSAGE_SCHEMA",
    "CompiledTopology",
    "DialectComparison",
    "Diff",
    "MatchExplanation",
    "RoutingReport",
    "RoutingWarning",
    "SelectorWarning",
    "Split",
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
    "split",
    "trace_messages",
    "verify",
]

#: The module of each public name, which is imported when the name is first used. A test checks that the imports for
#: type checkers above use the same modules.
_MODULES = {
    "MESSAGE_SCHEMA": "spark_ext.messages.schemas",
    "CompiledTopology": "transpiler.routing.compiled_topology",
    "DialectComparison": "spark_ext.reports.compare_dialects",
    "Diff": "spark_ext.reports.differences",
    "MatchExplanation": "spark_ext.reports.match_report",
    "RoutingReport": "transpiler.routing.explain",
    "RoutingWarning": "spark_ext.routing.plans",
    "SelectorWarning": "spark_ext.columns",
    "Split": "spark_ext.reports.splits",
    "Verification": "spark_ext.reports.verification",
    "backtest": "spark_ext.reports.backtests",
    "compare_dialects": "spark_ext.reports.compare_dialects",
    "compile_address": "spark_ext.columns",
    "compile_filter": "spark_ext.columns",
    "compile_selector": "spark_ext.columns",
    "compile_topology": "spark_ext.routing.plans",
    "create_messages": "spark_ext.messages.schemas",
    "deliveries": "spark_ext.routing.route_messages",
    "destination_type": "spark_ext.columns",
    "diff": "spark_ext.reports.diff",
    "explain_matches": "spark_ext.reports.match_explanations",
    "explain_routing": "spark_ext.routing.explain_routing",
    "infer_layout": "spark_ext.messages.schemas",
    "message_type": "spark_ext.columns",
    "read_artemis_export": "spark_ext.messages.readers",
    "read_lambda_events": "spark_ext.messages.readers",
    "read_messages": "spark_ext.messages.readers",
    "read_rabbitmq_get": "spark_ext.messages.readers",
    "read_rabbitmq_trace": "spark_ext.messages.readers",
    "reply_to_type": "spark_ext.columns",
    "route": "spark_ext.routing.route_messages",
    "route_stream": "spark_ext.routing.route_stream",
    "split": "spark_ext.reports.splits",
    "trace_messages": "spark_ext.messages.traces",
    "verify": "spark_ext.reports.verification",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_demand(__name__, _MODULES, before="spark_ext.requirements")
