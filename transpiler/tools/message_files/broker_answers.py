"""Messages in the answers of management interfaces: Jolokia, RabbitMQ's management API, Broker-J's REST interface.

An answer of Jolokia contains a message, an array of messages, or a JSON text with an array of messages. The layout of a
message is recognized by members that only this broker uses. Messages of Broker-J have no layout; they are converted to
message JSON. ``listMessages`` of Artemis mixes properties with its own members, and becomes a row like ``browse``.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from transpiler.base.diagnostics import one_line
from transpiler.base.documents.entries import kind_of
from transpiler.base.errors import DecodeError
from transpiler.base.times import iso_time
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.presets import find_layout
from transpiler.message.message import Message
from transpiler.message.rabbitmq_trace import header_value
from transpiler.tools.message_files.json_values import member_elements
from transpiler.tools.message_files.record import Record
from transpiler.tools.message_files.record_errors import Errors, load_record, refuse

#: The layouts of messages in JSON answers, each with member names that together identify the layout.
_MEMBERS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"StringProperties", "IntProperties", "address"}), "artemis-jolokia"),
    (frozenset({"StringProperties", "IntProperties", "JMSMessageID"}), "activemq-jolokia"),
    (frozenset({"payload_bytes", "payload_encoding", "message_count"}), "rabbitmq-get"),
    (frozenset({"_id", "_priority", "_timestamp", "properties"}), "artemis-xml"),
)

#: Members by which a message of Broker-J is recognized, apart from its headers.
_OF_BROKER_J = frozenset({"id", "persistent", "deliveryCount", "state"})

_BROWSE = "browse() of a queue returns messages"


def recognized_layout(value: Mapping[str, Any], name: str | None = None) -> StoreLayout | None:
    """Return the layout called ``name``, or by default the layout that the members of ``value`` identify; else None."""
    name = name or next((name for members, name in _MEMBERS if members <= value.keys()), None)
    layout = None if name is None else find_layout(name)
    return layout if isinstance(layout, StoreLayout) else None


def messages_of(record: Record, errors: Errors) -> Iterator[Record]:
    """Yield the messages in ``record``, an answer of the HTTP interface Jolokia, each with its line in the file.

    If ``record`` is not such an answer, yield ``record`` itself.
    """
    text = record.text
    if record.value is not None or '"status"' not in text or ('"value"' not in text and '"error"' not in text):
        yield record
        return
    answer = errors.attempt(load_record, text, record.file, record.line)
    if answer is None or not _is_answer(answer):
        if answer is not None:
            yield record
        return
    inside = errors.attempt(_messages_in, record, answer)
    if inside is not None:
        yield from (Record(record.file, record.line, json.dumps(one, ensure_ascii=False), value=one) for one in inside)
        return
    if not isinstance(answer.get("value"), list):
        return
    line, counted = record.line, 0
    for start, end in member_elements(text, "value"):
        line, counted = line + text.count("\n", counted, start), start
        yield Record(record.file, line, text[start:end])


def _is_answer(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("status"), int):
        return False
    return isinstance(value.get("request"), Mapping) or {"value", "status", "timestamp"} == value.keys()


def _messages_in(record: Record, answer: Any) -> list[Any] | None:
    """Return the messages of ``answer``, the parsed JSON of ``record``, unless they are in a JSON array.

    The result is None for a JSON array, because the caller finds the line of each element in the text.
    """
    if answer["status"] != 200:
        reason = one_line(str(answer.get("error") or "it says no more"))
        refuse(record.location, f"Jolokia answered with an error, status {answer['status']}: {reason}")
    value = answer.get("value")
    if isinstance(value, list):
        return None
    if isinstance(value, str) and value.lstrip().startswith("["):
        return list(load_record(value, f"{record.location}: value"))
    if isinstance(value, Mapping) and (recognized_layout(value) is not None or is_listed(value)):
        return [value]
    return refuse(
        record.location, f"the response of Jolokia contains no messages: its value is {kind_of(value)}: {_BROWSE}"
    )


#: ``_LISTED`` are the members of a message of Artemis's ``listMessages`` that are not application properties;
#: ``_KNOWN_BY`` are the members by which such a message is recognized.
_LISTED = frozenset(
    """address messageID userID durable type expiration priority timestamp redelivered protocol largeMessage
    persistentSize""".split()
)
_KNOWN_BY = frozenset({"address", "messageID", "durable", "priority"})


def is_listed(value: Mapping[str, Any]) -> bool:
    """Return True if ``value`` has the form of a message of Artemis' ``listMessages``."""
    return value.keys() >= _KNOWN_BY and "StringProperties" not in value


def row_of_listed(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``value``, a message of ``listMessages``, as a row of the layout ``artemis-jolokia``.

    The row has the properties in one map for each type.
    """
    maps: dict[str, dict[str, Any]] = {
        name: {}
        for name in ("StringProperties", "BooleanProperties", "IntProperties", "LongProperties", "DoubleProperties")
    }
    kinds = {str: "StringProperties", bool: "BooleanProperties", int: "LongProperties", float: "DoubleProperties"}
    for name, item in value.items():
        if name not in _LISTED and type(item) in kinds:
            maps[kinds[type(item)]][name] = item
    return {name: item for name, item in value.items() if name in _LISTED} | maps


def is_of_broker_j(value: Mapping[str, Any]) -> bool:
    """Return True if ``value`` has the form of a message of Broker-J's REST interface (``getMessageInfo``)."""
    if value.keys() >= _OF_BROKER_J:
        return True
    return (
        "id" in value and isinstance(value.get("headers"), Mapping) and ("messageId" in value or "persistent" in value)
    )


#: The name of the member of a Broker-J message that contains each field of AMQP 1.0.
_PROPERTIES = {
    "message_id": "messageId",
    "to": "to",
    "subject": "type",
    "reply_to": "replyTo",
    "correlation_id": "correlationId",
    "content_type": "mimeType",
    "content_encoding": "encoding",
    "group_id": "groupId",
}
_TIMES = {"creation_time": "timestamp", "absolute_expiry_time": "expirationTime"}
_HEADER = {"durable": "persistent", "priority": "priority", "delivery_count": "deliveryCount"}


def broker_j_message(value: Mapping[str, Any]) -> Message:
    """Return the message for ``value``, in the form of Broker-J; raise ``DecodeError`` if it has no headers."""
    headers = value.get("headers")
    if not isinstance(headers, Mapping):
        message = "headers: the response of Broker-J lacks the headers, which contain the message's properties"
        raise DecodeError.at(
            "message.headers",
            message,
            hint="perhaps request the headers from the broker: getMessageInfo?includeHeaders=true",
        )
    properties = {name: value.get(member) for name, member in _PROPERTIES.items()}
    properties |= {name: _milliseconds(value.get(member)) for name, member in _TIMES.items()}
    user = value.get("userId")
    if isinstance(user, str):
        properties["user_id"] = base64.b64encode(user.encode()).decode()
    return Message.from_dict(
        {
            "header": {name: value.get(member) for name, member in _HEADER.items()},
            "properties": properties,
            "application_properties": {name: header_value(item) for name, item in headers.items()},
        }
    )


def _milliseconds(value: Any) -> Any:
    time = iso_time(value) if isinstance(value, str) else None
    return value if time is None else time


def broker_j_destination(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the routing key of ``value``, a Broker-J message, as ``{"routing_key": …}``; empty if it is unknown."""
    key = value.get("initialRoutingAddress")
    return {"routing_key": key} if isinstance(key, str) else {}
