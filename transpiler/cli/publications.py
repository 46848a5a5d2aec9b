"""Published messages in lines of JSON: message JSON, rows of a layout, or RabbitMQ's tracing log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from transpiler import DecodeError, Layout, Message, TranspilerError
from transpiler.cli.group import fail
from transpiler.cli.inputs import input_lines, shown
from transpiler.cli.options import MessageReader, load_json_line
from transpiler.message.rabbitmq_trace import read_publication
from transpiler.topology.destinations import ROUTING_TYPES

#: The layout whose lines are also deliveries, which nobody published.
_TRACE = "rabbitmq-trace"

#: Members that a line has beside the sections of its message: input of ``route``, and its output.
_BESIDE = (
    "exchange",
    "routing_type",
    "routing_key",
    "routing_keys",
    "queues",
    "possible_queues",
    "outcome",
    "why",
)


class PublishedLine(NamedTuple):
    """The file and line of a message, its JSON, the message, its exchange and its routing keys; None is not there."""

    place: str
    line: dict[str, Any]
    message: Message
    exchange: str | None
    routing_keys: tuple[str, ...] | None
    #: Of a message to an Artemis broker.
    routing_type: str | None = None


def read_publications(files: Iterable[str], rows: Layout | None) -> Iterator[PublishedLine]:
    """Read the publications in files; ``rows`` is the layout of their rows, None for message JSON.

    A line that is none ends the command with its file and number.
    """
    reader = MessageReader(rows)
    for file in files:
        for number, text in input_lines(file):
            if not text.strip():
                continue
            line = load_json_line(text, file, number)
            place = f"{shown(file)}:{number}"
            try:
                if rows is not None and rows.name == _TRACE:
                    yield from _traced(place, line)
                elif rows is None:
                    yield _message(place, line)
                else:
                    yield _row(place, line, reader.read_value(line, file, number))
            except TranspilerError as error:
                fail(f"{place}: {error}")
    reader.finish()


def _traced(place: str, line: Any) -> Iterator[PublishedLine]:
    if not isinstance(line, dict):
        raise DecodeError.at("trace.entry", "an entry of a tracing log is an object")
    if line.get("type") != "received":
        publication = read_publication(line)
        yield PublishedLine(place, line, publication.message, publication.exchange, publication.routing_keys)


def _message(place: str, line: Any) -> PublishedLine:
    if not isinstance(line, dict):
        return PublishedLine(place, {}, Message.from_dict(line), None, None)
    message = Message.from_dict({key: value for key, value in line.items() if key not in _BESIDE})
    keys, routing_type = _routing_keys(line, message), _routing_type(line)
    return PublishedLine(place, line, message, _text(line, "exchange"), keys, routing_type)


def _row(place: str, row: Any, message: Message) -> PublishedLine:
    sent = row.get("delivery_properties")
    sent = sent if isinstance(sent, Mapping) else {}
    exchange = _text(row, "exchange")
    key = _text(sent, "routing_key")
    keys = _routing_keys(row, message) if key is None else (key,)
    exchange = _text(sent, "exchange") if exchange is None else exchange
    return PublishedLine(place, row, message, exchange, keys, _routing_type(row))


def _routing_type(line: Mapping[str, Any]) -> str | None:
    value = _text(line, "routing_type")
    if value is not None and value not in ROUTING_TYPES:
        types = " or ".join(ROUTING_TYPES)
        raise DecodeError.at("message.routing-type", f"routing_type: {value!r} is not {types}")
    return value


def _routing_keys(line: Mapping[str, Any], message: Message) -> tuple[str, ...] | None:
    """Return the keys beside a message; None where its own subject is the key."""
    keys = line.get("routing_keys")
    if keys is not None:
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            raise DecodeError.at("message.routing-keys", "routing_keys: expected an array of texts")
        return tuple(keys)
    key = _text(line, "routing_key")
    subject = message.properties.subject if message.properties is not None else None
    return None if key is None or subject is not None else (key,)


def _text(line: Mapping[str, Any], name: str) -> str | None:
    value = line.get(name)
    if value is not None and not isinstance(value, str):
        raise DecodeError.at(f"message.{name.replace('_', '-')}", f"{name}: expected text")
    return value
