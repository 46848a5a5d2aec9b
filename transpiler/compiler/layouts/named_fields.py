"""The names that columns and options of layouts use for header fields."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from transpiler.message.header_fields import MessageField

#: The AMQP fields that a store can contain, by their names in JMS or in a broker.
FIELDS: Mapping[str, MessageField] = MappingProxyType(
    {
        "JMSPriority": MessageField("header", "priority"),
        "JMSDeliveryMode": MessageField("header", "durable"),
        "JMSRedelivered": MessageField("delivery_properties", "redelivered"),
        "JMSXDeliveryCount": MessageField("header", "delivery_count"),
        "JMS_AMQP_TTL": MessageField("header", "ttl"),
        "JMSType": MessageField("properties", "subject"),
        "JMSTimestamp": MessageField("properties", "creation_time"),
        "JMSExpiration": MessageField("properties", "absolute_expiry_time"),
        "JMSMessageID": MessageField("properties", "message_id"),
        "JMSCorrelationID": MessageField("properties", "correlation_id"),
        "JMSReplyTo": MessageField("properties", "reply_to"),
        "JMSDestination": MessageField("properties", "to"),
        "JMSXUserID": MessageField("properties", "user_id"),
        "JMSXGroupID": MessageField("properties", "group_id"),
        "JMSXGroupSeq": MessageField("properties", "group_sequence"),
        "content-type": MessageField("properties", "content_type"),
        "content-encoding": MessageField("properties", "content_encoding"),
        "exchange": MessageField("delivery_properties", "exchange"),
        "routing-key": MessageField("delivery_properties", "routing_key"),
    }
)
#: The inverse of ``FIELDS``: the name of each field.
NAMES: Mapping[MessageField, str] = MappingProxyType({message_field: name for name, message_field in FIELDS.items()})
