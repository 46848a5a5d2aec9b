"""The JMS class of a message, and the kinds of its destinations.

Source: the JMS mapping, working draft 10, sections 3.2.4, 3.3.4 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from transpiler.message.types import AmqpType, AmqpValue, Compound

#: The keys of the annotations that state the kind of destination of JMSDestination and of JMSReplyTo (JMS mapping 5.1).
DESTINATION, REPLY_TO = "x-opt-jms-dest", "x-opt-jms-reply-to"

#: For each value of the annotations ``DESTINATION`` and ``REPLY_TO``, the kind of destination, such as ``queue`` (JMS
#: mapping 5.2).
DESTINATION_TYPES: Mapping[int, str] = MappingProxyType(
    {0: "queue", 1: "topic", 2: "temporary-queue", 3: "temporary-topic"}
)

#: ``MESSAGE_TYPE`` is the key of the annotation with the JMS class of a message. ``MESSAGE_TYPES`` contains the class
#: for each value of the annotation (JMS mapping 3.2.4).
MESSAGE_TYPE = "x-opt-jms-msg-type"
MESSAGE_TYPES: Mapping[int, str] = MappingProxyType(
    {
        0: "Message",
        1: "ObjectMessage",
        2: "MapMessage",
        3: "BytesMessage",
        4: "StreamMessage",
        5: "TextMessage",
    }
)

#: The content types of JMS mapping 3.3.4.3. ``SERIALIZED`` is that of a serialized Java object. The body is text if its
#: content type begins with ``TEXT_PREFIX``, is in ``TEXT_TYPES``, or begins with ``APPLICATION`` and ends with one of
#: ``TEXT_SUFFIXES``.
SERIALIZED = "application/x-java-serialized-object"
TEXT_PREFIX, APPLICATION = "text/", "application/"
TEXT_TYPES = tuple(APPLICATION + name for name in ("xml", "xml-dtd", "json", "javascript", "ecmascript"))
TEXT_SUFFIXES = ("+xml", "+json")

#: The AMQP types of a value in an amqp-value section that make the message a TextMessage or a BytesMessage (JMS mapping
#: 3.3.4.4).
TEXT_VALUES, BYTES_VALUES = (AmqpType.STRING, AmqpType.NULL), (AmqpType.BINARY,)


def destination_type(annotation: AmqpValue | None) -> str | None:
    """Return the kind of destination that the value of the annotation means, such as ``queue``.

    The value may have any integer type. Return None if it is absent or unknown.
    """
    number = _integer(annotation)
    return None if number is None else DESTINATION_TYPES.get(number)


def message_type(
    annotation: AmqpValue | None, content_type: str | None, section: str | None, value: AmqpValue | Compound | None
) -> str:
    """Return the JMS class of a message, such as ``TextMessage``.

    The ``annotation`` determines it; without it, the body's ``section`` and the ``content_type``. ``value`` is the
    value of an ``amqp-value`` section. A message without a body is a plain ``Message``.
    """
    number = _integer(annotation)
    # The JMS mapping says of the annotation: "its value MUST be used to determine the type of JMS message"
    if number is not None and number in MESSAGE_TYPES:
        return MESSAGE_TYPES[number]
    match section:
        case "data":
            return _by_content(content_type)
        case "amqp-value" if value is None or (isinstance(value, AmqpValue) and value.type in TEXT_VALUES):
            # JMS mapping 3.3.4.4: "If the received body section contains a string or null value, the message MUST be …
            # a TextMessage."
            return "TextMessage"
        case "amqp-value" if isinstance(value, AmqpValue) and value.type in BYTES_VALUES:
            # JMS mapping 3.3.4.4: "If the received body section contains a binary value, the message MUST be … a
            # BytesMessage."
            return "BytesMessage"
        case "amqp-value" | "amqp-sequence":
            # JMS mapping 3.3.4.4: "For all other amqp-value body section contents, the message MUST be … an
            # ObjectMessage."
            return "ObjectMessage"
        case _:
            return "Message"


def media_type(content_type: str) -> str:
    """Return ``content_type`` without its parameters, in lower case."""
    return content_type.partition(";")[0].strip(" ").lower()


def _by_content(content_type: str | None) -> str:
    media = media_type(content_type or "")
    if media == SERIALIZED:
        return "ObjectMessage"
    if media.startswith(TEXT_PREFIX) or media in TEXT_TYPES:
        return "TextMessage"
    if media.startswith(APPLICATION) and media.endswith(TEXT_SUFFIXES):
        return "TextMessage"
    return "BytesMessage"


def _integer(value: AmqpValue | None) -> int | None:
    # JMS mapping: "implementations MUST cope with receiving any integral type for the annotation value."
    if value is None or not isinstance(value.value, int) or isinstance(value.value, bool):
        return None
    return value.value
