"""The header fields of each broker. ``default`` is the value that a selector sees if the message lacks the field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from transpiler.message.header_fields import (
    DELIVERY_MODES,
    DESTINATION,
    NOW,
    PROPERTIES,
    Conversion,
    HeaderField,
    HeaderFields,
    MessageField,
    Origin,
    by_name,
    field_at,
)
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.message.operand_types import OperandType
from transpiler.message.sections import PROPERTY_TYPES
from transpiler.message.types import INTEGER_RANGES, AmqpType


def _null(name: str) -> HeaderField:
    """Return a header field ``name`` that is NULL for every message."""
    return HeaderField(name, OperandType.STRING, ())


def _or_property(field: HeaderField) -> HeaderField:
    """Return ``field`` with an additional origin: the application property of the same name, if the field is absent."""
    return replace(field, origins=(*field.origins, Origin((MessageField(PROPERTIES, field.name),))))


def _renamed(field: HeaderField, name: str) -> HeaderField:
    return replace(field, name=name)


def _expiration(conversion: Conversion) -> HeaderField:
    """Return the field JMSExpiration: the message's expiry time, or else its ttl added to its time of arrival."""
    expiry = Origin((MessageField("properties", "absolute_expiry_time"),))
    end = Origin((MessageField("header", "ttl"), NOW), conversion)
    return HeaderField("JMSExpiration", OperandType.LONG, (expiry, end), default=0)


_MODE = field_at(
    "JMSDeliveryMode", "header", "durable", conversion=Conversion.DELIVERY_MODE, default=DELIVERY_MODES[False]
)
_PRIORITY = field_at("JMSPriority", "header", "priority", OperandType.INT, default=4)
_MESSAGE_ID = field_at("JMSMessageID", "properties", "message_id", conversion=Conversion.STRING_ID)
_CORRELATION = field_at("JMSCorrelationID", "properties", "correlation_id", conversion=Conversion.STRING_ID)
_TIMESTAMP = field_at("JMSTimestamp", "properties", "creation_time", OperandType.LONG, default=0)
_EXPIRATION = _expiration(Conversion.EXPIRY)
_TYPE = field_at("JMSType", "properties", "subject")
_REPLY_TO = field_at("JMSReplyTo", "properties", "reply_to")
_TO = field_at("JMSDestination", "properties", "to")
_REDELIVERED = field_at(
    "JMSRedelivered", "header", "delivery_count", OperandType.BOOLEAN, Conversion.REDELIVERED, default=False
)
_GROUP = field_at("JMSXGroupID", "properties", "group_id")
_SEQUENCE = field_at("JMSXGroupSeq", "properties", "group_sequence", OperandType.INT)
_USER = field_at("JMSXUserID", "properties", "user_id", conversion=Conversion.TEXT_OF_BYTES)

#: The header fields of ActiveMQ Classic. A field that is a Java primitive in JMS, such as an int, has a default instead
#: of NULL.
CLASSIC_FIELDS = HeaderFields(
    by_name(
        _MODE,
        _PRIORITY,
        _MESSAGE_ID,
        _CORRELATION,
        _TIMESTAMP,
        _expiration(Conversion.EXPIRY_UNLESS_ZERO),
        _TYPE,
        _REPLY_TO,
        # The broker adds the destination to a message that arrives without one.
        replace(_TO, origins=(*_TO.origins, Origin((DESTINATION,)))),
        _REDELIVERED,
        _GROUP,
        replace(_SEQUENCE, default=0),
        field_at(
            "JMSXDeliveryCount", "header", "delivery_count", OperandType.INT, Conversion.DELIVERY_COUNT, default=1
        ),
        _USER,
    )
)

_DURABILITY = field_at("AMQDurable", "header", "durable", conversion=Conversion.DURABILITY, default="NON_DURABLE")
_USER_ID = field_at("AMQUserID", "properties", "message_id", conversion=Conversion.PREFIXED_ID)


