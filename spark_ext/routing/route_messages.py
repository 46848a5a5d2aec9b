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
    warn_of_places,
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

#: The column of one queue, while the array is there as well: both may have one name.
_QUEUE = f"{KEPT}queue"


class PublisherKeywords(TypedDict, total=False):
    """The fields of a publisher, which were parameters of ``route`` in 0.1."""

    protocol: Protocol | None
    mandatory: bool
    reject_unroutable: bool


class RouteOptions(SendOptions, PublisherKeywords, total=False):
    """The options of ``route`` that say where messages were published, by whom, and how properties are read."""

    exchange: str | Column | None
    missing: Missing
    publisher: Publisher | None


class Answer(NamedTuple):
    """The names of the columns that ``route`` adds."""

    queues: str
    outcome: str | None = None
    exchange: str | None = None
    possible: str | None = None

    def check(self, messages: DataFrame) -> None:
        """Raise ``LayoutError`` for the name of a column that the messages have."""
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
    """Return the messages with the queues that each goes to, sorted and distinct; infer a layout of None.

    Every row is kept once; a message that goes nowhere has an empty array. Where no message can reach a queue, that is
    a ``RoutingWarning``. Works on streams in append mode.

    The routing key is in the column ``routing_key``, then in the layout's own place for it, and then it is the subject;
    NULL says nothing, and the next is read. For a broker with several routing keys a message (RabbitMQ's CC and BCC
    headers) an array ``routing_keys`` comes before it; other brokers read the first of them.

    In the query function of a declarative pipeline, where Spark analyzes no DataFrame, ``layout`` is a schema of the
    messages or a preset. The columns named here are read where that schema has them.

    For a JMS broker ``exchange`` is the destination of all messages, and the column ``exchange`` that of each (Artemis:
    ``address`` or ``address::queue``; ActiveMQ: ``queue://name``, ``topic://name`` or a list with commas, which takes a
    shuffle of the lists and no stream). ``exchange_column`` has the destination.

    Args:
        messages: The messages; a batch or a stream.
        topology: A ``Topology``, or what ``compile_topology`` made of one, which ``exchange``, ``address``,
            ``publish_to``, ``routing_type`` and ``missing`` are given to then. What is made of a topology is kept with
            the session and used again by its next queries, of a ``CompiledTopology`` and of a ``Topology`` that is the
            same object.
        layout: The columns of the messages: the name of a store, a ``Layout`` or a schema.
        exchange: The exchange that all messages were published to, or a Column with that of each; a name that no
            exchange has, and a column of the messages has, is that column. None: the column ``exchange``, whatever the
            layout, then the layout's own place for it; a message with NULL there went to the topology's default
            exchange. Where there is neither, and the topology has no default of its own, is an error; ``""`` is the
            broker's default exchange.
        column: The name of the new column, ``ARRAY<STRING>``. This name, and those of the other columns below, are
            those of no column of the messages.
        missing: The meaning of a property that has no column: ``"error"``, or ``"null"`` for an absent property.
        keys: Messages whose routing keys are matched first, each once, with the topic patterns: the same ``messages``,
            which are read twice then, or for a stream an archive of the same columns. It pays where keys repeat. A key
            that is not among them is matched where it comes.
        address: An address that all messages are sent to as a sender with that address does: ``queue``, ``exchange``,
            or ``exchange/subject`` with a subject for messages that have none.
        publish_to: ``"exchange"``, or ``"to"`` for the anonymous relay, which reads each message's own ``to``.
        outcome: The name of a column for what became of each message: ``delivered``; ``alternate``, where it reached
            queues only through alternates; ``discarded``, ``returned`` or ``rejected`` where it reached none, by the
            ``publisher`` and by the exchange; ``no-exchange``; ``undecided`` where a choice decides whether it reaches
            a queue; for a JMS broker also ``dead-letter`` and ``error``.
        exchange_column: The name of a column for the exchange that each message was published to, NULL where the relay
            rejected it.
        possible_column: The name of a column for the queues that a message may reach besides, by what an exchange
            chooses with a hash or at random (RabbitMQ's ``x-consistent-hash`` and its like); the messages are routed
            twice then. Without it a topology in which messages come to such an exchange is refused.
        routing_type: For Artemis ``"ANYCAST"`` or ``"MULTICAST"``, of all messages; the column ``routing_type`` has
            that of each.
        publisher: The settings that decide the outcome of a message that reaches no queue.
        protocol: The field of ``publisher``; valid in 0.2, with a warning.
        mandatory: The field of ``publisher``; valid in 0.2, with a warning.
        reject_unroutable: The field of ``publisher``; valid in 0.2, with a warning.

    Raises:
        TranspilerError: ``TopologyError`` for an exchange that there is not, or where nothing says the exchange;
            ``LayoutError`` for a column that there is, or that there is not.
        ValueError: Parameters exclude each other.
    """
    check_keywords("route", RouteOptions, options)
    publisher = _publisher(options)
    check_frame("messages", messages)
    if keys is not None:
        check_frame("keys", keys)
        check_new(keys, {})
    check_choice("missing", options.get("missing", "error"), get_args(Missing))
    answer = Answer(column, outcome, exchange_column, possible_column)
    answer.check(messages)
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
            lambda some: way.routed(some, repeated, answer, publisher),
        )
    if not any(plan.delivers for plan in way.plans):
        warnings.warn(unroutable(way.plans[0].exchange), RoutingWarning, stacklevel=3)
    return way.given.removed(frame)


