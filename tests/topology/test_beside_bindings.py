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
from transpiler.tools.topology_report.listing import listing
from transpiler.tools.topology_report.operator_questions import losses
from transpiler.tools.topology_report.picture import draw
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.files import parse_topology
from transpiler.topology.importers import artemis_schema
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


def policies(entries: str) -> str:
    listed = f"<policyMap><policyEntries>{entries}</policyEntries></policyMap>"
    return f"<destinationPolicy>{listed}</destinationPolicy>"


def cluster(inner: str) -> str:
    return f"<cluster-connections><cluster-connection name='c'>{inner}</cluster-connection></cluster-connections>"


def balancing(kind: str) -> str:
    return f"<message-load-balancing>{kind}</message-load-balancing>"


@pytest.mark.parametrize(
    ("inner", "routing_type", "certain"),
    [
        (f"<address>or</address>{STRICT}", "ANYCAST", False),
        (f"<address>jms,or</address>{STRICT}", "ANYCAST", False),
        (f"<address>jms, other</address>{STRICT}", "ANYCAST", True),
        (STRICT, "ANYCAST", False),
        (f"<address>jms</address>{STRICT}", "ANYCAST", True),
        (balancing("ON_DEMAND"), "ANYCAST", False),
        ("", "ANYCAST", False),
        # BindingsImpl.matchBinding: OFF keeps messages here, except for those with the routing type MULTICAST.
        (balancing("OFF"), "ANYCAST", True),
        (balancing("OFF"), "MULTICAST", False),
        (balancing("OFF_WITH_REDISTRIBUTION"), None, True),
    ],
)
def test_a_queue_that_a_cluster_shares_is_possible(inner: str, routing_type: str | None, certain: bool) -> None:
    kind = "multicast" if routing_type == "MULTICAST" else "anycast"
    queues = f"<addresses><address name='orders'><{kind}><queue name='orders'/></{kind}></address></addresses>"
    routed = publish(artemis(cluster(inner) + queues, state={"queues": []}), {}, "orders", routing_type=routing_type)
    assert routed.queues == (("orders",) if certain else ())
    assert routed.possible_queues == (() if certain else ("orders",))
    # The reason is about the queue, not about the queue that the send would create without it.
    assert [reason.startswith("orders if no other broker of the cluster c") for reason in routed.reasons] == (
        [] if certain else [True]
    )


@pytest.mark.parametrize(
    ("inner", "certain"),
    [("", False), ("<address>or</address>", False), ("<address>eu.</address>", True), (balancing("OFF"), True)],
)
def test_a_queue_that_a_send_creates_is_shared_as_others_are(inner: str, certain: bool) -> None:
    routed = publish(artemis(cluster(inner), state={"queues": []}), {}, "orders", routing_type="ANYCAST")
    assert bool(routed.queues) == certain


def federated(*policies: str, stream: str = "upstream", refs: str = "p") -> str:
    references = "".join(f"<policy ref='{ref}'/>" for ref in refs.split())
    connectors = "<static-connectors><connector-ref>far</connector-ref></static-connectors>"
    ends = f"<{stream} name='hub'>{connectors}{references}</{stream}>"
    return f"<federations><federation name='f'>{ends}{''.join(policies)}</federation></federations>"


def address_policy(*includes: str, excludes: tuple[str, ...] = (), more: str = "") -> str:
    inner = "".join(f"<include address-match='{one}'/>" for one in includes)
    inner += "".join(f"<exclude address-match='{one}'/>" for one in excludes)
    return f"<address-policy name='p' {more}>{inner}</address-policy>"


def multicast(*names: str) -> str:
    listed = "".join(f"<address name='{one}'><multicast/></address>" for one in names)
    return f"<addresses>{listed}{queue('orders')}{queue('eu.orders')}</addresses>"


BOTH = [("queue", "orders"), ("queue", "eu.orders")]
EU_QUEUES = "<include queue-match='eu.#' address-match='#'/>"


