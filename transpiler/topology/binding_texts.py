"""The texts inside bindings: every selector and every query parses, by the rules of the topology's broker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from transpiler.diagnostics import Diagnostic
from transpiler.errors import TopologyError, TranspilerError
from transpiler.selector.dialects import find_dialect
from transpiler.selector.literal_scanner import scan
from transpiler.selector.parsing import parse_selector
from transpiler.source import Source
from transpiler.topology.model import MAX_ERRORS, SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Binding, Topology
from transpiler.topology.xquery import parse_query


def check_filters(topology: Topology) -> None:
    """Parse the selectors and queries of all bindings; ``TopologyError`` names each that does not.

    Selectors that differ in their constants only are parsed once, so that a million bindings are checked in seconds.
    """
    errors = list(islice(_errors(topology), MAX_ERRORS + 1))
    if errors:
        raise TopologyError(errors)


def _errors(topology: Topology) -> Iterator[Diagnostic]:
    dialect = find_dialect(topology.rules.dialect)
    sound: set[str] = set()
    for number, binding in enumerate(topology.bindings):
        query = topology.xquery(binding)
        if query is not None and query not in sound:
            try:
                parse_query(query)
            except TranspilerError as error:
                yield from _placed(error, query, binding, number, XQUERY_ARGUMENT)
            else:
                sound.add(query)
        selector = topology.selector(binding)
        if selector is None:
            continue
        # The text of an escape matters; other literals are well formed where one of their form is.
        shape = selector if "escape" in selector.lower() else scan(selector)[0]
        if shape in sound:
            continue
        try:
            parse_selector(selector, dialect)
        except TranspilerError as error:
            yield from _placed(error, selector, binding, number, SELECTOR_ARGUMENT)
        else:
            sound.add(shape)


def _placed(error: TranspilerError, text: str, binding: Binding, number: int, argument: str) -> Iterator[Diagnostic]:
    path = f"{binding.path or f'bindings[{number}]'}.arguments.{argument}"
    for diagnostic in error.diagnostics:
        yield replace(diagnostic, source=Source(text, path))
