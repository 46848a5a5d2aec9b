"""A conversion that the SQL contains twice is evaluated behind the test that protects it, in a branch of a CASE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import expressions as sql

from tests.compiler.rewrites.nodes import B, N, S, compare
from tests.spark_ext.strategies import selectors
from transpiler import Layout, stores, transpile_selector
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT
from transpiler.compiler.spark_plan.guarded_conversions import guard_conversions

IS_NUMBER = ir.Matches(S, "^[0-9]+$")
NUMBER = ir.Apply(ir.Function.NUMBER_IN_TEXT, (S,), BIGINT)
ABOVE, BELOW = compare(NUMBER, ">", 1), compare(NUMBER, "<", 5)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ir.And((IS_NUMBER, ABOVE, BELOW)), ir.Guarded(IS_NUMBER, ir.And((ABOVE, BELOW)))),
        (
            ir.And((ir.IsTrue(B), IS_NUMBER, compare(N, "=", 1), ir.Or((ABOVE, BELOW)))),
            ir.And((ir.IsTrue(B), ir.Guarded(IS_NUMBER, ir.Or((ABOVE, BELOW))), compare(N, "=", 1))),
        ),
        (
            ir.Or((ir.And((IS_NUMBER, ABOVE)), ir.And((ir.IsTrue(B), BELOW, IS_NUMBER)))),
            ir.Or((ir.Guarded(IS_NUMBER, ABOVE), ir.And((ir.IsTrue(B), ir.Guarded(IS_NUMBER, BELOW))))),
        ),
    ],
    ids=["twice in one AND", "beside other terms", "in two branches"],
)
def test_the_test_becomes_the_condition_of_a_case(before: ir.Predicate, after: ir.Predicate) -> None:
    assert guard_conversions(before) == after


@pytest.mark.parametrize(
    "node",
    [
        ir.And((IS_NUMBER, ABOVE)),
        ir.And((ABOVE, BELOW)),
        ir.And((ir.Matches(ir.Column(("t",), S.type), "^[0-9]+$"), ABOVE, BELOW)),
        ir.And((IS_NUMBER, compare(S, "=", "1"), compare(S, "<>", "2"))),
        ir.And((IS_NUMBER, ABOVE, compare(ir.When(IS_NUMBER, NUMBER), "<", 5))),
    ],
    ids=["once", "without a test", "with a test of another text", "without a conversion", "in a CASE already"],
)
def test_other_predicates_stay(node: ir.Predicate) -> None:
    assert guard_conversions(node) is node


def _evaluated(node: sql.Expression) -> Iterator[sql.Expression]:
    """Yield the parts of ``node`` that Spark evaluates in every row, and all parts of these."""
    yield node
    match node:
        case sql.Case():
            inside = [node.this or node.args["ifs"][0].this]
            if node.this is not None:
                inside.append(node.args["ifs"][0].this)
        case sql.Coalesce():
            inside = [node.this]
        case _:
            inside = list(node.iter_expressions())
    for part in inside:
        yield from _evaluated(part)


def repeated_conversions(text: str) -> list[str]:
    """Return the conversions that the SQL contains twice where Spark evaluates them in every row.

    Casts to strings and times are cheap if they fail.
    """
    counts = Counter(
        part.sql(dialect="spark")
        for part in _evaluated(sqlglot.parse_one(text, dialect="spark"))
        # The parser marks ``try_cast`` and ``try_parse_json`` as safe.
        if isinstance(part, sql.Cast | sql.ParseJSON)
        and part.args.get("safe")
        and not (isinstance(part, sql.Cast) and part.to.is_type("string", "timestamp", "timestampltz"))
    )
    return [conversion for conversion, count in counts.items() if count > 1]


LAYOUTS: dict[str, Layout] = {
    "by-use": stores.text_map("p", types="by-use"),
    "parsed": stores.text_map("p", types="parsed"),
    "json": stores.text_map("p", types="json"),
    "BIGINT": stores.text_map("p", types={"a": "BIGINT", "b": "BIGINT", "c": "BIGINT"}),
    "Kafka": stores.kafka_headers("headers", types="by-use"),
    "VARIANT": stores.variant("v"),
    "JSON": stores.variant("v", json=True),
}
SELECTORS = (
    "a BETWEEN 5 AND 9",
    "a NOT BETWEEN 5 AND 9",
    "NOT (a > 5 AND a < 9)",
    "a > 5 AND b = 'x' OR a < 3 AND b = 'y'",
    "a >= b",
    "a = b",
    "a * b > 100 OR a * b < 3",
    "a + 1 > 5 AND a + 1 < 9",
    "a = 1 OR b = 2 OR a > b",
)


@pytest.mark.parametrize(("layout", "selector"), list(product(LAYOUTS, SELECTORS)))
@pytest.mark.parametrize("dialect", ["jms", "activemq"])
def test_no_conversion_is_evaluated_before_its_test(layout: str, selector: str, dialect: str) -> None:
    text = transpile_selector(selector, LAYOUTS[layout], dialect).sql
    assert repeated_conversions(text) == [], text


@given(st.sampled_from(sorted(LAYOUTS)), selectors(("a", "b", "c")))
def test_no_conversion_of_a_random_selector_is_evaluated_before_its_test(layout: str, selector: str) -> None:
    text = transpile_selector(selector, LAYOUTS[layout]).sql
    assert repeated_conversions(text) == [], text


def test_the_check_finds_a_conversion_that_is_evaluated_in_every_row() -> None:
    twice = "rlike(t, '[0-9]+') AND (try_cast(t AS INT) > 5 OR try_cast(t AS INT) < 1)"
    assert repeated_conversions(twice) == ["TRY_CAST(t AS INT)"]
    assert repeated_conversions(f"CASE WHEN true THEN {twice} END") == []
