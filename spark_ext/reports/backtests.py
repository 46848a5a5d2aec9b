"""Count in Spark how many results of ``route`` agree with the queues that a broker recorded."""

from __future__ import annotations

from collections.abc import Collection

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sf

from spark_ext.messages.schemas import (
    MessageColumns,
    SchemaLike,
    case_sensitive,
    check_frame,
    message_columns,
    own_field,
)
from spark_ext.routing.broadcast_join import broadcast_of, called
from spark_ext.routing.new_columns import check_queues
from spark_ext.routing.publication import (
    GivenExchange,
    first_text,
    given_exchange,
    has_routing_keys,
    own_texts,
    published_exchanges,
    texts_at,
)
from spark_ext.routing.routing_keys import Sends
from transpiler import Layout
from transpiler.base.arguments import unexpected
from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, Setting
from transpiler.compiler.layouts.publication import header_hints
from transpiler.compiler.sql import emit_value, quote_name, quote_text
from transpiler.message.header_fields import PUBLISHED_KEYS, MessageField
from transpiler.message.publication import ROUTING_KEY
from transpiler.routing.compiled_topology import Destination
from transpiler.tools.backtest import Backtest, Disagreement
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.model import Topology, check_entries, check_exchange
from transpiler.topology.publishing import no_exchange, own_default
from transpiler.topology.records import DEFAULT_EXCHANGE

_ID = MessageField("properties", "message_id")
_CANONICAL_ID = "properties.message_id"
_CANONICAL_LABEL = (
    f"coalesce({_CANONICAL_ID}.string, CAST({_CANONICAL_ID}.long AS STRING), hex({_CANONICAL_ID}.binary), '')"
)

_NO_QUEUES = "CAST(array() AS ARRAY<STRING>)"
_NO_QUEUES_FOR_NULL = "coalesce({}, CAST(array() AS ARRAY<STRING>))"
_AGREES = "size(missed) = 0 AND size(extra) = 0"

#: The layout in which the virtual host follows the name of a queue.
_WITH_VHOST = "aws-rabbitmq"


def backtest(
    routed: DataFrame,
    layout: Layout | SchemaLike | None = None,
    *,
    recorded: str = "routed_queues",
    partial: bool = False,
    recorded_queue: str | None = None,
    column: str = "queues",
    possible: str | None = None,
    max_examples: int = 10,
    topology: Topology | None = None,
    exchange: str | Column | None = None,
) -> Backtest:
    """Compare routed queues with recorded queues, and count agreements by exchange and by queue.

    With a partial record, queues may be ``missed`` but are never ``extra``, because the message may have gone to other
    queues, too. A NULL in the column of recorded queues counts as no queues. The examples show the message id.

    Args:
        routed: The result of ``route``, with a column of the queues that the broker recorded.
        layout: The layout with the columns or keys of the exchange and routing key; None infers it from ``routed``.
        recorded: The column with the broker's queues, an ARRAY<STRING>; with ``partial`` also a STRING.
        partial: Whether the record has only some of the queues, or only the queue from which the message was read, as
            the column ``queue`` of Lambda events and of deliveries in a tracing log.
        recorded_queue: The queue from which all messages were read, if no column contains it, as for answers of
            RabbitMQ's management API.
        column: The column of ``route`` with the queues.
        possible: The column of ``route(…, possible_column=…)``: a recorded queue in this column is not missed.
        max_examples: Maximum number of disagreements to keep.
        topology: The topology of ``routed``. With it, the report begins with the recorded queues and exchanges that the
            topology does not have.
        exchange: The argument ``exchange`` of ``route``, or its ``exchange_column``. None is the column ``exchange``,
            or else the field of the ``layout``; NULL is then the ``default_exchange`` of the ``topology``.

    Raises:
        TopologyError: The exchange is not known, or the topology does not have it.
        ValueError: ``recorded`` is a STRING, and ``partial`` is not set.
    """
    check_frame("routed", routed)
    result = Backtest(max_examples, partial=partial or recorded_queue is not None, topology=topology)
    check_queues(routed, "column", column)
    if not isinstance(recorded_queue, str | None):
        raise unexpected("recorded_queue", "the name of a queue", recorded_queue)
    if recorded_queue is None:
        check_queues(routed, "recorded", recorded, text=True)
    else:
        _check_is_queue(recorded_queue, topology, routed)
    if possible is not None:
        check_queues(routed, "possible", possible)
    columns = message_columns(routed, layout)
    resolved = columns.layout
    given = _given(exchange, topology, routed, columns)
    published = _published(given, topology, columns)
    routed = given.added(routed)
    keys, ids = own_texts(columns, ROUTING_KEY, PUBLISHED_KEYS), texts_at(resolved, [_ID])
    canonical = resolved.name == "amqp" and "properties" in routed.columns
    key = first_text(keys) if keys else "properties.subject" if canonical else "CAST(NULL AS STRING)"
    if has_routing_keys(columns):
        key = f"coalesce(get(routing_keys, 0), {key})"
    label = "CAST(monotonically_increasing_id() AS STRING)"
    if canonical:
        label = _CANONICAL_LABEL
    elif ids:
        label = f"coalesce({first_text(ids)}, {label})"
    queues = _queues(routed, resolved, recorded) if recorded_queue is None else f"array({quote_text(recorded_queue)})"
    if not result.partial and dict(routed.dtypes).get(recorded) == "string":
        raise ValueError(
            f"the column {recorded} is STRING: if the column contains one of several queues, pass partial=True"
        )
    reached = _NO_QUEUES_FOR_NULL.format(quote_name(column))
    if possible is not None:
        others = _NO_QUEUES_FOR_NULL.format(quote_name(possible))
        reached = f"array_union({reached}, array_intersect({queues}, {others}))"
    selected = routed.selectExpr(
        f"{published} AS published",
        f"{label} AS label",
        f"{key} AS routing_key",
        f"{queues} AS recorded",
        f"{reached} AS routed",
    )
    with broadcast_of("the topology of routed" if topology is None else called(topology)):
        _compare(selected, result, topology)
    return result


