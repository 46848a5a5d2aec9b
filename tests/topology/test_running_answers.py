"""A declared topology against the answers of a running broker: what is missing there, extra or changed.

``data/rabbitmq_answers.json`` has what RabbitMQ 3.10.8 answered, as text. The answer of ActiveMQ is an excerpt of one
that a public repository has, and that of Artemis has the members of one of 2.44 (``QueueView`` in its source).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from transpiler.base.errors import TopologyError
from transpiler.base.source import Source
from transpiler.cli import main
from transpiler.language.selector.broker_dialects import ARTEMIS, ARTEMIS_CORE
from transpiler.tools.dialect_tools.diff import TopologyDiff, diff_topologies
from transpiler.topologies import diff_running
from transpiler.topology.files import parse_topology
from transpiler.topology.importers.artemis_config import AddressBinding, ArtemisConfig
from transpiler.topology.importers.running_answers import Answers, read_answers, running_artemis

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
    assert (
        "the broker's output contains 1 of 2 pages: which queues are missing is not known"
        in found.to_dict()["not_computed"]
    )


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
        # The broker makes these queues for itself.
        (
            json.dumps(
                {
                    "request": {"type": "search"},
                    "value": [
                        bean("orders", "anycast"),
                        bean("big", "multicast"),
                        *(bean(f"{own}x", "multicast") for own in ("$sys.", "notif.", "activemq.management.")),
                    ],
                }
            ),
            [],
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
    with pytest.raises(TopologyError, match="another file is the output of rabbitmq"):
        answers(ANSWERS["queues.json"], listed(ORDERS))
    with pytest.raises(TopologyError, match="the output is from a running broker of artemis"):
        parse_topology(json.dumps(DECLARED), "d.json", running=answers(listed(ORDERS)))


@pytest.mark.parametrize(
    "text",
    [
        "a = 1",
        "{}",
        '{"queues": []}',
        '{"request": {"type": "exec", "operation": "listAddresses(java.lang.String,int,int)"},'
        ' "value": {"data": [], "count": 0}}',
        "|NAME|\n|a|",
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


@pytest.mark.parametrize("part", ["queues", "exchanges", "bindings", "policies"])
def test_an_empty_list_says_that_everything_is_missing(part: str) -> None:
    texts = ["[]", json.dumps({"items": [], "page_count": 0, "page": 1, "total_count": 0})]
    texts += [f"Listing {part} for vhost / ...\n"]
    for text in texts:
        found = read_answers([Source(text, f"running/{part}.json")])
        assert found is not None
        assert found.parts == {part: []}
    data = {**DECLARED, "policies": [{"name": "p", "vhost": "/", "pattern": "w", "definition": {"expires": 9}}]}
    diff = compared(json.dumps(data), "d.json", found)
    missing = {(one.kind, one.change) for one in diff.changes if one.change == "missing"}
    kinds = {"queues": "queue", "exchanges": "exchange", "bindings": "binding"}
    if part == "policies":
        assert [(one.kind, one.subject, one.detail) for one in diff.settings][-1] == (
            "policy",
            "p",
            "expires none, was 9",
        )
    else:
        assert (kinds[part], "missing") in missing


def test_an_empty_list_in_a_file_of_another_name_is_an_error() -> None:
    for name in ("x.json", "queues-and-bindings.json"):
        with pytest.raises(TopologyError, match="which does not say what the broker has none of"):
            read_answers([Source("[]", name)])


@pytest.mark.parametrize(
    ("mbean", "parts"),
    [
        ("org.apache.activemq.artemis:*,subcomponent=queues", {"queues": []}),
        ("org.apache.activemq:type=Broker,brokerName=*,destinationType=Topic,destinationName=*", {"topics": []}),
    ],
)
def test_a_search_for_queues_that_finds_none_is_an_answer(mbean: str, parts: dict[str, list[Json]]) -> None:
    assert answers(json.dumps({"request": {"type": "search", "mbean": mbean}, "value": []})).parts == parts
    assert [(one.change, one.subject) for one in compared(BROKER, "broker.xml", answers(listed())).changes][:2] == [
        ("missing", "orders"),
        ("missing", "big"),
    ]


#: The widths of the columns of a table of ``StatQueue``, and its rows: a header of two lines, and a name that is longer
#: than its column.
WIDTHS = (25, 23, 8, 9, 8)
ROWS = (
    ("NAME", "ADDRESS", "CONSUMER", " ROUTING", "INTERNAL"),
    ("", "", " COUNT", "  TYPE", ""),
    ("orders", "orders", "   0", " ANYCAST", " false"),
    ("big", "orders", "   0", "MULTICAST", " false"),
    ("a.queue.with.a.name.of.ma", "orders", "   0", "MULTICAST", " false"),
    ("  ny.words", "", "", "", ""),
    ("a|b", "c", "   0", " ANYCAST", " false"),
    ("notif.1", "activemq.notifications", "   0", "MULTICAST", " true"),
)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as ``TableOut`` of Artemis 2.45 prints them, below the line that the command begins with."""
    lines = ("".join(f"|{cell:{width}}" for cell, width in zip(row, WIDTHS, strict=True)) + "|" for row in rows)
    return "\n".join(("Connection brokerURL = tcp://localhost:61616", *lines, "", "Note: Use --clustered to expand it"))


