"""Stores: layouts of messages as producers keep them, one function for each.

Each function returns a ``Layout``, and is a preset by its name with hyphens (``layout="confluent-jms"``). ``headers``
gives header fields columns or keys of their own: ``{"JMSType": "order_type", "JMSTimestamp": stores.time("ts",
unit="s")}``. Without it a header field comes from the field that the store documents, else from the property of its
very name, else it has JMS's default.

``types``, where a store has text only: ``string`` (a text is never a number) · ``by-use`` (a text that is a whole
number of JMS is that number where the selector compares it with numbers, TRUE and FALSE likewise) · ``parsed`` (Kafka
Connect's ``Values.parseString``) · ``json`` (each value is JSON text) · a mapping such as ``{"weight": "DOUBLE", "*":
"by-use"}``, by ``try_cast``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from types import MappingProxyType
from typing import Any, Literal

from transpiler.errors import LayoutError
from transpiler.ir.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    STRING,
    TIMESTAMP,
    ColumnType,
    Path,
    SparkType,
)
from transpiler.layouts.columns import read_type
from transpiler.layouts.flat import flat_layout
from transpiler.layouts.header_options import (
    Columns,
    HeaderOption,
    Headers,
    header_columns,
    header_places,
    time_option,
)
from transpiler.layouts.header_places import (
    Base64Text,
    ColumnPlace,
    ConstantPlace,
    Flag,
    HeaderPlace,
    Integer,
    Mode,
    PropertyPlace,
    Reading,
    Text,
    Time,
    TimeUnit,
    VariantPlace,
)
from transpiler.layouts.property_sources import (
    PropertySource,
    StructFields,
    TaggedTexts,
    TextProperties,
    TypedPlaces,
    VariantObject,
)
from transpiler.layouts.store import READINGS, StoreLayout
from transpiler.layouts.text_types import TextTypes, Types, text_types
from transpiler.message.types import AmqpType

#: A schema in Spark's JSON form, ``StructType.jsonValue()``.
Schema = Mapping[str, Any]

INT = ColumnType(SparkType.INT)
VARIANT = ColumnType(SparkType.VARIANT)


_NONE: Headers = MappingProxyType({})


def time(name: str, unit: str = "ms", zone: str = "UTC") -> HeaderOption:
    """A time in a column or at a key: a number of ``ms`` or ``s`` since the epoch, or a text by a pattern of Java's.

    ``zone`` is the time zone of a text that has none. A TIMESTAMP is itself, whatever the unit.
    """
    return time_option(name, unit, zone)


def mode(name: str) -> HeaderOption:
    """A delivery mode in a column or at a key: 1 or 2, ``PERSISTENT`` or ``NON_PERSISTENT``, or True for durable."""
    return HeaderOption(name, Mode())


def number(name: str) -> HeaderOption:
    """An integer in a column or at a key, or the text of one."""
    return HeaderOption(name, Integer())


def _store(
    name: str,
    source: PropertySource,
    own: Mapping[str, HeaderPlace],
    headers: Headers,
    columns: Columns | None,
) -> StoreLayout:
    """A store with the fields that it documents, and those that the user puts elsewhere."""
    layout = StoreLayout(name, source, MappingProxyType(dict(own)))
    return layout.with_headers(header_places(headers, columns, source)) if headers else layout


def _column(name: str, path: str | Path, column_type: ColumnType, reading: Reading | None = None) -> HeaderPlace:
    place = ColumnPlace((path,) if isinstance(path, str) else path, column_type)
    return HeaderPlace(place, reading or READINGS[name])


def _columns(schema: Schema) -> dict[str, ColumnType]:
    """The columns of a schema by their names, and fields of structs by their dotted ones."""
    columns: dict[str, ColumnType] = {}

    def visit(fields: list[Mapping[str, Any]], prefix: str) -> None:
        for field in fields:
            column_type = read_type(field["type"])
            if column_type is not None:
                columns[prefix + field["name"]] = column_type
            elif isinstance(field["type"], Mapping) and field["type"].get("type") == "struct":
                visit(field["type"]["fields"], f"{prefix}{field['name']}.")

    visit(schema["fields"], "")
    return columns


def _beside(name: str, source: PropertySource, headers: Headers, schema: Schema | None) -> StoreLayout:
    """A store of the user's own making: header columns beside the properties, of the types that the schema tells."""
    columns = None if schema is None else _columns(schema)
    layout = _store(name, source, header_columns(columns), headers, columns)

    def binding(found: Schema) -> StoreLayout:
        return _beside(name, source, headers, found)

    return layout if schema is not None else StoreLayout(name, source, layout.headers, binding)


