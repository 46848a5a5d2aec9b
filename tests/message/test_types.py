"""The coercion table, row by row, and the value that a selector sees for each type."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

import pytest

from transpiler import DecodeError, Message
from transpiler.message.operand_types import TYPED_JMS
from transpiler.message.types import AND, NOT, OR, AmqpType, AmqpValue, Compound, coerce

#: Figure 2 of the Apache AMQP filter document, typed by hand. Null, its first row, is omitted because it is not an
#: operand.
FIGURE_2 = """
boolean boolean; ubyte short; ushort int; uint long; ulong long; byte byte; short short; int int; long long;
float float; double double; decimal32 double; decimal64 double; decimal128 double; char char; timestamp long;
uuid bytes; binary bytes; string string; symbol string
"""


def test_the_table_is_figure_2() -> None:
    rows = dict(row.split() for row in FIGURE_2.replace("\n", " ").split("; "))
    assert {kind.value: mapped.value for kind, mapped in TYPED_JMS.table.items() if isinstance(kind, AmqpType)} == rows
    assert set(TYPED_JMS.table) == set(AmqpType) - {AmqpType.NULL} | {Compound.LIST, Compound.MAP, Compound.ARRAY}


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (AmqpValue(AmqpType.ULONG, 2**64 - 1), -1),
        (AmqpValue(AmqpType.ULONG, 2**63), -(2**63)),
        (AmqpValue(AmqpType.DECIMAL64, Decimal("2.5")), 2.5),
        (AmqpValue(AmqpType.UUID, UUID(int=5)), bytes(15) + b"\x05"),
        (AmqpValue(AmqpType.BOOLEAN, True), True),
        (AmqpValue(AmqpType.TIMESTAMP, 7), 7),
        (AmqpValue(AmqpType.NULL, None), None),
    ],
)
def test_a_value_is_seen_by_its_row(value: AmqpValue, seen: object) -> None:
    assert coerce(value) == seen
    assert type(coerce(value)) is type(seen)


def test_the_truth_tables_are_those_of_the_standard() -> None:
    order = {False: 0, None: 1, True: 2}
    for left in order:
        assert order[NOT[left]] == 2 - order[left]
        for right in order:
            assert order[AND[left, right]] == min(order[left], order[right])
            assert order[OR[left, right]] == max(order[left], order[right])


@pytest.mark.parametrize(
    ("data", "expected_text"),
    [
        ({"headers": {}}, "did you mean header?"),
        ({"header": {"prio": 1}}, "header: there is no field called 'prio'"),
        ({"header": {"priority": 256}}, "header.priority: 256 is outside the range 0 to 255"),
        ({"header": {"durable": 1}}, "header.durable: expected true or false, found a number"),
        (
            {"application_properties": {"a": {"type": "integer", "value": 1}}},
            "application_properties.a: there is no AMQP type",
        ),
        ({"application_properties": {"a": {"type": "byte", "value": 200}}}, "outside the range -128 to 127"),
        ({"application_properties": {"a": [1]}}, "expected a simple value, found an array"),
        ({"application_properties": {"a": 2**63}}, "outside"),
        ({"application_properties": {"a": {"type": "char", "value": "ab"}}}, "one Unicode code point"),
        ({"properties": {"message_id": True}}, "an id must be a string, ulong, uuid or binary"),
        ({"properties": {"user_id": "***"}}, "is not base64"),
        ([], "a message must be a JSON object of sections, not an array"),
    ],
)
def test_a_bad_message_names_the_path(data: object, expected_text: str) -> None:
    with pytest.raises(DecodeError, match=r"message\.") as caught:
        Message.from_dict(data)  # type: ignore[arg-type]
    assert expected_text in str(caught.value)