STAT = table(ROWS)
#: The table with ``--single-line-header``.
SINGLE = (
    "|NAME  |ADDRESS|CONSUMER_COUNT|ROUTING_TYPE|INTERNAL|\n|orders|orders |0             |ANYCAST     |false   |\n"
)


def test_the_table_of_queue_stat_is_the_queues() -> None:
    assert [(one["name"], one["address"], one["routing-type"]) for one in answers(STAT).parts["queues"]] == [
        ("orders", "orders", "ANYCAST"),
        ("big", "orders", "MULTICAST"),
        ("a.queue.with.a.name.of.many.words", "orders", "MULTICAST"),
        ("a|b", "c", "ANYCAST"),
    ]
    found = compared(BROKER, "broker.xml", answers(SINGLE))
    assert [(one.kind, one.change, one.subject) for one in found.changes] == [
        ("queue", "missing", "big"),
        ("binding", "missing", "orders -> big"),
    ]
    cut = "WARNING: the displayed queues are 1/50, set maxRows to display more queues."
    partial = answers(SINGLE + cut)
    assert not compared(BROKER, "broker.xml", partial).changes
    assert "1 of 50 queues" in partial.notes[-1]


def test_names_that_older_versions_cut_are_an_error() -> None:
    with pytest.raises(TopologyError, match="contains shortened names"):
        answers(table((*ROWS[:4], ("a.queue.with.a.name.of...", *ROWS[4][1:]))))


def test_a_filter_that_runs_is_one_of_the_broker_unless_it_is_the_declared_selector() -> None:
    declared = AddressBinding("q", "a", "ANYCAST", "n > 3", "", dialect=ARTEMIS)
    for text, dialect in (("n > 3", ARTEMIS), ("AMQPriority > 3", ARTEMIS_CORE)):
        queue = {"name": "q", "address": "a", "filter": text, "routingType": "ANYCAST"}
        [running] = running_artemis(ArtemisConfig(queues=[declared]), answers(listed(queue))).queues
        assert (running.filter, running.dialect) == (text, dialect)


def queue_of(name: str, **members: Any) -> Json:
    return {"name": name, "vhost": "/", "durable": True, "auto_delete": False, "arguments": {}, **members}


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"policy": "all"}, []),
        ({"policy": "all", "operator_policy": None, "effective_policy_definition": {"message-ttl": 9}}, []),
        ({"policy": "other"}, ["policy other in effect, was all"]),
        ({"policy": None}, ["policy none in effect, was all"]),
        ({"policy": "all", "operator_policy": "o"}, ["operator policy o in effect, was none"]),
        (
            {"policy": "all", "effective_policy_definition": {"message-ttl": 7, "expires": 5}},
            ["message-ttl 7 by policy, was 9", "expires 5 by policy, was none"],
        ),
        ({"policy": "", "effective_policy_definition": []}, ["policy none in effect, was all"]),
        # The answer is about another virtual host.
        ({"policy": "other", "vhost": "b"}, []),
    ],
)
def test_the_policy_that_a_queue_names_is_compared_with_the_declared_one(
    members: Json, expected: list[str], tmp_path: Path
) -> None:
    policies = [
        {
            "name": "all",
            "vhost": "/",
            "pattern": "",
            "apply-to": "all",
            "definition": {"message-ttl": 9},
            "priority": 1,
        },
        {"name": "low", "vhost": "/", "pattern": "", "apply-to": "all", "definition": {"expires": 8}, "priority": 0},
    ]
    data = {"rabbitmq_version": "4.1.0", "vhosts": [{"name": "/"}], "queues": [queue_of("q")], "policies": policies}
    (tmp_path / "d.json").write_text(json.dumps(data))
    (tmp_path / "queues.json").write_text(json.dumps([queue_of("q", **members)]))
    found = diff_running(tmp_path / "d.json", tmp_path / "queues.json")
    assert [one.detail for one in found.settings if one.kind == "queue"] == expected
    command = ["diff", str(tmp_path / "d.json"), str(tmp_path / "queues.json"), "--format", "json"]
    assert json.loads(CliRunner().invoke(main, command).stdout) == found.to_dict()


def test_a_policy_that_is_not_certain_is_not_compared(tmp_path: Path) -> None:
    policies = [{"name": name, "vhost": "/", "pattern": "", "definition": {"expires": 9}} for name in ("a", "b")]
    (tmp_path / "d.json").write_text(json.dumps({"queues": [queue_of("q")], "policies": policies}))
    (tmp_path / "queues.json").write_text(json.dumps([queue_of("q", policy="b", effective_policy_definition={})]))
    assert diff_running(tmp_path / "d.json", str(tmp_path / "queues.json")).settings == ()


def test_a_running_broker_is_compared_in_python(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps(DECLARED))
    (tmp_path / "running").mkdir()
    for name in ("queues.json", "bindings.json"):
        (tmp_path / "running" / name).write_text(ANSWERS[name])
    found = diff_running(tmp_path / "d.json", tmp_path / "running")
    files = [str(tmp_path / "running" / name) for name in ("bindings.json", "queues.json")]
    assert found == diff_running(str(tmp_path / "d.json"), files)
    assert ("missing", "billing") in {(one.change, one.subject) for one in found.changes}
    with pytest.raises(TopologyError, match="no output of a running broker, such as its list of queues, was found in "):
        diff_running(tmp_path / "d.json", tmp_path / "d.json")
