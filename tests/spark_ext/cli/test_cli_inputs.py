"""selector-spark with inputs in every format: files, directories, patterns, compressed or not, and errors in a line."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from spark_ext import create_messages
from spark_ext.cli.commands import main
from tests.sizes import is_full, sample
from transpiler.cli import main as selector_sql

pytestmark = pytest.mark.usefixtures("spark")

RAW = Path(__file__).parents[2] / "data" / "stores" / "raw"
TOPOLOGY = {
    "broker": "rabbitmq",
    "exchanges": [{"name": "x", "type": "direct"}],
    "queues": ["q"],
    "bindings": [{"source": "x", "queue": "q", "key": "red"}],
}
MESSAGES = [
    {"properties": {"subject": color}, "application_properties": {"color": color, "weight": weight}}
    for color, weight in (("red", 5), ("red", "5"), ("blue", 5))
]


@pytest.fixture(autouse=True)
def in_a_directory_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("topology.json").write_text(json.dumps(TOPOLOGY), encoding="utf-8")


def lines(values: list[dict[str, object]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def assert_one_line(result: Result, error: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert error in result.stderr


def test_the_old_spelling_of_the_input_format_is_reported_what_to_write() -> None:
    result = run("filter", "a = 1", "in.csv", "--format", "csv")
    assert result.exit_code == 2
    assert "--format is --input-format in this command" in result.stderr


@pytest.mark.full
def test_message_lines_are_read_from_directories_patterns_and_gzip() -> None:
    text = lines(MESSAGES)
    Path("day=1").mkdir()
    Path("plain").mkdir()
    for name, data in (
        ("a.jsonl", text.encode()),
        ("b.jsonl.gz", gzip.compress(text.encode())),
        ("c:d.ndjson", text.encode()),
        ("day=1/part-0.json", text.encode()),
        ("day=1/_SUCCESS", b""),
        ("plain/part-0.jsonl.gz", gzip.compress(text.encode())),
    ):
        Path(name).write_bytes(data)
    uri = Path("plain").absolute().as_uri()
    one_by_one: list[tuple[list[str], int]] = [
        (["a.jsonl"], 1),
        (["*.jsonl*"], 2),
        (["day=1"], 1),
        (["plain"], 1),
        (["c:d.ndjson"], 1),
        (["a.jsonl", "day=1", "plain"], 3),
        ([f"{uri}/*.gz"], 1),
        ([uri], 1),
    ]
    # Python reads a file with a colon in its name, and all other files named in the same command.
    together = [(["*.jsonl*", "day=1", f"{uri}/*.gz", uri, "plain"], 6), (["a.jsonl", "c:d.ndjson"], 2)]
    for names, count in one_by_one if is_full() else together:
        result = run("filter", "color = 'red' AND weight = 5", *names)
        assert result.stderr.startswith(f"{count} of {3 * count} messages match"), (names, result.output)
    result = run("route", "topology.json", "day=1", "b.jsonl.gz", "--exchange", "x")
    assert "4 deliveries of 6 messages" in result.stderr, result.output


def test_the_content_of_lists_is_read_too() -> None:
    held = {"application_properties": {"color": "red", "x": {"type": "list", "value": [1]}}}
    Path("a.jsonl").write_text(lines([*MESSAGES, held]), encoding="utf-8")
    assert run("filter", "color = 'red'", "a.jsonl").stderr.startswith("3 of 4 messages match")


def test_plain_properties_are_read_as_well_as_message_json() -> None:
    plain = [{"color": "red", "weight": 5, "JMSPriority": 7}, {"color": "blue"}]
    Path("a.jsonl").write_text(lines([*MESSAGES, *plain]), encoding="utf-8")
    result = run("filter", "color = 'red' AND JMSPriority = 7", "a.jsonl")
    assert result.stderr.startswith("1 of 5 messages match"), result.output


@pytest.mark.parametrize("name", ["plain.jsonl", "array.json", "objects.json", "text.log"])
def test_messages_in_every_form_are_routed(name: str) -> None:
    sent = [{"exchange": "x", "routing_key": color, "color": color} for color in ("red", "blue")]
    rule, properties = "=" * 80, '[{<<"headers">>,table,[{<<"color">>,longstr,<<"red">>}]}]'
    entry = f'Exchange:     x\nRouting keys: [<<"{{}}">>]\nRouted queues: []\nProperties:   {properties}\nPayload: \n\n'
    form = {
        "plain.jsonl": lines(list(sent)),
        "array.json": json.dumps(sent),
        "objects.json": "\n".join(json.dumps(one, indent=2) for one in sent),
        "text.log": "".join(
            f"\n{rule}\nnow: Message published\n\n{entry.replace('{}', key)}" for key in ("red", "blue")
        ),
    }
    Path(name).write_text(form[name], encoding="utf-8")
    assert run("route", "topology.json", name).stderr.startswith("1 deliveries of 2 messages")


@pytest.mark.parametrize("name", ["browse.txt", "answer.json", "cells.log"])
def test_what_brokers_write_is_read_without_a_layout(name: str) -> None:
    answer = {"status": 200, "request": {"operation": "browse()"}, "value": []}
    maps = [{"StringProperties": {"color": color}, "IntProperties": {"weight": 5}} for color in ("red", "blue")]
    form = {
        "browse.txt": "".join(
            f"JMS_HEADER_FIELD:JMSPriority = 4\nJMS_CUSTOM_FIELD:color = {color}\nJMS_CUSTOM_FIELD:weight = 5\n\n"
            for color in ("red", "blue")
        ),
        "cells.log": "color,weight,JMSPriority\nred,5,4\nblue,5,4\n",
        "answer.json": json.dumps(answer | {"value": [{"address": "x", "priority": 4} | each for each in maps]}),
    }
    Path(name).write_text(form[name], encoding="utf-8")
    result = run("filter", "color = 'red' AND weight = 5 AND JMSPriority = 4", name)
    assert result.stderr.startswith("1 of 2 messages match"), result.output


@pytest.mark.full
def test_a_wrong_line_in_a_directory_is_reported_by_its_place() -> None:
    Path("job").mkdir()
    Path("job/a b.jsonl").write_text(lines(MESSAGES) + '{"header": {"prioritty": 5}}\n', encoding="utf-8")
    result = run("filter", "color = 'red'", "job")
    assert result.exit_code == 2
    assert "job/a b.jsonl:4: message.unknown-field: header: there is no field called 'prioritty'" in result.stderr
    Path("job/a b.jsonl").write_text(lines(MESSAGES) + '{"footer": {"a": NaN}}\n', encoding="utf-8")
    assert run("filter", "color = 'red'", "job").stderr.startswith("2 of 4 messages match")
    Path("job/a b.jsonl").write_text(lines(MESSAGES) + "{} {}\n", encoding="utf-8")
    assert_one_line(run("filter", "color = 'red'", "job"), "job/a b.jsonl:4:4: this is not JSON")


CUT = {
    "a.jsonl": (lines(MESSAGES) + '{"application_properties": {"col', "a.jsonl:4:29: this is not JSON"),
    # Python reads plain properties, and all other lines in the same command.
    "plain.jsonl": ('{"color": "red"}\n{"color": \n{"color": "red"}\n', "plain.jsonl:2:"),
    "a.csv": ("color,weight\nred,5\nred,6\nblue", "a.csv:4: 1 cell, and the header has 2 names"),
}


@pytest.mark.parametrize("name", CUT)
def test_a_record_that_is_cut_is_left_out_and_counted(name: str) -> None:
    text, expected_text = CUT[name]
    Path(name).write_text(text, encoding="utf-8")
    assert_one_line(run("filter", "color = 'red'", name), expected_text)
    result = run("filter", "color = 'red'", name, "--keep-going", "--show", "9")
    assert (result.exit_code, result.stdout.count("-RECORD ")) == (2, 2), result.output
    first, *_, last = result.stderr.splitlines()
    assert first.startswith(expected_text)
    assert last == "1 bad record was left out"


@pytest.mark.full
def test_a_log_that_is_cut_is_routed_and_compared_without_its_last_line() -> None:
    entry = {"type": "published", "exchange": "x", "routing_keys": ["red"], "routed_queues": ["q"], "properties": {}}
    Path("log.jsonl").write_text(f"{json.dumps(entry)}\n{json.dumps(entry)[:40]}\n", encoding="utf-8")
    assert_one_line(run("route", "topology.json", "log.jsonl"), "log.jsonl:2:")
    for words in (("route", "topology.json", "log.jsonl"), ("backtest", "log.jsonl", "topology.json")):
        result = run(*words, "--keep-going")
        assert result.exit_code == 2
        assert " 1 " in f" {result.stdout} "
        assert result.stderr.splitlines()[-1] == "1 bad record was left out"


def test_rows_of_a_layout_that_are_cut_are_left_out() -> None:
    Path("kafka.jsonl").write_text('{"order": {"color": "red"}}\n[1]\n{"order": {"co\n', encoding="utf-8")
    result = run("filter", "TRUE", "kafka.jsonl", "--layout", "flat", "--keep-going", "--show", "9")
    assert (result.exit_code, result.stdout.count("-RECORD ")) == (2, 1)
    assert result.stderr.splitlines()[-1] == "2 bad records were left out"


def test_what_spark_reads_whole_is_not_read_in_part(spark: SparkSession) -> None:
    spark.range(1).write.parquet(str(Path("numbers.parquet").absolute()))
    assert_one_line(run("filter", "TRUE", "numbers.parquet", "--keep-going"), "Spark reads other files as a whole")


def test_a_cell_of_csv_has_the_type_of_its_use_as_in_selector_sql_match() -> None:
    rows = [
        "color,code,weight,new,JMSPriority,JMSType,JMSRedelivered",
        "red,007,2600,true,7,a,true",
        "blue,x1,10,FALSE,,5,",
    ]
    Path("a.csv").write_text("\n".join([*rows, ",08,5.5,yes,3,,false", "red,,1e3,,9,b,"]) + "\n", encoding="utf-8")
    matched = {
        "weight > 5": 4,
        "weight = '10'": 1,
        "code = '007'": 1,
        "code > 6": 2,
        "code <> '08'": 2,
        "new = TRUE": 1,
        "new = 'FALSE'": 1,
        "JMSPriority > 3": 3,
        "JMSType = '5'": 1,
        "JMSRedelivered = TRUE": 1,
        "color IS NULL OR weight = 1000": 2,
    }
    for selector, count in matched.items():
        by_python = CliRunner().invoke(selector_sql, ["match", selector, "a.csv", "--count"])
        assert (by_python.stdout, selector) == (f"{count}\n", selector)
    for selector in sample(list(matched), 4):
        result = run("filter", selector, "a.csv")
        assert result.stderr.startswith(f"{matched[selector]} of 4 messages match"), selector


TIMES = ("2024-01-01T00:00:00Z", "2024-01-01T01:00:00.000+01:00", "2024-01-01 00:00", "2024-01-01", "1704067200000")

#: CSV files that are tested, each with selectors.
CELLS = {
    "times": "JMSTimestamp,a\n" + "".join(f"{time},{n}\n" for n, time in enumerate(TIMES)) + ",9\n",
    "a priority": "color,JMSPriority\nred,high\n",
    "a wrong time": "JMSTimestamp\nyesterday\n",
    "a flag": "a,JMSRedelivered,JMSDeliveryMode\n1,1,2\n2,false,PERSISTENT\n3,,NON_PERSISTENT\n",
    "a wrong flag": "a,JMSRedelivered\n1,maybe\n",
    "quotes": 'a,b\n"x, ""y""\n",1\n"",2\n,3\n" z ",4\n',
    "another separator": "a;b\n1;2\n",
    "tabs": "a\tb\n1\t2\n",
    "two columns of a name": "a,a\n1,2\n",
    "a short row": "a,b\n1\n",
    "an id": "JMSMessageID,JMSCorrelationID,JMSXGroupSeq\nID:7,ID:8,3\n",
}
SELECTORS = (
    "JMSTimestamp = 1704067200000",
    "JMSTimestamp IS NULL",
    "JMSPriority = 4",
    "JMSRedelivered = TRUE",
    "JMSDeliveryMode = 'PERSISTENT'",
    "a IS NULL OR a = 1",
    "a LIKE '%y%' OR b > 2",
    "JMSMessageID = 'ID:7' AND JMSXGroupSeq = 3 AND JMSCorrelationID = 'ID:8'",
)


@pytest.mark.parametrize("name", CELLS)
def test_match_and_spark_read_the_cells_of_csv_alike(name: str) -> None:
    Path("in.csv").write_text(CELLS[name], encoding="utf-8")
    columns = CELLS[name].partition("\n")[0].split(",")
    for selector in SELECTORS:
        if not all(word in columns for word in re.findall(r"JMS\w+|\b[ab]\b", selector)):
            continue
        by_python = CliRunner().invoke(selector_sql, ["match", "-q", selector, "in.csv", "--count"])
        by_spark = run("filter", selector, "in.csv")
        assert (by_python.exit_code == 2) is (by_spark.exit_code == 2), (selector, by_python.output, by_spark.output)
        if by_python.exit_code != 2:
            assert by_spark.stderr.startswith(f"{by_python.stdout.strip()} of "), (selector, by_spark.stderr)
        else:
            assert by_python.stderr.splitlines()[0] == by_spark.stderr.splitlines()[0]


@pytest.mark.full
def test_csv_has_a_header_and_the_types_of_a_schema() -> None:
    text = 'color,weight,note\nred,5,"a ""b"", c"\nblue,5,\nred,7,x\n'
    Path("a.csv").write_text(text, encoding="utf-8")
    Path("b.csv.gz").write_bytes(gzip.compress(text.encode()))
    fields = [{"name": "weight", "type": "integer", "nullable": True, "metadata": {}}]
    Path("types.json").write_text(json.dumps({"type": "struct", "fields": fields}), encoding="utf-8")
    assert run("filter", "color = 'red'", "a.csv").stderr.startswith("2 of 3 messages match")
    assert run("filter", "note = 'a \"b\", c'", "a.csv", "b.csv.gz").stderr.startswith("2 of 6 messages match")
    result = run("filter", "weight > 5 AND color = 'red'", "a.csv", "--schema", "types.json")
    assert result.stderr.startswith("1 of 3 messages match"), result.output
    result = run("filter", "weight > 5 AND color = 'red'", "a.csv", "--schema", "weight INT")
    assert result.stderr.startswith("1 of 3 messages match"), result.output
    Path("a.csv").write_text(text + "red,heavy,x\n", encoding="utf-8")
    assert_one_line(run("filter", "weight > 5", "a.csv", "--schema", "types.json"), "a.csv")
    Path("a.csv").write_text("colour\nred\n", encoding="utf-8")
    expected_text = "a.csv has no column weight; its columns are colour"
    assert_one_line(run("filter", "weight > 5", "a.csv", "--schema", "types.json"), expected_text)
    Path("types.json").write_text("[]", encoding="utf-8")
    result = run("filter", "weight > 5", "a.csv", "--schema", "types.json")
    assert (result.exit_code, result.stderr.splitlines()[0]) == (
        2,
        "types.json:1:1: layout.schema: expected an object with a list of fields",
    )


@pytest.mark.full
def test_a_tracing_log_is_filtered_by_the_basic_property_type() -> None:
    file = str(RAW / "trace.jsonl")
    selector = "JMSPriority > 4 AND color = 'red' AND weight > 2500 AND JMSType = 'order'"
    for options in ([], ["--layout", "rabbitmq-trace"]):
        assert run("filter", selector, file, *options).stderr.startswith("12 of 50 messages match")


@pytest.mark.parametrize(
    ("name", "data", "expected_text"),
    [
        (
            "a.avro",
            b"Obj",
            "a.avro: Spark reads Avro with a package: give --packages org.apache.spark:spark-avro_2.13:",
        ),
        ("a.xml", b"<a", "XML is read only as an export of Artemis: add --layout artemis-xml"),
        ("s3://bucket/a.jsonl", None, "s3"),
        ("s3://bucket/day", None, "s3"),
        ("nowhere://x/a.csv", None, "nowhere"),
    ],
)
def test_what_spark_cannot_read_is_one_line(name: str, data: bytes | None, expected_text: str) -> None:
    if data is not None:
        Path(name).write_bytes(data)
    options = ["--layout", "amqp"] if name.endswith("xml") else []
    assert_one_line(run("filter", "a = 1", name, *options), expected_text)


def test_inputs_of_two_formats_are_refused() -> None:
    Path("a.jsonl").write_text("{}\n")
    Path("a.csv").write_text("a\n1\n")
    assert_one_line(run("filter", "a = 1", "a.jsonl", "a.csv"), "the inputs are json and csv")
    result = run("filter", "a = 1", "a.jsonl", "--layout", "nothing")
    assert (result.exit_code, "there is no layout called 'nothing'" in result.stderr) == (2, True)


@pytest.mark.full
def test_a_backtest_needs_recorded_queues(spark: SparkSession) -> None:
    expected_text = "a backtest compares with a column routed_queues, an array of the names of the broker's queues"
    Path("a.jsonl").write_text(lines(MESSAGES), encoding="utf-8")
    assert_one_line(
        run("backtest", "a.jsonl", "topology.json"), f"a.jsonl has no column routed_queues: {expected_text}"
    )
    create_messages(spark, MESSAGES).selectExpr("*", "CAST(NULL AS ARRAY<STRING>) AS routed_queues").write.parquet(
        str(Path("a.parquet").absolute())
    )
    assert_one_line(run("backtest", "a.parquet", "topology.json"), "routed_queues is NULL everywhere")
    Path("a.csv").write_text("routing_key,routed_queues\nred,q\n", encoding="utf-8")
    assert_one_line(run("backtest", "a.csv", "topology.json"), "the column routed_queues is STRING")
    recorded = [message | {"exchange": "x", "routed_queues": ["q"]} for message in MESSAGES[:2]]
    Path("a.jsonl").write_text(lines(recorded), encoding="utf-8")
    result = run("backtest", "a.jsonl", "topology.json")
    assert (result.exit_code, "2 of 2 messages" in result.output) == (0, True), result.output
