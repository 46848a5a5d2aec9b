"""The header fields of the default dialect, and where AMQP keeps them.

A JMS name yields JMS's value: a delivery mode as text, a priority no higher than 9, an absent timestamp as 0. The
``amqp.`` name of a field yields the field itself under the coercion table, with AMQP's own default.

Sources: the Apache AMQP filter document, section 2.2, Figure 1; the older filter document, selector-filter, for the
``amqp.`` names; the JMS mapping, working draft 10, sections 3.2, 3.3, 4, 5.1 and 9; AMQP 1.0, section 3.2, for the
defaults of the header section.
"""

from __future__ import annotations

from transpiler.message.header_fields import (
    DELIVERY_MODES,
    DESTINATION,
    NOW,
    Conversion,
    HeaderField,
    HeaderFields,
    MessageField,
    Origin,
    by_name,
)
from transpiler.message.operand_types import OperandType

#: The prefixes of all ``amqp.`` names, and of those of message annotations.
WIRE, ANNOTATION = "amqp.", "amqp.annotation."


def _from(section: str, field: str, conversion: Conversion = Conversion.AS_IS) -> Origin:
    return Origin((MessageField(section, field),), conversion)


_CREATED = _from("properties", "creation_time")
_ANNOTATED_TYPES = (
    _from("message_annotations", "x-opt-jms-type"),
    # The name of the older filter document.
    _from("message_annotations", "jms-type"),
)

_JMS = (
    HeaderField(
        "JMSMessageID",
        OperandType.STRING,
        (_from("properties", "message_id", Conversion.MESSAGE_ID),),
        source="filters 2.2; mapping 3.2.1.1, 3.3.2",
    ),
    HeaderField("JMSTimestamp", OperandType.LONG, (_CREATED,), default=0, source="filters 2.2; mapping 3.3.2"),
    HeaderField(
        "JMSCorrelationID",
        OperandType.STRING,
        (_from("properties", "correlation_id", Conversion.CORRELATION_ID),),
        source="filters 2.2; mapping 3.2.1.1, 3.3.2",
    ),
    HeaderField(
        "JMSReplyTo",
        OperandType.STRING,
        (_from("properties", "reply_to"),),
        source="filters 2.2; mapping 3.3.2",
        restricted=True,
    ),
    HeaderField(
        "JMSDestination",
        OperandType.STRING,
        # "If the to field … was not set on a received message, the JMSDestination header value SHOULD be derived from
        # the Destination to which the receiving consumer was established."
        (_from("properties", "to"), Origin((DESTINATION,))),
        source="filters 2.2; mapping 3.3.2, 5.1",
        restricted=True,
    ),
    HeaderField(
        "JMSDeliveryMode",
        OperandType.STRING,
        (_from("header", "durable", Conversion.DELIVERY_MODE),),
        default=DELIVERY_MODES[False],
        source="filters 2.2; mapping 3.3.1",
    ),
    HeaderField(
        "JMSRedelivered",
        OperandType.BOOLEAN,
        (_from("header", "delivery_count", Conversion.REDELIVERED),),
        default=False,
        source="filters 2.2; mapping 3.3.1",
        restricted=True,
    ),
    HeaderField(
        "JMSType",
        OperandType.STRING,
        # The three standards disagree; every broker reads the subject.
        (_from("properties", "subject"), *_ANNOTATED_TYPES),
        source="filters 2.2; mapping 3.3.2",
    ),
    HeaderField(
        "JMSExpiration",
        OperandType.LONG,
        (
            _from("properties", "absolute_expiry_time"),
            # "… by summing it with the current time". An archive has no time of receipt, so the time of creation
            # comes first.
            Origin(
                (MessageField("header", "ttl"), MessageField("properties", "creation_time"), NOW), Conversion.EXPIRY
            ),
        ),
        default=0,
        source="filters 2.2; mapping 3.3.1, 3.3.2",
        restricted=True,
    ),
    HeaderField(
        "JMSPriority",
        OperandType.INT,
        (_from("header", "priority", Conversion.PRIORITY),),
        default=4,
        source="filters 2.2; mapping 3.3.1",
    ),
    HeaderField(
        "JMSDeliveryTime",
        OperandType.LONG,
        (_from("message_annotations", "x-opt-delivery-time", Conversion.INTEGER), _CREATED),
        default=0,
        source="mapping 9",
        restricted=True,
    ),
)

