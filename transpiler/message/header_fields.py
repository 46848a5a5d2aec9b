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


#: The annotation that contains the id of the connection on which the message was published. The no-local filter
#: compares it with the receiver's connection.
PUBLISHER_CONNECTION = MessageField("message_annotations", "x-opt-publisher-connection")

#: The annotation in which publishers to a RabbitMQ stream store the value for the stream's filter.
STREAM_FILTER_VALUE = MessageField("message_annotations", "x-stream-filter-value")

#: The fields that can contain a message's routing key, in order of precedence: ``_SENT_KEY`` in AMQP 0-10, and
#: ``SUBJECT`` in AMQP 1.0. ``PUBLISHED_EXCHANGE`` is the exchange's name in AMQP 0-10.
_SENT_KEY, SUBJECT = MessageField("delivery_properties", "routing_key"), MessageField("properties", "subject")
ROUTING_KEYS = (_SENT_KEY, SUBJECT)
PUBLISHED_EXCHANGE = MessageField("delivery_properties", "exchange")

#: The column JMSType of the layout with typed columns, read as the subject with which the message was published.
TYPED_SUBJECT = MessageField("published", "JMSType")

#: The fields that can contain the subject (or the routing key) with which a message was published, in order of
#: precedence.
PUBLISHED_SUBJECTS = (SUBJECT, TYPED_SUBJECT)
PUBLISHED_KEYS = (_SENT_KEY, *PUBLISHED_SUBJECTS)

#: A section for two values that only the receiver of a message knows: ``NOW``, the current time in milliseconds since
#: the epoch, and ``DESTINATION``, the destination of the consumer.
RECEIVER = "receiver"
NOW = MessageField(RECEIVER, "now")
DESTINATION = MessageField(RECEIVER, "destination")

#: The value of JMSDeliveryMode for each value of header.durable: Jakarta Messaging 3.8.1.1.
DELIVERY_MODES: Mapping[bool, str] = MappingProxyType({True: "PERSISTENT", False: "NON_PERSISTENT"})

#: The highest JMSPriority.
MAX_PRIORITY = 9

#: A group sequence is an unsigned 32-bit number in AMQP, but a signed int in Java. So Java subtracts ``FOLD`` from each
#: number from ``FIRST_NEGATIVE`` on.
FIRST_NEGATIVE, FOLD = 2**31, 2**32


class Conversion(Enum):
    """A conversion of the AMQP value of a message field to the value that a selector sees.

    A value to which the conversion does not apply, such as bytes for an integer, becomes NULL.
    """

    #: No conversion. ``OperandTypes`` of the dialect determines the type of the value.
    AS_IS = "as is"
    #: No conversion, but a text such as "42" becomes a number when it is compared with a number.
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
    #: The sum of a duration and a time, in milliseconds. The duration is the origin's first field, the time is the
    #: first of its other fields that the message has.
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
    """A source of a header field's value: the first of ``message_fields`` that the message has, after ``conversion``.

    For the conversions to an expiry time, the first field is a duration, and the others are times. The value is then
    the sum of the duration and of the first time that the message has.
    """

    message_fields: tuple[MessageField, ...]
    conversion: Conversion = Conversion.AS_IS


@dataclass(frozen=True, slots=True)
class HeaderField:
    """A header field: its name and type, and the origins of its value in order of precedence."""

    name: str
    type: OperandType
    origins: tuple[Origin, ...]
    #: The value if no origin has one; None is NULL.
    default: bool | int | str | None = None
    #: The section of the standard that defines the field.
    source: str = ""
    #: True if Jakarta Messaging does not allow the name in selectors.
    restricted: bool = False
    #: The reason why no message contains the field. If it is empty and there are no origins, the field is always NULL.
    unavailable_because: str = ""

    @property
    def message_fields(self) -> tuple[MessageField, ...]:
        """All fields of a message from which the value can come, without the fields that only the receiver knows."""
        message_fields = (message_field for origin in self.origins for message_field in origin.message_fields)
        return tuple(
            dict.fromkeys(message_field for message_field in message_fields if message_field.section != RECEIVER)
        )

    @property
    def falls_back_to_property(self) -> bool:
        """Return True if the application property of this name is read if the message lacks the field."""
        return any(
            message_field.section == PROPERTIES
            for origin in self.origins[1:]
            for message_field in origin.message_fields
        )

    @property
    def is_jms_id(self) -> bool:
        """Return True if the value is the text of a JMSMessageID or JMSCorrelationID.

        Hexadecimal digits in such a text may have either case (JMS mapping 3.2.1.1).
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
    """Return the annotation keys that ``name`` can mean: ``name`` itself, and ``name`` with hyphens for underscores.

    Most annotation keys contain hyphens, which an identifier cannot. An empty ``name`` means no key.
    """
    return tuple(dict.fromkeys((name, name.replace("_", "-")))) if name else ()


@dataclass(frozen=True, slots=True, eq=False)
class HeaderFields:
    """The header fields of a dialect. ``table`` maps the name of each header field to its record."""

    table: Mapping[str, HeaderField]
    #: The prefixes that the broker reserves for its own names. A name with such a prefix that is not in ``table`` is
    #: NULL for every message.
    hidden: tuple[str, ...] = ()
    #: The string literals that a client replaces in a selector, as pairs (old, new).
    rewritten: tuple[tuple[str, str], ...] = ()
    #: The prefix of names for AMQP fields, such as ``amqp.``; empty if the dialect has no such names. A name with this
    #: prefix must be in ``table``.
    wire_prefix: str = ""
    #: The prefix of the names of message annotations; empty if selectors of the dialect cannot name annotations.
    annotation_prefix: str = ""
    #: The keys of annotations whose values are numbers written as text, for the conversion NUMBER_IN_TEXT.
    number_annotations: frozenset[str] = frozenset()
    #: Function that returns the annotation keys that a name can mean, in order of precedence. Its argument is the name
    #: without ``annotation_prefix``. An empty result means that the name is not the name of an annotation.
    annotation_keys: Callable[[str], tuple[str, ...]] = with_hyphens
    #: The names whose values only the broker knows, each with the reason. A selector with such a name raises an error.
    unreadable: Mapping[str, str] = field(default_factory=dict)
    #: The names that client libraries replace in selectors, each with the broker's name that replaces it. In a filter
    #: of the broker's configuration, such a name is an application property unless ``table`` contains it.
    rewritten_for_clients: Mapping[str, str] = field(default_factory=dict)
    #: ``sections`` maps (section, field) to the header field, for selectors with names such as ``properties.subject``.
    #: ``section_prefixes`` maps each spelling of a section before the dot to the section.
    sections: Mapping[tuple[str, str], HeaderField] = field(default_factory=dict)
    section_prefixes: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str, section: str | None = None) -> HeaderField | None:
        """Return the header field ``name``; None if ``name`` is an application property.

        If ``section`` is not None, return the field ``name`` of that section instead. A name that the broker reserves
        but never sets gets a field without origins, which is always NULL.
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
