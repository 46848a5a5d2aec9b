"""Spark routes to the JMS brokers as the live brokers did, and as the reference router does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_topology, create_messages, explain_routing, route
from tests.sizes import sample
from tests.spark_ext.harness import numbered
from tests.topology import live_brokers
from tests.topology.live_brokers import Sent
from transpiler import Message, Topology
from transpiler.reference.route import publish
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.topology import parse_topology


def sends(spark: SparkSession, sent: list[Sent]) -> DataFrame:
    """Return messages with their destinations and routing types."""
    frame = numbered(create_messages(spark, [each.message for each in sent]))
    rows = [(number, each.destination, each.routing_type) for number, each in enumerate(sent)]
    columns = spark.createDataFrame(rows, "id BIGINT, exchange STRING, routing_type STRING")
    return frame.join(columns, "id")


def compared(spark: SparkSession, topology: Topology, sent: list[Sent]) -> list[Any]:
    """Return the messages for which Spark's result differs from the reference router's or from the broker's."""
    frame = route(sends(spark, sent), topology, outcome="outcome", possible_column="possible")
    rows = frame.orderBy("id").select("queues", "possible", "outcome").collect()
    wrong = []
    for each, row in zip(sent, rows, strict=True):
        routed = publish(topology, each.message, each.destination, routing_type=each.routing_type)
        answer = tuple(row.queues), row.outcome, tuple(row.possible)
        if answer != (routed.queues, routed.outcome, routed.possible_queues):
            wrong.append((each, answer, routed))
        elif not each.agrees(set(row.queues), set(row.possible), row.outcome):
            wrong.append((each, answer, "the broker"))
    return wrong


@pytest.mark.parametrize("rings", [False, True], ids=["without rings", "with rings"])
@pytest.mark.parametrize("broker", live_brokers.BROKERS)
def test_spark_routes_as_the_live_brokers_did(spark: SparkSession, broker: str, rings: bool) -> None:
    topology, sent = live_brokers.merged(broker, rings)
    assert compared(spark, topology, sample(sent, 40)) == []


@pytest.mark.full
def test_other_wildcard_characters_are_those_of_the_file(spark: SparkSession) -> None:
    (configuration,) = (
        each for each in live_brokers.configurations("artemis") if each["title"] == "other wildcard characters"
    )
    assert compared(spark, live_brokers.topology_of(configuration), list(live_brokers.sent(configuration))) == []


def test_a_compiled_topology_routes_what_enters_it(spark: SparkSession, tmp_path: Path) -> None:
    (configuration,) = (
        each for each in live_brokers.configurations("artemis") if each["title"] == "wildcard addresses"
    )
    one, messages = live_brokers.topology_of(configuration), list(live_brokers.sent(configuration))
    frame = sends(spark, messages)
    compiled = compile_topology(one, messages=frame, routing_type="MULTICAST")
    compiled.save(tmp_path / "compiled")
    rows = route(frame, CompiledTopology.load(tmp_path / "compiled"), outcome="outcome").orderBy("id").collect()
    expected = [publish(one, each.message, each.destination, routing_type="MULTICAST") for each in messages]
    assert [(tuple(row.queues), row.outcome) for row in rows] == [(each.queues, each.outcome) for each in expected]


@pytest.mark.full
def test_a_topic_whose_subscribers_are_not_known_is_undecided(spark: SparkSession) -> None:
    topology = parse_topology("<broker/>", "activemq.xml")
    addresses = ("topic://t", "queue://q", "topic://VirtualTopic.v")
    sent = [Sent("", Message(), address, None, frozenset(), False) for address in addresses]
    # The option's Column contains the destination of some messages. For the others the table's column applies.
    given = sf.expr("if(id = 0, 'topic://t', NULL)")
    messages = sends(spark, sent).withColumn("exchange", sf.expr("if(id = 0, 'none', exchange)"))
    frame = route(messages, topology, exchange=given, outcome="outcome", possible_column="possible")
    rows = [(tuple(row.queues), row.outcome, tuple(row.possible)) for row in frame.orderBy("id").collect()]
    routed = [publish(topology, Message(), address) for address in addresses]
    assert rows == [(each.queues, each.outcome, each.possible_queues) for each in routed]
    assert [outcome for _, outcome, _ in rows] == ["undecided", "delivered", "undecided"]


