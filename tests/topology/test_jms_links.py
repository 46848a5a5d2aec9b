"""Dead-letter and expiry addresses of JMS brokers in pictures and reports."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler.reference.route import route_path
from transpiler.tools.topology_report.findings import report
from transpiler.tools.topology_report.operator_questions import losses
from transpiler.tools.topology_report.picture import draw
from transpiler.topology import parse_topology, topology_from_dict, topology_to_dict
from transpiler.topology.displayed_addresses import addresses_of, counts_of
from transpiler.topology.model import Topology


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
        (
            artemis(setting("a", "DLQ"), "a"),
            "dead-letters-lost",
            ["the file has no queue at DLQ: they are lost, if no client made one"],
        ),
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


DEAD = f"<core><address-settings>{setting('#', 'DLQ', 'EXP')}</address-settings><addresses>" + "".join(
    f"<address name='{name}'><anycast><queue name='{name}'/></anycast></address>" for name in ("a", "b", "DLQ", "EXP")
)


@pytest.mark.parametrize(
    ("state", "unread"),
    [
        (None, []),
        ({"queues": []}, []),
        ({"consumers": [{"queue": "a"}]}, ["DLQ", "EXP"]),
        ({"consumers": [{"queue": "DLQ"}]}, ["EXP"]),
        ({"consumers": [{"queue": "DLQ"}], "subscriptions": [{"name": "EXP", "destination": "EXP"}]}, []),
    ],
)
def test_dead_letters_that_nobody_reads_are_found_where_the_consumers_are_known(
    state: dict[str, Any] | None, unread: list[str]
) -> None:
    text = f"<configuration>{DEAD}</addresses></core></configuration>"
    found = report(addresses_of(parse_topology(text, "broker.xml", state=state))).by_kind()
    assert [finding.subject for finding in found.get("unread-dead-letters", ())] == unread


def test_the_dead_letters_of_activemq_are_read_by_a_consumer_with_a_pattern() -> None:
    text = "<broker><destinations><queue physicalName='a'/></destinations></broker>"
    for queue, unread in (("a", ["queue://ActiveMQ.DLQ"]), ("ActiveMQ.>", [])):
        topology = parse_topology(text, "activemq.xml", state={"consumers": [{"queue": queue}]})
        assert topology_from_dict(topology_to_dict(topology)) == topology
        found = report(addresses_of(topology)).by_kind()
        assert [finding.subject for finding in found.get("unread-dead-letters", ())] == unread


def test_reports_and_pictures_of_a_jms_broker_speak_of_its_addresses_and_destinations() -> None:
    divert = "<divert name='d'><address>a</address><forwarding-address>b</forwarding-address></divert>"
    text = f"<configuration><core><diverts>{divert}</diverts></core></configuration>"
    assert str(report(addresses_of(parse_topology(text, "broker.xml")))).splitlines() == [
        "artemis: 2 addresses, 0 queues, 1 binding",
        "",
        "addresses without a way out: 1",
        "  b  no queue is there: its messages are lost, if no client makes one",
    ]
    text = "<broker><destinations><queue physicalName='a'/></destinations></broker>"
    topology = parse_topology(text, "activemq.xml")
    assert repr(topology) == "Topology(activemq: 1 queue)"
    output = str(report(addresses_of(topology)))
    assert output.startswith("activemq: 0 destinations, 2 queues, 0 bindings\n")
    assert "who subscribes to topics is not in the broker's file" in output


@pytest.mark.parametrize(("match", "lost"), [("#", []), ("a.#", []), ("a.b", []), ("b.#", ["a.b"]), ("a", ["a.b"])])
def test_an_address_whose_settings_lead_to_a_dead_letter_address_loses_nothing(match: str, lost: list[str]) -> None:
    divert = "<divert name='d'><address>b</address><forwarding-address>a.b</forwarding-address></divert>"
    more = "<send-to-dla-on-no-route>true</send-to-dla-on-no-route>"
    settings = f"<address-settings>{setting(match, 'DLA', more=more)}</address-settings>"
    queue = "<addresses><address name='DLA'><anycast><queue name='DLA'/></anycast></address></addresses>"
    text = f"<configuration><core><diverts>{divert}</diverts>{settings}{queue}</core></configuration>"
    states: tuple[dict[str, Any] | None, ...] = (None, {"subscriptions": [], "consumers": []})
    for state in states:
        found = report(addresses_of(parse_topology(text, "broker.xml", state=state))).by_kind()
        assert [finding.subject for finding in found.get("exchange-without-way-out", ())] == lost


def test_messages_that_were_counted_at_an_address_are_those_of_its_wildcards() -> None:
    text = (
        "<configuration><core><addresses><address name='a.#'><multicast><queue name='q'/></multicast></address>"
        "<address name='a.b'><multicast><queue name='r'/></multicast></address></addresses></core></configuration>"
    )
    shown = addresses_of(parse_topology(text, "broker.xml"))
    assert counts_of(shown, {"a.b": 2, "a.c": 1, "x": 5}) == {"a.b": 2, "a.#": 3, "a.c": 1, "x": 5}


def test_a_subscription_to_topics_of_a_pattern_has_their_dead_letters() -> None:
    state: dict[str, Any] = {"subscriptions": [{"name": "s", "destination": "topic://news.>"}]}
    when = "persistent, and delivered too often or expired"

    def links(policies: str) -> list[tuple[str, str | None]]:
        inner = (
            f"<destinationPolicy><policyMap><policyEntries>{policies}</policyEntries></policyMap></destinationPolicy>"
        )
        topology = parse_topology(f"<broker>{inner}</broker>", "activemq.xml", state=state)
        return [(link.when, link.key) for link in topology.links if link.source == "s"]

    shared = "<sharedDeadLetterStrategy><deadLetterQueue><queue physicalName='b'/></deadLetterQueue>"
    own = f"<policyEntry topic='news.eu'><deadLetterStrategy>{shared}</sharedDeadLetterStrategy></deadLetterStrategy>"
    assert links("") == [(when, "ActiveMQ.DLQ")]
    assert links(f"{own}</policyEntry>") == [
        (f"{when}, of topics news.eu", "b"),
        (f"{when}, of topics news.>", "ActiveMQ.DLQ"),
    ]
    every = own.replace("news.eu", "news.&gt;")
    assert links(f"{every}</policyEntry>") == [(when, "b")]
    nothing = "<policyEntry topic='&gt;'><deadLetterStrategy><discarding/></deadLetterStrategy></policyEntry>"
    assert links(nothing) == []


@pytest.mark.parametrize("to", ["queue", "topic"])
def test_a_subscription_to_topics_of_a_pattern_has_dead_letters_of_each_topic(to: str) -> None:
    strategy = f"topicPrefix='T.' useQueueForTopicMessages='{str(to == 'queue').lower()}'"
    topology = parse_topology(
        "<broker><destinationPolicy><policyMap><policyEntries><policyEntry topic='news.eu.&gt;'><deadLetterStrategy>"
        f"<individualDeadLetterStrategy {strategy}/></deadLetterStrategy></policyEntry></policyEntries></policyMap>"
        "</destinationPolicy></broker>",
        "activemq.xml",
        state={"subscriptions": [{"name": "s", "destination": "topic://news.>"}]},
    )

    def path(topic: str) -> list[str]:
        steps = route_path(topology, {}, f"topic://{topic}").steps
        return [str(step) for step in steps if step.queue == "s"]

    assert [step.partition(" → ")[2] for step in path("news.eu.a")] == [
        "queue://T.news.eu.a" if to == "queue" else "topic://T.news.eu.a → no queue (discarded)"
    ]
    assert [step.partition(" → ")[2] for step in path("news.us")] == ["queue://ActiveMQ.DLQ"]
    shown = addresses_of(topology)
    assert {(link.destination, link.destination_type) for link in shown.links if link.source == "s"} == {
        (f"{to}://T.news.eu.>", "queue" if to == "queue" else "exchange"),
        ("queue://ActiveMQ.DLQ", "queue"),
    }
    assert not [one for one in losses(shown) if one.subject != "queue://ActiveMQ.DLQ"]


def test_counts_are_of_each_destination_of_a_list_and_of_the_address_of_a_queue() -> None:
    topology = addresses_of(parse_topology("<broker/>", "activemq.xml"))
    counts = counts_of(topology, {"topic://a,queue://b": 2, "queue://b": 1})
    assert counts == {"topic://a": 2, "queue://b": 3}
    assert counts_of(artemis("", "a"), {"a::a": 2, "a": 1}) == {"a": 3}
