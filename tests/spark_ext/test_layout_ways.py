"""Every function gives the same answer for a table: it finds the same columns and keys, or raises the same error.

A case is the shape of a table, the spelling of the names, and the form of the layout. Each case tests every function
that accepts a layout and a DataFrame, and every command that accepts a layout and a file.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Mapping
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from click.testing import CliRunner, Result
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from spark_ext import (
    CompiledTopology,
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
from spark_ext.cli.commands import main as spark_main
from tests.sizes import is_full, sample
from tests.spark_ext.harness import INTERPRETED, settings
from transpiler import Layout, LayoutError, evaluate, stores, topology_from_dict, transpile_selector
from transpiler.cli import main
from transpiler.compiler.presets import find_layout
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.routing import tuning
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Queue

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

#: The columns in addition to the properties. None has the name that this library would look for.
BESIDE = "id INT, Kind STRING, Prio STRING, Key STRING, SentTo STRING"
ROWS = [
    (1, "stock", "7", "s.north", "sales", "blue"),
    (2, "stock", "9", "s.south", "paint", "blue"),
    (3, "order", "8", "s.north", "paint", "red"),
    (4, None, None, None, None, None),
]


class Shape(NamedTuple):
    """A table: the DDL of its properties, the SQL that computes them from a column ``c``, and their store."""

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
#: Functions that spell the name of a column as a user might write it in an option.
SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "as the column": str,
    "in other case": str.swapcase,
    "misspelt": lambda name: f"{name}y",
}
FORMS = ("over the schema", "without a schema", "over the schema as text", "inferred")


def table(spark: SparkSession, shape: Shape) -> DataFrame:
    return with_properties(spark.createDataFrame(ROWS, f"{BESIDE}, c STRING").coalesce(1), shape)


def stream_of(spark: SparkSession, columns: str = BESIDE) -> DataFrame:
    """Return ``ROWS`` as a stream, all rows in each batch. The column after ``columns`` is ``c``."""
    names = [column.split()[0] for column in columns.split(", ")] + ["c"]
    listed = ", ".join(
        f"named_struct({', '.join(f'{name!r}, {_literal(value)}' for name, value in zip(names, row, strict=True))})"
        for row in ROWS
    )
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    return source.selectExpr(f"inline(array({listed}))")


def with_properties(frame: DataFrame, shape: Shape) -> DataFrame:
    """Replace the column ``c`` by the properties of ``shape``."""
    return frame.selectExpr("* EXCEPT (c)", f"{shape.made} AS {shape.columns.partition(' ')[0]}")


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
    # The column of properties is spelled in the same way.
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
    """Return the answer, or the code and message of the error about the layout, without its position."""
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


def all_queues(ways: Mapping[str, Callable[[], DataFrame]]) -> dict[str, Any]:
    """Return the queues of each message for each way to route, all in one job, or the error of the way."""
    answers = {name: outcome(asked) for name, asked in ways.items()}
    frames = [
        frame.selectExpr(f"{name!r} AS way", "id", "queues")
        for name, frame in answers.items()
        if isinstance(frame, DataFrame)
    ]
    found: dict[str, dict[int, list[str]]] = {}
    for row in reduce(DataFrame.union, frames).collect() if frames else []:
        found.setdefault(row.way, {})[row.id] = row.queues
    return answers | found


def streamed(
    stream: DataFrame,
    layout: Layout | str,
    directory: Path,
    topology: Topology = TOPOLOGY,
    exchange: str | None = None,
    source: Callable[[], CompiledTopology] | None = None,
) -> dict[int, list[str]]:
    """Return the queues of the messages in a stream's first batch, with the topology from a file or from ``source``."""
    file = written_topology(directory, topology)
    found: list[dict[int, list[str]]] = []

    def write(routed: DataFrame, _: int) -> None:
        found.append(queues(routed))
        raise RuntimeError("that is enough")

    options = {} if source is not None else {"exchange": exchange}
    query = route_stream(stream, source or file, write, layout=layout, **options).start()
    with pytest.raises(StreamingQueryException, match="that is enough"):
        query.awaitTermination(60)
    return found[0]


def written_topology(directory: Path, topology: Topology = TOPOLOGY) -> Path:
    file = directory / "topology.json"
    file.write_text(json.dumps(topology_to_dict(topology)))
    return file


