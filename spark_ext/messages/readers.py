"""Readers of the files that brokers and their tools write, as DataFrames whose schemas keep the type of each value.

Without a schema, Spark would infer STRING for a header that is a number in one message and a text in the next, and
strip the blanks of a property in XML; each reader sets the schema and the options. Spark's own readers read the files
on the executors; paths are files, directories, patterns and URIs, as these readers accept them. An invalid record ends
the query with an error that names the file.
"""

from __future__ import annotations

from typing import Literal

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext.messages.message_lines import CONTENT, NO_MESSAGE, PROBLEM, parse_lines
from spark_ext.messages.schemas import MESSAGE_SCHEMA
from transpiler.base.arguments import check_choice
from transpiler.compiler.sql import quote_text

#: Schema of an entry of RabbitMQ's tracing log in JSON: ``rabbit_tracing_consumer.erl``.
TRACE_SCHEMA = (
    "timestamp STRING, type STRING, node STRING, connection STRING, vhost STRING, user STRING, channel INT, "
    "exchange STRING, queue STRING, routed_queues VARIANT, routing_keys ARRAY<STRING>, properties VARIANT, "
    "payload STRING"
)

#: Schema of a message in an answer of RabbitMQ's management API: ``rabbit_mgmt_wm_queue_get.erl``.
GET_SCHEMA = (
    "payload_bytes BIGINT, redelivered BOOLEAN, exchange STRING, routing_key STRING, message_count BIGINT, "
    "properties VARIANT, payload STRING, payload_encoding STRING"
)

#: Schema of a message in the output of ``artemis data exp``: ``XmlDataConstants.java``.
ARTEMIS_SCHEMA = (
    "_id BIGINT, _priority INT, _expiration BIGINT, _timestamp BIGINT, _type STRING, `_user-id` STRING, "
    "properties STRUCT<property: ARRAY<STRUCT<_name: STRING, _type: STRING, _value: STRING>>>, "
    "queues STRUCT<queue: ARRAY<STRUCT<_name: STRING>>>, body STRING"
)

#: Fields of a message in the events that AWS Lambda receives from Amazon MQ: of ActiveMQ, and below of RabbitMQ.
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

#: For each broker, the member of an event that contains the messages, and its type.
_EVENTS: dict[Broker, tuple[str, str]] = {
    "activemq": ("messages", f"ARRAY<STRUCT<{_ACTIVEMQ_MESSAGE}>>"),
    "rabbitmq": ("rmqMessagesByQueue", f"MAP<STRING, ARRAY<STRUCT<{_RABBITMQ_MESSAGE}>>>"),
}


def read_rabbitmq_trace(spark: SparkSession, *paths: str) -> DataFrame:
    """Read RabbitMQ's tracing log in JSON: one row for each entry, a publication or a delivery by its column ``type``.

    ``properties`` is a VARIANT, in which each header has its own type. ``routed_queues`` is a VARIANT, because it is an
    array or the text "none". ``trace_messages`` converts the lines of the same files to canonical messages.

    Args:
        spark: The session.
        paths: Files, folders or patterns, as Spark's readers take them.
    """
    return _json(spark, TRACE_SCHEMA, paths)


def read_rabbitmq_get(spark: SparkSession, *paths: str) -> DataFrame:
    """Read answers of ``POST /api/queues/<vhost>/<queue>/get`` of RabbitMQ's management API, a JSON array in each file.

    ``properties`` is a VARIANT: an object, or an empty array if the message has no properties.

    Args:
        spark: The session.
        paths: Files, folders or patterns, as Spark's readers take them.
    """
    return _json(spark, GET_SCHEMA, paths, multi_line=True)


