"""DataFrames from the files that brokers and their tools write, with schemas that keep the type of each value.

Spark would infer a text from a header that is a number in one message and a text in the next, and strip the blanks of a
property in XML; each reader gives it the schema and the options. Everything is read by Spark's own readers on the
executors, and paths are files, directories, patterns and URIs as these take them. A record that is no record of its
kind ends the query with an error that names its file, when it is read.
"""

from __future__ import annotations

from typing import Literal

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext.messages.message_lines import CONTENT, NO_MESSAGE, PROBLEM, parse_lines
from spark_ext.messages.schemas import MESSAGE_SCHEMA
from transpiler.base.arguments import check_choice
from transpiler.compiler.sql import quote_text

#: An entry of RabbitMQ's tracing log in JSON: ``rabbit_tracing_consumer.erl``.
TRACE_SCHEMA = (
    "timestamp STRING, type STRING, node STRING, connection STRING, vhost STRING, user STRING, channel INT, "
    "exchange STRING, queue STRING, routed_queues VARIANT, routing_keys ARRAY<STRING>, properties VARIANT, "
    "payload STRING"
)

#: A message in an answer of RabbitMQ's management API: ``rabbit_mgmt_wm_queue_get.erl``.
GET_SCHEMA = (
    "payload_bytes BIGINT, redelivered BOOLEAN, exchange STRING, routing_key STRING, message_count BIGINT, "
    "properties VARIANT, payload STRING, payload_encoding STRING"
)

#: A message of ``artemis data exp``: ``XmlDataConstants.java``.
ARTEMIS_SCHEMA = (
    "_id BIGINT, _priority INT, _expiration BIGINT, _timestamp BIGINT, _type STRING, `_user-id` STRING, "
    "properties STRUCT<property: ARRAY<STRUCT<_name: STRING, _type: STRING, _value: STRING>>>, "
    "queues STRUCT<queue: ARRAY<STRUCT<_name: STRING>>>, body STRING"
)

#: A message in the event that AWS Lambda gets from Amazon MQ, by the broker.
_ACTIVEMQ_MESSAGE = (
    "messageID: STRING, messageType: STRING, timestamp: BIGINT, deliveryMode: INT, correlationID: STRING, "
    "replyTo: STRING, destination: STRUCT<physicalName: STRING>, redelivered: BOOLEAN, type: STRING, "
    "expiration: BIGINT, priority: INT, data: STRING, brokerInTime: BIGINT, brokerOutTime: BIGINT, "
    "properties: MAP<STRING, STRING>"
)
_RABBITMQ_MESSAGE = (
    "basicProperties: STRUCT<contentType: STRING, contentEncoding: STRING, headers: VARIANT, deliveryMode: INT, "
    "priority: INT, correlationId: STRING, replyTo: STRING, expiration: STRING, messageId: STRING, timestamp: STRING, "
    "type: STRING, userId: STRING, appId: STRING, clusterId: STRING, bodySize: BIGINT>, "
    "redelivered: BOOLEAN, data: STRING"
)

Broker = Literal["activemq", "rabbitmq"]

#: The member of an event that holds its messages, and its type.
_EVENTS: dict[Broker, tuple[str, str]] = {
    "activemq": ("messages", f"ARRAY<STRUCT<{_ACTIVEMQ_MESSAGE}>>"),
    "rabbitmq": ("rmqMessagesByQueue", f"MAP<STRING, ARRAY<STRUCT<{_RABBITMQ_MESSAGE}>>>"),
}


def read_rabbitmq_trace(spark: SparkSession, *paths: str) -> DataFrame:
    """Read RabbitMQ's tracing log in JSON: one row an entry, published messages and deliveries, by the column ``type``.

    ``properties`` is a VARIANT, whose headers have each their own type; ``routed_queues`` is a VARIANT too, for it is
    an array or the text "none". ``trace_messages`` makes canonical messages of the lines of the same files.

    Args:
        spark: The session.
        paths: Files, folders or patterns, as Spark's readers take them.
    """
    return _json(spark, TRACE_SCHEMA, paths)


def read_rabbitmq_get(spark: SparkSession, *paths: str) -> DataFrame:
    """Read answers of ``POST /api/queues/<vhost>/<queue>/get`` of RabbitMQ's management API: a JSON array a file.

    ``properties`` is a VARIANT: an object, or an empty array where a message has none.

    Args:
        spark: The session.
        paths: Files, folders or patterns, as Spark's readers take them.
    """
    return _json(spark, GET_SCHEMA, paths, multi_line=True)


