"""Bytes in AMQP's encoding together with plain bytes: Python and Spark SQL decode each value in the same way."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from transpiler import LayoutError, evaluate, stores, transpile_selector
from transpiler.compiler.layouts.encoded_values import Encoded
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpList, Described
from transpiler.message.types import AmqpType, AmqpValue, Compound, UntypedText

LAYOUT = stores.kafka_headers(types="amqp")

#: Bytes, and the type and the content that they decode to.
VALUES: list[tuple[bytes, AmqpType | Compound | None, Any]] = [
    (bytes.fromhex("40"), None, None),
    (bytes.fromhex("41"), AmqpType.BOOLEAN, True),
    (bytes.fromhex("42"), AmqpType.BOOLEAN, False),
    (bytes.fromhex("5601"), AmqpType.BOOLEAN, True),
    (bytes.fromhex("5600"), AmqpType.BOOLEAN, False),
    (bytes.fromhex("43"), AmqpType.LONG, 0),
    (bytes.fromhex("44"), AmqpType.LONG, 0),
    (bytes.fromhex("5405"), AmqpType.LONG, 5),
    (bytes.fromhex("54fb"), AmqpType.LONG, -5),
    (bytes.fromhex("50ff"), AmqpType.LONG, 255),
    (bytes.fromhex("51ff"), AmqpType.LONG, -1),
    (bytes.fromhex("60ffff"), AmqpType.LONG, 65_535),
    (bytes.fromhex("61fffe"), AmqpType.LONG, -2),
    (bytes.fromhex("70ffffffff"), AmqpType.LONG, 2**32 - 1),
    (bytes.fromhex("71fffffffd"), AmqpType.LONG, -3),
    (b"\x81" + (-(2**63)).to_bytes(8, signed=True), AmqpType.LONG, -(2**63)),
    (b"\x80" + b"\xff" * 8, AmqpType.LONG, -1),
    (b"\x83" + (1_718_000_000_000).to_bytes(8), AmqpType.TIMESTAMP, 1_718_000_000_000),
    *[
        (b"\x82" + struct.pack(">d", number), AmqpType.DOUBLE, number)
        for number in (0.0, -0.0, 1.0, -2500.5, 0.1, 1e308, -1.7976931348623157e308, 5e-324, 2.2250738585072014e-308)
    ],
    *[(b"\x82" + struct.pack(">d", number), AmqpType.DOUBLE, number) for number in (math.inf, -math.inf)],
    *[
        (b"\x72" + struct.pack(">f", number), AmqpType.DOUBLE, number)
        for number in (0.0, 1.5, -2500.5, 2.0**-149, 2.0**-126, -math.inf)
    ],
    (encode(AmqpValue(AmqpType.STRING, "order")), AmqpType.STRING, "order"),
    (encode(AmqpValue(AmqpType.STRING, "é" * 200)), AmqpType.STRING, "é" * 200),
    (encode(AmqpValue(AmqpType.STRING, "")), AmqpType.STRING, ""),
    (encode(AmqpValue(AmqpType.SYMBOL, "eu")), AmqpType.STRING, "eu"),
    (encode(AmqpValue(AmqpType.BINARY, b"\x00\xff")), AmqpType.BINARY, b"\x00\xff"),
    (b"\x98" + bytes(range(16)), AmqpType.UUID, UUID(bytes=bytes(range(16)))),
    (encode(AmqpValue(AmqpType.CHAR, "A")), Compound.LIST, b""),
    (encode(AmqpValue(AmqpType.DECIMAL128, Decimal("1.5"))), Compound.LIST, b""),
    # Values of fixed width whose type no selector compares: decimal32, char and decimal64.
    *[(bytes((code,)) + b"\x01" * width, Compound.LIST, b"") for code, width in ((0x74, 4), (0x73, 4), (0x84, 8))],
    (encode(AmqpList((AmqpValue(AmqpType.INT, 1),))), Compound.LIST, b""),
    (encode(AmqpList(())), Compound.LIST, b""),
    (encode(Described(AmqpValue(AmqpType.SYMBOL, "s"), AmqpValue(AmqpType.LONG, 1))), Compound.LIST, b""),
]

#: Bytes that are not in the encoding, or are cut off. They are read as text.
PLAIN = [b"", b"order", b"5", b"2500", b"true", "é".encode(), b"\xa1\x06order", b"\xa1", b"\x54", b"\x56\x02", b"\xff"]
PLAIN += [b"\xb1\x00\x00", b"\x82\x00", b"\x70", "Дело".encode(), b"\x00", b"AB", b"qu"]
PLAIN += [b"\x45\x01", b"\x74" + b"\x01" * 3, b"\x73" + b"\x01" * 5, b"\x84" + b"\x01" * 7, b"\x84" + b"\x01" * 9]


@pytest.mark.parametrize(("octets", "kind", "content"), VALUES)
def test_a_value_in_the_encoding_is_read(octets: bytes, kind: Any, content: Any) -> None:
    found = Encoded().read_bytes(octets)
    if kind is None:
        assert found is None
        return
    assert found is not None
    assert (found.type, found.value) == (kind, content)
    assert not isinstance(found.value, UntypedText)
    if isinstance(found.value, float):
        assert math.copysign(1, found.value) == math.copysign(1, content)


@pytest.mark.parametrize("octets", PLAIN)
def test_other_bytes_are_text_by_use(octets: bytes) -> None:
    found = Encoded().read_bytes(octets)
    assert found is not None
    assert found == AmqpValue(AmqpType.STRING, octets.decode("utf-8", "replace"))
    assert isinstance(found.value, UntypedText)


def headers(**values: bytes) -> dict[str, Any]:
    return {"headers": [{"key": key, "value": value} for key, value in values.items()]}


ROW = headers(
    EventType=bytes.fromhex("a1056f72646572"),
    weight=bytes.fromhex("5405"),
    urgent=b"A",
    plain=b"2500",
    digits=bytes.fromhex("a10135"),
    JMSPriority=bytes.fromhex("5007"),
    JMSType=bytes.fromhex("a3026575"),
)


@pytest.mark.parametrize(
    ("selector", "answer"),
    [
        ("EventType = 'order'", True),
        ("weight > 3", True),
        ("urgent = TRUE", True),
        ("plain > 2499", True),
        ("plain = '2500'", True),
        ("digits > 3", False),
        ("digits = '5'", True),
        ("missing IS NULL", True),
        ("JMSPriority = 7", True),
        ("JMSType = 'eu'", True),
    ],
)
def test_a_selector_reads_both_kinds_of_a_table(selector: str, answer: Any) -> None:
    assert evaluate(selector, LAYOUT.message(ROW)) is answer


def test_a_name_may_have_another_policy() -> None:
    layout = stores.kafka_headers(types={"code": "string", "*": "amqp"})
    properties = layout.message(headers(code=b"A", urgent=b"A")).application_properties or {}
    assert (properties["code"].value, properties["urgent"].value) == ("A", True)


def test_the_bytes_are_in_the_sql_once_for_each_type() -> None:
    sql = transpile_selector("EventType = 'order'", LAYOUT).sql
    assert sql.count("h.key = 'EventType'") == 1


def test_types_amqp_rejects_a_column_of_text() -> None:
    with pytest.raises(LayoutError, match="types='amqp' decodes bytes, but properties contains text"):
        transpile_selector("a = 1", stores.event_hubs(types="amqp"))
