"""Two tables that a stranger would have. Hints alone lead from the first error to the right rows.

Each step applies exactly what an error, a warning or a report proposes. No step uses knowledge about layouts.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_selector, explain_matches, explain_routing, infer_layout, route
from transpiler import TranspilerError, stores, topology_from_dict

#: Proposals in the words of an error: a layout, and an argument of a layout.
_STORE = re.compile(r"stores\.\w+\((?:[^()]|\([^()]*\))*\)")
_HEADERS = re.compile(r"headers=(\{'[\w-]+': '[\w.]+'\})")


def error_of(asked: Callable[[], object]) -> str:
    """Return the error of a step, or its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            asked()
        except TranspilerError as error:
            return str(error)
    return "\n".join(str(one.message) for one in caught)


def made(text: str, df: DataFrame, call: int = 0) -> Any:
    """Return the layout that ``text`` proposes."""
    return eval(_STORE.findall(text)[call], {"stores": stores, "df": df})


def test_an_events_table_of_a_webhook_service(spark: SparkSession) -> None:
    """A data lake's table of webhooks: attributes as a map of text, the topic in a column, names in camel case."""
    df = spark.sql(
        """SELECT * FROM VALUES
        (1, map('Tier', 'gold', 'amountCents', '125000'), 'order.created.eu', 'shop'),
        (2, map('Tier', 'gold', 'amountCents', '900'), 'order.created.us', 'shop'),
        (3, map('Tier', 'basic', 'amountCents', '300000'), 'order.paid.eu', 'shop'),
        (4, map('amountCents', 'n/a'), 'invoice.paid.eu', 'billing')
        AS events(id, attributes, topic, exchange_name)"""
    )
    topology = topology_from_dict(
        {
            "broker": "qpid-java",
            "queues": ["eu", "large"],
            "exchanges": [{"name": "shop", "type": "topic"}, {"name": "billing", "type": "fanout"}],
            "bindings": [
                {"source": "shop", "queue": "eu", "key": "#.eu"},
                {
                    "source": "shop",
                    "queue": "large",
                    "key": "order.#",
                    "arguments": {"x-filter-jms-selector": "Tier = 'gold' AND amountCents > 100000"},
                },
            ],
        }
    )
    headers: dict[str, str] = {}
    # 1. The exchange is unknown; the error names the column.
    first = error_of(lambda: route(df, topology))
    assert "route.no-exchange" in first
    headers |= eval(_HEADERS.search(first)[1])  # type: ignore[index]
    # 2. A layout with that column does not know the types of the properties.
    second = error_of(lambda: route(df, topology, infer_layout(df, headers=headers)))
    assert "the binding shop -> large" in second
    layout = made(second, df)
    # 3. The routing key is unknown.
    third = error_of(lambda: route(df, topology, layout))
    assert "route.no-key" in third
    headers |= eval(_HEADERS.search(third)[1])  # type: ignore[index]
    layout = made(error_of(lambda: route(df, topology, infer_layout(df, headers=headers))), df)
    rows = {row.id: row.queues for row in route(df, topology, layout).collect()}
    assert rows == {1: ["eu", "large"], 2: [], 3: ["eu"], 4: []}
    # 4. The report shows the column and key of each name, and how many values it found.
    report = str(explain_routing(topology, layout, messages=df))
    for line in ("exchange     4 of 4", "routing key  4 of 4", "amountCents  4 of 4  4 text, 3 number in text"):
        assert line in report, report
    # 5. A selector with a name in another case is reported, and the right selector matches the row.
    report = str(explain_matches(df, "tier = 'gold'", layout))
    assert "tier is missing in all rows; 1 part requires this value" in report
    assert df.filter(compile_selector("Tier = 'gold' AND amountCents > 100000", layout)).count() == 1


def test_a_topic_of_kafka_whose_values_a_json_converter_wrote(spark: SparkSession) -> None:
    """Kafka's own columns, with the properties in the value: bytes of JSON inside ``{schema, payload}``."""
    payload = """concat('{"schema": {"type": "struct"}, "payload": {"severity": ', n, ', "site": "', site, '"}}')"""
    df = spark.sql(
        f"""SELECT n AS offset, 'alarms' AS topic, 0 AS partition, CAST(k AS BINARY) AS key,
        CAST({payload} AS BINARY) AS value FROM VALUES (1, 'a', 'north'), (7, 'b', 'north'), (9, 'c', 'south')
        AS t(n, k, site)"""
    )
    selector = "severity > 5 AND site = 'north'"
    # 1. No column has the name. The value is bytes, and the hint tells how to cast it.
    assert "if the column value contains JSON, cast it to STRING and read it with" in error_of(
        lambda: compile_selector(selector, df)
    )
    texts = df.withColumn("value", sf.col("value").cast("string"))
    # 2. The value is text, and perhaps JSON.
    second = error_of(lambda: compile_selector(selector, texts))
    plain, inside = (made(second, texts, call) for call in (0, 1))
    # 3. With plain JSON no row has the names, and the report states this.
    report = explain_matches(texts, selector, plain)
    assert "severity is missing in all rows; 1 part requires this value" in str(report)
    assert "value['severity']" in str(report)
    # 4. The other proposed layout matches the row.
    assert [row.offset for row in texts.filter(compile_selector(selector, inside)).collect()] == [7]
    found = {value.name: value.rows for value in explain_matches(texts, selector, inside).found.values}
    assert found == {"severity": 3, "site": 3}
