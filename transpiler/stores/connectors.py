"""Record values and columns of connectors: Confluent, Lenses, Pulsar, Solace."""

from __future__ import annotations

from transpiler.ir.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    STRING,
    TIMESTAMP,
    Path,
    SparkType,
)
from transpiler.layouts.header_places import (
    Columns,
    HeaderPlace,
    Headers,
    PropertyPlace,
)
from transpiler.layouts.header_readings import Base64Text, Flag, Integer, Time
from transpiler.layouts.property_source import TaggedTexts, TextProperties, TypedPlaces
from transpiler.layouts.store import StoreLayout
from transpiler.layouts.text_types import Types, text_types
from transpiler.message.types import AmqpType
from transpiler.stores.build import (
    INT,
    NO_HEADERS,
    column_place,
    key_places,
    make_store,
)

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


def confluent_jms(column: str | None = None, *, headers: Headers = NO_HEADERS) -> StoreLayout:
    """The record value of Confluent's JMS connectors, ``io.confluent.connect.jms.Value``.

    ``column`` is the struct that has it, where it is not at the top.
    """
    within: Path = () if column is None else (column,)
    tag = {kind: member for member, kind in _CONFLUENT_MEMBERS}
    source = TypedPlaces(_CONFLUENT_MEMBERS, (*within, "properties"), ("propertyType", tag))
    own = {
        "JMSMessageID": column_place("JMSMessageID", (*within, "messageID"), STRING),
        "JMSTimestamp": column_place("JMSTimestamp", (*within, "timestamp"), BIGINT),
        "JMSDeliveryMode": column_place("JMSDeliveryMode", (*within, "deliveryMode"), INT),
        "JMSCorrelationID": column_place("JMSCorrelationID", (*within, "correlationID"), STRING),
        "JMSReplyTo": column_place("JMSReplyTo", (*within, "replyTo", "name"), STRING),
        "JMSDestination": column_place("JMSDestination", (*within, "destination", "name"), STRING),
        "JMSRedelivered": column_place("JMSRedelivered", (*within, "redelivered"), BOOLEAN),
        "JMSType": column_place("JMSType", (*within, "type"), STRING),
        "JMSExpiration": column_place("JMSExpiration", (*within, "expiration"), BIGINT),
        "JMSPriority": column_place("JMSPriority", (*within, "priority"), INT),
    }
    return make_store("confluent-jms", source, own, headers, {})


def lenses_jms(types: Types = "by-use", *, column: str | None = None, headers: Headers = NO_HEADERS) -> StoreLayout:
    """The record value of Lenses' Stream Reactor JMS source, whose properties are text."""
    within: Path = () if column is None else (column,)
    source = TextProperties((*within, "properties"), text_types(types))
    own = {
        "JMSMessageID": column_place("JMSMessageID", (*within, "message_id"), STRING),
        "JMSTimestamp": column_place("JMSTimestamp", (*within, "message_timestamp"), BIGINT),
        "JMSDeliveryMode": column_place("JMSDeliveryMode", (*within, "mode"), INT),
        "JMSCorrelationID": column_place("JMSCorrelationID", (*within, "correlation_id"), STRING),
        "JMSReplyTo": column_place("JMSReplyTo", (*within, "reply_to"), STRING),
        "JMSDestination": column_place("JMSDestination", (*within, "destination"), STRING),
        "JMSRedelivered": column_place("JMSRedelivered", (*within, "redelivered"), BOOLEAN),
        "JMSType": column_place("JMSType", (*within, "type"), STRING),
        "JMSPriority": column_place("JMSPriority", (*within, "priority"), INT),
    }
    return make_store("lenses-jms", source, own, headers, {})


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


def pulsar_jms(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Messages of Pulsar's JMS client as the Pulsar connector reads them; ``__publishTime`` is JMSTimestamp."""
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
    """Columns of Solace's Spark connector with ``includeHeaders``; a priority of -1 is none."""
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
