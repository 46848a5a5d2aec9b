"""Topologies from files: the content of each form, the diagnostics, and the errors with their location."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from transpiler import Message, Topology, TopologyError, route_message
from transpiler.base.source import Span
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpList, AmqpMap
from transpiler.message.types import AmqpType, AmqpValue, Compound
from transpiler.reference.route import publish
from transpiler.tools.topology_report.listing import listing
from transpiler.tools.topology_report.picture import draw
from transpiler.topology import parse_topology, read_topology, topology_from_dict, topology_to_dict
from transpiler.topology.files import guess_form, vhosts_of
from transpiler.topology.graph import narrow
from transpiler.topology.importers.broker_j import topology_from_broker_j
from transpiler.topology.importers.rabbitmq import topology_from_definitions

DATA = Path(__file__).parent / "data"
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "data"


def message(subject: str | None = None, **headers: Any) -> Message:
    return Message.from_dict({"properties": {"subject": subject}, "application_properties": headers})


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        (
            "definitions.json",
            json.dumps(
                {
                    "rabbitmq_version": "4.0.5",
                    "vhosts": [{"name": "/"}, {"name": "test"}],
                    "queues": [{"name": "q", "vhost": "/"}, {"name": "r", "vhost": "test"}],
                    "exchanges": [],
                    "bindings": [],
                }
            ),
            ["/", "test"],
        ),
        (
            "config.json",
            json.dumps(
                {
                    "virtualhostnodes": [
                        {"name": "n", "virtualhosts": [{"name": host, "queues": [{"name": "q"}]}]}
                        for host in ("live", "test")
                    ]
                }
            ),
            ["live", "test"],
        ),
        (
            "activemq.xml",
            "<beans xmlns:a='http://activemq.apache.org/schema/core'><a:broker brokerName='one'/>"
            "<a:broker brokerName='two'/></beans>",
            ["one", "two"],
        ),
    ],
)
def test_each_virtual_host_in_the_list_of_a_file_can_be_read(name: str, text: str, names: list[str]) -> None:
    assert vhosts_of(text, name) == names
    for vhost in names:
        parse_topology(text, name, vhost=vhost)


def test_definitions_of_a_real_broker_read_without_a_finding() -> None:
    topology = read_topology(EXAMPLES / "definitions.json")
    assert (len(topology.exchanges), len(topology.queues), len(topology.bindings)) == (6, 42, 43)
    assert topology.findings == ()
    assert topology.exchange_by_name["alerts"].alternate is not None


def definitions(**parts: Any) -> dict[str, Any]:
    return {"rabbit_version": "4.0.5", "vhosts": [{"name": "/"}], "queues": [{"name": "q", "vhost": "/"}]} | parts


def binding(source: str, destination: str = "q", **more: Any) -> dict[str, Any]:
    return {"source": source, "vhost": "/", "destination": destination, "destination_type": "queue"} | more


def test_json_types_are_the_ones_that_the_broker_reads_back() -> None:
    arguments = {"i": 5, "d": 5.5, "s": "5", "b": True, "list": [1], "table": {"a": 1}}
    topology = topology_from_definitions(definitions(bindings=[binding("amq.headers", arguments=arguments)]))
    assert topology.bindings[0].arguments == {
        "i": AmqpValue(AmqpType.LONG, 5),
        "d": AmqpValue(AmqpType.DOUBLE, 5.5),
        "s": AmqpValue(AmqpType.STRING, "5"),
        "b": AmqpValue(AmqpType.BOOLEAN, True),
        "list": AmqpValue(Compound.LIST, encode(AmqpList((AmqpValue(AmqpType.LONG, 1),)))),
        "table": AmqpValue(
            Compound.MAP, encode(AmqpMap(((AmqpValue(AmqpType.STRING, "a"), AmqpValue(AmqpType.LONG, 1)),)))
        ),
    }
    assert [(found.code, found.message.partition(":")[0]) for found in topology.findings] == [
        ("import.decimal", "bindings[0].arguments.d"),
        ("import.types", "bindings[0].arguments.list"),
        ("import.types", "bindings[0].arguments.table"),
    ]


def test_what_goes_through_an_exchange_of_an_unknown_type_is_possible() -> None:
    exchanges = [
        {"name": "lvc", "vhost": "/", "type": "x-lvc"},
        {"name": "late", "vhost": "/", "type": "x-delayed-message", "arguments": {"x-delayed-type": "topic"}},
    ]
    bindings = [binding("lvc"), binding("late", routing_key="a.*"), binding("amq.topic", "lvc")]
    bindings[2]["destination_type"] = "exchange"
    topology = topology_from_definitions(definitions(exchanges=exchanges, bindings=bindings))
    assert route_message(topology, message("a.b"), "late") == ("q",)
    assert [found.code for found in topology.findings] == ["import.exchange-type", "import.delayed"]
    assert topology.findings[0].message.startswith("exchanges[0].type: exchanges of type 'x-lvc'")
    for exchange in ("lvc", "amq.topic"):
        routed = publish(topology, message(""), exchange)
        assert (routed.queues, routed.possible_queues, routed.outcome) == ((), ("q",), "undecided")


def test_policies_give_alternates_and_the_exchanges_own_argument_goes_before_them() -> None:
    exchanges = [
        {"name": name, "vhost": "/", "type": "fanout", "arguments": arguments}
        for name, arguments in (("a.1", {}), ("a.2", {"alternate-exchange": "amq.direct"}), ("b", {}))
    ]
    policies = [
        {"name": "low", "vhost": "/", "pattern": "^a\\.", "definition": {"alternate-exchange": "amq.topic"}},
        {"name": "high", "vhost": "/", "pattern": "", "priority": 5, "definition": {"max-length": 5}},
    ]
    for kept, expected in ((policies[:1], ["amq.topic", "amq.direct", None]), (policies, [None, "amq.direct", None])):
        topology = topology_from_definitions(definitions(exchanges=exchanges, policies=kept))
        assert [exchange.alternate and exchange.alternate.name for exchange in topology.exchanges] == expected


def test_one_virtual_host_is_read() -> None:
    data = definitions(vhosts=[{"name": "/"}, {"name": "other"}])
    data["queues"].append({"name": "elsewhere", "vhost": "other"})
    assert topology_from_definitions(data, "other").queue_names == {"elsewhere"}
    for vhost, expected in ((None, "choose one of /, other"), ("third", "there is no virtual host 'third'")):
        with pytest.raises(TopologyError, match=expected):
            topology_from_definitions(data, vhost)


def test_what_routes_besides_is_a_link_and_a_hidden_queue_is_listed() -> None:
    here, there = "amqp://", ["amqps://user@other.example/%2f"]
    shovels: list[dict[str, Any]] = [
        {"src-uri": here, "src-queue": "q", "dest-uri": there, "dest-exchange": "far"},
        {
            "src-uri": there,
            "src-exchange": "far",
            "dest-uri": "amqp:///",
            "dest-exchange": "x",
            "dest-exchange-key": "k",
        },
        {"src-uri": here, "src-exchange": "x", "dest-uri": there, "dest-queue": "far"},
        {"src-uri": there, "src-queue": "far", "dest-uri": there, "dest-queue": "far"},
        {"src-uri": "amqp:///elsewhere", "src-queue": "q", "dest-uri": here, "dest-address": "/queues/q"},
    ]
    data = definitions(
        vhosts=[{"name": "/"}],
        exchanges=[{"name": "x", "vhost": "/", "type": "fanout"}],
        parameters=[
            *(
                {"component": "shovel", "name": f"s{n}", "vhost": "/", "value": value}
                for n, value in enumerate(shovels)
            ),
            {"component": "federation-upstream", "name": "up", "vhost": "/", "value": {"uri": "amqp://other"}},
            {"component": "of-a-plugin", "name": "p", "vhost": "/", "value": {}},
        ],
        policies=[{"name": "f", "vhost": "/", "pattern": "^x$", "definition": {"federation-upstream-set": "all"}}],
        novelty=[],
    )
    topology = topology_from_definitions(data)
    assert [(link.kind, link.source, link.destination, link.key) for link in topology.links] == [
        ("federation", None, "x", None),
        ("shovel", "q", None, None),
        ("shovel", None, "x", "k"),
        ("shovel", "shovel s2", None, None),
        ("shovel", None, None, None),
        ("shovel", None, "q", None),
    ]
    assert [finding.message for finding in topology.findings] == [
        "novelty: is not understood",
        "parameters[2]: the shovel has a queue of its own at 'x', which this topology calls 'shovel s2'",
        "parameters[6]: this parameter of of-a-plugin is ignored, because selector-sql does not support it",
    ]
    assert topology_from_dict(topology_to_dict(topology)).links == topology.links


def test_a_shovel_between_two_other_brokers_is_shown_in_the_whole_and_in_no_part() -> None:
    ends = {"src-uri": "amqp://a.example", "src-queue": "in", "dest-uri": "amqp://b.example", "dest-queue": "out"}
    shovel = {"component": "shovel", "name": "far", "vhost": "/", "value": ends}
    topology = topology_from_definitions(definitions(vhosts=[{"name": "/"}], parameters=[shovel]))
    assert "another broker → another broker: moved by the shovel far" in listing(topology)
    assert draw(topology, "mermaid").count("another broker") == 2
    assert topology_to_dict(topology)["links"] == [{"kind": "shovel", "when": "moved by the shovel far"}]
    assert "shovel" not in listing(narrow(topology, around=["q"]))


@pytest.mark.parametrize(
    ("arguments", "definition", "expected"),
    [
        ({}, {"message-ttl": 5}, []),
        ({"x-dead-letter-exchange": "x"}, {}, [("x", None, "rejected or expired")]),
        ({}, {"dead-letter-exchange": "x", "dead-letter-routing-key": "k"}, [("x", "k", "rejected or expired")]),
        (
            {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "q", "x-max-length": 5},
            {"dead-letter-exchange": "x"},
            [("q", "q", "rejected, expired or over the queue's length")],
        ),
        (
            {"x-dead-letter-exchange": "x", "x-overflow": "reject-publish", "x-queue-type": "quorum"},
            {"max-length": 5},
            [("x", None, "rejected, expired or delivered too often")],
        ),
        ({"x-dead-letter-exchange": "x", "x-queue-type": "stream"}, {}, []),
    ],
)
def test_dead_letters_are_links(arguments: dict[str, Any], definition: dict[str, Any], expected: list[Any]) -> None:
    queue = {"name": "q", "vhost": "/", "arguments": arguments}
    policy = {"name": "p", "vhost": "/", "pattern": "^q$", "apply-to": "queues", "definition": definition}
    other = {"name": "o", "vhost": "/", "pattern": "q", "priority": -1, "definition": {"dead-letter-exchange": "o"}}
    topology = topology_from_definitions(definitions(queues=[queue], policies=[policy, other]))
    assert [(link.destination, link.key, link.when) for link in topology.links] == expected


def test_an_alternate_that_is_not_there_is_none_to_rabbitmq() -> None:
    exchanges = [{"name": "x", "vhost": "/", "type": "fanout", "arguments": {"alternate-exchange": "gone"}}]
    topology = topology_from_definitions(definitions(exchanges=exchanges))
    assert publish(topology, message("k"), "x").outcome == "discarded"


def broker_j() -> Topology:
    return read_topology(DATA / "broker_j.json")


def test_a_broker_j_configuration_says_who_receives_what() -> None:
    topology = broker_j()
    gale, sub1 = "gale_alert", "sub1"
    for published, exchange, expected in (
        (message("shipping.gale", area="Forties", speed=9), "shipping", (gale, sub1)),
        (message("shipping.gale", area="Viking", speed=9), "shipping", (gale,)),
        (message("shipping.gale", area="Viking"), "shipping", ("lost",)),
        (message("news.gale", speed=8), "amq.topic", (gale,)),
        (message(quadTree=",1023,", messageType="DENM"), "capability", (sub1,)),
        (message(area="anything"), "capability", (gale,)),
        (message(speed={"type": "int", "value": 9}), "capability", (gale,)),
        (message(speed=9), "capability", ()),
        (message("lost"), "", ("lost",)),
    ):
        assert route_message(topology, published, exchange) == expected


def test_what_broker_j_does_not_show_or_we_do_not_do_is_listed() -> None:
    listed = [finding.message for finding in broker_j().findings]
    host = "virtualhostnodes[0].virtualhosts[0]"
    assert listed == [
        f"{host}.nodeAutoCreationPolicies: "
        "this attribute is ignored, because selector-sql does not support it, but it can change the routing",
        f"{host}.queues[2].defaultFilters: this attribute is ignored, because selector-sql does not support it",
        f"{host}.exchanges[4].durableBindings[1].arguments.x-qpid-no-local: "
        "this filter is ignored, because selector-sql does not support filters of this kind",
        f"{host}.exchanges[4].durableBindings[2].bindingKey: "
        "the value contains ${…}, which the broker replaces by another text; selector-sql keeps it as written",
    ]
    assert broker_j().findings[0].render().startswith(str(DATA / "broker_j.json"))


def test_the_unroutable_behaviour_of_broker_j_is_read() -> None:
    host = {"queues": [], "exchanges": [{"name": "x", "type": "direct", "unroutableMessageBehaviour": "REJECT"}]}
    assert publish(topology_from_broker_j(host), message("k"), "x").outcome == "rejected"


def test_what_the_management_interface_shows_reads_as_well() -> None:
    one = {"bindingKey": "k", "destination": "q", "arguments": {}, "name": "k", "type": "binding"}
    exchange = {"name": "x", "type": "direct", "bindings": [one], "durableBindings": [one]}
    topology = topology_from_broker_j([{"name": "host", "exchanges": [exchange], "queues": [{"name": "q"}]}])
    assert len(topology.bindings) == 1
    assert route_message(topology, message("k"), "x") == ("q",)


def test_the_initial_configuration_of_a_node_is_read() -> None:
    host = json.dumps({"queues": [{"name": "q"}]})
    node = {"name": "default", "virtualHostInitialConfiguration": host}
    assert topology_from_broker_j({"virtualhostnodes": [node]}).queue_names == {"q"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"type": "topik"}, "exchanges[0].type: 'topik' is not an allowed value\n  hint: did you mean topic?"),
        ({"type": None}, "exchanges[0]: type is missing"),
        ({"durable": "yes"}, "exchanges[0].durable: expected true or false, found text"),
        (
            {"unroutableMessageBehaviour": "DROP"},
            "exchanges[0].unroutableMessageBehaviour: 'DROP' is not an allowed value",
        ),
        ({"alternateBinding": {"destination": "gone"}}, "exchanges[0].alternate: there is no exchange called 'gone'"),
        ({"alternateBinding": "gone"}, "exchanges[0].alternateBinding: expected an object, found text"),
        ({"name": "amq.mine"}, "names that begin with amq. or qpid. are reserved"),
        ({"durableBindings": {}}, "exchanges[0].durableBindings: expected an array, found an object"),
        ({"durableBindings": [{}]}, "exchanges[0].durableBindings[0]: destination is missing"),
        (
            {"durableBindings": [{"bindingKey": "..", "destination": "q"}]},
            "exchanges[0].durableBindings[0].key: qpid-java does not accept a binding key that consists only of dots",
        ),
        (
            {"durableBindings": [{"bindingKey": "k", "destination": "que"}]},
            "exchanges[0].durableBindings[0].destination: there is no exchange called 'que'",
        ),
        (
            {"durableBindings": [{"destination": "q", "arguments": {"x-filter-jms-selector": "a = = 1"}}]},
            "exchanges[0].durableBindings[0].arguments.x-filter-jms-selector:1:5: syntax.unexpected-token",
        ),
        (
            {"durableBindings": [{"destination": "q", "arguments": {"x-filter-jms-selector": 5}}]},
            "exchanges[0].durableBindings[0].arguments.x-filter-jms-selector: expected text, found int",
        ),
    ],
)
def test_what_is_wrong_in_a_broker_j_configuration_is_refused_with_its_path(
    change: dict[str, Any], expected: str
) -> None:
    exchange = {"name": "x", "type": "topic"} | change
    text = json.dumps({"modelVersion": "9.0", "queues": [{"name": "q"}], "exchanges": [exchange]})
    with pytest.raises(TopologyError) as error:
        parse_topology(text, "config.json")
    assert expected in without_publication(error.value)
    assert re.match(r"config\.json:1:\d+: ", str(error.value))


FORM = """
broker: qpid-java
default_exchange: orders
queues:
  - new
  - {name: lost, durable: false}