def struct(column: str = "properties", *, headers: Headers = _NONE, schema: Any = None) -> StoreLayout:
    """Typed fields of one struct, and header columns beside it.

    ``schema`` is that of the DataFrame: a ``StructType`` or its JSON form. Without it the layout has to be bound to a
    DataFrame before it is used: ``infer_layout(df, struct=column)`` does both.
    """
    if schema is None:
        missing = _UnknownFields(column)

        def binding(found: Schema) -> StoreLayout:
            return struct(column, headers=headers, schema=found)

        return StoreLayout("struct", missing, header_columns(None), binding)
    known = schema_json(schema)
    source = StructFields(column, flat_layout(known, column).columns)
    return _beside("struct", source, headers, known)


class _UnknownFields(StructFields):
    """Fields of a struct whose schema is not known."""

    def __init__(self, column: str) -> None:
        super().__init__(column, {})

    def stored(self, name: str) -> Any:
        """``LayoutError``: the type of a field is needed."""
        message = f"the type of {self.column}.{name} is not known"
        column = repr(self.column)
        hint = f"give the schema: infer_layout(df, struct={column}), or stores.struct({column}, schema=df.schema)"
        raise LayoutError.at("layout.schema", message, hint=hint)

    plain = stored


def variant(
    column: str = "properties", *, json: bool = False, headers: Headers = _NONE, schema: Any = None
) -> StoreLayout:
    """An object in a VARIANT, or in JSON text, and header columns beside it.

    With ``json``, the text is parsed. ``schema`` as for ``struct``; without it the SQL reads header columns of either
    type that is likely.
    """
    return _beside("variant", VariantObject((column,), json=json), headers, _optional(schema))


def text_map(column: str = "properties", *, types: Types, headers: Headers = _NONE, schema: Any = None) -> StoreLayout:
    """A MAP<STRING, STRING>, or one of UTF-8 bytes, and header columns beside it."""
    known, policies = _optional(schema), text_types(types)
    if known is None:

        def binding(found: Schema) -> StoreLayout:
            return text_map(column, types=types, headers=headers, schema=found)

        layout = _beside("text-map", TextProperties((column,), policies), headers, None)
        return StoreLayout(layout.name, layout.source, layout.headers, binding)
    return _beside("text-map", TextProperties((column,), policies, binary=_is_binary(known, column)), headers, known)


def _is_binary(schema: Schema, column: str) -> bool:
    field = next((field for field in schema["fields"] if field["name"] == column), None)
    return field is not None and isinstance(field["type"], Mapping) and field["type"].get("valueType") == "binary"


#: The columns of Spark's Kafka source.
_KAFKA: Columns = {
    "key": BINARY,
    "value": BINARY,
    "topic": STRING,
    "partition": INT,
    "offset": BIGINT,
    "timestamp": TIMESTAMP,
    "timestampType": INT,
}


def kafka_headers(
    column: str = "headers",
    *,
    prefix: str = "",
    types: Types = "by-use",
    repeated: Literal["last", "first"] = "last",
    headers: Headers = _NONE,
) -> StoreLayout:
    """Record headers as Spark's Kafka source reads them: ARRAY<STRUCT<key: STRING, value: BINARY>>.

    ``prefix`` is that of the keys that are properties, and no part of their names. Of a key that is there twice the
    last one counts, or the first one.
    """
    if repeated not in ("last", "first"):
        raise LayoutError.at("layout.option", f"repeated is last or first, not {repeated!r}")
    source = _kafka_source(column, prefix, text_types(types), repeated == "first")
    return _store("kafka-headers", source, {}, headers, _KAFKA)


def _kafka_source(column: str, prefix: str, types: TextTypes, first: bool = False) -> TextProperties:
    return TextProperties((column,), types, binary=True, prefix=prefix, entry=("key", "value"), repeated_first=first)


