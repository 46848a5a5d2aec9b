"""Spark routes every message as the reference router does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import create_messages, route
from tests.routing import topologies
from tests.sizes import sample, size
from tests.spark_ext.harness import INTERPRETED
from tests.spark_ext.harness import settings as spark_settings
from transpiler import Message, TranspilerError, parse_selector
from transpiler.language.selector.dialects import find_dialect
from transpiler.reference.evaluate import evaluate
from transpiler.reference.route import publish
from transpiler.routing import tuning
from transpiler.topology.broker_rules import Rules
from transpiler.topology.model import Topology

MESSAGES = 24
EXAMPLES = 2
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


def published(spark: SparkSession, messages: list[Message], exchanges: list[str | None]) -> DataFrame:
    """Return the messages in order, each with the exchange that it was published to."""
    frame = create_messages(spark, messages).coalesce(1).withColumn("id", sf.monotonically_increasing_id())
    names = sf.array(*(sf.lit(name) for name in exchanges))
    return frame.withColumn("exchange", sf.get(names, sf.col("id").cast("int")))


def queues(frame: DataFrame) -> list[Any]:
    rows = frame.select("id", "queues").collect()
    assert sorted(row.id for row in rows) == list(range(len(rows)))
    return [row.queues for row in sorted(rows)]


def wanted(
    topology: Topology,
    messages: list[Message],
    exchanges: Sequence[str | None],
    keys: Sequence[list[str | None] | None] | None = None,
) -> list[list[str]]:
    names = [topology.default_exchange if name is None else name for name in exchanges]
    rows = zip(messages, names, keys or [None] * len(messages), strict=True)
    return [list(publish(topology, *row).queues) for row in rows]


def with_keys(frame: DataFrame, keys: Sequence[list[str | None] | None]) -> DataFrame:
    """Return the DataFrame of ``published`` with a column of routing keys."""
    texts = [None if found is None else sf.array(*map(sf.lit, found)).cast("array<string>") for found in keys]
    column = sf.array(*(sf.lit(None).cast("array<string>") if text is None else text for text in texts))
    return frame.withColumn("routing_keys", sf.get(column, sf.col("id").cast("int")))


@pytest.mark.parametrize("rules", topologies.BROKERS, ids=lambda rules: rules.name)
def test_the_drawn_selectors_differ_between_the_dialects(rules: Rules) -> None:
    parted: list[bool] = []

    @given(text=topologies.selectors(rules), message=topologies.messages())
    @settings(max_examples=size(100, 400), phases=PHASES, suppress_health_check=list(HealthCheck))
    def draw(text: str, message: Message) -> None:
        answer = evaluate(parse_selector(text, rules.dialect), message, find_dialect(rules.dialect)) is True
        try:
            parted.append(answer is not (evaluate(parse_selector(text), message) is True))
        except TranspilerError:
            parted.append(True)

    draw()
    assert sum(parted) >= len(parted) / 20


@pytest.mark.parametrize("min_rows", [0, 1, 3, 12])
@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, min_rows: int, data: st.DataObject
) -> None:
    """Tested with all conditions in tables, with merged tables, with some conditions in tables, and with all compiled.

    Binding keys with wildcards are looked up as far as possible, or only some of them, or all are matched by the
    automaton.
    """
    # A sample contains a broker of each family.
    for rules in sample(topologies.BROKERS, 2, lambda rules: rules.name.removesuffix("-3.12")):
        with monkeypatch.context() as patch:
            _check_route(spark, patch, rules, min_rows, data)


def _check_route(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, rules: Rules, min_rows: int, data: st.DataObject
) -> None:
    topology = data.draw(topologies.topologies(rules))
    messages = data.draw(st.lists(topologies.messages(), min_size=MESSAGES, max_size=MESSAGES))
    names = [*topology.exchange_by_name, "nowhere", None]
    exchanges = data.draw(st.lists(st.sampled_from(names), min_size=MESSAGES, max_size=MESSAGES))
    monkeypatch.setattr(tuning, "MIN_ROWS", min_rows)
    monkeypatch.setattr(tuning, "MIN_INDEXED", min_rows)
    if min_rows == 0:
        for name in ("MAX_TABLES", "UNMERGED_TABLES", "MAX_KEY_SETS", "MAX_KEYED", "MAX_COMPILED"):
            monkeypatch.setattr(tuning, name, 0)
    monkeypatch.setattr(tuning, "TOPIC_LOOK_UPS", {0: 2, 3: 0}.get(min_rows, tuning.TOPIC_LOOK_UPS))
    monkeypatch.setattr(tuning, "LOOKED_UP", 0.0)
    with spark_settings(spark, INTERPRETED):
        frame = published(spark, messages, exchanges)
        # The keys of some messages, of all, or of none are matched in advance.
        first = data.draw(st.sampled_from([MESSAGES // 2, MESSAGES]))
        keys = frame.filter(sf.col("id") < first) if min_rows == 1 else None
        assert queues(route(frame, topology, keys=keys)) == wanted(topology, messages, exchanges)
        # The same with one exchange for all messages, which is known before any message.
        name = data.draw(st.sampled_from(list(topology.exchange_by_name)))
        assert queues(route(frame, topology, exchange=name)) == wanted(topology, messages, [name] * MESSAGES)


@pytest.mark.parametrize("min_rows", [1, 12])
@given(data=st.data())
@settings(max_examples=size(1, 2), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_several_routing_keys_are_routed_together(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, min_rows: int, data: st.DataObject
) -> None:
    """Tested with RabbitMQ, whose CC and BCC headers add keys."""
    topology = data.draw(topologies.topologies(topologies.BROKERS_BY_NAME["rabbitmq"]))
    messages = data.draw(st.lists(topologies.messages(), min_size=MESSAGES, max_size=MESSAGES))
    names = [*topology.exchange_by_name, "nowhere", None]
    exchanges = data.draw(st.lists(st.sampled_from(names), min_size=MESSAGES, max_size=MESSAGES))
    some = st.lists(st.one_of(topologies.keys, st.none()), max_size=3)
    keys = data.draw(st.lists(st.one_of(some, some, st.none()), min_size=MESSAGES, max_size=MESSAGES))
    monkeypatch.setattr(tuning, "MIN_ROWS", min_rows)
    monkeypatch.setattr(tuning, "MIN_INDEXED", min_rows)
    with spark_settings(spark, INTERPRETED):
        frame = with_keys(published(spark, messages, exchanges), keys)
        known = frame.filter(sf.col("id") < data.draw(st.sampled_from([0, MESSAGES // 2, MESSAGES])))
        assert queues(route(frame, topology, keys=known)) == wanted(topology, messages, exchanges, keys)
        name = data.draw(st.sampled_from(list(topology.exchange_by_name)))
        assert queues(route(frame, topology, exchange=name)) == wanted(topology, messages, [name] * MESSAGES, keys)
