"""solve_timestamp: conditions on a timestamp and the query's time become comparisons of the timestamp column itself."""

from __future__ import annotations

import re

import pytest

from tests.compiler.rewrites.nodes import D, N, column, compare, conjunction, disjunction
from transpiler import transpile_selector
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, TIMESTAMP, ColumnType, SparkType
from transpiler.compiler.rewrites.solve_timestamp import solve_timestamp

TIME, OTHER = column("time", TIMESTAMP), column("other", TIMESTAMP)
QUERY = ir.Apply(ir.Function.NOW, (), BIGINT)


def millis(time: ir.Column) -> ir.Apply:
    return ir.Apply(ir.Function.MILLISECONDS, (time,), BIGINT)


def plus(left: ir.Value, right: ir.Value | int) -> ir.Apply:
    return ir.Apply(ir.Function.ADD_BIG, (left, ir.constant(right) if isinstance(right, int) else right), BIGINT)


def minus(left: ir.Value, right: ir.Value | int) -> ir.Apply:
    return ir.Apply(ir.Function.SUBTRACT_BIG, (left, ir.constant(right) if isinstance(right, int) else right), BIGINT)


def moment(offset: int) -> ir.Apply:
    """Return the timestamp ``offset`` milliseconds after the time of the query."""
    return ir.Apply(ir.Function.MOMENT, (ir.constant(offset),), TIMESTAMP)


def end(duration: ir.Value, start: ir.Value) -> ir.Apply:
    return ir.Apply(ir.Function.LATER, (duration, start), BIGINT)


def until(time: int) -> ir.Apply:
    return ir.Apply(ir.Function.UNTIL, (ir.constant(time), QUERY), BIGINT)


BIG = 9 * 10**15

REWRITTEN = {
    "t >= NOW": (compare(millis(TIME), ">=", QUERY), compare(TIME, ">=", moment(0))),
    "t > NOW, a millisecond later": (compare(millis(TIME), ">", QUERY), compare(TIME, ">=", moment(1))),
    "t < NOW": (compare(millis(TIME), "<", QUERY), compare(TIME, "<", moment(0))),
    "t <= NOW, in its millisecond too": (compare(millis(TIME), "<=", QUERY), compare(TIME, "<", moment(1))),
    "t = NOW": (
        compare(millis(TIME), "=", QUERY),
        conjunction(compare(TIME, ">=", moment(0)), compare(TIME, "<", moment(1))),
    ),
    "t <> NOW": (
        compare(millis(TIME), "<>", QUERY),
        disjunction(compare(TIME, "<", moment(0)), compare(TIME, ">=", moment(1))),
    ),
    "t + 5 > NOW": (compare(plus(millis(TIME), 5), ">", QUERY), compare(TIME, ">=", moment(-4))),
    "t > NOW - 5": (compare(millis(TIME), ">", minus(QUERY, 5)), compare(TIME, ">=", moment(-4))),
    "NOW - t < 5, mirrored": (compare(minus(QUERY, millis(TIME)), "<", 5), compare(TIME, ">=", moment(-4))),
    "NOW on the left": (compare(QUERY, ">", millis(TIME)), compare(TIME, "<", moment(0))),
    "t - 5 > 10, which has no NOW": (compare(minus(millis(TIME), 5), ">", 10), compare(millis(TIME), ">", 15)),
    "the largest offset": (compare(millis(TIME), ">=", plus(QUERY, BIG)), compare(TIME, ">=", moment(BIG))),
    "the end of a duration that starts at a known time": (
        compare(end(N, ir.constant(400)), ">", 1000),
        compare(N, ">", 600),
    ),
    "the end of a duration from NOW": (compare(end(N, QUERY), ">", 1000), compare(N, ">", until(1000))),
    "the end of a duration on the right": (compare(1000, ">", end(N, QUERY)), compare(N, "<", until(1000))),
}

