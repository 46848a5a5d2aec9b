"""selector-spark route and backtest as a user runs them: what they print and write, and their exit codes."""

from __future__ import annotations

import gzip
import json
import re
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from spark_ext import create_messages
from spark_ext.cli.commands import main
from tests.sizes import size

pytestmark = pytest.mark.usefixtures("spark")

DATA = Path(__file__).parents[3] / "examples" / "data"
TRACE, DEFINITIONS = str(DATA / "trace.jsonl.gz"), str(DATA / "definitions.json")
ENTRY = {
    "type": "published",
    "exchange": "amq.topic",
    "routing_keys": ["a.b"],
    "routed_queues": ["q"],
    "properties": {"message_id": "m1"},
}
SMALL = {
    "vhosts": [{"name": "/"}],
    "exchanges": [],
    "queues": [{"name": "q", "vhost": "/", "durable": True, "auto_delete": False, "arguments": {}}],
    "bindings": [
        {
            "source": "amq.topic",
            "vhost": "/",
            "destination": "q",
            "destination_type": "queue",
            "routing_key": "a.*",
            "arguments": {},
        }
    ],
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Run a command in a directory with a small topology, in the Spark session of the tests."""
    monkeypatch.chdir(tmp_path)
    Path("small.json").write_text(json.dumps(SMALL), encoding="utf-8")

    def invoke(*arguments: str, lines: list[object] | None = None) -> Result:
        if lines is not None:
            texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
            Path("archive.jsonl").write_text("\n".join(texts), encoding="utf-8")
        # The session's JVM has its own working directory.
        named = [
            str(tmp_path / word) if Path(word).suffix in (".jsonl", ".parquet", ".out") else word for word in arguments
        ]
        return CliRunner().invoke(main, named)

    return invoke


@pytest.mark.full
def test_the_real_trace_agrees(run) -> None:  # type: ignore[no-untyped-def]
    with gzip.open(TRACE, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    archives = [("archive.jsonl", "300", "792"), (TRACE, "3,000", "8,145")][: size(1, 2)]
    for (archive, count, deliveries), options in product(archives, ([], ["--keys-once"])):
        result = run("backtest", archive, DEFINITIONS, *options, lines=lines[:300])
        assert result.exit_code == 0, result.output
        expected_text = f"{count} of {count} messages have exactly the broker's queues ({deliveries} deliveries)"
        assert expected_text in result.output


def test_one_message_that_differs_fails_the_backtest(run) -> None:  # type: ignore[no-untyped-def]
    lines = [ENTRY, ENTRY | {"routed_queues": ["other"]}, ENTRY | {"type": "received"}]
    result = run("backtest", "archive.jsonl", "small.json", lines=lines)
    assert result.exit_code == 1
    assert "1 of 2 messages have exactly the broker's queues" in result.output
    assert "missed 1 times: amq.topic → other" in result.output
    assert "example m1: to amq.topic with key 'a.b': missed other; extra q" in result.output
    found = json.loads(run("backtest", "archive.jsonl", "small.json", "--format", "json").output)
    assert (found["messages"], found["agreed"]) == (2, 1)
    assert found["extra"] == [{"exchange": "amq.topic", "queue": "q", "messages": 1}]


def test_messages_read_from_a_queue_are_compared_with_that_queue(run) -> None:  # type: ignore[no-untyped-def]
    event = {
        "eventSource": "aws:rmq",
        "rmqMessagesByQueue": {
            "q::/": [{"basicProperties": {"priority": 4}, "redelivered": False, "data": ""}],
            "other::/": [{"basicProperties": {"priority": 4}, "redelivered": False, "data": ""}],
        },
    }
    options = ["--layout", "aws-rabbitmq", "--address", "amq.topic/a.b"]
    result = run("backtest", "archive.jsonl", "small.json", *options, "--partial", "--recorded", "queue", lines=[event])
    assert result.exit_code == 1, result.output
    assert "1 of 2 messages go to the queue that they were read from (2 deliveries)" in result.output
    assert "missed 1 times: amq.topic → other" in result.output
    assert "extra" not in result.output
    result = run("backtest", "archive.jsonl", "small.json", *options, "--recorded", "queue")
    assert result.exit_code == 2
    assert "the column queue is STRING" in result.output
    assert "if it has one of the queues, --partial compares that one" in result.output
    answer = {
        "payload_bytes": 0,
        "redelivered": False,
        "exchange": "amq.topic",
        "routing_key": "a.b",
        "message_count": 0,
        "properties": {"message_id": "m1"},
        "payload": "",
        "payload_encoding": "string",
    }
    lines = [[answer, answer | {"routing_key": "b", "properties": []}]]
    options = ["--layout", "rabbitmq-get", "--recorded-queue", "q"]
    result = run("backtest", "archive.jsonl", "small.json", *options, lines=lines)
    assert result.exit_code == 1, result.output
    assert "1 of 2 messages go to the queue that they were read from" in result.output
    assert "to amq.topic with key 'b': missed q" in result.output


@pytest.mark.parametrize(
    ("lines", "expected_text"),
    [
        ([ENTRY, "{oops"], "archive.jsonl:2:2: this is not JSON"),
        ([ENTRY, {"exchange": "x"}], "an entry of a tracing log"),
        ([{"headers": {}}], "did you mean header?"),
        (["{oops"], "this is not JSON"),
        (["[1]"], "a message must be a JSON object"),
    ],
)
def test_an_input_that_is_not_an_archive_is_rejected(run, lines: list[object], expected_text: str) -> None:  # type: ignore[no-untyped-def]
    result = run("backtest", "archive.jsonl", "small.json", lines=lines)
    assert result.exit_code == 2
    assert expected_text in result.output
    assert "Traceback" not in result.output


def test_an_archive_without_messages_proves_nothing(run) -> None:  # type: ignore[no-untyped-def]
    result = run("backtest", "archive.jsonl", "small.json", lines=[ENTRY | {"type": "received"}])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "archive.jsonl has no published message: there is nothing to compare" in result.output


@pytest.mark.full
def test_messages_of_other_virtual_hosts_are_left_out(run) -> None:  # type: ignore[no-untyped-def]
    lines = [ENTRY, ENTRY | {"vhost": "b", "routed_queues": ["z"]}, ENTRY | {"vhost": "/", "routed_queues": ["gone"]}]
    result = run("backtest", "archive.jsonl", "small.json", lines=lines)
    assert result.output.splitlines()[0] == "the topology does not have the queue gone (1)"
    assert "1 of 2 messages" in result.output
    assert "1 message of another virtual host is left out: b (1)" in result.output


def test_wrong_names_are_refused(run) -> None:  # type: ignore[no-untyped-def]
    result = run("backtest", "nowhere.jsonl", "small.json")
    assert (result.exit_code, result.output) == (2, f"there is no file {Path('nowhere.jsonl').absolute()}\n")
    Path("wrong.json").write_text('{"bindings": [{"source": "x"}]', encoding="utf-8")
    assert run("backtest", TRACE, "wrong.json").exit_code == 2
    result = run("backtest", "archive.jsonl", "small.json", "--recorded", "answers", lines=[ENTRY])
    assert result.exit_code == 2
    assert "has no column answers" in result.output


def test_route_counts_and_writes_deliveries(run, spark: SparkSession) -> None:  # type: ignore[no-untyped-def]
    lines = [
        {"exchange": "amq.topic", "properties": {"subject": "a.b"}},
        {"exchange": "amq.topic", "properties": {"subject": "b"}},
        {"exchange": "nowhere"},
        {"properties": {"subject": "q"}},
    ]
    result = run("route", "small.json", "archive.jsonl", "--output", "deliveries.out", "--deliveries", lines=lines)
    assert result.exit_code == 0, result.output
    assert "         2  q\n" in result.output
    assert "2 deliveries of 4 messages; 2 reach no queue: 1 discarded, 1 no-exchange" in result.output
    assert [row.queue for row in spark.read.parquet(str(Path("deliveries.out").absolute())).collect()] == ["q", "q"]
    summary = json.loads(run("route", "small.json", "archive.jsonl", "--summary").stdout)
    assert summary == {
        "version": 1,
        "exchanges": {"": 1, "amq.topic": 2, "nowhere": 1},
        "queues": {"q": 2},
        "outcomes": {"delivered": 2, "discarded": 1, "no-exchange": 1},
        "possible": {},
    }


CHOOSING = SMALL | {
    "exchanges": [{"name": "hash", "vhost": "/", "type": "x-consistent-hash"}],
    "queues": [{"name": name, "vhost": "/"} for name in ("q", "a", "b")],
    "bindings": [
        {"source": "hash", "vhost": "/", "destination": name, "destination_type": "queue", "routing_key": "1"}
        for name in ("a", "b")
    ],
}


@pytest.mark.full
def test_what_an_exchange_chooses_is_possible(run, spark: SparkSession) -> None:  # type: ignore[no-untyped-def]
    Path("choosing.json").write_text(json.dumps(CHOOSING), encoding="utf-8")
    lines = [{"exchange": "hash"}, {"properties": {"subject": "q"}}]
    result = run("route", "choosing.json", "archive.jsonl", "--output", "routed.out", lines=lines)
    assert result.exit_code == 0, result.output
    assert "1 deliveries of 2 messages; 1 may reach more of them (possible_queues), by what exchanges" in result.output
    written = spark.read.parquet(str(Path("routed.out").absolute())).collect()
    assert sorted((row.queues, row.possible_queues) for row in written) == [([], ["a", "b"]), (["q"], [])]
    # If queues are only counted, the messages may have columns of these names.
    assert "1 deliveries of 2 messages; 1 may reach" in run("route", "choosing.json", "routed.out").output
    entries = [ENTRY | {"exchange": "hash", "routed_queues": [name]} for name in ("a", "b", "q")]
    result = run("backtest", "archive.jsonl", "choosing.json", lines=entries)
    assert result.exit_code == 1
    assert "2 of 3 messages have exactly the broker's queues" in result.output
    assert "missed 1 times: hash → q" in result.output


def test_parquet_with_typed_columns_is_compared(run, spark: SparkSession) -> None:  # type: ignore[no-untyped-def]
    frame = spark.createDataFrame([("a.b", ["q"]), ("c", [])], "routing_key STRING, answers ARRAY<STRING>")
    frame.write.parquet(str(Path("typed.parquet").absolute()))
    result = run("backtest", "typed.parquet", "small.json", "--exchange", "amq.topic", "--recorded", "answers")
    assert result.exit_code == 0, result.output
    assert "2 of 2 messages" in result.output


@pytest.mark.full
def test_copies_are_routed_by_their_own_keys(run) -> None:  # type: ignore[no-untyped-def]
    result = run("backtest", "archive.jsonl", "small.json", lines=[ENTRY | {"routing_keys": ["other", "a.b"]}])
    assert result.exit_code == 0, result.output
    assert "1 of 1 messages" in result.output


ZERO_TEN = [
    {"delivery_properties": {"exchange": "amq.topic", "routing_key": "a.b"}},
    {"message_properties": {"application_headers": {"qpid.subject": "a.c"}}, "exchange": "amq.topic"},
    {"delivery_properties": {"exchange": "amq.topic", "routing_key": "b"}},
    {"delivery_properties": {"routing_key": "q"}},
    {"exchange": "nowhere"},
]
COUNTED = {
    "version": 1,
    "exchanges": {"": 1, "amq.topic": 3, "nowhere": 1},
    "queues": {"q": 3},
    "outcomes": {"delivered": 3, "no-exchange": 1, "returned": 1},
    "possible": {},
}


@pytest.mark.full
def test_archives_of_amqp_0_10_are_routed_from_json_lines_and_parquet(run, spark: SparkSession) -> None:  # type: ignore[no-untyped-def]
    options = ("--layout", "amqp-0-10", "--mandatory", "--output", "routed.out", "--outcome", "became")
    result = run("route", "small.json", "archive.jsonl", *options, lines=ZERO_TEN)
    assert result.exit_code == 0, result.output
    assert "         3  q\n" in result.output
    assert "3 deliveries of 5 messages; 2 reach no queue: 1 no-exchange, 1 returned" in result.output
    routed = str(Path("routed.out").absolute())
    rows = spark.read.parquet(routed)
    assert {"queues", "became", "message_properties", "delivery_properties"} <= set(rows.columns)
    assert not [name for name in rows.columns if name.startswith("_")]
    assert sorted(row.became for row in rows.select("became").collect()) == ["delivered"] * 3 + [
        "no-exchange",
        "returned",
    ]
    # The output is an archive of the same layout, which is recognised.
    for options in (("--layout", "amqp-0-10"), ()):
        again = run("route", "small.json", "routed.out", "--mandatory", "--summary", *options)
        assert json.loads(again.stdout) == COUNTED
    shown = run("route", "small.json", "archive.jsonl", "--mandatory", "--summary", "--keys-once")
    assert json.loads(shown.stdout) == COUNTED


@pytest.mark.full
def test_messages_and_what_spark_writes_are_json_lines_of_amqp_0_10_too(run, spark: SparkSession) -> None:  # type: ignore[no-untyped-def]
    frame = create_messages(
        spark, [{"properties": {"subject": "a.b"}, "application_properties": {"n": 1}}], "amqp-0-10"
    )
    written = frame.selectExpr("to_json(struct(*)) AS line").collect()
    lines = [*(row.line for row in written), {"properties": {"subject": "a.b"}}]
    options = ("--layout", "amqp-0-10", "--exchange", "amq.topic")
    result = run("route", "small.json", "archive.jsonl", *options, lines=lines)
    assert "2 deliveries of 2 messages; 0 reach no queue" in result.output
    recorded = [ZERO_TEN[0] | {"routed_queues": ["q"]}, ZERO_TEN[2] | {"routed_queues": ["q"]}]
    result = run("backtest", "archive.jsonl", "small.json", "--layout", "amqp-0-10", lines=recorded)
    assert result.exit_code == 1
    assert "1 of 2 messages have exactly the broker's queues" in result.output
    assert "to amq.topic with key 'b': missed q" in result.output


@pytest.mark.parametrize(
    ("line", "expected_text"),
    [
        (
            {"delivery_properties": {"routing_kee": "a"}},
            "archive.jsonl:1: message.unknown-field: delivery_properties: AMQP 0-10",
        ),
        ({"message_properties": {"application_headers": {"a": []}}}, "expected a simple value, found an array"),
    ],
)
def test_a_line_that_is_no_row_of_amqp_0_10_is_refused(run, line: object, expected_text: str) -> None:  # type: ignore[no-untyped-def]
    result = run("route", "small.json", "archive.jsonl", "--layout", "amqp-0-10", lines=[line])
    assert result.exit_code == 2
    assert expected_text in result.output
    assert "Traceback" not in result.output


def test_parquet_without_the_structs_of_amqp_0_10_is_refused(run, spark: SparkSession) -> None:  # type: ignore[no-untyped-def]
    spark.range(1).write.parquet(str(Path("other.parquet").absolute()))
    result = run("route", "small.json", "other.parquet", "--layout", "amqp-0-10")
    assert result.exit_code == 2
    assert (
        "has no column message_properties and no column delivery_properties, which archives of AMQP 0-10 have"
        in result.output
    )


@pytest.mark.full
def test_messages_are_published_to_their_own_to_or_by_an_address(run) -> None:  # type: ignore[no-untyped-def]
    lines = [
        {"properties": {"to": "/exchanges/amq.topic/a.b"}},
        {"properties": {"to": "/queues/q"}},
        {"exchange": "amq.topic"},
    ]
    result = run("route", "small.json", "archive.jsonl", "--publish-to", "to", "--summary", lines=lines)
    assert json.loads(result.stdout) == {
        "version": 1,
        "exchanges": {"": 1, "amq.topic": 1},
        "queues": {"q": 2},
        "outcomes": {"delivered": 2, "rejected": 1},
        "possible": {},
    }
    result = run("route", "small.json", "archive.jsonl", "--address", "amq.topic/a.b")
    assert "3 deliveries of 3 messages; 0 reach no queue" in result.output
    result = run("route", "small.json", "archive.jsonl", "--address", "amq.topik/a.b")
    assert (result.exit_code, "did you mean amq.topic" in result.output) == (2, True)
    result = run("route", "small.json", "archive.jsonl", "--protocol", "1.0", "--mandatory")
    assert (result.exit_code, "--mandatory is a flag of AMQP 0-8 to 0-9-1" in result.output) == (2, True)


def test_a_compiled_topology_can_replace_a_topology_file(run) -> None:  # type: ignore[no-untyped-def]
    result = run("compile-topology", "small.json", "archive.jsonl", "--output", "small.compiled", lines=[ENTRY])
    assert result.exit_code == 0, result.output
    assert re.fullmatch(r"1 binding compiled as version [0-9a-f]{12} \(\d+\.\d s\)\n", result.output)
    routed = run("route", "small.compiled", "archive.jsonl")
    assert routed.output.startswith("         1  q\n1 deliveries of 1 messages; 0 reach no queue")
    assert run("backtest", "archive.jsonl", "small.compiled").exit_code == 0
    again = run("compile-topology", "small.json", "archive.jsonl", "--output", "small.compiled", "--version", "two")
    assert "compiled as version two" in again.output


@pytest.mark.parametrize(
    ("arguments", "expected_text"),
    [
        (["route", "small.compiled", "archive.jsonl", "--exchange", "x"], "give --exchange to compile-topology"),
        (["backtest", "archive.jsonl", "small.compiled", "--missing", "null"], "give --missing to compile-topology"),
        (
            ["route", "damaged.compiled", "archive.jsonl"],
            "damaged.compiled is truncated or damaged: the checksum of its 200 bytes",
        ),
        (["compile-topology", "small.compiled", "archive.jsonl", "--output", "x"], "give the topology that it was"),
        (["compile-topology", "small.json", "archive.jsonl", "--output", "no/x"], "no/x cannot be written: No such"),
    ],
)
def test_what_cannot_be_done_with_a_compiled_topology_is_said(  # type: ignore[no-untyped-def]
    run, arguments: list[str], expected_text: str
) -> None:
    run("compile-topology", "small.json", "archive.jsonl", "--output", "small.compiled", lines=[ENTRY])
    Path("damaged.compiled").write_bytes(Path("small.compiled").read_bytes()[:200])
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert expected_text in result.output
    assert "Traceback" not in result.output


BROKER = (
    "<configuration><core><addresses><address name='orders'><anycast><queue name='a'/><queue name='b'/></anycast>"
    "<multicast><queue name='audit'/></multicast></address></addresses></core></configuration>"
)


@pytest.mark.full
def test_sends_to_a_jms_broker_are_compared_by_their_routing_types_and_destinations(run) -> None:  # type: ignore[no-untyped-def]
    Path("broker.xml").write_text(BROKER, encoding="utf-8")

    def sent(exchange: str, routing_type: str | None, *queues: str) -> dict[str, object]:
        line = {"application_properties": {"n": 1}, "exchange": exchange, "routed_queues": list(queues)}
        return line | ({} if routing_type is None else {"routing_type": routing_type})

    lines = [
        sent("orders", "ANYCAST", "a"),
        sent("orders", "ANYCAST", "b"),
        sent("orders", "MULTICAST", "audit"),
        sent("orders", None, "a", "audit"),
        sent("new", "ANYCAST", "new"),
        sent("orders", "MULTICAST", "a"),
    ]
    result = run("backtest", "archive.jsonl", "broker.xml", lines=lines)
    assert result.exit_code == 1, result.output
    assert "5 of 6 messages have exactly the broker's queues (7 deliveries)\n  new     1 of 1\n  orders  4 of 5" in (
        result.output
    )
