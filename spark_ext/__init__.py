"""Message filters on Spark: selectors as native Columns, the canonical schema, and DataFrames from messages."""

from __future__ import annotations

from spark_ext.columns import SelectorWarning, compile_selector
from spark_ext.comparing import DialectComparison, compare_dialects
from spark_ext.schemas import MESSAGE_SCHEMA, create_messages, infer_layout

__all__ = [
    "MESSAGE_SCHEMA",
    "DialectComparison",
    "SelectorWarning",
    "compare_dialects",
    "compile_selector",
    "create_messages",
    "infer_layout",
]
