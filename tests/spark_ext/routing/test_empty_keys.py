"""The empty routing key and the absent routing key, for everything that has topic patterns."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages, route
from tests.spark_ext.harness import answers, numbered
from transpiler import Message, matches, route_message, transpile_address, transpile_filter
from transpiler.language.filters.kinds import TopicBinding
from transpiler.message.sections import Properties
from transpiler.topology.broker_rules import RULES
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Queue

PATTERNS = ("#", "#.#", "", "*", "*.#", "#.*", "a", "a.#", "*.*")
MESSAGES = [Message(properties=Properties(subject="")), Message(properties=Properties(subject=None)), Message()]

#: Matching patterns for each message, if "" is one empty word, and a message without a subject has no words.
ONE_WORD = [{"#", "#.#", "", "*", "*.#", "#.*"}, {"#", "#.#"}, {"#", "#.#"}]
#: Matching patterns for each message in RabbitMQ's exchange: "" has no words, like a message without a routing key.
NO_WORDS = [{"#", "#.#", ""}] * 3


@pytest.mark.parametrize("name", [name for name, rules in RULES.items() if rules.addressing.has_exchanges])
def test_an_exchange_reads_the_empty_key_by_its_brokers_rules(spark: SparkSession, name: str) -> None:
    queues = tuple(Queue(f"q{pattern}") for pattern in PATTERNS)
    bindings = tuple(Binding("amq.topic", f"q{pattern}", pattern) for pattern in PATTERNS)
    topology = Topology(RULES[name], (), queues, bindings, default_exchange="amq.topic")
    wanted = [{f"q{pattern}" for pattern in found} for found in (NO_WORDS if "rabbitmq" in name else ONE_WORD)]
    assert [set(route_message(topology, message)) for message in MESSAGES] == wanted
    frame = numbered(create_messages(spark, MESSAGES))
    rows = route(frame, topology).orderBy("id").select("queues").collect()
    assert [set(row.queues) for row in rows] == wanted


def test_filters_and_addresses_read_it_as_one_empty_word(spark: SparkSession) -> None:
    frame = numbered(create_messages(spark, MESSAGES))
    # A filter matches a message without a subject "only if the value of the filter is a single #".
    filters = [ONE_WORD[0], {"#"}, {"#"}]
    wanted = [[pattern in found for found in filters] for pattern in PATTERNS]
    assert [[matches(TopicBinding(pattern), message) for message in MESSAGES] for pattern in PATTERNS] == wanted
    texts = [transpile_filter(TopicBinding(pattern), result="boolean").sql for pattern in PATTERNS]
    assert answers(frame, texts) == wanted
    written = [f"n; {{link: {{x-bindings: [{{key: '{pattern}'}}]}}}}" for pattern in PATTERNS]
    taken = answers(frame, [transpile_address(address, "topic", result="boolean").sql for address in written])
    assert taken == [[pattern in found for found in ONE_WORD] for pattern in PATTERNS]
