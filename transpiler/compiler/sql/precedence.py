"""The precedence of the forms of SQL text, which determines where parentheses are needed."""

from __future__ import annotations

#: The precedence levels, from the loosest to the tightest.
LEVELS = OR, AND, NOT, TEST, SUM, PRODUCT, PRIMARY = range(7)

#: An SQL text and its precedence level.
Text = tuple[str, int]
