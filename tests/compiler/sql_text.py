"""SQL without the parentheses that make one operand of it."""

from __future__ import annotations


def bare(sql: str) -> str:
    """Return SQL without the parentheses around all of it; constants in it have none."""
    if not sql.startswith("("):
        return sql
    depth = 0
    for place, character in enumerate(sql):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return sql[1:-1] if place == len(sql) - 1 else sql
    raise AssertionError(sql)
