"""A declared topology against the answers of a running broker: what is missing there, extra or changed.

``data/rabbitmq_answers.json`` has what RabbitMQ 3.10.8 answered, as text. The answer of ActiveMQ is an excerpt of one
that a public repository has, and that of Artemis has the members of one of 2.44 (``QueueView`` in its source).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from transpiler.base.errors import TopologyError
from transpiler.base.source import Source
from transpiler.cli import main
from transpiler.tools.dialect_tools.diff import TopologyDiff, diff_topologies
from transpiler.topology.files import parse_topology
from transpiler.topology.importers.running_answers import Answers, read_answers

Json = dict[str, Any]

ANSWERS: dict[str, str] = json.loads((Path(__file__).parent / "data" / "rabbitmq_answers.json").read_text("utf-8"))

DECLARED: Json = {
    "rabbit_version": "3.10.8",
    "exchanges": [
        {"name": "orders", "vhost": "/", "type": "topic", "arguments": {"alternate-exchange": "rest"}},
        {"name": "rest", "vhost": "/", "type": "fanout"},
    ],
    "queues": [
        {"name": "work", "vhost": "/", "arguments": {"x-message-ttl": 60_000, "x-dead-letter-exchange": "rest"}},
        {"name": "audit", "vhost": "/", "arguments": {"x-queue-type": "quorum"}},
        {"name": "billing", "vhost": "/", "arguments": {}},
    ],
    "bindings": [
        {"source": "orders", "vhost": "/", "destination": "work", "routing_key": "eu.#"},
        {"source": "orders", "vhost": "/", "destination": "billing", "routing_key": "#"},
        {"source": "rest", "vhost": "/", "destination": "audit", "routing_key": ""},
    ],
}


def answers(*texts: str) -> Answers:
    found = read_answers([Source(text, f"answer {number}") for number, text in enumerate(texts)])
    assert found is not None
    return found


def compared(declared: str, name: str, running: Answers) -> TopologyDiff:
    old, new = parse_topology(declared, name), parse_topology(declared, name, running=running)
    return diff_topologies(old, new).of_running(running.notes)


def changes(*names: str) -> set[tuple[str, str, str]]:
    found = compared(json.dumps(DECLARED), "d.json", answers(*(ANSWERS[name] for name in names)))
    return {(one.kind, one.change, one.subject) for one in (*found.changes, *found.settings)}


OF_QUEUES = {
    ("queue", "missing", "billing"),
    ("queue", "extra", "extra"),
    # Without its queue the binding cannot be there.
    ("binding", "missing", "orders -> billing"),
}
OF_BINDINGS = {("binding", "missing", "orders -> billing"), ("binding", "extra", "orders -> rest (exchange)")}
WITH_ARGUMENTS = OF_QUEUES | {("queue", "changed", "work")}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("queues.json", WITH_ARGUMENTS),
        ("list_queues.txt", WITH_ARGUMENTS),
        ("list_queues.json", WITH_ARGUMENTS),
        ("list_queues_default.txt", OF_QUEUES),
        ("exchanges.json", set()),
        ("list_exchanges.txt", set()),
        ("bindings.json", OF_BINDINGS),
        ("list_bindings.txt", OF_BINDINGS),
        ("list_bindings.json", OF_BINDINGS),
    ],
)
def test_each_answer_of_rabbitmq_is_compared_in_the_part_that_it_has(
    name: str, expected: set[tuple[str, str, str]]
) -> None:
    assert changes(name) == expected


@pytest.mark.parametrize("name", ["policies.json", "list_policies.txt"])
def test_a_policy_that_nobody_declared_changes_dead_letters(name: str) -> None:
    found = changes(name)
    assert ("link", "extra", "work -> rest") in found
    assert ("policy", "changed", "limit") in found


def test_several_answers_are_one_broker() -> None:
    assert changes("queues.json", "bindings.json") == WITH_ARGUMENTS | OF_BINDINGS


def test_of_one_page_nothing_is_called_missing() -> None:
    running = answers(ANSWERS["queues_page.json"])
    found = compared(json.dumps(DECLARED), "d.json", running)
    assert [(one.change, one.subject) for one in found.changes] == [("extra", "extra")]
    assert "the answer has 1 of 2 pages: which queues are missing is not known" in found.to_dict()["not_computed"]


def test_a_name_of_digits_or_a_word_of_rabbitmqctl_is_text() -> None:
    listing = "Listing queues for vhost / ...\nname\tdurable\targuments\n42\ttrue\t[]\ntrue\tfalse\t[]\n[x\ttrue\t[]\n"
    found = answers(listing).parts["queues"]
    assert [(one["name"], one["durable"]) for one in found] == [("42", True), ("true", False), ("[x", True)]


@pytest.mark.parametrize("row", ["/\tp\tq\tall\t{\t0", "/\tp\tq\tall\t{}\thigh"], ids=["definition", "priority"])
def test_a_listing_with_a_cell_of_another_type_is_no_answer(row: str) -> None:
    listing = f"Listing policies for vhost / ...\nvhost\tname\tpattern\tapply-to\tdefinition\tpriority\n{row}\n"
    assert read_answers([Source(listing, "policies.txt")]) is None


def test_a_message_shows_what_a_difference_does() -> None:
    found = compared(json.dumps(DECLARED), "d.json", answers(ANSWERS["queues.json"]))
    assert any((one.old, one.new) == (("billing",), ("audit",)) for one in found.examples)
    assert "- is missing on the broker, + is extra there" in str(found)
    assert "the broker's queues are compared; what else NEW has is taken from OLD" in str(found)


def test_another_virtual_host_is_another_broker() -> None:
    other = [{"name": "billing", "vhost": "other"}, {"name": "work", "vhost": "/"}, {"name": "audit", "vhost": "/"}]
    declared = json.dumps({**DECLARED, "vhosts": [{"name": "/"}, {"name": "other"}]})
    running = answers(json.dumps(other))
    old = parse_topology(declared, "d.json", vhost="/")
    new = parse_topology(declared, "d.json", vhost="/", running=running)
    found = diff_topologies(old, new)
    assert [(one.kind, one.change, one.subject) for one in found.changes if one.kind == "queue"] == [
        ("queue", "removed", "billing")
    ]


BROKER = """<configuration><core><addresses>
<address name="orders"><anycast><queue name="orders"/></anycast>
<multicast><queue name="big"><filter string="weight > 5"/></queue></multicast></address>
<address name="events"><multicast/></address></addresses></core></configuration>"""


def listed(*queues: Json, count: int | None = None) -> str:
    data = [{"durable": "true", "temporary": "false", "filter": "", "routingType": "ANYCAST", **one} for one in queues]
    inner = json.dumps({"data": data, "count": len(data) if count is None else count})
    request = {"type": "exec", "operation": "listQueues(java.lang.String,int,int)"}
    return json.dumps({"request": request, "value": inner, "status": 200, "timestamp": 1})


ORDERS: Json = {"name": "orders", "address": "orders"}
BIG: Json = {"name": "big", "address": "orders", "filter": "weight > 5", "routingType": "MULTICAST"}
SUBSCRIBER: Json = {"name": "c.sub", "address": "events", "routingType": "MULTICAST"}


def bean(queue: str, routing_type: str) -> str:
    of = f'address="orders",broker="0.0.0.0",component=addresses,queue="{queue}",routing-type="{routing_type}"'
    return f"org.apache.activemq.artemis:{of},subcomponent=queues"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (listed(ORDERS, BIG), []),
        (listed(ORDERS, BIG, {**SUBSCRIBER, "temporary": "true"}), []),
        (listed(ORDERS, BIG, {"name": "$sys.mqtt.sessions", "address": "$sys.mqtt.sessions"}), []),
        (
            listed(ORDERS, {**BIG, "filter": "weight > 6"}, SUBSCRIBER),
            [
                ("queue", "extra", "c.sub"),
                ("binding", "extra", "events -> c.sub"),
                ("binding", "changed", "orders -> big"),
            ],
        ),
        (listed(BIG), [("queue", "missing", "orders"), ("binding", "missing", "orders -> orders")]),
        (listed(BIG, count=2), []),
        (
            json.dumps(
                {"request": {"attribute": "QueueNames", "type": "read"}, "value": ["orders", "big"], "status": 200}
            ),
            [],
        ),
        (
            json.dumps({"request": {"attribute": "QueueNames"}, "value": ["orders", "extra", "$sys.mqtt"]}),
            [
                ("address", "extra", "extra"),
                ("queue", "missing", "big"),
                ("queue", "extra", "extra"),
                ("binding", "missing", "orders -> big"),
                ("binding", "extra", "extra -> extra"),
            ],
        ),
        (
            json.dumps({"request": {"attribute": "AddressNames"}, "value": ["orders", "more"]}),
            [("address", "missing", "events"), ("address", "extra", "more")],
        ),
        (
            json.dumps({"request": {"type": "search"}, "value": [bean("orders", "anycast")], "status": 200}),
            [("queue", "missing", "big"), ("binding", "missing", "orders -> big")],
        ),
        (
            json.dumps(
                {
                    "request": {"type": "read", "attribute": "Filter"},
                    "value": {
                        bean("orders", "anycast"): {"Filter": None},
                        bean("big", "multicast"): {"Filter": "n = 1"},
                    },
                    "status": 200,
                }
            ),
            [("binding", "changed", "orders -> big")],
        ),
    ],
)
def test_the_answers_of_artemis_are_its_queues(answer: str, expected: list[tuple[str, str, str]]) -> None:
    found = compared(BROKER, "broker.xml", answers(answer))
    assert [(one.kind, one.change, one.subject) for one in found.changes] == expected


ACTIVEMQ = """<beans><broker brokerName="b"><destinations><queue physicalName="A.B"/><queue physicalName="gone"/>
<topic physicalName="prices"/></destinations></broker></beans>"""


def classic(name: str, kind: str) -> Json:
    return {"objectName": f"org.apache.activemq:brokerName=b,destinationName={name},destinationType={kind},type=Broker"}


def test_the_answer_of_activemq_is_its_queues_and_topics() -> None:
    value = {
        "Queues": [classic("A.B", "Queue"), classic("new&qe;", "Queue")],
        "Topics": [classic("prices", "Topic"), classic("ActiveMQ.Advisory.Queue", "Topic")],
        "BrokerName": "b",
    }
    running = answers(json.dumps({"request": {"type": "read"}, "value": value, "status": 200}))
    found = compared(ACTIVEMQ, "activemq.xml", running)
    assert {(one.change, one.subject) for one in found.changes if one.kind == "queue"} == {
        ("missing", "queue://gone"),
        ("extra", "queue://new?"),
    }


def test_answers_of_two_brokers_are_an_error_and_so_are_those_of_another_one() -> None:
    with pytest.raises(TopologyError, match="another one is of rabbitmq"):
        answers(ANSWERS["queues.json"], listed(ORDERS))
    with pytest.raises(TopologyError, match="the answer is one of artemis"):
        parse_topology(json.dumps(DECLARED), "d.json", running=answers(listed(ORDERS)))


@pytest.mark.parametrize(
    "text",
    [
        "a = 1",
        "{}",
        "[]",
        '{"queues": []}',
        "[1]",
        '[{"name": "x", "modelVersion": "9"}]',
        '[{"pattern": "q", "name": "p", "definition": "{"}]',
    ],
)
def test_other_texts_are_no_answers(text: str) -> None:
    assert read_answers([Source(text, "x")]) is None


def test_diff_takes_an_answer_or_a_directory_of_answers_as_new(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps(DECLARED))
    (tmp_path / "running").mkdir()
    for name in ("queues.json", "bindings.json"):
        (tmp_path / "running" / name).write_text(ANSWERS[name])
    for new in ("running/queues.json", "running"):
        command = ["diff", str(tmp_path / "d.json"), str(tmp_path / new), "--format", "json"]
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 1, done.output
        found = json.loads(done.stdout)
        assert ["queue", "missing", "billing"] in [
            [one["kind"], one["change"], one["subject"]] for one in found["changes"]
        ]
        assert found["not_computed"]
