"""Messages that are published to an address or to the anonymous relay, by the reference router and by Spark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_topology, create_messages, route
from tests.routing import topologies
from tests.spark_ext.harness import numbered
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.routing.test_route import EXAMPLES, INTERPRETED, MESSAGES, PHASES
from transpiler import LayoutError, Message, TopologyError
from transpiler.message.sections import Properties
from transpiler.reference.route import publish, route_message
from transpiler.routing import tuning
from transpiler.topology import Topology, topology_from_dict
from transpiler.topology.broker_rules import RelayAddress, Rules
from transpiler.topology.receivers import resolve_sender


def topology(broker: str) -> Topology:
    """Return a topology with a queue and an exchange of one name, names that need quotes, and an internal exchange."""
    return topology_from_dict(
        {
            "broker": broker,
            "queues": ["jobs", "both", "é a/b", "a+b", "${x}\0\n'\"\\", "caught"],
            "exchanges": [
                {"name": "news", "type": "topic"},
                {"name": "both", "type": "fanout"},
                {"name": "a b", "type": "direct"},
                {"name": "inside", "type": "fanout", "internal": True},
            ],
            "bindings": [
                {"source": "news", "queue": "jobs", "key": "eu.*"},
                {"source": "news", "queue": "é a/b", "key": "a/b"},
                {"source": "both", "queue": "caught"},
                {"source": "a b", "queue": "jobs", "key": "50%+é"},
                {"source": "a b", "queue": "caught", "key": ""},
                {"source": "amq.match", "queue": "jobs", "arguments": {"x-match": "all", "qpid.subject": "red"}},
            ],
        }
    )


def sent(to: str | None, subject: str | None = None) -> Message:
    return Message(properties=Properties(to=to, subject=subject))


#: Address in ``to``, subject, and by broker the queues, or None if the relay rejects the message.
RELAYED: list[tuple[str | None, str | None, dict[str, Any]]] = [
    (None, "jobs", {"qpid-java": None, "qpid-cpp": None, "rabbitmq": None}),
    ("", None, {"qpid-java": None, "qpid-cpp": None, "rabbitmq": None}),
    ("jobs", None, {"qpid-java": ["jobs"], "qpid-cpp": ["jobs"], "rabbitmq": None}),
    ("jbos", None, {"qpid-java": None, "qpid-cpp": None, "rabbitmq": None}),
    ("jobs/x", None, {"qpid-java": None, "qpid-cpp": None, "rabbitmq": None}),
    ("news", "eu.x", {"qpid-java": ["jobs"], "qpid-cpp": ["jobs"], "rabbitmq": None}),
    ("news", None, {"qpid-java": [], "qpid-cpp": [], "rabbitmq": None}),
    ("news/eu.x", "us.x", {"qpid-java": ["jobs"], "qpid-cpp": ["jobs"], "rabbitmq": None}),
    ("news/a/b", None, {"qpid-java": ["é a/b"], "qpid-cpp": ["é a/b"], "rabbitmq": None}),
    ("news/", "eu.x", {"qpid-java": ["jobs"], "qpid-cpp": ["jobs"], "rabbitmq": None}),
    ("both", None, {"qpid-java": ["caught"], "qpid-cpp": ["both"], "rabbitmq": None}),
    ("é a/b", None, {"qpid-java": None, "qpid-cpp": ["é a/b"], "rabbitmq": None}),
    ("/jobs", None, {"qpid-java": None, "qpid-cpp": None, "rabbitmq": None}),
    ("/", None, {"qpid-java": None, "qpid-cpp": None, "rabbitmq": None}),
    ("amq.match", "red", {"qpid-java": [], "qpid-cpp": ["jobs"], "rabbitmq": None}),
    ("/queues/jobs", None, {"qpid-java": None, "qpid-cpp": None, "rabbitmq": ["jobs"]}),
    ("/queues/", None, {"rabbitmq": None}),
    ("/queues/%C3%A9%20a%2Fb", None, {"rabbitmq": ["é a/b"]}),
    ("/queues/é a/b", None, {"rabbitmq": ["é a/b"]}),
    ("/queues/%C3", None, {"rabbitmq": None}),
    ("/queues/%ED%A0%80", None, {"rabbitmq": None}),
    ("/queues/5%", None, {"rabbitmq": None}),
    ("/queues/a+b", None, {"rabbitmq": ["a+b"]}),
    ("/queues/$%7Bx%7D%00\n'\"\\", None, {"rabbitmq": ["${x}\0\n'\"\\"]}),
    ("/exchanges/news/eu.x", "us.x", {"rabbitmq": ["jobs"]}),
    ("/exchanges/news/a%2Fb", None, {"rabbitmq": ["é a/b"]}),
    ("/exchanges/news/a/b", None, {"rabbitmq": None}),
    ("/exchanges/a%20b/50%25+%C3%A9", None, {"rabbitmq": ["jobs"]}),
    ("/exchanges/a%20b", "50%+é", {"rabbitmq": ["caught"]}),
    ("/exchanges/a%20b/", "50%+é", {"rabbitmq": ["caught"]}),
    ("/exchanges/a b/5%", None, {"rabbitmq": None}),
    ("/exchanges/", None, {"rabbitmq": None}),
    ("/exchanges//jobs", None, {"rabbitmq": None}),
    ("/exchanges/nowhere/k", None, {"rabbitmq": None}),
    ("/exchange/news/eu.x", None, {"rabbitmq": None}),
]


@pytest.mark.parametrize("broker", ["qpid-java", "qpid-cpp", "rabbitmq"])
def test_the_relay_sends_a_message_where_its_own_to_says(spark: SparkSession, broker: str) -> None:
    found = topology(broker)
    messages = [sent(to, subject) for to, subject, _ in RELAYED]
    answers = [publish(found, message, publish_to="to") for message in messages]
    for (to, subject, wanted), answer in zip(RELAYED, answers, strict=True):
        if broker in wanted:
            queues = wanted[broker]
            assert (list(answer.queues), answer.outcome == "rejected") == (queues or [], queues is None), (to, subject)
    frame = numbered(create_messages(spark, messages))
    routed = route(frame, found, publish_to="to", outcome="outcome", exchange_column="exchange").orderBy("id")
    rows = [(tuple(row.queues), row.outcome, row.exchange) for row in routed.collect()]
    assert rows == [(answer.queues, answer.outcome, answer.exchange) for answer in answers]


@pytest.mark.parametrize(
    ("broker", "to"), [("qpid-cpp", "inside"), ("qpid-java", "inside/k"), ("rabbitmq", "/exchanges/inside")]
)
def test_the_relay_publishes_to_no_internal_exchange(broker: str, to: str) -> None:
    assert publish(topology(broker), sent(to), publish_to="to").outcome == "rejected"


def test_a_layout_without_to_is_refused(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = create_messages(spark, [Message()], "amqp-0-10")
    with pytest.raises(
        LayoutError, match=r"is routed by its field properties\.to, which the layout amqp-0-10 does not contain"
    ):
        route(frame, topology("qpid-cpp"), frame, publish_to="to")
    named = frame.selectExpr("*", "'jobs' AS `to`")
    assert route(named, topology("qpid-cpp"), frame, publish_to="to").first().queues == ["jobs"]
    # If an automaton matches the keys, they are matched first.
    monkeypatch.setattr(tuning, "MIN_ROWS", 1)
    monkeypatch.setattr(tuning, "TOPIC_LOOK_UPS", 0)
    bound = [{"source": "amq.topic", "queue": "jobs", "key": f"*.a.#.b{number}"} for number in range(2)]
    walked = topology_from_dict({"broker": "qpid-cpp", "queues": ["jobs"], "bindings": bound})
    with pytest.raises(LayoutError, match="keys has no column to"):
        route(named, walked, frame, publish_to="to", keys=frame)


#: Addresses of senders, a message's own subject, and the queues that the message reaches.
ADDRESSED = [
    ("jobs", None, ("jobs",)),
    ("jobs", "both", ("jobs",)),
    ("jobs/red", None, ("jobs",)),
    ("news", "eu.x", ("jobs",)),
    ("news", None, ()),
    ("news/eu.x", None, ("jobs",)),
    ("news/eu.x", "us.x", ()),
    ("'a b'/'50%+é'", None, ("jobs",)),
    ("amq.match/red", None, ("jobs",)),
    ("amq.match/red", "blue", ()),
    ("amq.match", "red", ("jobs",)),
    ("both; {node: {type: queue}}", None, ("both",)),
    ("both; {node: {type: topic}}", None, ("caught",)),
    ("new; {create: sender}", None, ("new",)),
    ("new/x; {create: always, node: {x-bindings: [{exchange: news, key: x}]}}", None, ("new",)),
    (
        "made; {create: always, node: {type: topic, x-declare: {type: fanout}, x-bindings: [{queue: jobs}]}}",
        "",
        ("jobs",),
    ),
    ("news/n; {link: {x-bindings: [{queue: caught, key: n}]}}", None, ("caught",)),
]


@pytest.mark.parametrize(("address", "subject", "queues"), ADDRESSED)
def test_a_sender_with_an_address_publishes_to_its_node(
    address: str, subject: str | None, queues: tuple[str, ...]
) -> None:
    found, message = topology("qpid-cpp"), sent(None, subject)
    assert route_message(found, message, address=address) == queues
    assert publish(found, message, address=resolve_sender(found, address)).queues == queues


@pytest.mark.full
def test_spark_publishes_by_the_same_addresses(spark: SparkSession) -> None:
    found = topology("qpid-cpp")
    for address in dict.fromkeys(address for address, *_ in ADDRESSED):
        messages = [sent(None, subject) for subject in (None, "both", "eu.x", "us.x", "50%+é", "red", "n", "")]
        frame = create_messages(spark, messages).coalesce(1).selectExpr("*", "'amq.fanout' AS exchange")
        rows = route(frame, found, address=address).collect()
        assert [tuple(row.queues) for row in rows] == [route_message(found, one, address=address) for one in messages]


@pytest.mark.parametrize(
    ("broker", "address", "expected"),
    [
        ("qpid-cpp", "jbos", "address: there is no queue called 'jbos'\n  hint: did you mean jobs?"),
        ("qpid-cpp", "new; {create: receiver}", "there is no queue called 'new'"),
        ("qpid-cpp", "both", "'both' is both a queue and an exchange"),
        ("qpid-cpp", "news; {node: {type: queue}}", "there is no queue called 'news'"),
        ("qpid-cpp", "news/", "address:1:6: address.expected: expected a subject after /"),
        ("qpid-cpp", "x; {create: always, node: {x-bindings: [{key: k}]}}", "x-bindings names no exchange"),
        ("rabbitmq", "/exchanges/nwes/k", "'/exchanges/nwes/k' does not name an exchange or queue of this topology"),
        ("rabbitmq", "/topic/k", "hint: RabbitMQ's addresses are /queues/name"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused(broker: str, address: str, expected: str) -> None:
    with pytest.raises(TopologyError) as error:
        publish(topology(broker), Message(), address=address)
    assert expected in str(error.value)


def test_a_constant_exchange_that_is_not_there_is_refused(spark: SparkSession) -> None:
    frame = create_messages(spark, [Message()]).selectExpr("*", "'nwes' AS exchange")
    expected = r"(?s)there is no exchange called 'nwes'.*did you mean news\?"
    with pytest.raises(TopologyError, match=expected):
        route(frame, topology("rabbitmq"), exchange="nwes")
    with pytest.raises(TopologyError, match=expected):
        compile_topology(topology("rabbitmq"), exchange="nwes")
    assert route(frame, topology("rabbitmq"), outcome="outcome").first().outcome == "no-exchange"


def test_rabbitmqs_own_addresses_are_senders_too() -> None:
    found = topology("rabbitmq")
    assert route_message(found, sent(None, "us"), address="/exchanges/news/eu.x") == ("jobs",)
    assert route_message(found, sent(None, "us"), address="/queues/%C3%A9%20a%2Fb") == ("é a/b",)
    assert route_message(found, sent(None, "eu.x"), address="news") == ("jobs",)


addresses = st.one_of(
    st.sampled_from((*topologies.QUEUES, *topologies.NAMES, "amq.fanout", "amq.topic", "", "/", "nowhere")),
    st.builds("{}/{}".format, st.sampled_from((*topologies.NAMES, "amq.topic", "amq.match", "q1")), topologies.keys),
    st.builds("/exchanges/{}/{}".format, st.sampled_from((*topologies.NAMES, "amq.topic", "", "x")), topologies.keys),
    st.builds("/exchanges/{}".format, st.sampled_from(topologies.NAMES)),
    st.builds("/queues/{}".format, st.sampled_from((*topologies.QUEUES, "%61.b", "it%27s%20$%7Bx}", "%6", "%ff"))),
)


@pytest.mark.parametrize("rules", topologies.BROKERS, ids=lambda rules: rules.name)
@given(data=st.data())
@settings(max_examples=max(2, EXAMPLES // 2), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_random_addresses(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, rules: Rules, data: st.DataObject
) -> None:
    found = data.draw(topologies.topologies(rules))
    drawn = data.draw(st.lists(topologies.messages(), min_size=MESSAGES, max_size=MESSAGES))
    tos = data.draw(st.lists(st.one_of(st.none(), addresses, addresses), min_size=MESSAGES, max_size=MESSAGES))
    messages = [
        replace(message, properties=replace(message.properties or Properties(), to=to))
        for message, to in zip(drawn, tos, strict=True)
    ]
    monkeypatch.setattr(tuning, "MIN_ROWS", data.draw(st.sampled_from((1, 12))))
    name = data.draw(st.sampled_from([*topologies.NAMES, "amq.topic", "amq.match"]))
    subject = data.draw(st.sampled_from(("", "/a", "/a.b", "/'it''s'", "/b.c")))
    address = f"{name}{subject}; {{node: {{type: topic}}}}" if "''" not in subject else f'{name}/"it\'s"'
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, messages))
        keys = data.draw(st.sampled_from((None, frame.filter(sf.col("id") < MESSAGES // 2))))
        for where in ({"publish_to": "to"}, {"address": address}):
            wanted = [publish(found, message, **where) for message in messages]
            routed = route(frame, found, keys=keys, outcome="outcome", **where)
            rows = routed.select("id", "queues", "outcome").orderBy("id").collect()
            assert [(tuple(row.queues), row.outcome) for row in rows] == [(one.queues, one.outcome) for one in wanted]


def test_every_broker_says_how_its_relay_reads_addresses() -> None:
    assert {rules.relay for rules in topologies.BROKERS} == set(RelayAddress)
