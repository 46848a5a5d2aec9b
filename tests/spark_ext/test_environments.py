"""The answer of SQL does not depend on its environment: a view, an alias, text or Column, the session's settings.

``test_connect`` asks the same queries over Spark Connect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as sf

from tests.compiler.stores.tables import LAYOUTS, Query, layout, path, queries, schema
from tests.hostile.test_any_row import SETTINGS
from tests.sizes import sample
from tests.spark_ext.harness import COMPILED, SPARK
from tests.spark_ext.harness import settings as spark_settings
from transpiler import transpile_selector

#: Default collations of a view, by which texts with other cases, accents or trailing blanks are equal.
COLLATIONS = ("UTF8_LCASE", "UNICODE_CI_AI", "UNICODE")
#: A text that is equal to one of the messages' texts under each of these collations, and to none by its bytes.
OTHER_CASE = ("color = 'BLUE'", "color IN ('BLUE', 'Red')", "color LIKE 'BL%'", "color LIKE '%L_E'", "color <> 'BLUE'")

#: A way to evaluate expressions over a table: it returns rows of ``id`` and a column for each expression.
Environment = Callable[[SparkSession, str, list[str]], list[Row]]


def cases_of(table: str) -> Iterator[tuple[Query, str]]:
    """Yield each query over a table, and selectors for texts in another case, with the SQL of the query."""
    policies = dict.fromkeys(query.policy for query in queries(table))
    for query in queries(table):
        yield query, transpile_selector(query.selector, layout(table, query.policy).over(schema(table))).sql
    for policy in policies:
        bound = layout(table, policy).over(schema(table))
        for selector in OTHER_CASE:
            yield Query(policy, selector, selector, "", frozenset()), transpile_selector(selector, bound).sql


def selected(sqls: list[str]) -> str:
    return ", ".join(["id", *(f"{sql} AS c{number}" for number, sql in enumerate(sqls))])


def as_columns(spark: SparkSession, table: str, sqls: list[str]) -> list[Row]:
    columns = [sf.expr(sql).alias(f"c{number}") for number, sql in enumerate(sqls)]
    return spark.read.parquet(path(table)).select("id", *columns).collect()


def in_view(collation: str) -> Environment:
    def select(spark: SparkSession, table: str, sqls: list[str]) -> list[Row]:
        spark.sql(
            f"CREATE OR REPLACE VIEW environment DEFAULT COLLATION {collation} AS"
            f" SELECT {selected(sqls)} FROM parquet.`{path(table)}`"
        )
        return spark.table("environment").collect()

    return select


def under_alias(spark: SparkSession, table: str, sqls: list[str]) -> list[Row]:
    name = next(column["name"] for column in schema(table)["fields"] if column["name"] != "id")
    return spark.sql(f"SELECT {selected(sqls)} FROM parquet.`{path(table)}` AS `{name}`").collect()


def with_settings(values: dict[str, str]) -> Environment:
    def select(spark: SparkSession, table: str, sqls: list[str]) -> list[Row]:
        with spark_settings(spark, values | COMPILED):
            return as_columns(spark, table, sqls)

    return select


ENVIRONMENTS: dict[str, Environment] = {
    **{collation: in_view(collation) for collation in (COLLATIONS if SPARK >= (4, 2) else ())},
    "alias": under_alias,
    "lenient": with_settings(SETTINGS["lenient"]),
    "strict": with_settings(SETTINGS["strict"]),
}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("table", sample(LAYOUTS, 6))
def test_the_answer_is_the_same_in_every_environment(spark: SparkSession, table: str, environment: str) -> None:
    cases = list(cases_of(table))
    sqls = [sql for _, sql in cases]
    with spark_settings(spark, COMPILED):
        expected = sorted(as_columns(spark, table, sqls))
        found = sorted(ENVIRONMENTS[environment](spark, table, sqls))
    for number, (query, sql) in enumerate(cases, 1):
        plain, here = ({row[0]: row[number] for row in rows} for rows in (expected, found))
        assert here == plain, f"{table}, {query.policy}, {environment}: {query.selector}\n{sql}"
