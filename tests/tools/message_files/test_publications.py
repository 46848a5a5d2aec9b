"""Messages as RabbitMQ's clients and its management API write them."""

import json

import pytest

from transpiler import Message
from transpiler.messages import read

HEADERS = {"k": "v", "n": 5}


@pytest.mark.parametrize(
    "value",
    [
        {"headers": HEADERS},
        {"exchange": "h", "routing_key": "r", "headers": HEADERS},
        {"properties": {"headers": HEADERS}, "routing_key": "r", "payload": "text", "payload_encoding": "string"},
        {"properties": {"headers": HEADERS, "delivery_mode": 2}, "routing_key": "r"},
    ],
)
def test_headers_are_application_properties(value: dict[str, object], tmp_path: object) -> None:
    file = f"{tmp_path}/m.jsonl"
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(json.dumps(value) + "\n")
    [message] = list(read(file))
    assert message.message.application_properties == Message.of(**HEADERS).application_properties
