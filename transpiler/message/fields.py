"""The header fields that a selector names, and where AMQP keeps them: one table, for the evaluator and every layout.

A JMS name yields JMS's value: a delivery mode as text, a priority no higher than 9, an absent timestamp as 0. The
``amqp.`` name of a field yields the field itself under the coercion table, with AMQP's own default.

Sources: the Apache AMQP filter document, section 2.2, Figure 1; the older filter document, selector-filter, for the
``amqp.`` names; the JMS mapping, working draft 10, sections 3.2, 3.3, 4, 5.1 and 9; AMQP 1.0, section 3.2, for the
defaults of the header section.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from transpiler.message.types import SelectorType, SelectorValue


class Mapped(Enum):
    """The conversion from the AMQP value of a place to the value that a selector sees."""

    # There is one of each, and Enum's own hash is slow.
    __hash__ = object.__hash__

    #: By the coercion table.
    AS_IS = "as is"
    #: An integer, and nothing else.
    INTEGER = "integer"
    #: Bytes as the UTF-8 text that they are: working draft 10, 3.3.2, user-id.
    TEXT = "text"
    #: durable: TRUE is 'PERSISTENT', FALSE is 'NON_PERSISTENT'.
    DELIVERY_MODE = "delivery mode"
    #: A priority above 9 is 9: 3.3.1.
    PRIORITY = "priority"
    #: True if a delivery count is above 0: 3.3.1.
    REDELIVERED = "redelivered"
    #: A delivery count of failed attempts, counted from 1: 3.3.1.
    DELIVERY_COUNT = "delivery count"
    #: A uint folded into an int: 3.3.2, group-sequence.
    GROUP_SEQUENCE = "group sequence"
    #: So many milliseconds after the first of some times that there is.
    LATER = "later"
    #: An id by the coercion table: a string, an integer or bytes.
    ID = "id"
    #: The text of a message id, by its type: 3.2.1.1.
    MESSAGE_ID = "message id"
    #: The text of a correlation id: as a message id's, but a string without a prefix stays as it is.
    CORRELATION_ID = "correlation id"


@dataclass(frozen=True, slots=True)
class MessageField:
    """One field of one section; in a section that is a map, one key."""

    section: str
    field: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a value: one place, or a duration and times, with their conversion."""

    places: tuple[MessageField, ...]
    mapped: Mapped = Mapped.AS_IS


@dataclass(frozen=True, slots=True)
class HeaderField:
    """A header field: its name, its origins in order of precedence, and the default value.

    ``restricted`` says that Jakarta Messaging keeps the name out of selectors. ``why`` says why there is no origin.
    """

    name: str
    type: SelectorType
    origins: tuple[Origin, ...]
    default: SelectorValue = None
    standard: str = ""
    restricted: bool = False
    why: str = ""

    @property
    def places(self) -> tuple[MessageField, ...]:
        """All places of a message that the value can come from."""
        places = (place for origin in self.origins for place in origin.places)
        return tuple(dict.fromkeys(place for place in places if place.section != RECEIVER))


#: The field with the connection on which a message was published, for no-local.
PUBLISHER_CONNECTION = MessageField("message_annotations", "x-opt-publisher-connection")

#: The fields that hold a message's routing key, in the order in which they are read, and the one that names its
#: exchange. AMQP 0-10 sends both in its delivery-properties; in AMQP 1.0 the key is the subject.
ROUTING_KEYS = (MessageField("delivery_properties", "routing_key"), MessageField("properties", "subject"))
PUBLISHED_EXCHANGE = MessageField("delivery_properties", "exchange")

#: No section of a message, but what its receiver knows: the time, in milliseconds since the epoch, and the destination
#: that the consumer was created with.
RECEIVER = "receiver"
NOW = MessageField(RECEIVER, "now")
DESTINATION = MessageField(RECEIVER, "destination")

#: The values of JMSDeliveryMode by header.durable: Jakarta Messaging 3.8.1.1.
DELIVERY_MODES: Mapping[bool, str] = MappingProxyType({True: "PERSISTENT", False: "NON_PERSISTENT"})

#: The highest JMSPriority.
MAX_PRIORITY = 9

#: Group sequences from here on are negative as an int; the other number is the distance.
FIRST_NEGATIVE, FOLD = 2**31, 2**32


