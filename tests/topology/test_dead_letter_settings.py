"""The settings of each broker that make a queue drop or move a message: the table of docs/topologies.md, row by row."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.topology.test_jms_brokers import activemq, artemis
from transpiler.topology import parse_topology, topology_from_dict, topology_to_dict
from transpiler.topology.model import Topology

PAGE = Path(__file__).parents[2] / "docs" / "topologies.md"


def rabbitmq(**arguments: Any) -> Topology:
    kind, version = arguments.pop("kind", "classic"), arguments.pop("version", {"rabbitmq_version": "4.1.0"})
    given = {f"x-{name.replace('_', '-')}": value for name, value in arguments.items()} | {"x-queue-type": kind}
    queues: list[dict[str, Any]] = [
        {"name": name, "vhost": "/", "durable": True, "auto_delete": False} for name in ("q", "dead")
    ]
    queues[0]["arguments"] = given
    exchange = {"name": "dlx", "vhost": "/", "type": "fanout", "durable": True, "auto_delete": False}
    exported = version | {"vhosts": [{"name": "/"}], "exchanges": [exchange], "bindings": []}
    return parse_topology(json.dumps(exported | {"queues": queues}), "d.json")


def broker_j(**attributes: Any) -> Topology:
    queue = {"name": "q", "type": "standard", "alternateBinding": {"destination": "dead"}} | attributes
    host = {"modelVersion": "9.0", "name": "h", "queues": [queue, {"name": "dead", "type": "standard"}]}
    return parse_topology(json.dumps(host), "b.json")


def of_address(**settings: Any) -> Topology:
    inner = "".join(f"<{name.replace('_', '-')}>{value}</{name.replace('_', '-')}>" for name, value in settings.items())
    queue = "<address name='q'><anycast><queue name='q'/></anycast></address>"
    setting = f"<address-settings><address-setting match='q'>{inner}</address-setting></address-settings>"
    return artemis(f"{setting}<addresses>{queue}</addresses>")


def of_policy(strategy: str) -> Topology:
    inner = f"<policyEntry queue='q'><deadLetterStrategy>{strategy}</deadLetterStrategy></policyEntry>"
    policies = f"<destinationPolicy><policyMap><policyEntries>{inner}</policyEntries></policyMap></destinationPolicy>"
    return activemq(QUEUE + policies)


QUEUE = "<destinations><queue physicalName='q'/></destinations>"
DLX = {"dead_letter_exchange": "dlx"}
LEFT = "left behind when the queue is deleted"
EITHER, LONG = "rejected or expired", "rejected, expired or over the queue's length"
OFTEN = "rejected, expired or delivered too often"
PERHAPS_OFTEN = "rejected, expired or from RabbitMQ 4.0 on delivered too often"
ACTIVEMQ = "persistent, and delivered too often or expired"

#: A broker, words of its row's setting, a topology, and the links of its queue: the condition, and the target.
CASES: tuple[tuple[str, str, Topology, list[tuple[str, str | None]]], ...] = (
    ("RabbitMQ", "dead-letter-exchange", rabbitmq(**DLX), [(EITHER, "dlx")]),
    (
        "RabbitMQ",
        "max-length",
        rabbitmq(**DLX, max_length=5),
        [(LONG, "dlx")],
    ),
    (
        "RabbitMQ",
        "max-length",
        rabbitmq(**DLX, max_length=5, overflow="reject-publish"),
        [(EITHER, "dlx")],
    ),
    (
        "RabbitMQ",
        "delivery-limit",
        rabbitmq(**DLX, kind="quorum"),
        [(OFTEN, "dlx")],
    ),
    ("RabbitMQ", "delivery-limit", rabbitmq(**DLX, kind="quorum", delivery_limit=-1), [(EITHER, "dlx")]),
    ("RabbitMQ", "delivery-limit", rabbitmq(**DLX, delivery_limit=3), [(EITHER, "dlx")]),
    ("RabbitMQ", "from 4.0", rabbitmq(**DLX, kind="quorum", version={"rabbitmq_version": "3.13.7"}), [(EITHER, "dlx")]),
    (
        "RabbitMQ",
        "delivery-limit",
        rabbitmq(**DLX, kind="quorum", delivery_limit=3, version={"rabbitmq_version": "3.13.7"}),
        [(OFTEN, "dlx")],
    ),
    (
        "RabbitMQ",
        "from 4.0",
        rabbitmq(**DLX, kind="quorum", version={"product_name": "RabbitMQ", "product_version": "3.9.1"}),
        [(EITHER, "dlx")],
    ),
    ("RabbitMQ", "does not say its version", rabbitmq(**DLX, kind="quorum", version={}), [(PERHAPS_OFTEN, "dlx")]),
    (
        "RabbitMQ",
        "does not say its version",
        rabbitmq(**DLX, kind="quorum", version={"product_name": "Another product", "product_version": "1.4.0"}),
        [(PERHAPS_OFTEN, "dlx")],
    ),
    ("RabbitMQ", "a stream", rabbitmq(**DLX, kind="stream"), []),
    ("Broker-J", "alternateBinding", broker_j(), [(f"rejected, or {LEFT}", "dead")]),
    ("Broker-J", "alternateBinding", broker_j(maximumDeliveryAttempts=0), [(f"rejected, or {LEFT}", "dead")]),
    (
        "Broker-J",
        "maximumDeliveryAttempts",
        broker_j(maximumDeliveryAttempts=3),
        [(f"rejected, delivered 3 times, or {LEFT}", "dead")],
    ),
    (
        "Broker-J",
        "maximumDeliveryAttempts",
        broker_j(maximumDeliveryAttempts="${tries}"),
        [(f"rejected, delivered ${{tries}} times, or {LEFT}", "dead")],
    ),
    (
        "Broker-J",
        "expiryPolicy",
        broker_j(expiryPolicy="ROUTE_TO_ALTERNATE", maximumDeliveryAttempts="5"),
        [(f"rejected, delivered 5 times, expired, or {LEFT}", "dead")],
    ),
    ("Artemis", "dead-letter-address", of_address(dead_letter_address="D"), [("rejected or delivered 10 times", "D")]),
    (
        "Artemis",
        "max-delivery-attempts",
        of_address(dead_letter_address="D", max_delivery_attempts=3),
        [("rejected or delivered 3 times", "D")],
    ),
    (
        "Artemis",
        "max-delivery-attempts",
        of_address(dead_letter_address="D", max_delivery_attempts=-1),
        [("rejected", "D")],
    ),
    ("Artemis", "expiry-address", of_address(expiry_address="E"), [("expired", "E")]),
    (
        "Artemis",
        "auto-create-dead-letter-resources",
        of_address(dead_letter_address="D", auto_create_dead_letter_resources="true"),
        [("rejected or delivered 10 times", "D"), ("rejected or delivered 10 times", "DLQ.q")],
    ),
    ("ActiveMQ", "nothing", activemq(QUEUE), [(ACTIVEMQ, "ActiveMQ.DLQ")]),
    (
        "ActiveMQ",
        "sharedDeadLetterStrategy",
        of_policy("<individualDeadLetterStrategy queuePrefix='D.'/>"),
        [(ACTIVEMQ, "D.q")],
    ),
    (
        "ActiveMQ",
        "processExpired",
        of_policy("<sharedDeadLetterStrategy processExpired='false'/>"),
        [("persistent, and delivered too often", "ActiveMQ.DLQ")],
    ),
    (
        "ActiveMQ",
        "processNonPersistent",
        of_policy("<sharedDeadLetterStrategy processNonPersistent='true'/>"),
        [("delivered too often or expired", "ActiveMQ.DLQ")],
    ),
    (
        "ActiveMQ",
        "discardingDLQBrokerPlugin",
        activemq(f"{QUEUE}<plugins><discardingDLQBrokerPlugin dropAll='true'/></plugins>"),
        [],
    ),
)


@pytest.mark.parametrize(
    ("topology", "links"),
    [case[2:] for case in CASES],
    ids=[f"{case[0]} {case[1]} {n}" for n, case in enumerate(CASES)],
)
def test_a_setting_makes_a_dead_letter_as_the_table_says(topology: Topology, links: list[tuple[str, str]]) -> None:
    def target(destination: str | None, key: str | None) -> str:
        return (destination or "") if topology.rules.addressing.has_exchanges or key is None else key

    found = [
        (link.when, target(link.destination, link.key).removeprefix("queue://"))
        for link in topology.onward
        if (link.source or "").removeprefix("queue://") == "q"
    ]
    assert found == links
    again = topology_from_dict(json.loads(json.dumps(topology_to_dict(topology))))
    assert [link.when for link in again.onward] == [link.when for link in topology.onward]


def test_every_row_of_the_table_has_a_case() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("### Settings that make a dead letter")[2].partition("###")[0]
    rows = re.findall(r"^\| (RabbitMQ|Broker-J|Artemis|ActiveMQ) \| (.*?) \|", section, re.MULTILINE)
    for broker, setting in rows:
        assert any(case[0] == broker and case[1] in setting for case in CASES), (broker, setting)
