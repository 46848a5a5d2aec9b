"""Count in Spark how far the answers of ``route`` agree with those that a broker recorded."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.messages.schemas import SchemaLike, check_frame, infer_layout, message_columns
from spark_ext.routing.new_columns import check_queues
from spark_ext.routing.publication import first_text, has_routing_keys, own_texts, published_exchanges, texts_at
from transpiler import Layout
from transpiler.base.arguments import unexpected
from transpiler.compiler.sql import emit_value, quote_name, quote_text
from transpiler.message.header_fields import ROUTING_KEYS, MessageField
from transpiler.message.publication import ROUTING_KEY
from transpiler.tools.backtest import Backtest, Disagreement
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.records import DEFAULT_EXCHANGE

_ID = MessageField("properties", "message_id")
_CANONICAL_ID = "properties.message_id"
_CANONICAL_LABEL = (
    f"coalesce({_CANONICAL_ID}.string, CAST({_CANONICAL_ID}.long AS STRING), hex({_CANONICAL_ID}.binary), '')"
)

_NO_QUEUES_FOR_NULL = "coalesce({}, CAST(array() AS ARRAY<STRING>))"

#: The layout whose queues have their virtual hosts behind them.
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
) -> Backtest:
    """Count the agreement of the queues in ``column`` with those in ``recorded``, by exchange and by queue.

    ``recorded`` has all queues that a message went to, an ARRAY<STRING>. With ``partial`` it has only some, or is a
    STRING with the one that the message was read from, as the column ``queue`` of Lambda events and of deliveries in a
    tracing log. ``recorded_queue`` names that one where no column does, as for answers of RabbitMQ's management API.
    Queues are ``missed`` and never ``extra`` then: the message may have gone to others. A NULL counts as no queues.
    ``possible`` names the column of ``route(…, possible_column=…)``: a recorded queue that is in it is not missed.
    With a ``topology`` the report begins with the recorded queues and exchanges that it does not have.
    ``ValueError`` for a STRING without ``partial``.

    ``routed`` has its exchanges in a column ``exchange``, or in the field of the ``layout``, by default the one that
    its schema shows, and its routing keys likewise. The message id labels the examples.
    """
    check_frame("routed", routed)
    if topology is not None:
        check_topology(topology)
    if not isinstance(max_examples, int) or max_examples < 0:
        raise unexpected("max_examples", "a number of examples", max_examples)
    check_queues(routed, "column", column)
    if recorded_queue is None:
        check_queues(routed, "recorded", recorded, text=True)
    if possible is not None:
        check_queues(routed, "possible", possible)
    resolved = infer_layout(routed) if layout is None else message_columns(routed, layout).layout
    exchanges = [emit_value(value) for value in published_exchanges(routed.schema, resolved)]
    keys, ids = own_texts(routed.schema, ROUTING_KEY, resolved, ROUTING_KEYS), texts_at(resolved, [_ID])
    canonical = resolved.name == "amqp" and "properties" in routed.columns
    key = first_text(keys) if keys else "properties.subject" if canonical else "CAST(NULL AS STRING)"
    if has_routing_keys(routed.schema):
        key = f"coalesce(get(routing_keys, 0), {key})"
    label = "CAST(monotonically_increasing_id() AS STRING)"
    if canonical:
        label = _CANONICAL_LABEL
    elif ids:
        label = f"coalesce({first_text(ids)}, {label})"
    partial = partial or recorded_queue is not None
    queues = _queues(routed, resolved, recorded) if recorded_queue is None else f"array({quote_text(recorded_queue)})"
    if not partial and dict(routed.dtypes).get(recorded) == "string":
        raise ValueError(f"the column {recorded} is STRING: if it has one of the queues, give partial=True")
    reached = _NO_QUEUES_FOR_NULL.format(quote_name(column))
    if possible is not None:
        others = _NO_QUEUES_FOR_NULL.format(quote_name(possible))
        reached = f"array_union({reached}, array_intersect({queues}, {others}))"
    # The default exchange routes by name, so what it does not reach is not there.
    own = "false" if partial else f"exchange = {quote_text(DEFAULT_EXCHANGE)}"
    compared = routed.selectExpr(
        f"coalesce({', '.join([*exchanges, quote_text('')])}) AS exchange",
        f"{label} AS label",
        f"{key} AS routing_key",
        f"{queues} AS recorded",
        f"{reached} AS routed",
    ).selectExpr(
        "*",
        f"CASE WHEN {own} THEN array() ELSE array_except(recorded, routed) END AS missed",
        # A message that was read from one queue may have gone to others.
        f"array_except({'recorded' if partial else 'routed'}, recorded) AS extra",
        f"CASE WHEN {own} THEN array_except(recorded, routed) ELSE array() END AS unknown",
    )
    result = Backtest(max_examples, partial=partial, topology=topology)
    agrees = "size(missed) = 0 AND size(extra) = 0"
    # One pass over the messages: each is a row, and so is each of its queues in which the two differ.
    counted = "struct('{}' AS kind, exchange, {} AS queue, {} AS deliveries, {} AS disagrees)"
    counts = ["array(" + counted.format("message", "''", "size(recorded)", f"NOT ({agrees})") + ")"]
    counts += [
        f"transform(filter({kind}, q -> q IS NOT NULL), q -> {counted.format(kind, 'q', '0', 'false')})"
        for kind in ("missed", "extra", "unknown")
    ]
    # Not a plain explode, which would route each message twice: see deliveries.
    rows = (
        compared.selectExpr(f"explode_outer(concat({', '.join(counts)})) AS row")
        .groupBy("row.kind", "row.exchange", "row.queue")
        .agg(
            sf.count("*").alias("messages"),
            sf.sum("row.deliveries").alias("deliveries"),
            sf.count_if("row.disagrees").alias("disagreeing"),
        )
    )
    for row in sorted(rows.collect()):
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
        different = compared.filter(f"NOT ({agrees})")
        result.examples = [
            Disagreement(row.label, row.exchange, row.routing_key, tuple(sorted(row.missed)), tuple(sorted(row.extra)))
            for row in different.limit(max_examples).collect()
        ]
    return result


def _queues(routed: DataFrame, layout: Layout, column: str) -> str:
    """Return the SQL of the recorded queues: those of an array, or the one of a text."""
    name = quote_name(column)
    if dict(routed.dtypes).get(column) != "string":
        return f"array_distinct({_NO_QUEUES_FOR_NULL.format(name)})"
    if layout.name == _WITH_VHOST:
        # "rmqMessagesByQueue" has the keys queue::vhost.
        name = f"regexp_extract({name}, '(?s)^(.*?)(::[^:]*)?(?!.)', 1)"
    return f"array_compact(array({name}))"