@pytest.mark.parametrize(
    ("policy", "ends"),
    [
        (address_policy("news"), [("exchange", "news")]),
        (address_policy("news.#"), [("exchange", "news"), ("exchange", "news.eu")]),
        (address_policy("news.*"), [("exchange", "news.eu")]),
        (address_policy("#", excludes=("news.#",)), [("exchange", "prices")]),
        (address_policy(excludes=("prices",)), [("exchange", "news"), ("exchange", "news.eu")]),
        # Match.java anchors only the end of the pattern, and the broker searches it in the name.
        (address_policy("eu"), [("exchange", "news.eu")]),
        # A pattern that matches nothing in the file is shown as an address.
        (address_policy("jobs.#"), [("exchange", "jobs.#")]),
        ("<queue-policy name='p'><include queue-match='orders'/></queue-policy>", BOTH),
        (f"<queue-policy name='p'>{EU_QUEUES}</queue-policy>", [("queue", "eu.orders")]),
        ("<policy-set name='p'><policy ref='q'/></policy-set><queue-policy name='q'/>", BOTH),
    ],
)
def test_an_upstream_of_a_federation_fills_what_its_policies_match(policy: str, ends: list[tuple[str, str]]) -> None:
    # FederatedAddress.match, FederatedQueue.match: an exclude decides first; only multicast addresses take part.
    shown = addresses_of(artemis(federated(policy) + multicast("news", "news.eu", "prices")))
    links = [link for link in shown.links if link.kind == "federation"]
    assert [link.ends[-1] for link in links] == ends
    assert all(link.source is None and "the upstream hub of federation f" in link.when for link in links)
    assert shown.not_computed == ()
    assert "upstream hub of federation f" in listing(shown)
    assert "another broker" in draw(shown, "dot")


def test_a_downstream_of_a_federation_reads_an_address_through_a_queue_that_may_exist() -> None:
    # FederatedAddress.createRemoteQueue: the queue is there as long as the downstream has a queue at the address.
    topology = artemis(
        federated(address_policy("news"), stream="downstream") + multicast("news", "prices"), state={"queues": []}
    )
    name = "federation by downstream hub of federation f"
    routed = publish(topology, {}, "news", routing_type="MULTICAST")
    assert (routed.queues, routed.possible_queues, routed.outcome) == ((), (name,), "undecided")
    assert routed.reasons == (f"{name} if it reads the address",)
    assert publish(topology, {}, "prices", routing_type="MULTICAST").outcome == "discarded"
    assert publish(topology, {}, "news", routing_type="ANYCAST").queues == ("news",)
    path = route_path(topology, {}, "news", routing_type="MULTICAST")
    assert [str(step) for step in path.steps] == [
        f"{name}: copied by the downstream hub of federation f → another broker"
    ]
    assert path.to_dict()["reasons"] == list(routed.reasons)
    shown = addresses_of(topology)
    assert [(one.source, one.destination) for one in shown.bindings if one.destination == name] == [("news", name)]


def test_a_downstream_takes_the_messages_of_queues_by_a_queue_policy() -> None:
    policy = "<queue-policy name='p'><exclude address-match='eu.#'/></queue-policy>"
    path = route_path(artemis(federated(policy, stream="downstream") + EVENTS), {}, "orders", routing_type="ANYCAST")
    assert [str(step) for step in path.steps] == [
        "orders: moved by the downstream hub of federation f while it has a consumer there → another broker"
    ]


def test_a_policy_that_a_federation_lacks_is_reported_and_a_transformer_is_not_computed() -> None:
    topology = artemis(federated(address_policy("news"), refs="p q"))
    assert [(one.code, one.message) for one in topology.findings] == [
        ("import.upstream", "there is no policy 'q': nothing is federated by it")
    ]
    [message] = artemis(federated(address_policy("news", more="transformer-ref='t'"))).not_computed
    assert "may change the message" in message


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


NEWS = "<include address-match='news'/>"


def connected(inner: str) -> str:
    connection = f"<amqp-connection name='far' uri='tcp://far'>{inner}</amqp-connection>"
    return f"<broker-connections>{connection}</broker-connections>"


def policy(kind: str, name: str, inner: str) -> str:
    return f"<{kind}><{name} name='p'>{inner}</{name}></{kind}>"


