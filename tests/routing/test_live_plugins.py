"""RabbitMQ's exchange plugins in a private broker: its export is imported, and routes as the broker does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.routing import rabbitmq
from tests.topology.compiled_selectors import compiled
from transpiler import Message, parse_selector
from transpiler.reference.route import publish
from transpiler.topology.importers.rabbitmq import topology_from_definitions
from transpiler.topology.model import Topology
from transpiler.topology.records import Queue

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(rabbitmq.MISSING is not None, reason=rabbitmq.MISSING or ""),
]

PLUGINS = (
    "rabbitmq_consistent_hash_exchange",
    "rabbitmq_jms_topic_exchange",
    "rabbitmq_random_exchange",
    "rabbitmq_recent_history_exchange",
    "rabbitmq_sharding",
)

#: Selectors, each of which binds its own queue under a key that no message has.
SELECTORS = (
    "color = 'red'",
    "color <> 'red' OR n < 3",
    "color LIKE 'b%' AND NOT color LIKE '_l!%' ESCAPE '!'",
    "color IN ('red', 'it''s', '\"\\')",
    "n BETWEEN 2 AND 5 AND n NOT BETWEEN 3 AND 3",
    "n - 5 - 2 = 1 OR n / 2 = 1.5 OR n * 1.0E10 > 5E10",
    "n IS NULL OR color IS NOT NULL",
    "NOT flag",
    "flag = TRUE AND (n > -5 OR color = 'é')",
    "TRUE",
)
MESSAGES: tuple[dict[str, Any], ...] = (
    {},
    {"color": "red"},
    {"color": "blue", "n": 2},
    {"color": "bl%", "n": 3, "flag": True},
    {"color": "it's", "flag": False},
    {"color": '"\\'},
    {"color": "é", "n": 6, "flag": True},
    {"n": 4},
    {"n": 8, "flag": True},
)

CHOOSING = ("x-consistent-hash", "x-modulus-hash", "x-random")


class Node(NamedTuple):
    """A channel to the broker, and the folder that the broker runs in."""

    channel: BlockingChannel
    folder: Path


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    folder = tmp_path_factory.mktemp("rabbitmq")
    with rabbitmq.running(folder, PLUGINS) as channel:
        yield Node(channel, folder)


def exported(node: Node) -> Topology:
    return topology_from_definitions(json.loads(rabbitmq.control(node.folder, "export_definitions", "-")))


def sent(node: Node, messages: list[tuple[Message, str, str]], queues: tuple[str, ...]) -> list[list[str]]:
    """Publish each message to its exchange with its key, and return the queues that it reaches."""
    live = rabbitmq.Live(node.channel, Topology(exported(node).rules, (), tuple(map(Queue, queues))))
    for number, (message, exchange, key) in enumerate(messages):
        live.publish(number, message, exchange, [key], "CC")
    return rabbitmq.gathered(len(messages), live.received())


def test_a_jms_topic_exchange_routes_by_its_selectors_alone(node: Node) -> None:
    queues = tuple(f"jms{number}" for number in range(len(SELECTORS)))
    node.channel.exchange_declare("jms", "x-jms-topic", arguments={"rjms_version": "2.8.0"})
    node.channel.exchange_bind("jms", "amq.topic", "a.*")
    for number, (queue, selector) in enumerate(zip(queues, SELECTORS, strict=True)):
        node.channel.queue_declare(queue)
        tree = parse_selector(selector, "rabbitmq-jms")
        assert tree is not None
        arguments = {"rjms_erlang_selector": compiled(tree), "rjms_version": "2.8.0"}
        node.channel.queue_bind(queue, "jms", f"key{number}", arguments)
    exchanges_and_keys = [("jms", "a.b"), ("jms", "key1"), ("amq.topic", "a.b"), ("amq.topic", "b")]
    messages = [(Message.of(**headers), *target) for headers in MESSAGES for target in exchanges_and_keys]
    topology = exported(node)
    routed = [list(publish(topology, message, exchange, [key]).queues) for message, exchange, key in messages]
    assert sent(node, messages, queues) == routed
    assert any(routed)
    assert not [finding for finding in topology.findings if "jms" in finding.message]


def test_an_exchange_that_chooses_hands_each_message_to_one_of_the_possible_queues(node: Node) -> None:
    channel, queues = node.channel, ("c1", "c2", "c3", "unchosen")
    for queue in queues:
        channel.queue_declare(queue)
    channel.exchange_declare("unrouted", "fanout")
    channel.queue_bind("unchosen", "unrouted", "")
    for kind in CHOOSING:
        for name in ("some", "sole", "none"):
            channel.exchange_declare(f"{kind}.{name}", kind, arguments={"alternate-exchange": "unrouted"})
        channel.exchange_declare(f"{kind}.on", "fanout")
        channel.queue_bind("c3", f"{kind}.on", "")
        channel.exchange_bind(f"{kind}.on", f"{kind}.some", "1")
        for name, queue in (("some", "c1"), ("some", "c2"), ("sole", "c1")):
            channel.queue_bind(queue, f"{kind}.{name}", "10")
    messages = [
        (Message.of(number=number), f"{kind}.{name}", f"k{number}")
        for kind in CHOOSING
        for name in ("some", "sole", "none")
        for number in range(20)
    ]
    topology = exported(node)
    chosen: set[str] = set()
    for (message, exchange, key), found in zip(messages, sent(node, messages, queues), strict=True):
        routed = publish(topology, message, exchange, [key])
        assert set(routed.queues) <= set(found) <= {*routed.queues, *routed.possible_queues}
        assert len(found) == 1
        chosen.update(found if routed.possible_queues else ())
        if not exchange.endswith("some"):
            assert routed.possible_queues == ()
    assert chosen == {"c1", "c2", "c3"}
    assert {finding.code for finding in topology.findings} == {"import.choice"}


def test_policies_give_alternates_as_the_broker_gives_them(node: Node) -> None:
    channel, queues = node.channel, ("low", "high", "own")
    for queue in queues:
        channel.queue_declare(queue)
        channel.exchange_declare(f"to.{queue}", "fanout")
        channel.queue_bind(queue, f"to.{queue}", "")
    for name, alternate in (("p.plain", None), ("p.high", None), ("p.own", "to.own"), ("p.none", None)):
        arguments = {} if alternate is None else {"alternate-exchange": alternate}
        channel.exchange_declare(name, "direct", durable=True, arguments=arguments)

    def set_policy(name: str, pattern: str, definition: dict[str, Any], priority: int, applied: str) -> None:
        options = ["--priority", str(priority), "--apply-to", applied]
        rabbitmq.control(node.folder, "set_policy", *options, name, pattern, json.dumps(definition))

    set_policy("low", r"^(p\.|amq\.direct)", {"alternate-exchange": "to.low"}, 0, "all")
    set_policy("high", r"^p\.high", {"alternate-exchange": "to.high"}, 5, "exchanges")
    set_policy("none", r"^p\.none", {"max-length": 5}, 5, "all")
    set_policy("queues", r"^p\.", {"max-length": 5}, 9, "queues")
    operator = json.dumps({"max-length": 5})
    rabbitmq.control(node.folder, "set_operator_policy", "--apply-to", "queues", "op", "^p", operator)
    rabbitmq.control(node.folder, "set_vhost_limits", json.dumps({"max-queues": 1000}))
    names = ("p.plain", "p.high", "p.own", "p.none", "amq.direct")
    messages = [(Message(), name, "nowhere") for name in names]
    topology = exported(node)
    routed = [list(publish(topology, message, exchange, [key]).queues) for message, exchange, key in messages]
    assert sent(node, messages, queues) == routed == [["low"], ["high"], ["own"], [], ["low"]]
    assert {finding.code for finding in topology.findings} <= {"import.choice"}


def test_a_recent_history_exchange_routes_as_fanout(node: Node) -> None:
    node.channel.queue_declare("recent")
    node.channel.exchange_declare("history", "x-recent-history", arguments={"x-recent-history-length": 5})
    node.channel.queue_bind("recent", "history", "k")
    messages = [(Message(), "history", "other")]
    assert sent(node, messages, ("recent",)) == [list(publish(exported(node), *messages[0][:2], ["other"]).queues)]