def confluent_rabbitmq(types: Types = "by-use", *, column: str = "headers", headers: Headers = _NONE) -> StoreLayout:
    """Record headers of Confluent's RabbitMQ source connector, all with the prefix ``rabbitmq.``.

    The time of the message is in no form that is documented, so ``JMSTimestamp`` has its default.
    """
    source = _kafka_source(column, "rabbitmq.", text_types(types))
    keys = {
        "JMSType": "type",
        "JMSPriority": "priority",
        "JMSDeliveryMode": "delivery.mode",
        "JMSCorrelationID": "correlation.id",
        "JMSReplyTo": "reply.to",
        "JMSMessageID": "message.id",
        "JMSXUserID": "user.id",
        "JMSRedelivered": "redeliver",
        "JMS_AMQP_TTL": "expiration",
        "content-type": "content.type",
        "content-encoding": "content.encoding",
        "exchange": "exchange",
        "routing-key": "routing.key",
    }
    return _store("confluent-rabbitmq", source, _keys(source, keys), headers, _KAFKA)


def _keys(source: PropertySource, keys: Mapping[str, str]) -> dict[str, HeaderPlace]:
    return {name: HeaderPlace(PropertyPlace(source, key), READINGS[name]) for name, key in keys.items()}


def camel_kafka(types: Types = "by-use", *, column: str = "headers", headers: Headers = _NONE) -> StoreLayout:
    """Record headers of Apache Camel's Kafka connectors, with the prefix ``CamelHeader.``, JMS headers among them."""
    return _store("camel-kafka", _kafka_source(column, "CamelHeader.", text_types(types)), {}, headers, _KAFKA)


#: The branches of the union that Event Hubs Capture writes, in their order.
_CAPTURE_TYPES = (SparkType.BIGINT, SparkType.DOUBLE, SparkType.STRING, SparkType.BINARY)
_CAPTURE_NAMES = ("long", "double", "string", "bytes")
#: The AMQP properties that Event Hubs keeps beside its own.
_SYSTEM_KEYS = {
    "JMSType": "subject",
    "JMSMessageID": "message-id",
    "JMSCorrelationID": "correlation-id",
    "JMSReplyTo": "reply-to",
    "JMSDestination": "to",
    "JMSXUserID": "user-id",
    "JMSXGroupID": "group-id",
    "content-type": "content-type",
    "content-encoding": "content-encoding",
}
_CAPTURE: Columns = {"SequenceNumber": BIGINT, "Offset": STRING, "EnqueuedTimeUtc": STRING, "Body": BINARY}


def event_hubs_capture(*, stable: bool = False, headers: Headers = _NONE) -> StoreLayout:
    """Avro files of Azure Event Hubs Capture: unions as structs ``member0`` to ``member3``.

    With ``stable`` they are named ``member_long`` and so on, as Spark's reader does with
    ``enableStableIdentifiersForUnionType``; ``infer_layout`` tells by the schema. ``EnqueuedTimeUtc`` is the service's
    time, in UTC and whole seconds.
    """
    names = [f"member_{name}" if stable else f"member{place}" for place, name in enumerate(_CAPTURE_NAMES)]
    members = tuple(zip(names, _CAPTURE_TYPES, strict=True))
    source, system = TypedPlaces(members, ("Properties",)), TypedPlaces(members, ("SystemProperties",))
    own = _keys(system, _SYSTEM_KEYS)
    enqueued = ColumnPlace(("EnqueuedTimeUtc",), STRING)
    own["JMSTimestamp"] = HeaderPlace(enqueued, Time(pattern="M/d/yyyy h:mm:ss a"))
    return _store("event-hubs-capture", source, own, headers, _CAPTURE)


_EVENT_HUBS: Columns = {
    "body": BINARY,
    "partition": STRING,
    "offset": STRING,
    "sequenceNumber": BIGINT,
    "enqueuedTime": TIMESTAMP,
    "publisher": STRING,
    "partitionKey": STRING,
}


def event_hubs(types: Types = "by-use", *, headers: Headers = _NONE) -> StoreLayout:
    """Columns of the connector azure-event-hubs-spark; ``enqueuedTime`` is the service's time."""
    source = TextProperties(("properties",), text_types(types))
    own = _keys(TextProperties(("systemProperties",), text_types("string")), _SYSTEM_KEYS)
    own["JMSTimestamp"] = _column("JMSTimestamp", "enqueuedTime", TIMESTAMP)
    return _store("event-hubs", source, own, headers, _EVENT_HUBS)


