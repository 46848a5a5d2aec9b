"""ActiveMQ and Artemis: events of AWS Lambda, exports, and browses over JMX."""

from __future__ import annotations

from transpiler.ir.column_types import (
    BIGINT,
    BOOLEAN,
    STRING,
    SparkType,
)
from transpiler.layouts.header_places import (
    Columns,
    ConstantPlace,
    HeaderPlace,
    Headers,
    PropertyPlace,
)
from transpiler.layouts.header_readings import Mode, Text, Time
from transpiler.layouts.property_source import TaggedTexts, TextProperties, TypedPlaces
from transpiler.layouts.store import StoreLayout
from transpiler.layouts.text_types import Types, text_types
from transpiler.message.types import AmqpType
from transpiler.stores.build import (
    INT,
    NO_HEADERS,
    column_place,
    make_store,
)


def aws_activemq(types: Types = "by-use", *, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Events that AWS Lambda gets from Amazon MQ for ActiveMQ; a text that is not set is empty there."""
    blank = Text(blank_is_none=True)
    own = {
        "JMSMessageID": column_place("JMSMessageID", "messageID", STRING),
        "JMSTimestamp": column_place("JMSTimestamp", "timestamp", BIGINT),
        "JMSDeliveryMode": column_place("JMSDeliveryMode", "deliveryMode", INT),
        "JMSCorrelationID": column_place("JMSCorrelationID", "correlationID", STRING, blank),
        "JMSReplyTo": column_place("JMSReplyTo", "replyTo", STRING, blank),
        "JMSDestination": column_place("JMSDestination", ("destination", "physicalName"), STRING),
        "JMSRedelivered": column_place("JMSRedelivered", "redelivered", BOOLEAN),
        "JMSType": column_place("JMSType", "type", STRING, blank),
        "JMSExpiration": column_place("JMSExpiration", "expiration", BIGINT),
        "JMSPriority": column_place("JMSPriority", "priority", INT),
    }
    columns: Columns = {"brokerInTime": BIGINT, "brokerOutTime": BIGINT, "messageType": STRING}
    return make_store("aws-activemq", TextProperties(("properties",), text_types(types)), own, headers, columns)


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


def artemis_xml(*, headers: Headers = NO_HEADERS) -> StoreLayout:
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
        "JMSPriority": column_place("JMSPriority", "_priority", INT),
        "JMSTimestamp": column_place("JMSTimestamp", "_timestamp", BIGINT),
        "JMSExpiration": column_place("JMSExpiration", "_expiration", BIGINT),
        "JMSMessageID": column_place("JMSMessageID", "_user-id", STRING),
        "JMSDeliveryMode": HeaderPlace(ConstantPlace(True), Mode()),
        "JMSXGroupID": HeaderPlace(PropertyPlace(source, "_AMQ_GROUP_ID"), Text()),
    }
    return make_store("artemis-xml", source, own, headers, {"_id": BIGINT, "_type": STRING})


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


def artemis_jolokia(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """A browse of an Artemis queue over JMX with Jolokia."""
    own = {
        "JMSPriority": column_place("JMSPriority", "priority", INT),
        "JMSDeliveryMode": column_place("JMSDeliveryMode", "durable", BOOLEAN),
        "JMSTimestamp": column_place("JMSTimestamp", "timestamp", BIGINT),
        "JMSExpiration": column_place("JMSExpiration", "expiration", BIGINT),
        "JMSMessageID": column_place("JMSMessageID", "userID", STRING),
        "JMSDestination": column_place("JMSDestination", "address", STRING),
        "exchange": column_place("exchange", "address", STRING),
        "JMSRedelivered": column_place("JMSRedelivered", "redelivered", BOOLEAN),
    }
    return make_store("artemis-jolokia", TypedPlaces(_JOLOKIA_MAPS), own, headers, {"protocol": STRING, "type": INT})


def activemq_jolokia(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """A browse of an ActiveMQ Classic queue over JMX with Jolokia; its times are ISO 8601 in whole seconds."""
    texts = ("JMSMessageID", "JMSType", "JMSCorrelationID", "JMSDestination", "JMSReplyTo", "JMSXGroupID", "JMSXUserID")
    own = {name: column_place(name, name, STRING) for name in texts}
    own |= {
        "JMSTimestamp": column_place(
            "JMSTimestamp", "JMSTimestamp", STRING, Time(pattern="yyyy-MM-dd'T'HH:mm:ss[.SSS]X")
        ),
        "JMSDeliveryMode": column_place("JMSDeliveryMode", "JMSDeliveryMode", STRING, Mode(named_only=True)),
        "JMSPriority": column_place("JMSPriority", "JMSPriority", INT),
        "JMSRedelivered": column_place("JMSRedelivered", "JMSRedelivered", BOOLEAN),
        "JMSExpiration": column_place("JMSExpiration", "JMSExpiration", BIGINT),
        "JMSXGroupSeq": column_place("JMSXGroupSeq", "JMSXGroupSeq", INT),
    }
    return make_store("activemq-jolokia", TypedPlaces(_JOLOKIA_MAPS), own, headers, {"Text": STRING})
