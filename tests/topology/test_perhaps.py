"""Selectors beyond a limit of this project, in the file of a broker without this limit: their bindings may match."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import Message
from transpiler.reference.route import publish
from transpiler.reference.routed import Routed
from transpiler.topology import topology_from_dict, topology_to_dict
from transpiler.topology.choices import certain_topology, possible_topology
from transpiler.topology.model import Topology

DEEP = 1_000


TERM = "{'not'," * DEEP + "{'=',{'ident',<<\"a\">>},1}" + "}" * DEEP + "."


def rabbitmq(alternate: dict[str, str], *terms: str) -> Topology:
    """Return a topology with a binding that is not evaluated, and others to ``sure`` with compiled selectors."""
    exchange: dict[str, Any] = {"name": "x", "type": "x-jms-topic", "arguments": alternate}
    data = {
        "rabbitmq_version": "4.1.0",
        "queues": [{"name": "q"}, {"name": "other"}, {"name": "sure"}],
        "exchanges": [exchange, {"name": "rest", "type": "fanout"}],
        "bindings": [
            {"source": "x", "destination": "q", "arguments": {"rjms_erlang_selector": TERM}},
            *({"source": "x", "destination": "sure", "arguments": {"rjms_erlang_selector": term}} for term in terms),
            {"source": "rest", "destination": "other"},
        ],
    }
    return topology_from_dict(data)


def test_an_exchange_with_a_reserved_name_that_only_bindings_name_takes_part_in_routing() -> None:
    """The router gives such an exchange a type, by which its name was refused as one that the file declares."""
    topology = topology_from_dict(
        {
            "broker": "rabbitmq",
            "queues": ["q"],
            "exchanges": [{"name": "x", "type": "fanout"}, {"name": "amq.x", "type": "unknown", "declared": False}],
            "bindings": [{"source": "x", "exchange": "amq.x"}, {"source": "amq.x", "queue": "q"}],
        }
    )
    for part in (certain_topology(topology, "chosen"), possible_topology(topology, "chosen")):
        assert part.exchange_by_name["amq.x"].type == "fanout"


DEEP_SELECTOR = "NOT (" * DEEP + "a = 1" + ")" * DEEP


def _bound(destination: str, selector: str) -> dict[str, Any]:
    return {"bindingKey": "k", "destination": destination, "arguments": {"x-filter-jms-selector": selector}}


def broker_j(alternate: dict[str, Any], other_selector: str | None = None, **exchanges: dict[str, Any]) -> Topology:
    """Return a topology with a binding that is not evaluated, and another with ``other_selector`` unless it is None."""
    bindings = [_bound("q", DEEP_SELECTOR)] + ([_bound("sure", other_selector)] if other_selector is not None else [])
    listed = [{"name": "x", "type": "topic", "bindings": bindings} | alternate]
    listed += [{"name": name, "type": "topic"} | exchange for name, exchange in exchanges.items()]
    queues = [{"name": name} for name in ("q", "other", "sure")]
    data = {"name": "v", "type": "BDB", "modelVersion": "9.0", "queues": queues}
    return topology_from_dict(data | {"exchanges": listed})


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


def test_a_message_that_the_key_keeps_out_goes_to_the_alternate_certainly() -> None:
    topology = broker_j({"alternateBinding": {"destination": "other"}})
    assert publish(topology, Message(), "x", ["l"]) == Routed(("other",), "alternate", "x")


_ONE, _TWO = (f"{{'=',{{'ident',<<\"n\">>}},{n}}}." for n in (1, 2))
_OTHER = {"alternateBinding": {"destination": "other"}}


@pytest.mark.parametrize(
    "topology",
    [
        rabbitmq({"alternate-exchange": "rest"}, _ONE, TERM, _TWO),
        broker_j(_OTHER, "n = 1 OR n = 2"),
        # The alternate of an earlier exchange, and a certain binding that messages reach through another exchange.
        broker_j({}, "n < 3", before=_OTHER | {"bindings": [{"bindingKey": "k", "destination": "x"}]}),
    ],
)
def test_what_takes_a_message_certainly_keeps_it_from_the_alternate(topology: Topology) -> None:
    exchange = "before" if "before" in topology.exchange_by_name else "x"
    for n in (1, 2):
        routed = publish(topology, Message.of(n=n), exchange, ["k"])
        assert (routed.queues, routed.outcome) == (("sure",), "delivered")
        assert "other" not in routed.possible_queues
        assert "q" in routed.possible_queues
    routed = publish(topology, Message.of(n=3), exchange, ["k"])
    assert (routed.queues, routed.outcome) == ((), "undecided")
    assert {"other", "q"} <= {*routed.possible_queues}


def test_an_alternate_that_certainly_takes_what_an_open_binding_leaves_keeps_it_from_the_one_before() -> None:
    before = {"alternateBinding": {"destination": "sure"}, "bindings": [{"bindingKey": "k", "destination": "x"}]}
    topology = broker_j(_OTHER, before=before)
    assert publish(topology, Message(), "before", ["k"]).possible_queues == ("other", "q")