def _annotation_keys(name: str) -> tuple[str, ...]:
    """Return the annotation keys under which Artemis finds the value of ``name``, in order of precedence.

    For a name that begins with ``_AMQ_``, the first key is the one in AMQP messages: ``_AMQ_LVQ_NAME`` is
    ``x-opt-LVQ-NAME`` there.
    """
    if name.startswith("_AMQ_"):
        return f"x-opt-{name.removeprefix('_AMQ_').replace('_', '-')}", name
    return (name,)


_SIZE = "the number of bytes in which the broker holds the message, which no message carries"

#: The header fields that filters in Artemis' configuration can name. The broker reads them from the header and
#: properties sections (``AMQPMessage.getObjectProperty``). No client rewrites JMS names here, so any other name is an
#: application property.
_OWN_NAMES = (
    _DURABILITY,
    _renamed(_PRIORITY, "AMQPriority"),
    _USER_ID,
    _renamed(_TIMESTAMP, "AMQTimestamp"),
    _renamed(_EXPIRATION, "AMQExpiration"),
    _or_property(_renamed(_GROUP, "AMQGroupID")),
    _or_property(_renamed(_TO, "AMQAddress")),
    _or_property(_CORRELATION),
    _or_property(_TYPE),
    _or_property(_REPLY_TO),
    _GROUP,
    _SEQUENCE,
    _USER,
)

#: The header fields in Artemis' own filters: broker.xml, diverts, management, and consumers of the core API.
ARTEMIS_CORE_FIELDS = HeaderFields(
    by_name(*_OWN_NAMES),
    annotation_prefix="m.",
    annotation_keys=_annotation_keys,
    unreadable=MappingProxyType({"AMQSize": _SIZE, "AMQFullSize": _SIZE}),
    rewritten_for_clients=MappingProxyType(
        {
            "JMSDeliveryMode": "AMQDurable",
            "JMSPriority": "AMQPriority",
            "JMSMessageID": "AMQUserID",
            "JMSTimestamp": "AMQTimestamp",
            "JMSExpiration": "AMQExpiration",
            "JMSXGroupID": "AMQGroupID",
        }
    ),
)

#: The header fields in the selectors of JMS clients for Artemis. The client replaces these JMS names by the broker's
#: own names, and each string literal 'PERSISTENT' or 'NON_PERSISTENT' by the broker's word.
ARTEMIS_FIELDS = replace(
    ARTEMIS_CORE_FIELDS,
    table=by_name(
        *_OWN_NAMES,
        _renamed(_DURABILITY, "JMSDeliveryMode"),
        _PRIORITY,
        _renamed(_USER_ID, "JMSMessageID"),
        _TIMESTAMP,
        _EXPIRATION,
        # Artemis' ``SelectorTranslator`` replaces JMSXGroupID by AMQGroupID, which the broker reads from the group id
        # or, if it is absent, from the application property AMQGroupID.
        _renamed(_or_property(_renamed(_GROUP, "AMQGroupID")), "JMSXGroupID"),
        _null("JMSDestination"),
        _null("JMSRedelivered"),
        _null("JMSXDeliveryCount"),
    ),
    rewritten=(("PERSISTENT", "DURABLE"), ("NON_PERSISTENT", "NON_DURABLE")),
    rewritten_for_clients=MappingProxyType({}),
)

#: The header fields of Broker-J. The destination is always NULL; names with JMSX are application properties.
QPID_JAVA_FIELDS = HeaderFields(
    by_name(
        _MODE,
        _PRIORITY,
        _MESSAGE_ID,
        _renamed(_MESSAGE_ID, "AMQMessageID"),
        _CORRELATION,
        _TIMESTAMP,
        _EXPIRATION,
        _TYPE,
        _REPLY_TO,
        _REDELIVERED,
        _null("JMSDestination"),
    )
)

_ENQUEUED = field_at(
    "JMSTimestamp", "properties", "creation_time", OperandType.LONG, Conversion.WHOLE_SECONDS, default=0
)

