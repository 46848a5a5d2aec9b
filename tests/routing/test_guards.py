"""Conditions that are combined with a key: conditions on the message alone, and bounds from a row's constants."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import create_messages, route
from tests.routing import topologies
from tests.sizes import size
from tests.spark_ext.harness import INTERPRETED
from tests.spark_ext.harness import settings as spark_settings
from transpiler import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.routing import tuning
from transpiler.topology.broker_rules import QPID_JAVA, Rules
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Queue

MESSAGES = 24
EXAMPLES = size(2, 8)
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


def bound(texts: Iterable[str], rules: Rules = QPID_JAVA, names: Iterable[str] = ()) -> Topology:
    """Return a topology in which each selector binds its own queue to one exchange."""
    listed = list(texts)
    queues = tuple(map(Queue, list(names) or [f"q{number}" for number in range(len(listed))]))
    bindings = tuple(
        Binding("amq.fanout", queue.name, "", {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)})
        for queue, text in zip(queues, listed, strict=True)
    )
    return Topology(rules, (), queues, bindings, default_exchange="amq.fanout")


numbers = st.sampled_from(("-2", "0", "1", "5", "2147483648", "16777217", "1.5", "0.1", "1e300", "9223372036854775807"))
operators = st.sampled_from(("<", "<=", ">", ">=", "<>", "="))
#: Selectors with an equality and bounds, of few shapes.
bounded = st.one_of(
    st.builds("a = 1 AND b {} {}".format, operators, numbers),
    st.builds("a = 'a' AND b > {} AND b <= {}".format, numbers, numbers),
    st.builds("a = 1.0 AND (b < {} OR JMSPriority > {})".format, numbers, st.integers(0, 9)),
    st.builds("a = 1 AND {} > b AND NOT b = {}".format, numbers, numbers),
    st.builds("a = 1 AND b + 1 {} {} AND c IS NULL".format, operators, numbers),
    st.builds("a = 'a' AND b BETWEEN {} AND {}".format, numbers, numbers),
    st.builds("a = 'a' AND NOT (b BETWEEN {} AND {})".format, numbers, numbers),
    st.builds("a = 1 AND -b {} {}".format, operators, numbers),
    st.builds("a = 'a' AND b {} 'a'".format, st.sampled_from(("=", "<>"))),
)


@pytest.mark.parametrize("rules", topologies.BROKERS, ids=lambda rules: rules.name)
@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_every_queue_with_one_selector_gets_its_messages(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, rules: Rules, data: st.DataObject
) -> None:
    texts = data.draw(st.lists(st.one_of(bounded, bounded, topologies.selectors(rules)), min_size=1, max_size=30))
    found = bound([text for text in texts if topologies.takes(rules.dialect, text)], rules)
    messages = data.draw(st.lists(topologies.messages(), min_size=MESSAGES, max_size=MESSAGES))
    monkeypatch.setattr(tuning, "MIN_ROWS", 1)
    with spark_settings(spark, INTERPRETED):
        frame = create_messages(spark, messages).coalesce(1).withColumn("id", sf.monotonically_increasing_id())
        rows = route(frame, found).select("id", "queues").collect()
    assert [row.queues for row in sorted(rows)] == [list(route_message(found, message)) for message in messages]


def test_the_same_pattern_has_another_meaning_with_another_escape_character(spark: SparkSession) -> None:
    texts = [f"a LIKE '{text}' ESCAPE '{escape}'" for escape in "!_%" for text in ("!%a", "a", "a!%", "!a%")]
    values = ("a", "%a", "!a", "a!", "a%", "bab", "!xa", "ab", "!%a", "")
    messages = [Message(application_properties={"a": AmqpValue(AmqpType.STRING, value)}) for value in values]
    accepted = [text for text in texts if topologies.takes("qpid-java", text)]
    assert len(accepted) > 6
    found = bound(accepted)
    rows = route(create_messages(spark, messages).coalesce(1), found).select("queues").collect()
    assert [row.queues for row in rows] == [list(route_message(found, message)) for message in messages]


def query(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().optimizedPlan().toString())


TYPED = "region STRING, weight BIGINT, price DOUBLE"


@pytest.mark.parametrize("key", ["weight = {}", "price = {}.5", "weight = {}.0", "region = 'r{}'", "weight + 0 = {}"])
@pytest.mark.parametrize("exchange", ["amq.fanout", None])
def test_what_is_asked_of_the_message_alone_is_asked_by_every_kind_of_key(
    spark: SparkSession, key: str, exchange: str | None
) -> None:
    """The same holds for a bound: Spark looks up one number directly, compares some values, and hashes others."""
    found = bound(f"{key.format(n)} AND kind IS NULL AND size > {n}" for n in range(20))
    frame = spark.createDataFrame(
        [("r3", 3, 3.5, None, 4), ("r3", 3, 3.5, None, 3), ("r3", 3, 3.5, "k", 4), ("r3", 3, 3.5, None, None)],
        f"{TYPED}, kind STRING, size BIGINT",
    ).coalesce(1)
    assert [row.queues for row in route(frame, found, frame, exchange=exchange).collect()] == [["q3"], [], [], []]
    alone = bound(f"{key.format(n)} AND kind IS NULL" for n in range(20))
    assert [row.queues for row in route(frame, alone, frame).collect()] == [["q3"], ["q3"], [], ["q3"]]


#: Queue names in the order of their code points.
NAMES = (" ", "-", "--", "---", "it's", "q", "q1", "é", "\uffff", "\U0001f600")


@pytest.mark.parametrize(("weight", "count"), [(None, 0), (0, 0), (1, 1), (3, 2), (6, 3), (8, 4)])
def test_names_are_in_order_however_many_there_are(spark: SparkSession, weight: int | None, count: int) -> None:
    texts = [f"region = 'r{n % 5}' AND weight > {n - n % 5 + more}" for more in (0, 2) for n in range(10)]
    names = [*NAMES, *(f"{name}z" for name in reversed(NAMES))]
    frame = spark.createDataFrame([(f"r{n}", weight, None) for n in range(6)], TYPED).coalesce(1)
    routed = route(frame, bound(texts, names=names), frame)
    limits = [int(text.split()[-1]) for text in texts]
    wanted = [
        sorted(name for n, name in enumerate(names) if n % 5 == row and weight is not None and weight > limits[n])
        for row in range(6)
    ]
    assert [row.queues for row in routed.collect()] == wanted
    assert [len(found) for found in wanted] == [count] * 5 + [0]
    assert "subquery" not in query(routed)
