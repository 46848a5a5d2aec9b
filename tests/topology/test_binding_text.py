"""The description of a binding: one text for pictures, reports and explanations."""

from __future__ import annotations

import pytest

from transpiler.topology.binding_text import headers_text
from transpiler.topology.exchange_types import EXCHANGE_KINDS, ExchangeType
from transpiler.topology.files import topology_from_dict


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"x-match": "all", "color": "red", "n": 5}, "all: color=red, n=5"),
        ({"x-match": "any", "n": "5", "urgent": "true", "up": True}, "any: n='5', urgent='true', up=True"),
        ({"x-match": "all", "some": None}, "all: some"),
        ({"x-match": "all", "empty": ""}, "all: empty=''"),
        ({"x-match": "all"}, "every message"),
        ({"x-match": "any"}, "no message"),
    ],
)
def test_the_binding_text_of_a_headers_binding_names_the_required_headers(
    arguments: dict[str, object], text: str
) -> None:
    binding = {"source": "h", "queue": "q", "arguments": arguments}
    exchange = {"name": "h", "type": "headers"}
    topology = topology_from_dict(
        {"broker": "rabbitmq", "exchanges": [exchange], "queues": ["q"], "bindings": [binding]}
    )
    headers = topology.headers(topology.bindings[0])
    assert headers is not None
    assert headers_text(headers) == text


@pytest.mark.parametrize(
    ("exchange_type", "key", "text"),
    [
        ("x-consistent-hash", "10", "one of, weight 10"),
        ("x-super-stream", "0", "one of, partition 0"),
        ("x-random", "", "one of"),
        ("maybe", "a.b", "perhaps"),
        ("unknown", "a.b", "perhaps | a.b"),
        ("unknown", "", "perhaps"),
    ],
)
def test_what_a_key_means_to_an_exchange_that_chooses(exchange_type: ExchangeType, key: str, text: str) -> None:
    choosing = EXCHANGE_KINDS[exchange_type].choosing
    assert choosing is not None
    assert choosing.text(key) == text