#: The members of io.confluent.connect.jms.PropertyValue, the frequent ones first.
_CONFLUENT_MEMBERS = (
    ("string", SparkType.STRING),
    ("integer", SparkType.INT),
    ("long", SparkType.BIGINT),
    ("double", SparkType.DOUBLE),
    ("boolean", SparkType.BOOLEAN),
    ("float", SparkType.FLOAT),
    ("short", SparkType.SMALLINT),
    ("byte", SparkType.TINYINT),
    ("bytes", SparkType.BINARY),
)


def confluent_jms(column: str | None = None, *, headers: Headers = _NONE) -> StoreLayout:
    """The record value of Confluent's JMS connectors, ``io.confluent.connect.jms.Value``.

    ``column`` is the struct that has it, where it is not at the top.
    """
    within: Path = () if column is None else (column,)
    tag = {kind: member for member, kind in _CONFLUENT_MEMBERS}
    source = TypedPlaces(_CONFLUENT_MEMBERS, (*within, "properties"), ("propertyType", tag))
    own = {
        "JMSMessageID": _column("JMSMessageID", (*within, "messageID"), STRING),
        "JMSTimestamp": _column("JMSTimestamp", (*within, "timestamp"), BIGINT),
        "JMSDeliveryMode": _column("JMSDeliveryMode", (*within, "deliveryMode"), INT),
        "JMSCorrelationID": _column("JMSCorrelationID", (*within, "correlationID"), STRING),
        "JMSReplyTo": _column("JMSReplyTo", (*within, "replyTo", "name"), STRING),
        "JMSDestination": _column("JMSDestination", (*within, "destination", "name"), STRING),
        "JMSRedelivered": _column("JMSRedelivered", (*within, "redelivered"), BOOLEAN),
        "JMSType": _column("JMSType", (*within, "type"), STRING),
        "JMSExpiration": _column("JMSExpiration", (*within, "expiration"), BIGINT),
        "JMSPriority": _column("JMSPriority", (*within, "priority"), INT),
    }
    return _store("confluent-jms", source, own, headers, {})


def lenses_jms(types: Types = "by-use", *, column: str | None = None, headers: Headers = _NONE) -> StoreLayout:
    """The record value of Lenses' Stream Reactor JMS source, whose properties are text."""
    within: Path = () if column is None else (column,)
    source = TextProperties((*within, "properties"), text_types(types))
    own = {
        "JMSMessageID": _column("JMSMessageID", (*within, "message_id"), STRING),
        "JMSTimestamp": _column("JMSTimestamp", (*within, "message_timestamp"), BIGINT),
        "JMSDeliveryMode": _column("JMSDeliveryMode", (*within, "mode"), INT),
        "JMSCorrelationID": _column("JMSCorrelationID", (*within, "correlation_id"), STRING),
        "JMSReplyTo": _column("JMSReplyTo", (*within, "reply_to"), STRING),
        "JMSDestination": _column("JMSDestination", (*within, "destination"), STRING),
        "JMSRedelivered": _column("JMSRedelivered", (*within, "redelivered"), BOOLEAN),
        "JMSType": _column("JMSType", (*within, "type"), STRING),
        "JMSPriority": _column("JMSPriority", (*within, "priority"), INT),
    }
    return _store("lenses-jms", source, own, headers, {})


#: RabbitMQ's basic properties, with their types in JSON.
_BASIC: Mapping[str, tuple[str, ColumnType, Reading]] = {
    "JMSType": ("type", STRING, Text()),
    "JMSPriority": ("priority", INT, Integer()),
    "JMSDeliveryMode": ("delivery_mode", INT, Mode()),
    "JMSTimestamp": ("timestamp", BIGINT, Time(TimeUnit.SECONDS)),
    "JMSMessageID": ("message_id", STRING, Text()),
    "JMSCorrelationID": ("correlation_id", STRING, Text()),
    "JMSReplyTo": ("reply_to", STRING, Text()),
    "JMSXUserID": ("user_id", STRING, Text()),
    "JMS_AMQP_TTL": ("expiration", STRING, Integer()),
    "content-type": ("content_type", STRING, Text()),
    "content-encoding": ("content_encoding", STRING, Text()),
}


def _basic_properties() -> dict[str, HeaderPlace]:
    return {
        name: HeaderPlace(VariantPlace(("properties",), (key,), column_type), reading)
        for name, (key, column_type, reading) in _BASIC.items()
    }


