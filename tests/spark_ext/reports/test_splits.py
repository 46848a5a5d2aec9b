"""``split``: every row gets one result, and the reason is the subexpression that rejected the row."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from spark_ext import split
from transpiler import LayoutError

ROWS = [(1, "red", 9), (2, "blue", 9), (3, None, 9), (4, "red", 2), (5, "red", None)]
SCHEMA = "id INT, color STRING, weight INT"


@pytest.mark.parametrize(
    ("selector", "ids", "reasons"),
    [
        (
            "color = 'red' AND weight > 5",
            ([1], [2, 4], [3, 5]),
            {
                1: None,
                2: "color = 'red' is false",
                3: "color = 'red' is unknown: color is missing",
                4: "weight > 5 is false",
                5: "weight > 5 is unknown: weight is missing",
            },
        ),
        (
            "color = 'red' OR weight > 99",
            ([1, 4, 5], [2], [3]),
            {1: None, 2: "no alternative is true", 3: "no alternative is true: color is missing", 4: None, 5: None},
        ),
        ("", ([1, 2, 3, 4, 5], [], []), dict.fromkeys(range(1, 6))),
    ],
)
def test_every_row_has_one_result_and_its_reason(
    spark: SparkSession, selector: str, ids: tuple[list[int], ...], reasons: dict[int, str | None]
) -> None:
    frame = spark.createDataFrame(ROWS, SCHEMA)
    found = split(frame, selector, reason="why")
    parts = (found.matched, found.not_matched, found.unknown)
    assert tuple(sorted(row.id for row in part.collect()) for part in parts) == ids
    assert {row.id: row.why for row in found.rows.collect()} == reasons
    plain = split(frame, selector)
    results = {row.id: row.result for row in plain.rows.collect()}
    named = ("matched", "not matched", "unknown")
    assert results == {number: name for name, part in zip(named, ids, strict=True) for number in part}
    assert plain.matched.columns == frame.columns
    assert found.rows.columns == [*frame.columns, "result", "why"]


def test_no_column_of_the_messages_is_overwritten(spark: SparkSession) -> None:
    frame = spark.createDataFrame(ROWS, SCHEMA)
    with pytest.raises(LayoutError, match="result"):
        split(frame.withColumnRenamed("id", "result"), "color = 'red'")
    with pytest.raises(LayoutError, match="weight"):
        split(frame, "color = 'red'", reason="weight")
