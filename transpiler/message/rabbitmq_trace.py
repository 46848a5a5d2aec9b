"""RabbitMQ's tracing log, JSON or text: AMQP 0-9-1 messages with the broker's own answer beside them.

Headers become application properties, and the basic properties go where AMQP 1.0 has them. The basic property ``type``
becomes the subject, where JMSType is read; the routing keys are beside the message. ``app_id`` and ``cluster_id`` are
left out, for AMQP 1.0 has no field for them. A header that is a table or an array is a map or a list whose content is
not known, for the log has lost the types inside: it is there, and nothing equals it. The text form is read as the JSON
form of the same entry; ``rabbit_tracing_consumer.erl`` writes both.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from transpiler.base.documents.erlang_terms import ErlangTermError, read_erlang_term
from transpiler.base.errors import DecodeError
from transpiler.base.source import Source, Span
from transpiler.message.message import Message

#: The second line of an entry in text; the first is a rule of equals signs.
TEXT_ENTRY = re.compile(r": Message (published|received)\s*\Z")

_FIELDS = re.compile(
    r"^(Node|Connection|Virtual host|User|Channel|Exchange|Routing keys|Queue|Routed queues|Properties): ", re.MULTILINE
)

#: Brackets inside each other: a table in a table takes three.
_DEEPEST = 100


def is_entry(value: object) -> bool:
    """Return True for an entry of a tracing log, by the members that only it has."""
    return isinstance(value, Mapping) and {"routing_keys", "routed_queues", "properties"} <= value.keys()


def is_publication(value: object) -> bool:
    """Return True for what RabbitMQ's management API is asked to publish: its body has properties and a routing key."""
    if not isinstance(value, Mapping) or is_entry(value) or not isinstance(value.get("properties"), Mapping):
        return False
    has_headers = isinstance(value["properties"].get("headers"), Mapping)
    return "routing_key" in value and ("payload" in value or has_headers)


def publication_message(value: Mapping[str, Any]) -> Message:
    """Return the message that the management API is asked to publish; its payload is text, or bytes in base64."""
    entry = {name: item for name, item in value.items() if name != "payload"} | {"exchange": value.get("exchange", "")}
    payload = value.get("payload")
    if isinstance(payload, str):
        is_bytes = value.get("payload_encoding") == "base64"
        entry["payload"] = payload if is_bytes else base64.b64encode(payload.encode()).decode()
    return Message.from_dict(message_json(entry))


def is_delivery(entry: object) -> bool:
    """Return True for the delivery of a message to a consumer, which nobody published."""
    return isinstance(entry, Mapping) and entry.get("type") == "received"


def entry_message(entry: Any) -> Message:
    """Return the message of an entry; ``DecodeError`` where a member is missing or is not what the plugin writes."""
    if not isinstance(entry, Mapping):
        raise DecodeError.at("trace.entry", "an entry of a tracing log is an object")
    keys, queues = entry.get("routing_keys"), entry.get("routed_queues")
    if (
        not isinstance(entry.get("exchange"), str)
        or not _texts(keys)
        or not keys
        or not (queues == "none" or _texts(queues))
    ):
        message = "an entry of a tracing log has an exchange, routing_keys and routed_queues"
        raise DecodeError.at(
            "trace.entry", message, hint="perhaps write the log with the tracing plugin, as JSON or as text"
        )
    return Message.from_dict(message_json(entry))


def text_entry(text: str) -> dict[str, Any]:
    """Return the JSON form of an entry in text, from its second line on; ``DecodeError`` where it is none."""
    head, _, payload = text.partition("\nPayload: \n")
    first, *rest = _FIELDS.split(head)
    fields = dict(zip(rest[::2], map(str.strip, rest[1::2]), strict=True))
    title = first.partition("\n")[0]
    return {
        "timestamp": title.partition(": Message ")[0],
        "type": title.rpartition(" ")[2],
        "vhost": fields.get("Virtual host"),
        "exchange": fields.get("Exchange"),
        "queue": fields.get("Queue", "none"),
        "routed_queues": _term(head, "Routed queues", fields["Routed queues"]) if "Routed queues" in fields else "none",
        "routing_keys": _term(head, "Routing keys", fields.get("Routing keys", "[]")),
        "properties": _table(_term(head, "Properties", fields.get("Properties", "[]"))),
        "payload": base64.b64encode(payload.removesuffix("\n").encode()).decode(),
    }


def _term(entry: str, field: str, text: str) -> Any:
    """Return the value of the Erlang term in a field of an entry; a tuple is an array."""
    try:
        return read_erlang_term(text, deepest=_DEEPEST)
    except ErlangTermError as error:
        name = f"\n{field}: "
        start = entry.index(text, entry.index(name) + len(name))
        span = Span(start + error.span.start, start + error.span.end)
        raise DecodeError.at("trace.entry", error.message, Source(entry, "entry"), span) from None


def _table(rows: Any) -> dict[str, Any]:
    """Return an AMQP table, each of whose rows has a name, a type and a value."""
    try:
        return {name: _value(kind, value) for name, kind, value in rows}
    except (TypeError, ValueError):
        raise DecodeError.at("trace.entry", "Properties is no table of names, types and values") from None


def _value(kind: str, value: Any) -> Any:
    match kind:
        case "table":
            return _table(value)
        case "array":
            return [_value(*item) for item in value]
        case "void":
            return None
        case _:
            return value


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def message_json(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message of an entry of a log as message JSON.

    Args:
        entry: An entry of the log: its JSON, read.
    """
    basic = entry.get("properties")
    if not isinstance(basic, Mapping):
        raise DecodeError.at("trace.entry", "properties is missing")
    header: dict[str, Any] = {"durable": basic.get("delivery_mode") == 2}
    if "priority" in basic:
        header["priority"] = basic["priority"]
    if "expiration" in basic:
        header["ttl"] = _milliseconds(basic["expiration"])
    properties: dict[str, Any] = {"to": f"/exchanges/{entry['exchange']}"}
    for name in ("message_id", "correlation_id", "reply_to", "content_type", "content_encoding"):
        if name in basic:
            properties[name] = basic[name]
    if "user_id" in basic:
        properties["user_id"] = base64.b64encode(str(basic["user_id"]).encode()).decode()
    if isinstance(basic.get("timestamp"), int):
        properties["creation_time"] = basic["timestamp"] * 1000
        if "ttl" in header:
            properties["absolute_expiry_time"] = properties["creation_time"] + header["ttl"]
    result: dict[str, Any] = {"header": header, "properties": properties}
    if "type" in basic:
        # The subject is JMSType under every broker's rules; the annotation is amqp.jms_type.
        properties["subject"] = basic["type"]
        result["message_annotations"] = {"x-opt-jms-type": basic["type"]}
    headers = basic.get("headers")
    if isinstance(headers, Mapping):
        result["application_properties"] = {name: header_value(value) for name, value in headers.items()}
    if "payload" in entry:
        result["body"] = {"section": "data", "data": entry["payload"]}
    return result


def header_value(value: Any) -> Any:
    """Return a header as message JSON has it: the log has lost the types inside a table or an array."""
    match value:
        case dict():
            return {"type": "map"}
        case list():
            return {"type": "list"}
        case _:
            return value


def _milliseconds(text: Any) -> int:
    if not isinstance(text, str) or not text.isascii() or not text.isdigit():
        raise DecodeError.at("trace.entry", f"properties.expiration: {text!r} is no number of milliseconds")
    return int(text)