@pytest.mark.full
def test_a_destination_in_a_list_enters_apart_where_filters_read_it(spark: SparkSession) -> None:
    forward = "<filteredDestination selector=\"JMSDestination = 'queue://o'\" queue='q'/>"
    inner = f"<compositeQueue name='o'><forwardTo>{forward}</forwardTo></compositeQueue>"
    inner = f"<virtualDestinationInterceptor><virtualDestinations>{inner}</virtualDestinations>"
    inner = f"<destinationInterceptors>{inner}</virtualDestinationInterceptor></destinationInterceptors>"
    topology = parse_topology(f"<broker>{inner}</broker>", "activemq.xml")
    addresses = ("queue://o", "queue://o,queue://p", "queue://p,o", "queue://p")
    sent = [Sent("", Message(), address, None, frozenset(), False) for address in addresses]
    frame = route(sends(spark, sent), topology, possible_column="possible")
    rows = [(tuple(row.queues), tuple(row.possible)) for row in frame.orderBy("id").collect()]
    routed = [publish(topology, Message(), address) for address in addresses]
    assert rows == [(each.queues, each.possible_queues) for each in routed]
    assert rows[:2] == [(("queue://q",), ()), (("queue://p",), ("queue://q",))]


def test_filters_of_the_broker_and_selectors_of_clients_are_read_in_their_dialects(spark: SparkSession) -> None:
    inner = "<multicast><queue name='{0}'><filter string=\"{1}\"/></queue></multicast>"
    listed = "".join(
        f"<address name='{name}'>{inner.format(name, text)}</address>"
        for name, text in (("a", "JMSPriority &gt; 4"), ("b", "AMQPriority &gt; 4"), ("c", "n = 5 OR AMQSize &gt; 4"))
    )
    text = f"<configuration><core><addresses>{listed}</addresses></core></configuration>"
    state = {
        "subscriptions": [
            {"name": "s", "destination": "a", "selector": "JMSPriority > 4 AND JMSType = 'x'"},
            {"name": "t", "destination": "a", "filter": "JMSPriority > 4"},
        ]
    }
    topology = parse_topology(text, "broker.xml", state=state)
    messages = [Message.of(JMSPriority=9, JMSType="x", n=5), Message.of(JMSPriority=1), Message.of(n=6)]
    sent = [Sent("", message, address, None, frozenset(), False) for message in messages for address in "abc"]
    frame = route(sends(spark, sent), topology, outcome="outcome", possible_column="possible")
    rows = [(tuple(row.queues), tuple(row.possible)) for row in frame.orderBy("id").collect()]
    routed = [publish(topology, each.message, each.destination) for each in sent]
    assert rows == [(each.queues, each.possible_queues) for each in routed]
    assert rows[:3] == [(("s",), ()), (("b",), ()), (("c",), ())]
    assert rows[5] == ((), ("c",))


def test_a_report_on_a_jms_broker_asks_the_messages_for_no_routing_key(spark: SparkSession) -> None:
    queue = "<queue name='q'><filter string=\"color = 'x'\"/></queue>"
    core = f"<addresses><address name='a.b'><anycast>{queue}</anycast></address></addresses>"
    topology = parse_topology(f"<configuration><core>{core}</core></configuration>", "broker.xml")
    report = explain_routing(topology, spark.sql("SELECT 'x' AS color").schema, exchange="a.b", missing="null")
    assert {each.name for each in report.classes} == {"every message", "compiled text"}