def _compare(selected: DataFrame, result: Backtest, topology: Topology | None) -> None:
    """Compare the routed and recorded queues of each message in Spark, and add counts and examples to ``result``."""
    compared = _compared(selected, result.partial, ())
    rows = _counted(compared)
    there = {row.queue for row in rows if row.kind == "unknown"} & (topology.queue_names if topology else set())
    if there:
        # The queues ``there`` are in the topology, so they were missed and are not unknown. Count again with this
        # knowledge.
        compared = _compared(selected, result.partial, there)
        rows = _counted(compared)
    for row in rows:
        match row.kind:
            case "missed":
                result.missed[row.exchange, row.queue] = row.messages
            case "extra":
                result.extra[row.exchange, row.queue] = row.messages
            case "unknown":
                result.unknown[row.queue] += row.messages
            case _:
                result.messages[row.exchange] = row.messages
                result.deliveries += row.deliveries
                if row.disagreeing:
                    result.disagreeing[row.exchange] = row.disagreeing
    if result.disagreeing:
        different = compared.filter(f"NOT ({_AGREES})")
        result.examples = [
            Disagreement(row.label, row.exchange, row.routing_key, tuple(sorted(row.missed)), tuple(sorted(row.extra)))
            for row in different.limit(result.max_examples).collect()
        ]


def _check_is_queue(name: str, topology: Topology | None, routed: DataFrame) -> None:
    """Raise ``LayoutError`` if ``name``, given as a queue, is a column of ``routed`` and no queue of ``topology``."""
    if own_field(routed.schema, name, case_sensitive(routed)) is None or (
        topology is not None and name in topology.queue_names
    ):
        return
    column = Setting("recorded", name)
    hint = Hint(
        f"perhaps read each message's queue from the column {name}, and the names of the queues from topology=: "
        "partial=True and ",
        column,
    )
    message = f"recorded_queue must be the name of one queue for all messages, but {name} is a column of the messages"
    raise LayoutError.at("backtest.recorded-queue", message, hint=hint)


def _given(
    exchange: str | Column | None, topology: Topology | None, routed: DataFrame, columns: MessageColumns
) -> GivenExchange:
    """Return the exchange that the option ``exchange`` of ``backtest`` gives, as in ``route``.

    Unless ``topology`` is None, raise ``TopologyError`` for an exchange that it does not have.
    """
    given = given_exchange(exchange, topology or Topology(RABBITMQ), routed, columns)
    if topology is not None:
        check_exchange(given.name, topology)
    return given


