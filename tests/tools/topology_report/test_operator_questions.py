"""An operator's questions: what is lost, who reads what, what overlaps, what is equivalent, what is slow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from transpiler import route_message
from transpiler.cli import main
from transpiler.tools.topology_report.operator_questions import losses, overlaps, reads, shapes, slow
from transpiler.topology import Topology, parse_topology, topology_from_dict
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.importers.display_builder import UNREAD
from transpiler.topology.importers.rabbitmq import topology_from_definitions
from transpiler.topology.records import CHOICE_ARGUMENT

Json = dict[str, Any]


def exported(**arguments: Any) -> Topology:
    queues = [{"name": "q", "arguments": arguments}, {"name": "dead", "arguments": {"x-queue-type": "stream"}}]
    exchanges = [{"name": "x", "type": "topic"}]
    bindings = [{"source": "x", "destination": "dead", "routing_key": "a.#"}]
    return topology_from_definitions({"queues": queues, "exchanges": exchanges, "bindings": bindings})


NOWHERE = "the queue has no dead-letter target: messages that are rejected, expire or exceed a limit are lost"
LETTERS = {"x-dead-letter-exchange": "x"}


@pytest.mark.parametrize(
    ("arguments", "reasons"),
    [
        ({}, [NOWHERE]),
        ({**LETTERS, "x-dead-letter-routing-key": "a.b"}, []),
        (LETTERS, []),
        (
            {**LETTERS, "x-dead-letter-routing-key": "b"},
            ["messages are lost if they are rejected or expired: nothing in x takes the key 'b'"],
        ),
        (
            {"x-dead-letter-exchange": "gone"},
            ["messages are lost if they are rejected or expired: the file has no exchange called 'gone'"],
        ),
    ],
)
def test_queues_that_lose_a_message_are_named_with_the_reason(arguments: Json, reasons: list[str]) -> None:
    # A stream keeps its messages.
    assert [(one.subject, one.reason) for one in losses(exported(**arguments))] == [("q", each) for each in reasons]


def test_of_artemis_an_address_without_expiry_loses_what_expires() -> None:
    text = """<configuration><core><address-settings><address-setting match="#"><dead-letter-address>D
    </dead-letter-address></address-setting></address-settings><addresses><address name="D"><anycast><queue name="D"/>
    </anycast></address><address name="a"><anycast><queue name="a"/></anycast></address></addresses></core>
    </configuration>"""
    found = [(one.subject, one.reason) for one in losses(addresses_of(parse_topology(text, "broker.xml")))]
    assert ("a", "the queue has no expiry address: expired messages are lost") in found


def test_an_address_of_artemis_whose_letters_come_back_to_it_loses_nothing() -> None:
    # QueueImpl.sendToDeadLetterAddress and expire move a copy, also to the address where the message is.
    text = """<configuration><core><address-settings><address-setting match="#"><dead-letter-address>D
    </dead-letter-address><expiry-address>E</expiry-address></address-setting></address-settings><addresses>
    <address name="D"><anycast><queue name="D"/></anycast></address>
    <address name="E"><anycast><queue name="E"/></anycast></address></addresses></core></configuration>"""
    assert [*losses(addresses_of(parse_topology(text, "broker.xml")))] == []


FORM: Json = {
    "broker": "qpid-java",
    "queues": ["eu", "us", "big", "all"],
    "exchanges": [{"name": "h", "type": "headers"}, {"name": "t", "type": "topic"}],
    "bindings": [
        {"source": "h", "queue": "eu", "arguments": {"x-match": "all", "region": "eu"}},
        {"source": "h", "queue": "us", "arguments": {"x-match": "all", "region": "us"}},
        {"source": "h", "queue": "big", "arguments": {"x-match": "any", "weight": 5, "region": None}},
        {
            "source": "t",
            "queue": "eu",
            "key": "eu.#",
            "selector": "region = 'eu' AND NOT (weight > 5 OR color LIKE '%d')",
        },
        {
            "source": "t",
            "queue": "us",
            "key": "us.#",
            "selector": "region = 'us' AND NOT (weight > 7 OR color LIKE '%d')",
        },
        {"source": "t", "queue": "big", "key": "*.big", "selector": "name LIKE '%a%b' OR name LIKE 'a%'"},
        {"source": "t", "queue": "all", "key": "#"},
    ],
}
TOPOLOGY = topology_from_dict(FORM)


def test_who_reads_a_name_is_said_with_the_tests() -> None:
    assert [(one.names()["to"], one.reason) for one in reads(TOPOLOGY, "region")] == [
        ({"queue": "eu"}, "region = 'eu'"),
        ({"queue": "us"}, "region = 'us'"),
        ({"queue": "big"}, "region is there"),
        ({"queue": "eu"}, "region = 'eu'"),
        ({"queue": "us"}, "region = 'us'"),
    ]
    assert [one.reason for one in reads(TOPOLOGY, "weight")] == ["weight = 5", "weight > 5", "weight > 7"]
    assert not [*reads(TOPOLOGY, "reg")]


def test_each_overlap_has_a_message_that_both_destinations_get() -> None:
    found = [*overlaps(TOPOLOGY)]
    ends = {one.subject.partition(": ")[2] for one in found}
    assert not any("eu (" in one and "us (" in one for one in ends)
    assert len(found) == 4
    for one in found:
        key, _, text = one.reason.partition(", ") if one.reason.startswith("key") else ("", "", one.reason)
        subject = json.loads("{}" if key == "" else json.dumps({"subject": key.removeprefix("key ").strip("'")}))
        message = {"properties": subject, "application_properties": json.loads(text) if text else {}}
        queues = route_message(TOPOLOGY, message, one.names()["exchange"])
        names = {part.partition(" (")[0] for part in one.subject.partition(": ")[2].split(" and ") if " (" in part}
        assert names <= {*queues}


def test_a_queue_that_has_no_consumer_yet_overlaps_with_no_other() -> None:
    topic = "<virtualTopic name='VT.&gt;' selectorAware='true'/>"
    outer = "<compositeTopic name='VT.x' forwardOnly='true'><forwardTo><queue physicalName='q'/></forwardTo>"
    interceptors = "".join(
        f"<virtualDestinationInterceptor><virtualDestinations>{each}</virtualDestinations></virtualDestinationInterceptor>"
        for each in (topic, f"{outer}</compositeTopic>")
    )
    text = f"<broker><destinationInterceptors>{interceptors}</destinationInterceptors></broker>"
    state = {"queues": ["Consumer.A.VT.x", "Consumer.B.VT.x", "Consumer.C.VT.>"], "consumers": []}
    topology = parse_topology(text, "activemq.xml", state=state)
    shown = addresses_of(topology)
    assert not [*overlaps(shown)]
    choices = {one.text(CHOICE_ARGUMENT) for one in shown.bindings if "Consumer" in one.destination}
    assert choices & {UNREAD, None} == choices
    assert route_message(topology, {}, "topic://VT.y") == ()


def test_shapes_are_counted_the_commonest_first() -> None:
    found = [(one.subject, one.reason) for one in shapes(TOPOLOGY)]
    assert found[0][1].startswith("2 bindings of ")
    assert ("headers | all: region = ?", "2 bindings of h, such as all: region=eu") in found
    selectors = [subject for subject, _ in found if subject.startswith("topic | key word.#")]
    assert len(selectors) == 1
    assert any("?" in subject for subject in selectors)
    assert all(subject.isprintable() for subject, _ in found)


def test_slow_patterns_are_reported_with_the_reason_of_the_broker() -> None:
    java = "the broker's regular expression of Java"
    assert [one.reason for one in slow(TOPOLOGY)] == [
        f"color LIKE a pattern that begins with %: {java} looks through the whole text of each message",
        f"color LIKE a pattern that begins with %: {java} looks through the whole text of each message",
        f"name LIKE a pattern that has text between two %: {java} comes back to each place where the first part is",
    ]


@pytest.mark.parametrize(
    ("words", "code", "printed"),
    [
        (["--ask", "losses"], 0, f"eu, us, big, all|{NOWHERE}"),
        (["--ask", "slow", "--format", "json"], 0, '"answers": ['),
        (["--reads", "color"], 0, "color LIKE '%d'"),
        (["--reads", "nothing"], 0, "none\n"),
        (["--reads", "color", "--ask", "slow"], 2, "give only one of them"),
        (["--ask", "slow", "--format", "dot"], 2, "an answer can be printed as text or json, not as dot"),
    ],
)
def test_the_command_answers_questions(words: list[str], code: int, printed: str, tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps(FORM), encoding="utf-8")
    result = CliRunner().invoke(main, ["topology", str(file), *words])
    assert result.exit_code == code
    assert all(part in result.output for part in printed.split("|")[-1:])


def test_reasons_are_counted_by_the_parts_that_decide() -> None:
    lines = [{"color": "red", "n": 1}, {"color": "red"}, {"color": "blue"}, {"color": "green"}, {}]
    given = "".join(json.dumps(line) + "\n" for line in lines)
    result = CliRunner().invoke(main, ["match", "color = 'red' AND n > 0", "--reasons"], input=given)
    assert result.output.splitlines() == [
        "1 of 5 messages match",
        "  2  color = 'red' is FALSE",
        "  1  n > 0 is unknown",
        "  1  color = 'red' is unknown",
    ]
    assert CliRunner().invoke(main, ["match", "a = 1", "--reasons", "--count"], input=given).exit_code == 2
