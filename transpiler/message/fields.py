"""Fields of a message: where a value is, and the numbers and words that the JMS mapping gives for some of them.

The names that a selector has for them are in ``header_fields``, ``jms_fields`` and ``broker_fields``.

Sources: the JMS mapping, working draft 10, sections 3.3.1 and 3.3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class MessageField:
    """One field of one section; in a section that is a map, one key."""

    section: str
    field: str


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
