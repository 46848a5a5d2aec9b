"""Precedence of each form of SQL text; parentheses follow from this order alone."""

from __future__ import annotations

#: Loosest first.
LEVELS = OR, AND, NOT, TEST, SUM, PRODUCT, PRIMARY = range(7)

#: A text and its level.
Text = tuple[str, int]