class _Compiled:
    """Routes by a topology that was compiled before; ``plans`` are its own and that of its changes."""

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
            # Only route_stream compiles so, for the Column of each batch.
            self.given = given_column(decided.pop("exchange", None), messages)
        without_settings(decided)
        self.prepared = prepare_compiled(topology, messages, layout)
        self.plans = [topology.plan] if topology.changes is None else [topology.plan, topology.changes.plan]
        self._topology = topology

    def routed(self, messages: DataFrame, keys: DataFrame | None, answer: Answer, publisher: Publisher) -> DataFrame:
        """Return the messages with the columns of the answer; the keys of ``keys`` are matched first, each once."""
        names = _names(answer, self.prepared)
        with pause_garbage_collection():
            query = Query(
                messages.sparkSession, self.prepared, self._topology.plan, publisher, names, self._topology.changes
            )
            frame = query.routed(messages, keys)
        return frame if answer.possible is None else with_no_choices(frame, answer.possible)


class _Planned:
    """Routes by a topology, which is compiled on the way; ``plans`` are those that were made, one for each pass."""

    def __init__(
        self, topology: Topology, messages: DataFrame, layout: Layout | SchemaLike | None, options: RouteOptions
    ) -> None:
        check_topology(topology)
        columns = message_columns(messages, layout)
        self.given = given_exchange(options.get("exchange"), topology, messages, columns)
        self.prepared = prepare(topology, columns, self.given, settings_of(options))
        warn_of_places(self.prepared)
        self.plans: list[RoutingPlan] = []
        self._missing: Missing = options.get("missing", "error")

    def routed(self, messages: DataFrame, keys: DataFrame | None, answer: Answer, publisher: Publisher) -> DataFrame:
        """Return the messages with the columns of the answer; the keys of ``keys`` are matched first, each once."""
        topology, names = self.prepared.topology, _names(answer, self.prepared)

        def one_pass(messages: DataFrame, topology: Topology, queues: str, complete: bool) -> DataFrame:
            columns = names._replace(queues=queues) if complete else Names(queues)
            return self._pass(messages, keys, topology, columns, publisher)

        if answer.possible is not None:
            return route_with_choices(messages, topology, answer.queues, answer.outcome, answer.possible, one_pass)
        refuse_choices(topology, self.prepared.to.exchange)
        return one_pass(messages, topology, answer.queues, True)

    def _pass(
        self, messages: DataFrame, keys: DataFrame | None, topology: Topology, names: Names, publisher: Publisher
    ) -> DataFrame:
        """Route once by a topology without choices."""
        prepared = self.prepared._replace(topology=topology)
        plan = plan_of(topology, prepared.columns.layout, self._missing, prepared.to.exchange, prepared.several)
        self.plans.append(plan)
        with pause_garbage_collection():
            return Query(messages.sparkSession, prepared, plan, publisher, names).routed(messages, keys)


def _names(answer: Answer, prepared: Prepared) -> Names:
    """Return the columns that a pass adds; a JMS broker's ``sent`` adds the destination when nothing reads another."""
    is_sent = prepared.topology.rules.addressing.names_destinations
    return Names(answer.queues, answer.outcome, None if is_sent else answer.exchange)


def _publisher(options: RouteOptions) -> Publisher:
    """Return the publisher; the keywords that stood in its place are valid in 0.2, with a warning."""
    publisher = options.get("publisher")
    if not isinstance(publisher, Publisher | None):
        raise unexpected("publisher", "a Publisher", publisher, "perhaps Publisher('0-9-1')")
    given: dict[str, Any] = {**options}
    keywords = {name: given[name] for name in PublisherKeywords.__annotations__ if name in given}
    if not keywords:
        return publisher or ANY_PUBLISHER
    listed = ", ".join(f"{name}={value!r}" for name, value in keywords.items())
    if publisher is not None:
        raise TypeError(f"route() got {listed} besides a publisher: give Publisher what it has to say")
    message = f"give route publisher=Publisher({listed}) in place of {listed}, which ends with this version"
    warnings.warn(message, DeprecationWarning, stacklevel=4)
    return Publisher(**keywords)


@in_few_frames
def deliveries(routed: DataFrame, *, column: str = "queues", queue: str = "queue") -> DataFrame:
    """Return one row for each delivery: each message once for each of its queues.

    Args:
        routed: What ``route`` returned.
        column: The column of the queues, which is left out.
        queue: The name of the new column, which may be that of ``column``.

    Raises:
        LayoutError: ``column`` is no column of queues, or ``queue`` is the name of another column.
    """
    check_frame("routed", routed)
    check_queues(routed, "column", column)
    check_new(without(routed, column), {"queue": queue})
    # A plain explode would compute the array twice, once to see that it is not empty.
    exploded = routed.withColumn(_QUEUE, sf.explode_outer(sf.col(quote_name(column))))
    delivered = exploded.filter(f"{_QUEUE} IS NOT NULL")
    return delivered.selectExpr(f"* EXCEPT ({quote_name(column)}, {_QUEUE})", f"{_QUEUE} AS {quote_name(queue)}")
