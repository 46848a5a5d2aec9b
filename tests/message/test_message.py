"""Message JSON goes there and back."""

from __future__ import annotations

import json

from hypothesis import given

from tests.spark_ext.strategies import messages
from transpiler import Message


@given(messages)
def test_a_message_survives_its_json_form(message: Message) -> None:
    again = Message.from_dict(json.loads(json.dumps(message.to_dict())))
    # NaN equals nothing, so the forms are compared, not the values.
    assert repr(again.to_dict()) == repr(message.to_dict())


def test_plain_json_says_the_common_types() -> None:
    plain = {"application_properties": {"a": "x", "b": 5, "c": 2.5, "d": True, "e": None}}
    assert Message.from_dict(plain).to_dict() == plain
    types = [value.type.value for value in (Message.from_dict(plain).application_properties or {}).values()]
    assert types == ["string", "long", "double", "boolean", "null"]
