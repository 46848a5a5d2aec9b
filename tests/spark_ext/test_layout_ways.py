"""One answer for every table and every function: each of them finds the same places, or raises the same error.

A case is the shape of a table, the spelling of the places, and the form of the layout; each case goes through every
function that takes a layout and a DataFrame.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from spark_ext import (
    backtest,
    compile_filter,
    compile_selector,
    compile_topology,
    deliveries,
    diff,
    explain_matches,
    explain_routing,
    infer_layout,
    route,
    route_stream,
    verify,
)
from tests.sizes import sample
from tests.spark_ext.harness import INTERPRETED, settings
from transpiler import Layout, LayoutError, evaluate, stores, topology_from_dict, transpile_selector
from transpiler.cli import main
from transpiler.compiler.presets import find_layout
from transpiler.topology.importers.native_format import topology_to_dict

SELECTOR = "JMSType = 'stock' AND JMSPriority > 5 AND color = 'blue'"
TOPOLOGY = topology_from_dict(
    {
        "broker": "rabbitmq",
        "queues": ["north", "rest", "blue"],
        "exchanges": [{"name": "sales", "type": "topic"}, {"name": "paint", "type": "headers"}],
        "bindings": [
            {"source": "sales", "queue": "north", "key": "*.north"},
            {"source": "sales", "queue": "rest", "key": "#"},
            {"source": "paint", "queue": "blue", "key": "", "arguments": {"x-match": "all", "color": "blue"}},
        ],
    }
)

#: The columns beside the properties, none of which has the name that this library would look for.
BESIDE = "id INT, Kind STRING, Prio STRING, Key STRING, SentTo STRING"
ROWS = [
    (1, "stock", "7", "s.north", "sales", "blue"),
    (2, "stock", "9", "s.south", "paint", "blue"),
    (3, "order", "8", "s.north", "paint", "red"),
    (4, None, None, None, None, None),
]


class Shape(NamedTuple):
    """A table: the DDL of its properties, the SQL that makes them of a column ``c``, and the store that reads them."""

    columns: str
    made: str
    store: Callable[..., Layout]


SHAPES: Mapping[str, Shape] = {
    "text-map": Shape("Props MAP<STRING, STRING>", "map('color', c)", stores.text_map),
    "byte-map": Shape("Props MAP<STRING, BINARY>", "map('color', CAST(c AS BINARY))", stores.text_map),
    "variant": Shape("Props VARIANT", "parse_json(to_json(named_struct('color', c)))", stores.variant),
    "json": Shape("Props STRING", "to_json(named_struct('color', c))", stores.variant),
    "struct": Shape("Props STRUCT<color: STRING>", "named_struct('color', c)", stores.struct),
    "typed": Shape("color STRING", "c", lambda *_, headers, **__: infer_layout(TYPED, headers=headers)),
    "headers": Shape(
        "Props ARRAY<STRUCT<key: STRING, value: BINARY>>",
        "array(named_struct('key', 'color', 'value', CAST(c AS BINARY)))",
        stores.kafka_headers,
    ),
}
OPTIONS: Mapping[str, dict[str, Any]] = {
    "text-map": {"types": "by-use"},
    "byte-map": {"types": "by-use"},
    "json": {"json": True},
}
TYPED = f"{BESIDE}, color STRING"
#: The spelling of a place, beside the column that is meant.
SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "as the column": str,
    "in other case": str.swapcase,
    "misspelt": lambda name: f"{name}y",
}
FORMS = ("over the schema", "without a schema", "over the schema as text", "inferred")


def table(spark: SparkSession, shape: Shape) -> DataFrame:
    frame = spark.createDataFrame(ROWS, f"{BESIDE}, c STRING").coalesce(1)
    return frame.selectExpr("* EXCEPT (c)", f"{shape.made} AS {shape.columns.partition(' ')[0]}")


def stream_of(spark: SparkSession, shape: Shape) -> DataFrame:
    """Return the same table as a stream, all of it in each batch."""
    names = [column.split()[0] for column in BESIDE.split(", ")] + ["c"]
    listed = ", ".join(
        f"named_struct({', '.join(f'{name!r}, {_literal(value)}' for name, value in zip(names, row, strict=True))})"
        for row in ROWS
    )
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    rows = source.selectExpr(f"inline(array({listed}))")
    return rows.selectExpr("* EXCEPT (c)", f"{shape.made} AS {shape.columns.partition(' ')[0]}")


def _literal(value: object) -> str:
    return "CAST(NULL AS STRING)" if value is None else repr(value)


def layout_of(name: str, spelled: Callable[[str], str], form: str, frame: DataFrame) -> Layout:
    headers: dict[str, Any] = {
        "JMSType": spelled("Kind"),
        "JMSPriority": stores.number(spelled("Prio")),
        "routing-key": spelled("Key"),
        "exchange": spelled("SentTo"),
    }
    shape, options = SHAPES[name], OPTIONS.get(name, {})
    # The column of properties is a place, too.
    column = spelled("Props")
    if form == "inferred":
        return infer_layout(frame, None if name == "typed" else column, headers=headers)
    if form == "without a schema":
        return shape.store(column, headers=headers, **options)
    if shape.store is stores.kafka_headers:
        return shape.store(column, headers=headers).over(frame.schema.jsonValue())
    schema = frame.schema if form == "over the schema" else f"{BESIDE}, {shape.columns}"
    return shape.store(column, headers=headers, schema=schema, **options)


def outcome(asked: Callable[[], Any]) -> Any:
    """Return the answer, or the first line of the error about the layout, without the place in a selector."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return asked()
        except LayoutError as error:
            [finding, *_] = error.diagnostics
            return finding.code, finding.message


