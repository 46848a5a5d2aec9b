"""Topologies of Artemis and ActiveMQ: what live brokers did, what their files do not state, and what they reject."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.topology import live_brokers
from transpiler import Message, TopologyError
from transpiler.cli import main
from transpiler.reference.route import Routed, publish
from transpiler.tools.dialect_tools.diff import diff_topologies
from transpiler.tools.explanation.routes import explain_route
from transpiler.tools.topology_report.findings import report
from transpiler.tools.topology_report.picture import draw
from transpiler.topology import parse_topology, read_topology, topology_from_dict, topology_to_dict
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.model import Topology


def artemis(inner: str, **options: object) -> Topology:
    text = f"<configuration xmlns='urn:activemq'><core xmlns='urn:activemq:core'>\n{inner}</core></configuration>"
    return parse_topology(text, "broker.xml", **options)  # type: ignore[arg-type]


def activemq(inner: str, **options: object) -> Topology:
    text = f"<beans><broker xmlns='http://activemq.apache.org/schema/core'>{inner}</broker></beans>"
    return parse_topology(text, "activemq.xml", **options)  # type: ignore[arg-type]


def composites(inner: str) -> str:
    inner = f"<virtualDestinations>{inner}</virtualDestinations>"
    interceptor = f"<virtualDestinationInterceptor>{inner}</virtualDestinationInterceptor>"
    return f"<destinationInterceptors>{interceptor}</destinationInterceptors>"


def send(topology: Topology, to: str, routing_type: str | None = None, /, **properties: object) -> Routed:
    return publish(topology, Message.of(**properties), to, routing_type=routing_type)


@pytest.mark.parametrize("broker", live_brokers.BROKERS)
def test_every_message_goes_where_the_live_broker_sent_it(broker: str) -> None:
    wrong, count, possible = [], 0, 0
    for configuration in live_brokers.configurations(broker):
        if "start_error" in configuration:
            with pytest.raises(TopologyError) as caught:
                live_brokers.topology_of(configuration)
            assert caught.value.diagnostics[0].span is not None, configuration["id"]
            continue
        topology = live_brokers.topology_of(configuration)
        written = topology_to_dict(topology)
        assert topology_from_dict(json.loads(json.dumps(written))) == topology
        # Every key must be a text that somebody could write.
        assert not re.search("[\ue000-\uf8ff]", json.dumps(written, ensure_ascii=False)), configuration["id"]
        for each in live_brokers.sent(configuration):
            routed = publish(topology, each.message, each.destination, routing_type=each.routing_type)
            count += 1
            possible += len(routed.possible_queues)
            if not each.agrees(set(routed.queues), set(routed.possible_queues), routed.outcome):
                wrong.append((each, routed))
    assert wrong == []
    assert count >= 430
    assert possible <= live_brokers.MOST_POSSIBLE[broker]


@pytest.mark.parametrize("name", ["*", "#", "x.#"])
def test_a_queue_of_artemis_may_be_called_as_a_wildcard(name: str) -> None:
    queues = "".join(f"<queue name='{each}'/>" for each in (name, "q", "x.y"))
    topology = artemis(f"<addresses><address name='a'><anycast>{queues}</anycast></address></addresses>")
    assert send(topology, "a::q").queues == ("q",)
    assert send(topology, f"a::{name}").queues == (name,)


@pytest.mark.parametrize("sent", ["queue://a.*", "queue://a.>", "queue://a.#", r"queue://a.\*"])
def test_a_queue_of_activemq_may_be_sent_to_as_a_wildcard(sent: str) -> None:
    inner = "<compositeQueue name='a.b'><forwardTo><queue physicalName='other'/></forwardTo></compositeQueue>"
    topology = activemq(composites(inner))
    assert send(topology, "queue://a.b").queues == ("queue://other",)
    # The broker's tree of names also finds the names that a name with wildcards covers.
    assert send(topology, sent).queues == ("queue://other" if sent in ("queue://a.*", "queue://a.>") else sent,)


def test_a_message_that_an_exclusive_divert_delivered_is_a_dead_letter_as_well() -> None:
    topology = artemis(
        "<address-settings><address-setting match='#'><dead-letter-address>DLA</dead-letter-address>"
        "<send-to-dla-on-no-route>true</send-to-dla-on-no-route></address-setting></address-settings>"
        "<diverts><divert name='x'><address>a</address><forwarding-address>b</forwarding-address>"
        "<filter string='n &gt; 5'/><exclusive>true</exclusive></divert></diverts>"
        "<addresses><address name='a'><anycast><queue name='a'/></anycast></address>"
        "<address name='b'><anycast><queue name='b'/></anycast></address>"
        "<address name='DLA'><anycast><queue name='DLA'/></anycast></address></addresses>"
    )
    assert send(topology, "a", "ANYCAST", n=9) == Routed(("DLA", "b"), "dead-letter", "a")
    assert send(topology, "a", "ANYCAST", n=1) == Routed(("a",), "delivered", "a")


def test_dead_letter_and_expiry_addresses_are_links_of_the_queues_below() -> None:
    topology = artemis(
        "<address-settings><address-setting match='#'><dead-letter-address>DLA</dead-letter-address></address-setting>"
        "<address-setting match='a'><expiry-address>EXP</expiry-address></address-setting></address-settings>"
        "<addresses><address name='a'><anycast><queue name='a'/></anycast></address></addresses>"
    )
    assert [(link.kind, link.source, link.key, link.pattern) for link in topology.links] == [
        ("dead-letter", "a", "DLA", None),
        ("expiry", "a", "EXP", None),
        ("dead-letter", "", "DLA", "a"),
        ("dead-letter", "", "DLA", "#"),
        ("expiry", "", "EXP", "a"),
    ]
    shown = addresses_of(topology)
    assert [(link.source, link.destination) for link in shown.links] == [("a", "DLA"), ("a", "EXP")]


def test_an_anycast_group_is_certain_if_one_queue_matches() -> None:
    topology = artemis(
        "<addresses><address name='a'><anycast><queue name='q1'><filter string='n &gt; 5'/></queue>"
        "<queue name='q2'><filter string='n &gt; 10'/></queue></anycast></address></addresses>"
    )
    assert send(topology, "a", "ANYCAST", n=7) == Routed(("q1",), "delivered", "a")
    assert send(topology, "a", "ANYCAST", n=11) == Routed((), "delivered", "a", ("q1", "q2"))
    assert send(topology, "a", "ANYCAST", n=1) == Routed((), "discarded", "a")


def test_what_an_earlier_send_may_have_created_is_possible() -> None:
    topology = artemis("<addresses/>")
    assert send(topology, "new", "ANYCAST") == Routed(("new",), "delivered", "new")
    assert send(topology, "new", "MULTICAST") == Routed((), "undecided", "new")
    assert send(artemis("<addresses/>", state={"queues": []}), "new", "MULTICAST") == Routed((), "discarded", "new")
    assert send(topology, "new") == Routed((), "undecided", "new", ("new",))


def test_the_settings_that_match_best_decide_what_is_created() -> None:
    topology = artemis(
        "<address-settings><address-setting match='#'><auto-create-queues>false</auto-create-queues></address-setting>"
        "<address-setting match='a.#'><auto-create-queues>true</auto-create-queues></address-setting>"
        "</address-settings>"
    )
    assert send(topology, "a.x", "ANYCAST") == Routed(("a.x",), "delivered", "a.x")
    assert send(topology, "b", "ANYCAST") == Routed((), "rejected", "b")


@pytest.mark.parametrize("name", ["auto-create-queues", "auto-create-jms-queues"])
def test_a_setting_may_have_its_earlier_name(name: str) -> None:
    setting = f"<address-setting match='#'><{name}>false</{name}></address-setting>"
    topology = artemis(f"<address-settings>{setting}</address-settings>")
    assert send(topology, "b", "ANYCAST") == Routed((), "rejected", "b")


def test_the_destinations_of_a_broker_are_queues_and_topics() -> None:
    kinds = ("queue", "topic", "tempQueue", "tempTopic", "bean")
    known = "".join(f"<{kind} physicalName='{kind}s'/>" for kind in kinds)
    assert not [
        each for each in activemq(f"<destinations>{known}</destinations>").findings if "understood" in each.message
    ]
    [finding] = activemq("<destinations><queue physicalName='a'/><queeu physicalName='b'/></destinations>").findings
    assert finding.message == "<queeu> in <destinations> is not understood, so the broker does not start"


def test_a_divert_from_a_wildcard_to_the_address_of_the_message_fails_the_send() -> None:
    # The broker copies the message, with a header, only if the address is another one.
    divert = "<divert name='d'><address>a.#</address><forwarding-address>a.b</forwarding-address>{}</divert>"
    divert = divert.format("<filter string='_AMQ_ORIG_ADDRESS IS NULL'/>")
    queue = "<addresses><address name='a.b'><multicast><queue name='q'/></multicast></address></addresses>"
    topology = artemis(f"<diverts>{divert}</diverts>{queue}")
    assert send(topology, "a.b", "MULTICAST").outcome == "error"
    assert send(topology, "a.c", "MULTICAST") == Routed(("q",), "delivered", "a.c")


@pytest.mark.parametrize(
    ("declared", "kind", "expected"),
    [
        # A wildcard queue is also a queue of an address that the broker knows. For an unknown address it creates
        # another queue.
        ("<address name='a.b'/>", "ANYCAST", Routed(("w",), "delivered", "a.b")),
        ("<address name='a.b'/>", "MULTICAST", Routed((), "undecided", "a.b")),
        ("", "ANYCAST", Routed(("a.b", "w"), "delivered", "a.b")),
    ],
)
def test_no_queue_is_made_at_a_known_address_that_a_wildcard_queue_matches(
    declared: str, kind: str, expected: Routed
) -> None:
    wild = "<address name='a.#'><anycast><queue name='w'/></anycast></address>"
    assert send(artemis(f"<addresses>{wild}{declared}</addresses>"), "a.b", kind) == expected


def test_wildcards_inside_an_address_depend_on_the_order_of_addresses_and_are_a_finding() -> None:
    made_before = "<address name='a'><multicast><queue name='own'/></multicast></address>"
    wildcard = "<address name='a.#.b'><multicast><queue name='s'/></multicast></address>"
    before = artemis(f"<addresses>{made_before}{wildcard}</addresses>")
    after = artemis(f"<addresses>{wildcard}{made_before}</addresses>")
    assert send(before, "a", "MULTICAST").queues == ("own", "s")
    assert send(after, "a", "MULTICAST").queues == ("own",)
    # A later binding to an address does not create it again.
    divert = "<divert name='d'><address>a</address><forwarding-address>t</forwarding-address></divert>"
    bound = artemis(f"<addresses>{made_before}{wildcard}</addresses><diverts>{divert}</diverts>")
    assert "s" in send(bound, "a", "MULTICAST").queues
    assert "topology.any-words" in [finding.code for finding in before.findings]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({}, Routed((), "undecided", "a", ("q",))),
        ({"consumers": []}, Routed((), "discarded", "a")),
        ({"consumers": [{"queue": "q"}]}, Routed(("q",), "delivered", "a")),
    ],
)
def test_a_queue_that_needs_a_consumer_is_possible_where_consumers_are_not_known(
    state: dict[str, object], expected: Routed
) -> None:
    purging = "<multicast><queue name='q' purge-on-no-consumers='true'/></multicast>"
    topology = artemis(f"<addresses><address name='a'>{purging}</address></addresses>", state=state)
    assert send(topology, "a", "MULTICAST") == expected


def test_a_ring_of_diverts_is_an_error_that_a_filter_ends() -> None:
    topology = artemis(
        "<diverts><divert name='ab'><address>a</address><forwarding-address>b</forwarding-address></divert>"
        "<divert name='ba'><address>b</address><forwarding-address>a</forwarding-address>"
        "<filter string='n &gt; 5'/></divert></diverts>"
        "<addresses><address name='a'><multicast><queue name='qa'/></multicast></address>"
        "<address name='b'><multicast><queue name='qb'/></multicast></address></addresses>"
    )
    assert send(topology, "a", "MULTICAST", n=9) == Routed((), "error", "a", ("qa", "qb"))
    assert send(topology, "a", "MULTICAST", n=1) == Routed(("qa", "qb"), "delivered", "a")


FORWARD = "<compositeTopic name='*.*'><forwardTo><queue physicalName='q'/>{}</forwardTo></compositeTopic>"


@pytest.mark.parametrize(
    ("topology", "to", "routing_type", "expected"),
    [
        (
            activemq(
                composites(
                    FORWARD.format("<filteredDestination topic='v.x' selector=\"JMSDestination LIKE 'topic://%'\"/>")
                )
            ),
            "topic://a.b",
            None,
            Routed((), "undecided", "topic://a.b", ("queue://q",)),
        ),
        (
            artemis(
                "<diverts><divert name='d'><address>a.#</address><forwarding-address>a.x</forwarding-address>"
                "<filter string=\"_AMQ_ORIG_ADDRESS IS NULL OR _AMQ_ORIG_ADDRESS LIKE 'a.%'\"/></divert></diverts>"
                "<addresses><address name='a.#'><multicast><queue name='q'/></multicast></address></addresses>"
            ),
            "a.y",
            "MULTICAST",
            Routed((), "undecided", "a.y", ("a.x", "q")),
        ),
        (
            artemis(
                "<address-settings><address-setting match='#'><dead-letter-address>DLA</dead-letter-address>"
                "<send-to-dla-on-no-route>true</send-to-dla-on-no-route></address-setting></address-settings>"
                "<diverts><divert name='y'><address>c</address><forwarding-address>a</forwarding-address></divert>"
                "</diverts>"
                "<addresses><address name='a'><multicast><queue name='a'>"
                "<filter string='_AMQ_ORIG_MESSAGE_ID &gt; 5'/></queue></multicast></address>"
                "<address name='c'><multicast><queue name='c'/></multicast></address>"
                "<address name='DLA'><multicast><queue name='DLA'/></multicast></address></addresses>"
            ),
            "c",
            "MULTICAST",
            Routed(("c",), "undecided", "c", ("DLA", "a")),
        ),
    ],
    ids=["a ring", "a ring of diverts", "a dead letter"],
)
def test_what_a_branch_may_come_to_is_not_decided(
    topology: Topology, to: str, routing_type: str | None, expected: Routed
) -> None:
    assert send(topology, to, routing_type) == expected


@pytest.mark.parametrize(
    ("inner", "location", "words"),
    [
        ("<diverts><divert name='d'><address>a</address></divert></diverts>", "2:10", "has no forwarding-address"),
        ("<diverts><divert nmae='d'/></diverts>", "2:10", "did you mean name?"),
        ("<address-settings><address-setting match='${m}'/></address-settings>", "2:19", "--property m=VALUE"),
        ("<addresses><address name='a'></addresses>", "2:32", "not well-formed"),
    ],
)
def test_what_an_artemis_file_cannot_say_is_refused_with_its_place(inner: str, location: str, words: str) -> None:
    with pytest.raises(TopologyError) as caught:
        artemis(inner)
    assert f"broker.xml:{location}: " in str(caught.value)
    assert words in str(caught.value)


def test_entities_are_refused() -> None:
    with pytest.raises(TopologyError, match="entities are not resolved"):
        parse_topology("<!DOCTYPE a [<!ENTITY x SYSTEM '/etc/passwd'>]><a>&x;</a>", "broker.xml")


def test_placeholders_have_the_values_that_are_given() -> None:
    inner = "<addresses><address name='${name}'><anycast><queue name='${queue:q}'/></anycast></address></addresses>"
    topology = artemis(inner, properties={"name": "orders"})
    assert send(topology, "orders", "ANYCAST").queues == ("q",)


def test_wildfly_names_addresses_by_kind() -> None:
    text = (
        "<server xmlns='urn:jboss:domain:20.0'><profile><subsystem><server name='default'>"
        "<address-setting name='#' dead-letter-address='jms.queue.DLQ'/><jms-queue name='orders' entries='java:/o'/>"
        "<jms-topic name='news' entries='java:/n'/><divert name='d' divert-address='jms.queue.orders' "
        "forwarding-address='jms.topic.news' exclusive='true'/></server></subsystem></profile></server>"
    )
    topology = parse_topology(
        text, "standalone.xml", state={"subscriptions": [{"name": "s", "destination": "jms.topic.news"}]}
    )
    assert send(topology, "jms.queue.orders", "ANYCAST") == Routed(("s",), "delivered", "jms.queue.orders")


def test_a_composite_queue_keeps_what_no_target_took() -> None:
    inner = composites(
        "<compositeQueue name='in' sendWhenNotMatched='true'><forwardTo>"
        "<filteredDestination selector='n &gt; 5' queue='big'/></forwardTo></compositeQueue>"
    )
    topology = activemq(inner)
    assert send(topology, "queue://in", n=9) == Routed(("queue://big",), "delivered", "queue://in")
    assert send(topology, "queue://in", n=1) == Routed(("queue://in",), "delivered", "queue://in")
    assert send(topology, "queue://in,topic://t,x", n=9).queues == ("queue://big", "queue://x")
    # An attribute counts if it is present, even if its value is empty.
    both = composites(
        "<compositeQueue name='in'><forwardTo>"
        "<filteredDestination selector='n &gt; 5' queue='' topic='t'/></forwardTo></compositeQueue>"
    )
    assert "queue://t" not in send(activemq(both), "queue://in", n=9).queues


def test_a_virtual_topic_needs_the_queues_that_are_there(tmp_path: Path) -> None:
    file, state = tmp_path / "activemq.xml", tmp_path / "state.json"
    file.write_text("<broker xmlns='http://activemq.apache.org/schema/core'/>")
    state.write_text(json.dumps({"queues": ["queue://Consumer.A.VirtualTopic.o"]}))
    assert send(read_topology(file), "topic://VirtualTopic.o").queues == ()
    assert send(read_topology(file, state), "topic://VirtualTopic.o").queues == ("queue://Consumer.A.VirtualTopic.o",)


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ("<compositeQueue name='a'/><virtualTopic name='a'/>", "two virtual destinations called 'a'"),
        (
            "<compositeQueue name='a'><forwardTo><filteredDestination selector='' queue='b'/></forwardTo>"
            "</compositeQueue>",
            "the selector is empty",
        ),
        (
            "<compositeQueue name='a'><forwardTo><filteredDestination selector='n &gt;' queue='b'/></forwardTo>"
            "</compositeQueue>",
            "is invalid, so the broker does not start",
        ),
    ],
)
def test_what_keeps_activemq_from_starting_is_refused_at_its_line(inner: str, words: str) -> None:
    with pytest.raises(TopologyError) as caught:
        activemq(composites(inner))
    assert caught.value.diagnostics[0].span is not None
    assert words in str(caught.value)


def test_state_is_for_jms_brokers_and_has_no_other_members() -> None:
    with pytest.raises(TopologyError, match="state and properties apply only to the XML of a JMS broker"):
        parse_topology('{"broker": "qpid-java"}', "topology.json", state={"queues": []})
    with pytest.raises(TopologyError, match="state"):
        activemq("", state={"queue": []})


ORDERS = (
    "<diverts><divert name='large'><address>orders</address><forwarding-address>review</forwarding-address>"
    "<filter string='amount &gt; {limit}'/><exclusive>true</exclusive></divert></diverts>"
    "<addresses><address name='orders'><anycast><queue name='a'/><queue name='b'/></anycast></address>"
    "<address name='review'><anycast><queue name='review'/></anycast></address></addresses>"
)


def test_the_picture_has_addresses_and_not_the_cases_that_route() -> None:
    shown = addresses_of(artemis(ORDERS.format(limit=1000)))
    assert {(each.source, each.destination) for each in shown.bindings} == {
        ("orders", "a"),
        ("orders", "b"),
        ("orders", "review"),
        ("review", "review"),
    }
    assert "amount #62; 1000" in draw(shown, "mermaid")
    ring = addresses_of(
        artemis(
            "<diverts><divert name='d'><address>a</address><forwarding-address>a</forwarding-address></divert>"
            "</diverts>"
        )
    )
    assert "a send that comes back fails" in str(report(ring))


def test_a_change_of_a_divert_is_shown_with_a_message() -> None:
    diff = diff_topologies(artemis(ORDERS.format(limit=1000)), artemis(ORDERS.format(limit=2000)))
    assert [change.text for change in diff.changes] == [
        "orders -> review (address): divert large | exclusive | amount > 2000, "
        "was divert large | exclusive | amount > 1000"
    ]
    assert [(each.exchange, each.routing_type, each.old, each.new) for each in diff.examples] == [
        ("orders", "ANYCAST", ("review",), ("a (possible)", "b (possible)"))
    ]


SETTING = (
    "<address-settings><address-setting match='orders'><{0}>{1}</{0}></address-setting></address-settings>"
    + ORDERS.format(limit=1000)
)


@pytest.mark.parametrize(
    ("old", "new", "change", "messages"),
    [
        (
            ORDERS.format(limit=1000),
            ORDERS.format(limit=1000).replace("<exclusive>true", "<exclusive>false"),
            "orders -> review (address): divert large | amount > 1000, was divert large | exclusive | amount > 1000",
            True,
        ),
        (
            SETTING.format("dead-letter-address", "lost"),
            SETTING.format("dead-letter-address", "review"),
            "a -> lost: dead-letter, rejected or delivered 10 times",
            True,
        ),
        (
            SETTING.format("auto-create-addresses", "true").replace("match='orders'", "match='#'"),
            SETTING.format("auto-create-addresses", "false").replace("match='orders'", "match='#'"),
            "#: auto-create-addresses false, was true",
            True,
        ),
    ],
)
def test_a_change_that_is_no_selector_is_reported(old: str, new: str, change: str, messages: bool) -> None:
    diff = diff_topologies(artemis(old), artemis(new))
    assert change in [one.text for one in diff.changes]
    assert bool(diff.examples) is messages
    assert str(diff_topologies(artemis(old), artemis(old))) == "OLD and NEW have the same routes."


@pytest.mark.parametrize(("resource", "count"), [("jetty.xml", 0), ("conf/jetty.xml", 0), ("camel.xml", 1)])
def test_an_import_is_reported_once_and_that_of_the_console_by_a_report_alone(
    resource: str, count: int, tmp_path: Path
) -> None:
    file = tmp_path / "activemq.xml"
    text = f'<beans><import resource="{resource}"/><broker xmlns="http://activemq.apache.org/schema/core"/></beans>'
    file.write_text(text, encoding="utf-8")
    for words, expected in (["diff", str(file), str(file)], count), (["topology", str(file), "--report"], 1):
        assert CliRunner().invoke(main, words).stderr.count("is imported, and not read") == expected


def test_many_imports_are_one_finding() -> None:
    imports = "".join(f"<import resource='camel/{number}.xml'/>" for number in range(5))
    text = f"<beans>{imports}<broker xmlns='http://activemq.apache.org/schema/core'/></beans>"
    [finding] = parse_topology(text, "activemq.xml").findings
    listed = "camel/0.xml, camel/1.xml, camel/2.xml and 2 more files"
    assert finding.message == (
        f"{listed} are imported, and not read: the text is not in a file, so it has no folder. What they contain is "
        "not known"
    )


def test_a_composite_queue_that_keeps_only_what_no_target_takes_is_a_change() -> None:
    kept, otherwise = (
        activemq(
            composites(
                f"<compositeQueue name='in' {how}><forwardTo><filteredDestination selector='n &gt; 5' queue='big'/>"
                "</forwardTo></compositeQueue>"
            )
        )
        for how in ("forwardOnly='false'", "sendWhenNotMatched='true'")
    )
    diff = diff_topologies(kept, otherwise)
    assert [one.text for one in diff.changes] == ["queue://in -> queue://in: otherwise, was every message"]
    assert [(one.exchange, one.old, one.new) for one in diff.examples] == [
        ("queue://in", ("queue://big", "queue://in"), ("queue://big",))
    ]


def test_destinations_of_activemq_are_queues_and_what_leads_to_them() -> None:
    topology = activemq(
        "<destinations><queue physicalName='plain'/><queue physicalName='Consumer.A.VirtualTopic.o'/></destinations>"
    )
    shown = addresses_of(topology)
    assert [(each.source, each.destination_type, each.destination) for each in shown.bindings] == [
        ("topic://VirtualTopic.o", "queue", "queue://Consumer.A.VirtualTopic.o")
    ]
    assert report(shown).findings == ()


def test_an_address_leads_to_the_wildcard_addresses_that_match_it() -> None:
    shown = addresses_of(
        artemis(
            "<diverts><divert name='d'><address>a</address><forwarding-address>log.a</forwarding-address></divert>"
            "</diverts><addresses><address name='log.#'><multicast><queue name='q'/></multicast></address></addresses>"
        )
    )
    assert [(each.source, each.destination) for each in shown.bindings] == [
        ("log.#", "q"),
        ("a", "log.a"),
        ("log.a", "log.#"),
    ]
    assert report(shown).findings == ()


def test_why_names_the_diverts_and_queues_that_took_a_message() -> None:
    text = str(explain_route(artemis(ORDERS.format(limit=1000)), Message.of(amount=5000), "orders"))
    assert text.startswith("destination orders → review (delivered)\n  took it\n")
    assert "orders → address review  divert large: amount > 1000\n    review → review          any message" in text
    assert "orders → a  the exclusive divert large took the message" in text


ONE_QUEUE = (
    "<addresses><address name='orders'><anycast><queue name='orders'><filter string=\"color = 'red'\"/></queue>"
    "</anycast></address>"
    + "".join(f"<address name='other{n}'><anycast><queue name='other{n}'/></anycast></address>" for n in range(6))
    + "</addresses>"
)


@pytest.mark.parametrize(
    ("topology", "to", "routing_type", "expected_text"),
    [
        (artemis(ONE_QUEUE), "orders", "ANYCAST", "orders  color is 'blue', not 'red'"),
        (
            artemis(ONE_QUEUE),
            "orders",
            "MULTICAST",
            "orders  its routing type is ANYCAST, and the message was sent as MULTICAST",
        ),
        (artemis(ONE_QUEUE), "new", None, "but that an earlier send with a routing type may have made"),
        (artemis(ONE_QUEUE), "new", "MULTICAST", "which queues subscribers have made is not in the broker's file"),
        (activemq(""), "topic://t", None, "who subscribes to the topic is not in the broker's file"),
    ],
)
def test_why_names_what_is_at_the_address_and_why_it_got_no_message(
    topology: Topology, to: str, routing_type: str | None, expected_text: str
) -> None:
    explained = explain_route(topology, Message.of(color="blue"), to, routing_type=routing_type)
    assert expected_text in str(explained)
    assert "other" not in str(explained)
    assert explained.others == 0


def test_a_topic_without_a_state_is_not_decided() -> None:
    assert send(activemq(""), "topic://t") == Routed((), "undecided", "topic://t")
    known = {"queues": ["Consumer.a.VirtualTopic.t"]}
    assert send(activemq("", state=known), "topic://VirtualTopic.t").outcome == "delivered"
    assert send(activemq("", state=known), "topic://t").outcome == "undecided"
    assert send(activemq("", state={"subscriptions": []}), "topic://t").outcome == "discarded"
    forwards = composites("<compositeTopic name='t'><forwardTo><queue physicalName='q'/></forwardTo></compositeTopic>")
    assert send(activemq(forwards), "topic://t") == Routed(("queue://q",), "delivered", "topic://t")


def test_a_path_names_the_diverts_that_a_message_took() -> None:
    explained = explain_route(artemis(ORDERS.format(limit=1000)), Message.of(amount=5000), "orders", path=True)
    assert "\n  divert large: orders → address review" in explained.way
    assert explained.to_dict()["took"][0]["divert"] == "large"
    refused = artemis(
        "<address-settings><address-setting match='#'><auto-create-addresses>false</auto-create-addresses>"
        "</address-setting></address-settings>"
    )
    text = str(explain_route(refused, Message(), "nowhere", routing_type="ANYCAST"))
    assert "the broker has no such address, and creates none: the sender gets an error" in text


def test_a_destination_is_all_that_says_where_a_message_to_a_jms_broker_goes() -> None:
    topology = artemis("<addresses/>")
    for options in ({"address": "a"}, {"publish_to": "to"}, {"routing_keys": ["a"]}, {}):
        with pytest.raises(ValueError, match="exchange must name the destination"):
            publish(topology, Message(), **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="routing_type"):
        publish(topology, Message(), "a", routing_type="anycast")


def test_any_words_inside_a_virtual_destination_are_one_word_or_more() -> None:
    forward = "<forwardTo><queue physicalName='q'/></forwardTo>"
    topology = activemq(composites(f"<compositeTopic name='o.&gt;.p'>{forward}</compositeTopic>"))
    for name, queues in (("o", ()), ("o.x", ("queue://q",)), ("o.x.y", ("queue://q",)), ("x", ())):
        assert send(topology, f"topic://{name}").queues == queues, name
    assert [finding.code for finding in topology.findings] == ["topology.any-words"]


@pytest.mark.parametrize("kind", ["queue", "topic"])
def test_a_name_with_wildcards_finds_the_composite_destinations_that_it_matches(kind: str) -> None:
    def sent(name: str, to: str) -> bool:
        forward = "<forwardTo><queue physicalName='q'/></forwardTo>"
        tag = f"composite{kind.capitalize()}"
        topology = activemq(composites(f"<{tag} name='{name}'>{forward}</{tag}>"))
        return "queue://q" in send(topology, f"{kind}://{to}").queues

    for name, found, others in (
        ("o.x", ("o.x", "o.*", "*.x", "o.>", ">", "*.*"), ("o.y", "*", "*.y", "p.>")),
        ("o.&gt;", ("o", "o.x", "*.x", "o.>", ">"), ("p", "p.>")),
        ("o.*", ("o.x", "o.*", "o.>", ">", "*.x"), ("o", "p.*", "*")),
    ):
        assert [to for to in found if not sent(name, to)] == [], name
        assert [to for to in others if sent(name, to)] == [], name


def test_a_queue_may_keep_what_a_filter_of_an_unknown_destination_may_refuse() -> None:
    topology = activemq(
        composites(
            "<compositeQueue name='o.*' sendWhenNotMatched='true'><forwardTo>"
            "<filteredDestination selector=\"JMSDestination = 'queue://o.x'\" queue='q'/></forwardTo></compositeQueue>"
        )
    )
    assert send(topology, "queue://o.y") == Routed((), "undecided", "queue://o.y", ("queue://o.y", "queue://q"))
    topology = artemis(
        "<diverts><divert name='d'><address>a.*</address><forwarding-address>b</forwarding-address>"
        "<filter string=\"AMQAddress = 'a.x'\"/><exclusive>true</exclusive></divert></diverts><addresses>"
        "<address name='a.*'><multicast><queue name='qa'/></multicast></address>"
        "<address name='b'><multicast><queue name='qb'/></multicast></address></addresses>"
    )
    assert send(topology, "a.y", "MULTICAST") == Routed((), "undecided", "a.y", ("qa", "qb"))
    [finding] = [each for each in topology.findings if each.code == "topology.hop"]
    assert finding.message.startswith("the filter of 'd' depends on the path of the message, which is not known")


def test_arithmetic_on_a_boolean_in_a_subscription_fails_the_send() -> None:
    state = {"subscriptions": [{"name": "s", "destination": "topic://t", "selector": "n + 1 = 4"}]}
    topology = activemq("", state=state)
    assert send(topology, "topic://t", n=True).outcome == "error"
    assert send(topology, "topic://t", n=3) == Routed(("s",), "delivered", "topic://t")
    assert send(topology, "topic://u", n=True).outcome == "discarded"
    state["subscriptions"][0]["selector"] = "a = 1 OR n + 1 = 4"
    # The other operand of OR may decide first.
    assert send(activemq("", state=state), "topic://t", a=1, n=True) == Routed((), "undecided", "topic://t", ("s",))


def test_mirrors_of_queues_that_nobody_named_go_through_virtual_topics_too() -> None:
    mirror = "<mirroredQueue copyMessage='true' prefix='m.' postfix=''/>"
    topics = composites("<virtualTopic name='m.&gt;' prefix='C.*.'/>")
    inner = topics.replace("</destinationInterceptors>", f"{mirror}</destinationInterceptors>")
    topology = activemq(inner, state={"queues": ["queue://C.A.m.b"]})
    assert send(topology, "queue://b").queues == ("queue://C.A.m.b", "queue://b")


@pytest.mark.parametrize(
    ("attributes", "topic"),
    [
        ("", "VirtualTopic.Mirror.b"),
        ("postfix='.m'", "VirtualTopic.Mirror.b.m"),
        ("prefix=''", "b"),
        ("prefix='m.'", "m.b"),
    ],
)
def test_a_mirror_has_a_prefix_and_no_postfix_by_default(attributes: str, topic: str) -> None:
    state = {"queues": ["queue://b"], "subscriptions": [{"name": "s", "destination": f"topic://{topic}"}]}
    mirror = f"<destinationInterceptors><mirroredQueue {attributes}/></destinationInterceptors>"
    assert send(activemq(mirror, state=state), "queue://b").queues == ("queue://b", "s")


def test_a_filter_sees_the_topic_of_a_mirror_and_the_destination_that_forwarded() -> None:
    def forward(destination: str, queue: str) -> str:
        return f"<filteredDestination selector=\"JMSDestination = '{destination}'\" queue='{queue}'/>"

    seen = forward("topic://m.a", "mirrored") + forward("queue://a", "own") + forward("queue://in", "forwarded")
    inner = composites(
        f"<compositeTopic name='m.a'><forwardTo>{seen}</forwardTo></compositeTopic>"
        "<compositeQueue name='in'><forwardTo><queue physicalName='a'/></forwardTo></compositeQueue>"
    )
    mirror = "<mirroredQueue copyMessage='true' prefix='m.' postfix=''/>"
    topology = activemq(inner.replace("</destinationInterceptors>", f"{mirror}</destinationInterceptors>"))
    assert send(topology, "queue://a").queues == ("queue://a", "queue://mirrored")
    assert send(topology, "queue://in").queues == ("queue://a", "queue://forwarded")


def test_behind_a_dead_letter_address_nothing_is_created_or_refused() -> None:
    topology = artemis(
        "<address-settings><address-setting match='a'><dead-letter-address>lost</dead-letter-address>"
        "<send-to-dla-on-no-route>true</send-to-dla-on-no-route></address-setting>"
        "<address-setting match='b'><auto-create-addresses>false</auto-create-addresses></address-setting>"
        "</address-settings><diverts>"
        "<divert name='b'><address>lost</address><forwarding-address>b</forwarding-address>"
        "<routing-type>MULTICAST</routing-type></divert>"
        "<divert name='c'><address>lost</address><forwarding-address>c</forwarding-address>"
        "<routing-type>ANYCAST</routing-type></divert></diverts>"
        "<addresses><address name='lost'><anycast><queue name='lost'/></anycast></address></addresses>",
        state={"queues": []},
    )
    assert send(topology, "a", "MULTICAST") == Routed(("lost",), "dead-letter", "a", ("c",))
    assert send(topology, "lost", "ANYCAST") == Routed((), "rejected", "lost")


def test_what_is_not_computed_is_a_finding() -> None:
    setting = "<address-setting match='#'><address-full-policy>DROP</address-full-policy></address-setting>"
    queue = "<address name='a'><anycast><queue name='a'><durable>${d}</durable></queue></anycast></address>"
    topology = artemis(f"<address-settings>{setting}</address-settings><addresses>{queue}</addresses>")
    assert [finding.message.partition(":")[0] for finding in topology.findings] == ["address-full-policy is DROP"]
    aware = "<virtualTopic name='o.*' selectorAware='true'/>"
    composite = "<compositeTopic name='o.x'><forwardTo><queue physicalName='q'/></forwardTo></compositeTopic>"
    inner, outer = (composites(one).removesuffix("</destinationInterceptors>") for one in (composite, aware))
    both = inner + outer.removeprefix("<destinationInterceptors>") + "</destinationInterceptors>"
    state = {"queues": ["Consumer.a.o.x"], "consumers": [{"queue": "Consumer.a.o.x"}]}
    cast = activemq(both, state=state)
    assert [finding.code for finding in cast.findings] == ["topology.selector-aware"]
    assert send(cast, "topic://o.x").outcome == "undecided"
    assert send(cast, "topic://o.x").queues == ()
    assert send(cast, "topic://o.y").outcome == "discarded"
    assert activemq(composites(aware)).findings == ()


def test_the_cases_of_one_filter_do_not_contain_each_other() -> None:
    known = activemq(
        "<destinationInterceptors><virtualDestinationInterceptor><virtualDestinations>"
        "<compositeQueue name='a'><forwardTo>"
        "<filteredDestination selector=\"JMSDestination = 'queue://b' OR x = 1\" queue='b'/>"
        "</forwardTo></compositeQueue><compositeQueue name='b'><forwardTo>"
        "<filteredDestination selector=\"JMSDestination LIKE 'queue://%'\" queue='a'/>"
        "</forwardTo></compositeQueue>"
        "</virtualDestinations></virtualDestinationInterceptor></destinationInterceptors>"
    )
    kinds = {finding.kind for finding in report(addresses_of(known)).findings}
    assert kinds == {"exchange-loop"}


def test_one_broker_of_several_is_read() -> None:
    text = '<beans><broker brokerName="east"/><broker brokerName="west"/></beans>'
    assert parse_topology(text, "activemq.xml", vhost="west").rules.name == "activemq"
    for vhost, expected in ((None, "choose one of east, west: --vhost NAME"), ("wset", "did you mean west?")):
        with pytest.raises(TopologyError) as caught:
            parse_topology(text, "activemq.xml", vhost=vhost)
        assert expected in str(caught.value)


QUEUES = ("all.g.x", "all.1.g.x", "all.1.2.g.x", "other.g.x", "all.y", "all", "a.b.g.x", "a.c.b.g.x", "a.c.g.x")

#: A virtual topic's prefix and postfix, a topic, and which of ``QUEUES`` are certain and which are possible.
ANY_DEPTH = (
    ("all.&gt;.", "", "g.x", ("all.1.2.g.x", "all.1.g.x", "all.g.x"), ("all.y",)),
    ("all.&gt;.", "", "g", (), ("all.1.2.g.x", "all.1.g.x", "all.g.x", "all.y")),
    ("a.&gt;.b.", "", "g.x", ("a.b.g.x", "a.c.b.g.x"), ("a.c.g.x",)),
    ("", ".&gt;", "all.1", ("all.1.2.g.x", "all.1.g.x"), ()),
    ("none.&gt;.", "", "g.x", (), ()),
)


@pytest.mark.parametrize(("prefix", "postfix", "topic", "certain", "possible"), ANY_DEPTH)
def test_any_words_in_the_prefix_of_a_virtual_topic_are_of_any_depth(
    prefix: str, postfix: str, topic: str, certain: tuple[str, ...], possible: tuple[str, ...]
) -> None:
    virtual = f"<virtualTopic name='&gt;' prefix='{prefix}' postfix='{postfix}'/>"
    state = {"queues": [f"queue://{name}" for name in QUEUES], "subscriptions": [], "consumers": []}
    routed = send(activemq(composites(virtual), state=state), f"topic://{topic}")
    assert routed.queues == tuple(f"queue://{name}" for name in certain)
    assert routed.possible_queues == tuple(f"queue://{name}" for name in possible)


def test_a_queue_of_prefix_and_postfix_alone_is_that_of_no_topic() -> None:
    virtual = composites("<virtualTopic name='&gt;' prefix='C.*.' postfix='s.x'/>")
    state = {"queues": ["queue://C.A.x", "queue://C.A.news.x"], "subscriptions": []}
    assert send(activemq(virtual, state=state), "topic://new").queues == ("queue://C.A.news.x",)


def test_a_divert_that_did_not_take_a_message_or_may_take_it_has_its_name() -> None:
    divert = "<divert name='{0}'><address>a</address><forwarding-address>{0}</forwarding-address>{1}</divert>"
    inner = divert.format("red", "<filter string='color IS NOT NULL'/>")
    inner += divert.format("big", "<filter string='AMQSize &gt; 9'/>")
    text = str(explain_route(artemis(f"<diverts>{inner}</diverts>"), Message(), "a", routing_type="MULTICAST"))
    assert "divert red: " in text.partition("nearly took it")[2]
    assert "divert big: AMQSize > 9" in text