exchanges:
  - {name: orders, type: direct, alternate: {queue: lost}, unroutable: reject}
  - {name: all, type: headers}
bindings:
  - {source: orders, queue: new, key: new, selector: price > 5}
  - {source: orders, exchange: all, key: any}
  - {source: all, queue: new, arguments: {x-match: any, urgent: true, grade: {type: char, value: A}, seen: null}}
"""


def test_the_own_form_reads_as_yaml_and_as_json_and_comes_back() -> None:
    topology = parse_topology(FORM, "orders.yaml")
    assert route_message(topology, message("new", price=6)) == ("new",)
    assert route_message(topology, message("new", price=5)) == ("lost",)
    assert route_message(topology, message("any", urgent=True)) == ("new",)
    written = topology_to_dict(topology)
    assert topology_from_dict(written) == topology
    assert parse_topology(json.dumps(written), "orders.json") == topology


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{oops", "t.json:1:2: topology.json: this is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("5", "t.json: topology.type: expected an object, found a number"),
        ("{}", "t.json: topology.missing: broker is missing"),
        ('{"broker": "rabbit"}', "broker: 'rabbit' is not an allowed value\n  hint: did you mean rabbitmq?"),
        ('{"broker": "rabbitmq", "queue": []}', "did you mean queues?"),
        ('{"broker": "rabbitmq", "queues": [5]}', "queues[0]: expected an object or a name, found a number"),
        ('{"broker": "rabbitmq", "queues": ["a", "a"]}', "queues[1].name: 'a' is declared twice"),
        ('{"broker": "rabbitmq", "queues": [""]}', "queues[0].name: a queue must have a name"),
        ('{"broker": "rabbitmq", "bindings": [{"source": "a"}]}', "bindings[0]: names a queue or an exchange"),
        (
            '{"broker": "rabbitmq", "queues": ["q"], "bindings": [{"source": "amq.headers", "queue": "q", '
            '"arguments": {"x-match": "some"}}]}',
            "bindings[0].arguments.x-match: x-match cannot have the value 'some'",
        ),
        (
            '{"broker": "rabbitmq", "queues": ["q"], "bindings": [{"source": "", "queue": "q"}]}',
            "bindings[0].source: the default exchange accepts no bindings",
        ),
        (
            '{"broker": "qpid-cpp", "bindings": [{"source": "amq.topic", "exchange": "amq.fanout"}]}',
            "bindings[0].destination_type: qpid-cpp does not bind exchanges to exchanges",
        ),
        (
            '{"broker": "rabbitmq", "exchanges": [{"name": "x", "type": "xml"}]}',
            "exchanges[0].type: rabbitmq has no exchanges of type 'xml'",
        ),
        (
            '{"broker": "rabbitmq", "exchanges": [{"name": "x", "type": "fanout", "alternate": {"queue": "q"}}], '
            '"queues": ["q"]}',
            "exchanges[0].alternate: in rabbitmq an alternate is an exchange, not a queue",
        ),
        (
            '{"broker": "rabbitmq", "exchanges": [{"name": "amq.topic", "type": "direct"}]}',
            "exchanges[0].type: amq.topic is predeclared with type topic",
        ),
        ('{"broker": "rabbitmq", "default_exchange": "x"}', "default_exchange: there is no exchange called 'x'"),
        (
            '{"broker": "qpid-cpp", "queues": ["q"], "exchanges": [{"name": "x", "type": "xml"}], '
            '"bindings": [{"source": "x", "queue": "q", "xquery": "count(a) > 1"}]}',
            "t.json: bindings[0].arguments.xquery:1:1: xquery.unsupported",
        ),
        ('{"broker": "qpid-cpp", "addresses": ["news/"]}', "t.json: addresses[0]:1:6: address.expected"),
        ('{"broker": "qpid-cpp", "addresses": ["news"]}', "addresses[0]: there is no queue called 'news'"),
    ],
)
def test_what_is_wrong_in_the_own_form_is_refused_with_its_path(text: str, expected: str) -> None:
    with pytest.raises(TopologyError) as error:
        parse_topology(text, "t.json")
    assert expected in (str(error.value) if ":1:2:" in expected else without_publication(error.value))


def without_publication(error: TopologyError) -> str:
    """Return the error without the location in the file and without the quoted line."""
    return re.sub(r"^(\w+\.json):\d+:\d+", r"\1", re.sub(r"(?m)\n +\d* \| .*", "", str(error)))


OWN_LINES = """{"broker": "rabbitmq",
 "queues": ["q", {"name": "r", "durable": "yes"}],
 "exchanges": [{"name": "e", "type": "topik"}],
 "bindings": [{"source": "gone", "queue": "q"},
  {"source": "amq.headers", "queue": "q", "arguments": {"x-match": "some"}}]}"""


@pytest.mark.parametrize(
    ("old", "new", "location", "shown"),
    [
        ("", "", "3:38", '"topik"'),
        ('"topik"', '"topic"', "2:43", '"yes"'),
        ('"topik"|"yes"', '"topic"|true', "4:26", '"gone"'),
        ('"topik"|"yes"|gone', '"topic"|true|amq.fanout', "5:68", '"some"'),
        ('"broker": "rabbitmq"', '"brokr": 1', "1:11", "1"),
        ('"queue": "q"}', '"queue": "q", "kee": 5}', "3:38", '"topik"'),
    ],
)
@pytest.mark.parametrize("name", ["t.json", "t.yaml"])
def test_an_error_of_the_own_form_has_line_and_column(old: str, new: str, location: str, shown: str, name: str) -> None:
    text = OWN_LINES
    for before, after in zip(old.split("|"), new.split("|"), strict=True):
        text = text.replace(before, after) if before else text
    with pytest.raises(TopologyError) as error:
        parse_topology(text, name)
    finding = error.value.diagnostics[0]
    assert str(error.value).startswith(f"{name}:{location}: ")
    assert finding.span is not None
    assert text[finding.span.start :].startswith(shown)


def test_the_last_of_many_bindings_is_found() -> None:
    bindings = [{"source": "amq.topic", "queue": "q"} for _ in range(20_000)] + [{"source": "x", "queue": "q"}]
    text = json.dumps({"broker": "rabbitmq", "queues": ["q"], "bindings": bindings}, indent=0)
    line = text[: text.rindex('"x"')].count("\n") + 1
    with pytest.raises(TopologyError, match=rf"t\.json:{line}:"):
        parse_topology(text, "t.json")


@pytest.mark.parametrize(
    ("word", "expected_text"),
    [
        ("NO", "write true or false, or 'NO'"),
        ("off", "write true or false, or 'off'"),
        ("010", "write '010', or a decimal number"),
        ("1:30", "write '1:30'"),
        ("0o17", "write '0o17', or 15"),
        ("1e3", "write '1e3', or 1000"),
        ("2024-06-24", "write '2024-06-24'"),
        ("2024-06-24T10:00:00Z", "write '2024-06-24T10:00:00Z'"),
        ("1.10", "write '1.10' for a text, or 1.1"),
        ("4.1.0", "write '4.1.0'"),
        ("!x 1", "write the value without the tag"),
    ],
)
def test_a_word_that_yaml_misreads_is_refused_with_the_spelling_to_use(word: str, expected_text: str) -> None:
    text = f"""broker: rabbitmq
