"""The dbt files on the page about SQL, rendered as dbt renders them, return the same rows as ``route``."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest
import yaml
from jinja2 import Environment
from pyspark.sql import SparkSession

from spark_ext import route
from tests.pages import blocks
from transpiler import topology_from_dict, transpile_selector

SCHEMA = "id INT, region STRING, weight BIGINT, JMSPriority INT"
SELECTORS = {"eu_heavy": "region LIKE 'eu-%' AND weight > 2500", "urgent": "JMSPriority > 6"}
ROWS = [
    (1, "eu-north", 2501, 7),
    (2, "eu-west", 12, 4),
    (3, "us-east", 9000, 8),
    (4, None, 3000, None),
    (5, "eu", 1, 9),
]
FILES = {block.word: block.text for block in blocks("docs/how-to/sql.md") if "." in block.word}


class RefusedError(Exception):
    """The exception that dbt's ``raise_compiler_error`` raises in these tests."""


def rendered(model: str) -> str:
    """Return ``model`` as dbt compiles it, with the macros, the variables and the sources of the project."""
    variables = yaml.safe_load(FILES["dbt_project.yml"])["vars"]

    class Exceptions:
        @staticmethod
        def raise_compiler_error(message: str) -> NoReturn:
            raise RefusedError(message)

    given: dict[str, Any] = {
        "var": variables.__getitem__,
        "source": lambda schema, table: table,  # noqa: ARG005
        "exceptions": Exceptions,
    }
    environment = Environment(extensions=["jinja2.ext.do"])
    environment.globals.update(given)
    macros = environment.from_string(FILES["selectors.sql"]).module
    return environment.from_string(model).render(selector=macros.selector, queues_of=macros.queues_of)  # type: ignore[attr-defined]


def test_the_macros_give_the_queues_that_route_gives(spark: SparkSession) -> None:
    frame = spark.createDataFrame(ROWS, SCHEMA)
    frame.createOrReplaceTempView("messages")
    bindings = [
        {"source": "x", "queue": name, "arguments": {"x-filter-jms-selector": text}} for name, text in SELECTORS.items()
    ]
    topology = topology_from_dict(
        {
            "broker": "qpid-java",
            "queues": list(SELECTORS),
            "exchanges": [{"name": "x", "type": "fanout"}],
            "bindings": bindings,
        }
    )
    routed = {row.id: row.queues for row in route(frame, topology, exchange="x").collect() if row.queues}
    assert routed == {1: ["eu_heavy", "urgent"], 3: ["urgent"], 5: ["urgent"]}
    assert {row.id: row.queues for row in spark.sql(rendered(FILES["deliveries.sql"])).collect()} == routed
    assert [row.weight for row in spark.sql(rendered(FILES["eu_heavy.sql"])).collect()] == [2501]


def test_the_variables_are_what_the_compiler_prints() -> None:
    printed = {name: str(transpile_selector(text, SCHEMA)) for name, text in SELECTORS.items()}
    assert yaml.safe_load(FILES["dbt_project.yml"])["vars"]["selectors"] == printed


def test_a_selector_that_is_not_there_is_an_error_with_those_that_are() -> None:
    with pytest.raises(RefusedError, match=r"no selector gone in vars\.selectors: there are eu_heavy, urgent"):
        rendered("{{ selector('gone') }}")
