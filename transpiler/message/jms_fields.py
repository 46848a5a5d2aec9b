"""The header fields of the default dialect, and the AMQP fields that hold their values.

A JMS name yields the value that JMS defines: a delivery mode as text, a priority of at most 9, an absent timestamp as
0. The ``amqp.`` name of a field yields the AMQP field itself under the coercion table, with AMQP's own default.

Sources: the Apache AMQP filter document, section 2.2, Figure 1; the older filter document, selector-filter, for the
``amqp.`` names; the JMS mapping, working draft 10, sections 3.2, 3.3, 4, 5.1 and 9; AMQP 1.0, section 3.2, for the
defaults of the header section.
"""

from __future__ import annotations

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
from transpiler.message.operand_types import TYPED_JMS, OperandType
from transpiler.message.sections import FIELD_TYPES
from transpiler.message.types import AmqpType

#: ``WIRE``: the prefix of the names of AMQP fields. ``ANNOTATION``: the prefix of the names of message annotations.
WIRE, ANNOTATION = "amqp.", "amqp.annotation."


_CREATED = Origin((MessageField("properties", "creation_time"),))
_ANNOTATED_TYPES = (
    Origin((MessageField("message_annotations", "x-opt-jms-type"),)),
    # An older version of the Apache AMQP filter document names the annotation ``jms-type``.
    Origin((MessageField("message_annotations", "jms-type"),)),
)

_IDS = "filters 2.2; mapping 3.2.1.1, 3.3.2"
_PROPERTIES, _HEADER = "filters 2.2; mapping 3.3.2", "filters 2.2; mapping 3.3.1"

_JMS = (
    field_at("JMSMessageID", "properties", "message_id", conversion=Conversion.MESSAGE_ID, source=_IDS),
    HeaderField("JMSTimestamp", OperandType.LONG, (_CREATED,), default=0, source=_PROPERTIES),
    field_at("JMSCorrelationID", "properties", "correlation_id", conversion=Conversion.CORRELATION_ID, source=_IDS),
    field_at("JMSReplyTo", "properties", "reply_to", source=_PROPERTIES, restricted=True),
    HeaderField(
        "JMSDestination",
        OperandType.STRING,
        # JMS mapping: "If the to field … was not set on a received message, the JMSDestination header value SHOULD be
        # derived from the Destination to which the receiving consumer was established."
        (Origin((MessageField("properties", "to"),)), Origin((DESTINATION,))),
        source="filters 2.2; mapping 3.3.2, 5.1",
        restricted=True,
    ),
    field_at(
        "JMSDeliveryMode",
        "header",
        "durable",
        conversion=Conversion.DELIVERY_MODE,
        default=DELIVERY_MODES[False],
        source=_HEADER,
    ),
    field_at(
        "JMSRedelivered",
        "header",
        "delivery_count",
        OperandType.BOOLEAN,
        Conversion.REDELIVERED,
        default=False,
        source=_HEADER,
        restricted=True,
    ),
    HeaderField(
        "JMSType",
        OperandType.STRING,
        # The standards disagree whether JMSType is the subject or an annotation. Every broker reads the subject, so it
        # is the first origin.
        (Origin((MessageField("properties", "subject"),)), *_ANNOTATED_TYPES),
        source=_PROPERTIES,
    ),
    HeaderField(
        "JMSExpiration",
        OperandType.LONG,
        (
            Origin((MessageField("properties", "absolute_expiry_time"),)),
            # The JMS mapping computes the expiry from the ttl "… by summing it with the current time". A stored message
            # has no time of receipt, so use its creation time, and the current time only if that is absent.
            Origin((MessageField("header", "ttl"), *_CREATED.message_fields, NOW), Conversion.EXPIRY),
        ),
        default=0,
        source="filters 2.2; mapping 3.3.1, 3.3.2",
        restricted=True,
    ),
    field_at("JMSPriority", "header", "priority", OperandType.INT, Conversion.PRIORITY, default=4, source=_HEADER),
    HeaderField(
        "JMSDeliveryTime",
        OperandType.LONG,
        (Origin((MessageField("message_annotations", "x-opt-delivery-time"),), Conversion.INTEGER), _CREATED),
        default=0,
        source="mapping 9",
        restricted=True,
    ),
)


