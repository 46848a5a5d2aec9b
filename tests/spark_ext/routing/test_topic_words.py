"""Binding keys with wildcards that are looked up by words, for every broker and its way to split a key."""

from __future__ import annotations

from itertools import product
from xml.sax.saxutils import quoteattr

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_ext import route
from spark_ext.routing.topic_sql import key_words, word
from tests.sizes import sample
from transpiler import Message
from transpiler.message.sections import Properties
from transpiler.reference.route import publish, route_message
from transpiler.routing import tuning
from transpiler.routing.columns import COUNT, WORDS, word_column
from transpiler.topology import parse_topology
from transpiler.topology.broker_rules import RULES
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Queue

PATTERNS = [".".join(words) for count in (1, 2, 3) for words in product(("a", "", "*", "#"), repeat=count)]
#: Fewer patterns, because an address of a JMS broker becomes several exchanges.
FEWER = [*PATTERNS[:20], "a.*.a", "a.#.a", "*.a.#", "#.a.*", "*.*.a"]
KEYS = [".".join(words) for count in (1, 2, 3, 4) for words in product(("a", "b", ""), repeat=count)]
POSITIONS = range(4)


def keys_of(spark: SparkSession, keys: list[str | None], name: str) -> DataFrame:
    return spark.createDataFrame(list(enumerate(keys)), f"id BIGINT, {name} STRING").coalesce(1)


def test_the_columns_have_the_words_from_both_ends(spark: SparkSession) -> None:
    found = list(dict.fromkeys(rules.topic for rules in RULES.values()))
    names = [
        COUNT,
        *(word_column(position) for position in POSITIONS),
        *(word_column(position, back=True) for position in POSITIONS),
    ]
    texts = [f"array({', '.join(f'CAST({word(name)} AS STRING)' for name in names)})" for _ in found]
    columns = [f"{text.replace(WORDS, f'w{number}')} AS c{number}" for number, text in enumerate(texts)]
    frame = keys_of(spark, [*KEYS, None], "k")
    frame = frame.selectExpr("*", *(f"{key_words('k', rules)} AS w{number}" for number, rules in enumerate(found)))
    for row in frame.selectExpr("k", *columns).collect():
        for number, rules in enumerate(found):
            words = rules.words(row.k)
            padded = [*words, *([None] * len(POSITIONS))]
            back = [*reversed(words), *([None] * len(POSITIONS))]
            assert row[f"c{number}"] == [str(len(words)), *padded[: len(POSITIONS)], *back[: len(POSITIONS)]], row.k


def topology(name: str, patterns: list[str]) -> Topology:
    """Return a topology with ``patterns`` as the broker has them: binding keys, addresses, subscriptions."""
    if name == "artemis":
        listed = "".join(
            f"<address name={quoteattr(each)}><multicast><queue name={quoteattr('q' + each)}/></multicast></address>"
            for each in patterns
            if each
        )
        text = f"<configuration><core><addresses>{listed}</addresses></core></configuration>"
        return parse_topology(text, "broker.xml")
    if name == "activemq":
        subscriptions = [
            {"name": f"q{each}", "destination": f"topic://{each.replace('#', '>')}"} for each in patterns if each
        ]
        text = "<beans><broker xmlns='http://activemq.apache.org/schema/core' brokerName='b'/></beans>"
        return parse_topology(text, "activemq.xml", state={"subscriptions": subscriptions})
    rules = RULES[name]
    # If empty words at the end of a key are dropped, a key of dots alone has no words, and the broker rejects it.
    bindings = [Binding("amq.topic", f"q{each}", each) for each in patterns if not each or rules.topic.words(each)]
    queues = tuple(Queue(binding.destination) for binding in bindings)
    return Topology(rules, (), queues, tuple(bindings), default_exchange="amq.topic")


@pytest.mark.parametrize(("name", "looked_up"), [*((name, 16) for name in RULES), ("qpid-java", 2)])
def test_every_broker_finds_the_patterns_that_match(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, name: str, looked_up: int
) -> None:
    """The signatures that are looked up have tables, and the automaton matches the other patterns."""
    monkeypatch.setattr(tuning, "MIN_ROWS", 1)
    monkeypatch.setattr(tuning, "TOPIC_LOOK_UPS", looked_up)
    monkeypatch.setattr(tuning, "LOOKED_UP", 0.0)
    where = topology(name, PATTERNS if RULES[name].addressing.has_exchanges else FEWER)
    keys: list[str | None] = list(sample(KEYS, 40))
    if where.rules.addressing.has_exchanges:
        keys.append(None)
        wanted = [list(route_message(where, Message(properties=Properties(subject=key)))) for key in keys]
        frame = route(keys_of(spark, keys, "routing_key"), where)
    else:
        sent = [f"topic://{key}" if name == "activemq" else key or "" for key in keys if key]
        wanted = [list(publish(where, Message(), each).queues) for each in sent]
        frame = route(keys_of(spark, [*sent], "exchange"), where, possible_column="possible")
    assert [row.queues for row in frame.orderBy("id").collect()] == wanted