def ids(frame: DataFrame) -> list[int]:
    return sorted(row.id for row in frame.collect())


def queues(frame: DataFrame) -> dict[int, list[str]]:
    return {row.id: row.queues for row in frame.collect()}


def delivered(frame: DataFrame) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {row.id: [] for row in frame.collect()}
    for row in deliveries(frame).collect():
        found[row.id].append(row.queue)
    return {number: sorted(names) for number, names in found.items()}


def streamed(spark: SparkSession, shape: Shape, layout: Layout, directory: Path) -> dict[int, list[str]]:
    """Return the queues of the messages of a stream's first batch, by a file of the topology."""
    file = directory / "streamed.json"
    file.write_text(json.dumps(topology_to_dict(TOPOLOGY)))
    found: list[dict[int, list[str]]] = []

    def write(routed: DataFrame, _: int) -> None:
        found.append(queues(routed))
        raise RuntimeError("that is enough")

    query = route_stream(stream_of(spark, shape), file, write, layout=layout).start()
    with pytest.raises(StreamingQueryException, match="that is enough"):
        query.awaitTermination(60)
    return found[0]


def by_command(
    shape: str, spelled: Callable[[str], str], rows: list[dict[str, Any]], directory: Path
) -> dict[int, list[str]]:
    """Return the queues that selector-sql gives rows in JSON; ``LayoutError`` for the error that the command prints."""
    file = directory / "by_command.json"
    file.write_text(json.dumps(topology_to_dict(TOPOLOGY)))
    words = ["route", str(file), "--schema", f"{BESIDE}, {SHAPES[shape].columns}"]
    places = {"JMSType": "Kind", "JMSPriority": "Prio", "routing-key": "Key", "exchange": "SentTo"}
    options: dict[str, str] = {f"headers.{header}": spelled(column) for header, column in places.items()}
    options["headers.JMSPriority"] = json.dumps({"number": spelled("Prio")})
    if shape != "typed":
        names = {"text-map": "text-map", "byte-map": "text-map", "json": "variant", "headers": "kafka-headers"}
        words += ["--layout", names.get(shape, shape)]
        options["column"] = spelled("Props")
        options |= {name: str(value).lower() for name, value in OPTIONS.get(shape, {}).items()}
    for name, value in options.items():
        words += ["--layout-option", f"{name}={value}"]
    result = CliRunner().invoke(main, words, input="".join(f"{json.dumps(row)}\n" for row in rows))
    if result.exit_code == 0:
        return {line["id"]: line["queues"] for line in map(json.loads, result.stdout.splitlines())}
    found = re.search(r"(?:^|: )([a-z]+\.[a-z-]+): (.*)", result.stderr)
    assert found is not None, result.stderr
    raise LayoutError.at(found[1], found[2])


