"""Selectors and filters as native Columns, the canonical schema, and DataFrames from messages."""

from __future__ import annotations

from spark_ext.columns import (
    SelectorWarning,
    compile_address,
    compile_filter,
    compile_selector,
    destination_type,
    message_type,
    reply_to_type,
)
from spark_ext.schemas import MESSAGE_SCHEMA, create_messages, infer_layout

__all__ = [
    "MESSAGE_SCHEMA",
    "SelectorWarning",
    "compile_address",
    "compile_filter",
    "compile_selector",
    "create_messages",
    "destination_type",
    "infer_layout",
    "message_type",
    "reply_to_type",
]
