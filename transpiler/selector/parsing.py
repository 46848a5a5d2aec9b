"""Parse a selector's text into its checked surface tree."""

from __future__ import annotations

from transpiler.arguments import check_selector
from transpiler.selector import ast
from transpiler.selector.checks import check
from transpiler.selector.dialects import Dialect, find_dialect
from transpiler.selector.grammar import parse_selector as parse
from transpiler.source import Source


def parse_selector(text: str, dialect: str | Dialect = "jms") -> ast.Expression | None:
    """The surface tree of a selector, checked; None for an empty or blank one, which selects every message.

    Raises ``SelectorSyntaxError``, ``SelectorTypeError``, or ``UnsupportedFeatureError`` beyond the limits.
    """
    check_selector(text)
    rules = find_dialect(dialect)
    tree = parse(text, rules)
    if tree is not None:
        check(tree, Source(text), rules)
    return tree