@pytest.mark.parametrize(
    ("inner", "links"),
    [
        ("<sender queue-name='orders'/>", [("orders", None)]),
        ("<sender address-match='eu.#'/>", [("eu.orders", None)]),
        ("<receiver address-match='orders'/>", [(None, "orders")]),
        ("<peer address-match='#'/>", [("orders", None), ("eu.orders", None)]),
        # MirrorAddressFilter: texts with which addresses begin, and after ! texts with which they do not.
        ("<mirror/>", [("orders", None), ("eu.orders", None)]),
        ("<mirror address-filter='eu,us'/>", [("eu.orders", None)]),
        ("<mirror address-filter='!eu.'/>", [("orders", None)]),
        (policy("bridge", "bridge-from-queue", EU_QUEUES), [(None, "eu.orders")]),
        (policy("bridge", "bridge-to-queue", "<exclude address-match='eu.#'/>"), [("orders", None)]),
        (policy("bridge", "bridge-to-address", NEWS), [("bridge by connection far", None)]),
        (policy("federation", "local-queue-policy", ""), [(None, "orders"), (None, "eu.orders")]),
        (policy("federation", "remote-queue-policy", EU_QUEUES), [("eu.orders", None)]),
        (policy("federation", "local-address-policy", NEWS), [(None, "news")]),
        (policy("federation", "remote-address-policy", NEWS), [("federation by connection far", None)]),
    ],
)
def test_an_amqp_connection_links_the_queues_and_addresses_that_it_matches(
    inner: str, links: list[tuple[str | None, str | None]]
) -> None:
    shown = addresses_of(artemis(connected(inner) + multicast("news")))
    assert [(link.source, link.destination) for link in shown.links] == links
    assert all("connection far" in link.when for link in shown.links)
    assert shown.not_computed == ()


def test_a_bridge_of_a_queue_that_the_file_does_not_declare_is_a_link_of_the_queue_that_a_send_creates() -> None:
    topology = artemis(BRIDGE)
    path = route_path(topology, {}, "orders", routing_type="ANYCAST")
    assert [str(step) for step in path.steps] == ["orders: moved by the bridge b → another broker"]
    assert not route_path(topology, {}, "other", routing_type="ANYCAST").steps
    shown = addresses_of(topology)
    assert [(one.name, one.declared) for one in shown.queues] == [("orders", False)]
    assert "moved by the bridge b" in listing(shown)


@pytest.mark.parametrize(
    ("inner", "shown"),
    [
        ("<sender address-match='eu.#'/>", {"eu.new": "moved by the connection far"}),
        ("<mirror/>", dict.fromkeys(("eu.new", "new"), "mirrored by the connection far")),
        (
            "<mirror address-filter='eu'/>",
            dict.fromkeys(("eu.new", "new"), "mirrored by the connection far, if it includes the queue"),
        ),
        (
            policy("bridge", "bridge-to-queue", EU_QUEUES),
            dict.fromkeys(("eu.new", "new"), "moved by the connection far, if it includes the queue"),
        ),
        ("<receiver address-match='#'/>", {}),
    ],
)
def test_an_amqp_connection_acts_on_queues_that_only_sends_create(inner: str, shown: dict[str, str]) -> None:
    # AMQPBrokerConnection.afterCreateQueue: the broker opens the connection for each queue that is created later.
    topology = artemis(connected(inner), state={"queues": []})
    paths = {name: route_path(topology, {}, name, routing_type="ANYCAST").steps for name in ("eu.new", "new")}
    assert {name: step.link.when for name, steps in paths.items() for step in steps} == shown


def test_each_of_several_connections_acts_on_a_queue_that_a_send_creates() -> None:
    topology = artemis(BRIDGE + connected("<sender address-match='#'/>"), state={"queues": []})
    steps = route_path(topology, {}, "orders", routing_type="ANYCAST").steps
    assert {step.link.when for step in steps} == {"moved by the bridge b", "moved by the connection far"}
    first, second = (network(included("excluded", name)).replace("'n'", f"'{name}'") for name in ("a", "b"))
    both = activemq(first.replace("</networkConnectors>", "") + second.replace("<networkConnectors>", ""))
    for name, others in (("a", ["b"]), ("b", ["a"]), ("c", ["a", "b"])):
        steps = [step for step in route_path(both, {}, f"queue://{name}").steps if step.queue == f"queue://{name}"]
        assert [step.link.when.split()[5] for step in steps if step.link.kind == "network"] == others


