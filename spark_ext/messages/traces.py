"""Conversion of RabbitMQ's tracing log to canonical messages in SQL: the layout ``rabbitmq-trace``.

A header may be a string in one line and a number in the next, so lines are read as VARIANT, which keeps the type of
each value. ``message.rabbitmq_trace`` documents the conversion of each property.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.messages.generated_methods import codegen_barrier
from spark_ext.messages.message_values import NO_VALUE, extract, quoted, union
from spark_ext.messages.schemas import MESSAGE_SCHEMA

#: SQL for the header value ``h.value``, a VARIANT of the type ``h.kind``, as a tagged union ``V``.
_VALUE = union(
    "CASE h.kind WHEN 'VOID' THEN 'null' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'BIGINT' THEN 'long' "
    "WHEN 'STRING' THEN 'string' WHEN 'OBJECT' THEN 'map' WHEN 'ARRAY' THEN 'list' ELSE 'double' END",
    {
        "boolean": f"CASE WHEN h.kind = 'BOOLEAN' THEN {extract('h.value', 'boolean')} END",
        "long": f"CASE WHEN h.kind = 'BIGINT' THEN {extract('h.value', 'bigint')} END",
        "double": "CASE WHEN h.kind NOT IN ('VOID', 'BOOLEAN', 'BIGINT', 'STRING', 'OBJECT', 'ARRAY') "
        f"THEN {extract('h.value', 'double')} END",
        "string": f"CASE WHEN h.kind = 'STRING' THEN {extract('h.value', 'string')} END",
        "binary": "CASE WHEN h.kind IN ('OBJECT', 'ARRAY') THEN X'' END",
    },
)


def _text(name: str) -> str:
    return f"try_variant_get(entry, '$.properties.{name}', 'string')"


def _string(text: str) -> str:
    """Return SQL for the string ``text`` as a tagged union ``V``; NULL if ``text`` is NULL."""
    return f"CASE WHEN {text} IS NOT NULL THEN {union(quoted('string'), {'string': text})} END"


_TTL = f"try_cast({_text('expiration')} AS BIGINT)"
_SECONDS = "try_variant_get(entry, '$.properties.timestamp', 'bigint')"
_HEADERS = "try_variant_get(entry, '$.properties.headers', 'map<string, variant>')"
#: SQL for the headers, each with the name of its VARIANT type without parameters: ``OBJECT<…>`` becomes ``OBJECT``.
_KINDS = (
    f"transform(map_entries({_HEADERS}), h -> named_struct('key', h.key, 'value', h.value, "
    "'kind', substring_index(schema_of_variant(h.value), '<', 1)))"
)

_COLUMNS = {
    "header": (
        "named_struct('durable', coalesce(try_variant_get(entry, '$.properties.delivery_mode', 'bigint') = 2, false), "
        f"'priority', try_variant_get(entry, '$.properties.priority', 'smallint'), 'ttl', {_TTL}, "
        "'first_acquirer', CAST(NULL AS BOOLEAN), 'delivery_count', CAST(NULL AS BIGINT))"
    ),
    "message_annotations": f"CASE WHEN {_text('type')} IS NOT NULL "
    f"THEN map('x-opt-jms-type', {_string(_text('type'))}) END",
    "properties": (
        f"named_struct('message_id', {_string(_text('message_id'))}, 'user_id', CAST({_text('user_id')} AS BINARY), "
        f"'to', concat('/exchanges/', exchange), 'subject', {_text('type')}, "
        f"'reply_to', {_text('reply_to')}, 'correlation_id', {_string(_text('correlation_id'))}, "
        f"'content_type', {_text('content_type')}, 'content_encoding', {_text('content_encoding')}, "
        f"'absolute_expiry_time', timestamp_millis({_SECONDS} * 1000 + {_TTL}), "
        f"'creation_time', timestamp_millis({_SECONDS} * 1000), 'group_id', CAST(NULL AS STRING), "
        "'group_sequence', CAST(NULL AS BIGINT), 'reply_to_group_id', CAST(NULL AS STRING))"
    ),
    # Without ``codegen_barrier``, Spark would generate one method for this and the following code, too long for the
    # JIT.
    "application_properties": "map_from_entries("
    + codegen_barrier(f"transform({_KINDS}, h -> named_struct('key', h.key, 'value', {_VALUE}))")
    + ")",
    "body": (
        "CASE WHEN try_variant_get(entry, '$.payload', 'string') IS NOT NULL THEN named_struct('section', 'data', "
        f"'data', unbase64(try_variant_get(entry, '$.payload', 'string')), 'value', {NO_VALUE}) END"
    ),
}


def trace_messages(lines: DataFrame) -> DataFrame:
    """Return the publications in the lines of a tracing log. Deliveries to consumers are left out.

    The columns are the sections of ``MESSAGE_SCHEMA``, ``exchange``, ``routing_keys`` (used by ``route``),
    ``routed_queues`` (the queues that the broker recorded), and ``vhost`` (the virtual host of the exchange). The
    subject is the basic property ``type``, from which JMSType is read. ``exchange`` is NULL for a line that is not an
    entry of a log.

    Args:
        lines: A table or a stream with a column ``value``, as ``spark.read.text`` returns it.
    """
    entries = lines.filter("trim(value) <> ''").selectExpr("try_parse_json(value) AS entry")
    published = entries.filter("NOT coalesce(try_variant_get(entry, '$.type', 'string') = 'received', false)")
    named = published.selectExpr(
        "entry",
        "try_variant_get(entry, '$.exchange', 'string') AS exchange",
        "try_variant_get(entry, '$.routing_keys', 'array<string>') AS routing_keys",
        "coalesce(try_variant_get(entry, '$.routed_queues', 'array<string>'), "
        "CASE WHEN try_variant_get(entry, '$.routed_queues', 'string') = 'none' THEN array() END) AS routed_queues",
        "try_variant_get(entry, '$.vhost', 'string') AS vhost",
    )
    sections = [
        sf.expr(_COLUMNS[field.name]).cast(field.dataType).alias(field.name)
        if field.name in _COLUMNS
        else sf.lit(None).cast(field.dataType).alias(field.name)
        for field in MESSAGE_SCHEMA.fields
    ]
    return named.select(*sections, "exchange", "routing_keys", "routed_queues", "vhost")
