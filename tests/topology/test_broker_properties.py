"""Broker properties of Artemis, in their own file and in a resource of the operator."""

from __future__ import annotations

import pytest

from transpiler import Message, TopologyError
from transpiler.reference.route import publish
from transpiler.tools.dialect_tools.diff import diff_topologies
from transpiler.topology import parse_topology
from transpiler.topology.model import Topology
from transpiler.topology.records import OF_BROKERS

PROPERTIES = r"""
# Orders of the regions.
addressConfigurations."orders.eu".routingTypes=ANYCAST,MULTICAST
addressConfigurations."orders.eu".queueConfigs."orders.eu".routingType=ANYCAST
addressConfigurations."orders.eu".queueConfigs.audit.filterString="amount > \
    1000"
addressConfigurations.gone.queueConfigs.gone.routingType=ANYCAST
addressConfigurations.gone=-
addressSettings.#.deadLetterAddress=DLQ
addressSettings."orders.#".sendToDLAOnNoRoute=true
addressSettings."orders.#".maxDeliveryAttempts=3
divertConfigurations.copy.address=orders.eu
divertConfigurations.copy.forwardingAddress=archive
divertConfigurations.copy.filterString=vip = TRUE
addressConfigurations.archive.queueConfigs.archive.routingType=${type}
bridgeConfigurations.away.queueName=archive
name=broker
"""

XML = """<configuration><core><wildcard-addresses/><address-settings>
<address-setting match="#"><dead-letter-address>DLQ</dead-letter-address></address-setting>
<address-setting match="orders.#"><send-to-dla-on-no-route>true</send-to-dla-on-no-route>
<max-delivery-attempts>3</max-delivery-attempts></address-setting></address-settings>
<diverts><divert name="copy"><address>orders.eu</address><forwarding-address>archive</forwarding-address>
<filter string="vip = TRUE"/></divert></diverts>
<addresses><address name="orders.eu"><anycast><queue name="orders.eu"/></anycast>
<multicast><queue name="audit"><filter string="amount &gt; 1000"/></queue></multicast></address>
<address name="archive"><anycast><queue name="archive"/></anycast></address></addresses>
<bridges><bridge name="away"><queue-name>archive</queue-name></bridge></bridges></core></configuration>"""


def resource(properties: str) -> str:
    lines = [line for line in properties.replace("\\\n    ", "").splitlines() if line]
    listed = "".join(f"    - '{line}'\n" for line in lines)
    return f"apiVersion: broker.amq.io/v1beta1\nkind: ActiveMQArtemis\nspec:\n  brokerProperties:\n{listed}"


@pytest.mark.parametrize(
    ("text", "name"),
    [(PROPERTIES, "broker.properties"), (resource(PROPERTIES), "artemis.yaml")],
    ids=["file", "resource"],
)
def test_properties_say_what_the_same_broker_xml_says(text: str, name: str) -> None:
    topology = parse_topology(text, name, properties={"type": "ANYCAST"})
    expected = parse_topology(XML, "broker.xml")

    def differing_paths(of: Topology) -> tuple[object, ...]:
        return (
            set(of.exchanges),
            set(of.queues),
            {repr(each.arguments) + each.key for each in of.bindings},
            set(of.links),
        )

    assert differing_paths(topology) == differing_paths(expected)
    assert topology.findings == ()
    assert [link.kind for link in topology.links if link.source == "archive"] == ["dead-letter", "bridge"]
    sent = publish(topology, Message.of(vip=True, amount=5000), "orders.eu", routing_type="MULTICAST")
    assert sent.queues == ("archive", "audit")


#: Properties of connections, as in ConfigurationImplTest of apache/activemq-artemis, and the equivalent elements.
CONNECTIONS = [
    (
        """federationConfigurations.f.upstreamConfigurations.u.policyRefs=p,all
federationConfigurations.f.queuePolicies.p.includes.one.queueMatch=or#
federationConfigurations.f.addressPolicies.a.excludes.b.addressMatch=b
federationConfigurations.f.policySets.all.policyRefs=a
""",
        """<federations><federation name="f"><upstream name="u"><policy ref="p"/><policy ref="all"/></upstream>
<policy-set name="all"><policy ref="a"/></policy-set><queue-policy name="p"><include queue-match="or#"/></queue-policy>
<address-policy name="a"><exclude address-match="b"/></address-policy></federation></federations>""",
    ),
    (
        "AMQPConnections.t.uri=tcp://t\nAMQPConnections.t.mirrors.m.addressFilter=orders\n",
        '<broker-connections><amqp-connection name="t"><mirror address-filter="orders"/></amqp-connection>'
        "</broker-connections>",
    ),
    (
        "AMQPConnections.t.federations.x.remoteAddressPolicies.p.includes.m.addressMatch=news\n",
        '<broker-connections><amqp-connection name="t"><federation><remote-address-policy name="p">'
        '<include address-match="news"/></remote-address-policy></federation></amqp-connection></broker-connections>',
    ),
    (
        "AMQPConnections.t.bridges.x.bridgeToQueuePolicies.p.includes.m.queueMatch=orders\n"
        "AMQPConnections.t.senders.s.queueName=orders\n",
        '<broker-connections><amqp-connection name="t"><bridge><bridge-to-queue name="p">'
        '<include queue-match="orders"/></bridge-to-queue></bridge><sender queue-name="orders"/></amqp-connection>'
        "</broker-connections>",
    ),
    (
        "clusterConfigurations.c.messageLoadBalancingType=STRICT\n",
        '<cluster-connections><cluster-connection name="c"><message-load-balancing>STRICT</message-load-balancing>'
        "</cluster-connection></cluster-connections>",
    ),
]
NODES = """addressConfigurations.orders.queueConfigs.orders.routingType=ANYCAST
addressConfigurations.news.routingTypes=MULTICAST
"""
XML_NODES = """<addresses><address name="orders"><anycast><queue name="orders"/></anycast></address>
<address name="news"><multicast/></address></addresses>"""


