"""Selectors beyond a limit of this project in the file of a broker without one: their bindings may match."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import Message
from transpiler.reference.route import publish
from transpiler.reference.routed import Routed
from transpiler.topology import topology_from_dict, topology_to_dict
from transpiler.topology.model import Topology

DEEP = 1_000


def rabbitmq(alternate: dict[str, str]) -> Topology:
    term = "{'not'," * DEEP + "{'=',{'ident',<<\"a\">>},1}" + "}" * DEEP + "."
    exchange: dict[str, Any] = {"name": "x", "type": "x-jms-topic", "arguments": alternate}
    data = {
        "rabbitmq_version": "4.1.0",
        "queues": [{"name": "q"}, {"name": "other"}],
        "exchanges": [exchange, {"name": "rest", "type": "fanout"}],
        "bindings": [
            {"source": "x", "destination": "q", "arguments": {"rjms_erlang_selector": term}},
            {"source": "rest", "destination": "other"},
        ],
    }
    return topology_from_dict(data)


def broker_j(alternate: dict[str, Any]) -> Topology:
    arguments = {"x-filter-jms-selector": "NOT (" * DEEP + "a = 1" + ")" * DEEP}
    binding = {"bindingKey": "k", "destination": "q", "arguments": arguments}
    exchange = {"name": "x", "type": "topic", "bindings": [binding]} | alternate
    data = {"name": "v", "type": "BDB", "modelVersion": "9.0", "queues": [{"name": "q"}, {"name": "other"}]}
    return topology_from_dict(data | {"exchanges": [exchange]})


CASES = (
    (rabbitmq({}), ("q",)),
    (rabbitmq({"alternate-exchange": "rest"}), ("other", "q")),
    (broker_j({}), ("q",)),
    (broker_j({"alternateBinding": {"destination": "other"}}), ("other", "q")),
)


@pytest.mark.parametrize(("topology", "possible"), CASES)
def test_a_binding_whose_selector_is_beyond_a_limit_may_match(topology: Topology, possible: tuple[str, ...]) -> None:
    [finding] = topology.findings
    assert finding.code == "topology.not-evaluated"
    assert publish(topology, Message(), "x", ["k"]) == Routed((), "undecided", "x", possible)
    assert topology_from_dict(topology_to_dict(topology)) == topology


def test_a_message_that_the_key_keeps_out_goes_to_the_alternate_for_sure() -> None:
    topology = broker_j({"alternateBinding": {"destination": "other"}})
    assert publish(topology, Message(), "x", ["l"]) == Routed(("other",), "alternate", "x")