def _never(name: str, operand_type: OperandType, reason: str) -> HeaderField:
    """Return the header field ``name`` of the JMS standard, which no stored message can contain.

    ``reason`` states why, for errors.
    """
    return HeaderField(name, operand_type, (), source="mapping 3.2.2", unavailable_because=reason)


_JMSX = (
    field_at("JMSXUserID", "properties", "user_id", conversion=Conversion.TEXT, source="mapping 3.2.2, 3.3.2"),
    field_at("JMSXAppID", PROPERTIES, "JMSXAppID", source="mapping 3.2.2"),
    field_at(
        "JMSXDeliveryCount",
        "header",
        "delivery_count",
        OperandType.INT,
        Conversion.DELIVERY_COUNT,
        default=1,
        source="mapping 3.3.1",
    ),
    field_at("JMSXGroupID", "properties", "group_id", source="mapping 3.3.2"),
    field_at(
        "JMSXGroupSeq",
        "properties",
        "group_sequence",
        OperandType.INT,
        Conversion.GROUP_SEQUENCE,
        source="mapping 3.3.2",
    ),
    _never("JMSXProducerTXID", OperandType.STRING, "AMQP has no field for the producer's transaction"),
    _never(
        "JMSXConsumerTXID",
        OperandType.STRING,
        "the consumer's transaction is set on receipt and is never on the wire",
    ),
    _never(
        "JMSXRcvTimestamp",
        OperandType.LONG,
        "the time of receipt is set by the consumer's client and is never on the wire",
    ),
    _never("JMSXState", OperandType.INT, "AMQP has no counterpart of it"),
)

_VENDOR = (
    field_at("JMS_AMQP_TTL", "header", "ttl", OperandType.LONG, source="mapping 4"),
    field_at("JMS_AMQP_FIRST_ACQUIRER", "header", "first_acquirer", OperandType.BOOLEAN, source="mapping 3.3.1, 4"),
    field_at("JMS_AMQP_REPLY_TO_GROUP_ID", "properties", "reply_to_group_id", source="mapping 3.3.2, 4"),
)

#: The value that AMQP 1.0 defines for an absent field of the header section. A field that is not listed is NULL.
_WIRE_DEFAULTS = {"durable": False, "priority": 4, "first_acquirer": False, "delivery_count": 0}


def _wire(section: str, field: str, types: tuple[AmqpType, ...]) -> HeaderField:
    """Return the header field ``amqp.<field>``, which reads ``field`` of ``section``.

    ``types`` are the AMQP types that the field can have; only an id has several.
    """
    conversion = Conversion.ANY_ID if len(types) > 1 else Conversion.AS_IS
    name, default, source = f"{WIRE}{field}", _WIRE_DEFAULTS.get(field), "filters (XML), selector-filter"
    return field_at(name, section, field, TYPED_JMS.table[types[0]], conversion, default, source)


_AMQP = (
    *(_wire(section, field, types) for section, fields in FIELD_TYPES.items() for field, types in fields.items()),
    HeaderField(
        "amqp.jms_type", OperandType.STRING, _ANNOTATED_TYPES, source="filters 2.2; filters (XML), selector-filter"
    ),
)

#: The header fields of the default dialect. Names of annotations are not in the table: ``find`` derives them.
JMS_FIELDS = HeaderFields(
    by_name(*_JMS, *_JMSX, *_VENDOR, *_AMQP),
    wire_prefix=WIRE,
    annotation_prefix=ANNOTATION,
    # Azure Event Hubs stores the offset of an event in its partition as a number in text.
    number_annotations=frozenset({"x-opt-offset"}),
)
