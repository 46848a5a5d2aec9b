"""The header fields of each broker, where they differ from the default dialect's table.

A broker's name is looked up here first; every other name is an application property. Defaults are what the broker
shows for a field that the message does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from transpiler.message.fields import DESTINATION, MessageField
from transpiler.message.operand_types import OperandType


class Reading(Enum):
    """The conversion from a field of the message to the value that the broker shows."""

    AS_IS = "as is"
    #: durable as 'PERSISTENT' or 'NON_PERSISTENT'.
    DELIVERY_MODE = "delivery mode"
    #: durable as 'DURABLE' or 'NON_DURABLE'.
    DURABILITY = "durability"
    #: The text of a string id.
    ID = "id"
    #: The text of a string id, with ID: before it where it lacks that.
    PREFIXED_ID = "id with ID: before it"
    #: True if the delivery count is above zero.
    REDELIVERED = "redelivered"
    #: The delivery count and one.
    DELIVERIES = "deliveries"
    #: Milliseconds, cut to whole seconds.
    WHOLE_SECONDS = "whole seconds"
    #: Bytes as text.
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class BrokerField:
    """A header field: its name, its places in order of precedence, their conversion, and the default value."""

    name: str
    places: tuple[MessageField, ...]
    type: OperandType = OperandType.STRING
    reading: Reading = Reading.AS_IS
    default: bool | int | str | None = None
    #: True if an application property of that name stands in for an absent field.
    or_property: bool = False
    #: Milliseconds from the message's arrival: the field is their end where no place has a value.
    lifetime: MessageField | None = None
    #: True if a lifetime of 0 has no end.
    zero_is_for_ever: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class BrokerFields:
    """The names of fields, and the prefixes of names that the broker keeps for itself and answers with NULL."""

    table: Mapping[str, BrokerField]
    hidden: tuple[str, ...] = ()
    #: String literals that the broker rewrites wherever they stand.
    rewritten: tuple[tuple[str, str], ...] = ()

    def find(self, name: str) -> BrokerField | None:
        """Return the field of that name, without places if it is hidden; None for an application property."""
        entry = self.table.get(name)
        if entry is None and self.hidden and name.startswith(self.hidden):
            return BrokerField(name, ())
        return entry


def _property(name: str, field: str, **more: object) -> BrokerField:
    return BrokerField(name, (MessageField("properties", field),), **more)  # type: ignore[arg-type]


def _header(name: str, field: str, **more: object) -> BrokerField:
    return BrokerField(name, (MessageField("header", field),), **more)  # type: ignore[arg-type]


def _fields(*fields: BrokerField) -> Mapping[str, BrokerField]:
    return MappingProxyType({field.name: field for field in fields})


def _or_property(field: BrokerField) -> BrokerField:
    return replace(field, or_property=True)


def _renamed(field: BrokerField, name: str) -> BrokerField:
    return replace(field, name=name)


_MODE = _header("JMSDeliveryMode", "durable", reading=Reading.DELIVERY_MODE, default=False)
_PRIORITY = _header("JMSPriority", "priority", type=OperandType.INT, default=4)
_MESSAGE_ID = _property("JMSMessageID", "message_id", reading=Reading.ID)
_CORRELATION = _property("JMSCorrelationID", "correlation_id", reading=Reading.ID)
_TIMESTAMP = _property("JMSTimestamp", "creation_time", type=OperandType.LONG, default=0)
#: Every broker adds the ttl to the time of arrival where the message has no time of expiry.
_EXPIRATION = _property(
    "JMSExpiration", "absolute_expiry_time", type=OperandType.LONG, default=0, lifetime=MessageField("header", "ttl")
)
_TYPE = _property("JMSType", "subject")
_REPLY_TO = _property("JMSReplyTo", "reply_to")
_TO = _property("JMSDestination", "to")
_REDELIVERED = _header(
    "JMSRedelivered", "delivery_count", type=OperandType.BOOLEAN, reading=Reading.REDELIVERED, default=0
)
_GROUP = _property("JMSXGroupID", "group_id")
_USER = _property("JMSXUserID", "user_id", reading=Reading.TEXT)

#: The default dialect has the table of ``message.fields``.
JMS_FIELDS = BrokerFields(MappingProxyType({}))

#: RabbitMQ's SQL filter has no JMS headers: such names are application properties.
NO_FIELDS = BrokerFields(MappingProxyType({}))

#: ActiveMQ Classic: what an absent field shows is never NULL where JMS has a primitive type.
CLASSIC_FIELDS = BrokerFields(
    _fields(
        _MODE,
        _PRIORITY,
        _MESSAGE_ID,
        _CORRELATION,
        _TIMESTAMP,
        replace(_EXPIRATION, zero_is_for_ever=True),
        _TYPE,
        _REPLY_TO,
        # The broker sets the destination of a message that arrives without one.
        replace(_TO, places=(*_TO.places, DESTINATION)),
        _REDELIVERED,
        _GROUP,
        _property("JMSXGroupSeq", "group_sequence", type=OperandType.INT, default=0),
        _header("JMSXDeliveryCount", "delivery_count", type=OperandType.INT, reading=Reading.DELIVERIES, default=0),
        _USER,
    )
)

_DURABILITY = _header("AMQDurable", "durable", reading=Reading.DURABILITY, default=False)
_USER_ID = _property("AMQUserID", "message_id", reading=Reading.PREFIXED_ID)

#: Artemis rewrites the text of the selector to its own names, the words of the delivery mode in any literal.
ARTEMIS_FIELDS = BrokerFields(
    _fields(
        _DURABILITY,
        _renamed(_DURABILITY, "JMSDeliveryMode"),
        _PRIORITY,
        _renamed(_PRIORITY, "AMQPriority"),
        _USER_ID,
        _renamed(_USER_ID, "JMSMessageID"),
        _or_property(_CORRELATION),
        _TIMESTAMP,
        _renamed(_TIMESTAMP, "AMQTimestamp"),
        _EXPIRATION,
        _renamed(_EXPIRATION, "AMQExpiration"),
        _or_property(_TYPE),
        _or_property(_REPLY_TO),
        _GROUP,
        _renamed(_GROUP, "AMQGroupID"),
        _property("JMSXGroupSeq", "group_sequence", type=OperandType.INT),
        _USER,
        _renamed(_TO, "AMQAddress"),
        BrokerField("JMSDestination", ()),
        BrokerField("JMSRedelivered", ()),
        BrokerField("JMSXDeliveryCount", ()),
    ),
    rewritten=(("PERSISTENT", "DURABLE"), ("NON_PERSISTENT", "NON_DURABLE")),
)

#: Broker-J: the destination is always NULL; the JMSX names are application properties.
QPID_JAVA_FIELDS = BrokerFields(
    _fields(
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
        BrokerField("JMSDestination", ()),
    )
)

_ENQUEUED = _property("JMSTimestamp", "creation_time", type=OperandType.LONG, reading=Reading.WHOLE_SECONDS, default=0)

#: The C++ broker: names of its own under ``amqp.``; every other name under ``amqp.`` or ``JMS`` is NULL.
QPID_CPP_FIELDS = BrokerFields(
    _fields(
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
        BrokerField(
            "amqp.jms_type", (MessageField("message_annotations", "jms-type"), MessageField("properties", "subject"))
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

#: RabbitMQ's JMS client puts six headers into the message that it publishes.
RABBITMQ_JMS_FIELDS = BrokerFields(
    _fields(
        _MODE,
        _PRIORITY,
        _or_property(_MESSAGE_ID),
        _or_property(_CORRELATION),
        _TIMESTAMP,
        _or_property(_TYPE),
    )
)

#: The fields behind ``header.`` and ``properties.`` of RabbitMQ's SQL filter, by section and field.
SECTION_FIELDS: Mapping[tuple[str, str], BrokerField] = MappingProxyType(
    {
        (place.section, place.field): field
        for field in (
            _header("header.priority", "priority", type=OperandType.LONG, default=4),
            _property("properties.message_id", "message_id"),
            _property("properties.user_id", "user_id", reading=Reading.TEXT),
            _property("properties.to", "to"),
            _property("properties.subject", "subject"),
            _property("properties.reply_to", "reply_to"),
            _property("properties.correlation_id", "correlation_id"),
            _property("properties.content_type", "content_type"),
            _property("properties.content_encoding", "content_encoding"),
            _property("properties.absolute_expiry_time", "absolute_expiry_time", type=OperandType.LONG),
            _property("properties.creation_time", "creation_time", type=OperandType.LONG),
            _property("properties.group_id", "group_id"),
            _property("properties.group_sequence", "group_sequence", type=OperandType.LONG),
            _property("properties.reply_to_group_id", "reply_to_group_id"),
        )
        for place in field.places
    }
)

#: The prefixes of names that say their section, and the section.
SECTION_PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "h": "header",
        "header": "header",
        "p": "properties",
        "properties": "properties",
        "a": "application_properties",
        "application_properties": "application_properties",
    }
)