#: The header fields of Qpid's C++ broker. It reserves the prefixes ``amqp.`` and ``JMS``: any other name with such a
#: prefix is NULL.
QPID_CPP_FIELDS = HeaderFields(
    by_name(
        _MODE,
        _renamed(_MODE, "amqp.delivery_mode"),
        _PRIORITY,
        _renamed(_PRIORITY, "amqp.priority"),
        _MESSAGE_ID,
        _renamed(_MESSAGE_ID, "amqp.message_id"),
        _CORRELATION,
        _renamed(_CORRELATION, "amqp.correlation_id"),
        _ENQUEUED,
        _renamed(_ENQUEUED, "amqp.creation_time"),
        _EXPIRATION,
        _renamed(_EXPIRATION, "amqp.absolute_expiry_time"),
        _TYPE,
        _renamed(_TYPE, "amqp.subject"),
        HeaderField(
            "amqp.jms_type",
            OperandType.STRING,
            # The annotation and the subject belong to one origin: if the annotation exists, the broker does not read
            # the subject, even if the annotation's type is one that a selector cannot read.
            (Origin((MessageField("message_annotations", "jms-type"), MessageField("properties", "subject"))),),
        ),
        _REPLY_TO,
        _renamed(_REPLY_TO, "amqp.reply_to"),
        _TO,
        _renamed(_TO, "amqp.to"),
        _REDELIVERED,
        _renamed(_REDELIVERED, "amqp.redelivered"),
    ),
    hidden=("JMS", "amqp."),
)

#: The header fields in selectors for RabbitMQ's JMS client: the six fields that the client adds to each message it
#: publishes.
RABBITMQ_JMS_FIELDS = HeaderFields(
    by_name(
        _MODE,
        _PRIORITY,
        _or_property(_MESSAGE_ID),
        _or_property(_CORRELATION),
        _TIMESTAMP,
        _or_property(_TYPE),
    )
)


def _sections(*fields: HeaderField) -> Mapping[tuple[str, str], HeaderField]:
    return MappingProxyType(
        {
            (message_field.section, message_field.field): field
            for field in fields
            for message_field in field.message_fields
        }
    )


def _property_of_section(name: str, types: tuple[AmqpType, ...]) -> HeaderField:
    """Return the header field ``properties.<name>``: a number if all AMQP ``types`` are integers, otherwise text.

    A binary field becomes a text that keeps all bytes, even those that are not valid UTF-8.
    """
    kind = OperandType.LONG if INTEGER_RANGES.keys() >= set(types) else OperandType.STRING
    conversion = Conversion.TEXT_OF_BYTES if types == (AmqpType.BINARY,) else Conversion.AS_IS
    return field_at(f"properties.{name}", "properties", name, kind, conversion)


#: The fields that RabbitMQ's SQL filter can read, by section, such as ``properties.subject``. It has no JMS headers:
#: JMSPriority is the application property of this name.
RABBITMQ_FIELDS = HeaderFields(
    MappingProxyType({}),
    sections=_sections(
        field_at("header.priority", "header", "priority", OperandType.LONG, default=4),
        *(_property_of_section(name, types) for name, types in PROPERTY_TYPES.items()),
    ),
    section_prefixes=MappingProxyType(
        {
            "h": "header",
            "header": "header",
            "p": "properties",
            "properties": "properties",
            "a": PROPERTIES,
            "application_properties": PROPERTIES,
        }
    ),
)


_TABLES = (CLASSIC_FIELDS, ARTEMIS_FIELDS, QPID_JAVA_FIELDS, QPID_CPP_FIELDS, RABBITMQ_JMS_FIELDS, JMS_FIELDS)


@cache
def names_header_field(name: str) -> bool:
    """Return True if any dialect reads ``name`` as a header field, and not as an application property."""
    return any(fields.find(name) is not None for fields in _TABLES)
