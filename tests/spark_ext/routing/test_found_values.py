"""Reports count the rows that have a value for each name in the conditions of a topology or selector."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages, explain_matches, explain_routing, route
from tests.compiler.stores.tables import DOCUMENTS, LAYOUTS, layout, path
from tests.sizes import sample
from transpiler import Message, stores, topology_from_dict
from transpiler.routing import tuning

#: Names that the messages of all stores' tables have, and a name that no message has.
NAMES = ("color", "weight", "none_has_it")


def topology(*selectors: str, keys: str = "*.a.#.b") -> Any:
    return topology_from_dict(
        {
            "broker": "qpid-java",
            "queues": [f"q{number}" for number in range(len(selectors))],
            "exchanges": [{"name": "x", "type": "topic"}],
            "bindings": [
                {
                    "source": "x",
                    "queue": f"q{number}",
                    "key": f"{keys}{number}",
                    "arguments": {"x-filter-jms-selector": selector},
                }
                for number, selector in enumerate(selectors)
            ],
        }
    )


@pytest.mark.parametrize("table", sample(list(LAYOUTS), 5))
def test_the_rows_are_those_whose_message_has_the_property(spark: SparkSession, table: str) -> None:
    frame = spark.read.parquet(path(table)).localCheckpoint()
    bound = layout(table, next(iter(DOCUMENTS[table]["expected"]))).over(frame.schema.jsonValue())
    messages = [bound.message(row) for row in frame.collect()]
    selector = " AND ".join(f"{name} IS NOT NULL" for name in NAMES)
    found = explain_matches(frame, selector, bound, examples=0, missing="null").found
    assert found.rows == len(messages)
    assert {value.name: value.rows for value in found.values} == {
        name: sum(_has(message, name) for message in messages) for name in NAMES
    }
    for value in found.values:
        # A value has one type, except that a number as text is counted as text, too.
        assert sum(count for label, count in value.types.items() if "in text" not in label) == value.rows, value
    assert "none_has_it is missing in all rows; 1 part requires this value" in str(found)


def _has(message: Message, name: str) -> bool:
    value = (message.application_properties or {}).get(name)
    return value is not None and value.value is not None


def test_a_report_of_routing_says_where_each_name_was_found_and_of_which_type(spark: SparkSession) -> None:
    df = spark.range(100).selectExpr(
        "map('color', if(id % 2 = 0, 'blue', NULL), 'n', if(id % 4 = 0, '7', 'many')) AS attributes",
        "CAST(id % 10 AS INT) AS Prio",
        "concat('s.', id % 3) AS Key",
        "if(id < 5, NULL, 'x') AS SentTo",
    )
    headers = {"JMSPriority": "Prio", "routing-key": "Key", "exchange": "SentTo"}
    store = stores.text_map("attributes", types="by-use", headers=headers, schema=df.schema)
    asked = topology(
        "color = 'blue' AND n > 5", "JMSPriority > 3 AND colour = 'red'", "color = 'red' AND JMSType = 'a'"
    )
    report = explain_routing(asked, store, messages=df)
    assert report.found is not None
    assert report.found.lines() == [
        "name               rows  types                        place",
        "exchange      95 of 100                               SentTo",
        "routing key  100 of 100                               Key",
        "color         50 of 100  text                         attributes['color']",
        "n            100 of 100  100 text, 25 number in text  attributes['n']",
        "JMSPriority  100 of 100  integer                      Prio",
        "colour         0 of 100                               attributes['colour']",
        "JMSType        0 of 100                               attributes['JMSType']",
        "",
        "colour is missing in all rows; 1 binding requires this value",
        "JMSType is missing in all rows; 1 binding requires this value",
        "100 messages have about 3 routing keys: route(messages, topology, keys=messages) matches each routing "
        "key only once",
    ]
    assert str(report).endswith(str(report.found))
    assert "colour is missing in all rows" in report._repr_html_()
    assert explain_routing(asked, store).found is None
    # Follow the proposed option.
    routed = [route(df, asked, store, **keys).collect() for keys in ({}, {"keys": df})]  # type: ignore[arg-type]
    assert routed[0] == routed[1]


def test_reports_describe_columns_sections_and_documents_in_the_users_words(spark: SparkSession) -> None:
    asked = topology("color = 'blue' AND JMSPriority > 3", keys="a")
    tables: list[tuple[Any, Any, dict[str, str]]] = [
        (spark.sql("SELECT 'red' AS color, 'a' AS routing_key"), None, {"color": "color", "JMSPriority": "no place"}),
        (
            spark.sql("SELECT 'red' AS color, 'a' AS routing_key, 5 AS JMSPriority"),
            None,
            {"color": "color", "JMSPriority": "JMSPriority"},
        ),
        (
            create_messages(spark, [{"color": "red"}]),
            None,
            {"color": "application_properties['color']", "JMSPriority": "header.priority"},
        ),
        (
            spark.sql("SELECT parse_json('{\"p\": {\"color\": 1}}') AS v, 'a' AS routing_key, 5 AS Prio"),
            stores.variant("v", path="$.p", headers={"JMSPriority": "Prio"}),
            {"color": "v['color']", "JMSPriority": "Prio"},
        ),
        (
            spark.sql("SELECT named_struct('meta', named_struct('color', 'red')) AS m, 'a' AS routing_key"),
            stores.struct("m.meta"),
            {"color": "m.meta.color", "JMSPriority": "no place"},
        ),
        (
            spark.sql(
                "SELECT array(named_struct('key', 'color', 'value', binary('x'))) AS headers, 'a' AS routing_key"
            ),
            None,
            {"color": "headers['color'].value", "JMSPriority": "headers['JMSPriority'].value"},
        ),
    ]
    for frame, store, places in tables:
        found = explain_routing(asked, store, messages=frame, exchange="x", missing="null").found
        assert found is not None
        where = {value.name: value.where or "no place" for value in found.values if value.asked}
        assert where == places
        [priority] = [line for line in found.warnings if "JMSPriority" in line] or [""]
        assert priority in ("", "JMSPriority is missing in all rows, which means 4; 1 binding requires this value")


def test_the_names_in_a_plan_say_what_they_are(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "MIN_ROWS", 1)
    df = spark.range(4).selectExpr("'blue' AS color", "'a0' AS routing_key", "id AS `a b`")
    asked = topology("color = 'blue'", "color = 'red'", keys="a")
    plan = route(df, asked, exchange="x")._jdf.queryExecution().toString()
    names = set(re.findall("_routing_[0-9][a-z0-9_]*", plan))
    assert {"_routing_0_by_topic_color_key0", "_routing_0_by_topic_color_found0"} <= names, names


def test_a_value_of_a_map_and_compiled_conditions_are_named_by_their_properties(spark: SparkSession) -> None:
    df = spark.range(4).selectExpr("map('color', 'blue', 'weight', '7') AS p", "'a0' AS routing_key")
    asked = topology("color = 'blue'", "color = 'red' AND weight > 5", keys="a")
    plan = route(df, asked, stores.text_map("p", types="by-use"), exchange="x")._jdf.queryExecution().toString()
    names = set(re.findall("_routing_(?:read|conditions|substrings)[a-z0-9_]*", plan))
    assert names == {"_routing_read0_color", "_routing_read1_weight", "_routing_conditions0_topic_color_weight"}
