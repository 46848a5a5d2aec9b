"""Routes over stores' tables: each row gets the queues of the message that the layout reads from the row."""

from __future__ import annotations

from operator import itemgetter

import pytest
from pyspark.sql import SparkSession

from spark_ext import compare_dialects, route
from tests.compiler.stores.tables import DOCUMENTS, LAYOUTS, layout, path
from tests.sizes import sample
from transpiler import LayoutError, evaluate, route_message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import publish
from transpiler.topology.broker_rules import QPID_JAVA, RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Exchange, Queue


def _arguments(match: str, **values: str | float) -> dict[str, AmqpValue]:
    types = {str: AmqpType.STRING, int: AmqpType.LONG, float: AmqpType.DOUBLE, bool: AmqpType.BOOLEAN}
    typed = {name: AmqpValue(types[type(value)], value) for name, value in values.items()}
    return {"x-match": AmqpValue(AmqpType.STRING, match), **typed}


TOPOLOGY = Topology(
    RABBITMQ,
    exchanges=(Exchange("h", "headers"), Exchange("t", "topic")),
    queues=tuple(Queue(name) for name in ("q1", "q2", "q3", "q4", "order", "orders.eu")),
    bindings=(
        Binding("h", "q1", "", _arguments("all", color="red", weight=2600)),
        Binding("h", "q2", "", _arguments("any", color="blue", weight=2500.5)),
        Binding("h", "q3", "", _arguments("all", weight=True)),
        Binding("h", "q4", "", _arguments("all", weight="2600")),
        Binding("t", "q1", "orders.#"),
        Binding("t", "q2", "*"),
    ),
)

#: Each table under each policy for text. A sample contains each table at least once.
TABLES = [(table, policy) for table in LAYOUTS for policy in DOCUMENTS[table]["expected"]]
CASES = sample(TABLES, len(LAYOUTS), stratum=itemgetter(0))

#: SQL of the routing key for tables whose messages have no routing key. For the connector it is a Kafka header.
KEYS = {
    "kafka_confluent_rabbitmq": "CAST(filter(headers, h -> h.key = 'rabbitmq.routing.key')[0].value AS STRING)",
    "rabbitmq_management": "routing_key",
    "rabbitmq_trace": "routing_keys[0]",
}


#: Tables whose messages have a subject only from their property JMSType, which is not a routing key.
JMS_TYPES = ("artemis_xml", "jolokia_artemis", "kafka_json_headers", "solace_connector")


@pytest.mark.parametrize(("table", "policy"), CASES)
def test_the_queues_are_those_of_the_messages_in_the_rows(spark: SparkSession, table: str, policy: str) -> None:
    # Spark's reader of VARIANT in Parquet fails in a join without generated code.
    frame = spark.read.parquet(path(table)).localCheckpoint()
    bound = layout(table, policy).over(frame.schema.jsonValue())
    messages = {row.id: bound.message(row) for row in frame.collect()}
    key = KEYS.get(table, "CAST(NULL AS STRING)")
    keys = {row.id: None if row.key is None else [row.key] for row in frame.selectExpr("id", f"{key} AS key").collect()}
    routed, exchanges = frame, ["h"]
    routed = route(routed, TOPOLOGY, bound, exchange="h", column="queues0", missing="null")
    subjects = [message.properties.subject for message in messages.values() if message.properties is not None]
    if table in JMS_TYPES or (not any(keys.values()) and not any(subjects)):
        # No column contains a routing key. That is an error, and does not mean messages without a key.
        for exchange in ("t", ""):
            with pytest.raises(LayoutError, match="routes by key"):
                route(routed, TOPOLOGY, bound, exchange=exchange, column="queues1", missing="null")
    else:
        exchanges += ["t", ""]
        for number, exchange in enumerate(exchanges[1:], 1):
            routed = route(routed, TOPOLOGY, bound, exchange=exchange, column=f"queues{number}", missing="null")
    answers = {row.id: [sorted(row[f"queues{number}"]) for number in range(len(exchanges))] for row in routed.collect()}
    for name, message in messages.items():
        expected = [sorted(route_message(TOPOLOGY, message, exchange, keys[name])) for exchange in exchanges]
        assert answers[name] == expected, name
    assert any(any(queues) for queues in answers.values())


#: A topology with the addresses of a queue and of an exchange, as a message's ``to`` names them to the anonymous relay.
RELAY = Topology(
    QPID_JAVA,
    queues=(Queue("orders"), Queue("q1")),
    bindings=(Binding("amq.topic", "q1", "eu.#"),),
)


#: The destination of all messages of a table, and the queues to which the relay routes it.
DESTINATIONS: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "confluent_jms": ("orders", ("orders",)),
    "jolokia_artemis": ("orders", ("orders",)),
    "jolokia_classic": ("queue://orders", ()),
    "artemis_xml": (None, ()),
    "pulsar_jms": (None, ()),
}


@pytest.mark.parametrize("table", DESTINATIONS)
def test_the_relay_reads_the_destination_of_a_store(spark: SparkSession, table: str) -> None:
    policy = next(iter(DOCUMENTS[table]["expected"]))
    frame = spark.read.parquet(path(table))
    bound = layout(table, policy).over(frame.schema.jsonValue())
    routed = route(frame, RELAY, bound, publish_to="to", column="reached", outcome="outcome", missing="null")
    rows = routed.select("id", "reached", "outcome").collect()
    answers = {row.id: (tuple(row.reached), row.outcome) for row in rows}
    expected = {row.id: publish(RELAY, bound.message(row), publish_to="to") for row in frame.collect()}
    assert answers == {name: (answer.queues, answer.outcome) for name, answer in expected.items()}
    destinations = {row.id: None if (p := bound.message(row).properties) is None else p.to for row in frame.collect()}
    destination, queues = DESTINATIONS[table]
    assert set(destinations.values()) == {destination}
    assert {reached for reached, _ in answers.values()} == {queues}


def test_dialects_are_compared_over_a_store(spark: SparkSession) -> None:
    table = "jolokia_classic"
    frame = spark.read.parquet(path(table))
    compared = compare_dialects(frame, "weight > 2500", ["jms", "activemq"], layout(table, "typed"))
    expected = [row.id for row in frame.collect() if evaluate("weight > 2500", layout(table, "typed").message(row))]
    assert compared.matched["jms"] == len(expected) > 0
