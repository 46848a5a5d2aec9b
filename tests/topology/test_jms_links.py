"""Dead-letter and expiry addresses of JMS brokers in pictures and reports."""

from __future__ import annotations

import pytest

from transpiler.topology import parse_topology
from transpiler.topology.model import Topology
from transpiler.topology.report.diagram import draw
from transpiler.topology.report.findings import report
from transpiler.topology.report.shown_addresses import addresses_of


def artemis(settings: str, *addresses: str) -> Topology:
    queues = "".join(f"<address name='{a}'><anycast><queue name='{a}'/></anycast></address>" for a in addresses)
    text = f"<core><address-settings>{settings}</address-settings><addresses>{queues}</addresses></core>"
    return addresses_of(parse_topology(f"<configuration>{text}</configuration>", "broker.xml"))


def setting(match: str, dead: str = "", expiry: str = "", more: str = "") -> str:
    inner = f"<dead-letter-address>{dead}</dead-letter-address><expiry-address>{expiry}</expiry-address>{more}"
    return f"<address-setting match='{match}'>{inner}</address-setting>"


@pytest.mark.parametrize(
    ("topology", "kind", "found"),
    [
        # An expired message does not expire again, and a dead letter stays in its queue.
        (artemis(setting("#", "DLQ", "EXP"), "DLQ", "EXP", "a"), "link-loop", []),
        (
            artemis(setting("a", "b") + setting("b", "a"), "a", "b"),
            "link-loop",
            ["a → a → b → b → a: a message that is rejected or delivered 10 times may come back"],
        ),
        (artemis(setting("a", "DLQ"), "a"), "dead-letters-lost", ["DLQ leads to no queue"]),
        (artemis(setting("a", "DLQ"), "a", "DLQ"), "dead-letters-lost", []),
    ],
)
def test_reports_name_loops_of_dead_letters_and_those_that_reach_no_queue(
    topology: Topology, kind: str, found: list[str]
) -> None:
    assert [finding.reason for finding in report(topology).findings if finding.kind == kind] == found


def test_pictures_show_the_queue_that_the_broker_makes_for_dead_letters_of_an_address() -> None:
    made = "<auto-create-dead-letter-resources>true</auto-create-dead-letter-resources>"
    picture = draw(artemis(setting("#", "DLQ", more=made), "a"), "mermaid")
    assert 'q2["a"]' in picture
    assert 'q3["DLQ.a"]' in picture
    assert 'q2 -.->|"dead-letter<br/>rejected or delivered 10 times"| q3' in picture
    assert "_AMQ_ORIG_ADDRESS = #39;a#39;" in picture
    assert report(artemis(setting("#", "DLQ", more=made), "a")).findings == ()


def test_activemq_draws_the_queue_of_dead_letters_and_not_an_address_without_one() -> None:
    text = "<broker><destinations><queue physicalName='a'/></destinations></broker>"
    topology = addresses_of(parse_topology(text, "activemq.xml"))
    assert [(link.source, link.destination, link.destination_type) for link in topology.links] == [
        ("queue://a", "queue://ActiveMQ.DLQ", "queue")
    ]
    assert "missing-target" not in report(topology).by_kind()
    assert "dead-letters-lost" not in report(topology).by_kind()
