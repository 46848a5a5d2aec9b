"""The whole pipeline: text, surface tree, predicates, optimizer, SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from transpiler.analysis.broker_lowering import BrokerLowering
from transpiler.analysis.broker_names import BrokerNames
from transpiler.analysis.lowering import Lowering
from transpiler.analysis.names import Missing, Names
from transpiler.diagnostics import Diagnostic, nearest
from transpiler.errors import LayoutError
from transpiler.layouts.amqp import AmqpLayout
from transpiler.layouts.layout import Layout
from transpiler.optimizer import optimize
from transpiler.predicate.core import FALSE, TRUE, Predicate
from transpiler.selector import ast
from transpiler.selector.check import check
from transpiler.selector.dialects import JMS, Dialect, find_dialect
from transpiler.selector.parser import parse_selector as parse
from transpiler.source import Source
from transpiler.sql import emit_boolean, emit_filter, emit_ternary

#: What the SQL yields: see ``transpile_selector``.
Result = Literal["filter", "boolean", "ternary"]

_PRESETS: dict[str, Layout] = {"amqp": AmqpLayout()}


@dataclass(frozen=True, slots=True)
class Transpiled:
    """Spark SQL text, the warnings that came up, and the SQL after each phase, for people who want to see why."""

    sql: str
    diagnostics: tuple[Diagnostic, ...] = ()
    trace: tuple[tuple[str, str], ...] = ()


def parse_selector(text: str, dialect: str | Dialect = "jms") -> ast.Expression | None:
    """The surface tree of a selector, checked; None for an empty or blank one, which selects every message.

    Raises ``SelectorSyntaxError``, ``SelectorTypeError``, or ``UnsupportedFeatureError`` beyond the limits.
    """
    found = find_dialect(dialect)
    tree = parse(text, found)
    if tree is not None:
        check(tree, Source(text), found)
    return tree


def transpile_selector(
    text: str,
    layout: str | Layout = "amqp",
    *,
    dialect: str | Dialect = "jms",
    result: Result = "filter",
    missing: Missing = "error",
    now: int | None = None,
) -> Transpiled:
    """A selector as Spark SQL over a layout.

    ``filter`` is TRUE where the selector is TRUE, and FALSE or NULL elsewhere; ``boolean`` is never NULL; ``ternary``
    has NULL for unknown. ``missing`` says what a name without a column means. ``now`` is what UTC() yields, in
    milliseconds since the epoch; without it, the time of the query or micro-batch. Raises what ``parse_selector``
    raises, and ``LayoutError``.
    """
    if result not in ("filter", "boolean", "ternary"):
        raise ValueError(f"result is filter, boolean or ternary, not {result!r}")
    if missing not in ("error", "null"):
        raise ValueError(f"missing is error or null, not {missing!r}")
    tree = parse_selector(text, dialect)
    source = Source(text)
    lowering = _lowering(find_layout(layout), missing, source, find_dialect(dialect), now)

    def lower(wanted: bool) -> Predicate:
        if tree is None:
            return TRUE if wanted else FALSE
        return lowering.selector(tree, wanted)

    lowered = lower(True)
    optimized = optimize(lowered)
    trace = (("lowered", emit_filter(lowered)), ("optimized", emit_filter(optimized)))
    if result == "ternary":
        sql = emit_ternary(optimized, optimize(lower(False)))
    else:
        sql = emit_filter(optimized) if result == "filter" else emit_boolean(optimized)
    return Transpiled(sql, tuple(lowering.findings), trace)


def _lowering(
    layout: Layout, missing: Missing, source: Source, dialect: Dialect, now: int | None
) -> Lowering | BrokerLowering:
    """The lowering of a dialect: one truth at a time, or, where evaluation may throw and types are told apart, all."""
    if dialect.fields is JMS.fields:
        return Lowering(Names(layout, missing, source), source)
    return BrokerLowering(BrokerNames(layout, missing, source, dialect), source, dialect, now)


def find_layout(layout: str | Layout) -> Layout:
    """The layout of that name, or the one given; ``LayoutError`` where there is none."""
    if not isinstance(layout, str):
        return layout
    found = _PRESETS.get(layout)
    if found is None:
        near = nearest(layout, _PRESETS)
        hint = f"did you mean {near[0]}?" if near else f"the presets are {', '.join(_PRESETS)}"
        raise LayoutError.at("layout.unknown", f"there is no layout called {layout!r}", hint=hint)
    return found
