"""Record headers in Kafka: JMS and AMQP properties as connectors write them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from transpiler.errors import LayoutError
from transpiler.ir.column_types import (
    BIGINT,
    BINARY,
    STRING,
    TIMESTAMP,
)
from transpiler.layouts.header_places import (
    Columns,
    Headers,
)
from transpiler.layouts.property_source import TextProperties
from transpiler.layouts.store import StoreLayout
from transpiler.layouts.text_types import TextTypes, Types, text_types
from transpiler.stores.build import (
    INT,
    NO_HEADERS,
    key_places,
    make_store,
)

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
    """Record headers as Spark's Kafka source reads them: ARRAY<STRUCT<key: STRING, value: BINARY>>.

    ``prefix`` is that of the keys that are properties, and no part of their names. Of a key that is there twice the
    last one counts, or the first one.
    """
    if repeated not in ("last", "first"):
        raise LayoutError.at("layout.option", f"repeated is last or first, not {repeated!r}")
    source = _kafka_source(column, prefix, text_types(types), repeated == "first")
    return make_store("kafka-headers", source, {}, headers, _KAFKA)


def _kafka_source(column: str, prefix: str, types: TextTypes, first: bool = False) -> TextProperties:
    return TextProperties((column,), types, binary=True, prefix=prefix, entry=("key", "value"), repeated_first=first)


def confluent_rabbitmq(
    types: Types = "by-use", *, column: str = "headers", headers: Headers = NO_HEADERS
) -> StoreLayout:
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
    return make_store("confluent-rabbitmq", source, key_places(source, keys), headers, _KAFKA)


def camel_kafka(types: Types = "by-use", *, column: str = "headers", headers: Headers = NO_HEADERS) -> StoreLayout:
    """Record headers of Apache Camel's Kafka connectors, with the prefix ``CamelHeader.``, JMS headers among them."""
    store = make_store("camel-kafka", _kafka_source(column, "CamelHeader.", text_types(types)), {}, headers, _KAFKA)
    return replace(store, jms_keys=True)
