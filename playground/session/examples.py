"""The examples in the page's menus: selectors from real projects, each with an instructive message, and topologies.

The selectors come from public code and documentation (``tests/data/real_selectors.txt`` has more of them); the messages
and titles are ours.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class SelectorExample(NamedTuple):
    """An entry of the menu of selectors. ``note`` explains the example; ``layout`` is the layout of the shown SQL."""

    group: str
    title: str
    note: str
    selector: str
    message: dict[str, Any]
    dialect: str = "jms"
    layout: str = "schema"


class TopologyExample(NamedTuple):
    """An entry of the menu of topologies, with a message to publish and its exchange and routing key."""

    title: str
    note: str
    topology: dict[str, Any]
    exchange: str
    routing_key: str
    message: dict[str, Any]


SELECTORS = (
    SelectorExample(
        "First steps",
        "A blue car",
        "Change a value of the message, and see which part decides.",
        "JMSType = 'car' AND color = 'blue' AND weight > 2500",
        {"JMSType": "car", "color": "blue", "weight": 2200},
    ),
    SelectorExample(
        "First steps",
        "A number that is kept as text",
        "A text is never above a number, whatever it spells; ActiveMQ has a prefix that converts it.",
        "orderType = 'Premium' AND amount > 1000",
        {"orderType": "Premium", "amount": "2600"},
    ),
    SelectorExample(
        "First steps",
        "A property that is missing",
        "A comparison with a missing property is unknown, also <>. Qpid Broker-J disagrees.",
        "appId <> 'app-1'",
        {"appid": "app-2"},
    ),
    SelectorExample(
        "First steps",
        "One string with a comma",
        "Legal, and hardly what was meant: the linter offers the change.",
        "JMSType IN ('closed, saleUpdate')",
        {"JMSType": "closed"},
    ),
    SelectorExample(
        "First steps",
        "Wrong quotes",
        "As a word processor writes them; press the button below the selector.",
        "JMSType = ’car’ AND color = ’blue’",
        {"JMSType": "car", "color": "blue"},
    ),
    SelectorExample(
        "In use",
        "NordicWay: warnings in four tiles of the map",
        "Traffic messages by quadtree tile: the message lists its tiles between commas.",
        "messageType = 'DENM' AND (quadTree LIKE '%,12002031%' OR quadTree LIKE '%,1200201%' "
        "OR quadTree LIKE '%,10223310%' OR quadTree LIKE '%,12001022%')",
        {"messageType": "DENM", "originatingCountry": "NO", "quadTree": ",120020123,120020132,"},
        "qpid-java",
    ),
    SelectorExample(
        "In use",
        "RocketMQ: tags, and a number in a range",
        "IS NOT NULL is implied by IN and by BETWEEN, which the linter says.",
        "(TAGS is not null and TAGS in ('TagA', 'TagB')) and (a is not null and a between 0 AND 3)",
        {"TAGS": "TagB", "a": 5},
    ),
    SelectorExample(
        "In use",
        "Candlepin: events of compliance",
        "Twelve conditions; the sentence names those that decide.",
        "(EVENT_TARGET='COMPLIANCE' and EVENT_TYPE='CREATED') OR (EVENT_TARGET='SYSTEM_PURPOSE_COMPLIANCE' "
        "and EVENT_TYPE='CREATED') OR (EVENT_TARGET='POOL' and EVENT_TYPE='CREATED')",
        {"EVENT_TARGET": "POOL", "EVENT_TYPE": "DELETED"},
    ),
    SelectorExample(
        "In use",
        "An hour of messages, by time stamp",
        "The SQL compares timestamps, so that files are skipped.",
        "JMSTimestamp >= 1717000000000 AND JMSTimestamp < 1717086400000",
        {"JMSTimestamp": "2024-05-30T12:00:00Z"},
    ),
    SelectorExample(
        "In use",
        "A condition that is never true",
        "AND where OR was meant.",
        "Sender <> 1 AND Type = 'PING' AND Type = 'ELECTION'",
        {"Sender": 2, "Type": "PING"},
    ),
    SelectorExample(
        "Brokers",
        "ActiveMQ: a look into the body",
        "XPATH reads an XML body; the message is message JSON, with its sections.",
        "XPATH '//order[@total=''99'']'",
        {"body": {"section": "amqp-value", "value": '<order total="99"/>'}},
        "activemq",
        "amqp",
    ),
    SelectorExample(
        "Brokers",
        "ActiveMQ: a regular expression",
        "A function of ActiveMQ Classic alone.",
        "REGEX('^[1-8]*$', SessionserverId)",
        {"SessionserverId": "1870"},
        "activemq",
    ),
    SelectorExample(
        "Brokers",
        "ActiveMQ: strings that are converted",
        "The text 2600 counts as a number behind the prefix. Port it to JMS to see what gets lost.",
        "convert_string_expressions:weight > 2500",
        {"weight": "2600"},
        "activemq",
    ),
    SelectorExample(
        "Brokers",
        "Artemis: a core filter",
        "AMQPriority is the priority in Artemis, and a property that nobody has elsewhere.",
        "AMQPriority = 3 AND animal = 'aardvark'",
        {"JMSPriority": 3, "animal": "aardvark"},
        "artemis-core",
    ),
    SelectorExample(
        "Brokers",
        "RabbitMQ: an SQL filter of a stream",
        "AMQP's own names and !=, which JMS does not have.",
        "properties.subject LIKE 'order%' AND header.priority > 4 AND region != 'us'",
        {"JMSType": "order.placed", "JMSPriority": 7, "region": "eu"},
        "rabbitmq",
        "amqp",
    ),
    SelectorExample(
        "Brokers",
        "Division: 123 / 2",
        "A whole number or a fraction: the brokers disagree.",
        "rank / version = 61.5",
        {"rank": 123, "version": 2},
    ),
)

TOPOLOGIES = (
    TopologyExample(
        "RabbitMQ: orders by region, type and priority",
        "definitions.json with a topic exchange, a headers exchange behind it, and an alternate for what nobody takes.",
        {
            "rabbit_version": "3.13.7",
            "vhosts": [{"name": "/"}],
            "exchanges": [
                {
                    "name": "orders",
                    "vhost": "/",
                    "type": "topic",
                    "durable": True,
                    "auto_delete": False,
                    "internal": False,
                    "arguments": {"alternate-exchange": "unrouted"},
                },
                {"name": "by-type", "vhost": "/", "type": "headers", "durable": True, "arguments": {}},
                {"name": "unrouted", "vhost": "/", "type": "fanout", "durable": True, "arguments": {}},
            ],
            "queues": [
                {"name": name, "vhost": "/", "durable": True, "arguments": {}}
                for name in ("billing", "shipping-eu", "fragile", "fraud-check", "lost-and-found")
            ],
            "bindings": [
                {
                    "source": source,
                    "vhost": "/",
                    "destination": destination,
                    "destination_type": kind,
                    "routing_key": key,
                    "arguments": arguments,
                }
                for source, destination, kind, key, arguments in (
                    ("orders", "billing", "queue", "order.#", {}),
                    ("orders", "shipping-eu", "queue", "order.*.eu", {}),
                    ("orders", "by-type", "exchange", "order.#", {}),
                    ("by-type", "fragile", "queue", "", {"x-match": "all", "fragile": True}),
                    ("by-type", "fraud-check", "queue", "", {"x-match": "any", "amount": "high", "new": True}),
                    ("unrouted", "lost-and-found", "queue", "", {}),
                )
            ],
        },
        "orders",
        "order.placed.eu",
        {"fragile": True, "amount": "low"},
    ),
    TopologyExample(
        "Qpid Broker-J: subscriptions with selectors",
        "A traffic interchange in this project's own format: each subscription is a binding with a JMS selector.",
        {
            "broker": "qpid-java",
            "queues": ["oslo", "bergen", "hazards", "dead"],
            "exchanges": [{"name": "outgoing", "type": "headers", "alternate": {"queue": "dead"}}],
            "bindings": [
                {"source": "outgoing", "queue": queue, "key": queue, "arguments": {"x-filter-jms-selector": selector}}
                for queue, selector in (
                    ("oslo", "quadTree LIKE '%,12003%'"),
                    ("bergen", "quadTree LIKE '%,12002%' AND messageType IN ('DENM', 'IVIM')"),
                    ("hazards", "messageType = 'DENM' AND causeCode >= 90"),
                )
            ],
        },
        "outgoing",
        "",
        {"messageType": "DENM", "quadTree": ",120020123,", "causeCode": 12},
    ),
    TopologyExample(
        "RabbitMQ: work that is shared out",
        "A consistent hash picks one of three queues for each key: the picture shows all that may get the message.",
        {
            "broker": "rabbitmq",
            "queues": ["worker-1", "worker-2", "worker-3", "audit"],
            "exchanges": [{"name": "jobs", "type": "fanout"}, {"name": "share", "type": "x-consistent-hash"}],
            "bindings": [
                {"source": "jobs", "queue": "audit"},
                {"source": "jobs", "exchange": "share"},
                {"source": "share", "queue": "worker-1", "key": "1"},
                {"source": "share", "queue": "worker-2", "key": "1"},
                {"source": "share", "queue": "worker-3", "key": "2"},
            ],
        },
        "jobs",
        "customer-4711",
        {},
    ),
)


def examples() -> dict[str, Any]:
    """Return the entries of both menus. Messages and topologies are JSON text, as in the page's input fields."""
    return {
        "selectors": [{**one._asdict(), "message": _text(one.message)} for one in SELECTORS],
        "topologies": [
            {**one._asdict(), "message": _text(one.message), "topology": _text(one.topology)} for one in TOPOLOGIES
        ],
    }


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
