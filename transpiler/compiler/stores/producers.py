"""Stores of brokers, connectors and services: one function for each producer returns the layout that it writes.

Each function chooses a source of properties and the places of the header fields. The page of the store in
``docs/stores`` has a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from transpiler.base.errors import LayoutError
from transpiler.compiler.ir.column_types import BIGINT, BINARY, BOOLEAN, STRING, TIMESTAMP, ColumnType, Path, SparkType
from transpiler.compiler.layouts.header_places import (
    ColumnPlace,
    Columns,
    ConstantPlace,
    HeaderPlace,
    Headers,
    PropertyPlace,
    VariantPlace,
)
from transpiler.compiler.layouts.header_readings import READINGS, Base64Text, Flag, Integer, Mode, Text, Time, TimeUnit
from transpiler.compiler.layouts.property_source import TaggedTexts, TextProperties, TypedPlaces
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.layouts.text_types import TextTypes, Types, text_types
from transpiler.compiler.layouts.variant_object import VariantObject
from transpiler.compiler.stores.build import (
    INT,
    NO_HEADERS,
    HeaderColumns,
    column_place,
    column_places,
    key_places,
    make_store,
)
from transpiler.message.types import AmqpType

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
    headers: Headers = NO_HEADERS,
) -> StoreLayout:
    """Read record headers in the form of Spark's Kafka source: ARRAY<STRUCT<key: STRING, value: BINARY>>.

    Args:
        column: The column with the record headers.
        prefix: The prefix of the keys of properties. It is removed to get the name of the property.
        types: How text is read as values: see ``transpiler.stores``.
        repeated: Which value of a repeated key counts: the ``"last"`` or the ``"first"``.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    if repeated not in ("last", "first"):
        raise LayoutError.at("layout.option", f"the option repeated must be last or first, not {repeated!r}")
    source = _kafka_source(column, prefix, text_types(types), repeated == "first")
    return make_store("kafka-headers", source, {}, headers, _KAFKA)


def _kafka_source(column: str, prefix: str, types: TextTypes, first: bool = False) -> TextProperties:
    return TextProperties((column,), types, binary=True, prefix=prefix, entry=("key", "value"), repeated_first=first)