def wildfly(bridge: str) -> Topology:
    server = (
        "<server name='default'><jms-queue name='orders' entries='queue/orders java:/jms/orders'/>"
        "<jms-queue name='copy' entries='java:jboss/exported/jms/copy'/><jms-topic name='news' entries='topic/news'/>"
        "<bridge name='core' queue-name='jms.queue.copy' forwarding-address='far'/></server>"
    )
    text = (
        f"<server><profile><subsystem>{server}<jms-bridge name='b'>{bridge}</jms-bridge></subsystem></profile></server>"
    )
    return parse_topology(text, "standalone.xml")


def ends(source: str, target: str, context: str = "") -> str:
    elsewhere = "<{}-context><property name='java.naming.provider.url' value='far'/></{}-context>"
    source_, target_ = (elsewhere.format(end, end) if end == context else "" for end in ("source", "target"))
    return (
        f"<source connection-factory='c' destination='{source}'>{source_}</source>"
        f"<target connection-factory='c' destination='{target}'>{target_}</target>"
    )


@pytest.mark.parametrize(
    ("bridge", "link"),
    [
        (ends("queue/orders", "jms/copy"), ("jms.queue.orders", "jms.queue.copy")),
        (ends("java:/jms/orders", "topic/news"), ("jms.queue.orders", "jms.topic.news")),
        (ends("/queue/orders", "queue/far", "target"), ("jms.queue.orders", None)),
        (ends("queue/far", "queue/orders", "source"), (None, "jms.queue.orders")),
        (ends("queue/far", "topic/news", "source"), (None, "jms.topic.news")),
        (ends("topic/news", "jms/copy"), ("JMS bridge b", "jms.queue.copy")),
        (ends("queue/far", "queue/farther"), None),
    ],
)
def test_a_jms_bridge_of_wildfly_is_a_link(bridge: str, link: tuple[str | None, str | None] | None) -> None:
    shown = addresses_of(wildfly(bridge))
    links = [(one.source, one.destination) for one in shown.links if "JMS bridge" in one.when]
    assert links == ([] if link is None else [link])
    assert [one.source for one in shown.links if one.when == "moved by the bridge core"] == ["jms.queue.copy"]
    assert shown.not_computed == ()


def test_the_path_of_a_message_leads_over_a_jms_bridge() -> None:
    path = route_path(wildfly(ends("queue/orders", "jms/copy")), {}, "jms.queue.orders", routing_type="ANYCAST")
    assert [str(step) for step in path.steps] == [
        "jms.queue.orders: moved by the JMS bridge b → address jms.queue.copy",
        "jms.queue.copy: moved by the bridge core → another broker",
    ]


def test_a_network_connector_is_a_link_of_each_queue_and_security_is_nothing_to_tell_of() -> None:
    topology = activemq(
        "<plugins><statisticsBrokerPlugin/><simpleAuthenticationPlugin/></plugins>"
        "<networkConnectors><networkConnector name='n' uri='static:(tcp://far)'/></networkConnectors>"
        "<destinations><queue physicalName='q'/></destinations>"
    )
    assert topology.findings == ()
    for name in ("q", "other"):
        path = route_path(topology, {}, f"queue://{name}")
        assert "forwarded by the network connector n" in str(path)
    assert len(activemq("<plugins><redeliveryPlugin/></plugins>").not_computed) == 1


def network(inner: str, attributes: str = "") -> str:
    connector = f"<networkConnector name='n' uri='static:(tcp://far)' {attributes}>{inner}</networkConnector>"
    return f"<networkConnectors>{connector}</networkConnectors>"


def included(kind: str, *names: str, of: str = "queue") -> str:
    inner = "".join(f"<{of} physicalName='{name}'/>" for name in names)
    return f"<{kind}Destinations>{inner}</{kind}Destinations>"


ON_DEMAND = "forwarded by the network connector n to a consumer of another broker"


