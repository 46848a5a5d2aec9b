"""Selectors, filters and topologies on Spark: native Columns, routing, the canonical schema, messages as DataFrames."""

from __future__ import annotations

from spark_ext.backtests import backtest
from spark_ext.columns import (
    SelectorWarning,
    compile_address,
    compile_filter,
    compile_selector,
    destination_type,
    message_type,
    reply_to_type,
)
from spark_ext.compare_dialects import DialectComparison, compare_dialects
from spark_ext.diff import diff
from spark_ext.differences import Diff
from spark_ext.match_explanations import explain_matches
from spark_ext.match_report import MatchExplanation
from spark_ext.readers import (
    read_artemis_export,
    read_lambda_events,
    read_messages,
    read_rabbitmq_get,
    read_rabbitmq_trace,
)
from spark_ext.routing.query import deliveries, route
from spark_ext.schemas import MESSAGE_SCHEMA, create_messages, infer_layout
from spark_ext.traces import trace_messages
from spark_ext.verification import Verification, verify

__all__ = [
    "MESSAGE_SCHEMA",
    "DialectComparison",
    "Diff",
    "MatchExplanation",
    "SelectorWarning",
    "Verification",
    "backtest",
    "compare_dialects",
    "compile_address",
    "compile_filter",
    "compile_selector",
    "create_messages",
    "deliveries",
    "destination_type",
    "diff",
    "explain_matches",
    "infer_layout",
    "message_type",
    "read_artemis_export",
    "read_lambda_events",
    "read_messages",
    "read_rabbitmq_get",
    "read_rabbitmq_trace",
    "reply_to_type",
    "route",
    "trace_messages",
    "verify",
]