def confluent_rabbitmq(
    types: Types = "by-use", *, column: str = "headers", headers: Headers = NO_HEADERS
) -> StoreLayout:
    """Read record headers of Confluent's RabbitMQ source connector, whose keys all have the prefix ``rabbitmq.``.

    The format in which the connector writes the message's time is not documented, so ``JMSTimestamp`` has its default.

    Args:
        types: How text is read as values: see ``transpiler.stores``.
        column: The column with the record headers.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
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
    return make_store("confluent-rabbitmq", source, key_places(source, keys), headers, _KAFKA)


def camel_kafka(types: Types = "by-use", *, column: str = "headers", headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read record headers of Apache Camel's Kafka connectors: properties and JMS headers, prefixed ``CamelHeader.``.

    Args:
        types: How text is read as values: see ``transpiler.stores``.
        column: The column with the record headers.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    store = make_store("camel-kafka", _kafka_source(column, "CamelHeader.", text_types(types)), {}, headers, _KAFKA)
    return replace(store, jms_keys=True)


#: The field of each JMS header field in the records that ActiveMQ and Confluent serialize, with its type.
_JMS_RECORD: HeaderColumns = {
    "JMSMessageID": ("messageID", STRING),
    "JMSTimestamp": ("timestamp", BIGINT),
    "JMSDeliveryMode": ("deliveryMode", INT),
    "JMSCorrelationID": ("correlationID", STRING),
    "JMSReplyTo": ("replyTo", STRING),
    "JMSRedelivered": ("redelivered", BOOLEAN),
    "JMSType": ("type", STRING),
    "JMSExpiration": ("expiration", BIGINT),
    "JMSPriority": ("priority", INT),
}

#: The members of io.confluent.connect.jms.PropertyValue with their types, the most frequent members first.
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


def confluent_jms(column: str | None = None, *, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read the record value of Confluent's JMS connectors, ``io.confluent.connect.jms.Value``.

    Args:
        column: The struct with the record's value; None if the fields of the value are top-level columns.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    within: Path = () if column is None else (column,)
    tag = {kind: member for member, kind in _CONFLUENT_MEMBERS}
    source = TypedPlaces(_CONFLUENT_MEMBERS, (*within, "properties"), ("propertyType", tag))
    addresses: HeaderColumns = {
        "JMSReplyTo": (("replyTo", "name"), STRING),
        "JMSDestination": (("destination", "name"), STRING),
    }
    own = column_places(_JMS_RECORD | addresses, within)
    return make_store("confluent-jms", source, own, headers, {})


def lenses_jms(types: Types = "by-use", *, column: str | None = None, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read the record value of Lenses' Stream Reactor JMS source, whose properties are text.

    Args:
        types: How text is read as values: see ``transpiler.stores``.
        column: The struct with the record's value; None if the fields of the value are top-level columns.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    within: Path = () if column is None else (column,)
    source = TextProperties((*within, "properties"), text_types(types))
    columns: HeaderColumns = {
        "JMSMessageID": ("message_id", STRING),
        "JMSTimestamp": ("message_timestamp", BIGINT),
        "JMSDeliveryMode": ("mode", INT),
        "JMSCorrelationID": ("correlation_id", STRING),
        "JMSReplyTo": ("reply_to", STRING),
        "JMSDestination": ("destination", STRING),
        "JMSRedelivered": ("redelivered", BOOLEAN),
        "JMSType": ("type", STRING),
        "JMSPriority": ("priority", INT),
    }
    own = column_places(columns, within)
    return make_store("lenses-jms", source, own, headers, {})


#: The AMQP type for each value of the key NAME_jsmtype, which holds the type of the property NAME. A property without
#: such a key is a string.
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


def pulsar_jms(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read messages of Pulsar's JMS client from the columns of Spark's Pulsar connector.

    The column ``__publishTime`` is JMSTimestamp.

    Args:
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    source = TaggedTexts(("__messageProperties",), _PULSAR_TYPES, suffix="_jsmtype", default="string")
    texts = TextProperties(("__messageProperties",), text_types("string"))
    own = key_places(texts, {"JMSType": "JMSType", "JMSPriority": "JMSPriority", "JMSDeliveryMode": "JMSDeliveryMode"})
    own |= key_places(
        texts, {"JMSMessageID": "JMSMessageId", "JMSReplyTo": "JMSReplyTo", "JMSExpiration": "JMSExpiration"}
    )
    own["JMSCorrelationID"] = HeaderPlace(PropertyPlace(texts, "JMSCorrelationID"), Base64Text())
    own["JMSTimestamp"] = column_place("JMSTimestamp", "__publishTime", TIMESTAMP)
    columns: Columns = {"__key": BINARY, "__topic": STRING, "__publishTime": TIMESTAMP, "__eventTime": TIMESTAMP}
    return make_store("pulsar-jms", source, own, headers, columns)


def solace(types: Types = "by-use", *, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read the columns of Solace's Spark connector with ``includeHeaders``; a priority of -1 means "not set".

    Args:
        types: How text is read as values: see ``transpiler.stores``.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    source = TextProperties(("Headers",), text_types(types), binary=True)
    own = {
        "JMSPriority": HeaderPlace(PropertyPlace(source, "solace_priority"), Integer(least=0)),
        "JMSExpiration": HeaderPlace(PropertyPlace(source, "solace_expiration"), Time()),
        "JMSRedelivered": HeaderPlace(PropertyPlace(source, "solace_redelivered"), Flag()),
        "JMSTimestamp": column_place("JMSTimestamp", "TimeStamp", TIMESTAMP),
        "JMSDestination": column_place("JMSDestination", "Topic", STRING),
    }
    columns: Columns = {"Id": STRING, "PartitionKey": STRING, "Topic": STRING, "TimeStamp": TIMESTAMP}
    return make_store("solace", source, own, headers, columns)


def aws_activemq(types: Types = "by-use", *, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read events that AWS Lambda gets from Amazon MQ for ActiveMQ; unset string fields arrive as empty strings.

    Args:
        types: How text is read as values: see ``transpiler.stores``.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    own = column_places(_JMS_RECORD | {"JMSDestination": (("destination", "physicalName"), STRING)})
    for name in ("JMSCorrelationID", "JMSReplyTo", "JMSType"):
        own[name] = HeaderPlace(own[name].place, Text(blank_is_none=True))
    columns: Columns = {"brokerInTime": BIGINT, "brokerOutTime": BIGINT, "messageType": STRING}
    return make_store("aws-activemq", TextProperties(("properties",), text_types(types)), own, headers, columns)


#: The AMQP type for each type name of Artemis' XML. When XML is written, the first name of an AMQP type is used, so
#: ``string`` comes before ``simple-string``.
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


def artemis_xml(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read messages of ``artemis data exp``, which ``spark_ext.read_artemis_export`` loads.

    A journal contains only durable messages, so every message is PERSISTENT.

    Args:
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    source = TaggedTexts(
        ("properties", "property"),
        _ARTEMIS_TYPES,
        entry=("_name", "_value", "_type"),
        null=("bytes", "_AMQ_NULL"),
    )
    columns: HeaderColumns = {
        "JMSPriority": ("_priority", INT),
        "JMSTimestamp": ("_timestamp", BIGINT),
        "JMSExpiration": ("_expiration", BIGINT),
        "JMSMessageID": ("_user-id", STRING),
    }
    own = column_places(columns) | {
        "JMSDeliveryMode": HeaderPlace(ConstantPlace(True), Mode()),
        "JMSXGroupID": HeaderPlace(PropertyPlace(source, "_AMQ_GROUP_ID"), Text()),
    }
    return make_store("artemis-xml", source, own, headers, {"_id": BIGINT, "_type": STRING})


#: The maps that contain the properties in a browse over JMX, one map for each type, and the type of their values.
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


def artemis_jolokia(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read the result of browsing an Artemis queue over JMX with Jolokia.

    Args:
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    columns: HeaderColumns = {
        "JMSPriority": ("priority", INT),
        "JMSDeliveryMode": ("durable", BOOLEAN),
        "JMSTimestamp": ("timestamp", BIGINT),
        "JMSExpiration": ("expiration", BIGINT),
        "JMSMessageID": ("userID", STRING),
        "JMSDestination": ("address", STRING),
        "exchange": ("address", STRING),
        "JMSRedelivered": ("redelivered", BOOLEAN),
    }
    own = column_places(columns)
    return make_store("artemis-jolokia", TypedPlaces(_JOLOKIA_MAPS), own, headers, {"protocol": STRING, "type": INT})


def activemq_jolokia(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read the result of browsing an ActiveMQ Classic queue over JMX with Jolokia.

    The times are ISO 8601 text in whole seconds.

    Args:
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    texts = ("JMSMessageID", "JMSType", "JMSCorrelationID", "JMSDestination", "JMSReplyTo", "JMSXGroupID", "JMSXUserID")
    types = dict.fromkeys(texts, STRING) | {"JMSPriority": INT, "JMSRedelivered": BOOLEAN}
    types |= {"JMSExpiration": BIGINT, "JMSXGroupSeq": INT}
    own = column_places({name: (name, column_type) for name, column_type in types.items()})
    times, modes = Time(pattern="yyyy-MM-dd'T'HH:mm:ss[.SSS]X"), Mode(named_only=True)
    own["JMSTimestamp"] = column_place("JMSTimestamp", "JMSTimestamp", STRING, times)
    own["JMSDeliveryMode"] = column_place("JMSDeliveryMode", "JMSDeliveryMode", STRING, modes)
    return make_store("activemq-jolokia", TypedPlaces(_JOLOKIA_MAPS), own, headers, {"Text": STRING})


#: For each header field, the basic property of RabbitMQ that holds it, and the type of that property in JSON.
_BASIC: Mapping[str, tuple[str, ColumnType]] = {
    "JMSType": ("type", STRING),
    "JMSPriority": ("priority", INT),
    "JMSDeliveryMode": ("delivery_mode", INT),
    "JMSTimestamp": ("timestamp", BIGINT),
    "JMSMessageID": ("message_id", STRING),
    "JMSCorrelationID": ("correlation_id", STRING),
    "JMSReplyTo": ("reply_to", STRING),
    "JMSXUserID": ("user_id", STRING),
    "JMS_AMQP_TTL": ("expiration", STRING),
    "content-type": ("content_type", STRING),
    "content-encoding": ("content_encoding", STRING),
}


def _basic_properties() -> dict[str, HeaderPlace]:
    """Return the place of each header field that RabbitMQ keeps as a basic property, in the VARIANT ``properties``.

    The timestamp is in seconds.
    """
    return {
        name: HeaderPlace(
            VariantPlace(("properties",), (key,), column_type),
            Time(TimeUnit.SECONDS) if name == "JMSTimestamp" else READINGS[name],
        )
        for name, (key, column_type) in _BASIC.items()
    }


def rabbitmq_trace(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read entries of RabbitMQ's JSON tracing log, which ``spark_ext.read_rabbitmq_trace`` loads.

    The column ``properties`` is a VARIANT. JMSType is the basic property ``type``, and JMSTimestamp the basic property
    ``timestamp``, in seconds.

    Args:
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    own = _basic_properties() | {"exchange": column_place("exchange", "exchange", STRING)}
    columns: Columns = {"timestamp": STRING, "type": STRING, "exchange": STRING, "queue": STRING, "vhost": STRING}
    return make_store("rabbitmq-trace", VariantObject(("properties",), ("headers",)), own, headers, columns)


def rabbitmq_get(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read responses of RabbitMQ's management API to ``POST /api/queues/<vhost>/<queue>/get``.

    The column ``properties`` is a VARIANT.

    Args:
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    columns: HeaderColumns = {
        "exchange": ("exchange", STRING),
        "routing-key": ("routing_key", STRING),
        "JMSRedelivered": ("redelivered", BOOLEAN),
    }
    own = _basic_properties() | column_places(columns)
    return make_store("rabbitmq-get", VariantObject(("properties",), ("headers",)), own, headers, {})


def _in_camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def aws_rabbitmq(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read events that AWS Lambda or EventBridge Pipes get from Amazon MQ for RabbitMQ.

    ``spark_ext.read_lambda_events`` loads such events.

    Args:
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    own = column_places(
        {name: (_in_camel_case(key), column_type) for name, (key, column_type) in _BASIC.items()}, ("basicProperties",)
    )
    # Newer releases of Java write U+202F (a narrow no-break space) before AM and PM.
    time = Time(pattern="MMM d, yyyy, h:mm:ss a", narrow_spaces=True)
    own["JMSTimestamp"] = column_place("JMSTimestamp", ("basicProperties", "timestamp"), STRING, time)
    own["JMSRedelivered"] = column_place("JMSRedelivered", "redelivered", BOOLEAN)
    source = VariantObject(("basicProperties", "headers"), text_key="bytes")
    return make_store("aws-rabbitmq", source, own, headers, {"queue": STRING})


#: The branches of the Avro union that Event Hubs Capture writes, in the order of the union, and the type of each.
_CAPTURE_TYPES = {
    "long": SparkType.BIGINT,
    "double": SparkType.DOUBLE,
    "string": SparkType.STRING,
    "bytes": SparkType.BINARY,
}

#: The key of each header field in the system properties, which contain AMQP properties and properties of Event Hubs.
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


def event_hubs_capture(*, stable: bool = False, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read Avro files of Azure Event Hubs Capture, in which a union is a struct of ``member0`` to ``member3``.

    ``infer_layout`` sets ``stable`` according to the schema. ``EnqueuedTimeUtc`` is the time at which the service
    received the message, in UTC and whole seconds; it is JMSTimestamp.

    Args:
        stable: True if the members have the names ``member_long`` and so on, which Spark's reader gives them under
            ``enableStableIdentifiersForUnionType``.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    members = tuple(
        (f"member_{name}" if stable else f"member{index}", kind)
        for index, (name, kind) in enumerate(_CAPTURE_TYPES.items())
    )
    source, system = TypedPlaces(members, ("Properties",)), TypedPlaces(members, ("SystemProperties",))
    own = key_places(system, _SYSTEM_KEYS)
    enqueued = ColumnPlace(("EnqueuedTimeUtc",), STRING)
    own["JMSTimestamp"] = HeaderPlace(enqueued, Time(pattern="M/d/yyyy h:mm:ss a"))
    # ``jms_keys``: Event Hubs has no system property for priority or delivery mode, so senders write JMSPriority and
    # JMSDeliveryMode as application properties.
    return replace(make_store("event-hubs-capture", source, own, headers, _CAPTURE), jms_keys=True)


_EVENT_HUBS: Columns = {
    "body": BINARY,
    "partition": STRING,
    "offset": STRING,
    "sequenceNumber": BIGINT,
    "enqueuedTime": TIMESTAMP,
    "publisher": STRING,
    "partitionKey": STRING,
}


def event_hubs(types: Types = "by-use", *, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read the columns of the connector azure-event-hubs-spark.

    ``enqueuedTime``, the time at which the service received the message, is JMSTimestamp.

    Args:
        types: How text is read as values: see ``transpiler.stores``.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    source = TextProperties(("properties",), text_types(types))
    own = key_places(TextProperties(("systemProperties",), text_types("string")), _SYSTEM_KEYS)
    own["JMSTimestamp"] = column_place("JMSTimestamp", "enqueuedTime", TIMESTAMP)
    return replace(make_store("event-hubs", source, own, headers, _EVENT_HUBS), jms_keys=True)
