"""RabbitMQ: its tracing log, answers of its management API, and events of AWS Lambda."""

from __future__ import annotations

from collections.abc import Mapping

from transpiler.ir.column_types import (
    BIGINT,
    BOOLEAN,
    STRING,
    ColumnType,
)
from transpiler.layouts.header_places import (
    Columns,
    HeaderPlace,
    Headers,
    VariantPlace,
)
from transpiler.layouts.header_readings import Integer, Mode, Reading, Text, Time, TimeUnit
from transpiler.layouts.property_source import VariantObject
from transpiler.layouts.store import StoreLayout
from transpiler.stores.build import (
    INT,
    NO_HEADERS,
    column_place,
    make_store,
)

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


def rabbitmq_trace(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Entries of RabbitMQ's tracing log in JSON, with ``properties`` as VARIANT: ``spark_ext.read_rabbitmq_trace``.

    JMSType is the basic property ``type``, and JMSTimestamp the basic property ``timestamp``, in seconds.
    """
    own = _basic_properties() | {"exchange": column_place("exchange", "exchange", STRING)}
    columns: Columns = {"timestamp": STRING, "type": STRING, "exchange": STRING, "queue": STRING, "vhost": STRING}
    return make_store("rabbitmq-trace", VariantObject(("properties",), ("headers",)), own, headers, columns)


def rabbitmq_get(*, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Answers of RabbitMQ's management API, ``POST /api/queues/<vhost>/<queue>/get``, ``properties`` as VARIANT."""
    own = _basic_properties() | {
        "exchange": column_place("exchange", "exchange", STRING),
        "routing-key": column_place("routing-key", "routing_key", STRING),
        "JMSRedelivered": column_place("JMSRedelivered", "redelivered", BOOLEAN),
    }
    return make_store("rabbitmq-get", VariantObject(("properties",), ("headers",)), own, headers, {})


def aws_rabbitmq(*, headers: Headers = NO_HEADERS) -> StoreLayout:
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
        name: column_place(name, ("basicProperties", field), column_type, reading)
        for name, (field, column_type, reading) in fields.items()
    }
    own["JMSRedelivered"] = column_place("JMSRedelivered", "redelivered", BOOLEAN)
    source = VariantObject(("basicProperties", "headers"), text_key="bytes")
    return make_store("aws-rabbitmq", source, own, headers, {"queue": STRING})