def _from(section: str, field: str, mapped: Mapped = Mapped.AS_IS) -> Origin:
    return Origin((MessageField(section, field),), mapped)


_CREATED = _from("properties", "creation_time")
_ANNOTATED_TYPES = (
    _from("message_annotations", "x-opt-jms-type"),
    # The name of the older filter document.
    _from("message_annotations", "jms-type"),
)

_JMS = (
    HeaderField(
        "JMSMessageID",
        SelectorType.STRING,
        (_from("properties", "message_id", Mapped.MESSAGE_ID),),
        standard="filters 2.2; mapping 3.2.1.1, 3.3.2",
    ),
    HeaderField("JMSTimestamp", SelectorType.LONG, (_CREATED,), default=0, standard="filters 2.2; mapping 3.3.2"),
    HeaderField(
        "JMSCorrelationID",
        SelectorType.STRING,
        (_from("properties", "correlation_id", Mapped.CORRELATION_ID),),
        standard="filters 2.2; mapping 3.2.1.1, 3.3.2",
    ),
    HeaderField(
        "JMSReplyTo",
        SelectorType.STRING,
        (_from("properties", "reply_to"),),
        standard="filters 2.2; mapping 3.3.2",
        restricted=True,
    ),
    HeaderField(
        "JMSDestination",
        SelectorType.STRING,
        # "If the to field … was not set on a received message, the JMSDestination header value SHOULD be derived from
        # the Destination to which the receiving consumer was established."
        (_from("properties", "to"), Origin((DESTINATION,))),
        standard="filters 2.2; mapping 3.3.2, 5.1",
        restricted=True,
    ),
    HeaderField(
        "JMSDeliveryMode",
        SelectorType.STRING,
        (_from("header", "durable", Mapped.DELIVERY_MODE),),
        default=DELIVERY_MODES[False],
        standard="filters 2.2; mapping 3.3.1",
    ),
    HeaderField(
        "JMSRedelivered",
        SelectorType.BOOLEAN,
        # AMQP 0-10 has the flag itself; no section of AMQP 1.0 is called so.
        (_from("header", "delivery_count", Mapped.REDELIVERED), _from("delivery_properties", "redelivered")),
        default=False,
        standard="filters 2.2; mapping 3.3.1",
        restricted=True,
    ),
    HeaderField(
        "JMSType",
        SelectorType.STRING,
        # The three standards disagree; every broker reads the subject.
        (_from("properties", "subject"), *_ANNOTATED_TYPES),
        standard="filters 2.2; mapping 3.3.2",
    ),
    HeaderField(
        "JMSExpiration",
        SelectorType.LONG,
        (
            _from("properties", "absolute_expiry_time"),
            # "… by summing it with the current time". An archive has no time of receipt, so the time of creation
            # comes first.
            Origin((MessageField("header", "ttl"), MessageField("properties", "creation_time"), NOW), Mapped.LATER),
        ),
        default=0,
        standard="filters 2.2; mapping 3.3.1, 3.3.2",
        restricted=True,
    ),
    HeaderField(
        "JMSPriority",
        SelectorType.INT,
        (_from("header", "priority", Mapped.PRIORITY),),
        default=4,
        standard="filters 2.2; mapping 3.3.1",
    ),
    HeaderField(
        "JMSDeliveryTime",
        SelectorType.LONG,
        (_from("message_annotations", "x-opt-delivery-time", Mapped.INTEGER), _CREATED),
        default=0,
        standard="mapping 9",
        restricted=True,
    ),
)

_JMSX = (
    HeaderField(
        "JMSXUserID",
        SelectorType.STRING,
        (_from("properties", "user_id", Mapped.TEXT),),
        standard="mapping 3.2.2, 3.3.2",
    ),
    HeaderField(
        "JMSXAppID",
        SelectorType.STRING,
        (_from("application_properties", "JMSXAppID"),),
        standard="mapping 3.2.2",
    ),
    HeaderField(
        "JMSXDeliveryCount",
        SelectorType.INT,
        (_from("header", "delivery_count", Mapped.DELIVERY_COUNT),),
        default=1,
        standard="mapping 3.3.1",
    ),
    HeaderField("JMSXGroupID", SelectorType.STRING, (_from("properties", "group_id"),), standard="mapping 3.3.2"),
    HeaderField(
        "JMSXGroupSeq",
        SelectorType.INT,
        (_from("properties", "group_sequence", Mapped.GROUP_SEQUENCE),),
        standard="mapping 3.3.2",
    ),
    HeaderField(
        "JMSXProducerTXID",
        SelectorType.STRING,
        (),
        standard="mapping 3.2.2",
        why="AMQP has no field for the producer's transaction",
    ),
    HeaderField(
        "JMSXConsumerTXID",
        SelectorType.STRING,
        (),
        standard="mapping 3.2.2",
        why="the consumer's transaction is set on receipt and is never on the wire",
    ),
    HeaderField(
        "JMSXRcvTimestamp",
        SelectorType.LONG,
        (),
        standard="mapping 3.2.2",
        why="the time of receipt is set by the consumer's client and is never on the wire",
    ),
    HeaderField("JMSXState", SelectorType.INT, (), standard="mapping 3.2.2", why="AMQP has no counterpart of it"),
)

