"""Message fields, and header fields: the names of a dialect that read message fields, not application properties.

Each dialect has one table of header fields (``jms_fields``, ``broker_fields``). The evaluator, the compiler, the checks
and the documentation read the same tables, so a new name needs one entry. Any name that a table does not contain is an
application property.

Sources: the JMS mapping, working draft 10, sections 3.3.1 and 3.3.2, for the numbers and words that it defines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from transpiler.message.operand_types import OperandType


@dataclass(frozen=True, slots=True)
class MessageField:
    """A field of a message section. If the section is a map, ``field`` is a key of the map."""

    section: str
    field: str


#: The message field with the connection on which the message was published. The no-local filter compares it with the
#: receiver's connection.
PUBLISHER_CONNECTION = MessageField("message_annotations", "x-opt-publisher-connection")

#: The message field in which publishers to a RabbitMQ stream put the value that the stream's filter compares.
STREAM_FILTER_VALUE = MessageField("message_annotations", "x-stream-filter-value")

#: ``ROUTING_KEYS`` are the message fields that can hold the routing key, in order of precedence: ``_SENT_KEY`` of AMQP
#: 0-10, and ``SUBJECT`` of AMQP 1.0. ``PUBLISHED_EXCHANGE`` is the message field with the exchange's name in AMQP 0-10.
_SENT_KEY, SUBJECT = MessageField("delivery_properties", "routing_key"), MessageField("properties", "subject")
ROUTING_KEYS = (_SENT_KEY, SUBJECT)
PUBLISHED_EXCHANGE = MessageField("delivery_properties", "exchange")

#: The column of the typed-columns layout with the subject that a message was published with. Selectors read this column
#: as JMSType, not as a subject.
TYPED_SUBJECT = MessageField("published", "JMSType")

#: The message fields that can hold the subject (``PUBLISHED_SUBJECTS``) or the routing key (``PUBLISHED_KEYS``) with
#: which a message was published, in order of precedence.
PUBLISHED_SUBJECTS = (SUBJECT, TYPED_SUBJECT)
PUBLISHED_KEYS = (_SENT_KEY, *PUBLISHED_SUBJECTS)

#: A pseudo-section with two values that only the receiver of a message knows: ``NOW`` is the current time in
#: milliseconds since the epoch, and ``DESTINATION`` the destination with which the consumer was created.
RECEIVER = "receiver"
NOW = MessageField(RECEIVER, "now")
DESTINATION = MessageField(RECEIVER, "destination")

#: The value of JMSDeliveryMode for each value of header.durable: Jakarta Messaging 3.8.1.1.
DELIVERY_MODES: Mapping[bool, str] = MappingProxyType({True: "PERSISTENT", False: "NON_PERSISTENT"})

#: The highest JMSPriority.
MAX_PRIORITY = 9

#: A group sequence is an unsigned 32-bit number in AMQP, and a signed int in Java: ``FOLD`` is subtracted if it is at
#: least ``FIRST_NEGATIVE``.
FIRST_NEGATIVE, FOLD = 2**31, 2**32


class Conversion(Enum):
    """A conversion of the AMQP value of a message field to the value that a selector sees.

    A value to which the conversion does not apply, such as bytes for an integer, becomes NULL.
    """

    #: No conversion: the value has the operand type that the dialect assigns to its AMQP type.
    AS_IS = "as is"
    #: Like AS_IS, except that a text such as "42" becomes a number in a comparison with a number.
    NUMBER_IN_TEXT = "number in a text"
    #: An integer; a value of any other type is NULL.
    INTEGER = "integer"
    #: Bytes as UTF-8 text, with U+FFFD in place of invalid bytes (JMS mapping 3.3.2, user-id).
    TEXT = "text"
    #: Bytes as UTF-8 text that keeps all bytes, even invalid ones.
    TEXT_OF_BYTES = "text of its bytes"
    #: The boolean ``durable`` as 'PERSISTENT' or 'NON_PERSISTENT'.
    DELIVERY_MODE = "delivery mode"
    #: The boolean ``durable`` as 'DURABLE' or 'NON_DURABLE'.
    DURABILITY = "durability"
    #: A priority; values above 9 become 9 (JMS mapping 3.3.1).
    PRIORITY = "priority"
    #: A delivery count as a boolean: True if it is above 0 (JMS mapping 3.3.1).
    REDELIVERED = "redelivered"
    #: The number of failed deliveries plus 1 (JMS mapping 3.3.1).
    DELIVERY_COUNT = "delivery count"
    #: An unsigned 32-bit number as a signed one, so that the upper half becomes negative (JMS mapping 3.3.2,
    #: group-sequence).
    GROUP_SEQUENCE = "group sequence"
    #: Milliseconds, truncated to whole seconds.
    WHOLE_SECONDS = "whole seconds"
    #: The sum of a duration in milliseconds, the origin's first field, and of the first of its other fields (times)
    #: that has a value.
    EXPIRY = "expiry"
    #: Like EXPIRY, except that a duration of 0 means that the message never expires.
    EXPIRY_UNLESS_ZERO = "expiry unless zero"
    #: An id as the dialect converts its AMQP type: a string, an integer or bytes.
    ANY_ID = "any id"
    #: The text of an id whose AMQP type is string; NULL for an id of another type.
    STRING_ID = "string id"
    #: The text of an id of any type, with "ID:" added at its beginning if it is missing, as in Artemis.
    PREFIXED_ID = "id with ID: before it"
    #: A message id as JMS text, in which a prefix names the AMQP type (JMS mapping 3.2.1.1).
    MESSAGE_ID = "message id"
    #: A correlation id as JMS text. Unlike a message id, a string without a prefix stays as it is.
    CORRELATION_ID = "correlation id"


#: The name of the section that holds application properties.
PROPERTIES = "application_properties"


@dataclass(frozen=True, slots=True)
class Origin:
    """A source of a header field's value: the first message field in ``message_fields`` that has a value, converted.

    For the conversion ``EXPIRY``, ``message_fields`` are a duration and several times. The value is then the sum of the
    duration and of the first time that has a value.
    """

    message_fields: tuple[MessageField, ...]
    conversion: Conversion = Conversion.AS_IS


@dataclass(frozen=True, slots=True)
class HeaderField:
    """A header field: its name, its type, and the origins of its value in order of precedence.

    ``default`` is the value that a selector sees if no origin has a value. ``source`` is the section of the standard.
    ``restricted`` is True if Jakarta Messaging does not allow the name in selectors. ``unavailable_because`` is the
    reason why a field of the standard has no origin. A field with neither origins nor a reason is always NULL.
    """

    name: str
    type: OperandType
    origins: tuple[Origin, ...]
    default: bool | int | str | None = None
    source: str = ""
    restricted: bool = False
    unavailable_because: str = ""

    @property
    def message_fields(self) -> tuple[MessageField, ...]:
        """All message fields from which the value can come. Values that only the receiver knows are not among them."""
        message_fields = (message_field for origin in self.origins for message_field in origin.message_fields)
        return tuple(
            dict.fromkeys(message_field for message_field in message_fields if message_field.section != RECEIVER)
        )

    @property
    def falls_back_to_property(self) -> bool:
        """Return True if an application property, of any type, replaces an absent message field."""
        return any(
            message_field.section == PROPERTIES
            for origin in self.origins[1:]
            for message_field in origin.message_fields
        )

    @property
    def is_jms_id(self) -> bool:
        """Return True if the value is a JMS id as text.

        The hexadecimal digits of such an id may have any case (JMS mapping 3.2.1.1).
        """
        return self.has_conversion(Conversion.MESSAGE_ID, Conversion.CORRELATION_ID)

    def has_conversion(self, *conversions: Conversion) -> bool:
        """Return True if an origin has one of ``conversions``."""
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
    """Return a header field that is read from the single message field ``section``.``field``."""
    origins = (Origin((MessageField(section, field),), conversion),)
    return HeaderField(name, operand_type, origins, default, source, restricted)


def with_hyphens(name: str) -> tuple[str, ...]:
    """Return the annotation keys that ``name`` can mean: as written, then with hyphens instead of underscores.

    Most keys have hyphens, which an identifier cannot contain. An empty ``name`` has no keys.
    """
    return tuple(dict.fromkeys((name, name.replace("_", "-")))) if name else ()


@dataclass(frozen=True, slots=True, eq=False)
class HeaderFields:
    """The header fields of a dialect. ``table`` maps the name of each header field to its record."""

    table: Mapping[str, HeaderField]
    #: The prefixes of names that the broker reserves. A name that begins with such a prefix and is not a key of
    #: ``table`` is NULL for every message.
    hidden: tuple[str, ...] = ()
    #: The string literals that are rewritten anywhere in a selector, as pairs (old, new).
    rewritten: tuple[tuple[str, str], ...] = ()
    #: The prefix of the names of AMQP fields; empty if the dialect has none. A name with this prefix that is not in the
    #: table is an error.
    wire_prefix: str = ""
    #: The prefix of the names of message annotations; empty if selectors of the dialect cannot name annotations.
    annotation_prefix: str = ""
    #: The keys of annotations that contain numbers as text. A name that means exactly such a key is converted by
    #: NUMBER_IN_TEXT.
    number_annotations: frozenset[str] = frozenset()
    #: A function from a name without the annotation prefix to the annotation keys that it can mean, in order of
    #: precedence. An empty tuple means that the name is not that of an annotation.
    annotation_keys: Callable[[str], tuple[str, ...]] = with_hyphens
    #: The names whose values only the broker knows, each with the reason: a selector that uses such a name is rejected.
    unreadable: Mapping[str, str] = field(default_factory=dict)
    #: The names that clients replace in selectors before they send them, each with the broker's own name. In filters
    #: that no client sends, such a name is an application property unless the table contains it.
    rewritten_for_clients: Mapping[str, str] = field(default_factory=dict)
    #: ``sections`` maps a pair of section and field, as a selector names it, to the header field. ``section_prefixes``
    #: maps each spelling of a section in selectors to the section.
    sections: Mapping[tuple[str, str], HeaderField] = field(default_factory=dict)
    section_prefixes: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str, section: str | None = None) -> HeaderField | None:
        """Return the header field ``name``, or the field ``name`` of ``section``; None if there is no such field.

        A name that is not a header field is an application property. A hidden name has no origins: it is always NULL.
        """
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
    """Return a table of ``fields``: field by name, in the given order."""
    return MappingProxyType({entry.name: entry for entry in fields})