_JMSX = (
    HeaderField(
        "JMSXUserID",
        OperandType.STRING,
        (_from("properties", "user_id", Conversion.TEXT),),
        source="mapping 3.2.2, 3.3.2",
    ),
    HeaderField(
        "JMSXAppID",
        OperandType.STRING,
        (_from("application_properties", "JMSXAppID"),),
        source="mapping 3.2.2",
    ),
    HeaderField(
        "JMSXDeliveryCount",
        OperandType.INT,
        (_from("header", "delivery_count", Conversion.DELIVERY_COUNT),),
        default=1,
        source="mapping 3.3.1",
    ),
    HeaderField("JMSXGroupID", OperandType.STRING, (_from("properties", "group_id"),), source="mapping 3.3.2"),
    HeaderField(
        "JMSXGroupSeq",
        OperandType.INT,
        (_from("properties", "group_sequence", Conversion.GROUP_SEQUENCE),),
        source="mapping 3.3.2",
    ),
    HeaderField(
        "JMSXProducerTXID",
        OperandType.STRING,
        (),
        source="mapping 3.2.2",
        unavailable_because="AMQP has no field for the producer's transaction",
    ),
    HeaderField(
        "JMSXConsumerTXID",
        OperandType.STRING,
        (),
        source="mapping 3.2.2",
        unavailable_because="the consumer's transaction is set on receipt and is never on the wire",
    ),
    HeaderField(
        "JMSXRcvTimestamp",
        OperandType.LONG,
        (),
        source="mapping 3.2.2",
        unavailable_because="the time of receipt is set by the consumer's client and is never on the wire",
    ),
    HeaderField(
        "JMSXState", OperandType.INT, (), source="mapping 3.2.2", unavailable_because="AMQP has no counterpart of it"
    ),
)

_VENDOR = (
    HeaderField("JMS_AMQP_TTL", OperandType.LONG, (_from("header", "ttl"),), source="mapping 4"),
    HeaderField(
        "JMS_AMQP_FIRST_ACQUIRER",
        OperandType.BOOLEAN,
        (_from("header", "first_acquirer"),),
        source="mapping 3.3.1, 4",
    ),
    HeaderField(
        "JMS_AMQP_REPLY_TO_GROUP_ID",
        OperandType.STRING,
        (_from("properties", "reply_to_group_id"),),
        source="mapping 3.3.2, 4",
    ),
)


def _wire(
    section: str,
    field: str,
    operand_type: OperandType,
    default: bool | int | None = None,
    conversion: Conversion = Conversion.AS_IS,
) -> HeaderField:
    origins = (_from(section, field, conversion),)
    return HeaderField(f"{WIRE}{field}", operand_type, origins, default, source="filters (XML), selector-filter")


_AMQP = (
    _wire("header", "durable", OperandType.BOOLEAN, False),
    _wire("header", "priority", OperandType.SHORT, 4),
    _wire("header", "ttl", OperandType.LONG),
    _wire("header", "first_acquirer", OperandType.BOOLEAN, False),
    _wire("header", "delivery_count", OperandType.LONG, 0),
    # An id is a string, a ulong (long), a uuid or binary (byte[]).
    _wire("properties", "message_id", OperandType.STRING, conversion=Conversion.ANY_ID),
    _wire("properties", "user_id", OperandType.BYTES),
    _wire("properties", "to", OperandType.STRING),
    _wire("properties", "subject", OperandType.STRING),
    _wire("properties", "reply_to", OperandType.STRING),
    _wire("properties", "correlation_id", OperandType.STRING, conversion=Conversion.ANY_ID),
    _wire("properties", "content_type", OperandType.STRING),
    _wire("properties", "content_encoding", OperandType.STRING),
    _wire("properties", "absolute_expiry_time", OperandType.LONG),
    _wire("properties", "creation_time", OperandType.LONG),
    _wire("properties", "group_id", OperandType.STRING),
    _wire("properties", "group_sequence", OperandType.LONG),
    _wire("properties", "reply_to_group_id", OperandType.STRING),
    HeaderField(
        "amqp.jms_type", OperandType.STRING, _ANNOTATED_TYPES, source="filters 2.2; filters (XML), selector-filter"
    ),
)

#: Every name that is no application property, but for those of annotations.
JMS_FIELDS = HeaderFields(
    by_name(*_JMS, *_JMSX, *_VENDOR, *_AMQP),
    wire_prefix=WIRE,
    annotation_prefix=ANNOTATION,
)
