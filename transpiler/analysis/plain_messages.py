"""Messages as a user writes them: plain properties where these say everything, else message JSON."""

from __future__ import annotations

from typing import Any

from transpiler.errors import TranspilerError
from transpiler.message.message import HEADERS, Message

#: The headers of which each place has one that says it exactly.
_HEADERS = tuple(name for name in HEADERS if name != "JMSRedelivered")


def plain_message(message: Message) -> dict[str, Any]:
    """Return the plain properties that ``Message.of`` reads as this message; message JSON where there are none."""
    sections = message.to_dict()
    plain: dict[str, Any] = dict(sections.get("application_properties", {}))
    for name in _HEADERS:
        place = HEADERS[name]
        value = sections.get(place.section, {}).get(place.field)
        if value is None:
            continue
        match place.field:
            case "durable":
                value = "PERSISTENT" if value else "NON_PERSISTENT"
            case "delivery_count":
                value += 1
            case "user_id" if message.properties is not None and message.properties.user_id is not None:
                value = message.properties.user_id.decode("utf-8", "replace")
            case "group_sequence" if value >= 2**31:
                value -= 2**32
        plain[name] = value
    try:
        return plain if _compact(Message.of(**plain)) == _compact(message) else sections
    except (TranspilerError, TypeError):
        return sections


def _compact(message: Message) -> dict[str, Any]:
    return {name: content for name, content in message.to_dict().items() if content}
