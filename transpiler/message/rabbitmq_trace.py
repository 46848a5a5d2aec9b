"""RabbitMQ's tracing log, as JSON or text: AMQP 0-9-1 messages, each with the queues to which the broker routed it.

Headers become application properties, and basic properties become the AMQP 1.0 fields with the same meaning. The basic
property ``type`` becomes the subject, from which JMSType is read; the routing keys are not a part of the message.
``app_id`` and ``cluster_id`` are skipped, because AMQP 1.0 has no field for them. A header that is a table or an array
becomes a map or a list with unknown content, because the log does not contain the types inside: the header is not NULL,
and nothing equals it. An entry in text is converted to the JSON form of the same entry; ``rabbit_tracing_consumer.erl``
writes both forms.
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

#: Pattern of the second line of an entry in text format. (The first line consists of equals signs.)
TEXT_ENTRY = re.compile(r": Message (published|received)\s*\Z")

_FIELDS = re.compile(
    r"^(Node|Connection|Virtual host|User|Channel|Exchange|Routing keys|Queue|Routed queues|Properties): ", re.MULTILINE
)

#: Maximum nesting depth of brackets in an Erlang term of the log. A table inside a table has a depth of three.
_DEEPEST = 100


def is_entry(value: object) -> bool:
    """Return True if ``value`` has the form of an entry in the log of RabbitMQ's tracing plugin."""
    return isinstance(value, Mapping) and {"routing_keys", "routed_queues", "properties"} <= value.keys()


def is_publication(value: object) -> bool:
    """Return True if ``value`` is the JSON body of a publish request to RabbitMQ's management API.

    Such a body has properties and a routing key, and a payload or headers.
    """
    if not isinstance(value, Mapping) or is_entry(value) or not isinstance(value.get("properties"), Mapping):
        return False
    has_headers = isinstance(value["properties"].get("headers"), Mapping)
    return "routing_key" in value and ("payload" in value or has_headers)


def publication_message(value: Mapping[str, Any]) -> Message:
    """Return the message that a publish request to RabbitMQ's management API contains.

    Its payload is text, or bytes in base64.
    """
    entry = {name: item for name, item in value.items() if name != "payload"} | {"exchange": value.get("exchange", "")}
    payload = value.get("payload")
    if isinstance(payload, str):
        is_bytes = value.get("payload_encoding") == "base64"
        entry["payload"] = payload if is_bytes else base64.b64encode(payload.encode()).decode()
    return Message.from_dict(message_json(entry))


def is_delivery(entry: object) -> bool:
    """Return True if the log entry ``entry`` is about the delivery of a message; False for a publication."""
    return isinstance(entry, Mapping) and entry.get("type") == "received"


def entry_message(entry: Any) -> Message:
    """Return the message of ``entry``, an entry of a tracing log.

    Raise ``DecodeError`` if a member is missing or malformed.
    """
    if not isinstance(entry, Mapping):
        raise DecodeError.at("trace.entry", "an entry of a tracing log must be a JSON object")
    keys, queues = entry.get("routing_keys"), entry.get("routed_queues")
    if (
        not isinstance(entry.get("exchange"), str)
        or not _texts(keys)
        or not keys
        or not (queues == "none" or _texts(queues))
    ):
        message = "an entry of a tracing log must contain exchange, routing_keys and routed_queues"
        raise DecodeError.at(
            "trace.entry", message, hint="perhaps use a log that RabbitMQ's tracing plugin wrote, as JSON or as text"
        )
    return Message.from_dict(message_json(entry))


def text_entry(text: str) -> dict[str, Any]:
    """Convert a log entry in text format, without its first line, to the form of an entry in JSON format.

    Raise ``DecodeError`` if the entry is invalid.
    """
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
    """Parse ``text``, the Erlang term of ``field`` in the log entry ``entry``; a tuple becomes an array."""
    try:
        return read_erlang_term(text, deepest=_DEEPEST)
    except ErlangTermError as error:
        name = f"\n{field}: "
        start = entry.index(text, entry.index(name) + len(name))
        span = Span(start + error.span.start, start + error.span.end)
        raise DecodeError.at("trace.entry", error.message, Source(entry, "entry"), span) from None


def _table(rows: Any) -> dict[str, Any]:
    """Return the values of an AMQP 0-9-1 table by name. Each of ``rows`` contains a name, a type and a value."""
    try:
        return {name: _value(kind, value) for name, kind, value in rows}
    except (TypeError, ValueError):
        raise DecodeError.at(
            "trace.entry", "the field Properties must be a list of entries, each with a name, a type and a value"
        ) from None


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
    """Return the message of a log entry as message JSON.

    Args:
        entry: An entry of the log, as parsed JSON.
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
        # Set the subject, which every broker reads as JMSType, and the annotation, which the name amqp.jms_type reads.
        properties["subject"] = basic["type"]
        result["message_annotations"] = {"x-opt-jms-type": basic["type"]}
    headers = basic.get("headers")
    if isinstance(headers, Mapping):
        result["application_properties"] = {name: header_value(value) for name, value in headers.items()}
    if "payload" in entry:
        result["body"] = {"section": "data", "data": entry["payload"]}
    return result


def header_value(value: Any) -> Any:
    """Return the header's value ``value`` in message JSON.

    For a table or array, it is only the type: the log does not contain the AMQP types of the inner values.
    """
    match value:
        case dict():
            return {"type": "map"}
        case list():
            return {"type": "list"}
        case _:
            return value


def _milliseconds(text: Any) -> int:
    if not isinstance(text, str) or not text.isascii() or not text.isdigit():
        raise DecodeError.at("trace.entry", f"properties.expiration: {text!r} is not a number of milliseconds")
    return int(text)
