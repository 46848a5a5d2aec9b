"""Messages and filter sets encoded by a real client library decode to the content stored with them as JSON."""

import base64
import math

from transpiler.message.amqp.decoder import decode, decode_all
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpList, AmqpMap, Described, identity
from transpiler.message.types import AmqpType, AmqpValue

#: The sections whose content is a map with symbol or string keys (part 3, 3.2), by descriptor.
MAPS = {0x72: "message_annotations", 0x74: "application_properties"}


def _json(value):
    """Return the content of a value in the form that the stored JSON uses."""
    match value:
        case AmqpValue(AmqpType.BINARY, content):
            return base64.b64encode(content).decode()
        case AmqpValue(AmqpType.UUID, content):
            return str(content)
        case AmqpValue(_, float() as content) if not math.isfinite(content):
            return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(content, "NaN")
        case AmqpValue(_, content):
            return content
        case AmqpList(items):
            return [_json(item) for item in items]
        case AmqpMap(entries):
            return {key.value: _json(item) for key, item in entries}
        case Described(descriptor, content):
            return {"descriptor": descriptor.value, "value": _json(content)}


def _tagged(value):
    return {"type": value.type.value, "value": _json(value)}


def _untagged(expected):
    """Return JSON with each tagged value replaced by its content."""
    if isinstance(expected, dict):
        if set(expected) == {"type", "value"}:
            return expected["value"]
        return {key: _untagged(item) for key, item in expected.items()}
    return [_untagged(item) for item in expected] if isinstance(expected, list) else expected


def _text(value):
    """Return a text that distinguishes 1, 1.0 and True, and -0.0 and 0.0."""
    return repr(value)


def test_all_messages_decode_to_what_stands_beside_them(messages):
    assert len(messages) == 300
    for row in messages:
        expected = row["message"]
        found = {}
        for section, _ in decode_all(row["amqp"]):
            assert isinstance(section, Described)
            name = MAPS.get(section.descriptor.value)
            if name is not None:
                found[name] = {key.value: _tagged(item) for key, item in section.value.entries}
        assert {name: found.get(name) or None for name in MAPS.values()} == {
            name: expected.get(name) for name in MAPS.values()
        }


def test_all_filter_sets_decode_to_what_stands_beside_them(filter_sets):
    assert len(filter_sets) == 80
    for row in filter_sets:
        assert _text(_json(decode(row["amqp"]))) == _text(_untagged(row["filters"]))


def test_all_messages_and_filter_sets_are_the_same_after_encoding_again(messages, filter_sets):
    for row in messages + filter_sets:
        for value, _ in decode_all(row["amqp"]):
            for compact in (True, False):
                assert identity(decode(encode(value, compact))) == identity(value)


def test_the_compact_form_is_never_longer_than_the_librarys(messages, filter_sets):
    for row in messages + filter_sets:
        located = decode_all(row["amqp"])
        assert sum(len(encode(value)) for value, _ in located) <= len(row["amqp"])
