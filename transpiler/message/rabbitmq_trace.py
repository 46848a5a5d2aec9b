"""RabbitMQ's tracing log, one JSON object a line: AMQP 0-9-1 messages with the broker's own answer beside them.

Headers become application properties, and the basic properties go where AMQP 1.0 has them. The basic property ``type``
becomes the subject, where JMSType is read; the routing keys are beside the message. ``app_id`` and ``cluster_id`` are
left out, for AMQP 1.0 has no field for them. A header that is a table or an array is a map or a list whose content is
not known, for the log has lost the types inside: it is there, and nothing equals it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from transpiler.errors import DecodeError
from transpiler.message.message import Message


@dataclass(frozen=True, slots=True)
class Publication:
    """A message, the exchange and the routing keys that it was published with, and the queues that the broker chose.

    There are several routing keys where the sender wrote CC or BCC headers; the first one is the message's own.
    """

    message: Message
    exchange: str
    routing_keys: tuple[str, ...]
    queues: tuple[str, ...]


def read_trace(lines: Iterable[str], name: str = "trace") -> Iterator[Publication]:
    """The publications of a tracing log, in order; deliveries to consumers are passed over.

    ``DecodeError`` names the line, by ``name``.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise DecodeError.at(
                "trace.json", f"{name}:{number}:{error.colno}: this is not JSON: {error.msg}"
            ) from None
        try:
            if not isinstance(entry, Mapping):
                raise DecodeError.at("trace.entry", "an entry of a tracing log is an object")
            if entry.get("type") != "received":
                yield read_publication(entry)
        except DecodeError as error:
            finding = error.diagnostics[0]
            raise DecodeError.at(finding.code, f"{name}:{number}: {finding.message}", hint=finding.hint) from None


def read_publication(entry: Mapping[str, Any]) -> Publication:
    """One entry of a tracing log; ``DecodeError`` where a member is missing or is not what the plugin writes."""
    exchange, keys, queues = entry.get("exchange"), entry.get("routing_keys"), entry.get("routed_queues")
    if queues == "none":
        queues = []
    if not isinstance(exchange, str) or not _texts(keys) or not keys or not _texts(queues):
        message = "an entry of a tracing log has an exchange, routing_keys and routed_queues"
        raise DecodeError.at("trace.entry", message, hint="write the log with the tracing plugin, in the JSON format")
    return Publication(Message.from_dict(message_json(entry)), exchange, tuple(keys), tuple(sorted(set(queues or ()))))


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def message_json(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The message of an entry as message JSON."""
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
        result["application_properties"] = {name: _header(value) for name, value in headers.items()}
    if "payload" in entry:
        result["body"] = {"section": "data", "data": entry["payload"]}
    return result


def _header(value: Any) -> Any:
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
