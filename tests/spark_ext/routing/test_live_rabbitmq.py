"""RabbitMQ itself, as Debian packages it, delivers every message to the queues that the router computes.

Random topologies are declared in a broker that the test starts: exchanges of all types, bindings between them with
cycles, alternates, headers of every kind. These tests are skipped if the package is not installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pika.adapters.blocking_connection import BlockingChannel
from pyspark.sql import SparkSession

from spark_ext import route
from tests.routing import rabbitmq, rabbitmq_headers, topologies
from tests.sizes import size
from tests.spark_ext.routing.test_route import PHASES, published, queues, with_keys
from transpiler import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import publish
from transpiler.topology.broker_rules import RABBITMQ_3_12
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Publisher
from transpiler.topology.records import Binding, Queue

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(rabbitmq.MISSING is not None, reason=rabbitmq.MISSING or ""),
]

#: Rules without the plugins' types of exchanges, and without the exchanges of two plugins, to which nothing is
#: published.
RULES = replace(
    RABBITMQ_3_12,
    types=("direct", "topic", "fanout", "headers"),
    predeclared={
        name: kind
        for name, kind in RABBITMQ_3_12.predeclared.items()
        if name not in ("amq.rabbitmq.event", "amq.rabbitmq.log", "amq.rabbitmq.trace")
    },
)
EXAMPLES = size(5, 20)
MESSAGES = 30
SPARK_EVERY = 7


@pytest.fixture(scope="module")
def channel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingChannel]:
    with rabbitmq.running(tmp_path_factory.mktemp("rabbitmq")) as found:
        yield found


@st.composite
def cases(draw: st.DrawFn) -> tuple[Topology, list[Message], list[str], list[list[str]]]:
    """Draw a topology that the broker accepts, and messages with their exchanges and keys."""
    # A queue with a reserved name cannot be declared.
    found = draw(topologies.topologies(RULES))
    names = {name: "other" if name.startswith("amq.") else name for name in topologies.QUEUES}
    bindings = []
    for binding in found.bindings:
        arguments = {name: value for name, value in binding.arguments.items() if rabbitmq.fits(value)}
        to_queue = binding.destination_type == "queue"
        destination = names[binding.destination] if to_queue else binding.destination
        bindings.append(replace(binding, arguments=arguments, destination=destination))
    declared = tuple(Queue(name) for name in names.values())
    topology = replace(found, queues=declared, bindings=tuple(bindings))
    messages, exchanges, keys = [], [], []
    for _ in range(MESSAGES):
        message = draw(topologies.messages())
        headers = {
            name: value for name, value in (message.application_properties or {}).items() if rabbitmq.fits(value)
        }
        subject = draw(topologies.keys)
        assert message.properties is not None
        properties = replace(message.properties, subject=subject)
        messages.append(replace(message, properties=properties, application_properties=headers))
        exchanges.append(draw(st.sampled_from(list(topology.exchange_by_name))))
        keys.append([subject, *draw(st.lists(topologies.keys, max_size=2))])
    return topology, messages, exchanges, keys


def test_the_broker_routes_as_the_reference_and_spark_do(spark: SparkSession, channel: BlockingChannel) -> None:
    numbers = iter(range(10_000))
    routed = []

    @given(case=cases(), copies=st.sampled_from(("CC", "BCC")))
    @settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
    def agree(case: tuple[Topology, list[Message], list[str], list[list[str]]], copies: str) -> None:
        topology, messages, exchanges, keys = case
        with rabbitmq.Live(channel, topology) as live:
            for number, sent in enumerate(zip(messages, exchanges, keys, strict=True)):
                live.publish(number, *sent, copies)
            received = list(live.received())
        answers = [
            publish(topology, message, exchange, message_keys, publisher=Publisher(mandatory=True))
            for message, exchange, message_keys in zip(messages, exchanges, keys, strict=True)
        ]
        # The default exchange delivers nothing to a queue that does not exist.
        wanted = [[name for name in answer.queues if name in topology.queue_names] for answer in answers]
        assert rabbitmq.gathered(len(messages), received) == wanted
        assert live.returned == {number for number, found in enumerate(wanted) if not found}
        # Blind copies: the receivers of a message do not see who else receives it.
        assert all("BCC" not in headers for _, _, headers in received)
        routed.extend(wanted)
        if next(numbers) % SPARK_EVERY == 0:
            frame = with_keys(published(spark, messages, list(exchanges)), keys)
            assert queues(route(frame, topology)) == [list(answer.queues) for answer in answers]

    agree()
    assert sum(map(bool, routed)) > len(routed) / 20


def test_the_verdicts_on_pairs_are_those_of_the_broker(channel: BlockingChannel) -> None:
    rows = rabbitmq_headers.rows()
    values = [rabbitmq_headers.read(row["value"]) for row in rows]
    names = [f"pair{number}" for number in range(len(rows))]
    queues = tuple(map(Queue, names))
    text_all = AmqpValue(AmqpType.STRING, "all")
    bindings = tuple(
        Binding("amq.headers", name, "", {"x-match": text_all, "h": value})
        for name, value in zip(names, values, strict=True)
    )
    messages = [Message(application_properties={"h": value}) for value in values] + [Message()]
    with rabbitmq.Live(channel, Topology(RULES, (), queues, bindings)) as live:
        for number, message in enumerate(messages):
            live.publish(number, message, "amq.headers", [""], "CC")
        received = rabbitmq.gathered(len(messages), live.received())
    for name, row in zip(names, rows, strict=True):
        assert "".join(str(int(name in found)) for found in received) == row["3.10.8"], row["value"]
