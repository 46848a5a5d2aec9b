"""Outcomes are the same in Spark and in the reference router: alternates, cycles, internal and unknown exchanges."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_ext import create_messages, route
from tests.routing import topologies
from tests.sizes import sample, size
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.routing.test_route import EXAMPLES, INTERPRETED, MESSAGES, PHASES, published, with_keys
from transpiler import Message
from transpiler.message.sections import Properties
from transpiler.reference.route import publish
from transpiler.routing import tuning
from transpiler.topology import topology_from_dict
from transpiler.topology.broker_rules import RULES, Rules
from transpiler.topology.model import Topology
from transpiler.topology.publishing import PROTOCOLS, Publisher
from transpiler.topology.records import Alternate, Binding, Exchange
from transpiler.topology.targets import OUTCOMES

#: Names of exchanges that no topology has.
UNKNOWN = ("nowhere", "nowhere else", "é")
publishers = st.builds(
    Publisher, st.sampled_from((None, *PROTOCOLS)), st.sampled_from((True, True, False)), st.booleans()
)


@st.composite
def varied(draw: st.DrawFn, rules: Rules) -> Topology:
    """Draw a topology whose exchanges differ in what they do with unroutable messages. Some exchanges are internal."""

    def changed(exchange: Exchange) -> Exchange:
        unroutable = draw(st.sampled_from(("discard", "reject", "return")))
        # Most random exchanges reach no queue, so that most get an alternate that may deliver messages.
        alternate = draw(st.sampled_from((exchange.alternate, *(Alternate("amq.fanout"),) * 3, Alternate("x0"))))
        return replace(exchange, unroutable=unroutable, alternate=alternate, internal=draw(st.integers(0, 4)) == 0)

    topology = draw(topologies.topologies(rules, queries=False))
    taken = (Binding("amq.fanout", "q0"),) * draw(st.sampled_from((0, 1, 1, 1)))
    exchanges = tuple(map(changed, topology.exchanges))
    return replace(topology, exchanges=exchanges, bindings=topology.bindings + taken)


def names_of(topology: Topology) -> list[str]:
    """Return the exchanges that a message may name, with the exchange that accepts everything several times."""
    return [*topology.exchange_by_name, "amq.fanout", "amq.fanout", *UNKNOWN]


@pytest.mark.parametrize("rules", topologies.BROKERS, ids=lambda rules: rules.name)
@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_the_outcome_is_the_references(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, rules: Rules, data: st.DataObject
) -> None:
    topology = data.draw(varied(rules))
    messages = data.draw(st.lists(topologies.messages(), min_size=MESSAGES, max_size=MESSAGES))
    names = [*names_of(topology), None]
    exchanges = data.draw(st.lists(st.sampled_from(names), min_size=MESSAGES, max_size=MESSAGES))
    publisher = data.draw(publishers)
    some = st.one_of(st.none(), st.lists(st.one_of(topologies.keys, st.none()), max_size=3))
    several = st.lists(some, min_size=MESSAGES, max_size=MESSAGES) if rules.several_keys else st.just([None] * MESSAGES)
    keys = data.draw(several)
    monkeypatch.setattr(tuning, "MIN_ROWS", data.draw(st.sampled_from((1, 12))))

    def wanted(named: list[str | None]) -> list[tuple[list[str], str]]:
        found = [
            publish(
                topology,
                message,
                topology.default_exchange if name is None else name,
                routing_keys,
                publisher=publisher,
            )
            for message, name, routing_keys in zip(messages, named, keys, strict=True)
        ]
        return [(list(routed.queues), routed.outcome) for routed in found]

    with spark_settings(spark, INTERPRETED):
        frame = published(spark, messages, exchanges)
        if rules.several_keys:
            frame = with_keys(frame, keys)
        known = frame.filter(sf.col("id") < data.draw(st.sampled_from([0, MESSAGES // 2, MESSAGES])))
        given_keys = data.draw(st.sampled_from([None, known]))
        routed = route(frame, topology, keys=given_keys, outcome="what became of it", publisher=publisher)
        rows = routed.select("id", "queues", "what became of it").orderBy("id").collect()
        assert [(row.queues, row["what became of it"]) for row in rows] == wanted(exchanges)
        name = data.draw(st.sampled_from(list(topology.exchange_by_name)))
        routed = route(frame, topology, exchange=name, outcome="outcome", publisher=publisher)
        rows = routed.select("id", "queues", "outcome").orderBy("id").collect()
        assert [(row.queues, row.outcome) for row in rows] == wanted([name] * MESSAGES)


def test_every_outcome_is_drawn_often() -> None:
    seen: Counter[str] = Counter()

    @given(data=st.data())
    @settings(max_examples=size(50, 100), phases=PHASES, suppress_health_check=list(HealthCheck))
    def draw(data: st.DataObject) -> None:
        topology = data.draw(varied(data.draw(st.sampled_from(topologies.BROKERS))))
        publisher = data.draw(publishers)
        for message in data.draw(st.lists(topologies.messages(), min_size=5, max_size=5)):
            name = data.draw(st.sampled_from(names_of(topology)))
            seen[publish(topology, message, name, publisher=publisher).outcome] += 1

    draw()
    # Exchanges that choose have their own tests, and so have the JMS brokers.
    assert set(seen) == set(OUTCOMES) - {"undecided", "dead-letter", "error"}
    assert min(seen.values()) >= seen.total() / 100, seen


#: Outcomes of a message that no queue gets, by broker, protocol, options (m: mandatory, r: reject unroutable messages)
#: and the exchange's own behaviour: section 4.6.4, and what RabbitMQ does in AMQP 1.0.
UNROUTABLE = [
    ("qpid-java", None, "", "discarded", "rejected"),
    ("qpid-java", None, "m", "returned", "returned"),
    ("qpid-java", None, "r", "rejected", "rejected"),
    ("qpid-java", "1.0", "", "discarded", "rejected"),
    ("qpid-java", "1.0", "r", "rejected", "rejected"),
    ("qpid-java", "1.0", "m", "discarded", "rejected"),
    ("qpid-java", "0-10", "", "discarded", "discarded"),
    ("qpid-java", "0-10", "mr", "discarded", "discarded"),
    ("qpid-java", "0-8", "m", "returned", "returned"),
    ("qpid-java", "0-9", "r", "discarded", "discarded"),
    ("qpid-java", "0-9-1", "", "discarded", "discarded"),
    ("qpid-java", "0-9-1", "m", "returned", "returned"),
    ("qpid-cpp", "0-10", "", "discarded", "discarded"),
    ("rabbitmq", "0-9-1", "m", "returned", "returned"),
    ("rabbitmq", "0-9-1", "", "discarded", "discarded"),
    ("rabbitmq", "1.0", "", "returned", "returned"),
]


def unroutable(broker: str) -> Topology:
    exchanges = [
        {"name": "drops", "type": "direct"},
        {"name": "rejects", "type": "direct", "unroutable": "reject"},
        {"name": "other", "type": "direct", "alternate": "amq.fanout"},
        {"name": "inside", "type": "direct", "internal": True},
        {"name": "bound", "type": "fanout", "alternate": "amq.fanout"},
    ]
    bindings = [{"source": "amq.fanout", "queue": "q"}, {"source": "other", "queue": "q", "key": "k"}]
    if RULES[broker].exchange_to_exchange:
        # This binding matches, so that RabbitMQ does not use the alternate. Other brokers use it, because the binding
        # leads to no queue.
        bindings.append({"source": "bound", "exchange": "drops"})
    return topology_from_dict({"broker": broker, "queues": ["q"], "exchanges": exchanges, "bindings": bindings})


@pytest.mark.parametrize(("broker", "protocol", "asked", "drops", "rejects"), UNROUTABLE)
def test_an_unroutable_message_comes_to_the_end_that_its_publisher_asked_for(
    broker: str, protocol: Any, asked: str, drops: str, rejects: str
) -> None:
    def outcome(exchange: str, key: str = "x") -> str:
        message = Message(properties=Properties(subject=key))
        return publish(
            unroutable(broker),
            message,
            exchange,
            publisher=Publisher(protocol, "m" in asked, "r" in asked),
        ).outcome

    assert (outcome("drops"), outcome("rejects")) == (drops, rejects)
    # Section 4.6.4 mentions alternates only for 0-10 and 1.0, but the broker's exchanges have them in every protocol.
    assert (outcome("other"), outcome("other", "k")) == ("alternate", "delivered")
    assert (outcome("inside"), outcome("nowhere")) == ("rejected", "no-exchange")


def test_spark_has_the_same_table(spark: SparkSession) -> None:
    names = ["drops", "rejects", "other", "inside", "bound", "nowhere", None]
    for broker, protocol, asked, *_ in sample(UNROUTABLE, 2, lambda row: row[0]):
        topology = unroutable(broker)
        publisher = Publisher(protocol, "m" in asked, "r" in asked)
        frame = published(spark, [Message()] * len(names), names)
        rows = route(frame, topology, outcome="outcome", publisher=publisher).orderBy("id").collect()
        assert [row.outcome for row in rows] == [
            publish(topology, Message(), n or "", publisher=publisher).outcome for n in names
        ]


def test_the_columns_of_the_answer_can_be_called_anything(spark: SparkSession) -> None:
    frame = create_messages(spark, [Message()])
    topology = Topology(RULES["qpid-java"])
    routed = route(frame, topology, column="a b", outcome="what became", exchange_column="where to")
    assert routed.columns == [*frame.columns, "a b", "what became", "where to"]
    row = routed.first()
    assert (row["a b"], row["what became"], row["where to"]) == ([], "discarded", "")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"publish_to": "queue"}, "publish_to must be exchange or to, not 'queue'"),
        ({"publish_to": "to", "exchange": "x"}, "alternative destinations of a message"),
        ({"address": "x", "exchange": "x"}, "alternative destinations of a message"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(spark: SparkSession, wrong: dict[str, Any], message: str) -> None:
    topology = Topology(RULES["qpid-java"])
    with pytest.raises(ValueError, match=message):
        publish(topology, Message(), **wrong)
    with pytest.raises(ValueError, match=message):
        route(create_messages(spark, [Message()]), topology, **wrong)


def test_a_publisher_with_an_unknown_protocol_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"protocol must be 0-8, 0-9, 0-9-1, 0-10 or 1\.0, not '0\.9\.1'"):
        Publisher("0.9.1")  # type: ignore[arg-type]


def test_the_fields_of_a_publisher_are_keywords_with_a_warning(spark: SparkSession) -> None:
    topology, frame = unroutable("qpid-java"), published(spark, [Message()], ["drops"])
    with pytest.warns(
        DeprecationWarning, match=r"give route publisher=Publisher\(mandatory=True\) in place of"
    ) as given:
        [row] = route(frame, topology, outcome="outcome", mandatory=True).collect()
    assert (row.outcome, given[0].filename) == ("returned", __file__)
    with pytest.raises(TypeError, match="mandatory=True besides a publisher"):
        route(frame, topology, publisher=Publisher(), mandatory=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'mandatroy'"):
        route(frame, topology, mandatroy=True)  # type: ignore[call-arg]


def test_a_route_without_the_outcome_option_does_not_compute_it(spark: SparkSession) -> None:
    """Without the option for the outcome, nothing is joined or computed for it."""
    topology = unroutable("qpid-java")
    frame = published(spark, [Message()], [""])
    without = route(frame, topology)._jdf.queryExecution().optimizedPlan().toString()
    assert "_routing_unroutable" not in without
    assert "_routing_direct" not in without