@pytest.mark.parametrize(
    ("inner", "forwarded"),
    [
        ("", {"a.b": ON_DEMAND, "c": ON_DEMAND, "new": ON_DEMAND}),
        (included("excluded", "a.&gt;", "new"), {"c": ON_DEMAND}),
        (included("dynamicallyIncluded", "a.&gt;"), {"a.b": ON_DEMAND}),
        (included("dynamicallyIncluded", "new", "c"), {"c": ON_DEMAND, "new": ON_DEMAND}),
        (
            included("staticallyIncluded", "c") + included("dynamicallyIncluded", "none"),
            {"c": "forwarded by the network connector n"},
        ),
        (
            included("excluded", "c") + included("staticallyIncluded", "c", "new"),
            {"a.b": ON_DEMAND, "new": "forwarded by the network connector n"},
        ),
        (included("excluded", "c", of="topic"), dict.fromkeys(("a.b", "c", "new"), ON_DEMAND)),
        # DestinationFilter.parseFilter: a name with commas is a list.
        (included("excluded", "c,new"), {"a.b": ON_DEMAND}),
    ],
)
def test_a_network_connector_forwards_the_queues_that_its_lists_allow(inner: str, forwarded: dict[str, str]) -> None:
    # DemandForwardingBridgeSupport.isPermissableDestination; only the file's queues are declared, a send creates "new".
    declared = "<destinations><queue physicalName='a.b'/><queue physicalName='c'/></destinations>"
    topology = activemq(network(inner) + declared)
    paths = {name: route_path(topology, {}, f"queue://{name}").steps for name in ("a.b", "c", "new")}
    found = [
        (name, step.link.when)
        for name, steps in paths.items()
        for step in steps
        if (step.queue, step.link.kind) == (f"queue://{name}", "network")
    ]
    assert found == [*forwarded.items()]


ASKED = "network connector n if another broker has a consumer of the topic"
CONNECTED = "network connector n while it is connected"


@pytest.mark.parametrize(
    ("inner", "attributes", "reasons"),
    [
        ("", "", {"a.b": ASKED, "c": ASKED, "new": ASKED}),
        (included("excluded", "a.&gt;", "new", of="topic"), "", {"c": ASKED}),
        (included("excluded", "&gt;", of="topic"), "", {}),
        (included("excluded", "&gt;", of="queue"), "", {"a.b": ASKED, "c": ASKED, "new": ASKED}),
        (included("dynamicallyIncluded", "a.*", of="topic"), "", {"a.b": ASKED}),
        (included("dynamicallyIncluded", "a.*"), "", {}),
        (included("staticallyIncluded", "c", of="topic"), "", {"a.b": ASKED, "c": CONNECTED, "new": ASKED}),
        (included("staticallyIncluded", "c", of="topic") + included("dynamicallyIncluded", "x"), "", {"c": CONNECTED}),
        (
            included("excluded", "c", of="topic") + included("staticallyIncluded", "c", "new", of="topic"),
            "",
            {"a.b": ASKED, "new": CONNECTED},
        ),
        # DemandForwardingBridgeSupport.startRemoteBridge: a static bridge does not ask for consumers.
        (included("staticallyIncluded", "c", of="topic"), "staticBridge='true'", {"c": CONNECTED}),
        # The number of the connector's subscriptions, and their durability, do not change the set of possible queues.
        ("", "conduitSubscriptions='false' dynamicOnly='true'", {"a.b": ASKED, "c": ASKED, "new": ASKED}),
    ],
)
def test_a_network_connector_may_copy_the_topics_that_its_lists_allow(
    inner: str, attributes: str, reasons: dict[str, str]
) -> None:
    # DemandForwardingBridgeSupport.isPermissableDestination, setupStaticDestinations of apache/activemq: the connector
    # has a subscription, so the local subscribers get every message.
    declared = "<destinations><topic physicalName='a.b'/><topic physicalName='c'/></destinations>"
    local = {"subscriptions": [{"name": "local", "destination": "topic://c"}]}
    topology = activemq(network(inner, attributes) + declared, state=local)
    assert topology.findings == ()
    found = {name: publish(topology, {}, f"topic://{name}") for name in ("a.b", "c", "new")}
    assert {name: one.reasons for name, one in found.items() if one.reasons} == {
        name: (reason,) for name, reason in reasons.items()
    }
    for name, one in found.items():
        assert one.queues == (("local",) if name == "c" else ())
        assert one.possible_queues == (("network connector n",) if name in reasons else ())
        assert one.outcome == ("delivered" if name == "c" else "undecided" if name in reasons else "discarded")
        steps = [str(step) for step in route_path(topology, {}, f"topic://{name}").steps if "copied" in str(step)]
        assert steps == ["network connector n: copied by the network connector n → another broker"] * (name in reasons)
        assert one.to_dict().get("reasons", []) == list(one.reasons)
    assert ("network connector n" in topology.queue_names) == bool(reasons)