def read_artemis_export(spark: SparkSession, *paths: str) -> DataFrame:
    """Read the messages of the XML that ``artemis data exp`` and ``artemis consumer --data`` write.

    Attributes begin with an underscore, and each property has its type beside its text. ``body`` is base64.
    ``routed_queues`` has the queues that the message is in, for ``backtest(…, partial=True)``: those where somebody
    has read it are gone. The address is not in the export.

    Args:
        spark: The session.
        paths: Files, folders or patterns, as Spark's readers take them.
    """
    reader = spark.read.schema(ARTEMIS_SCHEMA).format("xml").option("rowTag", "message").option("mode", "FAILFAST")
    messages = reader.option("ignoreSurroundingSpaces", False).load(list(paths))
    return messages.withColumn("routed_queues", sf.col("queues.queue._name"))


def read_lambda_events(
    spark: SparkSession, *paths: str, broker: Broker | None = None, multi_line: bool = False
) -> DataFrame:
    """Read the events that AWS Lambda gets from Amazon MQ: one row a message.

    Messages of ActiveMQ have the columns of ``messages[]``, those of RabbitMQ ``queue``, the key of
    ``rmqMessagesByQueue``, and the members of its messages.

    Args:
        spark: The session.
        paths: Files, folders or patterns, as Spark's readers take them.
        broker: ``"activemq"`` or ``"rabbitmq"``; None for the broker of the first event, which is read for that.
        multi_line: Whether a file is one event; else it has an event a line.

    Raises:
        ValueError: The first event is of neither kind.
    """
    schema = ", ".join(f"{member} {kind}" for member, kind in _EVENTS.values())
    if broker is None:
        kinds = ", ".join(f"{member} VARIANT" for member, _ in _EVENTS.values())
        first = _json(spark, f"eventSource STRING, {kinds}", paths, multi_line).first()
        broker = next((name for name, (member, _) in _EVENTS.items() if first is not None and first[member]), None)
        if broker is None:
            members = " nor ".join(member for member, _ in _EVENTS.values())
            raise ValueError(f"{', '.join(paths)}: the first event has neither {members}: it is none of Amazon MQ")
    check_choice("broker", broker, _EVENTS)
    member, _ = _EVENTS[broker]
    events = _json(spark, schema, paths, multi_line).select(member, "_metadata.file_path")
    error = f"raise_error(concat(file_path, {quote_text(f': an event has no {member}, and is none of {broker}')}))"
    if broker == "activemq":
        return events.selectExpr(f"inline(coalesce({member}, {error}))")
    queues = events.selectExpr(f"explode(coalesce({member}, {error})) AS (queue, messages)")
    return queues.selectExpr("queue", "inline(messages)")


def read_messages(spark: SparkSession, *paths: str) -> DataFrame:
    """Read message JSON lines into ``MESSAGE_SCHEMA``: what ``create_messages`` makes of them, on the executors.

    A line that is no message ends the query with an error that has its file and its text; so does a line with the
    content of a list or a map, whose AMQP encoding ``create_messages`` makes and Spark cannot. Two things are stricter
    than in Python: NaN is written ``{"type": "double", "value": "NaN"}``, and an object has each name once.

    Args:
        spark: The session.
        paths: Files, folders or patterns, as Spark's readers take them.
    """
    lines = spark.read.text(list(paths)).select("value", "_metadata.file_path", sf.col("value").alias("line"))
    messages = parse_lines(lines)
    why = {
        NO_MESSAGE: "this line is no message in JSON",
        CONTENT: "this line has the content of a list or map, which create_messages reads and Spark cannot",
    }
    cases = " ".join(f"WHEN {quote_text(problem)} THEN {quote_text(text)}" for problem, text in why.items())
    error = f"raise_error(concat(file_path, ': ', CASE {PROBLEM} {cases} END, ': ', left(line, 200)))"
    # The optimizer moves no condition of a query in front of a generator, where the condition would hide the error.
    sections = ", ".join(MESSAGE_SCHEMA.names)
    checked = f"explode(array(CASE WHEN {PROBLEM} IS NULL THEN struct({sections}) ELSE {error} END)) AS message"
    return messages.selectExpr(checked).select("message.*")


def _json(spark: SparkSession, schema: str, paths: tuple[str, ...], multi_line: bool = False) -> DataFrame:
    reader = spark.read.schema(schema).option("mode", "FAILFAST").option("multiLine", multi_line)
    return reader.json(list(paths))
