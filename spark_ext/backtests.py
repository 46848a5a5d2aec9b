"""Count in Spark how far the answers of ``route`` agree with those that a broker recorded."""

from __future__ import annotations

from collections import Counter

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.routing.routing_keys import first_text, published_exchanges, texts_at
from spark_ext.schemas import infer_layout
from transpiler.message.fields import ROUTING_KEYS
from transpiler.sql import emit_value, quote_name, quote_text
from transpiler.topology.backtest import Backtest, Disagreement
from transpiler.topology.model import DEFAULT_EXCHANGE

_ID = "properties.message_id"
_LABEL = f"coalesce({_ID}.string, CAST({_ID}.long AS STRING), hex({_ID}.binary), '')"


def backtest(
    routed: DataFrame, *, recorded: str = "routed_queues", column: str = "queues", max_examples: int = 10
) -> Backtest:
    """Count the agreement of the queues in ``column`` with those in ``recorded``, by exchange and by queue.

    ``routed`` has its exchanges in a column ``exchange``, or in the field of the layout that is inferred from its
    schema, and its routing keys likewise. The message id labels the examples, where there are ``properties`` of the
    canonical schema. A NULL in ``recorded`` counts as no queues.
    """
    layout = infer_layout(routed)
    exchanges = [emit_value(value) for value in published_exchanges(routed.columns, layout)]
    keys = texts_at(layout, ROUTING_KEYS)
    canonical = "properties" in routed.columns
    key = first_text(keys) if keys else "properties.subject" if canonical else "CAST(NULL AS STRING)"
    if "routing_keys" in routed.columns:
        key = f"coalesce(get(routing_keys, 0), {key})"
    compared = routed.selectExpr(
        f"coalesce({', '.join([*exchanges, quote_text('')])}) AS exchange",
        f"{_LABEL if canonical else 'CAST(monotonically_increasing_id() AS STRING)'} AS label",
        f"{key} AS routing_key",
        f"array_distinct(coalesce({quote_name(recorded)}, CAST(array() AS ARRAY<STRING>))) AS recorded",
        f"{quote_name(column)} AS routed",
    ).selectExpr(
        "*",
        f"CASE WHEN exchange <> {quote_text(DEFAULT_EXCHANGE)} THEN array_except(recorded, routed) ELSE array() END "
        "AS missed",
        "array_except(routed, recorded) AS extra",
        f"CASE WHEN exchange = {quote_text(DEFAULT_EXCHANGE)} THEN array_except(recorded, routed) ELSE array() END "
        "AS unknown",
    )
    result = Backtest(max_examples)
    agrees = "size(missed) = 0 AND size(extra) = 0"
    counted = compared.groupBy("exchange").agg(
        sf.count("*").alias("messages"),
        sf.expr(f"count(CASE WHEN NOT ({agrees}) THEN 1 END)").alias("disagreeing"),
        sf.sum(sf.size("recorded")).alias("deliveries"),
    )
    for row in counted.collect():
        result.messages[row.exchange] = row.messages
        result.deliveries += row.deliveries
        if row.disagreeing:
            result.disagreeing[row.exchange] = row.disagreeing
    unknown = compared.select(sf.explode("unknown").alias("queue")).groupBy("queue").count().collect()
    result.unknown = Counter({row.queue: row["count"] for row in unknown})
    if result.disagreeing:
        different = compared.filter(f"NOT ({agrees})")
        result.missed = _counts(different, "missed")
        result.extra = _counts(different, "extra")
        result.examples = [
            Disagreement(row.label, row.exchange, row.routing_key, tuple(sorted(row.missed)), tuple(sorted(row.extra)))
            for row in different.limit(max_examples).collect()
        ]
    return result


def _counts(different: DataFrame, column: str) -> Counter[tuple[str, str]]:
    exploded = different.select("exchange", sf.explode_outer(column).alias("queue")).filter("queue IS NOT NULL")
    rows = exploded.groupBy("exchange", "queue").count().collect()
    return Counter({(row.exchange, row.queue): row["count"] for row in rows})
