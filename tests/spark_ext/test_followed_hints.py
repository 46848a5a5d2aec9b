"""Hints work if they are followed: for each column of properties, hints alone lead to the right rows."""

from __future__ import annotations

import re
import warnings

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_selector, infer_layout, route, verify
from transpiler import TranspilerError, stores, topology_from_dict

#: A call in a hint, which may contain parentheses.
_STORE = re.compile(r"(?:stores\.\w+|infer_layout)\((?:[^()]|\([^()]*\))*\)")
_MADE = re.compile(r"df\.withColumn\(.*?\)(?=, which| makes)")

#: Tables as SQL of their column of properties, and a selector that is true for the row.
TABLES = {
    "MAP<STRING, STRING>": ("map('color', 'red', 'n', '5') AS attributes", "color = 'red' AND n > 4"),
    "MAP<STRING, BINARY>": ("map('color', CAST('red' AS BINARY), 'n', CAST('5' AS BINARY)) AS attributes", "n > 4"),
    "MAP<STRING, BIGINT>": ("map('n', 5L) AS attributes", "n > 4"),
    "MAP<STRING, TIMESTAMP>": ("map('sent', timestamp_millis(5000)) AS attributes", "sent = 5000"),
    "MAP<STRING, DATE>": ("map('day', DATE'2025-06-01') AS attributes", "day = '2025-06-01'"),
    "MAP<STRING, ARRAY<BINARY>>": ("map('color', array(CAST('red' AS BINARY))) AS attributes", "color = 'red'"),
    "MAP<STRING, ARRAY<STRING>>": ("map('color', array('red', 'blue')) AS attributes", "color = 'red'"),
    "MAP<STRING, STRUCT<Type, Value>>": (
        "map('color', named_struct('Type', 'String', 'Value', 'red')) AS MessageAttributes",
        "color = 'red'",
    ),
    "ARRAY<MAP<STRING, BINARY>>": ("array(map('color', CAST('red' AS BINARY))) AS headers", "color = 'red'"),
    "ARRAY<STRUCT<key, value>>": ("array(named_struct('key', 'color', 'value', 'red')) AS hs", "color = 'red'"),
    "ARRAY<STRUCT<Name, Value>>": ("array(named_struct('Name', 'color', 'Value', 'red')) AS hs", "color = 'red'"),
    "VARIANT": ('parse_json(\'{"color": "red"}\') AS v', "color = 'red'"),
    "JSON": ('\'{"color": "red"}\' AS payload', "color = 'red'"),
    "JSON of JsonConverter": (
        '\'{"schema": {"type": "struct"}, "payload": {"color": "red"}}\' AS value',
        "color = 'red'",
    ),
    "STRUCT<schema, payload>": (
        "named_struct('schema', 's', 'payload', named_struct('color', 'red')) AS record",
        "color = 'red'",
    ),
}
TOPOLOGY = {
    "broker": "qpid-java",
    "queues": ["q"],
    "exchanges": [{"name": "x", "type": "fanout"}],
}


def followed(df: DataFrame, hint: str) -> list[tuple[DataFrame, object]]:
    """Return the tables and layouts that ``hint`` proposes, one for each call in it."""
    names = {"stores": stores, "df": df, "expr": sf.expr, "col": sf.col, "infer_layout": infer_layout}
    if (made := _MADE.search(hint)) is not None:
        df = names["df"] = eval(made[0], names)
    calls = _STORE.findall(hint)
    assert calls, hint
    return [(df, eval(call, names)) for call in calls]


@pytest.mark.parametrize("name", TABLES)
def test_the_hint_of_a_selector_and_of_a_topology_leads_to_the_row(spark: SparkSession, name: str) -> None:
    column, selector = TABLES[name]
    df = spark.sql(f"SELECT 1 AS id, {column}")
    binding = {"source": "x", "queue": "q", "arguments": {"x-filter-jms-selector": selector}}
    topology = topology_from_dict({**TOPOLOGY, "bindings": [binding]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(TranspilerError) as of_selector:
            compile_selector(selector, df)
        found = []
        for frame, layout in followed(df, str(of_selector.value)):
            found.append(frame.filter(compile_selector(selector, layout)).count())  # type: ignore[arg-type]
            assert verify(frame, selector, layout).agrees  # type: ignore[arg-type]
        with pytest.raises(TranspilerError) as of_route:
            route(df, topology, exchange="x")
        assert "the binding x -> q" in str(of_route.value)
        routed = []
        for frame, layout in followed(df, str(of_route.value)):
            [row] = route(frame, topology, layout, exchange="x").collect()  # type: ignore[arg-type]
            routed.append(row.queues)
    # If the hint cannot know the content, it names each possible layout, and exactly one of them matches the row.
    assert sorted(found) == [0] * (len(found) - 1) + [1]
    assert sorted(routed) == [[]] * (len(routed) - 1) + [["q"]]
    assert len(found) == len(routed) == (2 if name.startswith("JSON") else 1)


def test_properties_inside_of_json_and_of_structs_are_read(spark: SparkSession) -> None:
    df = spark.sql(
        """SELECT '{"meta": {"a b": {"color": "red"}}}' AS payload, parse_json('{"p": {"color": "red"}}') AS v,
        named_struct('properties', named_struct('color', 'red')) AS meta"""
    )
    for layout in (
        stores.variant("payload", json=True, path="$.meta['a b']"),
        stores.variant("payload", json=True, path='$.meta["a b"]', schema=df.schema),
        stores.variant("v", path="$.p", schema=df.schema),
        stores.struct("meta.properties", schema=df.schema),
        infer_layout(df, "meta.properties"),
    ):
        assert df.filter(compile_selector("color = 'red'", layout)).count() == 1
        assert verify(df, "color = 'red' OR colour IS NULL", layout, missing="null").agrees
    for wrong in ("properties", "$.", "$..a", "$[0]", "$.a b"):
        with pytest.raises(TranspilerError, match="is not a path to a JSON object"):
            stores.variant("payload", json=True, path=wrong)
