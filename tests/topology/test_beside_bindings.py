"""Elements besides bindings that affect messages, and declarations in files of Artemis, ActiveMQ and Broker-J.

Read in apache/activemq-artemis at 6700541d: BindingsImpl.java (getNextBinding: STRICT takes the next broker's binding,
whoever reads there), artemis-configuration.xsd, FileConfigurationParser.java; in apache/activemq: VirtualTopic.java and
CompositeDestination.java in broker/region/virtual, whose setters are the attributes of their elements. The names of
Broker-J's attributes are those of its documentation; its source was not read.
"""

from typing import Any

import pytest

from transpiler import topology_from_dict
from transpiler.reference.route import publish, route_path
from transpiler.tools.topology_report.findings import report
from transpiler.tools.topology_report.operator_questions import losses
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.files import parse_topology
from transpiler.topology.model import Topology


def artemis(core: str, **more: Any) -> Topology:
    return parse_topology(f"<configuration><core>{core}</core></configuration>", "broker.xml", **more)


def activemq(inner: str, **more: Any) -> Topology:
    return parse_topology(f"<beans><broker>{inner}</broker></beans>", "activemq.xml", **more)


def queue(name: str, attributes: str = "") -> str:
    return f"<address name='{name}'><anycast><queue name='{name}' {attributes}/></anycast></address>"


EVENTS = f"<addresses><address name='events'><multicast/></address>{queue('orders')}</addresses>"


@pytest.mark.parametrize("routing_type", ["MULTICAST", None])
def test_a_multicast_address_without_known_queues_is_undecided(routing_type: str | None) -> None:
    routed = publish(artemis(EVENTS), {}, "events", routing_type=routing_type)
    assert (routed.queues, routed.outcome) == ((), "undecided")
    known = publish(artemis(EVENTS, state={"subscriptions": []}), {}, "events", routing_type=routing_type)
    # For a message without a routing type, it is unknown what an earlier send has created.
    assert known.outcome == ("discarded" if routing_type else "undecided")
    assert publish(artemis(EVENTS), {}, "orders", routing_type="ANYCAST").outcome == "delivered"


def test_what_is_declared_is_shown_and_is_no_finding() -> None:
    for topology, name in (
        (artemis(EVENTS), "events"),
        (activemq("<destinations><topic physicalName='prices'/></destinations>"), "topic://prices"),
    ):
        shown = addresses_of(topology)
        assert name in shown.exchange_by_name
        assert not report(shown).has("warning")


STRICT = "<message-load-balancing>STRICT</message-load-balancing>"


@pytest.mark.parametrize(
    ("inner", "certain"),
    [
        (f"<address>or</address>{STRICT}", False),
        (f"<address>jms,or</address>{STRICT}", False),
        (f"<address>jms, other</address>{STRICT}", True),
        (STRICT, False),
        (f"<address>jms</address>{STRICT}", True),
        ("<message-load-balancing>ON_DEMAND</message-load-balancing>", True),
        ("", True),
    ],
)
def test_a_queue_that_a_strict_cluster_shares_is_possible(inner: str, certain: bool) -> None:
    cluster = f"<cluster-connections><cluster-connection name='c'>{inner}</cluster-connection></cluster-connections>"
    routed = publish(artemis(cluster + EVENTS), {}, "orders", routing_type="ANYCAST")
    assert routed.queues == (("orders",) if certain else ())
    assert routed.possible_queues == (() if certain else ("orders",))
    assert bool(routed.reasons) != certain


BRIDGE = "<bridges><bridge name='b'><queue-name>orders</queue-name></bridge></bridges>"
CONNECTION = (
    "<broker-connections><amqp-connection name='far' uri='tcp://far'><bridge><bridge-to-queue name='p'>"
    "<include address-match='orders'/></bridge-to-queue></bridge></amqp-connection>"
    "</broker-connections>"
)