#: The columns in addition to the properties, by header.
PLACES = {"JMSType": "Kind", "JMSPriority": "Prio", "routing-key": "Key", "exchange": "SentTo"}


def layout_words(shape: str, spelled: Callable[[str], str] = str, places: Mapping[str, str] = PLACES) -> list[str]:
    """Return the command's options for the layout of ``layout_of``."""
    words: list[str] = []
    options: dict[str, str] = {f"headers.{header}": spelled(column) for header, column in places.items()}
    options["headers.JMSPriority"] = json.dumps({"number": spelled("Prio")})
    if shape != "typed":
        names = {"text-map": "text-map", "byte-map": "text-map", "json": "variant", "headers": "kafka-headers"}
        words += ["--layout", names.get(shape, shape)]
        options["column"] = spelled("Props")
        options |= {name: str(value).lower() for name, value in OPTIONS.get(shape, {}).items()}
    for name, value in options.items():
        words += ["--layout-option", f"{name}={value}"]
    return words


def ran(group: click.Group, *words: str) -> Result:
    """Return the result of a command. Raise the error that it prints as ``LayoutError``."""
    result = CliRunner().invoke(group, words)
    if result.exit_code in (0, 1):
        return result
    found = re.search(r"(?:^|: )([a-z]+\.[a-z-]+): (.*)", result.stderr)
    assert found is not None, result.stderr
    raise LayoutError.at(found[1], found[2])


NOTHING_MATCHES = "JMSType = 'stock' AND 1 = 2"
#: The queue that all messages are recorded to have been in.
RECORDED = "north"


class Commands:
    """The commands over a file of messages, each as a function that returns its answer."""

    def __init__(self, directory: Path, file: Path, words: list[str], topology: Topology = TOPOLOGY) -> None:
        self._directory = directory
        self._file = str(file)
        self._words = words
        self._topology = str(written_topology(directory, topology))

    def sql(self) -> dict[str, Callable[[], Any]]:
        """Return the commands of selector-sql that count matches, as functions that return the number."""
        return {
            "selector-sql match": lambda: int(self._sql("match", SELECTOR, self._file, "--count")),
            "selector-sql diff": lambda: json.loads(
                self._sql("diff", NOTHING_MATCHES, SELECTOR, self._file, "--format", "json")
            )["gained"],
            "selector-sql explain": lambda: sum(
                json.loads(line)["matches"]
                for line in self._sql("explain", SELECTOR, "--message", self._file, "--format", "json").splitlines()
            ),
        }

    def spark(self) -> dict[str, Callable[[], Any]]:
        """Return the commands of selector-spark that count matches, as functions that return the number."""
        return {
            "selector-spark filter": lambda: self._counted(r"^([\d,]+) of", "filter", SELECTOR, self._file),
            "selector-spark explain": lambda: json.loads(
                self._spark("explain", SELECTOR, self._file, "--format", "json")
            )["matched"],
            "selector-spark verify": lambda: self._counted(
                r"Spark: ([\d,]+) TRUE", "verify", SELECTOR, self._file, "--all"
            ),
            "selector-spark diff": lambda: json.loads(
                self._spark("diff", NOTHING_MATCHES, SELECTOR, self._file, "--format", "json")
            )["won"],
        }

    def where(self) -> str:
        """Return the condition that selector-sql prints."""
        return self._sql("sql", SELECTOR)

    def backtests(self) -> dict[str, Callable[[], Any]]:
        """Return both backtest commands, as functions that return how many messages reach ``RECORDED``."""
        words = ("backtest", self._file, self._topology, "--recorded-queue", RECORDED, "--format", "json")
        return {
            "selector-sql backtest": lambda: json.loads(self._sql(*words))["agreed"],
            "selector-spark backtest": lambda: json.loads(self._spark(*words))["agreed"],
        }

    def route(self, *options: str) -> dict[int, list[str]]:
        """Return the queues of each message, as selector-sql routes them."""
        lines = self._sql("route", self._topology, self._file, *options).splitlines()
        return {line["id"]: line["queues"] for line in map(json.loads, lines)}

    def spark_route(self, spark: SparkSession, *options: str) -> dict[int, list[str]]:
        """Return the queues of each message, as selector-spark routes them."""
        output = str(self._directory / "routed.parquet")
        self._spark("route", self._topology, self._file, "--output", output, *options)
        return queues(spark.read.parquet(output))

    def compiled_route(self, spark: SparkSession, *options: str) -> dict[int, list[str]]:
        """Return the queues of each message, as selector-spark routes them with a file of compile-topology."""
        output, file = str(self._directory / "compiled.parquet"), str(self._directory / "topology.compiled")
        self._spark("compile-topology", self._topology, self._file, "--output", file, *options)
        self._spark("route", file, self._file, "--output", output)
        return queues(spark.read.parquet(output))

    def _sql(self, *words: str) -> str:
        return ran(main, *words, *self._words).stdout

    def _spark(self, *words: str) -> str:
        return ran(spark_main, *words, *self._words).stdout

    def _counted(self, pattern: str, *words: str) -> int:
        printed = ran(spark_main, *words, *self._words).output
        found = re.search(pattern, printed, re.MULTILINE)
        assert found is not None, printed
        return int(found[1].replace(",", ""))


