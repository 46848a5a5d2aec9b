"""Message filters on Spark: selectors as native Columns, routing, the canonical schema, and DataFrames from messages."""

from __future__ import annotations

from spark_ext.columns import SelectorWarning, compile_selector
from spark_ext.routing import deliveries, route
from spark_ext.schemas import MESSAGE_SCHEMA, create_messages, infer_layout

__all__ = [
    "MESSAGE_SCHEMA",
    "SelectorWarning",
    "compile_selector",
    "create_messages",
    "deliveries",
    "infer_layout",
    "route",
]