_VENDOR = (
    HeaderField("JMS_AMQP_TTL", SelectorType.LONG, (_from("header", "ttl"),), standard="mapping 4"),
    HeaderField(
        "JMS_AMQP_FIRST_ACQUIRER",
        SelectorType.BOOLEAN,
        (_from("header", "first_acquirer"),),
        standard="mapping 3.3.1, 4",
    ),
    HeaderField(
        "JMS_AMQP_REPLY_TO_GROUP_ID",
        SelectorType.STRING,
        (_from("properties", "reply_to_group_id"),),
        standard="mapping 3.3.2, 4",
    ),
)


def _wire(
    section: str,
    field: str,
    selector_type: SelectorType,
    default: SelectorValue = None,
    mapped: Mapped = Mapped.AS_IS,
) -> HeaderField:
    origins = (_from(section, field, mapped),)
    return HeaderField(f"amqp.{field}", selector_type, origins, default, standard="filters (XML), selector-filter")


_AMQP = (
    _wire("header", "durable", SelectorType.BOOLEAN, False),
    _wire("header", "priority", SelectorType.SHORT, 4),
    _wire("header", "ttl", SelectorType.LONG),
    _wire("header", "first_acquirer", SelectorType.BOOLEAN, False),
    _wire("header", "delivery_count", SelectorType.LONG, 0),
    # An id is a string, a ulong (long), a uuid or binary (byte[]).
    _wire("properties", "message_id", SelectorType.STRING, mapped=Mapped.ID),
    _wire("properties", "user_id", SelectorType.BYTES),
    _wire("properties", "to", SelectorType.STRING),
    _wire("properties", "subject", SelectorType.STRING),
    _wire("properties", "reply_to", SelectorType.STRING),
    _wire("properties", "correlation_id", SelectorType.STRING, mapped=Mapped.ID),
    _wire("properties", "content_type", SelectorType.STRING),
    _wire("properties", "content_encoding", SelectorType.STRING),
    _wire("properties", "absolute_expiry_time", SelectorType.LONG),
    _wire("properties", "creation_time", SelectorType.LONG),
    _wire("properties", "group_id", SelectorType.STRING),
    _wire("properties", "group_sequence", SelectorType.LONG),
    _wire("properties", "reply_to_group_id", SelectorType.STRING),
    HeaderField(
        "amqp.jms_type", SelectorType.STRING, _ANNOTATED_TYPES, standard="filters 2.2; filters (XML), selector-filter"
    ),
)

#: Every name that is no application property, by itself.
HEADER_FIELDS: Mapping[str, HeaderField] = MappingProxyType(
    {field.name: field for field in (*_JMS, *_JMSX, *_VENDOR, *_AMQP)}
)

#: The prefixes of all ``amqp.`` names, and of those of message annotations.
WIRE, ANNOTATION = "amqp.", "amqp.annotation."


def find_field(name: str) -> HeaderField | None:
    """The header field of that name; None for the name of an application property.

    ``amqp.annotation.<key>`` is a message annotation. No identifier can hold the hyphens that most keys have, so where
    the key as written is absent, the key with a hyphen for each underscore is looked at.
    """
    if not name.startswith(ANNOTATION) or len(name) == len(ANNOTATION):
        return HEADER_FIELDS.get(name)
    key = name[len(ANNOTATION) :]
    keys = dict.fromkeys((key, key.replace("_", "-")))
    origins = tuple(_from("message_annotations", spelling) for spelling in keys)
    return HeaderField(name, SelectorType.STRING, origins)
