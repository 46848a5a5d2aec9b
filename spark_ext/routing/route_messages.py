"""The public functions that route messages: ``route`` and ``deliveries``."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, TypedDict, Unpack, get_args

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from spark_ext.messages.schemas import SchemaLike, check_frame, message_columns
from spark_ext.routing.broadcast_join import broadcast_of, called, without
from spark_ext.routing.choices import refuse_choices, route_with_choices, with_no_choices
from spark_ext.routing.new_columns import check_new, check_queues
from spark_ext.routing.plans import (
    Prepared,
    RoutingWarning,
    plan_of,
    prepare,
    prepare_compiled,
    settings_of,
    warn_of_fields,
    without_settings,
)
from spark_ext.routing.publication import GivenExchange, given_column, given_exchange
from spark_ext.routing.query import Names, Query
from spark_ext.routing.sends import sent
from transpiler import Layout
from transpiler.base.arguments import check_choice, check_keywords, unexpected
from transpiler.base.errors import in_few_frames
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.sql import quote_name
from transpiler.routing.columns import KEPT
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.routing.explain import unroutable
from transpiler.routing.gc_pause import pause_garbage_collection
from transpiler.routing.plan import RoutingPlan
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.publishing import ANY_PUBLISHER, Protocol, Publisher
from transpiler.topology.receivers import SendOptions

#: The temporary column of a single queue, because the final column may have the same name as the array of queues.
_QUEUE = f"{KEPT}queue"


class PublisherKeywords(TypedDict, total=False):
    """The fields of ``Publisher`` as keywords, which were parameters of ``route`` in 0.1."""

    protocol: Protocol | None
    mandatory: bool
    reject_unroutable: bool


class RouteOptions(SendOptions, PublisherKeywords, total=False):
    """The options of ``route``: the exchange and publisher of the messages, and the meaning of missing properties."""

    exchange: str | Column | None
    missing: Missing
    publisher: Publisher | None


class AddedColumns(NamedTuple):
    """The names of the columns that ``route`` adds; None for a column that is not added."""

    queues: str
    outcome: str | None = None
    exchange: str | None = None
    possible: str | None = None

    def check(self, messages: DataFrame) -> None:
        """Raise ``LayoutError`` if the messages already have a column of one of these names."""
        optional = {"outcome": self.outcome, "exchange_column": self.exchange, "possible_column": self.possible}
        check_new(messages, {"column": self.queues, **optional}, optional)


@in_few_frames
def route(
    messages: DataFrame,
    topology: Topology | CompiledTopology,
    layout: Layout | SchemaLike | None = None,
    *,
    column: str = "queues",
    outcome: str | None = None,
    exchange_column: str | None = None,
    possible_column: str | None = None,
    keys: DataFrame | None = None,
    **options: Unpack[RouteOptions],
) -> DataFrame:
    """Route the messages through a topology: add a column with the queues of each message, sorted and distinct.

    Every row is kept once; a message that reaches no queue has an empty array. If no message can reach a queue,
    ``route`` issues a ``RoutingWarning``. It works on streams in append mode.

    The routing key is read from the column ``routing_key``, then from the layout's own column for routing keys, then
    from the subject; if one of them is NULL, the next is read. If a broker supports several routing keys for each
    message (RabbitMQ's CC and BCC headers), an array column ``routing_keys`` takes precedence; for other brokers, the
    first key of the array is used.

    In the query function of a declarative pipeline, where Spark cannot analyze a DataFrame, ``layout`` must be a schema
    of the messages or a preset. The columns mentioned here are read if that schema contains them.

    For a JMS broker, ``exchange`` is the destination of all messages, or the column ``exchange`` contains the
    destination of each message (Artemis: ``address`` or ``address::queue``; ActiveMQ: ``queue://name``,
    ``topic://name`` or a list with commas, which shuffles the rows with lists and does not work on streams).
    ``exchange_column`` then contains the destination.

    Args:
        messages: The messages; a batch or a stream.
        topology: A ``Topology``, or a compiled topology from ``compile_topology``, which then has the options
            ``exchange``, ``address``, ``publish_to``, ``routing_type`` and ``missing``. The session caches the
            compiled form for later queries with the same ``CompiledTopology`` or the same ``Topology`` object.
        layout: The columns of the messages: the name of a store, a ``Layout`` or a schema; None to infer the layout.
        exchange: The exchange that all messages were published to, or a Column with the exchange of each message. A
            name that is no exchange but a column of the messages means that column. With None, the exchange is read
            from the column ``exchange``, in any layout, then from the layout's own column; if these are NULL, the
            message went to the topology's default exchange. It is an error if there is neither such a column nor a
            default exchange. ``""`` is the broker's default exchange.
        column: The name of the new column, of type ``ARRAY<STRING>``. The messages must not have a column of this name
            or of the names below.
        missing: The meaning of a property without a column: ``"error"``, or ``"null"`` for an absent property.
        keys: Messages whose routing keys are matched with the topic patterns first, each distinct key once: the same
            ``messages``, which are then read twice, or for a stream an archive with the same columns. This is faster
            if keys repeat.
        address: An address to which all messages are sent by a sender with that address: ``queue``, ``exchange``, or
            ``exchange/subject`` with the subject for messages without a subject.
        publish_to: ``"exchange"``, or ``"to"`` for the anonymous relay, which reads the ``to`` of each message.
        outcome: The name of a column for the outcome of each message: ``delivered``; ``alternate`` if it reached queues
            only through alternates; ``discarded``, ``returned`` or ``rejected`` if it reached no queue, depending on
            ``publisher`` and exchange; ``no-exchange``; ``undecided`` if a choice of the broker determines whether it
            reaches a queue; for a JMS broker also ``dead-letter`` and ``error``.
        exchange_column: The name of a column for the exchange that each message was published to, NULL if the relay
            rejected the message.
        possible_column: The name of a column for additional queues that a message may reach if an exchange chooses them
            by a hash or at random (such as RabbitMQ's ``x-consistent-hash``). The messages are then routed twice.
            Without this column, a topology in which messages can reach such an exchange is an error.
        routing_type: For Artemis, the routing type of all messages, ``"ANYCAST"`` or ``"MULTICAST"``. Otherwise the
            column ``routing_type`` contains that of each message.
        publisher: The settings that determine the outcome of a message that reaches no queue.
        protocol: The field of ``publisher``; valid in 0.2, with a warning.
        mandatory: The field of ``publisher``; valid in 0.2, with a warning.
        reject_unroutable: The field of ``publisher``; valid in 0.2, with a warning.

    Raises:
        TranspilerError: ``TopologyError`` if the exchange does not exist or is not specified; ``LayoutError`` if a new
            column already exists or a required column is missing.
        ValueError: Two parameters exclude each other.
    """
    check_keywords("route", RouteOptions, options)
    publisher = _publisher(options)
    check_frame("messages", messages)
    if keys is not None:
        check_frame("keys", keys)
        check_new(keys, {})
    check_choice("missing", options.get("missing", "error"), get_args(Missing))
    added = AddedColumns(column, outcome, exchange_column, possible_column)
    added.check(messages)
    way: _Compiled | _Planned
    if isinstance(topology, CompiledTopology):
        way = _Compiled(topology, messages, layout, options)
    else:
        way = _Planned(topology, messages, layout, options)
    repeated = None if keys is None else way.given.added(keys)
    with broadcast_of(called(topology)):
        frame = sent(
            way.given.added(messages),
            way.prepared,
            column,
            outcome,
            possible_column,
            exchange_column,
            lambda some: way.routed(some, repeated, added, publisher),
        )
    if not any(plan.delivers for plan in way.plans):
        warnings.warn(unroutable(way.plans[0].exchange), RoutingWarning, stacklevel=3)
    return way.given.removed(frame)


class _Compiled:
    """Router for a compiled topology.

    ``plans`` contains the plan of the topology and, if the topology was changed, the plan of the changes.
    """

    def __init__(
        self,
        topology: CompiledTopology,
        messages: DataFrame,
        layout: Layout | SchemaLike | None,
        options: RouteOptions,
    ) -> None:
        self.given = GivenExchange(None)
        decided: dict[str, object] = {**options}
        if topology.settings.destination.given is not None:
            # The topology was compiled for messages whose exchange is in a Column. Only ``route_stream`` compiles for a
            # Column, and it passes the option ``exchange`` again for each batch.
            self.given = given_column(decided.pop("exchange", None), messages)
        without_settings(decided)
        self.prepared = prepare_compiled(topology, messages, layout)
        self.plans = [topology.plan] if topology.changes is None else [topology.plan, topology.changes.plan]
        self._topology = topology

    def routed(
        self, messages: DataFrame, keys: DataFrame | None, added: AddedColumns, publisher: Publisher
    ) -> DataFrame:
        """Return ``messages`` with the columns in ``added``; ``keys`` has the same meaning as for ``route``."""
        names = _names(added, self.prepared)
        with pause_garbage_collection():
            query = Query(
                messages.sparkSession, self.prepared, self._topology.plan, publisher, names, self._topology.changes
            )
            frame = query.routed(messages, keys)
        return frame if added.possible is None else with_no_choices(frame, added.possible)


class _Planned:
    """Router for a ``Topology`` that is not compiled yet; it compiles the topology when it routes messages.

    If exchanges choose among their bindings at random or by a hash, the messages are routed in several passes, each
    with a plan of its own. ``plans`` contains the plans of the passes so far.
    """

    def __init__(
        self, topology: Topology, messages: DataFrame, layout: Layout | SchemaLike | None, options: RouteOptions
    ) -> None:
        check_topology(topology)
        columns = message_columns(messages, layout)
        self.given = given_exchange(options.get("exchange"), topology, messages, columns)
        self.prepared = prepare(topology, columns, self.given, settings_of(options))
        warn_of_fields(self.prepared)
        self.plans: list[RoutingPlan] = []
        self._missing: Missing = options.get("missing", "error")

    def routed(
        self, messages: DataFrame, keys: DataFrame | None, added: AddedColumns, publisher: Publisher
    ) -> DataFrame:
        """Return ``messages`` with the columns in ``added``; ``keys`` has the same meaning as for ``route``."""
        topology, names = self.prepared.topology, _names(added, self.prepared)

        def one_pass(messages: DataFrame, topology: Topology, queues: str, complete: bool) -> DataFrame:
            columns = names._replace(queues=queues) if complete else Names(queues)
            return self._pass(messages, keys, topology, columns, publisher)

        if added.possible is not None:
            return route_with_choices(messages, topology, added.queues, added.outcome, added.possible, one_pass)
        refuse_choices(topology, self.prepared.to.exchange)
        return one_pass(messages, topology, added.queues, True)

    def _pass(
        self, messages: DataFrame, keys: DataFrame | None, topology: Topology, names: Names, publisher: Publisher
    ) -> DataFrame:
        """Return ``messages`` routed through ``topology``, in which no exchange chooses a binding."""
        prepared = self.prepared._replace(topology=topology)
        plan = plan_of(topology, prepared.columns.layout, self._missing, prepared.to.exchange, prepared.several)
        self.plans.append(plan)
        with pause_garbage_collection():
            return Query(messages.sparkSession, prepared, plan, publisher, names).routed(messages, keys)


def _names(added: AddedColumns, prepared: Prepared) -> Names:
    """Return the names of the columns that one pass of routing adds to the messages.

    For a JMS broker, the column ``exchange_column`` is not among them: ``sent`` adds it later, with the destination.
    """
    is_sent = prepared.topology.rules.addressing.names_destinations
    return Names(added.queues, added.outcome, None if is_sent else added.exchange)


def _publisher(options: RouteOptions) -> Publisher:
    """Return the publisher of ``options``; warn if ``options`` has the deprecated ``PublisherKeywords`` instead."""
    publisher = options.get("publisher")
    if not isinstance(publisher, Publisher | None):
        raise unexpected("publisher", "a Publisher", publisher, "perhaps Publisher('0-9-1')")
    given: dict[str, Any] = {**options}
    keywords = {name: given[name] for name in PublisherKeywords.__annotations__ if name in given}
    if not keywords:
        return publisher or ANY_PUBLISHER
    listed = ", ".join(f"{name}={value!r}" for name, value in keywords.items())
    if publisher is not None:
        raise TypeError(f"route() got {listed} besides a publisher: pass these arguments to Publisher")
    message = f"give route publisher=Publisher({listed}) in place of {listed}, which ends with this version"
    warnings.warn(message, DeprecationWarning, stacklevel=4)
    return Publisher(**keywords)


@in_few_frames
def deliveries(routed: DataFrame, *, column: str = "queues", queue: str = "queue") -> DataFrame:
    """Return one row for each delivery: each message is repeated for each of its queues.

    Args:
        routed: The result of ``route``.
        column: The column with the queues, which the result does not contain.
        queue: The name of the new column with one queue; it may equal ``column``.

    Raises:
        LayoutError: ``column`` is not a column of queues, or another column is already called ``queue``.
    """
    check_frame("routed", routed)
    check_queues(routed, "column", column)
    check_new(without(routed, column), {"queue": queue})
    # Do not call explode: Spark would add a filter for empty arrays before it, and so compute the array twice.
    exploded = routed.withColumn(_QUEUE, sf.explode_outer(sf.col(quote_name(column))))
    delivered = exploded.filter(f"{_QUEUE} IS NOT NULL")
    return delivered.selectExpr(f"* EXCEPT ({quote_name(column)}, {_QUEUE})", f"{_QUEUE} AS {quote_name(queue)}")
