"""Message ids as JMS text: the forms of the JMS mapping, working draft 10, section 3.2.1.1, in both directions.

An AMQP id is a string, a ulong, a uuid or binary, and a JMS id is always a string. The JMS text names the AMQP type, so
that an id read from one message can be matched in, or set on, another message.
"""

from __future__ import annotations

import re
from uuid import UUID

from transpiler.base.errors import DecodeError
from transpiler.message.types import AmqpType, AmqpValue

#: ``PREFIX`` begins every JMSMessageID. The longer prefixes name the AMQP type of the id: a binary, a uuid, a ulong, or
#: a string. ``NO_PREFIX`` means a string without "ID:", and ``STRING`` a string that itself begins with a prefix in
#: ``ESCAPED``.
PREFIX = "ID:"
BINARY, UUID_, ULONG = "ID:AMQP_BINARY:", "ID:AMQP_UUID:", "ID:AMQP_ULONG:"
NO_PREFIX, STRING = "ID:AMQP_NO_PREFIX:", "ID:AMQP_STRING:"

#: Prefixes that name an AMQP type. The JMS text of a string that begins with one of them gets the prefix ``STRING``,
#: because it would look like an id of another type.
ESCAPED = (BINARY, UUID_, ULONG, NO_PREFIX, STRING)

_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})*")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_ESCAPED_BYTE = re.compile(r"\\x([0-9a-f]{2})")
_DECIMAL = re.compile(r"0|[1-9][0-9]*")


def message_id_text(value: AmqpValue) -> str | None:
    """Return the JMSMessageID for the AMQP message id ``value``; None if ``value`` is null or not an id.

    If ``value`` is a string without "ID:" at its beginning, the result begins with ``NO_PREFIX``.
    """
    text = correlation_id_text(value)
    if value.type is AmqpType.STRING and text is not None and not text.startswith(PREFIX):
        return NO_PREFIX + text
    return text


def correlation_id_text(value: AmqpValue) -> str | None:
    """Return the JMSCorrelationID for the AMQP correlation id ``value``; None if ``value`` is null or not an id.

    The text begins with the name of the AMQP type; a string stays as it is unless it begins with such a prefix.
    """
    match value:
        case AmqpValue(AmqpType.STRING, str() as text):
            return STRING + text if text.startswith(ESCAPED) else text
        case AmqpValue(AmqpType.ULONG, int() as number):
            return f"{ULONG}{number % 2**64}"
        case AmqpValue(AmqpType.UUID, UUID() as uuid):
            return f"{UUID_}{uuid}"
        case AmqpValue(AmqpType.BINARY, bytes() as binary):
            return BINARY + binary.hex().upper()
        case _:
            return None


def prefixed_text(value: AmqpValue) -> str | None:
    r"""Return Artemis' text for the AMQP id ``value``: the text of Qpid Proton, with "ID:" added if it is missing.

    In the text of a binary id, printable ASCII except the backslash is unchanged, and any other byte is ``\x`` and two
    hexadecimal digits. Return None if ``value`` is not an id.
    """
    match value:
        case AmqpValue(AmqpType.BINARY, bytes() as binary):
            text = "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}" for byte in binary)
        case AmqpValue(AmqpType.ULONG, int() as number):
            text = str(number % 2**64)
        case AmqpValue(AmqpType.STRING | AmqpType.UUID, str() | UUID() as id):
            text = str(id)
        case _:
            return None
    return text if text.startswith(PREFIX) else PREFIX + text


def ids_of_prefixed_text(text: str) -> tuple[AmqpValue, ...]:
    """Return all AMQP ids whose text in Artemis is ``text``: strings, binaries, a ulong or a uuid."""
    rest = text.removeprefix(PREFIX)
    found: list[AmqpValue] = []
    for spelled in dict.fromkeys((text, rest)):
        octets = _ESCAPED_BYTE.sub(lambda byte: chr(int(byte[1], 16)), spelled).encode("latin-1", "ignore")
        found += [AmqpValue(AmqpType.STRING, spelled), AmqpValue(AmqpType.BINARY, octets)]
    if _DECIMAL.fullmatch(rest) and int(rest[:21]) < 2**64:
        found.append(AmqpValue(AmqpType.ULONG, int(rest)))
    if _UUID.fullmatch(rest):
        found.append(AmqpValue(AmqpType.UUID, UUID(rest)))
    return tuple(value for value in found if prefixed_text(value) == text)


def read_id(text: str) -> AmqpValue:
    """Return the AMQP id that a client sends for the JMSMessageID or JMSCorrelationID ``text``.

    Hexadecimal digits may have either case. Raise ``DecodeError`` if the prefix names a type and the rest is not a
    value of this type. The JMS mapping requires it: a text that "can't be converted into the indicated underlying
    format MUST cause an appropriate exception".
    """
    if text.startswith(ULONG):
        digits = text[len(ULONG) :]
        if not _DECIMAL.fullmatch(digits) or int(digits[:21]) >= 2**64:
            hint = "perhaps write an integer from 0 to 2^64 - 1 in decimal digits without leading zeros"
            raise DecodeError.at("id.ulong", f"{text!r} is not a valid ID of the AMQP type ulong", hint=hint)
        return AmqpValue(AmqpType.ULONG, int(digits))
    if text.startswith(UUID_):
        digits = text[len(UUID_) :]
        if not _UUID.fullmatch(digits):
            hint = "perhaps write the UUID as 8-4-4-4-12 hexadecimal digits"
            raise DecodeError.at("id.uuid", f"{text!r} is not a valid ID of the AMQP type UUID", hint=hint)
        return AmqpValue(AmqpType.UUID, UUID(digits))
    if text.startswith(BINARY):
        digits = text[len(BINARY) :]
        if not _HEX.fullmatch(digits):
            hint = "perhaps write two hexadecimal digits for each byte"
            raise DecodeError.at("id.binary", f"{text!r} is not a valid ID of the AMQP type binary", hint=hint)
        return AmqpValue(AmqpType.BINARY, bytes.fromhex(digits))
    for prefix in (NO_PREFIX, STRING):
        if text.startswith(prefix):
            return AmqpValue(AmqpType.STRING, text[len(prefix) :])
    return AmqpValue(AmqpType.STRING, text)


def canonical(text: str) -> str:
    """Return ``text`` in the spelling that messages use: a binary or uuid id gets the usual case of its digits.

    Any other text is unchanged.
    """
    if text.startswith((BINARY, UUID_)):
        try:
            return correlation_id_text(read_id(text)) or text
        except DecodeError:
            return text
    return text


def text_of(text: str, *, message_id: bool) -> str | None:
    """Return ``text``, a JMS id, in the only spelling that a message with this id can have.

    ``message_id`` is True for a JMSMessageID, False for a JMSCorrelationID. Return None if the prefix of ``text`` names
    an AMQP type, but the rest is not a value of this type.
    """
    try:
        value = read_id(text)
    except DecodeError:
        return None
    return message_id_text(value) if message_id else correlation_id_text(value)