def rabbitmq_trace(*, headers: Headers = _NONE) -> StoreLayout:
    """Entries of RabbitMQ's tracing log in JSON, with ``properties`` as VARIANT: ``spark_ext.read_rabbitmq_trace``.

    JMSType is the basic property ``type``, and JMSTimestamp the basic property ``timestamp``, in seconds.
    """
    own = _basic_properties() | {"exchange": _column("exchange", "exchange", STRING)}
    columns: Columns = {"timestamp": STRING, "type": STRING, "exchange": STRING, "queue": STRING, "vhost": STRING}
    return _store("rabbitmq-trace", VariantObject(("properties",), ("headers",)), own, headers, columns)


def rabbitmq_get(*, headers: Headers = _NONE) -> StoreLayout:
    """Answers of RabbitMQ's management API, ``POST /api/queues/<vhost>/<queue>/get``, ``properties`` as VARIANT."""
    own = _basic_properties() | {
        "exchange": _column("exchange", "exchange", STRING),
        "routing-key": _column("routing-key", "routing_key", STRING),
        "JMSRedelivered": _column("JMSRedelivered", "redelivered", BOOLEAN),
    }
    return _store("rabbitmq-get", VariantObject(("properties",), ("headers",)), own, headers, {})


def aws_rabbitmq(*, headers: Headers = _NONE) -> StoreLayout:
    """Events that AWS Lambda or EventBridge Pipes get from Amazon MQ for RabbitMQ: ``spark_ext.read_lambda_events``."""
    fields: Mapping[str, tuple[str, ColumnType, Reading]] = {
        "JMSType": ("type", STRING, Text()),
        "JMSPriority": ("priority", INT, Integer()),
        "JMSDeliveryMode": ("deliveryMode", INT, Mode()),
        # Newer releases of Java write U+202F before AM and PM.
        "JMSTimestamp": ("timestamp", STRING, Time(pattern="MMM d, yyyy, h:mm:ss a", narrow_spaces=True)),
        "JMSMessageID": ("messageId", STRING, Text()),
        "JMSCorrelationID": ("correlationId", STRING, Text()),
        "JMSReplyTo": ("replyTo", STRING, Text()),
        "JMSXUserID": ("userId", STRING, Text()),
        "JMS_AMQP_TTL": ("expiration", STRING, Integer()),
        "content-type": ("contentType", STRING, Text()),
        "content-encoding": ("contentEncoding", STRING, Text()),
    }
    own = {
        name: _column(name, ("basicProperties", field), column_type, reading)
        for name, (field, column_type, reading) in fields.items()
    }
    own["JMSRedelivered"] = _column("JMSRedelivered", "redelivered", BOOLEAN)
    source = VariantObject(("basicProperties", "headers"), text_key="bytes")
    return _store("aws-rabbitmq", source, own, headers, {"queue": STRING})


def aws_activemq(types: Types = "by-use", *, headers: Headers = _NONE) -> StoreLayout:
    """Events that AWS Lambda gets from Amazon MQ for ActiveMQ; a text that is not set is empty there."""
    blank = Text(blank_is_none=True)
    own = {
        "JMSMessageID": _column("JMSMessageID", "messageID", STRING),
        "JMSTimestamp": _column("JMSTimestamp", "timestamp", BIGINT),
        "JMSDeliveryMode": _column("JMSDeliveryMode", "deliveryMode", INT),
        "JMSCorrelationID": _column("JMSCorrelationID", "correlationID", STRING, blank),
        "JMSReplyTo": _column("JMSReplyTo", "replyTo", STRING, blank),
        "JMSDestination": _column("JMSDestination", ("destination", "physicalName"), STRING),
        "JMSRedelivered": _column("JMSRedelivered", "redelivered", BOOLEAN),
        "JMSType": _column("JMSType", "type", STRING, blank),
        "JMSExpiration": _column("JMSExpiration", "expiration", BIGINT),
        "JMSPriority": _column("JMSPriority", "priority", INT),
    }
    columns: Columns = {"brokerInTime": BIGINT, "brokerOutTime": BIGINT, "messageType": STRING}
    return _store("aws-activemq", TextProperties(("properties",), text_types(types)), own, headers, columns)


