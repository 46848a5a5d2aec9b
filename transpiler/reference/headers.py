"""The value of a name for one message: a header field if the dialect's table contains it, else an application property.

Each sentence of the JMS mapping, working draft 10, has one clause, next to the conversions of the brokers.
"""

from __future__ import annotations

from transpiler.language.selector import ast
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.message.header_fields import (
    DELIVERY_MODES,
    FIRST_NEGATIVE,
    FOLD,
    MAX_PRIORITY,
    RECEIVER,
    Conversion,
    HeaderField,
    MessageField,
    Origin,
)
from transpiler.message.ids import correlation_id_text, message_id_text, prefixed_text
from transpiler.message.message import Message
from transpiler.message.receiver import ANYONE, Receiver
from transpiler.message.types import AmqpType, AmqpValue, UntypedText
from transpiler.reference.operands import Operand, Value, from_amqp

#: The content of a message field: an ``AmqpValue`` if the field can have several AMQP types, otherwise a Python value.
#: None if the message lacks the field.
_Content = AmqpValue | bool | int | str | bytes | None


def look_up(node: ast.Identifier, message: Message, dialect: Dialect, receiver: Receiver = ANYONE) -> Operand:
    """Return the value of the name ``node``; None, which is NULL, if the message does not have it."""
    field = dialect.fields.find(node.name, node.section)
    if field is not None:
        return header_value(field, message, dialect, receiver)
    # Jakarta Messaging 3.8.1.1: "If a property that does not exist in a message is referenced, its value is NULL."
    return from_amqp((message.application_properties or {}).get(node.name), dialect, node.name)


def header_value(field: HeaderField, message: Message, dialect: Dialect = JMS, receiver: Receiver = ANYONE) -> Operand:
    """Return the value of a header field, or None for NULL.

    In order of precedence: the value of ``field.name`` in ``message.header_values``, the value of the first origin that
    has one, and ``field.default``.
    """
    origins = field.origins
    given = (message.header_values or {}).get(field.name)
    if given is not None:
        operand = from_amqp(given, dialect, field.name)
        if operand is not None:
            return operand
        origins = tuple(
            origin
            for origin in origins
            if all(message_field.section == RECEIVER for message_field in origin.message_fields)
        )
    for origin in origins:
        operand = _value(field, origin, message, dialect, receiver)
        if operand is not None:
            return operand
    return None if field.default is None else Value(field.type, field.default)


def is_id(node: ast.Expression, dialect: Dialect) -> bool:
    """Return True if ``node`` is the name of a header field that is the JMS text of a message id or correlation id."""
    field = dialect.fields.find(node.name, node.section) if isinstance(node, ast.Identifier) else None
    return field is not None and field.is_jms_id


def _value(field: HeaderField, origin: Origin, message: Message, dialect: Dialect, receiver: Receiver) -> Operand:
    contents = [_content(message_field, message, receiver) for message_field in origin.message_fields]
    content = next((content for content in contents if content is not None), None)
    converted: bool | int | str | bytes | None
    match origin.conversion:
        case Conversion.EXPIRY | Conversion.EXPIRY_UNLESS_ZERO as conversion:
            converted = _expiry(contents, conversion is Conversion.EXPIRY_UNLESS_ZERO)
        case Conversion.AS_IS | Conversion.ANY_ID if isinstance(content, AmqpValue):
            return from_amqp(content, dialect, field.name)
        case Conversion.NUMBER_IN_TEXT if isinstance(content, AmqpValue):
            operand = from_amqp(content, dialect, field.name)
            if operand is not None and isinstance(operand.value, str):
                return operand._replace(value=UntypedText(operand.value))
            return operand
        case Conversion.INTEGER if isinstance(content, AmqpValue):
            operand = from_amqp(content, dialect, field.name)
            return operand if operand is not None and operand.type.integer else None
        case conversion:
            converted = _converted(conversion, content)
    return None if converted is None else Value(field.type, converted)


def _expiry(contents: list[_Content], zero_is_forever: bool) -> int | None:
    # JMS mapping: "JMSExpiration SHOULD be based on the ttl field of header if set, by summing it with the current
    # time".
    duration, *times = contents
    begin = next((time for time in times if isinstance(time, int)), None)
    if not isinstance(duration, int) or begin is None or (zero_is_forever and duration == 0):
        return None
    return duration + begin


def _converted(conversion: Conversion, content: _Content) -> bool | int | str | bytes | None:
    """Return the value that a selector sees; None if ``conversion`` does not apply to the type of ``content``."""
    match conversion, content:
        case Conversion.AS_IS, bool() | int() | str() | bytes():
            return content
        case Conversion.TEXT, bytes():
            # JMS mapping 3.3.2, on user-id: "implementations SHOULD convert between AMQP binary and Java String by
            # using the UTF-8 … encoding."
            return content.decode("utf-8", "replace")
        case Conversion.TEXT_OF_BYTES, bytes():
            return content.decode("utf-8", "surrogateescape")
        case Conversion.DELIVERY_MODE, bool():
            # JMS mapping: "When the durable field of header is set to true the JMSDeliveryMode … MUST be taken to be
            # PERSISTENT."
            return DELIVERY_MODES[content]
        case Conversion.DURABILITY, bool():
            return "DURABLE" if content else "NON_DURABLE"
        case Conversion.PRIORITY, int():
            # JMS mapping 3.3.1: "with the priority field of header greater than 9, the JMSPriority MUST be set to 9."
            return min(content, MAX_PRIORITY)
        case Conversion.REDELIVERED, int():
            # JMS mapping 3.3.1: "true if and only if the delivery-count field of header has a value greater than 0."
            return content > 0
        case Conversion.DELIVERY_COUNT, int():
            # JMS mapping 3.3.1: "The value of JMSXDeliveryCount property is thus equal to delivery-count + 1."
            return content + 1
        case Conversion.GROUP_SEQUENCE, int():
            # JMS mapping 3.3.2: "values in the range 2^31 to 2^32-1 … MUST be mapped to … values in the range -2^31 to
            # -1".
            return content - FOLD if content >= FIRST_NEGATIVE else content
        case Conversion.WHOLE_SECONDS, int():
            # The broker divides in C++, which truncates toward zero, while Python rounds down.
            return content - (content % 1000 if content >= 0 else -(-content % 1000))
        case Conversion.STRING_ID, AmqpValue(type=AmqpType.STRING, value=str() as text):
            return text
        case Conversion.PREFIXED_ID, AmqpValue():
            return prefixed_text(content)
        case Conversion.MESSAGE_ID, AmqpValue():
            return message_id_text(content)
        case Conversion.CORRELATION_ID, AmqpValue():
            return correlation_id_text(content)
        case _:
            return None


def _content(message_field: MessageField, message: Message, receiver: Receiver) -> _Content:
    """Return the content of ``message_field`` in the message or, for the time and the destination, in the receiver.

    Return None if the message lacks the field.
    """
    if message_field.section == RECEIVER:
        return receiver.value(message_field)
    # ``Message`` contains the sections of AMQP 1.0. It has no delivery-properties, a section of AMQP 0-10.
    section = getattr(message, message_field.section, None)
    if section is None:
        return None
    content: _Content = (
        section.get(message_field.field) if isinstance(section, dict) else getattr(section, message_field.field)
    )
    return None if isinstance(content, AmqpValue) and content.value is None else content
