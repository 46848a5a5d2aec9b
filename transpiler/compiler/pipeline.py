"""The whole pipeline: parse, lower, rewrite, plan for Spark, emit.

Text becomes a surface tree, descriptors become filters, addresses become bindings. Each is lowered to a predicate of
``ir``, which goes through ``PASSES`` and is emitted as SQL.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

from transpiler.base.arguments import check_alias, check_choice, check_selector
from transpiler.base.errors import SelectorTypeError, TranspilerError
from transpiler.base.source import Source
from transpiler.compiler import ir
from transpiler.compiler.lowering.names.names import Missing, Receiver
from transpiler.compiler.lowering.selectors import SelectorLowering
from transpiler.compiler.presets import LayoutLike, find_layout
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.compiler.spark_plan.disjunctions import tabulate_disjunctions
from transpiler.compiler.spark_plan.map_lookups import reuse_map_lookups
from transpiler.compiler.spark_plan.method_splitting import split_methods
from transpiler.compiler.sql import emit_boolean, emit_filter, emit_operand, emit_ternary
from transpiler.compiler.transpiled import Trace, Transpiled
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import parse_selector

if TYPE_CHECKING:
    from transpiler.language.filters.amqp_form import Unknown
    from transpiler.language.filters.sets import FiltersLike
    from transpiler.topology.qpid_address.address import Address, NodeType

#: The result of the SQL: see ``transpile_selector``.
Result = Literal["filter", "boolean", "ternary"]

#: The passes from a lowered predicate to the one that is emitted. The first makes it smaller and lets files be skipped;
#: the others are for Spark's generated code and could be left out.
PASSES: tuple[Callable[[ir.Predicate], ir.Predicate], ...] = (
    optimize,
    reuse_map_lookups,
    tabulate_disjunctions,
    split_methods,
)


_RESULTS, _MISSING = get_args(Result), get_args(Missing)


def transpile_selector(
    text: str,
    layout: LayoutLike = "amqp",
    *,
    dialect: str | Dialect = "jms",
    result: Result = "filter",
    missing: Missing = "error",
    now: int | None = None,
    destination: str | None = None,
    alias: str | None = None,
) -> Transpiled:
    """Compile a selector to Spark SQL over a layout.

    ``filter`` is TRUE where the selector is TRUE, and FALSE or NULL elsewhere; ``boolean`` is never NULL; ``ternary``
    has NULL for unknown. ``missing`` says what a name without a column means. ``now`` is the time of UTC() and of
    JMSExpiration, in milliseconds since the epoch; without it, the time of the query or micro-batch. ``destination`` is
    the address that the consumer was created with, and JMSDestination where a message has no ``to``. ``alias`` is the
    name of the table in a query over several, where a column's name alone may be ambiguous. Raises what
    ``parse_selector`` raises, and ``LayoutError``.
    """
    check_selector(text)
    _check_options(result, missing, alias)
    where, rules = find_layout(layout), find_dialect(dialect)
    try:
        tree = parse_selector(text, rules)
    except SelectorTypeError as error:
        from transpiler.compiler.lowering.names.unknown_names import with_refused_columns

        raise with_refused_columns(error, text, where) from None
    lowering = SelectorLowering(where, missing, Source(text), rules, Receiver(now, destination))

    def lower(polarity: bool) -> ir.Predicate:
        if tree is None:
            return ir.BoolConst(polarity)
        return lowering.selector(tree, polarity)

    sql, retrace = _emit(lower, result, alias)
    return Transpiled(sql, tuple(lowering.findings), retrace=retrace, tree=tree)


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
    alias: str | None = None,
) -> Transpiled:
    """Compile a filter, or a filter set, to Spark SQL over a layout; all filters of a set must hold.

    ``filters`` is a filter object, a mapping of names to filters, JSON text, or the AMQP 1.0 bytes of the map.
    ``dialect`` is that of the JMS selectors. ``connection`` is the receiver's, for no-local. ``unknown="ignore"``
    leaves out what nobody here knows; ``in_effect`` says what stays. ``now``, ``destination`` and ``alias`` are those
    of ``transpile_selector``. A filter accepts a message or does not, so ``ternary`` has no NULL here. Raises
    ``DecodeError``, ``LayoutError``, ``UnsupportedFeatureError`` and what ``parse_selector`` raises.
    """
    # Filters bring along decoders and a schema of every kind, which selectors do not need.
    from transpiler.compiler.lowering.filters import FilterLowering
    from transpiler.language.filters.sets import read_filters

    _check_options(result, missing, alias)
    filter_set = read_filters(filters, unknown).accepted_by(find_dialect(dialect))
    receiver = Receiver(now, destination)
    lowering = FilterLowering(find_layout(layout), missing, find_dialect(dialect), connection, receiver)
    predicate = lowering.whole(filter_set.whole)
    sql, retrace = _emit(lambda _: predicate, "boolean" if result == "ternary" else result, alias)
    return Transpiled(sql, (*filter_set.findings, *lowering.findings), filter_set, retrace)


def _check_options(result: Result, missing: Missing, alias: str | None) -> None:
    check_alias(alias)
    check_choice("result", result, _RESULTS)
    check_choice("missing", missing, _MISSING)


def _emit(lower: Callable[[bool], ir.Predicate], result: Result, alias: str | None) -> tuple[str, Callable[[], Trace]]:
    """Return the SQL of a condition, lowered by polarity, and a function that returns its trace."""

    def qualified(polarity: bool) -> ir.Predicate:
        predicate = lower(polarity)
        if alias is None:
            return predicate
        return ir.replace_columns(predicate, lambda column: column._replace(path=(alias, *column.path)))

    try:
        lowered = qualified(True)
        optimized = _finish(lowered)
        retrace = partial(_phases, lowered, optimized)
        if result == "ternary":
            return emit_ternary(optimized, _finish(qualified(False))), retrace
    except TranspilerError as error:
        # The error shows the place in the selector; frames of this package would tell its user nothing.
        raise error.with_traceback(None) from None
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
    alias: str | None = None,
) -> Transpiled:
    """Return the condition of a receiver with a Qpid address on messages sent to the address's node, as Spark SQL.

    ``node_type`` is what the name resolves to: ``queue``, or the type of an exchange. The subject and ``x-bindings``
    of the address are its bindings, by the AMQP 0-10 mapping; ``selector`` of its link filters what they take, by the
    rules of ``dialect``. Raises ``TopologyError`` for an address that does not read, and what selectors raise.
    """
    # Addresses bring the whole topology along, which nothing else here needs.
    from transpiler.compiler.lowering.bindings.addresses import Addresses
    from transpiler.topology.qpid_address.address import NodeType, parse_address

    _check_options(result, missing, alias)
    check_choice("node_type", node_type, get_args(NodeType))
    parsed = parse_address(address) if isinstance(address, str) else address
    where = find_layout(layout)
    addresses = Addresses(where, missing)
    text = parsed.link.selector or ""
    tree, source = parse_selector(text, dialect), Source(text)
    lowering = SelectorLowering(where, missing, source, find_dialect(dialect))

    def lower(wanted: bool) -> ir.Predicate:
        bound = addresses.received(parsed, node_type, wanted)
        if tree is None:
            return bound
        selected = lowering.selector(tree, wanted)
        return ir.all_of(bound, selected) if wanted else ir.any_of(bound, selected)

    sql, retrace = _emit(lower, result, alias)
    return Transpiled(sql, (*addresses.findings, *lowering.findings), retrace=retrace)
