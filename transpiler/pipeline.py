"""The whole pipeline, and the public functions that run it: parse, lower, rewrite, plan for Spark, emit.

``transpile_selector``, ``transpile_filter`` and ``transpile_address`` differ only in their input and its lowering. The
pipeline imports both the compiler and the tools, because a compiled selector also has the warnings of ``check``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Unpack, get_args

from transpiler.base.arguments import check_choice, renamed
from transpiler.base.errors import SelectorTypeError, TranspilerError
from transpiler.base.source import Source
from transpiler.compiler import ir
from transpiler.compiler.compile_options import FilterOptions, Result, SelectorOptions, SqlOptions, read_options
from transpiler.compiler.lowering.selectors import SelectorLowering
from transpiler.compiler.presets import LayoutLike, find_layout
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.compiler.spark_plan.disjunctions import tabulate_disjunctions
from transpiler.compiler.spark_plan.map_lookups import reuse_map_lookups
from transpiler.compiler.spark_plan.nan_tests import merge_nan_tests
from transpiler.compiler.spark_plan.rarely_needed import guard_if_untyped, split_if_long
from transpiler.compiler.sql import emit_boolean, emit_filter, emit_operand, emit_ternary
from transpiler.compiler.transpiled import Trace, Transpiled
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector, selector_text

if TYPE_CHECKING:
    from transpiler.language.filters.sets import FiltersLike
    from transpiler.topology.qpid_address.address import Address, NodeType

#: The passes that transform a lowered predicate before it becomes SQL, in order. The first simplifies the predicate, so
#: that Spark can push it down. The others only speed up the code that Spark generates.
PASSES: tuple[Callable[[ir.Predicate], ir.Predicate], ...] = (
    optimize,
    reuse_map_lookups,
    merge_nan_tests,
    tabulate_disjunctions,
    split_if_long,
    guard_if_untyped,
)


@renamed("text", "selector")
def transpile_selector(
    selector: SelectorLike,
    layout: LayoutLike = "amqp",
    dialect: str | Dialect = "jms",
    *,
    lint: bool = True,
    **options: Unpack[SelectorOptions],
) -> Transpiled:
    """Compile a selector to Spark SQL for the columns of a layout, by default of the canonical schema.

    Args:
        selector: The text of a selector, or a parsed tree. A blank text, and None, select every message.
        layout: The columns of the table: the name of a store, a ``Layout``, or a schema.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        lint: Whether ``diagnostics`` also has the warnings of ``check``. They are computed when ``diagnostics`` is
            first read.
        result: ``"filter"`` is TRUE if the selector is TRUE, and otherwise FALSE or NULL; ``"boolean"`` is TRUE or
            FALSE, never NULL; ``"ternary"`` is NULL if the selector is unknown.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        now: The time of UTC() and of JMSExpiration, in milliseconds since the epoch; None for the time of the query or
            micro-batch.
        destination: The address with which the consumer was created. It is the JMSDestination of a message without
            ``to``.
        alias: The name of the table in a query over several tables, in which a column's name alone may be ambiguous.

    Returns:
        The SQL, the warnings, and the SQL after each phase.

    Raises:
        TranspilerError: The errors of ``parse_selector``, and ``LayoutError`` if the layout does not exist or has no
            column for a name.
    """
    chosen = read_options("transpile_selector", SelectorOptions, options)
    where, rules = find_layout(layout), find_dialect(dialect)
    text = selector_text(selector, rules)
    try:
        tree = parse_selector(text, rules)
    except SelectorTypeError as error:
        from transpiler.compiler.lowering.names.unknown_names import with_refused_columns

        raise with_refused_columns(error, text or "", where) from None
    source = Source(text or "")
    lowering = SelectorLowering(where, chosen.missing, source, rules, chosen.receiver)

    def lower(polarity: bool) -> ir.Predicate:
        if tree is None:
            return ir.BoolConst(polarity)
        return lowering.selector(tree, polarity)

    sql, retrace = _emit(lower, chosen.result, chosen.alias)
    found = tuple(lowering.findings)
    if not lint or tree is None:
        return Transpiled(sql, found, retrace=retrace, tree=tree)
    # Imported here because most callers need only the SQL; the rules of ``check`` import the evaluator and the
    # analysis.
    from transpiler.tools.lint.advice import with_rules

    return Transpiled(
        sql, found, retrace=retrace, tree=tree, advise=lambda: with_rules(tree, source, where, rules, found)
    )


def transpile_filter(
    filters: FiltersLike,
    layout: LayoutLike = "amqp",
    dialect: str | Dialect = "jms",
    **options: Unpack[FilterOptions],
) -> Transpiled:
    """Compile a filter or a filter set to Spark SQL for the columns of a layout, by default of the canonical schema.

    Args:
        filters: A filter object, a mapping of names to filters, JSON text, or the AMQP 1.0 bytes of the map. A message
            must match all filters of a set.
        layout: The columns of the table: the name of a store, a ``Layout``, or a schema.
        dialect: The dialect of the JMS selectors in ``filters``, by name or as a ``Dialect``.
        result: As for ``transpile_selector``. A filter is never unknown, so ``"ternary"`` has no NULL either.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        connection: The receiver's connection, for no-local filters.
        unknown: ``"error"``, or ``"ignore"`` to leave out filters with an unknown descriptor; ``in_effect`` of the
            result has the remaining filters.
        now: The current time, as for ``transpile_selector``.
        destination: The consumer's address, as for ``transpile_selector``.
        alias: The name of the table, as for ``transpile_selector``.

    Returns:
        The SQL, the warnings, and the filters in effect.

    Raises:
        TranspilerError: ``DecodeError`` for bytes or JSON that are not filters, ``LayoutError``,
            ``UnsupportedFeatureError``, and the errors of ``parse_selector``.
    """
    # Imported here because selectors do not need it; filters need decoders and the schemas of all their kinds.
    from transpiler.compiler.lowering.conditions import PredicateLowering
    from transpiler.language.filters.kinds import Consumer
    from transpiler.language.filters.sets import read_filters

    chosen, rules = read_options("transpile_filter", FilterOptions, options), find_dialect(dialect)
    filter_set = read_filters(filters, chosen.unknown).accepted_by(rules)
    whole = filter_set.whole
    lowering = PredicateLowering(find_layout(layout), chosen.missing, chosen.receiver)
    predicate = lowering.within_limits(whole.condition(Consumer(rules, chosen.connection)), whole.path)
    result: Result = "boolean" if chosen.result == "ternary" else chosen.result
    sql, retrace = _emit(lambda _: predicate, result, chosen.alias)
    return Transpiled(sql, (*filter_set.findings, *lowering.findings), filter_set, retrace)


def transpile_address(
    address: str | Address,
    node_type: NodeType,
    layout: LayoutLike = "amqp",
    dialect: str | Dialect = "jms",
    **options: Unpack[SqlOptions],
) -> Transpiled:
    """Compile the condition of a receiver with a Qpid address to Spark SQL, by default for the canonical schema.

    By the AMQP 0-10 mapping, the subject and ``x-bindings`` of the address are its bindings. The ``selector`` of its
    link filters the messages that match these bindings.

    Args:
        address: The address, as text or parsed.
        node_type: The kind of node that the address names: ``"queue"``, or the type of an exchange: ``"direct"``,
            ``"topic"``, ``"fanout"``, ``"headers"`` or ``"xml"``.
        layout: The columns of the table: the name of a store, a ``Layout``, or a schema.
        dialect: The dialect of the link's selector, by name or as a ``Dialect``.
        result: As for ``transpile_selector``.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        alias: The name of the table, as for ``transpile_selector``.

    Returns:
        The SQL condition for messages that were sent to the node of the address.

    Raises:
        TranspilerError: ``TopologyError`` for an address that cannot be parsed, and the errors of
            ``transpile_selector``.
    """
    # Imported here because selectors do not need it, and addresses import the whole topology package.
    from transpiler.compiler.lowering.conditions import PredicateLowering
    from transpiler.topology.qpid_address.address import NodeType, address_condition, parse_address

    chosen, rules = read_options("transpile_address", SqlOptions, options), find_dialect(dialect)
    check_choice("node_type", node_type, get_args(NodeType))
    parsed = parse_address(address) if isinstance(address, str) else address
    where = find_layout(layout)
    received, findings = address_condition(parsed, node_type)
    bindings = PredicateLowering(where, chosen.missing)
    text = parsed.link.selector or ""
    tree = parse_selector(text, rules)
    lowering = SelectorLowering(where, chosen.missing, Source(text), rules)

    def lower(wanted: bool) -> ir.Predicate:
        bound = bindings.lower_published(received, wanted)
        if tree is None:
            return bound
        selected = lowering.selector(tree, wanted)
        return ir.all_of(bound, selected) if wanted else ir.any_of(bound, selected)

    sql, retrace = _emit(lower, chosen.result, chosen.alias)
    return Transpiled(sql, (*findings, *lowering.findings), retrace=retrace)


def _emit(lower: Callable[[bool], ir.Predicate], result: Result, alias: str | None) -> tuple[str, Callable[[], Trace]]:
    """Return the SQL of a condition, and a function that returns the SQL after each phase.

    ``lower(True)`` returns the predicate that selects the rows in which the condition is TRUE, and ``lower(False)`` the
    rows in which it is FALSE.
    """

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
        # Raise without the stack frames of this package: the error contains the location in the selector, which is all
        # that helps the user.
        raise error.with_traceback(None) from None
    return emit_operand(optimized) if result == "filter" else emit_boolean(optimized), retrace


def _finish(lowered: ir.Predicate) -> ir.Predicate:
    """Apply all ``PASSES`` to ``lowered``, the predicate that the lowering returned."""
    predicate = lowered
    for run in PASSES:
        predicate = run(predicate)
    return predicate


def _phases(lowered: ir.Predicate, optimized: ir.Predicate) -> Trace:
    return ("lowered", emit_filter(lowered)), ("optimized", emit_filter(optimized))