@pytest.mark.parametrize(
    ("core", "when"), [(BRIDGE, "moved by the bridge b"), (CONNECTION, "moved by the connection far")]
)
def test_a_bridge_is_a_link_of_its_queue_and_a_step_of_the_path(core: str, when: str) -> None:
    topology = artemis(core + EVENTS)
    assert [(link.kind, link.when) for link in topology.links if link.source == "orders"] == [("bridge", when)]
    path = route_path(topology, {}, "orders", routing_type="ANYCAST")
    assert [str(step) for step in path.steps] == [f"orders: {when} → another broker"]
    assert [link.when for link in addresses_of(topology).links] == [when]


def test_a_network_connector_is_a_link_of_each_queue_and_security_is_nothing_to_tell_of() -> None:
    topology = activemq(
        "<plugins><statisticsBrokerPlugin/><simpleAuthenticationPlugin/></plugins>"
        "<networkConnectors><networkConnector name='n' uri='static:(tcp://far)'/></networkConnectors>"
        "<destinations><queue physicalName='q'/></destinations>"
    )
    assert [finding.message for finding in topology.findings] == [
        "<networkConnectors>: a network of brokers forwards messages to other brokers and brings theirs, which is not "
        "computed"
    ]
    for name in ("q", "other"):
        path = route_path(topology, {}, f"queue://{name}")
        assert "forwarded by the network connector n" in str(path)
    assert len(activemq("<plugins><redeliveryPlugin/></plugins>").not_computed) == 1


@pytest.mark.parametrize(
    ("topology", "named"),
    [
        (
            artemis(
                "<diverts><divert name='d'><address>a</address><forwarding-address>b</forwarding-address>"
                "<filter-string>x = 1</filter-string></divert></diverts>"
            ),
            "filter-string",
        ),
        (
            artemis(
                "<diverts><divert name='d'><address>a</address><forwarding-address>b</forwarding-address>"
                "<exclusiv>true</exclusiv></divert></diverts>"
            ),
            "exclusive",
        ),
        (
            artemis(
                "<addresses><address name='s'><multicast><queue name='q'><filter>x = 1</filter></queue></multicast>"
                "</address></addresses>"
            ),
            "string",
        ),
        (
            artemis(
                "<addresses><address name='s'><anycast><queue name='q' max-consumer='1'/></anycast></address>"
                "</addresses>"
            ),
            "max-consumers",
        ),
        (
            activemq(
                "<destinationInterceptors><virtualDestinationInterceptor><virtualDestinations>"
                "<virtualTopic name='a' prefix='b' selectoraware='true'/></virtualDestinations>"
                "</virtualDestinationInterceptor></destinationInterceptors>"
            ),
            "selectorAware",
        ),
    ],
)
def test_a_name_that_the_broker_does_not_know_is_reported_with_a_near_one(topology: Topology, named: str) -> None:
    [finding] = topology.findings
    assert finding.code == "import.unknown"
    assert named in finding.render()


def test_a_file_that_the_schema_of_artemis_does_not_allow_is_refused_whole() -> None:
    # FileDeploymentManager.readConfiguration validates the file: the broker does not start.
    for inner in (
        "<addresses><address name='s'><multicast><queue name='q'><filter>n = 1</filter></queue></multicast></address>"
        "</addresses>",
        "<addresses><address name='s'><exclusiv/></address></addresses>",
        "<addresses><address name='s' typ='x'/></addresses>",
    ):
        found = report(addresses_of(artemis(inner)))
        assert "the broker would refuse this file" in str(found)
        assert found.has("error")


def test_all_names_of_the_schema_are_taken_in_silence() -> None:
    core = (
        "<address-settings><address-setting match='#'><max-size-bytes>1</max-size-bytes></address-setting>"
        "</address-settings><addresses><address name='a'><multicast><queue name='q' ring-size='3'>"
        "<filter string='x = 1'/><durable>true</durable></queue></multicast></address></addresses>"
        "<diverts><divert name='d'><address>a</address><forwarding-address>b</forwarding-address>"
        "<exclusive>true</exclusive></divert></diverts>"
    )
    assert artemis(core).findings == ()


