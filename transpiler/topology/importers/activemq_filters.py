"""Filters and selectors of an ActiveMQ broker: what they calculate, and what is left of them at a known destination."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from transpiler.base.errors import UnsupportedFeatureError
from transpiler.language.selector import ast
from transpiler.language.selector.broker_dialects import ACTIVEMQ
from transpiler.topology.importers.known_names import Decided, Known, Unknown, parsed, reads_names, with_known_names

#: The name of the destination in selectors.
DESTINATION = "JMSDestination"


@lru_cache(maxsize=16_384)
def calculated_names(selector: str) -> tuple[tuple[str, ...], bool]:
    """Return the names that a selector calculates with, and True if AND or OR is in it."""
    try:
        tree = parsed(selector, ACTIVEMQ)
    except UnsupportedFeatureError:
        return (), False
    names: dict[str, None] = {}
    nodes = list(ast.walk(tree)) if tree is not None else []
    for node in nodes:
        if isinstance(node, ast.Calculate):
            names |= {each.name: None for each in (node.left, node.right) if isinstance(each, ast.Identifier)}
        elif isinstance(node, ast.Sign) and isinstance(node.operand, ast.Identifier):
            names[node.operand.name] = None
    return tuple(names), any(isinstance(node, ast.And | ast.Or) for node in nodes)


def reads_destination(selector: str | None) -> bool:
    """Return True if a selector asks for JMSDestination."""
    return reads_names(selector, {DESTINATION}, ACTIVEMQ)


def with_destination(selector: str, destination: str | None) -> Decided:
    """Return a selector with the destination in the place of its name, as far as it is decided."""
    return with_known_names(selector, known_destination(destination), ACTIVEMQ)


def known_destination(destination: str | None) -> Callable[[str], Known]:
    """Return what is known of each name where the destination, if not None, is known."""
    known: Known = Unknown.SOME if destination is None else destination
    return lambda name: known if name == DESTINATION else Unknown.OWN
