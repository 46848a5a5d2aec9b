"""The value of a header field on one message, one clause under each sentence of the JMS mapping."""

from __future__ import annotations

from transpiler.message.fields import (
    DELIVERY_MODES,
    FIRST_NEGATIVE,
    FOLD,
    MAX_PRIORITY,
    RECEIVER,
    HeaderField,
    Mapped,
    MessageField,
    Origin,
    find_field,
)
from transpiler.message.ids import correlation_id_text, message_id_text
from transpiler.message.message import Message
from transpiler.message.types import AmqpValue, SelectorValue, coerce
from transpiler.reference.receiving import ANYONE, Receiver
from transpiler.selector import ast


def header_value(field: HeaderField, message: Message, receiver: Receiver = ANYONE) -> SelectorValue:
    """The value of the first origin that has one, else the default."""
    for origin in field.origins:
        value = _value(origin, message, receiver)
        if value is not None:
            return value
    return field.default


def is_id(node: ast.Expression) -> bool:
    """Whether a node names a message id or a correlation id in its JMS form."""
    field = find_field(node.name) if isinstance(node, ast.Identifier) else None
    return field is not None and any(
        origin.mapped in (Mapped.MESSAGE_ID, Mapped.CORRELATION_ID) for origin in field.origins
    )


def _value(origin: Origin, message: Message, receiver: Receiver) -> SelectorValue:
    contents = [_found(place, message, receiver) for place in origin.places]
    values = [coerce(value) if isinstance(value, AmqpValue) else value for value in contents]
    match origin.mapped, contents, values:
        case Mapped.LATER, _, [duration, *times]:
            # "JMSExpiration SHOULD be based on the ttl field of header if set, by summing it with the current time".
            begin = next((time for time in times if isinstance(time, int)), None)
            return duration + begin if isinstance(duration, int) and begin is not None else None
        case _ if None in values:
            return None
        case Mapped.AS_IS | Mapped.ID, _, [value]:
            return value
        case Mapped.INTEGER, _, [value]:
            return value if isinstance(value, int) and not isinstance(value, bool) else None
        case Mapped.TEXT, _, [bytes() as value]:
            # "implementations SHOULD convert between AMQP binary and Java String by using the UTF-8 … encoding."
            return value.decode("utf-8", "replace")
        case Mapped.DELIVERY_MODE, _, [bool() as value]:
            # "When the durable field of header is set to true the JMSDeliveryMode … MUST be taken to be PERSISTENT."
            return DELIVERY_MODES[value]
        case Mapped.PRIORITY, _, [int() as value]:
            # "with the priority field of header greater than 9, the JMSPriority MUST be set to 9."
            return min(value, MAX_PRIORITY)
        case Mapped.REDELIVERED, _, [int() as value]:
            # "true if and only if the delivery-count field of header has a value greater than 0."
            return value > 0
        case Mapped.DELIVERY_COUNT, _, [int() as value]:
            # "The value of JMSXDeliveryCount property is thus equal to delivery-count + 1."
            return value + 1
        case Mapped.GROUP_SEQUENCE, _, [int() as value]:
            # "values in the range 2^31 to 2^32-1 … MUST be mapped to … values in the range -2^31 to -1".
            return value - FOLD if value >= FIRST_NEGATIVE else value
        case Mapped.MESSAGE_ID, [AmqpValue() as value], _:
            return message_id_text(value)
        case Mapped.CORRELATION_ID, [AmqpValue() as value], _:
            return correlation_id_text(value)
        case _:
            return None


def _found(place: MessageField, message: Message, receiver: Receiver) -> AmqpValue | SelectorValue:
    if place.section == RECEIVER:
        return receiver.value(place)
    section = getattr(message, place.section, None)
    if section is None:
        return None
    value: AmqpValue | SelectorValue
    value = section.get(place.field) if hasattr(section, "get") else getattr(section, place.field)
    return value
