"""The names of properties and header fields that the bindings of a topology read."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from transpiler.base.errors import TranspilerError
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding


class AskedName(NamedTuple):
    """A name of a property or header that conditions of bindings read.

    ``first`` is the text for diagnostics of the first binding that reads the name, ``bindings`` the number of all.
    ``identifier`` is the name as a node of a selector; None if only bindings of headers exchanges read the name.
    """

    first: str
    bindings: int
    identifier: ast.Identifier | None = None


def asked_names(topology: Topology) -> dict[str, AskedName]:
    """Return the names that the conditions of the bindings read, in the order of the bindings."""

    @cache
    def in_selector(text: str, dialect: str) -> tuple[ast.Identifier, ...]:
        try:
            tree = parse_selector(text, find_dialect(dialect))
        except TranspilerError:
            # No names, because the selector is invalid. The compilation of the binding reports the error.
            return ()
        nodes = () if tree is None else ast.walk(tree)
        return tuple(dict.fromkeys(node for node in nodes if isinstance(node, ast.Identifier)))

    asked: dict[str, AskedName] = {}
    for binding in topology.bindings:
        names: dict[str, ast.Identifier | None] = {}
        headers = topology.headers(binding)
        names |= {} if headers is None else {name: None for name, _ in headers.pairs}
        selector = topology.selector(binding)
        if selector is not None:
            names |= {node.name: node for node in in_selector(selector, topology.dialect(binding))}
        for name, node in names.items():
            known = asked.get(name)
            first, count, own = (_shown(binding), 0, None) if known is None else known
            asked[name] = AskedName(first, count + 1, own or node)
    return asked


def _shown(binding: Binding) -> str:
    return f"{binding.source} -> {binding.destination}"
