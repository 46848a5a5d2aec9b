"""Archives of AMQP 0-10 are routed by the exchange and the routing key in their delivery-properties."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import backtest, create_messages, deliveries, route
from tests.routing import topologies
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.routing.test_route import EXAMPLES, INTERPRETED, MESSAGES, PHASES, queues
from tests.spark_ext.test_headers import zero_ten_messages
from transpiler import Message
from transpiler.message.sections import Properties
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import publish
from transpiler.routing import tuning
from transpiler.topology.broker_rules import QPID_CPP, Rules
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Queue

SUBJECT = "qpid.subject"
LAYOUT = "amqp-0-10"


def archive(
    spark: SparkSession, messages: list[Message], keys: list[str | None], exchanges: list[str | None]
) -> DataFrame:
    """Return an archive in order, each message with the routing key and the exchange that it was published with."""
    frame = create_messages(spark, messages, LAYOUT).coalesce(1).withColumn("id", sf.monotonically_increasing_id())
    for name, values in (("routing_key", keys), ("exchange", exchanges)):
        value = sf.get(sf.array(*map(sf.lit, values)).cast("array<string>"), sf.col("id").cast("int"))
        frame = frame.withColumn("delivery_properties", sf.col("delivery_properties").withField(name, value))
    return frame


def as_read(message: Message) -> Message:
    """Return ``message`` as it is read from its row: the subject is also a header."""
    properties = message.properties or Properties()
    headers = dict(message.application_properties or {})
    if properties.subject is not None:
        headers[SUBJECT] = AmqpValue(AmqpType.STRING, properties.subject)
    found = headers.get(SUBJECT)
    subject = found.value if found is not None and isinstance(found.value, str) else None
    return replace(message, properties=replace(properties, subject=subject), application_properties=headers)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """Draw a message that AMQP 0-10 can represent, with a subject and headers that also occur in bindings."""
    message = draw(zero_ten_messages)
    properties = replace(message.properties or Properties(), subject=draw(st.one_of(st.none(), topologies.keys)))
    named = dict(message.application_properties or {}) | dict(draw(topologies.headers))
    # AMQP 0-10 has no delivery count.
    header = None if message.header is None else replace(message.header, delivery_count=None)
    return replace(message, header=header, properties=properties, application_properties=named)


@pytest.mark.parametrize("rules", topologies.BROKERS, ids=lambda rules: rules.name)
@given(data=st.data())
@settings(max_examples=max(2, EXAMPLES // 2), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_random_topologies_route_an_archive_as_the_reference_does(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, rules: Rules, data: st.DataObject
) -> None:
    topology = data.draw(topologies.topologies(rules, queries=False))
    drawn = data.draw(st.lists(messages(), min_size=MESSAGES, max_size=MESSAGES))
    names = [*topology.exchange_by_name, "nowhere", None]
    exchanges = data.draw(st.lists(st.sampled_from(names), min_size=MESSAGES, max_size=MESSAGES))
    some = st.one_of(st.none(), topologies.keys)
    keys = data.draw(st.lists(some, min_size=MESSAGES, max_size=MESSAGES))
    monkeypatch.setattr(tuning, "MIN_ROWS", data.draw(st.sampled_from((1, 12))))

    def wanted(named: list[str | None]) -> list[tuple[list[str], str]]:
        found = [
            publish(
                topology,
                as_read(message),
                topology.default_exchange if exchange is None else exchange,
                None if key is None else [key],
            )
            for message, exchange, key in zip(drawn, named, keys, strict=True)
        ]
        return [(list(routed.queues), routed.outcome) for routed in found]

    with spark_settings(spark, INTERPRETED):
        frame = archive(spark, drawn, keys, exchanges)
        repeated = frame.filter(sf.col("id") < data.draw(st.sampled_from([0, MESSAGES // 2, MESSAGES])))
        routed = route(frame, topology, LAYOUT, missing="null", keys=repeated, outcome="outcome")
        rows = routed.select("id", "queues", "outcome").orderBy("id").collect()
        assert [(row.queues, row.outcome) for row in rows] == wanted(exchanges)
        # The layout is inferred from the DataFrame, and all messages have the same exchange.
        name = data.draw(st.sampled_from(list(topology.exchange_by_name)))
        routed = route(frame, topology, frame, missing="null", exchange=name)
        assert queues(routed) == [found for found, _ in wanted([name] * MESSAGES)]


KEYED = Topology(
    QPID_CPP,
    queues=(Queue("q"), Queue("r"), Queue("s")),
    bindings=(Binding("amq.topic", "q", "a.*"), Binding("amq.direct", "r", "a.b"), Binding("amq.topic", "s", "#")),
)
SUBJECTS = ("a.b", "a.b", None, "x")
KEYS = (None, "c.d", "a.b", "a.b")


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_the_routing_key_goes_before_the_subject(spark: SparkSession, ansi: str) -> None:
    drawn = [Message(properties=Properties(subject=subject)) for subject in SUBJECTS]
    with spark_settings(spark, {"spark.sql.ansi.enabled": ansi}):
        frame = archive(spark, drawn, list(KEYS), ["amq.topic", "amq.topic", "amq.direct", None])
        assert queues(route(frame, KEYED, LAYOUT)) == [["q", "s"], ["s"], ["r"], []]
        topic = route(frame, KEYED, LAYOUT, exchange="amq.topic")
        assert queues(topic) == [["q", "s"], ["s"], ["q", "s"], ["q", "s"]]
        assert queues(route(frame, KEYED, LAYOUT, exchange="amq.direct")) == [["r"], [], ["r"], ["r"]]
        assert [row.queue for row in deliveries(topic).orderBy("id", "queue").collect()] == ["q", "s", "s", *"qsqs"]


def test_a_column_exchange_goes_before_the_archives_own(spark: SparkSession) -> None:
    frame = archive(spark, [Message()] * 2, ["a.b", "a.b"], ["amq.topic", "amq.topic"])
    named = frame.selectExpr("*", "CASE WHEN id = 0 THEN 'amq.direct' END AS exchange")
    assert queues(route(named, KEYED, LAYOUT)) == [["r"], ["q", "s"]]


def test_an_archive_is_compared_with_the_broker_by_its_own_exchange_and_key(spark: SparkSession) -> None:
    frame = archive(spark, [Message()] * 2, ["a.b", "c"], ["amq.topic", "amq.direct"])
    recorded = frame.selectExpr("*", "array('q', 's') AS routed_queues")
    found = backtest(route(recorded, KEYED, LAYOUT))
    assert (dict(found.messages), found.agreed) == ({"amq.topic": 1, "amq.direct": 1}, 1)
    [example] = found.examples
    assert (example.exchange, example.routing_key, example.missed) == ("amq.direct", "c", ("q", "s"))


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_a_null_is_no_queues_in_a_backtest(spark: SparkSession, ansi: str) -> None:
    rows = [("x", ["q"], None, None), ("x", None, None, ["q"]), ("", ["q"], None, None), ("y", ["q", None], ["q"], [])]
    columns = "exchange STRING, routed_queues ARRAY<STRING>, queues ARRAY<STRING>, possible ARRAY<STRING>"
    with spark_settings(spark, {"spark.sql.ansi.enabled": ansi}):
        found = backtest(spark.createDataFrame(rows, columns), possible="possible")
    assert found.messages == {"x": 2, "": 1, "y": 1}
    assert found.missed == {("x", "q"): 1}
    assert (found.extra, found.unknown) == ({}, {"q": 1})
