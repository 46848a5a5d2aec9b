"""Definitions of RabbitMQ 3.8 to 4.2: what each version writes can be imported, and routes as the broker does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.topology.compiled_selectors import compiled
from transpiler import Message, TopologyError, parse_selector
from transpiler.reference.route import publish, route_message
from transpiler.reference.routed import Routed
from transpiler.topology import parse_topology, topology_from_dict, topology_to_dict
from transpiler.topology.importers.rabbitmq import topology_from_definitions
from transpiler.topology.model import Topology

Json = dict[str, Any]


def read(**parts: Any) -> Topology:
    """Return the topology of an export of one virtual host, whose entries need not name it."""
    vhost = {"rabbitmq_version": "4.0.5", "vhosts": [{"name": "/"}]}
    return topology_from_definitions(vhost | parts)


def codes(topology: Topology) -> list[str]:
    return [finding.code for finding in topology.findings]


def message(subject: str | None = None, **headers: Any) -> Message:
    return Message.from_dict({"properties": {"subject": subject}, "application_properties": headers})


_QUEUE = {"name": "q", "vhost": "/", "durable": True, "auto_delete": False, "arguments": {}}
_EXCHANGE = {"name": "x", "vhost": "/", "type": "fanout", "durable": True, "auto_delete": False, "arguments": {}}
_BINDING = {"source": "x", "vhost": "/", "destination": "q", "destination_type": "queue", "routing_key": "k"}
_USER = {"name": "guest", "password_hash": "", "hashing_algorithm": "rabbit_password_hashing_sha256"}

#: Members that each version writes in addition to exchanges, queues and bindings or inside them, without effect on
#: routing.
VERSIONS: tuple[tuple[str, Json], ...] = (
    (
        "3.8, over HTTP",
        {
            "rabbit_version": "3.8.9",
            "rabbitmq_version": "3.8.9",
            "product_name": "RabbitMQ",
            "product_version": "3.8.9",
            "users": [_USER | {"tags": "administrator"}],
            "vhosts": [{"name": "/"}],
            "permissions": [{"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}],
            "topic_permissions": [],
            "parameters": [],
            "global_parameters": [{"name": "cluster_name", "value": "rabbit@host"}],
            "policies": [
                {
                    "vhost": "/",
                    "name": "ha",
                    "pattern": ".*",
                    "apply-to": "queues",
                    "definition": {"ha-mode": "all"},
                    "priority": 0,
                }
            ],
            "exchanges": [_EXCHANGE | {"internal": False}],
        },
    ),
    (
        "3.10, by rabbitmqctl",
        {
            "rabbit_version": "3.10.8",
            "rabbitmq_version": "3.10.8",
            "users": [_USER | {"limits": {}, "tags": ["administrator"]}],
            "vhosts": [
                {
                    "limits": [["max-queues", 100]],
                    "metadata": {"description": "Default virtual host", "tags": []},
                    "name": "/",
                }
            ],
            "parameters": [
                {"component": "vhost-limits", "name": "limits", "value": {"max-queues": 100}, "vhost": "/"},
                {
                    "component": "operator_policy",
                    "name": "op",
                    "value": {
                        "apply-to": "queues",
                        "definition": [["max-length", 5]],
                        "pattern": "^f",
                        "priority": 0,
                    },
                    "vhost": "/",
                },
            ],
            "queues": [_QUEUE | {"type": "quorum", "arguments": {"x-queue-type": "quorum"}}],
        },
    ),
    (
        "3.12",
        {
            "rabbitmq_version": "3.12.14",
            "vhosts": [{"name": "/", "metadata": {"default_queue_type": "quorum", "tags": []}, "limits": []}],
            "policies": [
                {"vhost": "/", "name": kind, "pattern": "", "apply-to": kind, "definition": {"max-length": 5}}
                for kind in ("classic_queues", "quorum_queues", "streams", "queues")
            ],
        },
    ),
    (
        "3.13, one virtual host",
        {
            "rabbitmq_version": "3.13.7",
            "rabbitmq_definition_format": "single_virtual_host",
            "original_vhost_name": "/",
            "explanation": "Definitions of virtual host '/'",
            "metadata": {"description": "", "tags": []},
            "description": "",
            "default_queue_type": "undefined",
            "limits": [],
            "vhosts": [],
        },
    ),
    (
        "4.2",
        {
            "rabbitmq_version": "4.2.0",
            "rabbitmq_definition_format": "cluster",
            "original_cluster_name": "rabbit@host",
            "explanation": "Definitions of cluster 'rabbit@host'",
            "vhosts": [
                {
                    "name": "/",
                    "description": "",
                    "tags": [],
                    "default_queue_type": "stream",
                    "metadata": {"default_queue_type": "stream", "description": "", "tags": []},
                    "limits": [],
                }
            ],
            "parameters": [
                {
                    "component": "operator_policy",
                    "name": "op",
                    "value": {"apply-to": "queues", "definition": {"delivery-limit": 5}, "pattern": "", "priority": 0},
                    "vhost": "/",
                }
            ],
            "queues": [_QUEUE | {"type": "stream", "arguments": {"x-queue-type": "stream", "x-max-age": "1D"}}],
        },
    ),
)


@pytest.mark.parametrize("parts", [parts for _, parts in VERSIONS], ids=[name for name, _ in VERSIONS])
def test_the_definitions_of_every_version_read_without_a_finding(parts: Json) -> None:
    topology = topology_from_definitions({"exchanges": [_EXCHANGE], "queues": [_QUEUE], "bindings": [_BINDING]} | parts)
    assert topology.findings == ()
    assert route_message(topology, message("anything"), "x") == ("q",)


def test_a_super_stream_routes_by_the_keys_of_its_partitions() -> None:
    names = ("invoices-0", "invoices-1")
    topology = read(
        exchanges=[_EXCHANGE | {"name": "invoices", "type": "direct", "arguments": {"x-super-stream": True}}],
        queues=[_QUEUE | {"name": name, "type": "stream", "arguments": {"x-queue-type": "stream"}} for name in names],
        bindings=[
            _BINDING
            | {
                "source": "invoices",
                "destination": name,
                "routing_key": str(number),
                "arguments": {"x-stream-partition-order": number},
            }
            for number, name in enumerate(names)
        ],
    )
    assert topology.findings == ()
    assert route_message(topology, message("1"), "invoices") == ("invoices-1",)


def policy(pattern: str, alternate: str | None = "amq.fanout", **more: Any) -> Json:
    definition = {"max-length": 5} if alternate is None else {"alternate-exchange": alternate}
    return {"vhost": "/", "name": f"p{pattern}", "pattern": pattern, "definition": definition, "priority": 0} | more


#: A title, policies, the resulting alternate of the exchange ``x`` or None, and the codes of diagnostics.
POLICIES: tuple[tuple[str, list[Json], str | None, list[str]], ...] = (
    ("none matches", [policy("^y")], None, []),
    ("it applies to exchanges", [policy("x", **{"apply-to": "exchanges"})], "amq.fanout", []),
    ("it applies to all", [policy("x", **{"apply-to": "all"})], "amq.fanout", []),
    ("it applies to queues", [policy("x", **{"apply-to": "queues"})], None, []),
    ("it applies to streams", [policy("x", **{"apply-to": "streams"})], None, []),
    ("it applies to what is new", [policy("x", **{"apply-to": "rivers"})], None, ["import.unknown"]),
    ("the higher priority", [policy("x"), policy("^x$", "amq.direct", priority=1)], "amq.direct", []),
    ("the higher one alone", [policy("x"), policy("^x$", None, priority=1)], None, []),
    ("a fraction", [policy("x", priority=0.5), policy("^x$", "amq.direct")], "amq.fanout", []),
    ("two alike", [policy("x"), policy("^x$")], "amq.fanout", []),
    ("another virtual host", [policy("x", vhost="other")], None, []),
)


@pytest.mark.parametrize(
    ("policies", "alternate", "found"), [row[1:] for row in POLICIES], ids=[p[0] for p in POLICIES]
)
def test_a_policy_gives_an_alternate(policies: list[Json], alternate: str | None, found: list[str]) -> None:
    topology = topology_from_definitions(
        {"vhosts": [{"name": "/"}], "exchanges": [_EXCHANGE], "policies": policies}, "/"
    )
    exchange = topology.exchange_by_name["x"]
    assert (exchange.alternate and exchange.alternate.name) == alternate
    assert codes(topology) == found


def test_of_two_policies_with_one_priority_what_they_set_is_possible() -> None:
    bindings = [_BINDING | {"source": "amq.fanout"}, _BINDING | {"source": "amq.direct", "routing_key": "k"}]
    queues = [_QUEUE, _QUEUE | {"name": "r"}]
    bindings[1]["destination"] = "r"
    policies = [policy("x"), policy("^x$", "amq.direct"), policy("", "amq.topic", priority=-1)]
    topology = read(exchanges=[_EXCHANGE], queues=queues, bindings=bindings, policies=policies)
    assert codes(topology) == ["import.policy"]
    assert publish(topology, message("k"), "x") == Routed((), "undecided", "x", ("q", "r"))


def letters(pattern: str, exchange: str | None, **more: Any) -> Json:
    definition = {} if exchange is None else {"dead-letter-exchange": exchange}
    return policy(pattern, None, **{"definition": definition} | more)


_LIMITED = "rejected, expired or over the queue's length"

#: A title, policies, a queue's type, the targets and conditions of its dead letters, and the codes of diagnostics.
LETTERS: tuple[tuple[str, list[Json], str, list[tuple[str, str]], list[str]], ...] = (
    (
        "the higher one",
        [letters("q", "a", priority=1), letters("q$", "b")],
        "classic",
        [("a", "rejected or expired")],
        [],
    ),
    ("two alike", [letters("q", "a"), letters("^q", "a")], "classic", [("a", "rejected or expired")], []),
    (
        "two that part",
        [letters("q", "a"), letters("^q", "b")],
        "classic",
        [
            ("a", "rejected or expired, if the policy 'pq' counts"),
            ("b", "rejected or expired, if the policy 'p^q' counts"),
        ],
        ["import.policy"],
    ),
    (
        "one that gives none",
        [letters("q", "a"), policy("^q", None)],
        "classic",
        [("a", "rejected or expired, if the policy 'pq' counts")],
        ["import.policy"],
    ),
    (
        "a pattern that is not served",
        [letters(r"(q)\1", "a", priority=1), letters("q", "b")],
        "classic",
        [
            ("a", r"rejected or expired, if the policy 'p(q)\\1' counts"),
            ("b", "rejected or expired, if the policy 'pq' counts"),
        ],
        ["import.pattern"],
    ),
    (
        "only a pattern that is not served",
        [letters(r"(q)\1", "a")],
        "classic",
        [("a", r"rejected or expired, if the policy 'p(q)\\1' counts")],
        ["import.pattern"],
    ),
    (
        "a setting that classic queues have",
        [policy("", None, definition={"queue-mode": "lazy"}, priority=1), letters("q", "a")],
        "quorum",
        [("a", "rejected, expired or delivered too often")],
        [],
    ),
    (
        "the same of a classic queue",
        [policy("", None, definition={"queue-mode": "lazy"}, priority=1), letters("q", "a")],
        "classic",
        [],
        [],
    ),
    (
        "a setting of quorum queues",
        [
            letters("", "b", definition={"dead-letter-exchange": "b", "delivery-limit": 3}, priority=1),
            letters("q", "a"),
        ],
        "classic",
        [("a", "rejected or expired")],
        [],
    ),
    (
        "a pattern of its own",
        [letters("q", "a"), letters("r", "b", priority=2)],
        "classic",
        [("a", "rejected or expired")],
        [],
    ),
)


@pytest.mark.parametrize(("policies", "kind", "links", "found"), [r[1:] for r in LETTERS], ids=[r[0] for r in LETTERS])
def test_a_policy_gives_dead_letters(
    policies: list[Json], kind: str, links: list[tuple[str, str]], found: list[str]
) -> None:
    queue = _QUEUE | {"arguments": {"x-queue-type": kind}}
    topology = read(queues=[queue], policies=policies)
    assert [(link.destination, link.when) for link in topology.links] == links
    assert codes(topology) == found


@pytest.mark.parametrize("definition", [{"max-length": 5}, [["max-length", 5]]])
def test_an_operator_policy_limits_a_queue_whose_dead_letters_a_policy_leads_on(definition: Any) -> None:
    value = {"pattern": "q", "apply-to": "queues", "definition": definition, "priority": 0}
    parameter = {"component": "operator_policy", "name": "op", "vhost": "/", "value": value}
    topology = read(queues=[_QUEUE], policies=[letters("q", "a")], parameters=[parameter])
    assert [(link.destination, link.when) for link in topology.links] == [("a", _LIMITED)]
    assert topology.findings == ()


@pytest.mark.parametrize(("kind", "when"), [("stream", "copied by the shovel s"), ("quorum", "moved by the shovel s")])
def test_a_shovel_from_a_stream_leaves_the_messages_there(kind: str, when: str) -> None:
    value = {"src-uri": "amqp://", "src-queue": "q", "dest-uri": "amqp://", "dest-queue": "r"}
    queue = _QUEUE | {"arguments": {"x-queue-type": kind}}
    topology = read(queues=[queue], parameters=[{"component": "shovel", "name": "s", "vhost": "/", "value": value}])
    assert [(link.destination, link.when) for link in topology.links] == [("r", when)]


def test_a_policy_gives_an_exchange_that_only_bindings_name_an_alternate_too() -> None:
    bindings = [_BINDING | {"source": "hidden"}, _BINDING | {"source": "amq.fanout", "destination": "r"}]
    topology = read(queues=[_QUEUE, _QUEUE | {"name": "r"}], bindings=bindings, policies=[policy("")])
    assert publish(topology, message("k"), "hidden") == Routed((), "undecided", "hidden", ("q", "r"))


def test_a_policy_reaches_the_exchanges_that_no_export_has() -> None:
    parts: Json = {"queues": [_QUEUE], "bindings": [_BINDING | {"source": "amq.fanout", "routing_key": ""}]}
    topology = read(policies=[policy(r"^amq\.(topic|rabbitmq)")], **parts)
    assert publish(topology, message("a.b"), "amq.topic").outcome == "alternate"
    assert [exchange.name for exchange in topology.exchanges] == ["amq.topic"]
    assert topology.findings == ()


@pytest.mark.parametrize("definition", [{"alternate-exchange": "amq.fanout"}, [["alternate-exchange", "amq.fanout"]]])
@pytest.mark.parametrize("as_parameter", [True, False])
def test_an_operator_policy_does_not_set_an_alternate(definition: Any, as_parameter: bool) -> None:
    value = {"pattern": ".*", "apply-to": "all", "definition": definition, "priority": 9}
    parameter = {"component": "operator_policy", "name": "op", "vhost": "/", "value": value}
    part = {"parameters": [parameter]} if as_parameter else {"operator_policies": [value | {"name": "op"}]}
    topology = read(exchanges=[_EXCHANGE], policies=[policy("x", "amq.direct")], **part)
    alternate = topology.exchange_by_name["x"].alternate
    assert alternate is not None
    assert alternate.name == "amq.direct"
    # rabbit_policies:register: alternate-exchange has no operator_policy_validator.
    [found] = topology.findings
    assert (found.code, found.severity, found.hint) == ("import.refused", "error", "only a policy has it")


@pytest.mark.parametrize("value", [None, 5, {}, {"definition": 5}, {"definition": "alternate-exchange"}])
def test_an_invalid_operator_policy_is_rejected(value: Any) -> None:
    parameter = {"component": "operator_policy", "name": "op", "vhost": "/", "value": value}
    with pytest.raises(TopologyError, match=r"parameters\[0\].value[a-z.]*: expected an object, found"):
        read(parameters=[parameter])


#: A title, bindings of something that an export omits, the certain and the possible queues of a message with the key k
#: to x, and diagnostics.
GAPS: tuple[tuple[str, Json, tuple[str, ...], tuple[str, ...], list[str]], ...] = (
    (
        "an exclusive queue takes part",
        {"bindings": [_BINDING | {"destination": "amq.gen-1"}, _BINDING | {"destination": "amq.gen-2"}]},
        ("amq.gen-1", "amq.gen-2"),
        (),
        ["import.undeclared-queue"],
    ),
    (
        "of an internal exchange it is open what it takes",
        {
            "bindings": [
                _BINDING | {"destination": "hidden", "destination_type": "exchange"},
                _BINDING | {"source": "hidden"},
            ]
        },
        (),
        ("q",),
        ["import.undeclared-exchange"],
    ),
    (
        "one is behind the other",
        {
            "bindings": [
                _BINDING,
                _BINDING | {"destination": "hidden", "destination_type": "exchange"},
                _BINDING | {"source": "hidden", "destination": "amq.inner", "destination_type": "exchange"},
                _BINDING | {"source": "amq.inner", "destination": "amq.gen-1"},
            ]
        },
        ("q",),
        ("amq.gen-1",),
        ["import.undeclared-queue", "import.undeclared-exchange"],
    ),
)


@pytest.mark.parametrize(("parts", "queues", "possible", "found"), [row[1:] for row in GAPS], ids=[r[0] for r in GAPS])
def test_an_export_with_bindings_of_what_it_leaves_out_is_read(
    parts: Json, queues: tuple[str, ...], possible: tuple[str, ...], found: list[str]
) -> None:
    topology = read(exchanges=[_EXCHANGE], queues=[_QUEUE], **parts)
    routed = publish(topology, message("k"), "x")
    assert (routed.queues, routed.possible_queues, codes(topology)) == (queues, possible, found)
    assert [queue.name for queue in topology.queues if queue.declared] == ["q"]
    assert topology_from_dict(topology_to_dict(topology)) == topology


def test_a_binding_of_an_undeclared_queue_names_its_place_and_a_near_name() -> None:
    queue = _QUEUE | {"name": "orders"}
    [finding] = read(exchanges=[_EXCHANGE], queues=[queue], bindings=[_BINDING | {"destination": "ordres"}]).findings
    assert (finding.message, finding.hint) == (
        "bindings[0].destination: the queue 'ordres' is not declared, as an exclusive one is not in an export: "
        "it takes part",
        "did you mean orders?",
    )


def delayed(**arguments: Any) -> Json:
    return {"exchanges": [_EXCHANGE | {"type": "x-delayed-message", "arguments": arguments}]}


def test_a_delayed_exchange_routes_as_its_type() -> None:
    parts: Json = {"queues": [_QUEUE], "bindings": [_BINDING | {"routing_key": "a.*"}]}
    topology = read(**delayed(**{"x-delayed-type": "topic"}), **parts)
    assert route_message(topology, message("a.b"), "x") == ("q",)
    assert route_message(topology, message("b"), "x") == ()
    assert codes(topology) == ["import.delayed"]
    topology = read(**delayed(**{"x-delayed-type": "topic", "alternate-exchange": "amq.fanout"}), **parts)
    assert [finding.message.partition(": ")[2] for finding in topology.findings] == [
        "the exchange delays messages, but selector-sql ignores the delay",
        "the broker sends a delayed message to the alternate as well, when it is published",
    ]
    assert codes(read(**delayed(**{"x-delayed-type": "x-lvc"}))) == ["import.delayed", "import.exchange-type"]
    # A type of this project for addresses of JMS brokers, which RabbitMQ does not have.
    assert codes(read(**delayed(**{"x-delayed-type": "anycast"}))) == ["import.delayed", "import.exchange-type"]
    with pytest.raises(TopologyError, match=r"exchanges\[0\].arguments: x-delayed-type is missing"):
        read(**delayed())
    with pytest.raises(TopologyError, match=r"exchanges\[0\].arguments.x-delayed-type: expected text, found a number"):
        read(**delayed(**{"x-delayed-type": 5}))


def test_a_recent_history_exchange_routes_as_fanout() -> None:
    exchange = _EXCHANGE | {"type": "x-recent-history", "arguments": {"x-recent-history-length": 5}}
    topology = read(exchanges=[exchange], queues=[_QUEUE], bindings=[_BINDING])
    assert route_message(topology, message("other"), "x") == ("q",)
    assert codes(topology) == ["import.history"]


def selected(selector: str, **more: Any) -> Json:
    tree = parse_selector(selector, "rabbitmq-jms")
    assert tree is not None
    return _BINDING | {"arguments": {"rjms_erlang_selector": compiled(tree), "rjms_version": "2.8.0"}} | more


JMS = _EXCHANGE | {"type": "x-jms-topic", "arguments": {"rjms_version": "2.8.0"}}


def test_a_jms_topic_exchange_routes_by_the_selectors_that_the_client_compiled() -> None:
    topology = read(
        exchanges=[JMS],
        queues=[_QUEUE, _QUEUE | {"name": "r"}],
        bindings=[
            # The client binds the exchange to the topic exchange, whose binding has already compared the key.
            _BINDING
            | {"source": "amq.topic", "destination": "x", "destination_type": "exchange", "routing_key": "a.*"},
            selected("color = 'red'"),
            selected("n > 5 OR color LIKE 'b%'", destination="r"),
        ],
    )
    assert topology.findings == ()
    for sent, exchange, expected in (
        (message("a.b", color="red"), "amq.topic", ("q",)),
        (message("other", color="red"), "amq.topic", ()),
        (message("other", color="red"), "x", ("q",)),
        (message("k", color="blue"), "x", ("r",)),
        (message("k", color="red", n=6), "x", ("q", "r")),
        (message("k", color=5), "x", ()),
        (message("k"), "x", ()),
    ):
        assert route_message(topology, sent, exchange) == expected
    written = topology.bindings[1].text("x-filter-jms-selector")
    assert written == "color = 'red'"


def test_what_the_broker_does_not_bind_or_keeps_once_is_listed() -> None:
    topology = read(
        exchanges=[JMS],
        queues=[_QUEUE],
        bindings=[_BINDING, selected("a = 1"), selected("a = 2"), selected("a = 2", routing_key="l")],
    )
    assert len(topology.bindings) == 3
    assert [finding.message for finding in topology.findings] == [
        "bindings[0].arguments: the broker rejects a binding to this exchange without rjms_erlang_selector, so the "
        "binding is skipped",
        "bindings[2]: another binding of 'x' to 'q' has the same key",
    ]


def test_a_term_that_is_no_selector_is_refused_with_its_place() -> None:
    text = """{"queues": [{"name": "q"}], "exchanges": [{"name": "x", "type": "x-jms-topic"}],
        "bindings": [{"source": "x", "destination": "q", "arguments": {"rjms_erlang_selector": "{'=',1}."}}]}"""
    with pytest.raises(TopologyError) as error:
        parse_topology(text, "definitions.json", form="rabbitmq")
    expected_text = (
        "definitions.json:2:96: bindings[0].arguments.rjms_erlang_selector:1:1: jms-term.operator: no selector"
    )
    assert expected_text in str(error.value)


CHOOSING = ("x-consistent-hash", "x-modulus-hash", "x-random", "x-local-random", "x-super-stream")


@pytest.mark.parametrize("kind", CHOOSING)
def test_an_exchange_that_chooses_is_listed_and_kept_with_its_candidates(kind: str) -> None:
    topology = read(
        exchanges=[_EXCHANGE | {"type": kind, "arguments": {"hash-header": "id"}}],
        queues=[_QUEUE, _QUEUE | {"name": "r"}],
        bindings=[
            _BINDING | {"routing_key": "0" if kind == "x-super-stream" else "2"},
            _BINDING | {"destination": "r", "routing_key": "1"},
        ],
    )
    routed = publish(topology, message("0"), "x")
    assert (routed.queues, routed.possible_queues) == ((), ("q", "r"))
    assert routed.outcome == ("undecided" if kind == "x-local-random" else "delivered")
    assert [finding.code for finding in topology.findings] == ["import.choice"]
    assert topology.findings[0].message == (
        "exchanges[0].type: 'x' hands each message to one of its bindings, which one is not known: "
        "its queues are possible_queues"
    )


#: Unusual input that the broker imports: members of an export, the queues that a message with the key k reaches through
#: the exchange x, and the diagnostics.
TOLERATED: tuple[tuple[str, Json, tuple[str, ...], list[str]], ...] = (
    ("arguments as an empty array", {"bindings": [_BINDING | {"arguments": []}]}, ("q",), []),
    ("a queue's, too", {"queues": [_QUEUE | {"arguments": []}], "bindings": [_BINDING]}, ("q",), []),
    ("the same queue twice", {"queues": [_QUEUE, _QUEUE], "bindings": [_BINDING]}, ("q",), []),
    (
        "the first exchange counts",
        {"exchanges": [_EXCHANGE, _EXCHANGE | {"type": "direct"}], "bindings": [_BINDING | {"routing_key": "other"}]},
        ("q",),
        ["import.duplicate"],
    ),
    (
        "the default exchange",
        {"exchanges": [_EXCHANGE, _EXCHANGE | {"name": "", "type": "direct"}], "bindings": [_BINDING]},
        ("q",),
        ["import.reserved"],
    ),
    (
        "one of the broker's own",
        {"exchanges": [_EXCHANGE, _EXCHANGE | {"name": "amq.fanout"}], "bindings": [_BINDING]},
        ("q",),
        [],
    ),
    (
        "one of the broker's own with another type",
        {"exchanges": [_EXCHANGE, _EXCHANGE | {"name": "amq.topic"}], "bindings": [_BINDING]},
        ("q",),
        ["import.reserved"],
    ),
    (
        "a reserved name",
        {
            "exchanges": [_EXCHANGE, _EXCHANGE | {"name": "amq.mine"}],
            "bindings": [_BINDING, _BINDING | {"destination": "amq.mine", "destination_type": "exchange"}],
        },
        ("q",),
        ["import.reserved", "import.left-out"],
    ),
    (
        "a pattern that does not decide",
        {
            "bindings": [_BINDING],
            "policies": [{"name": "p", "vhost": "/", "pattern": r"(a)\1", "definition": {"max-length": 5}}],
        },
        ("q",),
        ["import.pattern"],
    ),
    (
        "implied bindings of the default exchange",
        {"bindings": [_BINDING, _BINDING | {"source": "", "routing_key": "q"}]},
        ("q",),
        [],
    ),
    (
        "other bindings of the default exchange",
        {"bindings": [_BINDING, *[_BINDING | {"source": "", "routing_key": key} for key in ("k", "l")]]},
        ("q",),
        ["topology.default-exchange"] * 2,
    ),
    (
        "a binding to the default exchange",
        {"bindings": [_BINDING | {"destination": "", "destination_type": "exchange", "routing_key": "q"}]},
        (),
        ["topology.default-exchange"],
    ),
    (
        "bindings to the default exchange and of it",
        {
            "bindings": [
                _BINDING | {"destination": "", "destination_type": "exchange"},
                _BINDING | {"source": "", "routing_key": "k"},
                _BINDING | {"source": "", "routing_key": "q", "destination": "other"},
            ],
            "queues": [_QUEUE, _QUEUE | {"name": "other"}],
        },
        ("q",),
        ["topology.default-exchange"] * 3,
    ),
    (
        "the default exchange as an alternate, and a binding of it",
        {
            "exchanges": [_EXCHANGE | {"arguments": {"alternate-exchange": ""}}],
            "bindings": [_BINDING | {"source": "", "routing_key": "k"}],
        },
        ("q",),
        ["topology.default-exchange"],
    ),
    (
        "a headers binding that the broker refuses",
        {
            "exchanges": [_EXCHANGE, _EXCHANGE | {"name": "h", "type": "headers"}],
            "bindings": [
                _BINDING | {"destination": "h", "destination_type": "exchange"},
                _BINDING | {"source": "h", "arguments": {"x-match": "some"}},
            ],
        },
        (),
        ["import.refused"],
    ),
)


@pytest.mark.parametrize(("parts", "queues", "listed"), [case[1:] for case in TOLERATED], ids=[c[0] for c in TOLERATED])
def test_what_the_broker_imports_is_read_as_it_does(parts: Json, queues: tuple[str, ...], listed: list[str]) -> None:
    topology = read(**{"queues": [_QUEUE], "exchanges": [_EXCHANGE]} | parts)
    assert route_message(topology, message("k"), "x") == queues
    assert route_message(topology, message("q"), "") == ("q",)
    assert route_message(topology, message("k"), "") == ()
    assert codes(topology) == listed


@pytest.mark.parametrize("priority", [0, 1])
def test_an_alternate_that_a_pattern_may_hide_is_possible(priority: int) -> None:
    hidden = {"name": "a", "vhost": "/", "pattern": "", "definition": {"alternate-exchange": "amq.fanout"}}
    odd = {"name": "b", "vhost": "/", "pattern": r"(a)\1", "priority": priority, "definition": {"max-length": 5}}
    parts = {"exchanges": [_EXCHANGE], "queues": [_QUEUE], "policies": [hidden, odd]}
    topology = read(**parts, bindings=[_BINDING | {"source": "amq.fanout"}])
    assert codes(topology) == ["import.pattern"]
    assert publish(topology, message("k"), "x", ["k"]) == Routed((), "undecided", "x", ("q",))
    assert codes(read(exchanges=[_EXCHANGE], policies=[hidden | {"priority": 2}, odd])) == ["import.pattern"]


def test_the_default_exchange_is_possible_where_it_is_one_of_several_alternates() -> None:
    policies = [
        {"name": name or "d", "vhost": "/", "pattern": "^x$", "definition": {"alternate-exchange": name}}
        for name in ("", "amq.fanout")
    ]
    parts: Json = {"exchanges": [_EXCHANGE], "queues": [_QUEUE], "policies": policies}
    topology = read(**parts, bindings=[_BINDING | {"source": ""}])
    assert publish(topology, message("k"), "x", ["k"]) == Routed((), "undecided", "x", ("q",))
    assert publish(topology, message("z"), "x", ["z"]) == Routed((), "undecided", "x")
    assert publish(read(**parts), message("k"), "x", ["k"]) == Routed((), "undecided", "x")


def test_a_virtual_host_without_objects_is_none_to_choose() -> None:
    hosts = [{"name": "/"}, {"name": "empty"}]
    assert read(vhosts=hosts, queues=[_QUEUE]).queue_names == {"q"}
    assert topology_from_definitions({"vhosts": hosts, "queues": [_QUEUE]}, "empty").queue_names == frozenset()
    with pytest.raises(TopologyError, match="choose one of /, third"):
        read(vhosts=hosts, queues=[_QUEUE, _QUEUE | {"vhost": "third"}])
