"""Spark finds the same certain and possible queues as the reference router, and rejects what it would have to guess."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from spark_ext import route
from tests.routing import topologies
from tests.routing.test_choices import ROUTED, TOPOLOGY
from tests.spark_ext.harness import INTERPRETED
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.routing.test_route import EXAMPLES, MESSAGES, PHASES, published, with_keys
from transpiler import Message, UnsupportedFeatureError
from transpiler.message.sections import Properties
from transpiler.reference.route import Routed, publish
from transpiler.topology.broker_rules import RABBITMQ


def answers(frame: DataFrame) -> list[tuple[Any, ...]]:
    rows = frame.select("id", "queues", "perhaps", "outcome").collect()
    return [(row.queues, row.perhaps, row.outcome) for row in sorted(rows)]


def expected(routed: Routed) -> tuple[Any, ...]:
    return list(routed.queues), list(routed.possible_queues), routed.outcome


def test_each_choice_of_the_table_is_the_reference_routers(spark: SparkSession) -> None:
    frame = with_keys(
        published(spark, [Message()] * len(ROUTED), [row[0] for row in ROUTED]), [[row[1]] for row in ROUTED]
    )
    with spark_settings(spark, INTERPRETED):
        routed = route(frame, TOPOLOGY, possible_column="perhaps", outcome="outcome")
        assert answers(routed) == [(list(row[2]), list(row[3]), row[4]) for row in ROUTED]


@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck), deadline=None)
def test_spark_agrees_with_the_reference_on_choices(spark: SparkSession, data: st.DataObject) -> None:
    topology = data.draw(topologies.topologies(RABBITMQ, choosing=True))
    messages = data.draw(st.lists(topologies.messages(), min_size=MESSAGES, max_size=MESSAGES))
    names = [*topology.exchange_by_name, "nowhere", None]
    exchanges = data.draw(st.lists(st.sampled_from(names), min_size=MESSAGES, max_size=MESSAGES))
    with spark_settings(spark, INTERPRETED):
        frame = published(spark, messages, exchanges)
        routed = route(frame, topology, possible_column="perhaps", outcome="outcome", exchange_column="to", keys=frame)
        assert answers(routed) == [
            expected(publish(topology, message, topology.default_exchange if name is None else name))
            for message, name in zip(messages, exchanges, strict=True)
        ]


@pytest.mark.full
def test_senders_and_the_relay_reach_exchanges_that_choose(spark: SparkSession) -> None:
    messages = [
        Message(properties=Properties(subject="s.h", to="/exchanges/hash")),
        Message(properties=Properties(to="/queues/amq.rabbitmq.reply-to.chosen")),
        Message(properties=Properties(to="/queues/a")),
    ]
    frame = published(spark, messages, [None] * len(messages))
    with spark_settings(spark, INTERPRETED):
        for sent in ({"address": "/exchanges/first/s.h"}, {"publish_to": "to"}):
            options: Any = sent
            routed = route(frame, TOPOLOGY, possible_column="perhaps", outcome="outcome", **options)
            assert answers(routed) == [expected(publish(TOPOLOGY, message, **options)) for message in messages]


def test_without_a_column_for_them_choices_are_refused(spark: SparkSession) -> None:
    frame = published(spark, [Message()], ["rest"])
    for exchange in (None, "first", "twice"):
        with pytest.raises(UnsupportedFeatureError, match=r"routing\.choice: the exchange '\w+'"):
            route(frame, TOPOLOGY, exchange=exchange)
    for exchange in ("rest", "sole", "none", ""):
        route(frame, TOPOLOGY, exchange=exchange)
