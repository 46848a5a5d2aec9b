"""The SQL of tests of a tagged union in a map. The agreement tests check its results."""

from __future__ import annotations

import re

import pytest

from tests.compiler.sql_text import bare
from transpiler import transpile_selector


def short(sql: str) -> str:
    """Return ``sql`` with each property written as its name."""
    return re.sub(r"application_properties\['(\w+)'\]", r"\1", sql)


@pytest.mark.parametrize(
    ("selector", "sql"),
    [
        ("a > 5", "coalesce(a.long > 5, nanvl(a.double, NULL) > 5D)"),
        ("a < 5.5", "coalesce(a.double < 5.5D, a.long <= 5)"),
        ("a = 5 OR a = 6.5", "coalesce(a.double IN (5D, 6.5D), a.long = 5)"),
        ("a = 5 OR a = 'x'", "coalesce(a.long = 5, a.double = 5D, a.string = 'x')"),
        ("a = 5 OR b = 'x'", "coalesce(a.long = 5, a.double = 5D) OR b.string = 'x'"),
        ("a = 5 AND a = 'x'", "false"),
        ("a > 2 AND a < 5", "coalesce(a.long > 2 AND a.long < 5, a.double > 2D AND a.double < 5D)"),
        (
            "a BETWEEN 2 AND 5",
            "coalesce(a.long, a.double) >= 2D AND coalesce(a.long, a.double) <= 5D",
        ),
        (
            "a BETWEEN 2 AND 5.5",
            "coalesce(a.double, a.long) >= 2D AND coalesce(a.double, a.long) <= 5.5D",
        ),
        (
            "a BETWEEN 2 AND 5 AND b = 'x'",
            "coalesce(a.long, a.double) >= 2D AND coalesce(a.long, a.double) <= 5D AND b.string = 'x'",
        ),
        (
            "a BETWEEN 2 AND 5 OR b = 'x'",
            "coalesce(a.long >= 2 AND a.long <= 5, a.double >= 2D AND a.double <= 5D) OR b.string = 'x'",
        ),
        (
            "a BETWEEN 2 AND 9007199254740993",
            "coalesce(a.long >= 2 AND a.long <= 9007199254740993, a.double >= 2D AND a.double <= 9007199254740992D)",
        ),
        (
            "NOT a BETWEEN 2 AND 5",
            "coalesce(a.long < 2 OR a.long > 5, a.double < 2D OR a.double > 5D, a.type <> 'null')",
        ),
        ("a <> 'x'", "a.string <> 'x'"),
        ("NOT a = 'x'", "coalesce(a.string <> 'x', a.type <> 'null')"),
        ("NOT a = 'x' AND a LIKE 'y%'", "a.string <> 'x' AND startswith(a.string, 'y')"),
        ("NOT a = 'x' AND a IS NOT NULL", "coalesce(a.string <> 'x', a.type <> 'null')"),
        ("NOT a = 5 OR NOT a = 'x'", "a.type <> 'null'"),
        (
            "NOT (a = 5 OR a = 'x')",
            "coalesce(a.long <> 5, a.double <> 5D, a.string <> 'x', a.type <> 'null')",
        ),
        ("a LIKE '%'", "a.string IS NOT NULL"),
        ("a LIKE '%' OR a = 5", "a.string IS NOT NULL OR coalesce(a.long = 5, a.double = 5D)"),
        ("a AND NOT b", "a.boolean AND NOT b.boolean"),
        ("properties.subject = 'x'", "properties.subject = 'x'"),
    ],
)
def test_a_union_is_asked_once_for_each_alternative(selector: str, sql: str) -> None:
    dialect = "rabbitmq" if selector.startswith("properties") else "jms"
    assert short(bare(transpile_selector(selector, dialect=dialect).sql)) == sql


def test_a_union_that_is_a_column_stays_in_sight_of_the_reader() -> None:
    assert bare(transpile_selector("JMSMessageID = 'ID:AMQP_ULONG:42'").sql) == "properties.message_id.long = 42"