CASES = [
    (shape, spelling, form)
    for shape, spelling, form in product(SHAPES, SPELLINGS, FORMS)
    # Only a struct, and typed columns, are named to infer_layout, which knows a schema.
    if form != "inferred" or shape in ("struct", "typed")
    if shape != "typed" or form in ("inferred", "over the schema as text")
]


@pytest.mark.parametrize(("shape", "spelling", "form"), sample(CASES, 19, stratum=lambda case: case[0]))
def test_every_function_finds_the_same_places(
    spark: SparkSession, tmp_path: Path, shape: str, spelling: str, form: str
) -> None:
    with settings(spark, INTERPRETED):
        frame = table(spark, SHAPES[shape]).localCheckpoint()
        made = outcome(lambda: layout_of(shape, SPELLINGS[spelling], form, frame))
        if isinstance(made, tuple):
            # A layout that is over a schema is refused when it is made, by the command's options as well.
            assert spelling == "misspelt"
            if form == "over the schema as text" and shape != "headers":
                assert outcome(lambda: by_command(shape, SPELLINGS[spelling], [], tmp_path)) == made
            assert any(name in made[1] for name in ("Propsy", "Kindy", "Prioy"))
            return
        layout: Layout = made
        over = outcome(lambda: find_layout(layout, frame.schema.jsonValue()))
        rows = frame.collect()
        selected = {
            "verify": lambda: verify(frame, SELECTOR, layout).answers[True],
            "explain_matches": lambda: explain_matches(frame, SELECTOR, layout).matched,
            "diff": lambda: diff(frame, "JMSType = 'stock' AND 1 = 2", SELECTOR, layout).won_rows,
        }
        routed: dict[str, Callable[[], Any]] = {
            "route": lambda: queues(route(frame, TOPOLOGY, layout)),
            "deliveries": lambda: delivered(route(frame, TOPOLOGY, layout)),
            "compiled for messages": lambda: queues(
                route(frame, compile_topology(TOPOLOGY, layout, messages=frame), layout)
            ),
            "backtest": lambda: (
                backtest(
                    route(frame, TOPOLOGY, layout).selectExpr("*", "queues AS routed_queues"),
                    layout,
                    topology=TOPOLOGY,
                ).disagreeing
                and None,
                queues(route(frame, TOPOLOGY, layout)),
            )[1],
        }
        if isinstance(over, tuple):
            # Every function refuses the table, and says the same of it.
            routed["route_stream"] = lambda: streamed(spark, SHAPES[shape], layout, tmp_path)
            answers = {name: outcome(asked) for name, asked in {**selected, **routed}.items()}
            assert set(answers.values()) == {over}, answers
            assert spelling == "misspelt"
            return
        messages = {row.id: over.message(row) for row in rows}
        matched = [number for number, message in messages.items() if evaluate(SELECTOR, message)]
        if form != "without a schema":
            selected["compile_selector"] = lambda: len(ids(frame.filter(compile_selector(SELECTOR, layout))))
            filters = {"jms-selector": {"descriptor": "apache.org:selector-filter:string", "value": SELECTOR}}
            selected["compile_filter"] = lambda: len(ids(frame.filter(compile_filter(filters, layout))))
            selected["transpile_selector"] = lambda: len(ids(frame.filter(transpile_selector(SELECTOR, layout).sql)))
            routed["compiled"] = lambda: queues(route(frame, compile_topology(TOPOLOGY, layout), layout))
            routed["explain_routing"] = lambda: (
                explain_routing(TOPOLOGY, layout) and queues(route(frame, TOPOLOGY, layout))
            )
        assert {name: outcome(asked) for name, asked in selected.items()} == dict.fromkeys(selected, len(matched))
        routed["route_stream"] = lambda: streamed(spark, SHAPES[shape], layout, tmp_path)
        if form == "over the schema as text":
            written = [json.loads(row[0]) for row in frame.selectExpr("to_json(struct(*))").collect()]
            routed["selector-sql route"] = lambda: by_command(shape, SPELLINGS[spelling], written, tmp_path)
        answers = {name: outcome(asked) for name, asked in routed.items()}
        assert len({str(answer) for answer in answers.values()}) == 1, answers
        if spelling != "misspelt":
            assert matched == [1, 2]
            assert answers["route"] == {1: ["north", "rest"], 2: ["blue"], 3: [], 4: []}


