"""The state of a JMS broker: errors and diagnostics with their location in its file, and rejected states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.topology.test_jms_brokers import activemq, artemis
from transpiler import Message, TopologyError
from transpiler.reference.route import publish
from transpiler.topology import read_topology
from transpiler.topology.model import Topology

BROKERS = {"activemq": activemq, "artemis": artemis}
INNER = {"activemq": "", "artemis": "<addresses/>"}


def read(broker: str, state: Any, folder: Path) -> Topology:
    """Return the topology of a broker without queues, with ``state`` in a file that has each object on a line."""
    file = folder / "state.json"
    file.write_text(state if isinstance(state, str) else json.dumps(state, indent=0), encoding="utf-8")
    return BROKERS[broker](INNER[broker], state=file)


NO_DESTINATION = {"subscriptions": [{"name": "s", "destination": "topic://t"}, {"name": "eu"}]}

#: A state, the location of its error after the file's name, and words of the error and its hint.
ERRORS: tuple[tuple[Any, str, str, str], ...] = (
    (NO_DESTINATION, ":7:1", "subscriptions[1]: destination is missing", 'write "destination": "topic://orders"'),
    ({"consumers": [{"selector": "a = 1"}]}, ":3:1", "consumers[0]: queue is missing", 'write "queue": "orders"'),
    ({"subscriptions": [{"destination": "t"}]}, ":3:1", "name is missing", ""),
    ({"queues": [{"name": "q", "filter": 5}]}, ":5:11", "queues[0].filter: expected text", ""),
    ({"topics": []}, ":2:11", "there is no member called 'topics'", "queues, subscriptions, consumers"),
    ('{"queues": [}', ":1:13", "", ""),
)


@pytest.mark.parametrize("broker", BROKERS)
@pytest.mark.parametrize(("state", "location", "message", "hint"), ERRORS)
def test_an_error_in_a_state_has_its_place_in_the_file_of_the_state(
    broker: str, state: Any, location: str, message: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(TopologyError) as caught:
        read(broker, state, tmp_path)
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / 'state.json'}{location}:"), text
    assert message in text
    assert hint in text
    assert "broker.xml" not in text
    assert "activemq.xml" not in text


REFUSED = "odd = = 'a'"


@pytest.mark.parametrize("broker", BROKERS)
@pytest.mark.parametrize("member", ["selector", "filter"])
def test_what_the_broker_refuses_is_left_out_with_a_finding_at_its_place(
    broker: str, member: str, tmp_path: Path
) -> None:
    state = {
        "subscriptions": [
            {"name": "bad", "destination": "topic://t", member: REFUSED},
            {"name": "good", "destination": "topic://t", member: "odd = 'a'"},
        ],
        "consumers": [{"queue": "q", member: "a +"}],
    }
    topology = read(broker, state, tmp_path)
    to = "topic://t" if broker == "activemq" else "t"
    assert publish(topology, Message.of(odd="a"), to, routing_type=None).queues == ("good",)
    found = [finding for finding in topology.findings if finding.code == "topology.state"]
    names = [finding.source.name for finding in found if finding.source is not None]
    locations = [finding.source.position(finding.span.start) for finding in found if finding.source and finding.span]
    assert names == [str(tmp_path / "state.json")] * 2
    assert locations == [(6, len(member) + 5), (17, len(member) + 5)]
    assert f"subscriptions[0].{member}: the broker refuses" in found[0].message


def test_what_is_not_evaluated_of_a_state_is_possible_with_a_finding() -> None:
    state = {"subscriptions": [{"name": "s", "destination": "t", "selector": "AMQSize > 5"}]}
    topology = artemis("<addresses/>", state=state)
    assert publish(topology, Message.of(), "t").possible_queues == ("s",)
    (found,) = topology.findings
    assert "subscriptions[0].selector: 'AMQSize > 5' cannot be evaluated" in found.message


def composite(encoding: str) -> str:
    return (
        f"<?xml version='1.0' encoding='{encoding}'?>\n<beans><broker xmlns='http://activemq.apache.org/schema/core'>"
        "<destinations><queue physicalName='café'/></destinations></broker></beans>"
    )


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "UTF-16", "windows-1252", "utf-8", "UTF-8", "ibm850"])
def test_a_topology_in_xml_is_read_in_the_encoding_that_it_declares(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "a.xml"
    file.write_bytes(composite(encoding).encode(encoding))
    assert [queue.name for queue in read_topology(file).queues] == ["queue://café"]


@pytest.mark.parametrize(
    ("declared", "encoding", "message"),
    [
        ("x-no-such", "utf-8", "declares the unknown encoding 'x-no-such'"),
        ("unicode_escape", "utf-8", "declares the unknown encoding 'unicode_escape'"),
        ("rot13", "utf-8", "declares the encoding 'rot13', which is not a text encoding"),
        ("UTF-16", "utf-8", "declares the encoding 'UTF-16', but the declaration itself is not in this encoding"),
        ("us-ascii", "utf-8", "is not valid us-ascii: the byte"),
        ("utf-8", "latin-1", "is not valid UTF-8: the byte"),
    ],
)
def test_an_encoding_that_is_unknown_or_not_its_own_is_refused(
    declared: str, encoding: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.xml"
    file.write_bytes(composite(declared).encode(encoding))
    with pytest.raises(TopologyError) as caught:
        read_topology(file)
    assert message in str(caught.value)
