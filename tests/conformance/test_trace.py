"""The log of a real broker: the reference router delivers each message to the queues that RabbitMQ 3.10 logged."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from transpiler import DecodeError, evaluate, route_message
from transpiler.cli.layouts import choose_layout
from transpiler.cli.messages import read_messages
from transpiler.message.rabbitmq_trace import entry_message
from transpiler.message.types import AmqpType, Compound
from transpiler.messages import ReadMessage
from transpiler.tools.backtest import Backtest
from transpiler.topology import read_topology

DATA = Path(__file__).parent.parent.parent / "examples" / "data"


def publications() -> list[ReadMessage]:
    return list(read_messages([str(DATA / "trace.jsonl.gz")]))


def test_all_messages_get_exactly_the_brokers_queues() -> None:
    topology = read_topology(DATA / "definitions.json")
    backtest = Backtest()
    for number, published in enumerate(publications(), 1):
        exchange, keys, _ = published.sent()
        queues = published.recorded("routed_queues")
        assert exchange is not None
        assert keys is not None
        assert queues is not None
        routed = route_message(topology, published.message, exchange, keys)
        backtest.add(str(number), exchange, keys[0], queues, routed)
    assert backtest.passed, backtest.render()
    assert backtest.agreed == 3_000
    assert backtest.deliveries == 8_145
    assert set(backtest.messages) == {"", "alerts", "events", "orders", "regional", "shipping"}


def test_the_archive_holds_the_messages_of_the_log() -> None:
    archive = [json.loads(line) for line in (DATA / "messages.jsonl").read_text(encoding="utf-8").splitlines()]
    for published, message in zip(publications()[:50], archive, strict=False):
        # In the archive, the subject is the routing key, because a message in JSON has no other member for it.
        subject = published.message.to_dict()["properties"].get("subject")
        own = message["properties"]
        assert [own.pop("subject")] == list(published.sent().routing_keys or ())[:1]
        message["properties"] = own if subject is None else own | {"subject": subject}
        assert published.message.to_dict() == message


@pytest.mark.parametrize(("basic", "expected"), [({"type": "order"}, "order"), ({}, None)])
@pytest.mark.parametrize("dialect", ["jms", "activemq", "artemis", "qpid-java"])
def test_jms_type_is_the_basic_property_type(basic: dict[str, str], expected: str | None, dialect: str) -> None:
    entry = {"exchange": "x", "routing_keys": ["eu"], "routed_queues": ["q"], "properties": basic}
    message = entry_message(entry)
    assert (evaluate("JMSType = 'order'", message, dialect) is True) is (expected == "order")
    assert evaluate("JMSType IS NULL", message, dialect) is (expected is None)


def test_header_types_are_those_of_the_json() -> None:
    headers = {"n": 5, "f": 5.0, "t": "5", "b": True, "v": None, "table": {"a": 1}, "array": [1]}
    entry = {"exchange": "x", "routing_keys": ["k"], "routed_queues": "none", "properties": {"headers": headers}}
    found = entry_message(entry).application_properties
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


def test_deliveries_to_consumers_are_passed_over(tmp_path: Path) -> None:
    log = tmp_path / "log"
    delivery = {"type": "received", "queue": "q", "routing_keys": ["k"], "routed_queues": "none", "properties": {}}
    log.write_text(f"{json.dumps(delivery)}\n\n", encoding="utf-8")
    assert list(read_messages([str(log)])) == []


#: An entry of RabbitMQ's tracing log as text. Its terms continue on the next line, and its payload contains a ruler.
TEXT = """
{rule}
2026-01-02 3:04:05:678: Message published

Node:         rabbit@host
Connection:   127.0.0.1:51234 -> 127.0.0.1:5672
Virtual host: /
User:         guest
Channel:      1
Exchange:     orders
Routing keys: [<<"eu.new">>,<<"cc">>]
Routed queues: [<<"all">>,<<"eu">>]
Properties:   [{{<<"headers">>,table,
                [{{<<"color">>,longstr,<<"r\\"{{e}}d é"/utf8>>}},
                 {{<<"long">>,longstr,<<"one "
                   "two">>}},
                 {{<<"weight">>,signedint,2600}},
                 {{<<"ratio">>,double,2.5}},
                 {{<<"bytes">>,longstr,<<195,169>>}},
                 {{<<"none">>,void,undefined}},
                 {{<<"table">>,table,[{{<<"a">>,bool,true}}]}},
                 {{<<"array">>,array,[{{longstr,<<"a">>}}]}},
                 {{<<"flag">>,bool,false}}]}},
               {{<<"delivery_mode">>,signedint,2}},
               {{<<"type">>,longstr,<<"order">>}}]
Payload: 
two
{rule}
lines

{rule}
2026-01-02 3:04:06:000: Message received

Exchange:     orders
Routing keys: [<<"eu.new">>]
Queue:        all
Properties:   []
Payload: 
x

{rule}
2026-01-02 3:04:07:000: Message published

Exchange:     
Routing keys: [<<"gone">>]
Routed queues: []
Properties:   []
Payload: 

""".format(rule="=" * 80)


def test_the_text_form_of_a_log_is_its_json_form(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(TEXT, encoding="utf-8")
    first, last = read_messages([str(log)])
    assert first.sent() == ("orders", ("eu.new", "cc"), None)
    assert first.recorded("routed_queues") == ("all", "eu")
    assert (first.record.line, last.record.line) == (3, 42)
    assert first.vhost == "/"
    properties = {
        "color": 'r"{e}d é',
        "long": "one two",
        "weight": 2600,
        "ratio": 2.5,
        "bytes": "é",
        "none": None,
        "table": {"type": "map"},
        "array": {"type": "list"},
        "flag": False,
    }
    written = first.message.to_dict()
    assert written["application_properties"] == properties
    assert written["header"] == {"durable": True}
    assert written["properties"]["subject"] == "order"
    assert base64.b64decode(written["body"]["data"]).decode() == f"two\n{'=' * 80}\nlines"
    assert (last.sent(), last.recorded("routed_queues")) == (("", ("gone",), None), ())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{oops", "log:2:2: this is not JSON"),
        ("5", "log:2: trace.entry: an entry of a tracing log must be a JSON object"),
        ('{"exchange": "x"}', "log:2: trace.entry: an entry of a tracing log must contain exchange, routing_keys and"),
        ('{"exchange": "x", "routing_keys": ["k"], "routed_queues": []}', "log:2: trace.entry: properties is missing"),
        (
            '{"exchange": "x", "routing_keys": ["k"], "routed_queues": [], "properties": {"expiration": "soon"}}',
            "log:2: trace.entry: properties.expiration: 'soon' is not a number of milliseconds",
        ),
        (
            f"{'=' * 80}\nnow: Message published\nProperties:   [oops",
            "log:4:20: trace.entry: expected a comma or ], found the end",
        ),
        (
            f"{'=' * 80}\nnow: Message published\nProperties:   [1]",
            "log:3: trace.entry: the field Properties must be a list of entries",
        ),
        (f"{'=' * 80}\nnow: Message published", "log:3: trace.entry: an entry of a tracing log must contain exchange"),
    ],
)
def test_a_line_that_is_no_entry_is_named(
    line: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log").write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(DecodeError) as error:
        list(read_messages(["log"], choose_layout("rabbitmq-trace", (), None)))
    assert str(error.value).startswith(expected)