@pytest.mark.parametrize(("properties", "xml"), CONNECTIONS)
@pytest.mark.parametrize("form", ["file", "resource"])
def test_connections_of_properties_are_links_as_those_of_a_broker_xml(form: str, properties: str, xml: str) -> None:
    text = NODES + properties
    found = parse_topology(*((text, "broker.properties") if form == "file" else (resource(text), "artemis.yaml")))
    expected = parse_topology(f"<configuration><core>{XML_NODES}{xml}</core></configuration>", "broker.xml")
    assert any(link.kind in OF_BROKERS for link in expected.links)
    assert set(found.links) == set(expected.links)
    assert set(found.queues) == set(expected.queues)
    assert found.displayed == expected.displayed
    assert found.findings == expected.findings == ()


def test_address_settings_of_properties_are_settings_as_those_of_a_broker_xml() -> None:
    text = "addressSettings.{}.maxDeliveryAttempts=3\naddressSettings.{}.addressFullMessagePolicy=BLOCK\n"
    found = parse_topology(text.format('"orders.#"', '"orders.#"'), "broker.properties")
    xml = "<address-setting match='orders.#'><max-delivery-attempts>3</max-delivery-attempts>"
    xml = (
        f"<address-settings>{xml}<address-full-policy>BLOCK</address-full-policy></address-setting></address-settings>"
    )
    expected = parse_topology(f"<configuration><core>{xml}</core></configuration>", "broker.xml")
    assert found.settings == expected.settings
    assert [one.value for one in found.settings] == ["3", "BLOCK"]
    changed = parse_topology(text.format('"orders.#"', '"orders.#"').replace("BLOCK", "PAGE"), "broker.properties")
    assert "address-full-policy" in str(diff_topologies(found, changed))


def test_a_queue_has_the_line_of_its_first_property() -> None:
    topology = parse_topology(PROPERTIES, "broker.properties", properties={"type": "ANYCAST"})
    assert [queue.path for queue in topology.queues] == ["4:1", "5:1", "15:1"]


@pytest.mark.parametrize("types", ["ANYCAST", "MULTICAST", "ANYCAST, MULTICAST"])
def test_an_address_without_queues_has_its_routing_types(types: str) -> None:
    parts = "".join(f"<{each.lower()}/>" for each in types.split(", "))
    none = "<address-setting match='#'><auto-create-queues>false</auto-create-queues></address-setting>"
    xml = f"<addresses><address name='a'>{parts}</address></addresses><address-settings>{none}</address-settings>"
    line = f"addressConfigurations.a.routingTypes={types}\naddressSettings.#.autoCreateQueues=false"
    found = parse_topology(line, "broker.properties")
    expected = parse_topology(f"<configuration><core>{xml}</core></configuration>", "broker.xml")
    assert (found.exchanges, found.bindings, found.displayed) == (
        expected.exchanges,
        expected.bindings,
        expected.displayed,
    )
    outcome = publish(found, Message(), "a").outcome
    assert outcome == ("discarded" if types == "ANYCAST" else "undecided")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("divertConfigurations.d.address=a", "2:1: topology.missing: the divert 'd' has no forwarding-address"),
        (
            "addressConfigurations.a.queueConfigs.q.routingType=${kind}",
            "2:1: topology.placeholder: ${kind} in",
        ),
        ("wildCardConfiguration.delimiter=#", "2:1: topology.wildcards: delimiter, single-word and any-words"),
    ],
)
def test_what_the_broker_refuses_is_refused_at_its_line(line: str, message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        parse_topology(f"# first\n{line}\n", "broker.properties")
    assert message in str(caught.value)
