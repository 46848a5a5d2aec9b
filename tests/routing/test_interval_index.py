"""Ranges without an equality are found by rank, and the result agrees with the reference router."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages, route
from tests.sizes import size
from tests.spark_ext.harness import COMPILED, settings
from transpiler import Message
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.routing import tuning
from transpiler.routing.interval_index import Interval, build_interval_index
from transpiler.routing.plan import build_plan
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Queue

SHAPES = (
    "n < {low}",
    "n >= {low}.5",
    "n BETWEEN {low} AND {high}",
    "n > {low} AND s = 'a' AND n <= {high}",
    "{high} > n",
    "JMSTimestamp >= {low} AND n <> {high}",
)
NUMBERS = [
    None,
    AmqpValue(AmqpType.STRING, "5"),
    *(AmqpValue(AmqpType.LONG, value) for value in (-(2**63), -3, 0, 1, 7, 499, 500, 998, 2**53 + 1, 2**63 - 1)),
    *(
        AmqpValue(AmqpType.DOUBLE, value)
        for value in (-0.0, 0.5, 7.0, 7.5, 1e300, float("inf"), float("-inf"), float("nan"))
    ),
]


def topology(count: int) -> Topology:
    spread = random.Random(7)
    bindings = []
    for number in range(count):
        low, high = sorted((spread.randrange(999), spread.randrange(999)))
        text = SHAPES[number % len(SHAPES)].format(low=low, high=high)
        arguments = {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)}
        bindings.append(Binding("amq.fanout", f"q{number}", "", arguments))
    return Topology(QPID_JAVA, (), tuple(Queue(f"q{number}") for number in range(count)), tuple(bindings))


@pytest.mark.parametrize("fused", ["true", "false"])
def test_ranges_agree_with_the_reference(spark: SparkSession, fused: str) -> None:
    where = topology(size(400, 600))
    found = build_plan(where, AmqpLayout(), "error", "amq.fanout")
    assert sum(isinstance(table.index, Interval) for table in found.tables) >= 5
    messages = []
    for position in range(2 * len(NUMBERS)):
        message = Message.from_dict(
            {
                "properties": {"creation_time": 500 if position % 2 else None},
                "application_properties": {"s": "a" if position % 3 else "b"},
            }
        )
        number = NUMBERS[position // 2]
        named = dict(message.application_properties or {}) | ({} if number is None else {"n": number})
        messages.append(replace(message, application_properties=named))
    frame = create_messages(spark, messages).coalesce(1)
    with settings(spark, COMPILED | {"spark.sql.codegen.wholeStage": fused}):
        rows = route(frame, where, exchange="amq.fanout").select("queues").collect()
    assert [row.queues for row in rows] == [list(route_message(where, message, "amq.fanout")) for message in messages]


@pytest.mark.parametrize("room", [0, 2, 8, 64])
@pytest.mark.parametrize("far", [False, True], ids=["even", "uneven"])
def test_a_number_finds_every_range_that_has_it_and_few_others(
    monkeypatch: pytest.MonkeyPatch, room: int, far: bool
) -> None:
    """Tested with trees of one and of many levels, with buckets and with a search."""
    monkeypatch.setattr(tuning, "INTERVAL_ROOM", room)
    spread = random.Random(3)
    pairs: list[tuple[int, int]] = [(7, 3), (200, 100), (50, 49)]
    for _ in range(300):
        low = spread.randrange(1000)
        pairs.append((low, low + spread.randrange(20 if room == 64 else 900)))
    if far:
        pairs.append((-(10**15), 10**15))
    index = build_interval_index(Interval((), 0, 1), pairs)
    assert bool(index.steps) is far
    assert (not index.shifts) is (room == 64)
    for value in (-math.inf, -1, *range(0, 1001, 7), 0.5, 999.5, 3000, math.inf, math.nan):
        rows = index.rows(value)
        inside = {row for row, (low, high) in enumerate(pairs) if low <= value <= high}
        assert len(rows) == len(set(rows))
        assert inside <= set(rows)
        assert len(set(rows) - inside) <= 16


def test_an_index_of_ranges_without_bounds_or_of_one_has_every_row() -> None:
    assert build_interval_index(Interval((), None, None), [(), ()]).rows(5) == [0, 1]
    one = build_interval_index(Interval((), 0, None), [(5,)] * 70)
    assert (one.rows(5), one.rows(math.inf)) == (list(range(70)), list(range(70)))
    assert build_interval_index(Interval((), 0, 1), [(-math.inf, 1e308), (-1e308, 1e308)]).rows(0) == [0, 1]


def test_a_range_of_decimals_has_the_doubles_beside_its_bounds() -> None:
    points = [Decimal(number) / 10 for number in range(1, 100)]
    index = build_interval_index(Interval((), 0, 1), [*zip(points, points, strict=True), (Decimal(-(10**15)), 10**15)])
    assert index.steps
    for row, point in enumerate(points):
        for way in (-math.inf, math.inf):
            assert row in index.rows(math.nextafter(float(point), way)), (point, way)
