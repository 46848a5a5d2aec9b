"""Sentences about each queue and divert at an address of a JMS broker, with and without a message."""

from __future__ import annotations

import pytest

from transpiler.message.message import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.tools.explanation.routes import explain_route
from transpiler.topology import parse_topology


@pytest.mark.parametrize(
    ("selector", "routing_type", "expected"),
    [
        (
            "AMQSize &gt; 9",
            None,
            {
                "address vip": "divert big: AMQSize > 9",
                "vip": "any message",
                "q": "any message, unless the exclusive divert big takes it",
                "sub": "any message, unless the exclusive divert big takes it",
                "red": "color is 'blue', not 'red'",
            },
        ),
        (
            "AMQSize &gt; 9",
            "MULTICAST",
            {
                "address vip": "divert big: AMQSize > 9",
                "vip": "any message",
                "sub": "any message, unless the exclusive divert big takes it",
                "q": "its routing type is ANYCAST, and the message was sent as MULTICAST",
                "red": "color is 'blue', not 'red'",
            },
        ),
        (
            "AMQSize &gt; 9 OR color = 'blue'",
            None,
            {
                "address vip": "divert big: AMQSize > 9 OR color = 'blue'",
                "vip": "any message",
                "q": "the exclusive divert big took the message",
                "sub": "the exclusive divert big took the message",
                "red": "the exclusive divert big took the message",
            },
        ),
        (
            "AMQSize &gt; 9 AND color = 'red'",
            None,
            {
                "q": "any message",
                "sub": "any message",
                "address vip": "divert big: color is 'blue', not 'red'",
                "red": "color is 'blue', not 'red'",
            },
        ),
    ],
)
def test_each_queue_of_an_address_has_its_reason_where_an_exclusive_divert_is_open(
    selector: str, routing_type: str | None, expected: dict[str, str]
) -> None:
    inner = (
        "<diverts><divert name='big'><address>a</address><forwarding-address>vip</forwarding-address>"
        f'<filter string="{selector}"/><exclusive>true</exclusive></divert></diverts>'
        "<addresses><address name='a'><anycast><queue name='q'/></anycast><multicast><queue name='sub'/>"
        "<queue name='red'><filter string=\"color = 'red'\"/></queue></multicast></address>"
        "<address name='vip'><anycast><queue name='vip'/></anycast></address></addresses>"
    )
    topology = parse_topology(
        f"<configuration xmlns='urn:activemq'><core xmlns='urn:activemq:core'>{inner}</core></configuration>",
        "broker.xml",
    )
    message = Message(application_properties={"color": AmqpValue(AmqpType.STRING, "blue")})
    explained = explain_route(topology, message, "a", routing_type=routing_type)
    lines = [line.strip().partition("  ") for line in str(explained).splitlines() if line.startswith("    ")]
    assert {ends.rpartition("→ ")[2]: expected_text.strip() for ends, _, expected_text in lines} == expected


def test_a_queue_of_a_selector_aware_topic_without_a_consumer_has_its_reason() -> None:
    topic = "<virtualTopic name='VT.&gt;' prefix='C.*.' selectorAware='true'/>"
    inner = f"<virtualDestinationInterceptor><virtualDestinations>{topic}</virtualDestinations>"
    inner = f"<destinationInterceptors>{inner}</virtualDestinationInterceptor></destinationInterceptors>"
    queues = "".join(f"<queue physicalName='C.{name}.VT.a'/>" for name in "AB")
    text = f"<broker><destinations>{queues}</destinations>{inner}</broker>"
    state = {"subscriptions": [], "consumers": [{"queue": "C.A.VT.a", "selector": "n = 1"}]}
    topology = parse_topology(text, "activemq.xml", state=state)
    output = str(explain_route(topology, Message.of(n=2), "topic://VT.a"))
    assert "n is 2, not 1" in output
    assert "queue://C.B.VT.a  it has no consumer, and the virtual topic is selectorAware" in output
    assert "no consumer" not in str(explain_route(topology, Message.of(n=2), "topic://other"))


def test_a_condition_of_a_state_is_not_said_of_another_binding() -> None:
    state = {"subscriptions": [{"name": "s", "destination": "topic://t", "selector": "n = 4"}]}
    text = str(explain_route(parse_topology("<broker/>", "activemq.xml", state=state), Message(), "queue://q"))
    assert "any message" in text
    assert "n = 4" not in text


def test_nothing_takes_what_the_broker_refuses_or_fails() -> None:
    setting = "<dead-letter-address>d</dead-letter-address><send-to-dla-on-no-route>true</send-to-dla-on-no-route>"
    setting += "<auto-create-queues>false</auto-create-queues><auto-create-addresses>false</auto-create-addresses>"
    queues = "".join(f"<address name='{name}'><anycast><queue name='{name}'/></anycast></address>" for name in "ad")
    divert = "<divert name='D'><address>a</address><forwarding-address>a</forwarding-address></divert>"
    inner = f"<address-settings><address-setting match='#'>{setting}</address-setting></address-settings>"
    text = (
        f"<configuration><core>{inner}<addresses>{queues}</addresses><diverts>{divert}</diverts></core></configuration>"
    )
    topology = parse_topology(text, "broker.xml")
    refused = explain_route(topology, Message(), "nobody", routing_type="ANYCAST")
    assert (refused.routed.outcome, refused.took, refused.possible) == ("rejected", (), ())
    failed = explain_route(topology, Message(), "a", routing_type="ANYCAST")
    assert (failed.routed.outcome, failed.routed.possible_queues) == ("error", ("a",))
    assert [one.divert for one in failed.took] == ["D"]
    assert [one.end for one in failed.possible] == ["a"]
