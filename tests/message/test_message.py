"""Message JSON: a message that is written and read again is the same message."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given

from tests.spark_ext.strategies import messages
from transpiler import Message, transpile_selector


@given(messages)
def test_a_message_survives_its_json_form(message: Message) -> None:
    again = Message.from_dict(json.loads(json.dumps(message.to_dict())))
    # NaN is unequal to itself, so that the JSON forms are compared and not the values.
    assert repr(again.to_dict()) == repr(message.to_dict())


def test_plain_json_says_the_common_types() -> None:
    plain = {"application_properties": {"a": "x", "b": 5, "c": 2.5, "d": True, "e": None}}
    assert Message.from_dict(plain).to_dict() == plain
    types = [value.type.value for value in (Message.from_dict(plain).application_properties or {}).values()]
    assert types == ["string", "long", "double", "boolean", "null"]


def test_the_sections_of_a_message_cannot_be_changed() -> None:
    sections = {"application_properties": {"a": 1}, "message_annotations": {"x": 1}, "footer": {"y": 1}}
    message = Message.from_dict(sections)
    for section in ("application_properties", "message_annotations", "footer"):
        values = getattr(message, section)
        for change in (lambda own: own.__setitem__("a", 9), lambda own: own.clear(), lambda own: own.update(b=1)):
            with pytest.raises(TypeError, match="is immutable"):
                change(values)
    again = pickle.loads(pickle.dumps(message))
    assert again == message == copy.deepcopy(message)
    with pytest.raises(TypeError):
        again.application_properties["a"] = 9


def test_what_the_compiler_returns_can_be_pickled() -> None:
    compiled = transpile_selector("a = 1 AND b LIKE 'x%' AND JMSPriorty > 5")
    again = pickle.loads(pickle.dumps(compiled))
    assert (again, again.diagnostics, again.trace) == (compiled, compiled.diagnostics, compiled.trace)
