"""The whole pipeline: parse, lower, rewrite, plan for Spark, emit.

Text becomes a surface tree, descriptors become filters, addresses become bindings. Each is lowered to a predicate of
``ir``, which goes through ``PASSES`` and is emitted as SQL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from transpiler import html, ir
from transpiler.arguments import check_choice, check_selector
from transpiler.diagnostics import Diagnostic, nearest
from transpiler.errors import LayoutError, SelectorTypeError
from transpiler.layouts.amqp import AmqpLayout
from transpiler.layouts.amqp_0_10 import ZeroTenLayout
from transpiler.layouts.layout import Layout
from transpiler.lowering.jms_type_sql import destination_choices, message_choices
from transpiler.lowering.names import Missing
from transpiler.lowering.receiving import Receiver
from transpiler.lowering.selectors import selector_lowering
from transpiler.message.jms_types import DESTINATION
from transpiler.rewrites.optimizer import optimize
from transpiler.selector import ast
from transpiler.selector.checks import check
from transpiler.selector.dialects import Dialect, find_dialect
from transpiler.selector.grammar import parse_selector as parse
from transpiler.selector.printer import print_selector
from transpiler.source import Source
from transpiler.spark_plan.conjunct_order import order_conjuncts
from transpiler.spark_plan.constant_tables import tabulate_disjunctions
from transpiler.spark_plan.map_lookups import reuse_map_lookups
from transpiler.spark_plan.method_splitting import split_methods
from transpiler.sql import emit_boolean, emit_choice, emit_filter, emit_operand, emit_ternary

if TYPE_CHECKING:
    from transpiler.filters.amqp_form import Unknown
    from transpiler.filters.sets import FilterSet, FiltersLike
    from transpiler.topology.qpid_address.address import Address, NodeType
    from transpiler.translation.header_names import Form

#: What the SQL yields: see ``transpile_selector``.
Result = Literal["filter", "boolean", "ternary"]

#: From a lowered predicate to the one that is emitted. The first makes it smaller and lets files be skipped; the others
#: are for Spark's generated code and could be left out.
PASSES: tuple[Callable[[ir.Predicate], ir.Predicate], ...] = (
    optimize,
    order_conjuncts,
    reuse_map_lookups,
    tabulate_disjunctions,
    split_methods,
)


class SchemaLike(Protocol):
    """A ``StructType``: what has a schema's JSON form."""

    def jsonValue(self) -> Any:  # noqa: N802
        """The schema in Spark's JSON form."""
        ...


#: A preset's name, a layout, or a schema: a ``StructType``, its JSON form, or DDL text.
LayoutLike = str | Layout | Mapping[str, Any] | SchemaLike

_PRESET_NAME = re.compile(r"[\w.-]*")

#: Hints for names that are near to another preset than the one that is meant, or to none.
_MEANT = {
    "kafka": "did you mean kafka-headers?",
    "flat": "typed columns need a schema: pass the DataFrame or its schema; in commands --schema",
}

_PRESETS: dict[str, Layout] = {"amqp": AmqpLayout(), "amqp-0-10": ZeroTenLayout()}


_RESULTS, _MISSING = get_args(Result), get_args(Missing)

#: Characters of SQL in a ``repr``.
MAX_REPR = 100

Trace = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Transpiled:
    """Spark SQL text, which ``str`` returns, the warnings that came up, and the SQL after each phase.

    The text is one operand, in parentheses where it needs them: ``f"NOT {transpiled} AND day = '2026-11-25'"``.
    ``in_effect`` are the filters of a filter set that the SQL stands for: what a peer would echo.
    """

    sql: str
    diagnostics: tuple[Diagnostic, ...] = ()
    in_effect: FilterSet | None = None
    #: Makes the trace, which few ask for.
    retrace: Callable[[], Trace] = field(default=tuple, compare=False)

    @property
    def trace(self) -> Trace:
        """The name of each phase and the SQL after it."""
        return self.retrace()

    def __str__(self) -> str:
        return self.sql

    def __repr__(self) -> str:
        sql = self.sql if len(self.sql) <= MAX_REPR else f"{self.sql[: MAX_REPR - 1]}…"
        warned = len(self.diagnostics)
        return f"Transpiled({sql!r}{f', warnings: {warned}' if warned else ''})"

    def _repr_html_(self) -> str:
        return html.code(self.sql) + "".join(html.code(finding.render()) for finding in self.diagnostics)


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