#: The types of Artemis' XML, a simple string last of its type: the first one is what is written.
_ARTEMIS_TYPES = {
    "string": AmqpType.STRING,
    "simple-string": AmqpType.STRING,
    "integer": AmqpType.INT,
    "long": AmqpType.LONG,
    "short": AmqpType.SHORT,
    "byte": AmqpType.BYTE,
    "double": AmqpType.DOUBLE,
    "float": AmqpType.FLOAT,
    "boolean": AmqpType.BOOLEAN,
    "bytes": AmqpType.BINARY,
}


def artemis_xml(*, headers: Headers = _NONE) -> StoreLayout:
    """Messages of ``artemis data exp``: ``spark_ext.read_artemis_export``.

    Only durable messages are in a journal, so each is PERSISTENT.
    """
    source = TaggedTexts(
        ("properties", "property"),
        _ARTEMIS_TYPES,
        entry=("_name", "_value", "_type"),
        null=("bytes", "_AMQ_NULL"),
    )
    own = {
        "JMSPriority": _column("JMSPriority", "_priority", INT),
        "JMSTimestamp": _column("JMSTimestamp", "_timestamp", BIGINT),
        "JMSExpiration": _column("JMSExpiration", "_expiration", BIGINT),
        "JMSMessageID": _column("JMSMessageID", "_user-id", STRING),
        "JMSDeliveryMode": HeaderPlace(ConstantPlace(True), Mode()),
        "JMSXGroupID": HeaderPlace(PropertyPlace(source, "_AMQ_GROUP_ID"), Text()),
    }
    return _store("artemis-xml", source, own, headers, {"_id": BIGINT, "_type": STRING})


#: The maps of a browse over JMX, one for each type.
_JOLOKIA_MAPS = (
    ("StringProperties", SparkType.STRING),
    ("IntProperties", SparkType.INT),
    ("LongProperties", SparkType.BIGINT),
    ("DoubleProperties", SparkType.DOUBLE),
    ("BooleanProperties", SparkType.BOOLEAN),
    ("FloatProperties", SparkType.FLOAT),
    ("ShortProperties", SparkType.SMALLINT),
    ("ByteProperties", SparkType.TINYINT),
)


def artemis_jolokia(*, headers: Headers = _NONE) -> StoreLayout:
    """A browse of an Artemis queue over JMX with Jolokia."""
    own = {
        "JMSPriority": _column("JMSPriority", "priority", INT),
        "JMSDeliveryMode": _column("JMSDeliveryMode", "durable", BOOLEAN),
        "JMSTimestamp": _column("JMSTimestamp", "timestamp", BIGINT),
        "JMSExpiration": _column("JMSExpiration", "expiration", BIGINT),
        "JMSMessageID": _column("JMSMessageID", "userID", STRING),
        "JMSDestination": _column("JMSDestination", "address", STRING),
        "JMSRedelivered": _column("JMSRedelivered", "redelivered", BOOLEAN),
    }
    return _store("artemis-jolokia", TypedPlaces(_JOLOKIA_MAPS), own, headers, {"protocol": STRING, "type": INT})


def activemq_jolokia(*, headers: Headers = _NONE) -> StoreLayout:
    """A browse of an ActiveMQ Classic queue over JMX with Jolokia; its times are ISO 8601 in whole seconds."""
    texts = ("JMSMessageID", "JMSType", "JMSCorrelationID", "JMSDestination", "JMSReplyTo", "JMSXGroupID", "JMSXUserID")
    own = {name: _column(name, name, STRING) for name in texts}
    own |= {
        "JMSTimestamp": _column("JMSTimestamp", "JMSTimestamp", STRING, Time(pattern="yyyy-MM-dd'T'HH:mm:ss[.SSS]X")),
        "JMSDeliveryMode": _column("JMSDeliveryMode", "JMSDeliveryMode", STRING, Mode(named_only=True)),
        "JMSPriority": _column("JMSPriority", "JMSPriority", INT),
        "JMSRedelivered": _column("JMSRedelivered", "JMSRedelivered", BOOLEAN),
        "JMSExpiration": _column("JMSExpiration", "JMSExpiration", BIGINT),
        "JMSXGroupSeq": _column("JMSXGroupSeq", "JMSXGroupSeq", INT),
    }
    return _store("activemq-jolokia", TypedPlaces(_JOLOKIA_MAPS), own, headers, {"Text": STRING})