CASES = [
    (shape, spelling, form)
    for shape, spelling, form in product(SHAPES, SPELLINGS, FORMS)
    # infer_layout, which knows the schema, is tested only with a struct and with typed columns.
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
        words = layout_words(shape, SPELLINGS[spelling])
        schema = ["--schema", f"{BESIDE}, {SHAPES[shape].columns}"]
        lines = tmp_path / "messages.jsonl"
        as_text = form == "over the schema as text"
        if as_text:
            lines.write_text("".join(f"{row[0]}\n" for row in frame.selectExpr("to_json(struct(*))").collect()))
        commands = Commands(tmp_path, lines, [*words, *schema])
        if isinstance(made, tuple):
            # A layout over a schema is rejected when it is created, and so are the command's options.
            assert spelling == "misspelt"
            if as_text and shape != "headers":
                refused = [*commands.sql().values(), commands.route, *commands.spark().values(), commands.where]
                refused += commands.backtests().values()
                assert {outcome(asked) for asked in refused} == {made}
                assert (
                    outcome(lambda: commands.spark_route(spark))
                    == outcome(lambda: commands.compiled_route(spark))
                    == made
                )
            assert any(name in made[1] for name in ("Propsy", "Kindy", "Prioy"))
            return
        layout: Layout = made
        over = outcome(lambda: find_layout(layout, frame.schema.jsonValue()))
        rows = frame.collect()
        selected: dict[str, Callable[[], Any]] = {
            "verify": lambda: verify(frame, SELECTOR, layout).answers[True],
            "explain_matches": lambda: explain_matches(frame, SELECTOR, layout).matched,
            "diff": lambda: diff(frame, NOTHING_MATCHES, SELECTOR, layout).won_rows,
        }
        ways: dict[str, Callable[[], DataFrame]] = {
            "route": lambda: route(frame, TOPOLOGY, layout),
            "compiled for messages": lambda: route(frame, compile_topology(TOPOLOGY, layout, messages=frame), layout),
        }
        routed: dict[str, Callable[[], Any]] = {
            "deliveries": lambda: delivered(route(frame, TOPOLOGY, layout)),
            # The recorded queues are empty, so that each message that reaches a queue disagrees.
            "backtest": lambda: backtest(
                route(frame, TOPOLOGY, layout).selectExpr("*", "slice(queues, 1, 0) AS routed_queues"),
                layout,
                topology=TOPOLOGY,
            ).disagreeing.total(),
        }
        if is_full():
            stream = with_properties(stream_of(spark), SHAPES[shape])
            routed["route_stream"] = lambda: streamed(stream, layout, tmp_path)
        if isinstance(over, tuple):
            # Every function rejects the table with the same error.
            answers = {name: outcome(asked) for name, asked in {**selected, **routed}.items()} | all_queues(ways)
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
            ways["compiled"] = lambda: route(frame, compile_topology(TOPOLOGY, layout), layout)
            ways["explain_routing"] = lambda: explain_routing(TOPOLOGY, layout) and route(frame, TOPOLOGY, layout)
        if as_text:
            selected |= {**commands.sql(), **commands.spark()}
            selected["selector-sql sql"] = lambda: len(ids(frame.filter(commands.where())))
            routed["selector-sql route"] = commands.route
            routed["selector-spark route"] = lambda: commands.spark_route(spark)
            routed["selector-spark compile-topology"] = lambda: commands.compiled_route(spark)
        assert {name: outcome(asked) for name, asked in selected.items()} == dict.fromkeys(selected, len(matched))
        answers = {name: outcome(asked) for name, asked in routed.items()} | all_queues(ways)
        disagreeing = answers.pop("backtest")
        assert len({str(answer) for answer in answers.values()}) == 1, answers
        assert disagreeing == sum(map(bool, answers["route"].values()))
        if as_text:
            agreed = {name: outcome(asked) for name, asked in commands.backtests().items()}
            assert agreed == dict.fromkeys(agreed, sum(RECORDED in each for each in answers["route"].values()))
        if spelling != "misspelt":
            assert matched == [1, 2]
            assert answers["route"] == {1: ["north", "rest"], 2: ["blue"], 3: [], 4: []}


#: The arguments of a headers binding that matches no message of ``ROWS``.
NOT_TAKEN = {"color": AmqpValue(AmqpType.STRING, "green")}
#: A topology that needs no routing key: a fanout exchange, a headers exchange, and a topic pattern that matches every
#: key.
KEYLESS = topology_from_dict(
    {
        "broker": "rabbitmq",
        "queues": ["all", "blue", "any"],
        "exchanges": [
            {"name": "sales", "type": "fanout"},
            {"name": "paint", "type": "headers"},
            {"name": "topics", "type": "topic"},
        ],
        "bindings": [
            {"source": "sales", "queue": "all", "key": ""},
            {"source": "paint", "queue": "blue", "key": "", "arguments": {"x-match": "all", "color": "blue"}},
            {"source": "topics", "queue": "any", "key": "#"},
        ],
    }
)
#: The queues of a message without a routing key, or None if the route fails. The key is whether the topology compares
#: routing keys, and the exchange to which all messages were published.
WITHOUT_KEYS: Mapping[tuple[str, str | None], dict[int, list[str]] | None] = {
    ("keys", None): None,
    ("keys", "sales"): None,
    ("keys", "paint"): {1: ["blue"], 2: ["blue"], 3: [], 4: []},
    ("no keys", None): {1: ["all"], 2: ["blue"], 3: [], 4: []},
    ("no keys", "sales"): {1: ["all"], 2: ["all"], 3: ["all"], 4: ["all"]},
    ("no keys", "paint"): {1: ["blue"], 2: ["blue"], 3: [], 4: []},
}


@pytest.mark.full
@pytest.mark.parametrize(
    ("shape", "asks", "exchange"),
    sample([(shape, *case) for shape, case in product(SHAPES, WITHOUT_KEYS)], 6, stratum=lambda case: case[1:]),
)
def test_messages_without_a_routing_key_are_one_error_or_need_none(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str, asks: str, exchange: str | None
) -> None:
    expected = WITHOUT_KEYS[asks, exchange]
    topology = TOPOLOGY if asks == "keys" else KEYLESS
    # A column JMSType would be the subject, which is the routing key of messages that have no other.
    places = {header: column for header, column in PLACES.items() if header not in ("routing-key", "JMSType")}
    with settings(spark, INTERPRETED):
        frame = table(spark, SHAPES[shape]).drop("Key").localCheckpoint()
        schema = f"{BESIDE}, {SHAPES[shape].columns}".replace("Key STRING, ", "")
        headers: dict[str, Any] = {**places, "JMSPriority": stores.number("Prio")}
        layout = (
            infer_layout(schema, headers=headers)
            if shape == "typed"
            else SHAPES[shape].store("Props", headers=headers, **OPTIONS.get(shape, {}))
        )
        compiled = compile_topology(topology, layout, messages=frame, exchange=exchange)
        compiled.save(tmp_path / "saved")
        # The limit is lowered so that a change is compiled separately from the unchanged bindings, as in a large
        # topology.
        monkeypatch.setattr(tuning, "COMPILED_ANEW", 0)
        changed = compiled.updated([Queue("new"), Binding("paint", "new", "", NOT_TAKEN)])
        assert changed.changes is not None
        ways: dict[str, Callable[[], DataFrame]] = {
            "route": lambda: route(frame, topology, layout, exchange=exchange),
            "compiled": lambda: route(frame, compiled, layout),
            "saved": lambda: route(frame, CompiledTopology.load(tmp_path / "saved"), layout),
            "changed": lambda: route(frame, changed, layout),
        }
        lines = tmp_path / "messages.jsonl"
        lines.write_text("".join(f"{row[0]}\n" for row in frame.selectExpr("to_json(struct(*))").collect()))
        commands = Commands(tmp_path, lines, [*layout_words(shape, places=places), "--schema", schema], topology)
        given = () if exchange is None else ("--exchange", exchange)
        routed: dict[str, Callable[[], Any]] = {
            "selector-sql route": lambda: commands.route(*given),
            "selector-spark route": lambda: commands.spark_route(spark, *given),
            "selector-spark compile-topology": lambda: commands.compiled_route(spark, *given),
        }
        if is_full():
            stream = with_properties(stream_of(spark), SHAPES[shape]).drop("Key")
            routed["route_stream"] = lambda: streamed(stream, layout, tmp_path, topology, exchange)
        answers = all_queues(ways) | {name: outcome(asked) for name, asked in routed.items()}
        explained = outcome(lambda: explain_routing(topology, layout, messages=frame, exchange=exchange))
    refused = {name: answer[0] for name, answer in answers.items() if isinstance(answer, tuple)}
    assert (isinstance(explained, tuple), refused) == (
        expected is None,
        {} if expected is not None else dict.fromkeys(answers, "route.no-key"),
    )
    assert expected is None or answers == dict.fromkeys(answers, expected)


@pytest.mark.parametrize("shape", [name for name in SHAPES if name not in ("struct", "typed")])
def test_a_place_of_a_table_that_is_not_known_is_reported(shape: str) -> None:
    headers: dict[str, Any] = {"JMSType": "Kind"}
    layout = SHAPES[shape].store("Props", headers=headers, **OPTIONS.get(shape, {}))
    found = [finding.code for finding in transpile_selector("JMSType = 'stock'", layout).diagnostics]
    # The columns of Kafka's source are known. Any other name is a key of the headers.
    assert found == ([] if shape == "headers" else ["layout.reading"])
    for place in (stores.column("Kind"), stores.key("Kind")):
        certain = SHAPES[shape].store("Props", headers={"JMSType": place}, **OPTIONS.get(shape, {}))
        assert transpile_selector("JMSType = 'stock'", certain).diagnostics == ()


#: Tables with the columns that a preset reads, by the name of the preset: the column of properties and its SQL.
PRESETS = {
    "kafka-headers": ("headers", "array(named_struct('key', 'color', 'value', CAST(c AS BINARY)))"),
    "variant": ("properties", "parse_json(to_json(named_struct('color', c)))"),
    "struct": ("properties", "named_struct('color', c)"),
}


@pytest.mark.full
@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_by_its_name_is_the_store_in_every_function(spark: SparkSession, tmp_path: Path, preset: str) -> None:
    column, properties = PRESETS[preset]
    made = ["* EXCEPT (c, p)", f"{properties} AS {column}"]
    with settings(spark, INTERPRETED):
        columns = "id INT, JMSType STRING, p STRING, routing_key STRING, exchange STRING"
        frame = spark.createDataFrame(ROWS, f"{columns}, c STRING").selectExpr(*made).localCheckpoint()
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
        if is_full():
            stream = stream_of(spark, columns).selectExpr(*made)
            answers["route_stream"] = [streamed(stream, each, tmp_path) for each in (store, preset)]
    assert all(first == second for first, second in answers.values()), answers
    assert answers.get("route_stream", answers["route"]) == answers["route"]
    assert answers["route"][0] == {1: ["north", "rest"], 2: ["blue"], 3: [], 4: []}
    assert (answers["explain_matches"][0], answers["verify"][0]) == (2, 2)


def _condition(selector: str, preset: str, store: Layout) -> str:
    """Return the SQL with the layout given by its name, except for a struct, whose types come from a schema."""
    return transpile_selector(selector, store if preset == "struct" else preset).sql
