"""The listing of a topology: which queue gets which messages, in lines that fit a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pages import ROOT
from transpiler.tools.topology_report.findings import report
from transpiler.tools.topology_report.listing import listing
from transpiler.tools.topology_report.picture import draw
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology import Topology, parse_topology, read_topology, topology_from_dict
from transpiler.topology.displayed_addresses import addresses_of

Json = dict[str, Any]

FORM: Json = {
    "broker": "rabbitmq",
    "queues": ["eu", "all", {"name": "amq.gen-1", "declared": False}, "dlq", "alone"],
    "exchanges": [
        {"name": "orders", "type": "topic", "alternate": "rest"},
        {"name": "audit", "type": "fanout", "unroutable": "reject"},
        {"name": "rest", "type": "direct", "internal": True},
        {"name": "hidden", "type": "unknown"},
    ],
    "bindings": [
        {"source": "orders", "queue": "eu", "key": "eu.#"},
        {"source": "orders", "exchange": "audit", "key": "#"},
        {"source": "audit", "queue": "all"},
        {"source": "hidden", "queue": "amq.gen-1", "key": "k"},
    ],
    "links": [
        {"kind": "dead-letter", "when": "rejected", "from": {"queue": "eu"}, "to": {"exchange": ""}, "key": "dlq"},
        {"kind": "dead-letter", "when": "expired", "from": {"queue": "all"}, "to": {"exchange": "rest"}, "key": "k"},
        {"kind": "shovel", "when": "moved by the shovel s", "to": {"queue": "all"}},
    ],
}


def test_a_listing_says_who_gets_what_and_where_it_goes_next() -> None:
    assert listing(topology_from_dict(FORM)).splitlines() == [
        "rabbitmq: 4 exchanges, 5 queues, 4 bindings",
        "",
        "exchanges",
        "  orders (topic)",
        "    eu.#      → eu",
        "    #         → exchange audit",
        "    otherwise → exchange rest",
        "  audit (fanout, unroutable: reject) → all",
        "  rest (direct, internal): nothing is bound to it",
        "  hidden (of unknown type)",
        "    perhaps | k → amq.gen-1",
        "",
        "queues",
        "  eu: from orders; rejected → dlq",
        "  all: from audit; filled from another broker; expired → rest, key 'k'",
        "  amq.gen-1 (not declared): from hidden",
        "  dlq: let go by eu",
        "  alone: only by its own name",
        "",
        "from and to other brokers, and shovels",
        "  another broker → all: moved by the shovel s",
    ]


def test_a_summary_has_the_queues_that_got_nothing() -> None:
    counted = Summary({"orders": 5}, {"eu": 3}, {}, {"all": 2}).with_zeros(topology_from_dict(FORM))
    assert counted.queues == {"all": 0, "alone": 0, "amq.gen-1": 0, "dlq": 0, "eu": 3}
    assert "  all (0 messages, perhaps 2 more): from audit" in listing(topology_from_dict(FORM), counted)


@pytest.mark.parametrize("broker", ["rabbitmq", "qpid-java"])
def test_a_listing_of_nothing_says_so(broker: str) -> None:
    expected_text = "no exchange and no queue is declared"
    assert listing(topology_from_dict({"broker": broker})).splitlines()[-1] == expected_text


def test_counts_stand_beside_names() -> None:
    text = listing(topology_from_dict(FORM), Summary({"orders": 5}, {"eu": 3}, {}))
    assert "  orders (topic, 5 published)" in text.splitlines()
    assert "  eu (3 messages): from orders; rejected → dlq" in text.splitlines()


def many(count: int) -> Topology:
    names = [f"a.queue.with.a.long.name.{number}" for number in range(count)]
    bindings = [{"source": f"e{number % 3}", "queue": name, "key": "a.#"} for number, name in enumerate(names)]
    bindings += [{"source": "keys", "queue": name, "key": f"key.{name}"} for name in names]
    exchanges = [{"name": name, "type": "topic"} for name in ("e0", "e1", "e2", "keys")]
    form = {"broker": "rabbitmq", "queues": names, "exchanges": exchanges, "bindings": bindings}
    return topology_from_dict(form)


def test_three_hundred_queues_are_grouped_and_counted() -> None:
    text = listing(many(300), columns=80)
    assert len(text.splitlines()) < 60
    assert text.count("100 queues (") == 6
    assert "… and 280 more conditions" in text


@pytest.mark.parametrize(
    "topology",
    [
        many(300),
        read_topology(ROOT / "examples" / "data" / "definitions.json"),
        topology_from_dict(FORM),
        parse_topology(
            "<configuration><core><addresses><address name='a.rather.long.address.name'><anycast>"
            "<queue name='a.rather.long.queue.name'><filter string=\"color = 'red' AND weight BETWEEN 5 AND 7000\"/>"
            "</queue></anycast></address></addresses></core></configuration>",
            "broker.xml",
        ),
    ],
    ids=["many", "definitions", "parts", "artemis"],
)
def test_eighty_columns_hold_a_listing(topology: Topology) -> None:
    assert max(map(len, listing(topology, columns=80).splitlines())) <= 80


def test_no_character_of_a_name_controls_the_terminal() -> None:
    text = listing(topology_from_dict({"broker": "rabbitmq", "queues": ["a\x1b[31m\nb"]}))
    assert "\x1b" not in text
    assert len(text.splitlines()) == 4


def test_a_topic_without_a_state_is_not_said_to_be_without_subscribers() -> None:
    forward = "<forwardTo><topic physicalName='t'/></forwardTo>"
    inner = f"<virtualDestinations><compositeQueue name='q'>{forward}</compositeQueue></virtualDestinations>"
    inner = f"<virtualDestinationInterceptor>{inner}</virtualDestinationInterceptor>"
    text = f"<broker><destinationInterceptors>{inner}</destinationInterceptors></broker>"
    for state, expected_text in (
        (None, "who subscribes is not in the file"),
        ({"subscriptions": []}, "nothing is bound to it"),
    ):
        topology = addresses_of(parse_topology(text, "activemq.xml", state=state))
        assert f"  topic://t: {expected_text}" in listing(topology).splitlines()


def _activemq(*interceptors: str, state: Json | None = None, inner: str = "") -> Topology:
    text = f"<broker>{inner}<destinationInterceptors>{''.join(interceptors)}</destinationInterceptors></broker>"
    return addresses_of(parse_topology(text, "activemq.xml", state=state))


def _virtual(inner: str) -> str:
    listed = f"<virtualDestinations>{inner}</virtualDestinations>"
    return f"<virtualDestinationInterceptor>{listed}</virtualDestinationInterceptor>"


_MIRROR = "<mirroredQueue copyMessage='true' prefix='' postfix='.m'/>"


def test_mirrors_of_queues_that_the_file_does_not_name_are_listed_and_drawn() -> None:
    topology = _activemq(_MIRROR)
    assert listing(topology).splitlines()[3:] == [
        "  queue://>",
        "    mirrored → destination topic://>.m",
        "  topic://>.m: who subscribes is not in the file",
    ]
    assert '-->|"mirrored"|' in draw(topology, "mermaid")
    assert str(report(topology)).startswith("activemq: 2 destinations, 0 queues, 1 binding\nnothing is dead")
    # With its default virtual topics, the broker sends a mirror's messages to the queues of consumers.
    own = addresses_of(parse_topology("<broker useMirroredQueues='true'/>", "activemq.xml"))
    assert "    mirrored → destination topic://VirtualTopic.>" in listing(own).splitlines()
    assert [one.kind for one in report(own).findings] == ["unknown-queues"]


def test_a_mirrored_queue_is_listed_as_a_queue_too() -> None:
    forward = "<compositeQueue name='in'><forwardTo><queue physicalName='b'/></forwardTo></compositeQueue>"
    queues = "<destinations><queue physicalName='a'/></destinations>"
    state = {
        "subscriptions": [{"name": "s", "destination": "topic://a.m"}, {"name": "all", "destination": "topic://>"}]
    }
    lines = listing(_activemq(_MIRROR, _virtual(forward), state=state, inner=queues)).splitlines()
    position = lines.index("  queue://a")
    assert lines[position + 1 : position + 3] == [
        "    every message → queue://a",
        "    mirrored → destination topic://a.m",
    ]
    # The composite queue outside the mirror keeps no messages that could be mirrored.
    assert "  queue://in → destination queue://b" in lines
    # A subscription to a pattern gets the messages of all queues, one to a topic those of one queue.
    assert "    mirrored → destination topic://>" in lines
    assert "  topic://a.m → s, destination topic://>" in lines


def test_what_a_composite_topic_keeps_from_its_subscribers_is_not_listed_as_theirs() -> None:
    state = {"subscriptions": [{"name": "s", "destination": "topic://t"}]}
    for attributes, line in (
        ("", "  topic://t → queue://q"),
        ("forwardOnly='false'", "  topic://t → queue://q, s"),
        ("sendWhenNotMatched='true'", "    otherwise → s"),
    ):
        forward = "<forwardTo><queue physicalName='q'/></forwardTo>"
        composite = f"<compositeTopic name='t' {attributes}>{forward}</compositeTopic>"
        assert line in listing(_activemq(_virtual(composite), state=state)).splitlines(), attributes
    forward = "<forwardTo><queue physicalName='{}'/></forwardTo>"
    inner = f"<compositeQueue name='o.a' forwardOnly='false'>{forward.format('q')}</compositeQueue>"
    outer = f"<compositeQueue name='o.&gt;'>{forward.format('r')}</compositeQueue>"
    lines = listing(_activemq(_virtual(inner), _virtual(outer))).splitlines()
    assert "  queue://o.a → destination queue://o.>" in lines
    assert not any("→ queue://q" in line for line in lines)


def test_a_virtual_topic_is_listed_drawn_and_reported_with_queues_that_are_not_known() -> None:
    interceptor = _virtual("<virtualTopic name='V.&gt;' prefix='C.*.'/>")
    topology = _activemq(interceptor)
    assert listing(topology).splitlines()[3:] == [
        "  topic://V.>",
        "    perhaps → destination queue://C.*.V.>",
        "  queue://C.*.V.>: which of these queues are there is not in the file",
    ]
    assert "<small>which of these queues are<br/>there is not in the file</small>" in draw(topology, "mermaid")
    assert [(finding.kind, finding.subject) for finding in report(topology).findings] == [
        ("unknown-queues", "topic://V.>")
    ]
    assert not report(topology).has("warning")
    assert "nothing is dead, double or in a loop" in str(report(topology))
    for queues, line in (
        ([], "  topic://V.>: nothing is bound to it"),
        (["C.a.V.b"], "  topic://V.b → queue://C.a.V.b"),
    ):
        known = _activemq(interceptor, state={"queues": queues, "subscriptions": []})
        assert listing(known).splitlines()[3] == line
        assert "unknown-queues" not in report(known).by_kind()
    own = addresses_of(parse_topology("<broker/>", "activemq.xml"))
    assert "declares no destination" in listing(own)


def test_dead_letters_of_an_address_are_listed_with_it() -> None:
    setting = "<dead-letter-address>d</dead-letter-address><send-to-dla-on-no-route>true</send-to-dla-on-no-route>"
    inner = f"<address-settings><address-setting match='a'>{setting}</address-setting></address-settings>"
    inner += "<addresses><address name='a'><multicast><queue name='q'/></multicast></address></addresses>"
    topology = parse_topology(f"<configuration><core>{inner}</core></configuration>", "broker.xml")
    lines = listing(addresses_of(topology)).splitlines()
    assert "    no queue of the address took it → address d" in lines
    assert not any("other brokers" in line for line in lines)