queues: [q]
bindings:
  - {{source: amq.headers, queue: q, arguments: {{x-match: all, code: {word}}}}}"""
    with pytest.raises(TopologyError, match=r"t\.yaml:4:69: topology\.word") as error:
        parse_topology(text, "t.yaml")
    assert (error.value.diagnostics[0].hint or "").startswith(expected_text)


def test_words_that_yaml_reads_as_people_do_are_values() -> None:
    text = """broker: rabbitmq
queues: [q]
bindings:
  - source: amq.headers
    queue: q
    arguments: {x-match: all, NO: 'NO', a: true, b: 10, c: 1.5, d: -2, e: .5, f: "010", g: 1.0, h: '4.1.0'}"""
    [binding] = parse_topology(text, "t.yaml").bindings
    assert {name: value.value for name, value in binding.arguments.items()} == {
        **{"x-match": "all", "NO": "NO", "a": True, "b": 10, "c": 1.5, "d": -2, "e": 0.5, "f": "010", "g": 1.0},
        "h": "4.1.0",
    }


def test_a_mapping_of_yaml_may_be_merged_into_others() -> None:
    text = """broker: rabbitmq
queues: [q, {name: r}]
bindings:
  - &first {source: amq.topic, queue: q, key: a}
  - {<<: *first, key: b}
  - {<<: [{key: c}, *first], queue: r}"""
    bindings = parse_topology(text, "t.yaml").bindings
    assert [(each.destination, each.key) for each in bindings] == [("q", "a"), ("q", "b"), ("r", "c")]


RESOURCES = """apiVersion: v1
kind: Namespace
metadata: {name: orders, resourceVersion: 010}
---
apiVersion: broker.amq.io/v1beta1
kind: ActiveMQArtemis
metadata: {name: one}
spec:
  version: 7.12.0
  brokerProperties:
    - addressConfigurations."orders.eu".routingTypes=MULTICAST
    - addressConfigurations."orders.eu".queueConfigs.audit.routingType=MULTICAST
