"""Warnings about rows with bytes that are read as text but are not UTF-8, for reports that read rows in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from transpiler import Diagnostic, Layout
from transpiler.base.hints import Hint, Setting
from transpiler.compiler.layouts.store import store_of
from transpiler.language.selector import ast

_TYPES = Setting("types", "amqp")


class Undecodable:
    """Counter of rows with undecodable bytes, for each property that a selector reads."""

    def __init__(self, layout: Layout, tree: ast.Expression | None) -> None:
        self._store = store_of(layout)
        names = ast.walk(tree) if tree is not None else ()
        self._names = frozenset(node.name for node in names if isinstance(node, ast.Identifier))
        self._rows: Counter[str] = Counter()

    def look_at(self, row: Mapping[str, Any]) -> None:
        """Count ``row`` for each property of the selector whose bytes in it are not valid UTF-8."""
        if self._store is not None:
            self._rows.update(self._store.undecodable(row) & self._names)

    def findings(self) -> tuple[Diagnostic, ...]:
        """Return a warning for each property with bytes that are not UTF-8, with the number of rows with such bytes."""
        return tuple(_finding(name, rows) for name, rows in sorted(self._rows.items()))


def _finding(name: str, rows: int) -> Diagnostic:
    message = f"{name} contains bytes that are not valid UTF-8 in {rows:,} of the examined rows"
    hint = Hint("to decode values in AMQP's encoding, which Event Hubs writes through its Kafka endpoint: ", _TYPES)
    return Diagnostic("layout.bytes", "warning", message, hint=hint, fix=_TYPES.fix)


def rendered(findings: Iterable[Diagnostic]) -> list[str]:
    """Return the lines of ``findings`` for a report."""
    return [line for finding in findings for line in finding.render().splitlines()]
