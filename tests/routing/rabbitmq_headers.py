"""RabbitMQ's results for pairs of a binding's value and a header's value, of all types that AMQP 0-9-1 has.

``3.10.8`` is what a broker of that version delivered, and ``exported`` how it exported the binding's argument. ``3.13``
is the result of the headers exchange's function since that version, run by Erlang on the tables that the broker's
parser reads. Each has one digit for each row's value as the header, and a last digit for a message without the header.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from transpiler import Message
from transpiler.message.types import AmqpValue

_DATA = Path(__file__).parent / "data" / "rabbitmq_headers.jsonl"

_TYPES = {
    "t": "boolean",
    "b": "byte",
    "B": "ubyte",
    "s": "short",
    "u": "ushort",
    "I": "int",
    "i": "uint",
    "l": "long",
    "f": "float",
    "d": "double",
    "S": "string",
}


@cache
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in _DATA.read_text(encoding="utf-8").splitlines()]


def read(value: list[Any]) -> AmqpValue:
    """Return a value of the data, which is a field's tag and content, as a message contains it."""
    found = Message.from_dict({"application_properties": {"h": _as_json(value)}}).application_properties
    assert found is not None
    return found["h"]


def _as_json(value: list[Any]) -> Any:
    match value:
        case ["V", _]:
            return None
        case ["x", digits]:
            return {"type": "binary", "value": bytes.fromhex(digits)}
        case ["D", [scale, digits]]:
            return {"type": "decimal64", "value": f"{digits}E-{scale}"}
        case ["T", seconds]:
            return {"type": "timestamp", "value": seconds * 1000}
        case ["A", items]:
            return {"type": "list", "value": [_as_json(item) for item in items]}
        case ["F", entries]:
            return {"type": "map", "value": {name: _as_json(item) for name, item in entries}}
        case [tag, plain]:
            return {"type": _TYPES[tag], "value": plain}
    raise AssertionError(value)