def read_artemis_export(spark: SparkSession, *paths: str) -> DataFrame:
    """Read the messages of the XML that ``artemis data exp`` and ``artemis consumer --data`` write.

    The names of attributes begin with an underscore, and each property has a type and a text. ``body`` is base64.
    ``routed_queues`` has the queues that still contain the message, for ``backtest(…, partial=True)``; queues from
    which the message has been consumed are missing. The export does not contain the address.

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
    """Read the events that AWS Lambda receives from Amazon MQ: one row for each message.

    The columns of ActiveMQ's messages are the members of ``messages[]``. Those of RabbitMQ's messages are ``queue``,
    the key in ``rmqMessagesByQueue``, and the members of the messages under that key.

    Args:
        spark: The session.
        paths: Files, folders or patterns, as Spark's readers take them.
        broker: ``"activemq"`` or ``"rabbitmq"``; None for the broker of the first event, which a Spark job reads.
        multi_line: Whether each file is one event; otherwise each line is an event.

    Raises:
        ValueError: The first event is neither of ActiveMQ nor of RabbitMQ.
    """
    schema = ", ".join(f"{member} {kind}" for member, kind in _EVENTS.values())
    if broker is None:
        kinds = ", ".join(f"{member} VARIANT" for member, _ in _EVENTS.values())
        first = _json(spark, f"eventSource STRING, {kinds}", paths, multi_line).first()
        broker = next((name for name, (member, _) in _EVENTS.items() if first is not None and first[member]), None)
        if broker is None:
            members = " nor ".join(member for member, _ in _EVENTS.values())
            raise ValueError(
                f"{', '.join(paths)}: the first event has neither {members}: it is not an event of Amazon MQ"
            )
    check_choice("broker", broker, _EVENTS)
    member, _ = _EVENTS[broker]
    events = _json(spark, schema, paths, multi_line).select(member, "_metadata.file_path")
    error = (
        "raise_error(concat(file_path, "
        f"{quote_text(f': an event has no {member}, so it is not an event of {broker}')}))"
    )
    if broker == "activemq":
        return events.selectExpr(f"inline(coalesce({member}, {error}))")
    queues = events.selectExpr(f"explode(coalesce({member}, {error})) AS (queue, messages)")
    return queues.selectExpr("queue", "inline(messages)")


def read_messages(spark: SparkSession, *paths: str) -> DataFrame:
    """Read message JSON lines into ``MESSAGE_SCHEMA`` on the executors, with the results of ``create_messages``.

    A line that is not a message ends the query with an error that contains the file and the text; so does a line with
    the content of a list or a map, which only ``create_messages`` can encode for AMQP. Two rules are stricter than in
    Python: NaN must be written ``{"type": "double", "value": "NaN"}``, and an object must not repeat a name.

    Args:
        spark: The session.
        paths: Files, folders or patterns, as Spark's readers take them.
    """
    lines = spark.read.text(list(paths)).select("value", "_metadata.file_path", sf.col("value").alias("line"))
    messages = parse_lines(lines)
    why = {
        NO_MESSAGE: "this line is not a message in JSON",
        CONTENT: "this line has the content of a list or map, which create_messages reads and Spark cannot",
    }
    cases = " ".join(f"WHEN {quote_text(problem)} THEN {quote_text(text)}" for problem, text in why.items())
    error = f"raise_error(concat(file_path, ': ', CASE {PROBLEM} {cases} END, ': ', left(line, 200)))"
    # The error is raised inside ``explode``, because Spark's optimizer never moves a condition of the query before
    # ``explode``. A condition that is evaluated earlier could drop the bad row, and so hide the error.
    sections = ", ".join(MESSAGE_SCHEMA.names)
    checked = f"explode(array(CASE WHEN {PROBLEM} IS NULL THEN struct({sections}) ELSE {error} END)) AS message"
    return messages.selectExpr(checked).select("message.*")


def _json(spark: SparkSession, schema: str, paths: tuple[str, ...], multi_line: bool = False) -> DataFrame:
    reader = spark.read.schema(schema).option("mode", "FAILFAST").option("multiLine", multi_line)
    return reader.json(list(paths))