KEPT = {
    "a column": compare(N, ">", 5),
    "NOW alone": compare(QUERY, ">", 5),
    "NOW and a number": compare(N, ">", QUERY),
    "two timestamps": compare(minus(millis(TIME), millis(OTHER)), ">", QUERY),
    "a timestamp twice": compare(plus(millis(TIME), millis(TIME)), ">", QUERY),
    "NOW twice": compare(millis(TIME), ">", plus(QUERY, QUERY)),
    "an offset that may leave 64 bits": compare(millis(TIME), ">", plus(QUERY, BIG + 1)),
    "a sum of offsets that may": compare(plus(millis(TIME), BIG), ">", minus(QUERY, BIG)),
    "a fraction": compare(millis(TIME), ">", 1.5),
    "a double": compare(millis(TIME), ">", D),
    "a timestamp without a zone, which is no time of a query": compare(
        millis(column("local", ColumnType(SparkType.TIMESTAMP_NTZ))), ">", QUERY
    ),
    "the end of a duration and a truth value": compare(end(N, QUERY), "=", True),
    "the end of a duration and a large number": compare(end(N, QUERY), ">", BIG + 1),
    "the end of a duration and a fraction": compare(end(N, QUERY), ">", 1.5),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_comparison_of_times_is_solved_for_the_timestamp(before: ir.Predicate, after: ir.Predicate) -> None:
    assert solve_timestamp(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_comparison_that_is_not_about_one_timestamp_stays(node: ir.Predicate) -> None:
    assert solve_timestamp(node) is node


NOW = 1_700_000_000_000
SUMS = (
    ("properties.creation_time {} UTC()", 0),
    ("properties.creation_time {} UTC() - 3600000", -3_600_000),
    ("properties.creation_time + 3600000 {} UTC() + 5", -3_599_995),
    ("UTC() + 250 {} properties.creation_time", 250),
    ("UTC() - properties.creation_time {} 5000", -5_000),
    ("7 - properties.creation_time {} 3 - UTC()", 4),
    ("properties.creation_time - UTC() {} 0", 0),
    ("properties.creation_time - 5 {} UTC() - 5", 0),
)


def at(sql: str, now: int) -> str:
    """Replace the time of the query in ``sql`` by ``now``, as the option ``now=`` would."""

    def known(match: re.Match[str]) -> str:
        offset = int((match[1] or "0").replace(" ", ""))
        return f"timestamp_millis({now + offset})"

    return re.sub(r"timestamp_millis\(unix_millis\(current_timestamp\(\)\)( [+-] \d+)?\)", known, sql)


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "=", "<>"])
@pytest.mark.parametrize(("text", "offset"), SUMS)
def test_sums_are_solved_for_the_timestamp(text: str, offset: int, operator: str) -> None:
    mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    right = text.startswith("UTC() +") or " - properties" in text
    solved = mirrored.get(operator, operator) if right else operator
    wanted = transpile_selector(f"properties.creation_time {solved} {NOW + offset}", dialect="rabbitmq").sql
    unknown = transpile_selector(text.format(operator), dialect="rabbitmq").sql
    assert "current_timestamp()" in unknown
    assert at(unknown, NOW) == wanted
    assert transpile_selector(text.format(operator), dialect="rabbitmq", now=NOW).sql == wanted


@pytest.mark.parametrize(
    "text",
    [
        "properties.creation_time > UTC() + UTC()",
        "UTC() > UTC() - 5",
        "UTC() < 9999999999999",
        "5 = UTC() OR NOT UTC() > 7",
        "properties.creation_time - properties.absolute_expiry_time > UTC()",
        "properties.creation_time + properties.creation_time > UTC()",
        "properties.creation_time > UTC() - 9000000000000001",
        "properties.creation_time > UTC() - 1.5",
        "weight > UTC() - 5",
    ],
)
def test_other_sums_are_calculated(text: str) -> None:
    assert "timestamp_millis" not in transpile_selector(text, dialect="rabbitmq").sql