def broker_j(**attributes: Any) -> Topology:
    queues = [{"name": "q", "type": "standard", "alternateBinding": {"destination": "spare"}, **attributes}]
    host = {"name": "default", "type": "BDB", "modelVersion": "9.0", "exchanges": []}
    return topology_from_dict(host | {"queues": [*queues, {"name": "spare", "type": "standard"}]})


def lost(topology: Topology) -> list[str]:
    return [finding.subject for finding in losses(addresses_of(topology))]


def test_broker_js_standard_attributes_are_read_and_a_ring_loses() -> None:
    assert broker_j(overflowPolicy="NONE").findings == ()
    assert lost(broker_j(overflowPolicy="NONE")) == ["spare"]
    assert lost(broker_j(overflowPolicy="RING", maximumQueueDepthMessages=5)) == ["q", "spare"]
    [link] = broker_j(messageConversionExceptionHandlingPolicy="ROUTE_TO_ALTERNATE").onward
    assert "converted" in link.when


SETTINGS = (
    "<address-settings><address-setting match='#'><dead-letter-address>DLQ</dead-letter-address>"
    "<expiry-address>DLQ</expiry-address>{}</address-setting></address-settings>"
)


@pytest.mark.parametrize(
    ("attributes", "setting", "reason"),
    [
        ("ring-size='10'", "", "ring-size is 10"),
        ("", "<default-ring-size>10</default-ring-size>", "ring-size is 10"),
        ("ring-size='-1'", "<default-ring-size>10</default-ring-size>", None),
        ("last-value='true'", "", "last-value queue"),
        ("", "<address-full-policy>DROP</address-full-policy>", "address-full-policy is DROP"),
        ("", "<address-full-policy>BLOCK</address-full-policy>", None),
    ],
)
def test_a_queue_of_artemis_that_drops_messages_loses_them(attributes: str, setting: str, reason: str | None) -> None:
    topology = artemis(SETTINGS.format(setting) + f"<addresses>{queue('q', attributes)}{queue('DLQ')}</addresses>")
    found = [finding.reason for finding in losses(addresses_of(topology)) if finding.subject == "q"]
    assert [reason in text for text in found] == ([] if reason is None else [True])


def test_a_queue_that_the_file_does_not_declare_is_not_said_to_lose() -> None:
    topology = topology_from_dict(
        {
            "rabbitmq_version": "4.1.0",
            "exchanges": [{"name": "e", "type": "fanout"}],
            "queues": [{"name": "kept"}],
            "bindings": [{"source": "e", "destination": name, "routing_key": ""} for name in ("kept", "elsewhere")],
        }
    )
    assert lost(topology) == ["kept"]


@pytest.mark.parametrize(
    ("destination", "reason"),
    [
        ("queue://A,topic://B", "who subscribes to topic://B is not known"),
        ("queue://in", "who subscribes to topic://B is not known"),
        ("queue://A", None),
    ],
)
def test_an_unknown_part_of_a_send_is_named_among_the_reasons(destination: str, reason: str | None) -> None:
    forward = "<forwardTo><topic physicalName='B'/></forwardTo>"
    virtual = f"<compositeQueue name='in' forwardOnly='false'>{forward}</compositeQueue>"
    topology = activemq(
        "<destinationInterceptors><virtualDestinationInterceptor><virtualDestinations>"
        f"{virtual}</virtualDestinations></virtualDestinationInterceptor></destinationInterceptors>"
    )
    routed = publish(topology, {}, destination)
    assert routed.outcome == "delivered"
    assert list(routed.reasons) == ([] if reason is None else [reason])
    assert routed.to_dict().get("reasons", []) == list(routed.reasons)
