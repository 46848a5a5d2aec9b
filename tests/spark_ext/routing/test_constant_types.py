"""Constants of a column of any type become keys and bounds, however they are spelled."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from pyspark.sql import SparkSession

from spark_ext import route
from tests.sizes import size
from transpiler import Message
from transpiler.compiler.presets import find_layout
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.routing.interval_index import Interval, build_interval_index
from transpiler.routing.plan import build_plan
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Exchange, Queue

SCHEMA = "amount DECIMAL(10, 2), ts TIMESTAMP, f FLOAT, lc STRING COLLATE UTF8_LCASE"
#: Conditions with literals that the scanner can take out, and others, whose constants have the types of the columns.
FORMS = (
    "amount = {n}.25",
    "amount = {n}.25e0",
    "amount > {n}.123456789",
    "amount BETWEEN {n}.25e0 AND {n}.75",
    "ts = 1700000000{n:03d}",
    "ts >= 1.700000000{n:03d}e12 AND ts < 1.700000001e12",
    "ts > 170000000{n:04d}e0",
    "f < {n}.5e0",
    "f = {n}.5",
    "lc = 'K{n}'",
    "lc LIKE 'K{n}%' AND amount < 5e1",
    "lc LIKE '%{n}' /* k{n} */",
)
COUNT = 70


def topology() -> Topology:
    texts = [form.format(n=number) for form in FORMS for number in range(1, COUNT + 1)]
    queues = tuple(Queue(f"q{number}") for number in range(len(texts)))
    bindings = tuple(
        Binding("x", queue.name, "", {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)})
        for queue, text in zip(queues, texts, strict=True)
    )
    return Topology(QPID_JAVA, (Exchange("x", "fanout"),), queues, bindings, default_exchange="x")


def test_no_type_of_a_column_is_compiled_as_text() -> None:
    plan = build_plan(topology(), find_layout(SCHEMA), "error", "x")
    # Prefixes of two characters: nine are too few for a table.
    assert len(plan.compiled) == 9
    assert len(plan.tables) < len(FORMS) + 4
    assert all(table.signature.keys or table.index is not None for table in plan.tables)


def test_constants_of_every_type_route_as_the_reference_does(spark: SparkSession) -> None:
    rows = [
        (
            Decimal(f"{number}.{number % 4}5"),
            1_700_000_000_000 + number,
            number + number % 2 / 2,
            f"{'Kk'[number % 2]}{number}",
        )
        for number in range(0, COUNT + 3, size(12, 3))
    ]
    values = [(a, datetime.fromtimestamp(t / 1000, UTC), f, s) for a, t, f, s in rows]
    frame = spark.createDataFrame(values, SCHEMA).coalesce(1)
    expected = []
    for amount, milliseconds, number, text in rows:
        properties = {
            "amount": AmqpValue(AmqpType.DOUBLE, float(amount)),
            "ts": AmqpValue(AmqpType.LONG, milliseconds),
            "f": AmqpValue(AmqpType.FLOAT, number),
            "lc": AmqpValue(AmqpType.STRING, text),
        }
        expected.append(list(route_message(topology(), Message(application_properties=properties), "x")))
    assert [row.queues for row in route(frame, topology(), frame, exchange="x").collect()] == expected
    assert min(map(len, expected)) > 20


def test_bounds_of_a_decimal_leave_room_for_another_rounding() -> None:
    bounds = [Decimal(number) / 10 for number in range(200)]
    index = build_interval_index(Interval((), 0, 1), [(bound, bound) for bound in bounds])
    assert all(row in index.rows(float(bound)) for row, bound in enumerate(bounds))
