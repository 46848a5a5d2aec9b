"""Message brokers' filters as Spark SQL.

Text is parsed to a surface tree (``selector``), checked, lowered to a typed core (``analysis``, ``predicate``) over a
layout (``layouts``), optimized (``optimizer``) and emitted (``sql``). Beside it stands an evaluator in plain Python
(``reference``) that says what the SQL must answer on one message.
"""

from __future__ import annotations

from transpiler.compiler import Transpiled, parse_selector, transpile_selector
from transpiler.diagnostics import Diagnostic
from transpiler.errors import (
    DecodeError,
    LayoutError,
    SelectorSyntaxError,
    SelectorTypeError,
    TopologyError,
    TranspilerError,
    UnsupportedFeatureError,
)
from transpiler.layouts.layout import Layout
from transpiler.message.message import Message
from transpiler.message.types import Truth
from transpiler.reference.evaluate import evaluate as _evaluate
from transpiler.selector.ast import Expression
from transpiler.selector.dialects import Dialect, find_dialect
from transpiler.selector.printer import print_selector

__version__ = "0.1.0"

__all__ = [
    "DecodeError",
    "Diagnostic",
    "Dialect",
    "Layout",
    "LayoutError",
    "Message",
    "SelectorSyntaxError",
    "SelectorTypeError",
    "TopologyError",
    "Transpiled",
    "TranspilerError",
    "UnsupportedFeatureError",
    "evaluate",
    "parse_selector",
    "print_selector",
    "transpile_selector",
]


def evaluate(
    selector: str | Expression | None, message: Message, dialect: str | Dialect = "jms", *, now: int | None = None
) -> Truth:
    """Whether one message matches, by the reference evaluator: True, False, or None for unknown.

    ``selector`` is text or a parsed tree; an empty one, or None, matches every message. ``now`` is what UTC() yields,
    in milliseconds since the epoch. Where the broker's evaluation would throw, the answer is unknown. Text raises what
    ``parse_selector`` raises.
    """
    tree = parse_selector(selector, dialect) if isinstance(selector, str) else selector
    return _evaluate(tree, message, find_dialect(dialect), now)
