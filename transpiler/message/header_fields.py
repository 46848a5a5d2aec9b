"""Fields of a message, and the header fields that read them: names of a dialect that are no application properties.

One table a dialect (``jms_fields``, ``broker_fields``). The evaluator, the compiler, the checks and the documentation
read the same tables, so that a new name is one entry. Whatever a table does not name is an application property.

Sources: the JMS mapping, working draft 10, sections 3.3.1 and 3.3.2, for the numbers and words that it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from transpiler.message.operand_types import OperandType


@dataclass(frozen=True, slots=True)
class MessageField:
    """One field of one section; in a section that is a map, one key."""

    section: str
    field: str


#: The field with the connection on which a message was published, for no-local.
PUBLISHER_CONNECTION = MessageField("message_annotations", "x-opt-publisher-connection")

#: The field by which the publishers of a stream of RabbitMQ say what its filter selects.
STREAM_FILTER_VALUE = MessageField("message_annotations", "x-stream-filter-value")

#: The fields that hold a message's routing key, in the order in which they are read, and the one that names its
#: exchange. AMQP 0-10 sends both in its delivery-properties; in AMQP 1.0 the key is the subject.
_SENT_KEY, SUBJECT = MessageField("delivery_properties", "routing_key"), MessageField("properties", "subject")
ROUTING_KEYS = (_SENT_KEY, SUBJECT)
PUBLISHED_EXCHANGE = MessageField("delivery_properties", "exchange")

#: The column of typed columns with the subject that a message was published with: selectors read JMSType there, and no
#: subject.
TYPED_SUBJECT = MessageField("published", "JMSType")

#: The subject and the key with which a message is published, in the order of their places.
PUBLISHED_SUBJECTS = (SUBJECT, TYPED_SUBJECT)
PUBLISHED_KEYS = (_SENT_KEY, *PUBLISHED_SUBJECTS)

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


class Conversion(Enum):
    """The conversion from the AMQP value of a place to the value that a selector sees.

    What a conversion has no clause for, such as bytes for an integer, is NULL.
    """

    #: By the dialect's table of operand types.
    AS_IS = "as is"
    #: The same, but a text that is a number is that number beside numbers.
    NUMBER_IN_TEXT = "number in a text"
    #: An integer, and nothing else.
    INTEGER = "integer"
    #: Bytes as UTF-8 text, with U+FFFD for what is no UTF-8: the JMS mapping, 3.3.2, user-id.
    TEXT = "text"
    #: Bytes as UTF-8 text, with all bytes kept.
    TEXT_OF_BYTES = "text of its bytes"
    #: durable as 'PERSISTENT' or 'NON_PERSISTENT'.
    DELIVERY_MODE = "delivery mode"
    #: durable as 'DURABLE' or 'NON_DURABLE'.
    DURABILITY = "durability"
    #: A priority above 9 is 9: 3.3.1.
    PRIORITY = "priority"
    #: True if a delivery count is above 0: 3.3.1.
    REDELIVERED = "redelivered"
    #: A delivery count of failed attempts, counted from 1: 3.3.1.
    DELIVERY_COUNT = "delivery count"
    #: A uint folded into an int: 3.3.2, group-sequence.
    GROUP_SEQUENCE = "group sequence"
    #: Milliseconds, truncated to whole seconds.
    WHOLE_SECONDS = "whole seconds"
    #: A duration in milliseconds, added to the first time that there is.
    EXPIRY = "expiry"
    #: The same, but a duration of 0 has no end.
    EXPIRY_UNLESS_ZERO = "expiry unless zero"
    #: An id by the coercion table: a string, an integer or bytes.
    ANY_ID = "any id"
    #: The text of an id that is a string.
    STRING_ID = "string id"
    #: The text of an id of any type, with ID: before it where it lacks that: Artemis.
    PREFIXED_ID = "id with ID: before it"
    #: The JMS text of a message id, by its type: 3.2.1.1.
    MESSAGE_ID = "message id"
    #: The JMS text of a correlation id: as a message id's, but a string without a prefix stays as it is.
    CORRELATION_ID = "correlation id"


#: The section of the places that hold application properties.
PROPERTIES = "application_properties"


@dataclass(frozen=True, slots=True)
class Origin:
    """A source of a header field's value: the first of its places that has one, converted.

    An expiry adds its first place, a duration, to the first of the others, which are times.
    """

    places: tuple[MessageField, ...]
    conversion: Conversion = Conversion.AS_IS


@dataclass(frozen=True, slots=True)
class HeaderField:
    """A header field: its name, its type, its origins in order of precedence, and its value where they have none.

    ``default`` is the value that a selector sees. ``source`` is the section of the standard. ``restricted`` says that
    Jakarta Messaging keeps the name out of selectors. ``unavailable_because`` is the reason for which a field of the
    standard has no origin. A field without either is one that the broker answers with NULL.
    """

    name: str
    type: OperandType
    origins: tuple[Origin, ...]
    default: bool | int | str | None = None
    source: str = ""
    restricted: bool = False
    unavailable_because: str = ""

    @property
    def places(self) -> tuple[MessageField, ...]:
        """All places of a message that the value can come from."""
        places = (place for origin in self.origins for place in origin.places)
        return tuple(dict.fromkeys(place for place in places if place.section != RECEIVER))

    @property
    def falls_back_to_property(self) -> bool:
        """Return True if an application property, of any type, stands in for an absent field."""
        return any(place.section == PROPERTIES for origin in self.origins[1:] for place in origin.places)

    @property
    def is_jms_id(self) -> bool:
        """Return True for the JMS text of an id, whose hexadecimal digits have no case: 3.2.1.1."""
        return self.has_conversion(Conversion.MESSAGE_ID, Conversion.CORRELATION_ID)

    def has_conversion(self, *conversions: Conversion) -> bool:
        """Return True if an origin has one of these conversions."""
        return any(origin.conversion in conversions for origin in self.origins)


def field_at(
    name: str,
    section: str,
    field: str,
    operand_type: OperandType = OperandType.STRING,
    conversion: Conversion = Conversion.AS_IS,
    default: bool | int | str | None = None,
    source: str = "",
    restricted: bool = False,
) -> HeaderField:
    """Return a header field that is read from one place."""
    origins = (Origin((MessageField(section, field),), conversion),)
    return HeaderField(name, operand_type, origins, default, source, restricted)


def with_hyphens(name: str) -> tuple[str, ...]:
    """Return the keys of an annotation that an identifier can name: as written, then with a hyphen for an underscore.

    No identifier can hold the hyphens that most keys have. An empty name has no key.
    """
    return tuple(dict.fromkeys((name, name.replace("_", "-")))) if name else ()


@dataclass(frozen=True, slots=True, eq=False)
class HeaderFields:
    """The header fields of a dialect by their names."""

    table: Mapping[str, HeaderField]
    #: The prefixes of names that the broker keeps for itself: those that the table does not have are NULL.
    hidden: tuple[str, ...] = ()
    #: String literals that the broker rewrites wherever they stand.
    rewritten: tuple[tuple[str, str], ...] = ()
    #: The prefix of AMQP's own field names, or empty. One that the table does not have names nothing, and is an error.
    wire_prefix: str = ""
    #: The prefix of the names of message annotations, or empty.
    annotation_prefix: str = ""
    #: The keys of annotations that hold numbers in texts; a name with their hyphens orders them as numbers.
    number_annotations: frozenset[str] = frozenset()
    #: The keys behind that prefix, in the order in which they are read; none for a name that is no annotation's.
    annotation_keys: Callable[[str], tuple[str, ...]] = with_hyphens
    #: The names whose values only the broker knows, each with the reason: a selector with one is refused.
    unreadable: Mapping[str, str] = field(default_factory=dict)
    #: The names that are rewritten in clients' selectors, with the broker's own names. Nobody rewrites these filters:
    #: here such a name is an application property, unless the table has it.
    rewritten_for_clients: Mapping[str, str] = field(default_factory=dict)
    #: The fields that are named by section and field, and the spellings of the sections.
    sections: Mapping[tuple[str, str], HeaderField] = field(default_factory=dict)
    section_prefixes: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str, section: str | None = None) -> HeaderField | None:
        """Return the header field of that name, without origins if it is hidden; None for an application property."""
        if section is not None:
            return self.sections.get((section, name))
        entry = self.table.get(name)
        if entry is None:
            if self.hidden and name.startswith(self.hidden):
                return HeaderField(name, OperandType.STRING, ())
            if self.annotation_prefix and name.startswith(self.annotation_prefix):
                keys = self.annotation_keys(name.removeprefix(self.annotation_prefix))
                in_text = len(keys) == 1 and keys[0] in self.number_annotations
                conversion = Conversion.NUMBER_IN_TEXT if in_text else Conversion.AS_IS
                origins = tuple(Origin((MessageField("message_annotations", key),), conversion) for key in keys)
                return HeaderField(name, OperandType.STRING, origins) if origins else None
        return entry


def by_name(*fields: HeaderField) -> Mapping[str, HeaderField]:
    """Return the table of some fields, in their order."""
    return MappingProxyType({entry.name: entry for entry in fields})
