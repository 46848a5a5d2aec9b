"""The plans that route messages: built once for each topology object, or compiled by the user beforehand."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, Unpack, get_args

from pyspark.sql import DataFrame

from spark_ext.messages.schemas import MessageColumns, SchemaLike, check_frame, message_columns
from spark_ext.routing import tuning
from spark_ext.routing.choices import refuse_choices
from spark_ext.routing.publication import (
    GivenExchange,
    check_columns_read,
    columns_read,
    has_routing_keys,
    missing_column,
    published_exchanges,
)
from spark_ext.routing.routing_keys import Published
from transpiler import Layout
from transpiler.base.arguments import check_choice, check_keywords, unexpected
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import LayoutError, in_few_frames
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import ColumnType, Path
from transpiler.compiler.layouts.publication import header_hints
from transpiler.compiler.layouts.sent import SentLayout, before_sent
from transpiler.message.header_fields import PROPERTIES, PUBLISHED_EXCHANGE, PUBLISHED_KEYS, MessageField
from transpiler.routing.asked_names import asked_names
from transpiler.routing.columns import PREFIX
from transpiler.routing.compiled_topology import CompiledTopology, Destination, Progress, Settings, compile_plan
from transpiler.routing.plan import RoutingPlan, build_plan
from transpiler.topology.addressing import check_routing_type, entry_name
from transpiler.topology.model import Topology, check_entries, check_exchange, check_topology
from transpiler.topology.publishing import check_has_routing_types, own_default
from transpiler.topology.receivers import DEFAULT_SETTINGS, PublishSettings, Sender, SendOptions, resolve_sender


class RoutingWarning(UserWarning):
    """Warning that a topology can route messages, but something in it is probably a mistake."""


_LOCK = threading.RLock()
_PLANS: dict[int, tuple[weakref.ref[Topology], list[tuple[Hashable, Layout, RoutingPlan]]]] = {}


class Prepared(NamedTuple):
    """The arguments for compiling a topology: the messages' ``columns``, and where the messages are sent (``to``).

    ``topology`` includes what the broker creates for the address of a sender. ``several`` is True if a message can have
    several routing keys.
    """

    topology: Topology
    columns: MessageColumns
    to: Destination
    several: bool


class TopologyOptions(SendOptions, total=False):
    """The options of ``route`` with which a topology is compiled; ``COMPILED`` contains their defaults."""

    exchange: str | None
    missing: Missing


#: The options of ``route`` that are fixed when a topology is compiled, with their default values.
COMPILED: Mapping[str, object] = MappingProxyType(
    {"exchange": None, "missing": "error", "address": None, "publish_to": "exchange", "routing_type": None}
)


def prepare(
    topology: Topology, columns: MessageColumns, exchange: GivenExchange, settings: PublishSettings = DEFAULT_SETTINGS
) -> Prepared:
    """Determine the destination to which the messages are published.

    Raises ``ValueError`` if parameters exclude each other. Raises ``TopologyError`` if the exchange is unknown or not
    specified, or if messages cannot enter the topology of a JMS broker.
    """
    check_topology(topology)
    address, routing_type = settings.address, settings.routing_type
    check_has_routing_types(topology, routing_type)
    if topology.rules.addressing.names_destinations:
        settings.check_destination(topology)
        check_routing_type(routing_type)
        check_entries(topology)
        to = Destination(named=exchange.name, given=exchange.path, routing_type=routing_type)
        return Prepared(_entered_by(topology, routing_type), columns, to, False)
    settings.check_target(exchange.says)
    check_exchange(exchange.name, topology)
    resolved = columns.layout
    to = Destination(exchange.name, given=exchange.path, relay=settings.publish_to == "to")
    if address is not None:
        sender = address if isinstance(address, Sender) else resolve_sender(topology, address)
        topology, to = sender.topology, Destination(sender.exchange, sender.key, sender.subject, by_sender=True)
        if sender.subject is not None:
            resolved = SentLayout(resolved)
    elif to == Destination() and not published_exchanges(columns):
        offers = header_hints("exchange", resolved, columns.schema.jsonValue())
        to = Destination(own_default(topology, offers), by_default=True)
    several = topology.rules.several_keys and to.several_keys and has_routing_keys(columns)
    return Prepared(topology, columns._replace(layout=resolved), to, several)


def _entered_by(topology: Topology, routing_type: str | None) -> Topology:
    """Return ``topology``, which only messages of ``routing_type`` can enter; unchanged if ``routing_type`` is None."""
    if routing_type is None:
        return topology
    entries = {entry_name(routing_type), entry_name(routing_type, qualified=True)}
    exchanges = tuple(
        exchange if exchange.internal or exchange.name in entries else replace(exchange, internal=True)
        for exchange in topology.exchanges
    )
    return replace(topology, exchanges=exchanges)


def plan_of(topology: Topology, layout: Layout, missing: Missing, exchange: str | None, several: bool) -> RoutingPlan:
    """Return the plan of ``topology``, from the cache if a plan for the same topology object and settings exists."""
    settings = missing, exchange, several
    with _LOCK:
        number = id(topology)
        _, plans = _PLANS.setdefault(number, (weakref.ref(topology, lambda _: _PLANS.pop(number, None) and None), []))
        for known, over, plan in plans:
            if known == settings and over == layout:
                return plan
        plan = build_plan(topology, layout, missing, exchange, several)
        _warn_of_names(topology, layout)
        plans.append((settings, layout, plan))
        del plans[: -tuning.KEPT_PLANS]
        return plan


def warn_of_fields(prepared: Prepared) -> None:
    """Warn if the plan reads the exchange or the routing key from a column that is probably the wrong one."""
    to, layout = prepared.to, before_sent(prepared.columns.layout)
    message_fields = [PUBLISHED_EXCHANGE] if to.exchange is None and to.named is None and to.given is None else []
    message_fields += [
        message_field for message_field in PUBLISHED_KEYS if to.by_message and layout.has_field(message_field)
    ]
    for message_field in message_fields:
        _warn_of(layout, message_field, "")


def _warn_of_names(topology: Topology, layout: Layout) -> None:
    """Warn about properties in bindings that ``layout`` reads from a column that is probably the wrong one."""
    for name, asked in asked_names(topology).items() if layout.has_ambiguities() else ():
        _warn_of(layout, MessageField(PROPERTIES, name), f"the binding {asked.first}: ")


def _warn_of(layout: Layout, message_field: MessageField, where: str) -> None:
    reading = layout.ambiguity(message_field)
    if reading is not None:
        message, advice = reading
        finding = Diagnostic("layout.reading", "warning", f"{where}{message}", hint=advice.hint, fix=advice.fix)
        warnings.warn(finding.render(), RoutingWarning, stacklevel=5)


@in_few_frames
def compile_topology(
    topology: Topology,
    layout: Layout | SchemaLike | None = None,
    *,
    messages: DataFrame | None = None,
    version: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[TopologyOptions],
) -> CompiledTopology:
    """Compile a topology once, for messages in one layout; without a layout, for the canonical schema.

    ``route`` accepts the result instead of the topology, and then does not accept the parameters here.

    Args:
        topology: Exchanges, bindings and queues, as ``read_topology`` returns them.
        layout: The messages' columns: a DataFrame, a schema or a preset.
        messages: A DataFrame with columns that are read in addition to the layout, such as ``exchange`` and
            ``routing_key``; without a ``layout``, the layout is inferred from this DataFrame.
        exchange: The name of an exchange, as for ``route``.
        missing: As for ``route``.
        address: As for ``route``.
        publish_to: As for ``route``.
        routing_type: As for ``route``.
        version: The name of the compiled topology; None for a digest.
        progress: A function that is called with the numbers of compiled bindings and of all bindings.

    Raises:
        TranspilerError: The errors of ``route``.
    """
    check_keywords("compile_topology", TopologyOptions, options)
    exchange, missing = options.get("exchange"), options.get("missing", "error")
    check_topology(topology)
    if messages is not None:
        check_frame("messages", messages)
    if not isinstance(exchange, str | None):
        hint = "perhaps add a column exchange to the messages, which a compiled topology reads"
        raise unexpected("exchange", "the name of an exchange", exchange, hint)
    columns = message_columns(messages, layout)
    prepared = prepare(topology, columns, GivenExchange(exchange), settings_of(options))
    return compile_prepared(prepared, missing, version, progress)


def compile_prepared(
    prepared: Prepared, missing: Missing = "error", version: str | None = None, progress: Progress | None = None
) -> CompiledTopology:
    """Compile the topology of ``prepared`` for its messages: see ``compile_topology``."""
    check_choice("missing", missing, get_args(Missing))
    refuse_choices(prepared.topology, prepared.to.exchange)
    warn_of_fields(prepared)
    _warn_of_names(prepared.topology, prepared.columns.layout)
    published = columns_read(prepared.topology, prepared.to, prepared.columns)
    settings = Settings(prepared.to, missing, prepared.several, published)
    return compile_plan(prepared.topology, prepared.columns.layout, settings, version=version, progress=progress)


def prepare_compiled(compiled: CompiledTopology, messages: DataFrame, layout: Layout | SchemaLike | None) -> Prepared:
    """Prepare a compiled topology for ``messages``; raise ``LayoutError`` if it was compiled for other messages."""
    known = None if compiled.layout is None else before_sent(compiled.layout)
    given = known if layout is None else layout
    columns = message_columns(messages, given)
    to, resolved = compiled.settings.destination, columns.layout
    if to.subject is not None:
        resolved = SentLayout(resolved)
    if resolved.name != compiled.layout_name:
        raise LayoutError.at(
            "compiled.other-layout",
            f"the topology was compiled for messages in the layout {compiled.layout_name}, but these messages are in "
            f"{resolved.name}",
            hint="perhaps compile the topology for these messages: compile_topology(topology, messages)",
        )
    if columns.schema.names:
        # Check the columns only if they are known. In the query function of a declarative pipeline, Spark cannot
        # analyze the messages.
        settings = compiled.settings
        check_columns_read(settings.published, columns_read(compiled.topology, to, columns), to, settings.several)
        plans = [compiled.plan] if compiled.changes is None else [compiled.plan, compiled.changes.plan]
        columns = columns._replace(layout=resolved)
        _check_columns(plans, Published(compiled.topology, columns, plans, to).reads(), columns)
    return Prepared(compiled.topology, columns._replace(layout=resolved), to, compiled.settings.several)


def _check_columns(plans: Sequence[RoutingPlan], published: Iterable[Path], messages: MessageColumns) -> None:
    """Raise ``LayoutError`` if the messages lack columns that ``plans`` read, or one of the columns ``published``."""
    columns: dict[Path, ColumnType | None] = dict.fromkeys(published)
    for plan in plans:
        columns |= dict.fromkeys(plan.reads.values())
        columns |= {column.path: column.type for node in plan.nodes for column in ir.columns_in(node)}
    for path, column_type in columns.items():
        wrong = None
        if not str(path[0]).startswith(PREFIX):
            wrong = missing_column(path, messages.schema, messages.case_sensitive, column_type)
        if wrong is not None:
            raise LayoutError.at(
                "compiled.other-columns",
                f"the topology was compiled for messages with a column {wrong}, but these messages lack this column",
                hint="perhaps compile the topology for these messages: compile_topology(topology, messages)",
            )


def settings_of(options: SendOptions) -> PublishSettings:
    """Return the settings for publishing in the options of a call."""
    return PublishSettings(options.get("address"), options.get("publish_to", "exchange"), options.get("routing_type"))


def given_options(options: Mapping[str, object]) -> list[str]:
    """Return the names of the options in ``COMPILED`` whose values differ from their defaults."""
    # Compare the types first: the result of comparing a Column with ``!=`` is a Column, which is neither true nor
    # false.
    return [
        name
        for name, default in COMPILED.items()
        if name in options and (type(options[name]) is not type(default) or options[name] != default)
    ]


def without_settings(options: Mapping[str, object]) -> None:
    """Raise ``ValueError`` if ``options`` contains an option that is fixed when a topology is compiled."""
    wrong = given_options(options)
    if wrong:
        raise ValueError(
            f"{wrong[0]} is fixed when the topology is compiled: pass it to compile_topology, not to route"
        )
