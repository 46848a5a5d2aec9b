"""A message's path after its queues: dead letters, expiry, alternates and shovels, until a queue occurs again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from transpiler import Message, Topology, route_message, route_path
from transpiler.cli import main
from transpiler.tools.explanation.routes import explain_route
from transpiler.topology import parse_topology, topology_from_dict, topology_to_dict

RABBITMQ: dict[str, Any] = {
    "broker": "rabbitmq",
    "queues": ["eu", "retry", "parked"],
    "exchanges": [{"name": "orders", "type": "direct"}, {"name": "dlx", "type": "topic", "internal": True}],
    "bindings": [
        {"source": "orders", "queue": "eu", "key": "new"},
        {"source": "dlx", "queue": "retry", "key": "failed.#"},
        {"source": "dlx", "queue": "parked", "key": "new"},
    ],
    "links": [
        {
            "kind": "dead-letter",
            "when": "rejected",
            "from": {"queue": "eu"},
            "to": {"exchange": "dlx"},
            "key": "failed.a",
        },
        {"kind": "dead-letter", "when": "expired", "from": {"queue": "retry"}, "to": {"exchange": "dlx"}},
        {"kind": "dead-letter", "when": "expired", "from": {"queue": "parked"}, "to": {"exchange": "gone"}},
        {"kind": "shovel", "when": "moved by the shovel s", "from": {"queue": "retry"}},
    ],
}


def test_the_path_follows_links_with_their_keys_until_a_queue_comes_again() -> None:
    path = route_path(topology_from_dict(RABBITMQ), {"properties": {"subject": "new"}}, "orders")
    assert str(path) == (
        "eu (delivered)\n"
        "  eu: rejected → exchange dlx, key 'failed.a' → retry (delivered)\n"
        # From this step on, the message has the key of the link.
        "  retry: expired → exchange dlx → retry (delivered)\n"
        "  retry: moved by the shovel s → another broker"
    )
    direct = route_path(topology_from_dict(RABBITMQ), {}, "", ["parked"])
    assert str(direct) == "parked (delivered)\n  parked: expired → exchange gone, which is not there"
    assert direct.to_dict()["path"][0]["outcome"] == "no-exchange"
    assert route_message(topology_from_dict(RABBITMQ), {}, "orders") == ()
    assert route_message(topology_from_dict(RABBITMQ), {"color": "red", "JMSType": "new"}, "orders") == ("eu",)


def test_a_dead_letter_key_at_the_default_exchange_is_the_name_of_a_queue() -> None:
    link: dict[str, Any] = {"kind": "dead-letter", "when": "rejected", "from": {"queue": "eu"}, "to": {"exchange": ""}}
    for key, expected in (
        ("parked", "eu: rejected → queue parked"),
        ("gone", "eu: rejected → queue gone, which is not there"),
    ):
        form = RABBITMQ | {"links": [link | {"key": key}]}
        path = route_path(topology_from_dict(form), {"properties": {"subject": "new"}}, "orders")
        assert [str(step) for step in path.steps] == [expected]
        assert topology_from_dict(topology_to_dict(topology_from_dict(form))) == topology_from_dict(form)


def test_an_alternate_of_a_queue_gets_the_message_under_its_own_key() -> None:
    topology = topology_from_dict(
        {
            "broker": "qpid-java",
            "queues": [{"name": "q", "alternate": "x"}, {"name": "r", "alternate": {"queue": "q"}}],
            "exchanges": [{"name": "x", "type": "direct"}],
            "bindings": [{"source": "x", "queue": "r", "key": "q"}],
        }
    )
    left = "rejected, or left behind when the queue is deleted"
    path = route_path(topology, {}, "", ["q"])
    assert str(path) == f"q (delivered)\n  q: {left} → exchange x → r (delivered)\n  r: {left} → queue q"


SETTINGS = """<configuration xmlns="urn:activemq"><core xmlns="urn:activemq:core"><address-settings>
<address-setting match="#"><dead-letter-address>DLQ</dead-letter-address><expiry-address>EXP</expiry-address>
</address-setting>
<address-setting match="a"><max-delivery-attempts>-1</max-delivery-attempts></address-setting>
<address-setting match="o.#"><auto-create-dead-letter-resources>true</auto-create-dead-letter-resources>
<max-delivery-attempts>3</max-delivery-attempts><dead-letter-queue-suffix>!</dead-letter-queue-suffix></address-setting>
</address-settings><addresses>
<address name="DLQ"><anycast><queue name="DLQ"/></anycast></address>
<address name="EXP"><anycast><queue name="EXP"><filter string="%s"/></queue></anycast></address>
<address name="a"><multicast><queue name="sub"/></multicast></address>
<address name="o.x"><anycast><queue name="o.x"/></anycast></address></addresses></core></configuration>"""

POLICIES = """<beans><broker xmlns="http://activemq.apache.org/schema/core">
<destinationPolicy><policyMap><policyEntries>
<policyEntry queue=">"><deadLetterStrategy><individualDeadLetterStrategy queuePrefix="DLQ."/></deadLetterStrategy>
</policyEntry><policyEntry queue="o.>"><deadLetterStrategy>
<sharedDeadLetterStrategy processExpired="false" processNonPersistent="true"/></deadLetterStrategy></policyEntry>
<policyEntry queue="o.x"><deadLetterStrategy><sharedDeadLetterStrategy><deadLetterQueue><queue physicalName="o.y"/>
</deadLetterQueue></sharedDeadLetterStrategy></deadLetterStrategy></policyEntry>
</policyEntries></policyMap></destinationPolicy><destinations><queue physicalName="o.z"/></destinations>
</broker></beans>"""


def artemis(expiry_filter: str = "") -> Topology:
    return parse_topology(SETTINGS % expiry_filter, "broker.xml")


TEN = "EXP: rejected or delivered 10 times → address DLQ"


@pytest.mark.parametrize(
    ("address", "routing_type", "steps"),
    [
        # Settings of a pattern without their own dead-letter queue are merged with those of less specific patterns.
        (
            "a",
            "MULTICAST",
            ["sub: rejected → address DLQ", "sub: expired → address EXP", TEN],
        ),
        (
            "o.x",
            "ANYCAST",
            [
                "o.x: rejected or delivered 3 times → address DLQ",
                "o.x: rejected or delivered 3 times → queue DLQ.o.x!",
                "o.x: expired → address EXP",
                TEN,
            ],
        ),
        # The broker creates this queue, and the queue for its dead letters.
        (
            "o.new",
            "ANYCAST",
            [
                "o.new: rejected or delivered 3 times → address DLQ",
                "o.new: rejected or delivered 3 times → queue DLQ.o.new!",
                "o.new: expired → address EXP",
                TEN,
            ],
        ),
        ("DLQ", "ANYCAST", ["DLQ: expired → address EXP", TEN]),
    ],
)
def test_artemis_dead_letters_go_by_the_settings_of_the_address(
    address: str, routing_type: str, steps: list[str]
) -> None:
    # An expired message does not expire again, and a dead letter stays in its queue.
    path = route_path(artemis(), {}, address, routing_type=routing_type)
    assert [str(step) for step in path.steps] == steps
    assert topology_from_dict(json.loads(json.dumps(topology_to_dict(artemis())))) == artemis()


@pytest.mark.parametrize(
    ("expiry_filter", "queues", "possible"),
    [
        ("_AMQ_ORIG_ADDRESS = 'o.x'", ("EXP",), ()),
        ("_AMQ_ORIG_QUEUE = 'sub'", (), ()),
        ("_AMQ_ORIG_ROUTING_TYPE = 1", (), ("EXP",)),
        ("_AMQ_ORIG_MESSAGE_ID IS NULL", (), ()),
    ],
)
def test_filters_at_an_expiry_address_see_where_the_message_was(
    expiry_filter: str, queues: tuple[str, ...], possible: tuple[str, ...]
) -> None:
    path = route_path(artemis(expiry_filter), {}, "o.x", routing_type="ANYCAST")
    (expired,) = [step.routed for step in path.steps if step.queue == "o.x" and step.link.kind == "expiry"]
    assert (expired.queues, expired.possible_queues) == (queues, possible)


@pytest.mark.parametrize(
    ("queue", "steps"),
    [
        (
            "o.x",
            [
                "queue://o.x: persistent, and delivered too often or expired → queue://o.y",
                "queue://o.y: delivered too often → queue://ActiveMQ.DLQ",
            ],
        ),
        ("o.z", ["queue://o.z: delivered too often → queue://ActiveMQ.DLQ"]),
        ("new", ["queue://new: persistent, and delivered too often or expired → queue://DLQ.new"]),
        (
            "ActiveMQ.DLQ",
            ["queue://ActiveMQ.DLQ: persistent, and delivered too often or expired → queue://DLQ.ActiveMQ.DLQ"],
        ),
    ],
)
def test_activemq_dead_letters_go_by_the_closest_policy(queue: str, steps: list[str]) -> None:
    topology = parse_topology(POLICIES, "activemq.xml")
    path = route_path(topology, {}, f"queue://{queue}")
    assert [str(step) for step in path.steps] == steps


def test_without_policies_all_dead_letters_of_activemq_are_in_one_queue_and_a_plugin_drops_them() -> None:
    plain = "<broker xmlns='http://activemq.apache.org/schema/core'>%s</broker>"
    path = route_path(parse_topology(plain % "", "a.xml"), {}, "queue://q")
    assert [str(step) for step in path.steps] == [
        "queue://q: persistent, and delivered too often or expired → queue://ActiveMQ.DLQ"
    ]
    dropping = parse_topology(plain % "<plugins><discardingDLQBrokerPlugin/></plugins>", "a.xml")
    assert route_path(dropping, {}, "queue://q").steps == ()


def test_the_command_shows_the_path_in_words_and_as_json_and_with_why_what_took_it(tmp_path: Any) -> None:
    file = tmp_path / "topology.json"
    file.write_text(json.dumps(RABBITMQ))
    line = '{"exchange": "orders", "properties": {"subject": "new"}}'
    text = CliRunner().invoke(main, ["route", str(file), "--path"], input=line).output
    assert text.startswith("-:1: exchange orders, key 'new' → eu (delivered)\n  eu: rejected → exchange dlx")
    answer = json.loads(CliRunner().invoke(main, ["route", str(file), "--path", "--format", "json"], input=line).output)
    assert answer["queues"] == ["eu"]
    assert answer["path"][0] == {
        "queue": "eu",
        "kind": "dead-letter",
        "when": "rejected",
        "to": {"exchange": "dlx"},
        "queues": ["retry"],
        "outcome": "delivered",
    }
    # The command accepts its own output as input.
    again = (
        CliRunner().invoke(main, ["route", str(file), "--path", "--format", "json"], input=json.dumps(answer)).output
    )
    assert json.loads(again) == answer
    why = CliRunner().invoke(main, ["route", str(file), "--path", "--why"], input=line).output
    assert "  goes on\n    eu: rejected → exchange dlx, key 'failed.a' → retry (delivered)\n      took it\n" in why
    refused = CliRunner().invoke(main, ["route", str(file), "--path", "--summary"], input=line)
    assert refused.exit_code == 2
    assert "--path prints a result for each message" in refused.output


def test_the_json_form_has_the_queues_that_are_possible() -> None:
    bindings = [{"source": "h", "queue": queue, "key": "1"} for queue in ("a", "b")]
    exchanges, queues = [{"name": "h", "type": "x-consistent-hash"}], [{"name": "a"}, {"name": "b"}]
    topology = topology_from_dict(
        {"broker": "rabbitmq", "exchanges": exchanges, "queues": queues, "bindings": bindings}
    )
    path = route_path(topology, {}, "h", ["k"])
    assert path.to_dict() == {
        "queues": [],
        "outcome": "delivered",
        "possible_queues": ["a", "b"],
        "reasons": ["h hands each message to one of its bindings"],
        "path": [],
    }


def test_an_explanation_has_the_path_only_where_it_is_asked_for() -> None:
    topology = topology_from_dict(RABBITMQ)
    message = Message.from_dict({"properties": {"subject": "new"}})
    assert "path" not in explain_route(topology, message, "orders").to_dict()
    steps = explain_route(topology, message, "orders", path=True).to_dict()["path"]
    assert [step["why"]["took"][0]["queue"] for step in steps[:2]] == ["retry", "retry"]