def test_the_topics_of_a_network_connector_are_displayed_with_its_exceptions() -> None:
    declared = "<destinations><topic physicalName='prices'/><topic physicalName='secret'/></destinations>"
    shown = addresses_of(activemq(network(included("excluded", "secret", of="topic")) + declared))
    assert "perhaps, except topic://secret → network connector n" in listing(shown)
    assert "copied by the network connector n → another broker" in listing(shown)
    assert "network connector n" in draw(shown, "dot")
    assert not report(shown).findings
    assert shown.not_computed == ()


@pytest.mark.parametrize(
    ("inner", "brought"),
    [
        ("", ["queue://c", "topic://prices"]),
        (included("excluded", "prices", of="topic"), ["queue://c"]),
        (included("excluded", "&gt;"), ["topic://prices"]),
        (included("dynamicallyIncluded", "other.&gt;"), ["queue://other.>"]),
    ],
)
def test_a_duplex_connector_brings_messages_of_the_destinations_that_its_lists_allow(
    inner: str, brought: list[str]
) -> None:
    # DemandForwardingBridgeSupport.serviceRemoteCommand: isDuplex, isPermissableDestination.
    declared = "<destinations><queue physicalName='c'/><topic physicalName='prices'/></destinations>"
    shown = addresses_of(activemq(network(inner, "duplex='true'") + declared))
    when = "brought by the network connector n to a consumer of this broker"
    assert sorted(link.destination or "" for link in shown.links if link.when == when) == brought
    assert listing(shown).count(when) == len(brought)
    assert not any(link.source is None for link in addresses_of(activemq(network(inner) + declared)).links)


@pytest.mark.parametrize(
    ("connectors", "attributes", "named"),
    [
        ("<ldapNetworkConnector uri='ldap://x'/>", "", "<ldapNetworkConnector>"),
        ("<networkConnector uri='static:(tcp://far)' destinationFilter='Queue.a'/>", "", "destinationFilter"),
        ("<networkConnector uri='static:(tcp://far)'><bridgeFactory/></networkConnector>", "", "bridgeFactory"),
        ("", "networkConnectorURIs='static:(tcp://far)'", "networkConnectorURIs"),
    ],
)
def test_what_a_network_connector_does_besides_its_lists_is_not_computed(
    connectors: str, attributes: str, named: str
) -> None:
    text = f"<broker {attributes}><networkConnectors>{connectors}</networkConnectors></broker>"
    [message] = parse_topology(text, "activemq.xml").not_computed
    assert named in message


def test_a_network_connector_without_a_declared_queue_is_displayed_with_the_queues_that_sends_create() -> None:
    shown = addresses_of(activemq(network("")))
    assert [(one.name, one.declared) for one in shown.queues] == [("network connector n", False), ("queue://>", False)]
    assert ON_DEMAND in listing(shown)
    assert "another broker" in draw(shown, "dot")
    assert not report(shown).findings
    shown = addresses_of(activemq(network("") + "<destinations><queue physicalName='c'/></destinations>"))
    assert "queue://>" not in [one.name for one in shown.queues]


def test_the_label_of_a_link_is_wrapped_in_pictures() -> None:
    policy = "<queue-policy name='p'/>"
    drawn = draw(addresses_of(artemis(federated(policy, stream="downstream") + EVENTS)), "mermaid")
    [line] = [one for one in drawn.splitlines() if "downstream hub" in one]
    lines = line.split('"')[1].split("<br/>")
    assert len(lines) > 1
    assert max(map(len, lines)) <= 48


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


def settings(inner: str) -> str:
    return f"<address-settings><address-setting match='#'>{inner}</address-setting></address-settings>"