def transpile_selector(
    text: str,
    layout: LayoutLike = "amqp",
    *,
    dialect: str | Dialect = "jms",
    result: Result = "filter",
    missing: Missing = "error",
    now: int | None = None,
    destination: str | None = None,
) -> Transpiled:
    """A selector as Spark SQL over a layout.

    ``filter`` is TRUE where the selector is TRUE, and FALSE or NULL elsewhere; ``boolean`` is never NULL; ``ternary``
    has NULL for unknown. ``missing`` says what a name without a column means. ``now`` is the time of UTC() and of
    JMSExpiration, in milliseconds since the epoch; without it, the time of the query or micro-batch. ``destination`` is
    the address that the consumer was created with, and JMSDestination where a message has no ``to``. Raises what
    ``parse_selector`` raises, and ``LayoutError``.
    """
    check_selector(text)
    _check_options(result, missing)
    where, rules = find_layout(layout), find_dialect(dialect)
    try:
        tree = parse_selector(text, rules)
    except SelectorTypeError as error:
        raise _about_columns(error, text, where) from None
    lowering = selector_lowering(where, missing, Source(text), rules, Receiver(now, destination))

    def lower(polarity: bool) -> ir.Predicate:
        if tree is None:
            return ir.BoolConst(polarity)
        return lowering.selector(tree, polarity)

    sql, retrace = _emit(lower, result)
    return Transpiled(sql, tuple(lowering.findings), retrace=retrace)


def _about_columns(error: SelectorTypeError, text: str, layout: Layout) -> SelectorTypeError:
    """Return the error with what would be the next one: that a column of its names has a type that no property has."""
    refused: list[str] = []
    for name in dict.fromkeys(re.findall(r"[\w.$]+", text)):
        try:
            layout.property(name)
        except LayoutError as refusal:
            [finding] = refusal.diagnostics
            refused.append(f"{finding.message}: {finding.hint}")
    first, *others = error.diagnostics
    hint = "; ".join(filter(None, (first.hint, *refused))) or None
    return type(error)([replace(first, hint=hint), *others])


def compile_findings(
    tree: ast.Expression, source: Source, layout: LayoutLike, dialect: Dialect, missing: Missing = "error"
) -> list[Diagnostic]:
    """Lower a parsed selector and return the warnings; no SQL is emitted. Raises what ``transpile_selector`` does."""
    _check_options("filter", missing)
    lowering = selector_lowering(find_layout(layout), missing, source, dialect)
    lowering.selector(tree, True)
    return lowering.findings


def transpile_filter(
    filters: FiltersLike,
    layout: LayoutLike = "amqp",
    *,
    dialect: str | Dialect = "jms",
    result: Result = "filter",
    missing: Missing = "error",
    connection: str | None = None,
    unknown: Unknown = "error",
    now: int | None = None,
    destination: str | None = None,
) -> Transpiled:
    """A filter, or a filter set, as Spark SQL over a layout; all filters of a set must hold.

    ``filters`` is a filter object, a mapping of names to filters, JSON text, or the AMQP 1.0 bytes of the map.
    ``dialect`` is that of the JMS selectors. ``connection`` is the receiver's, for no-local. ``unknown="ignore"``
    leaves out what nobody here knows; ``in_effect`` says what stays. ``now`` and ``destination`` are those of
    ``transpile_selector``, for the selectors. A filter accepts a message or does not, so
    ``ternary`` has no NULL here. Raises ``DecodeError``, ``LayoutError``, ``UnsupportedFeatureError`` and what
    ``parse_selector`` raises.
    """
    # Filters bring along decoders and a schema of every kind, which selectors do not need.
    from transpiler.filters.sets import read_filters
    from transpiler.lowering.filters import FilterLowering

    _check_options(result, missing)
    filter_set = read_filters(filters, unknown)
    receiver = Receiver(now, destination)
    lowering = FilterLowering(find_layout(layout), missing, find_dialect(dialect), connection, receiver)
    predicate = lowering.whole(filter_set.whole)
    sql, retrace = _emit(lambda _: predicate, "boolean" if result == "ternary" else result)
    return Transpiled(sql, (*filter_set.findings, *lowering.findings), filter_set, retrace)


def _check_options(result: Result, missing: Missing) -> None:
    check_choice("result", result, _RESULTS)
    check_choice("missing", missing, _MISSING)


def _emit(lower: Callable[[bool], ir.Predicate], result: Result) -> tuple[str, Callable[[], Trace]]:
    """Return the SQL of a condition, lowered by polarity, and a function that returns its trace."""
    lowered = lower(True)
    optimized = _finish(lowered)
    retrace = partial(_phases, lowered, optimized)
    if result == "ternary":
        return emit_ternary(optimized, _finish(lower(False))), retrace
    return emit_operand(optimized) if result == "filter" else emit_boolean(optimized), retrace


def _finish(lowered: ir.Predicate) -> ir.Predicate:
    """Run the passes over a lowered predicate."""
    predicate = lowered
    for run in PASSES:
        predicate = run(predicate)
    return predicate