def _published(given: GivenExchange, topology: Topology | None, columns: MessageColumns) -> str:
    """Return the SQL of the exchange to which each message was published.

    If ``topology`` is None, the SQL is NULL for messages without an exchange; otherwise it is the default exchange.
    Raise ``TopologyError`` if no exchange is known, and ``LayoutError`` if messages to a JMS broker have no
    destination.
    """
    if topology is not None and topology.rules.addressing.names_destinations:
        check_entries(topology)
        return Sends(topology, columns, Destination(named=given.name, given=given.path)).destination
    if given.name is not None:
        return quote_text(given.name)
    names = [emit_value(value) for value in published_exchanges(columns, given.path)]
    if topology is not None:
        offers = header_hints("exchange", columns.layout, columns.schema.jsonValue())
        names.append(quote_text(topology.default_exchange if names else own_default(topology, offers)))
    if not names:
        raise no_exchange("perhaps pass the same exchange= to backtest as to route, or pass topology=")
    return f"coalesce({', '.join(names)})"


def _compared(selected: DataFrame, partial: bool, there: Collection[str]) -> DataFrame:
    """Add columns with the queues in which routing and record differ: ``missed``, ``extra`` and ``unknown``.

    A queue is missed if it was recorded, but the message was not routed to it. If such a message was published to the
    default exchange, which routes to every queue by its name, the topology probably lacks the queue: then the queue is
    unknown. ``there`` contains queues that the topology has, so they are always missed.
    """
    by_name = f"coalesce(published = {quote_text(DEFAULT_EXCHANGE)}, false)"
    lost = "array_except(recorded, routed)"
    known = f"array({', '.join(map(quote_text, sorted(there)))})" if there else _NO_QUEUES
    own = "false" if partial else by_name
    return selected.selectExpr(
        "*",
        f"coalesce(published, {quote_text(DEFAULT_EXCHANGE)}) AS exchange",
        f"CASE WHEN {own} THEN array_intersect({lost}, {known}) ELSE {lost} END AS missed",
        # If ``partial`` is True, the record may lack queues of a message, so a queue that is not recorded does not
        # count as extra.
        f"array_except({'recorded' if partial else 'routed'}, recorded) AS extra",
        f"CASE WHEN {own} THEN array_except({lost}, {known}) ELSE {_NO_QUEUES} END AS unknown",
    )


def _counted(compared: DataFrame) -> list[Row]:
    """Count the messages by exchange, and their missed, extra and unknown queues by queue, in one pass."""
    # Each message yields one struct to count the message, and one struct for each queue in which routing and record
    # differ.
    counted = "struct('{}' AS kind, exchange, {} AS queue, {} AS deliveries, {} AS disagrees)"
    counts = ["array(" + counted.format("message", "''", "size(recorded)", f"NOT ({_AGREES})") + ")"]
    counts += [
        f"transform(filter({kind}, q -> q IS NOT NULL), q -> {counted.format(kind, 'q', '0', 'false')})"
        for kind in ("missed", "extra", "unknown")
    ]
    # ``explode_outer``, because with ``explode`` Spark would route each message twice: see ``deliveries``.
    rows = (
        compared.selectExpr(f"explode_outer(concat({', '.join(counts)})) AS row")
        .groupBy("row.kind", "row.exchange", "row.queue")
        .agg(
            sf.count("*").alias("messages"),
            sf.sum("row.deliveries").alias("deliveries"),
            sf.count_if("row.disagrees").alias("disagreeing"),
        )
    )
    return sorted(rows.collect())


def _queues(routed: DataFrame, layout: Layout, column: str) -> str:
    """Return the SQL for an array of the recorded queues in ``column``, which is an array or the name of one queue."""
    name = quote_name(column)
    if dict(routed.dtypes).get(column) != "string":
        return f"array_distinct({_NO_QUEUES_FOR_NULL.format(name)})"
    if layout.name == _WITH_VHOST:
        # The keys of "rmqMessagesByQueue" have the form queue::vhost.
        name = f"regexp_extract({name}, '(?s)^(.*?)(::[^:]*)?(?!.)', 1)"
    return f"array_compact(array({name}))"
