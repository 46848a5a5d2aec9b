"""The header fields that a selector names, and where AMQP keeps them: one table, for the evaluator and every layout.

Sources: the Apache AMQP filter document, Figure 1; the JMS mapping, working draft 10, sections 3.2 and 3.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from transpiler.message.types import SelectorValue


class Mapped(Enum):
    """How the AMQP field becomes the value that a selector sees."""

    AS_IS = "as is"
    #: durable: TRUE is 'PERSISTENT', FALSE is 'NON_PERSISTENT'.
    DELIVERY_MODE = "delivery mode"
    #: A message id or correlation id: the text of a string.
    ID = "id"


@dataclass(frozen=True, slots=True)
class Place:
    """One field of one section; in a section that is a map, one key."""

    section: str
    field: str


@dataclass(frozen=True, slots=True)
class HeaderField:
    """A name, the places that are looked at in order, and the value where none of them has one."""

    name: str
    places: tuple[Place, ...]
    default: SelectorValue = None
    mapped: Mapped = Mapped.AS_IS


def _table(*fields: HeaderField) -> Mapping[str, HeaderField]:
    return MappingProxyType({field.name: field for field in fields})


HEADER_FIELDS = _table(
    HeaderField("JMSMessageID", (Place("properties", "message_id"),), mapped=Mapped.ID),
    HeaderField("JMSTimestamp", (Place("properties", "creation_time"),), default=0),
    HeaderField("JMSCorrelationID", (Place("properties", "correlation_id"),), mapped=Mapped.ID),
    HeaderField("JMSDeliveryMode", (Place("header", "durable"),), default=False, mapped=Mapped.DELIVERY_MODE),
    # The three standards disagree; every broker reads the subject.
    HeaderField(
        "JMSType",
        (
            Place("properties", "subject"),
            Place("message_annotations", "x-opt-jms-type"),
            Place("message_annotations", "jms-type"),
        ),
    ),
    HeaderField("JMSPriority", (Place("header", "priority"),), default=4),
    HeaderField("JMSDestination", (Place("properties", "to"),)),
    HeaderField("JMSReplyTo", (Place("properties", "reply_to"),)),
    HeaderField("JMSExpiration", (Place("properties", "absolute_expiry_time"),), default=0),
    HeaderField("JMSXGroupID", (Place("properties", "group_id"),)),
)

#: Header fields and properties that JMS defines and this table does not have yet.
UNMAPPED = frozenset(
    """JMSRedelivered JMSDeliveryTime JMSXUserID JMSXAppID JMSXDeliveryCount JMSXGroupSeq JMSXProducerTXID
    JMSXConsumerTXID JMSXRcvTimestamp JMSXState""".split()
)

#: The values of JMSDeliveryMode by header.durable: Jakarta Messaging 3.8.1.1.
DELIVERY_MODES: Mapping[bool, str] = MappingProxyType({True: "PERSISTENT", False: "NON_PERSISTENT"})