def _phases(lowered: ir.Predicate, optimized: ir.Predicate) -> Trace:
    return ("lowered", emit_filter(lowered)), ("optimized", emit_filter(optimized))


def transpile_address(
    address: str | Address,
    node_type: NodeType,
    layout: LayoutLike = "amqp",
    *,
    dialect: str | Dialect = "jms",
    result: Result = "filter",
    missing: Missing = "error",
) -> Transpiled:
    """The messages that a receiver with a Qpid address gets, as Spark SQL over those sent to the address's node.

    ``node_type`` is what the name resolves to: ``queue``, or the type of an exchange. The subject and ``x-bindings``
    of the address are its bindings, by the AMQP 0-10 mapping; ``selector`` of its link filters what they take, by the
    rules of ``dialect``. Raises ``TopologyError`` for an address that does not read, and what selectors raise.
    """
    # Addresses bring the whole topology along, which nothing else here needs.
    from transpiler.lowering.addresses import Addresses
    from transpiler.topology.qpid_address.address import NodeType, parse_address

    _check_options(result, missing)
    check_choice("node_type", node_type, get_args(NodeType))
    parsed = parse_address(address) if isinstance(address, str) else address
    where = find_layout(layout)
    addresses = Addresses(where, missing)
    text = parsed.link.selector or ""
    tree, source = parse_selector(text, dialect), Source(text)
    lowering = selector_lowering(where, missing, source, find_dialect(dialect))

    def lower(wanted: bool) -> ir.Predicate:
        bound = addresses.received(parsed, node_type, wanted)
        if tree is None:
            return bound
        selected = lowering.selector(tree, wanted)
        return ir.all_of(bound, selected) if wanted else ir.any_of(bound, selected)

    sql, retrace = _emit(lower, result)
    return Transpiled(sql, (*addresses.findings, *lowering.findings), retrace=retrace)


def find_layout(layout: LayoutLike) -> Layout:
    """The layout of that name, the one given, or the one that a schema shows; ``LayoutError`` where there is none."""
    if isinstance(layout, str) and layout in _PRESETS:
        return _PRESETS[layout]
    if isinstance(layout, Layout):
        return layout
    # Most programs need no store and no schema.
    from transpiler.inference import layout_from_schema
    from transpiler.layouts.schemas import schema_in
    from transpiler.stores import STORES

    if not isinstance(layout, str) or not _PRESET_NAME.fullmatch(layout):
        return layout_from_schema(schema_in(layout))
    if layout in STORES:
        return _preset_store(layout)
    names = (*_PRESETS, *STORES)
    near = nearest(layout, names)
    hint = f"did you mean {near[0]}?" if near else f"the presets are {', '.join(names)}"
    hint = _MEANT.get(layout.lower(), hint)
    raise LayoutError.at("layout.unknown", f"there is no layout called {layout!r}", hint=hint)


@lru_cache
def _preset_store(name: str) -> Layout:
    """Return the store of a preset's name, always the same one, for making one takes time."""
    from transpiler.stores import preset

    return preset(name)


def translate_names(text: str, form: Form, *, dialect: str | Dialect = "jms") -> str:
    """Return a selector with its header names in JMS's form or in the wire's (``amqp.correlation_id``).

    Each name is exchanged for its one counterpart in the table of apache-filters.xml: ``JMSType`` and
    ``amqp.jms_type``, ``JMSExpiration`` and ``amqp.absolute_expiry_time``; other JMS names stay. Raises what
    ``parse_selector`` raises, and ``UnsupportedFeatureError`` for each condition that has no counterpart.
    """
    from transpiler.translation.header_names import translate_names as rename

    check_choice("form", form, ("jms", "amqp"))
    tree = parse_selector(text, dialect)
    return "" if tree is None else print_selector(rename(tree, form, Source(text)))


def transpile_message_type(layout: LayoutLike = "amqp") -> str:
    """Spark SQL for the JMS class of a message, as ``Message.message_type`` has it; never NULL.

    ``LayoutError`` where the layout has neither message annotations nor a body.
    """
    choices = message_choices(find_layout(layout))
    return emit_choice([(optimize(predicate), name) for predicate, name in choices], "Message")


def transpile_destination_type(
    layout: LayoutLike = "amqp", *, annotation: str = DESTINATION, consumer: str | None = None
) -> str:
    """Spark SQL for the kind of JMSDestination, or by its annotation of JMSReplyTo, as ``Message.destination_type``.

    ``consumer`` is the kind where the message does not say: that of the destination which the consumer was created
    with.
    """
    choices = destination_choices(find_layout(layout), annotation)
    return emit_choice([(optimize(predicate), name) for predicate, name in choices], consumer)
