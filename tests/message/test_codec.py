"""Messages from bytes: from a real client library, with every kind of section, and bytes that are not a message."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.language.filters.test_sets import mutated
from tests.sizes import randomness
from transpiler import DecodeError, Message
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpList, AmqpMap, Described, Value
from transpiler.message.types import AmqpType, AmqpValue

CORPUS = Path(__file__).parents[1] / "message" / "amqp" / "data" / "amqp_messages.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]

#: Default values of the header. AMQP 1.0, 3.2.1: a sender may omit a field that has its default value.
DEFAULTS = {"durable": False, "priority": 4, "first_acquirer": False, "delivery_count": 0}


def without_absent(message: dict[str, Any]) -> dict[str, Any]:
    """Return ``message`` without what may be absent on the wire: default values of the header, and empty sections.

    The library sends a group sequence of 0 whenever it sends a group id.
    """
    header = {key: value for key, value in message.get("header", {}).items() if DEFAULTS.get(key) != value}
    properties = {
        key: value for key, value in message.get("properties", {}).items() if (key, value) != ("group_sequence", 0)
    }
    whole = message | {"header": header, "properties": properties, "body": None}
    return {name: section for name, section in whole.items() if section}


def test_all_messages_of_the_client_library_read_as_what_stands_beside_them() -> None:
    assert len(ROWS) == 300
    bodies = {"binary": "data", "string": "amqp-value", "none": None}
    for row in ROWS:
        message = Message.from_amqp(base64.b64decode(row["amqp"]))
        assert without_absent(message.to_dict()) == without_absent(Message.from_dict(row["message"]).to_dict())
        assert Message.from_dict(message.to_dict()) == message
        assert (message.body.section if message.body else None) == bodies[row["body"]]


def section(code: int | str, value: Value) -> bytes:
    kind = AmqpType.ULONG if isinstance(code, int) else AmqpType.SYMBOL
    return encode(Described(AmqpValue(kind, code), value))


def string(text: str) -> AmqpValue:
    return AmqpValue(AmqpType.STRING, text)


def symbol(text: str) -> AmqpValue:
    return AmqpValue(AmqpType.SYMBOL, text)


NULL = AmqpValue(AmqpType.NULL, None)


def test_every_section_has_its_place() -> None:
    message = Message.from_amqp(
        section("amqp:header:list", AmqpList((NULL, AmqpValue(AmqpType.UBYTE, 7))))
        + section(0x71, AmqpMap(((symbol("x-a"), string("1")),)))
        + section(0x72, AmqpMap(((symbol("x-opt-list"), AmqpList()), (symbol("x-opt-jms-type"), symbol("t")))))
        + section(0x73, AmqpList((AmqpValue(AmqpType.ULONG, 5), NULL, string("to"))))
        + section(0x74, AmqpMap(((string("a"), AmqpValue(AmqpType.UINT, 1)), (string("n"), NULL))))
        + section(0x75, AmqpValue(AmqpType.BINARY, b"ab"))
        + section("amqp:data:binary", AmqpValue(AmqpType.BINARY, b"c"))
        + section(0x78, AmqpMap(((symbol("x-f"), string("2")),)))
    )
    assert message.to_dict() == {
        "header": {"priority": 7},
        "delivery_annotations": {"x-a": "1"},
        "message_annotations": {"x-opt-jms-type": {"type": "symbol", "value": "t"}},
        "properties": {"message_id": {"type": "ulong", "value": 5}, "to": "to"},
        "application_properties": {"a": {"type": "uint", "value": 1}, "n": None},
        "body": {"section": "data", "data": "YWJj"},
        "footer": {"x-f": "2"},
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (section(0x77, string("x")), {"section": "amqp-value", "value": "x"}),
        (section(0x77, AmqpMap()), {"section": "amqp-value", "value": {"type": "map"}}),
        (section(0x77, NULL), {"section": "amqp-value", "value": None}),
        (section(0x76, AmqpList()) * 2, {"section": "amqp-sequence"}),
        (section(0x75, AmqpValue(AmqpType.BINARY, b"")), {"section": "data", "data": ""}),
    ],
)
def test_a_body_is_one_of_three_sections(value: bytes, expected: dict[str, Any]) -> None:
    assert Message.from_amqp(value).to_dict() == {"body": expected}


DATA = section(0x75, AmqpValue(AmqpType.BINARY, b""))
REFUSED = [
    (encode(string("a")), "message.unknown-section", "expected a section of a message, found string, in bytes 0 to 3"),
    (section(0x79, AmqpList()), "message.unknown-section", "found the descriptor 0x79"),
    (section(0x73, AmqpMap()), "message.type", "properties: expected a list of fields, found map"),
    (
        section(0x73, AmqpList((string("a"), string("b")))),
        "message.type",
        "properties.user_id: expected binary, found string",
    ),
    (section(0x73, AmqpList((NULL,) * 14)), "message.fields", "has 14 fields, and the standard knows 13"),
    (section(0x70, AmqpList((string("a"),))), "message.type", "header.durable: expected boolean, found string"),
    (section(0x74, AmqpMap(((symbol("a"), NULL),))), "message.key", "expected a string as key, found symbol"),
    (
        section(0x74, AmqpMap(((string("a"), AmqpList()),))),
        "message.type",
        "application_properties.a: expected a simple value, found list",
    ),
    (
        section(0x72, AmqpMap(((AmqpValue(AmqpType.INT, 1), NULL),))),
        "message.key",
        "expected a symbol as key, found int",
    ),
    (DATA + section(0x77, NULL), "message.body", "amqp-value: stands beside the body section data"),
    (section(0x77, NULL) * 2, "message.body", "stands beside the body section amqp-value"),
    (DATA + section(0x70, AmqpList()), "message.order", "header: stands after data, in bytes 5 to 9"),
    (section(0x70, AmqpList()) * 2, "message.order", "header: is there twice"),
    (section(0x75, string("a")), "message.type", "data: expected binary, found string"),
    (b"\x00\x53\x70\xc0", "amqp.truncated", "at byte 0"),
]


@pytest.mark.parametrize(("data", "code", "text"), REFUSED)
def test_bytes_that_are_no_message_are_refused_with_their_place(data: bytes, code: str, text: str) -> None:
    with pytest.raises(DecodeError) as refused:
        Message.from_amqp(data)
    [finding] = refused.value.diagnostics
    assert finding.code == code
    assert text in finding.message
    assert finding.span is not None
    assert 0 <= finding.span.start <= finding.span.end <= len(data)


def outcomes(count: int, seed: int) -> dict[str, int]:
    """Count the mutated messages that are read, and those that are rejected with a ``DecodeError``.

    Anything else fails the test.
    """
    draw, found = randomness(seed), {"read": 0, "refused": 0}
    originals = [data for row in ROWS if (data := base64.b64decode(row["amqp"]))]
    for _ in range(count):
        try:
            Message.from_amqp(mutated(draw.choice(originals), draw))
            found["read"] += 1
        except DecodeError:
            found["refused"] += 1
    return found


def test_mutated_messages_are_read_or_refused() -> None:
    assert min(outcomes(4000, 2).values()) > 500
