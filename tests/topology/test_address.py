"""Addresses: how they are parsed, which bindings they create, and how they appear in a topology."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compiler.sql_text import bare
from transpiler import Message, TopologyError, route_message, transpile_address
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology import Alternate, Binding, Topology, topology_from_dict, topology_to_dict
from transpiler.topology.qpid_address.address import NodeType, parse_address, subscription_bindings, subscription_queue


def test_every_part_of_an_address_is_read() -> None:
    address = parse_address(
        "'my news'/'eu #1' ; {create: always, delete: receiver, assert: never, mode: browse, "
        "node: {type: topic, durable: True, x-declare: {type: headers, arguments: {qpid.msg_sequence: 1}}}, "
        "link: {name: 'sub\\'s', durable: false, reliability: at-least-once, selector: \"a = 'x'\", "
        "x-declare: {auto-delete: true}, x-subscribe: {exclusive: true}, "
        "x-bindings: [{exchange: e, queue: q, key: a.b, arguments: {i: -5, f: .5, b: false, s: '5', w: a-b}}]}}"
    )
    assert (address.name, address.subject) == ("my news", "eu #1")
    assert address.create == "always"
    assert address.node.durable is True
    assert address.node.declare == {"type": "headers", "arguments": {"qpid.msg_sequence": 1}}
    assert (address.link.name, address.link.reliability) == ("sub's", "at-least-once")
    assert address.link.selector == "a = 'x'"
    [binding] = address.link.bindings
    assert (binding.exchange, binding.queue, binding.key) == ("e", "q", "a.b")
    types = {name: (value.type.value, value.value) for name, value in binding.arguments.items()}
    assert types == {
        "i": ("long", -5),
        "f": ("double", 0.5),
        "b": ("boolean", False),
        "s": ("string", "5"),
        "w": ("string", "a-b"),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "address:1:1: address.expected: expected a name"),
        ("a/", "address:1:3: address.expected: expected a subject after /"),
        ("a b", "address:1:3: address.end: expected the end, found 'b'"),
        ("a; b", "address:1:4: address.options: expected options in braces after ;"),
        ("a; {b}", "address:1:6: address.expected: expected : after b"),
        ("a; {link: {x-bindings: [1 2]}}", "address:1:27: address.expected: expected , or ], found '2'"),
        ("a; {link: {x-bindings: [1]}}", "address:1:25: address.type: x-bindings is a map"),
        ("a; {create: }", "address:1:13: address.expected: expected a value, found '}'"),
        ("a; {create: 'alw", "address:1:13: address.unterminated: this string is never closed"),
        ("a; {link: {name: x, name: y}}", "address:1:21: address.duplicate: name occurs twice"),
        ("a; {lnk: {}}", "did you mean link?"),
        ("a; {node: {type: topik}}", "did you mean topic?"),
        ("a; {node: {durable: 5}}", "address:1:21: address.type: durable is true or false"),
        (
            "a; {link: {reliability: some}}",
            "the values of reliability are unreliable, at-most-once, at-least-once, exactly-once",
        ),
        ("a; {link: {x-bindings: [{arguments: {a: []}}]}}", "an argument must be a simple value"),
        ("a; {link: {x-declare: 5}}", "address:1:23: address.type: x-declare is a map"),
        ("a; {link: {x-declare: {auto-delete: yes}}}", "address:1:37: address.type: auto-delete is true or false"),
        ("a; {link: {x-declare: {exclusive: 1}}}", "address:1:35: address.type: exclusive is true or false"),
        ("a; {link: {x-declare: {alternate-exchange: {}}}}", "address.type: alternate-exchange is a text"),
        ("a; {link: {x-declare: {alternate-exchange: ''}}}", "alternate-exchange names an exchange"),
        ("a; {link: {x-declare: {arguments: [1]}}}", "address:1:35: address.type: arguments is a map"),
        (
            "a; {link: {x-declare: {arguments: {a: {b: 1}}}}}",
            "address:1:39: address.type: an argument must be a simple value",
        ),
        ("a; {link: {x-declare: {auto_delete: true}}}", "did you mean auto-delete?"),
        ("a; {link: {x-declare: {type: topic}}}", "x-declare has no option 'type'"),
        ("a; {node: {x-declare: {auto-delete: yes}}}", "address:1:37: address.type: auto-delete is true or false"),
        ("a; " + "{a: " * 30, "limit.nesting"),
    ],
)
def test_what_does_not_belong_is_shown(text: str, expected: str) -> None:
    with pytest.raises(TopologyError) as error:
        parse_address(text)
    assert expected in str(error.value)


@given(st.text(alphabet="ab/;{}[],:'\"\\ #\n5", max_size=40))
def test_any_text_is_an_address_or_has_a_place_where_it_is_none(text: str) -> None:
    try:
        parse_address(text)
    except TopologyError as error:
        span = error.diagnostics[0].span
        assert span is not None
        assert 0 <= span.start <= len(text)


def bound(address: str, exchange_type: NodeType) -> list[tuple[str, str, str, dict[str, object]]]:
    assert exchange_type != "queue"
    bindings = subscription_bindings(parse_address(address), exchange_type, "sub")
    return [
        (made.source, made.destination, made.key, {name: value.value for name, value in made.arguments.items()})
        for made in bindings
    ]


QUERY = "declare variable $qpid.subject external; $qpid.subject = 'red'"


@pytest.mark.parametrize(
    ("address", "exchange_type", "expected"),
    [
        ("n", "topic", [("n", "sub", "#", {})]),
        ("n/eu.*", "topic", [("n", "sub", "eu.*", {})]),
        ("n", "fanout", [("n", "sub", "", {})]),
        ("n/red", "fanout", [("n", "sub", "red", {})]),
        ("n", "direct", [("n", "sub", "", {})]),
        ("n/red", "direct", [("n", "sub", "red", {})]),
        ("n", "headers", [("n", "sub", "", {"x-match": "all"})]),
        ("n/red", "headers", [("n", "sub", "red", {"x-match": "all", "qpid.subject": "red"})]),
        ("n", "xml", [("n", "sub", "", {"xquery": "true()"})]),
        ("n/red", "xml", [("n", "sub", "red", {"xquery": QUERY})]),
        ("n; {link: {x-bindings: [{key: a}, {key: b}]}}", "topic", [("n", "sub", "a", {}), ("n", "sub", "b", {})]),
        ("n/red; {link: {x-bindings: [{key: a}]}}", "topic", [("n", "sub", "red", {}), ("n", "sub", "a", {})]),
        ("n; {link: {x-bindings: [{exchange: e, queue: q, key: a}]}}", "direct", [("e", "q", "a", {})]),
        (
            "n; {link: {x-bindings: [{arguments: {x-match: any, a: 1}}]}}",
            "headers",
            [("n", "sub", "", {"x-match": "any", "a": 1})],
        ),
    ],
)
def test_an_address_makes_the_bindings_that_the_chapter_prescribes(
    address: str, exchange_type: NodeType, expected: list[tuple[str, str, str, dict[str, object]]]
) -> None:
    assert bound(address, exchange_type) == expected


@pytest.mark.parametrize(
    ("link", "durable", "auto_delete"),
    [
        ("", False, True),
        ("reliability: unreliable", False, True),
        ("reliability: exactly-once", False, False),
        ("reliability: at-least-once, durable: true", True, False),
        ("durable: true", True, False),
        ("reliability: unreliable, durable: true", True, True),
        ("reliability: exactly-once, x-declare: {auto-delete: true}", False, True),
        ("x-declare: {auto-delete: false, durable: true}", True, False),
    ],
)
def test_reliability_and_durability_say_what_the_subscription_queue_is(
    link: str, durable: bool, auto_delete: bool
) -> None:
    queue = subscription_queue(parse_address(f"n; {{link: {{{link}}}}}"))
    assert (queue.durable, queue.auto_delete, queue.exclusive) == (durable, auto_delete, True)


def test_a_link_declares_its_subscription_queue_in_full() -> None:
    topology = with_receivers(
        "news; {link: {name: s, durable: true, "
        "x-declare: {auto-delete: True, exclusive: false, alternate-exchange: both, "
        "arguments: {qpid.max_count: 100, qpid.policy_type: ring, 'qpid.last_value_queue': true, r: .5}}}}"
    )
    queue = next(queue for queue in topology.queues if queue.name == "s")
    assert (queue.durable, queue.auto_delete, queue.exclusive) == (True, True, False)
    assert queue.alternate == Alternate("both")
    assert {name: (value.type.value, value.value) for name, value in queue.arguments.items()} == {
        "qpid.max_count": ("long", 100),
        "qpid.policy_type": ("string", "ring"),
        "qpid.last_value_queue": ("boolean", True),
        "r": ("double", 0.5),
    }
    # A published message does not go to a queue's alternate.
    assert route_message(topology, Message(), "news") == ("s",)
    assert topology_from_dict(topology_to_dict(topology)) == topology


def test_a_queue_that_an_address_creates_is_declared_in_full() -> None:
    declare = "x-declare: {auto-delete: true, exclusive: true, alternate-exchange: news, arguments: {a: 1}}"
    topology = with_receivers(f"fresh; {{create: always, node: {{durable: true, {declare}}}}}")
    queue = next(queue for queue in topology.queues if queue.name == "fresh")
    assert (queue.durable, queue.auto_delete, queue.exclusive, queue.alternate) == (True, True, True, Alternate("news"))
    assert queue.arguments == {"a": AmqpValue(AmqpType.LONG, 1)}


@pytest.mark.parametrize(
    ("address", "node_type", "sql"),
    [
        ("n", "topic", "true"),
        ("n/eu.#", "topic", "properties.subject = 'eu' OR startswith(properties.subject, 'eu.')"),
        ("n/red", "direct", "properties.subject = 'red'"),
        ("n", "direct", "properties.subject = '' OR properties.subject IS NULL"),
        ("n/red", "fanout", "true"),
        ("q/red", "queue", "true"),
        ("q; {link: {selector: \"a = 'x'\"}}", "queue", "application_properties['a'].string = 'x'"),
        ("n", "xml", "properties.subject = '' OR properties.subject IS NULL"),
    ],
)
def test_an_address_compiles_to_what_its_bindings_ask(address: str, node_type: NodeType, sql: str) -> None:
    assert bare(transpile_address(address, node_type).sql) == sql


def test_over_amqp_0_10_the_routing_key_goes_before_the_subject() -> None:
    key, subject = "delivery_properties.routing_key", "message_properties.application_headers['qpid.subject'].string"
    assert bare(transpile_address("n/red", "direct", "amqp-0-10").sql) == (
        f"{key} = 'red' OR {key} IS NULL AND {subject} = 'red'"
    )
    # Every message matches: with a routing key or without, and then with a subject or without.
    assert transpile_address("n/#", "topic", "amqp-0-10").sql == "true"


def test_a_binding_of_another_exchange_is_no_part_of_the_column() -> None:
    transpiled = transpile_address("n; {link: {x-bindings: [{key: a}, {exchange: e, key: b}]}}", "topic")
    assert bare(transpiled.sql) == "properties.subject = 'a'"
    assert [finding.code for finding in transpiled.diagnostics] == ["address.elsewhere"]


def test_a_headers_binding_without_x_match_is_refused_as_the_broker_does() -> None:
    with pytest.raises(ValueError, match="x-match: all"):
        transpile_address("n; {link: {x-bindings: [{arguments: {a: 1}}]}}", "headers")


def with_receivers(*addresses: str) -> Topology:
    exchanges = [{"name": "news", "type": "topic"}, {"name": "both", "type": "fanout"}]
    queues = ["jobs", "both"]
    return topology_from_dict(
        {"broker": "qpid-cpp", "exchanges": exchanges, "queues": queues, "addresses": list(addresses)}
    )


def test_addresses_stand_in_a_topology_as_receivers() -> None:
    topology = with_receivers(
        "news/eu.#; {link: {name: eu}}",
        "news",
        "news",
        "amq.match/red; {link: {name: reds}}",
        "jobs; {link: {x-bindings: [{exchange: amq.direct, key: job}]}}",
        "made; {create: always, node: {type: topic, x-declare: {type: direct, alternate-exchange: news}}}",
        "fresh; {create: receiver, node: {x-bindings: [{exchange: news, key: '*.fresh'}]}}",
    )
    message = Message.from_dict({"properties": {"subject": "eu.fresh"}})
    assert route_message(topology, message, "news") == ("eu", "fresh", "news_1", "news_2")
    assert route_message(topology, message, "made") == ("eu", "fresh", "news_1", "news_2")
    assert route_message(topology, Message.from_dict({"properties": {"subject": "red"}}), "amq.match") == ("reds",)
    assert Binding("amq.direct", "jobs", "job") in topology.bindings


def test_a_selector_of_a_link_is_no_condition_of_its_queue() -> None:
    topology = with_receivers("news/a; {link: {name: s, selector: 'b = 1'}}")
    assert [finding.code for finding in topology.findings] == ["address.selector"]
    assert route_message(topology, Message.from_dict({"properties": {"subject": "a"}}), "news") == ("s",)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("jbos", "addresses[0]: there is no queue called 'jbos'\n  hint: did you mean jobs?"),
        ("nwes; {node: {type: topic}}", "hint: did you mean news?"),
        ("both", "addresses[0]: 'both' is both a queue and an exchange"),
        ("x; {create: sender}", "there is no queue called 'x'"),
        ("x; {create: always, node: {type: topic, x-declare: {type: odd}}}", "there are no exchanges of type 'odd'"),
        ("jobs; {link: {x-bindings: [{key: a}]}}", "an element of x-bindings names no exchange"),
        ("news; {link: {oops: 1}}", "addresses[0]:1:15: address.unknown-option"),
        (
            "news; {link: {x-declare: {alternate-exchange: nwes}}}",
            "addresses[0].alternate: there is no exchange called 'nwes'\n  hint: did you mean news?",
        ),
        (
            "news; {link: {x-declare: {exclusive: maybe}}}",
            "addresses[0]:1:38: address.type: exclusive is true or false",
        ),
        ("nwes", "there is no queue called 'nwes'\n  hint: did you mean news?"),
    ],
)
def test_an_address_that_resolves_to_nothing_is_refused(address: str, expected: str) -> None:
    with pytest.raises(TopologyError) as error:
        with_receivers(address)
    assert expected in str(error.value)