#: The values of a key with ``_jsmtype`` behind it; a property without one is a string.
_PULSAR_TYPES = {
    "string": AmqpType.STRING,
    "int": AmqpType.INT,
    "long": AmqpType.LONG,
    "short": AmqpType.SHORT,
    "byte": AmqpType.BYTE,
    "double": AmqpType.DOUBLE,
    "float": AmqpType.FLOAT,
    "boolean": AmqpType.BOOLEAN,
}


def pulsar_jms(*, headers: Headers = _NONE) -> StoreLayout:
    """Messages of Pulsar's JMS client as the Pulsar connector reads them; ``__publishTime`` is JMSTimestamp."""
    source = TaggedTexts(("__messageProperties",), _PULSAR_TYPES, suffix="_jsmtype", default="string")
    texts = TextProperties(("__messageProperties",), text_types("string"))
    own = _keys(texts, {"JMSType": "JMSType", "JMSPriority": "JMSPriority", "JMSDeliveryMode": "JMSDeliveryMode"})
    own |= _keys(texts, {"JMSMessageID": "JMSMessageId", "JMSReplyTo": "JMSReplyTo", "JMSExpiration": "JMSExpiration"})
    own["JMSCorrelationID"] = HeaderPlace(PropertyPlace(texts, "JMSCorrelationID"), Base64Text())
    own["JMSTimestamp"] = _column("JMSTimestamp", "__publishTime", TIMESTAMP)
    columns: Columns = {"__key": BINARY, "__topic": STRING, "__publishTime": TIMESTAMP, "__eventTime": TIMESTAMP}
    return _store("pulsar-jms", source, own, headers, columns)


def solace(types: Types = "by-use", *, headers: Headers = _NONE) -> StoreLayout:
    """Columns of Solace's Spark connector with ``includeHeaders``; a priority of -1 is none."""
    source = TextProperties(("Headers",), text_types(types), binary=True)
    own = {
        "JMSPriority": HeaderPlace(PropertyPlace(source, "solace_priority"), Integer(least=0)),
        "JMSExpiration": HeaderPlace(PropertyPlace(source, "solace_expiration"), Time()),
        "JMSRedelivered": HeaderPlace(PropertyPlace(source, "solace_redelivered"), Flag()),
        "JMSTimestamp": _column("JMSTimestamp", "TimeStamp", TIMESTAMP),
        "JMSDestination": _column("JMSDestination", "Topic", STRING),
    }
    columns: Columns = {"Id": STRING, "PartitionKey": STRING, "Topic": STRING, "TimeStamp": TIMESTAMP}
    return _store("solace", source, own, headers, columns)


def _optional(schema: Any) -> Schema | None:
    return None if schema is None else schema_json(schema)


def schema_json(schema: Any) -> Schema:
    """A schema in Spark's JSON form, from a ``StructType``, that form, or its text; ``LayoutError`` for DDL text.

    DDL text is read by Spark: ``spark_ext`` does.
    """
    as_json = getattr(schema, "jsonValue", None)
    found = schema if as_json is None else as_json()
    if isinstance(found, Mapping) and "fields" in found:
        return found
    message = f"expected a schema, found {type(schema).__name__}"
    raise LayoutError.at("layout.schema", message, hint="give df.schema, or df.schema.jsonValue()")


#: The stores by their preset names.
STORES: Mapping[str, Callable[..., StoreLayout]] = MappingProxyType(
    {
        function.__name__.replace("_", "-"): function
        for function in (
            struct,
            variant,
            text_map,
            kafka_headers,
            confluent_rabbitmq,
            camel_kafka,
            event_hubs_capture,
            event_hubs,
            confluent_jms,
            lenses_jms,
            rabbitmq_trace,
            rabbitmq_get,
            aws_rabbitmq,
            aws_activemq,
            artemis_xml,
            artemis_jolokia,
            activemq_jolokia,
            pulsar_jms,
            solace,
        )
    }
)


def preset(name: str, options: Mapping[str, Any] = _NONE) -> StoreLayout:
    """A store by its preset name; ``LayoutError`` for an option that it does not have, or lacks."""
    function = STORES[name]
    parameters = signature(function).parameters
    for option in options:
        if option not in parameters:
            known = ", ".join(key for key in parameters if key != "schema")
            raise LayoutError.at("layout.option", f"the layout {name} has no option {option}", hint=f"it has {known}")
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            hint = f"--layout-option {key}=by-use, or stores.{function.__name__}({key}=…)"
            raise LayoutError.at("layout.option", f"the layout {name} needs the option {key}", hint=hint)
    return function(**options)
