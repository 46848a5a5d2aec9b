"""Emit predicates of the IR as Spark SQL text."""

from __future__ import annotations

from transpiler.compiler.sql.emitter import (
    emit_boolean,
    emit_choice,
    emit_filter,
    emit_operand,
    emit_ternary,
    emit_value,
    never_null,
)
from transpiler.compiler.sql.quoting import quote_name, quote_path, quote_text

__all__ = [
    "emit_boolean",
    "emit_choice",
    "emit_filter",
    "emit_operand",
    "emit_ternary",
    "emit_value",
    "never_null",
    "quote_name",
    "quote_path",
    "quote_text",
]