@pytest.mark.parametrize("shape", [name for name in SHAPES if name not in ("struct", "typed")])
def test_a_place_of_a_table_that_is_not_known_is_told(shape: str) -> None:
    headers: dict[str, Any] = {"JMSType": "Kind"}
    layout = SHAPES[shape].store("Props", headers=headers, **OPTIONS.get(shape, {}))
    found = [finding.code for finding in transpile_selector("JMSType = 'stock'", layout).diagnostics]
    # The columns of Kafka's source are known, and any other name is a key of the headers.
    assert found == ([] if shape == "headers" else ["layout.reading"])
    for place in (stores.column("Kind"), stores.key("Kind")):
        certain = SHAPES[shape].store("Props", headers={"JMSType": place}, **OPTIONS.get(shape, {}))
        assert transpile_selector("JMSType = 'stock'", certain).diagnostics == ()


#: Tables with the columns that a preset reads, by its name, and the column that the properties are in.
PRESETS = {
    "kafka-headers": ("headers", "array(named_struct('key', 'color', 'value', CAST(c AS BINARY)))"),
    "variant": ("properties", "parse_json(to_json(named_struct('color', c)))"),
    "struct": ("properties", "named_struct('color', c)"),
}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_by_its_name_is_the_store_in_every_function(spark: SparkSession, preset: str) -> None:
    column, properties = PRESETS[preset]
    with settings(spark, INTERPRETED):
        named = spark.createDataFrame(
            ROWS, "id INT, JMSType STRING, p STRING, routing_key STRING, exchange STRING, c STRING"
        )
        frame = named.selectExpr("* EXCEPT (c, p)", f"{properties} AS {column}").localCheckpoint()
        selector = "color = 'blue'"
        store = find_layout(preset, frame.schema.jsonValue())
        answers = {
            "compile_selector": [
                ids(frame.filter(compile_selector(selector, store)) if each is store else frame.filter(sql))
                for each, sql in ((store, ""), (preset, _condition(selector, preset, store)))
            ],
            "route": [queues(route(frame, TOPOLOGY, each)) for each in (store, preset)],
            "compiled": [
                queues(route(frame, compile_topology(TOPOLOGY, each, messages=frame), each)) for each in (store, preset)
            ],
            "explain_matches": [explain_matches(frame, selector, each).matched for each in (store, preset)],
            "verify": [verify(frame, selector, each).answers[True] for each in (store, preset)],
        }
    assert all(first == second for first, second in answers.values()), answers
    assert answers["route"][0] == {1: ["north", "rest"], 2: ["blue"], 3: [], 4: []}
    assert (answers["explain_matches"][0], answers["verify"][0]) == (2, 2)


def _condition(selector: str, preset: str, store: Layout) -> str:
    """Return the SQL by the preset's name; a struct's types are those of a schema."""
    return transpile_selector(selector, store if preset == "struct" else preset).sql
