"""SQL without its enclosing parentheses."""

from __future__ import annotations


def bare(sql: str) -> str:
    """Return ``sql`` without enclosing parentheses. The constants in ``sql`` must not contain parentheses."""
    if not sql.startswith("("):
        return sql
    depth = 0
    for index, character in enumerate(sql):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return sql[1:-1] if index == len(sql) - 1 else sql
    raise AssertionError(sql)
