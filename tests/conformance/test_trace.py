"""A real broker's log: what RabbitMQ 3.10 answered is what the reference router answers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from transpiler import DecodeError, evaluate, route_message
from transpiler.message.rabbitmq_trace import Publication, read_publication, read_trace
from transpiler.message.types import AmqpType, Compound
from transpiler.topology import read_topology
from transpiler.topology.backtest import Backtest

DATA = Path(__file__).parent.parent.parent / "examples" / "data"


def publications() -> list[Publication]:
    with gzip.open(DATA / "trace.jsonl.gz", "rt", encoding="utf-8") as lines:
        return list(read_trace(lines, "trace.jsonl"))


def test_all_messages_get_exactly_the_brokers_queues() -> None:
    topology = read_topology(DATA / "definitions.json")
    backtest = Backtest()
    for number, published in enumerate(publications(), 1):
        routed = route_message(topology, published.message, published.exchange, published.routing_keys)
        backtest.add(str(number), published.exchange, published.routing_keys[0], published.queues, routed)
    assert backtest.passed, backtest.render()
    assert backtest.agreed == 3_000
    assert backtest.deliveries == 8_145
    assert set(backtest.messages) == {"", "alerts", "events", "orders", "regional", "shipping"}


def test_the_archive_holds_the_messages_of_the_log() -> None:
    archive = [json.loads(line) for line in (DATA / "messages.jsonl").read_text(encoding="utf-8").splitlines()]
    for published, message in zip(publications()[:50], archive, strict=False):
        # In the archive the routing key is the subject, for a message in JSON has no other place for it.
        subject = published.message.to_dict()["properties"].get("subject")
        own = message["properties"]
        assert own.pop("subject") == published.routing_keys[0]
        message["properties"] = own if subject is None else own | {"subject": subject}
        assert published.message.to_dict() == message


@pytest.mark.parametrize(("basic", "expected"), [({"type": "order"}, "order"), ({}, None)])
@pytest.mark.parametrize("dialect", ["jms", "activemq", "artemis", "qpid-java"])
def test_jms_type_is_the_basic_property_type(basic: dict[str, str], expected: str | None, dialect: str) -> None:
    entry = {"exchange": "x", "routing_keys": ["eu"], "routed_queues": ["q"], "properties": basic}
    published = read_publication(entry)
    assert (evaluate("JMSType = 'order'", published.message, dialect) is True) is (expected == "order")
    assert evaluate("JMSType IS NULL", published.message, dialect) is (expected is None)
    assert published.routing_keys == ("eu",)


def test_header_types_are_those_of_the_json() -> None:
    headers = {"n": 5, "f": 5.0, "t": "5", "b": True, "v": None, "table": {"a": 1}, "array": [1]}
    entry = {"exchange": "x", "routing_keys": ["k"], "routed_queues": "none", "properties": {"headers": headers}}
    found = read_publication(entry).message.application_properties
    assert found is not None
    assert {name: value.type for name, value in found.items()} == {
        "n": AmqpType.LONG,
        "f": AmqpType.DOUBLE,
        "t": AmqpType.STRING,
        "b": AmqpType.BOOLEAN,
        "v": AmqpType.NULL,
        "table": Compound.MAP,
        "array": Compound.LIST,
    }


def test_deliveries_to_consumers_are_passed_over() -> None:
    lines = ['{"type": "received", "queue": "q"}\n', "\n"]
    assert list(read_trace(lines)) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{oops", "log:2:2: this is not JSON"),
        ("5", "log:2: an entry of a tracing log is an object"),
        ('{"exchange": "x"}', "log:2: an entry of a tracing log has an exchange, routing_keys and routed_queues"),
        ('{"exchange": "x", "routing_keys": ["k"], "routed_queues": []}', "log:2: properties is missing"),
        (
            '{"exchange": "x", "routing_keys": ["k"], "routed_queues": [], "properties": {"expiration": "soon"}}',
            "log:2: properties.expiration: 'soon' is no number of milliseconds",
        ),
    ],
)
def test_a_line_that_is_no_entry_is_named(line: str, expected: str) -> None:
    with pytest.raises(DecodeError) as error:
        list(read_trace(["", line], "log"))
    assert expected in str(error.value)