---
"""


def test_each_document_of_a_file_is_looked_at() -> None:
    topology = parse_topology(RESOURCES, "k.yaml")
    assert [queue.name for queue in topology.queues] == ["audit"]
    assert [finding.message for finding in topology.findings] == [
        "Kubernetes resources that belong to no broker are skipped: Namespace orders (at 1:1)"
    ]
    both = RESOURCES + RESOURCES.partition("---\n")[2].replace("one", "two").replace("audit", "copy")
    assert vhosts_of(both, "k.yaml") == ["one", "two"]
    assert [queue.name for queue in parse_topology(both, "k.yaml", vhost="two").queues] == ["copy"]
    with pytest.raises(TopologyError, match="there are 2 brokers"):
        parse_topology(both, "k.yaml")
    with pytest.raises(
        TopologyError, match=r"no resource in the file describes a topology: Namespace orders \(at 1:1\); Service s"
    ):
        parse_topology(
            RESOURCES.partition("---\n")[0] + "---\n{apiVersion: v1, kind: Service, metadata: {name: s}}", "k.yaml"
        )
    with pytest.raises(
        TopologyError,
        match="2 topologies, but one is expected\n  hint: perhaps put each topology into its own file: 1:1",
    ):
        parse_topology("broker: rabbitmq\n---\nbroker: qpid-java", "k.yaml")
    with pytest.raises(TopologyError, match=r"k\.yaml:11:5: spec\.brokerProperties:3:1: "):
        parse_topology(
            RESOURCES.replace("MULTICAST\n---", "MULTICAST\n    - divertConfigurations.d.address=a\n---"), "k.yaml"
        )


@pytest.mark.parametrize("before", ["broker: rabbitmq\nqueues: [a", "x", "broker: rabbitmq # "])
@pytest.mark.parametrize("code", [0xD800, 0xDCFF])
def test_half_of_a_surrogate_pair_in_yaml_is_refused_where_it_is(before: str, code: int) -> None:
    with pytest.raises(TopologyError, match="half of a surrogate pair") as error:
        parse_topology(f"{before}{chr(code)}b]", "t.yaml")
    [found] = error.value.diagnostics
    assert (found.code, found.span) == ("topology.yaml", Span(len(before), len(before) + 1))


def test_yaml_that_is_none_shows_its_place() -> None:
    with pytest.raises(TopologyError, match=r"t\.yaml:2:\d+: topology\.yaml: this is not YAML"):
        parse_topology("broker: rabbitmq\nqueues: [a", "t.yaml")


def test_many_errors_are_not_all_listed() -> None:
    bindings = [{"source": f"x{number}", "queue": "q"} for number in range(100)]
    with pytest.raises(TopologyError) as error:
        topology_from_dict({"broker": "rabbitmq", "queues": ["q"], "bindings": bindings})
    assert len(error.value.diagnostics) == 21


@pytest.mark.parametrize(
    ("data", "form"),
    [
        ({"vhosts": [{"name": "/"}], "queues": [], "exchanges": [], "bindings": []}, "rabbitmq"),
        ({"broker": "rabbitmq"}, "topology"),
        ({"rabbit_version": "3.10.8"}, "rabbitmq"),
        ({"bindings": [{"routing_key": "k"}]}, "rabbitmq"),
        ({"exchanges": [], "queues": []}, "broker-j"),
        ({"queues": [{"name": "q", "vhost": "/"}]}, "rabbitmq"),
        ({"exchanges": [{"name": "x", "type": "topic", "auto_delete": False}], "bindings": []}, "rabbitmq"),
        ({"bindings": [{"source": "x", "destination": "q"}]}, "rabbitmq"),
        ({"bindings": [{"source": "x", "queue": "q"}]}, "topology"),
        ({"virtualhostnodes": []}, "broker-j"),
        ([{"exchanges": []}], "broker-j"),
        (5, "topology"),
    ],
)
def test_the_form_of_a_file_shows_in_what_it_holds(data: Any, form: str) -> None:
    assert guess_form(data) == form


HOST = """/* A licence, with "quotes" and {braces}.
 */
{ // the host
  "name": "orders", "type": "JSON", "modelVersion": "9.0", "description": "amqp://a /* no comment */",
  "queues": [{"name": "q"}], /**/ "exchanges": [{"name": "x", "type": "direct",
    "durableBindings": [{"destination": "q", "bindingKey": "//k"}]}] // the end
}"""


def test_comments_are_read_over_as_broker_j_does() -> None:
    assert route_message(parse_topology(HOST, "host.json"), Message.from_dict({"properties": {"subject": "//k"}}), "x")
    with pytest.raises(TopologyError, match=r"host\.json:6:69: topology\.json: this is not JSON"):
        parse_topology(HOST.replace("}]}] //", "}]}]] //"), "host.json")
    for broken in ("/* open", "{} /", '{"a": 1} # no comment', '{"queues": [1,]}'):
        with pytest.raises(TopologyError, match="this is not JSON"):
            parse_topology(broken, "host.json")


NODE = {"name": "n", "type": "JSON"}


@pytest.mark.parametrize(
    ("data", "listed"),
    [
        ({"name": "v", "modelVersion": "9.1", "type": "BDB", "context": {}}, []),
        ({"virtualhostnodes": [NODE | {"virtualHostInitialConfiguration": "{}"}]}, []),
        ({"virtualhostnodes": [NODE | {"virtualHostInitialConfiguration": "${a.b}"}]}, ["import.context"]),
        ({"virtualhostnodes": [NODE | {"virtualhosts": [{"name": "v", "type": "Memory"}]}]}, []),
    ],
)
def test_a_virtual_host_of_broker_j_may_have_no_objects(data: dict[str, Any], listed: list[str]) -> None:
    topology = parse_topology(json.dumps({"modelVersion": "9.1"} | data), "config.json")
    assert topology.queues == ()
    assert [finding.code for finding in topology.findings] == listed


def test_a_broker_without_virtual_hosts_is_refused() -> None:
    with pytest.raises(TopologyError, match="the file contains no virtual host"):
        parse_topology('/* c */ {"modelVersion": "9.0", "ports": [], "virtualhostnodes": []}', "config.json")


def test_a_dense_file_is_read_whole() -> None:
    """The file repeats a binding of a hundred characters with sixteen values and keys."""
    bindings = [
        {"source": "x", "destination": f"{n % 7}", "routing_key": f"{n}", "arguments": {}} for n in range(50_000)
    ]
    data = {
        "rabbitmq_version": "4.1.0",
        "exchanges": [{"name": "x", "type": "direct"}],
        "queues": [{"name": f"{n}"} for n in range(7)],
        "bindings": bindings,
    }
    text = json.dumps(data, separators=(",", ":"))
    assert len(parse_topology(text, "definitions.json").bindings) == 50_000
