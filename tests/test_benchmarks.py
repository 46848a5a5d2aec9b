"""The benchmarks run on very little data, and the compared implementations give the same answers.

Nothing is timed here.
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.benchmarks import report
from tests.benchmarks.__main__ import Size, tables
from tests.benchmarks.filters import compiled
from tests.benchmarks.messages import NOW, PROPERTIES
from tests.benchmarks.patterns import PATTERNS
from tests.benchmarks.selectors import CASES
from tests.sizes import is_full, size
from tests.spark_ext.harness import SPARK, answers, numbered
from transpiler import Message
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue

TINY = Size(
    messages=120,
    fewer=30,
    listed=40,
    broker=10,
    rounds=0,
    scale=500,
    terms=(10, 20)[: size(1, 2)],
    characters=1_000,
    lengths=(10, 50),
    cases=CASES[-size(1, 2) :],
    kinds=("LIKE '%,n,%'", "mixed")[: size(1, 2)],
    patterns=PATTERNS[: size(1, 2)],
    routing=1_000,
    shapes=("ranges",),
)


#: Number of tables of each benchmark. A sample runs only the benchmarks of selectors over this project's layouts.
TABLES = {"filters": 3, "compiling": 5}
if is_full():
    parts = (
        "stores",
        "policies",
        "activemq",
        "long",
        "patterns",
        "routing",
        "growth",
        "compiled",
        "ablation",
        "cores",
        "peers",
    )
    TABLES |= dict(zip(parts, (2, 1, 1, 2, 1, 1, 7, 2, 1, 1, 1), strict=True))
    if SPARK >= (4, 3):
        # Earlier versions of Spark have no real-time mode.
        TABLES["latency"] = 1


@pytest.mark.full
def test_every_part_of_the_benchmarks_runs(spark: SparkSession, tmp_path: Path) -> None:
    found = list(tables(spark, tmp_path, TINY, tuple(TABLES)))
    assert [len(table.rows) for table in found[:3]] == [3 * len(TINY.cases), len(TINY.cases), 2]
    assert all(len(row) == len(table.columns) for table in found for row in table.rows)
    page = report.markdown(found, "tiny")
    assert page.count("\n## ") == len(found) == sum(TABLES.values())
    assert ElementTree.fromstring(report.svg(found, "tiny")).tag.endswith("svg")


#: Property values on both sides of the constants in the twelve selectors, and values of all types.
TEXTS = ("blue", "red", "green", "EMEA", "AMER", "order-17", "order-1799", "x-99", "7a9")
INTEGERS = (-1, 0, 5, 9, 10, 15, 20, 21, 99, 100, 101, 2500, 2501, 10_000, 2**63 - 1)
DOUBLES = (-1.0, 9.4, 9.5, 10.0, 20.5, 20.6, 99.98, 99.99, 100.0, 2500.0, 2500.5, 1e300, math.inf, -math.inf, math.nan)
OTHERS = (
    None,
    AmqpValue(AmqpType.NULL, None),
    *(AmqpValue(AmqpType.ULONG, number) for number in (50, 2**63, 2**64 - 1)),
    *(AmqpValue(AmqpType.CHAR, text) for text in "bx"),
    *(AmqpValue(AmqpType.BINARY, data) for data in (b"EMEA", b"blue", b"\xff")),
    *(AmqpValue(AmqpType.SYMBOL, text) for text in ("blue", "EMEA")),
    *(AmqpValue(AmqpType.FLOAT, number) for number in (99.5, math.nan)),
    AmqpValue(AmqpType.BYTE, 5),
    AmqpValue(AmqpType.INT, 3000),
    AmqpValue(AmqpType.TIMESTAMP, 5000),
)


def messages_of_any_type(count: int) -> list[Message]:
    """Return ``count`` messages whose properties have any type. The messages are the same in every run."""
    draw = random.Random(5)

    def value() -> AmqpValue | None:
        match draw.choice("sssiiddbo"):
            case "s":
                return AmqpValue(AmqpType.STRING, draw.choice(TEXTS))
            case "i":
                return AmqpValue(AmqpType.LONG, draw.choice(INTEGERS))
            case "d":
                return AmqpValue(AmqpType.DOUBLE, draw.choice(DOUBLES))
            case "b":
                return AmqpValue(AmqpType.BOOLEAN, draw.random() < 0.5)
            case _:
                return draw.choice(OTHERS)

    return [
        Message(
            header=Header(priority=draw.choice((None, 0, 4, 5, 7, 9))),
            properties=Properties(
                subject=draw.choice((None, "order.created", "order.created", "x")),
                creation_time=draw.choice((None, NOW - 3_600_000, NOW - 3_599_999, NOW)),
            ),
            application_properties={name: found for name in PROPERTIES if (found := value())},
        )
        for _ in range(count)
    ]


def test_what_is_written_by_hand_has_the_meaning_of_the_selector(spark: SparkSession) -> None:
    frame = numbered(create_messages(spark, messages_of_any_type(3_000)))
    texts = [(compiled(case, "amqp"), case.hand("canonical"), case.first_try("canonical")) for case in CASES]
    found = answers(frame, [f"coalesce({text}, FALSE)" for same in texts for text in same])
    for case, ours, by_hand, first_try in zip(CASES, found[::3], found[1::3], found[2::3], strict=True):
        assert 0 < sum(map(bool, ours)) < len(ours), case.title
        assert ours == by_hand, case.title
        assert (first_try == by_hand) == (case.of_any_type is None), f"{case.title}: what of_any_type is for"
