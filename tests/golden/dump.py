"""The corpus as JSON lines. Each compiled object has one line with its key and its SQL and warnings, or its error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import islice, product
from typing import Any, get_args

from tests.golden import corpus
from transpiler import Layout, Transpiled, TranspilerError, transpile_address, transpile_filter, transpile_selector
from transpiler.compiler.compile_options import Result
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.sql import emit_filter, emit_value
from transpiler.routing.plan import RoutingPlan, build_plan
from transpiler.topology import topology_from_dict
from transpiler.topology.qpid_address.address import NodeType

Compile = Callable[[], Transpiled]

RESULTS: tuple[Result, ...] = get_args(Result)


@cache
def layouts() -> Mapping[str, str | Layout]:
    """Return the layouts by name: the canonical one, the archive of AMQP 0-10, and typed columns."""
    return {"amqp": "amqp", "amqp-0-10": "amqp-0-10", "columns": layout_from_schema(corpus.COLUMNS)}


def lines(selectors: int, part: int = 0, parts: int = 1) -> Iterator[dict[str, Any]]:
    """Yield the dump of ``selectors`` selectors in every dialect, layout and result, and of all other objects.

    With ``parts``, yield only the part number ``part``.
    """
    for key, compile_it in islice(_items(selectors), part, None, parts):
        yield {"key": key} | _compiled(compile_it)
    for description in corpus.topologies():
        program = build_plan(topology_from_dict(description), AmqpLayout(), "null")
        yield {"key": ["topology", description["broker"]], "sql": plan_texts(program)}


def _items(selectors: int) -> Iterator[tuple[list[Any], Compile]]:
    """Yield the key of each object and a function that compiles the object."""
    over = list(product(layouts().items(), RESULTS))
    for text, dialect, ((name, layout), result) in product(corpus.selectors(selectors), corpus.dialects(), over):
        run = partial(transpile_selector, text, layout, dialect=dialect, result=result, missing="null", lint=False)
        yield ["selector", text, dialect, name, result], run
    for filters, dialect, ((name, layout), result) in product(corpus.FILTERS, corpus.dialects(), over):
        run = partial(transpile_filter, filters, layout, dialect=dialect, result=result, missing="null", connection="c")
        yield ["filter", filters, dialect, name, result], run
    for address, node, ((name, layout), result) in product(corpus.ADDRESSES, get_args(NodeType), over):
        run = partial(transpile_address, address, node, layout, result=result, missing="null")
        yield ["address", address, node, name, result], run


def _compiled(compile_it: Compile) -> dict[str, Any]:
    try:
        transpiled = compile_it()
    except TranspilerError as error:
        return {"error": [diagnostic.code for diagnostic in error.diagnostics]}
    warnings = [[found.code, found.message, found.hint] for found in transpiled.diagnostics]
    return {"sql": transpiled.sql} | ({"warnings": warnings} if warnings else {})


def plan_texts(program: RoutingPlan) -> list[str]:
    """Return the SQL of all expressions that a router computes, and the number of rows of each constant table."""
    texts = [f"compiled {emit_filter(rule.condition)}" for rule in program.compiled]
    for table in program.tables:
        keys = ", ".join(map(emit_value, table.signature.keys))
        asked = f"guard {emit_filter(table.signature.guard)} residual {emit_filter(table.signature.residual)}"
        texts.append(f"table of {len(table.rows)} by {keys} {asked}")
    return sorted(texts)
