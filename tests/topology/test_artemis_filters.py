"""Filters of an Artemis broker itself, beside the selectors of clients, which are rewritten to the broker's names."""

from __future__ import annotations

import json

import pytest

from tests.topology.test_jms_brokers import artemis
from transpiler import Message, evaluate
from transpiler.reference.route import publish
from transpiler.topology import parse_topology, topology_from_dict, topology_to_dict
from transpiler.topology.model import Topology

MESSAGE = Message.from_dict(
    {
        "header": {"priority": 9, "durable": True, "ttl": 5},
        "properties": {"subject": "x", "creation_time": 1_760_000_000_000, "group_id": "g", "correlation_id": "c"},
    }
)

#: A filter on a header field in the words of clients, and in those of the broker.
WORDS = (
    ("JMSPriority > 4", "AMQPriority > 4"),
    ("JMSDeliveryMode = 'PERSISTENT'", "AMQDurable = 'DURABLE'"),
    ("JMSTimestamp > 0", "AMQTimestamp > 0"),
    ("JMSExpiration > 0", "AMQExpiration > 0"),
    ("JMSXGroupID = 'g'", "AMQGroupID = 'g'"),
    ("JMSType = 'x'", None),
    ("JMSCorrelationID = 'c'", None),
)


def queues(topology: Topology, address: str = "o", message: Message = MESSAGE) -> tuple[str, ...]:
    routed = publish(topology, message, address)
    assert not routed.possible_queues
    return routed.queues


@pytest.mark.parametrize(("client", "own"), WORDS)
def test_the_broker_reads_its_own_names_only_and_clients_selectors_both(client: str, own: str | None) -> None:
    assert evaluate(client, MESSAGE, "artemis") is True
    assert evaluate(client, MESSAGE, "artemis-core") is None
    if own is not None:
        assert evaluate(own, MESSAGE, "artemis") is evaluate(own, MESSAGE, "artemis-core") is True


@pytest.mark.parametrize(("client", "own"), WORDS)
def test_a_filter_of_a_queue_or_divert_is_the_brokers_own(client: str, own: str | None) -> None:
    def filtered(text: str) -> tuple[str, ...]:
        text = text.replace(">", "&gt;")
        return queues(
            artemis(
                f'<diverts><divert name="d"><address>o</address><forwarding-address>f</forwarding-address>'
                f'<filter string="{text}"/></divert></diverts><addresses><address name="o"><multicast><queue name="q">'
                f'<filter string="{text}"/></queue></multicast></address><address name="f"><multicast>'
                '<queue name="f"/></multicast></address></addresses>'
            )
        )

    assert filtered(client) == ()
    assert own is None or filtered(own) == ("f", "q")


def test_a_property_of_the_name_of_a_header_field_is_what_the_broker_reads() -> None:
    topology = artemis(
        "<addresses><address name='o'><multicast><queue name='q'><filter string='JMSPriority = 4'/></queue>"
        "</multicast></address></addresses>"
    )
    message = Message.from_dict({"header": {"priority": 9}, "application_properties": {"JMSPriority": 4}})
    assert queues(topology, message=message) == ("q",)


def test_broker_properties_have_filters_of_the_broker() -> None:
    text = "addressConfigurations.o.queueConfigs.{0}.filterString={1}\n"
    listed = text.format("p", "JMSPriority > 4") + text.format("q", "AMQPriority > 4")
    assert queues(parse_topology(listed, "broker.properties")) == ("q",)


def test_wildfly_rewrites_the_selector_of_a_jms_queue_and_no_filter() -> None:
    topology = parse_topology(
        "<server xmlns='urn:jboss:domain:messaging-activemq:16.0'><server name='default'>"
        "<jms-queue name='a' entries='a' selector='JMSPriority > 4 AND JMSType IS NOT NULL'/>"
        "<queue name='b' address='jms.queue.a' routing-type='ANYCAST' filter='JMSPriority > 4'/>"
        "<divert name='d' address='jms.queue.a' forwarding-address='f' filter='JMSPriority > 4'/>"
        "<queue name='f' address='f'/></server></server>",
        "standalone.xml",
    )
    assert queues(topology, "jms.queue.a") == ("jms.queue.a",)
    assert topology_from_dict(json.loads(json.dumps(topology_to_dict(topology)))) == topology


STATE_QUEUE = {"name": "s", "destination": "o"}


@pytest.mark.parametrize(
    ("given", "reached"),
    [
        ({"selector": "JMSPriority > 4 AND JMSType = 'x'"}, ("s",)),
        ({"selector": "AMQPriority > 4"}, ("s",)),
        ({"filter": "AMQPriority > 4"}, ("s",)),
        ({"filter": "JMSPriority > 4"}, ()),
    ],
)
def test_a_state_has_selectors_of_clients_and_filters_of_the_broker(
    given: dict[str, str], reached: tuple[str, ...]
) -> None:
    assert queues(artemis("<addresses/>", state={"subscriptions": [STATE_QUEUE | given]})) == reached


#: Two queues of which the first one's consumer has a selector, and the other one none.
GROUP = (
    "<addresses><address name='o'><anycast><queue name='q1'><filter string=\"{}\"/></queue><queue name='q2'/>"
    "</anycast></address></addresses>"
)


@pytest.mark.parametrize(
    ("own", "client", "certain", "possible"),
    [
        ("AMQPriority > 4", "JMSType = 'x'", ("q1",), ()),
        ("color = 'DURABLE'", "JMSType = 'x'", ("q2",), ()),
        ("JMSPriority IS NULL", "n IS NULL", ("q1",), ()),
        ("JMSPriority IS NULL", "JMSPriority > 4", (), ("q1", "q2")),
    ],
)
def test_a_filter_and_the_selector_of_a_consumer_are_each_read_as_meant(
    own: str, client: str, certain: tuple[str, ...], possible: tuple[str, ...]
) -> None:
    state = {"consumers": [{"queue": "q1", "selector": client}]}
    routed = publish(artemis(GROUP.format(own.replace(">", "&gt;")), state=state), MESSAGE, "o", routing_type="ANYCAST")
    assert (routed.queues, routed.possible_queues) == (certain, possible)