@pytest.mark.parametrize(
    ("core", "refused"),
    [
        (settings("<address-full-policy>PAUSE</address-full-policy>"), True),
        (settings("<address-full-policy>PAGE</address-full-policy>"), False),
        # The schema compares enumerations with all their white space.
        (settings("<address-full-policy> PAGE </address-full-policy>"), True),
        (settings("<max-size-bytes>10MB</max-size-bytes>"), False),
        (settings("<max-size-bytes>-1</max-size-bytes>"), False),
        (settings("<max-size-bytes>10 mib</max-size-bytes>"), False),
        (settings("<max-size-bytes>10T</max-size-bytes>"), True),
        (settings("<max-size-bytes>ten</max-size-bytes>"), True),
        (settings("<max-delivery-attempts>ten</max-delivery-attempts>"), True),
        (settings("<max-delivery-attempts>-1</max-delivery-attempts>"), False),
        (settings("<max-delivery-attempts>2147483648</max-delivery-attempts>"), True),
        (settings("<redelivery-delay>2147483648</redelivery-delay>"), False),
        (settings("<redelivery-delay-multiplier>1.5</redelivery-delay-multiplier>"), False),
        (settings("<redelivery-delay-multiplier>1,5</redelivery-delay-multiplier>"), True),
        (settings("<auto-create-queues>yes</auto-create-queues>"), True),
        (settings("<auto-create-queues>1</auto-create-queues>"), False),
        (settings("<auto-create-queues>${create}</auto-create-queues>"), False),
        (settings("<config-delete-queues>ON</config-delete-queues>"), True),
        (cluster("<message-load-balancing>ON_DEMAND</message-load-balancing>"), False),
        (cluster("<message-load-balancing>ON DEMAND</message-load-balancing>"), True),
        (cluster("<message-load-balancing-type>STRICT</message-load-balancing-type>"), True),
        ("<addresses>" + queue("q", "exclusive='true'") + "</addresses>", False),
        ("<addresses>" + queue("q", "exclusive='no'") + "</addresses>", True),
        (federated("<address-policy name='p' enable-divert-bindings='maybe'/>"), True),
        (federated("<address-policy name='p'><included address-match='a'/></address-policy>"), True),
    ],
)
def test_values_and_names_that_the_schema_of_artemis_does_not_allow_make_the_broker_refuse_the_file(
    core: str, refused: bool
) -> None:
    # artemis-configuration.xsd; ByteUtil.convertTextBytes for sizes.
    found = report(addresses_of(artemis(core, properties={"create": "true"})))
    assert found.has("error") == refused
    assert ("the broker would refuse this file" in str(found)) == refused


def test_every_checked_name_of_artemis_is_listed_once_and_its_values_are_those_of_a_known_element() -> None:
    known = set().union(*((*one.elements, *one.attributes) for one in artemis_schema._KNOWN.values()))
    assert artemis_schema._VALUES.keys() <= known
    for names in artemis_schema._KNOWN.values():
        for listed in names:
            assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("inner", "attributes", "named"),
    [
        ("<destination/>", "", "destinations"),
        ("", "useJmxx='false'", "useJmx"),
        (
            "<networkConnectors><networkConnector uri='static:(tcp://far)' dublex='true'/></networkConnectors>",
            "",
            "duplex",
        ),
        (policies("<policyEntry queue='a' memorylimit='1mb'/>"), "", "memoryLimit"),
        (policies("<policyEntry queue='a'><deadLetterStrategi/></policyEntry>"), "", "deadLetterStrategy"),
        (
            policies(
                "<policyEntry queue='a'><deadLetterStrategy><individualDeadLetterStrategy queuePrefx='D.'/>"
                "</deadLetterStrategy></policyEntry>"
            ),
            "",
            "queuePrefix",
        ),
    ],
)
def test_a_property_that_the_classes_of_activemq_do_not_have_makes_the_broker_refuse_the_file(
    inner: str, attributes: str, named: str
) -> None:
    # The setters of BrokerService, PolicyEntry, DiscoveryNetworkConnector and IndividualDeadLetterStrategy, 5.0 to 6.3.
    text = f"<beans xmlns:x='urn:x' x:y='1'><broker id='b' {attributes}>{inner}</broker></beans>"
    topology = parse_topology(text, "activemq.xml")
    [found] = [one for one in topology.findings if one.code == "import.unknown"]
    assert (found.severity, found.hint) == ("error", f"perhaps write {named}")
    assert "the broker would refuse this file" in str(report(addresses_of(topology)))


def test_the_usual_properties_of_activemq_are_taken_in_silence() -> None:
    entry = "<policyEntry topic='&gt;' producerFlowControl='true' memoryLimit='1mb'><dispatchPolicy/></policyEntry>"
    inner = f"{policies(entry)}<systemUsage/><persistenceAdapter><kahaDB/></persistenceAdapter><transportConnectors/>"
    assert activemq(inner).findings == ()


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
        ("queue://A,topic://B", "the subscribers of topic://B are not known"),
        ("queue://in", "the subscribers of topic://B are not known"),
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
