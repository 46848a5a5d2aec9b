"""An AMQP 1.0 message in plain Python: its sections, any of which may be absent, and what JMS makes of them.

The shape is the canonical schema's: sections, and in them fields with underscores. ``json`` and ``wire`` read and write
the two forms that a message has outside.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from transpiler import html
from transpiler.arguments import unexpected
from transpiler.message import jms_types
from transpiler.message.codec import decode_sections
from transpiler.message.json import SECTION_NAMES, read_sections, section_to_json
from transpiler.message.named_properties import named_message
from transpiler.message.sections import Body, Header, Properties, Values

__all__ = ["Body", "Header", "Message", "MessageLike", "Properties", "Values", "as_message"]


#: Characters of a message's JSON form in its ``repr``.
MAX_REPR = 500


@dataclass(frozen=True, slots=True, repr=False)
class Message:
    """One message, section by section; None is a section that is not there.

    ``header_values`` is no section of AMQP: the values of header fields by the names that a selector has for them, as
    rows of typed columns have them. They come before the sections, and a null among them hides what the sections have.
    """

    header: Header | None = None
    delivery_annotations: Values | None = None
    message_annotations: Values | None = None
    properties: Properties | None = None
    application_properties: Values | None = None
    body: Body | None = None
    footer: Values | None = None
    header_values: Values | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Message:
        """A message from its JSON form; ``DecodeError`` with the path of what does not fit."""
        return cls(**read_sections(data))

    @classmethod
    def of(cls, /, **properties: Any) -> Message:
        """A message from the names that a selector has: ``Message.of(color="red", weight=2600, JMSPriority=7)``.

        JMS names of header fields are header fields, with the values that a selector sees; all others are application
        properties. A value is plain Python, or ``{"type": "short", "value": 5}``; None is a null. ``DecodeError`` with
        the name of what does not fit.
        """
        return named_message(cls(), properties)

    @classmethod
    def from_amqp(cls, data: bytes) -> Message:
        """A bare or annotated message as an AMQP 1.0 client encodes it.

        ``DecodeError`` with the byte range of what does not fit.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise unexpected("data", "bytes", data)
        return cls(**decode_sections(bytes(data)))

    @property
    def destination_type(self) -> str | None:
        """The kind of JMSDestination: ``queue``, ``topic``, ``temporary-queue`` or ``temporary-topic``.

        None where the message does not have it: it is then the kind that the consumer was created with. Source: the JMS
        mapping, 5.1.
        """
        return jms_types.destination_type((self.message_annotations or {}).get(jms_types.DESTINATION))

    @property
    def reply_to_type(self) -> str | None:
        """The kind of JMSReplyTo, likewise."""
        return jms_types.destination_type((self.message_annotations or {}).get(jms_types.REPLY_TO))

    @property
    def message_type(self) -> str:
        """The JMS class: ``TextMessage``, ``BytesMessage``, ``ObjectMessage``, ``MapMessage``, ``StreamMessage`` or
        ``Message``. Source: the JMS mapping, 3.3.4.
        """
        body = self.body or Body()
        return jms_types.message_type(
            (self.message_annotations or {}).get(jms_types.MESSAGE_TYPE),
            self.properties.content_type if self.properties else None,
            body.section,
            body.value,
        )

    def __repr__(self) -> str:
        text = repr(self.to_dict())
        return f"Message.from_dict({text if len(text) <= MAX_REPR else f'{text[:MAX_REPR]}…'})"

    def _repr_html_(self) -> str:
        rows = (
            (section, name, json.dumps(value, ensure_ascii=False))
            for section, content in self.to_dict().items()
            for name, value in content.items()
        )
        return html.table(("section", "name", "value"), rows)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: absent sections and fields left out, values plain where plain JSON determines their type."""
        contents = {section.name: getattr(self, section.name) for section in fields(self)}
        return {name: section_to_json(content) for name, content in contents.items() if content is not None}


#: What the functions that take a message read as one.
MessageLike = Message | Mapping[str, Any]


def as_message(value: MessageLike) -> Message:
    """Return a message; a mapping is message JSON, or plain properties where no section's name is among its keys.

    ``DecodeError`` with the path of what does not fit; ``TypeError`` for anything else.
    """
    if isinstance(value, Message):
        return value
    if not isinstance(value, Mapping):
        raise unexpected("message", "a Message, or a dict of message JSON or of plain properties", value)
    if value and not any(name in SECTION_NAMES for name in value):
        return Message.of(**value)
    return Message.from_dict(value)
