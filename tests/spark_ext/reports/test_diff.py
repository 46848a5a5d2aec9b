"""``diff`` over rows, and ``selector-spark diff``: what a new selector, filter or topology changes."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result
from pyspark.sql import DataFrame, SparkSession

from spark_ext import compile_selector, create_messages, diff
from spark_ext.cli.commands import main
from spark_ext.reports.differences import QueueChange
from tests.pages import ROOT
from tests.sizes import sample
from transpiler import (
    Message,
    SelectorSyntaxError,
    TopologyError,
    UnsupportedFeatureError,
    evaluate,
    matches,
    route_message,
    stores,
)
from transpiler.language.filters.kinds import TopicBinding
from transpiler.topology import read_topology, topology_from_dict

EXAMPLES = Path(__file__).parents[3] / "examples" / "data"
LINES = (EXAMPLES / "messages.jsonl").read_text(encoding="utf-8").splitlines()
#: The messages of the file that the command reads.
LINES_OF_FILE = sample(LINES, 100)
MESSAGES = [Message.from_dict(json.loads(line)) for line in LINES[:400]]
OLD_TOPOLOGY = read_topology(EXAMPLES / "definitions.json")
NEW_TOPOLOGY = replace(
    OLD_TOPOLOGY,
    queues=(*OLD_TOPOLOGY.queues[1:], type(OLD_TOPOLOGY.queues[0])("fresh")),
    bindings=tuple(
        replace(binding, destination="fresh") if number % 9 == 2 and binding.destination_type == "queue" else binding
        for number, binding in enumerate(OLD_TOPOLOGY.bindings)
        if binding.destination != OLD_TOPOLOGY.queues[0].name
    ),
)


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    return create_messages(spark, MESSAGES).cache()


def topic(pattern: str) -> dict[str, Any]:
    return {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": pattern}


SELECTORS = (
    ("area = 'Viking'", "area = 'Viking' AND speed > 5", "jms", None),
    ("area = 'Viking'", "area = 'Viking' OR area IS NULL", "jms", None),
    ("area <> 'Viking'", "NOT (area = 'Viking')", "activemq", "jms"),
    ("JMSPriority > 4", "JMSPriority >= 4", "artemis", None),
    ("speed > 5", "speed > 5", "jms", "rabbitmq"),
    ("", "speed > 5", "jms", None),
    ("speed > 5", "speed > 5", "jms", None),
)


@pytest.mark.parametrize(("old", "new", "dialect", "new_dialect"), SELECTORS)
def test_rows_are_counted_as_the_reference_evaluator_selects_them(
    frame: DataFrame, old: str, new: str, dialect: str, new_dialect: str | None
) -> None:
    result = diff(frame, old, new, dialect=dialect, new_dialect=new_dialect, examples=2)
    answers = Counter(
        (evaluate(old, message, dialect) is True, evaluate(new, message, new_dialect or dialect) is True)
        for message in MESSAGES
    )
    counts = result.lost_rows, result.won_rows, result.kept_rows, result.neither_rows
    assert counts == tuple(answers[key] for key in ((True, False), (False, True), (True, True), (False, False)))
    assert (result.rows, result.changed_rows) == (len(MESSAGES), result.won_rows + result.lost_rows)
    assert (result.won.count(), result.lost.count()) == (result.won_rows, result.lost_rows)
    assert result.won.columns == frame.columns
    assert len(result.examples) == min(2, result.won_rows) + min(2, result.lost_rows)
    assert result.differs is bool(result.changed_rows)


def test_filters_are_compared_as_objects_mappings_and_json(frame: DataFrame) -> None:
    old, new = {"t": topic("order.#")}, {"t": topic("#")}
    result = diff(frame, old, new)
    expected = sum(matches(new, message) and not matches(old, message) for message in MESSAGES)
    assert (result.kind, result.won_rows, result.lost_rows) == ("filter", expected, 0)
    assert expected > 0
    for one in (TopicBinding("order.#"), json.dumps(old)):
        assert diff(frame, one, new, examples=0).won_rows == expected


def test_examples_are_messages_without_their_bodies(spark: SparkSession) -> None:
    message = {"application_properties": {"color": "red"}, "body": {"section": "data", "data": "eHl6"}}
    [example] = diff(create_messages(spark, [message]), "color = 'blue'", "color = 'red'").examples
    assert (example.change, example.message) == ("won", {"color": "red"})


def test_typed_columns_and_other_layouts_are_read_too(spark: SparkSession) -> None:
    flat = spark.sql("SELECT 'red' AS color, 5L AS weight, TIMESTAMP '2024-01-01' AS at")
    [example] = diff(flat, "weight > 5", "weight >= 5").examples
    assert example.message["weight"] == 5
    text = spark.sql("SELECT map('weight', '5') AS properties")
    assert diff(text, "weight > 5", "weight >= 5", stores.text_map(types="by-use")).won_rows == 1


def test_an_exchange_that_only_one_topology_has_is_a_change(frame: DataFrame) -> None:
    renamed = topology_from_dict({"broker": "rabbitmq", "exchanges": [{"name": "new", "type": "fanout"}]})
    result = diff(frame, OLD_TOPOLOGY, renamed, exchange="orders", examples=0)
    assert (result.won_rows, result.lost_rows > 0) == (0, True)
    with pytest.raises(TopologyError, match="there is no exchange called 'ordres'"):
        diff(frame, OLD_TOPOLOGY, NEW_TOPOLOGY, exchange="ordres")


def test_the_queues_of_messages_are_compared(frame: DataFrame) -> None:
    result = diff(frame, OLD_TOPOLOGY, NEW_TOPOLOGY, exchange="orders", examples=3)
    counts: dict[str, Counter[str]] = {queue.name: Counter() for queue in (*OLD_TOPOLOGY.queues, *NEW_TOPOLOGY.queues)}
    messages: Counter[str] = Counter()
    combinations = set()
    for message in MESSAGES:
        old, new = (set(route_message(one, message, "orders")) for one in (OLD_TOPOLOGY, NEW_TOPOLOGY))
        for name, queues in (("won", new - old), ("lost", old - new), ("kept", old & new)):
            for queue in queues:
                counts[queue][name] += 1
        messages["changed" if old != new else "kept" if new else "neither"] += 1
        messages["won"] += bool(new - old)
        if old != new:
            combinations.add((frozenset(new - old), frozenset(old - new)))
        messages["lost"] += bool(old - new)
    assert result.changed_rows == messages["changed"] > 0
    assert (result.kept_rows, result.neither_rows) == (messages["kept"], messages["neither"])
    assert (result.won_rows, result.lost_rows) == (messages["won"], messages["lost"])
    assert {one.queue: Counter(won=one.won, lost=one.lost, kept=one.kept) for one in result.queues} == counts
    assert [one.won + one.lost for one in result.queues] == sorted(
        (one.won + one.lost for one in result.queues), reverse=True
    )
    only = {one.queue: one.only for one in result.queues if one.only}
    assert only == {OLD_TOPOLOGY.queues[0].name: "old", "fresh": "new"}
    assert result.won.count() == result.won_rows
    assert result.won.columns == [*frame.columns, "queues_won"]
    assert [row.queues_lost for row in result.lost.take(1)]
    for example in result.examples:
        assert (example.change, example.exchange) == ("rerouted", "orders")
        assert example.queues_won or example.queues_lost
    # Examples show different combinations of queues as long as there are more.
    assert len({(one.queues_won, one.queues_lost) for one in result.examples}) == min(3, len(combinations))


def test_the_report_fits_a_pull_request(spark: SparkSession) -> None:
    frame = create_messages(
        spark, [{"application_properties": {"color": color, "n": n}} for n, color in enumerate(("red", "blue", "a`|b"))]
    )
    result = diff(frame, "color = 'red'", "n > 0", examples=1)
    assert str(result).splitlines() == [
        "**3 messages: 2 won, 1 lost**",
        "",
        "```diff",
        "- color = 'red'",
        "+ n > 0",
        "```",
        "",
        "|                             | messages |",
        "| --------------------------- | -------: |",
        "| won: only NEW selects them  |        2 |",
        "| lost: only OLD selects them |        1 |",
        "| kept: both select them      |        0 |",
        "| neither                     |        0 |",
        "",
        "Won",
        "",
        '- `{"color": "blue", "n": 1}`',
        "- and 1 more",
        "",
        "Lost",
        "",
        '- `{"color": "red", "n": 0}`',
    ]
    assert result.render("text").splitlines() == [
        "3 messages: 2 won, 1 lost",
        "  won: only NEW selects them   2",
        "  lost: only OLD selects them  1",
        "  kept: both select them       0",
        "  neither                      0",
        "",
        "won",
        '  + {"color": "blue", "n": 1}',
        "    and 1 more",
        "",
        "lost",
        '  - {"color": "red", "n": 0}',
    ]
    assert repr(result) == "Diff(selector, rows=3, won=2, lost=1, kept=0, neither=0)"
    assert json.loads(result.render("json")) == result.to_dict()
    schema = json.loads((ROOT / "docs" / "schemas" / "row-diff.json").read_text(encoding="utf-8"))
    jsonschema.validate(result.to_dict(), schema, jsonschema.Draft202012Validator)
    html = result._repr_html_()
    assert html.count("<tr>") == 8
    assert "{&quot;color&quot;: &quot;blue&quot;, &quot;n&quot;: 1}" in html


def test_a_report_on_topologies_has_a_row_a_queue(spark: SparkSession) -> None:
    old = topology_from_dict({"broker": "rabbitmq", "queues": ["a", "b", "gone"]})
    new = topology_from_dict({"broker": "rabbitmq", "queues": ["a", "b", "c|d"]})
    keys = ["a", "b", "c|d", "gone", "gone", "nowhere"]
    result = diff(create_messages(spark, [{"properties": {"subject": key}} for key in keys]), old, new, examples=1)
    assert result.queues[:2] == (QueueChange("gone", 0, 2, 0, "old"), QueueChange("c|d", 1, 0, 0, "new"))
    assert str(result).splitlines() == [
        "**6 messages: 3 go to other queues**",
        "",
        "| queue | won | lost | kept |               |",
        "| ----- | --: | ---: | ---: | ------------- |",
        "| gone  |   0 |    2 |    0 | removed queue |",
        "| c\\|d  |   1 |    0 |    0 | new queue     |",
        "",
        "2 queues are unchanged.",
        "1 message reaches no queue in either.",
        "",
        '- `+c|d` `{"JMSType": "c|d"}`',
    ]
    assert re.search(r">c\|d</td><td [^>]*>1</td>", result._repr_html_())
    assert not diff(create_messages(spark, [{}]), old, old).differs


@pytest.mark.parametrize(
    ("old", "new", "error", "expected_text"),
    [
        ("a = 1", OLD_TOPOLOGY, TypeError, "old is a selector and new is a topology"),
        ("a = 1", {"t": topic("x")}, TypeError, "old is a selector and new is a filter"),
        ("a.json", "b.json", TypeError, r"diff reads no files: give read_topology\('a.json'\)"),
        ("old/broker.xml", "new/broker.xml", TypeError, r"give read_topology\('old/broker.xml'\)"),
        ("a.yml", "b.yml", TypeError, r"diff reads no files: give read_topology\('a.yml'\)"),
        (Path("my a.yml"), Path("b"), TypeError, r"diff reads no files: give read_topology\('my a.yml'\)"),
        ("a.properties", "b.properties", TypeError, "diff reads no files"),
        (Path("a.XML"), Path("b.XML"), TypeError, "diff reads no files"),
        (None, "a = 1", TypeError, "two selectors .text., two filters or two topologies, and found NoneType"),
        ("a = 1", "a = ", SelectorSyntaxError, "expected an operand"),
    ],
)
def test_what_cannot_be_compared_is_an_error(
    frame: DataFrame, old: Any, new: Any, error: type[Exception], expected_text: str
) -> None:
    with pytest.raises(error, match=expected_text):
        diff(frame, old, new)


def test_settings_that_make_no_sense_are_errors(spark: SparkSession, frame: DataFrame) -> None:
    with pytest.raises(TypeError, match="found a Column: give the text of a selector"):
        diff(frame, compile_selector("a = 1", frame), "a = 1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="examples must be a number of rows that is 0 or more"):
        diff(frame, "a = 1", "a = 2", examples=-1)
    with pytest.raises(ValueError, match="a topology has the dialect of its broker"):
        diff(frame, OLD_TOPOLOGY, OLD_TOPOLOGY, new_dialect="jms")
    with pytest.raises(UnsupportedFeatureError, match="a stream does not end"):
        diff(spark.readStream.format("rate").load(), "value = 1", "value = 2")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["diff", *words])


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.jsonl").write_text("\n".join(LINES_OF_FILE) + "\n", encoding="utf-8")
    Path("old.sel").write_text("area = 'Viking'\n", encoding="utf-8")
    Path("filter.json").write_text(json.dumps({"t": topic("#")}), encoding="utf-8")
    definitions = json.loads((EXAMPLES / "definitions.json").read_text(encoding="utf-8"))
    Path("old.json").write_text(json.dumps(definitions), encoding="utf-8")
    Path("new.json").write_text(json.dumps(definitions | {"bindings": definitions["bindings"][::2]}), encoding="utf-8")


@pytest.mark.usefixtures("spark", "files")
@pytest.mark.parametrize(
    ("words", "code", "printed"),
    [
        ("@old.sel;area='Viking' AND speed > 5;m.jsonl", 1, "only OLD selects them"),
        ("filter.json;filter.json;m.jsonl;--format;json", 0, '"differs": false'),
        ("old.json;new.json;m.jsonl;--exchange;orders;--format;MARKDOWN", 1, "| queue "),
        ("code <> 5;code <> 5;m.jsonl;--new-dialect;activemq;--examples;0", 1, "won"),
        ("a = 1;old.json;m.jsonl", 2, "OLD is a selector and NEW is a topology"),
        ("a = 1;a =;m.jsonl", 2, "NEW:1:4: syntax.unexpected-end"),
        ("a = 1;a = 2;m.jsonl;--exchange;orders", 2, "--exchange applies only to topologies"),
        ("old.json;new.json;m.jsonl;--dialect;activemq", 2, "a topology has the dialect of its broker"),
        ("a = 1;a = 2;nowhere.jsonl", 2, "there is no file nowhere.jsonl"),
        ("a = 1;a = 2", 2, "Missing argument"),
        ("a = 1;a = 2;m.jsonl;--output;no/r.md", 2, "no/r.md cannot be written: there is no directory no\n"),
    ],
)
def test_the_command_answers(words: str, code: int, printed: str) -> None:
    result = run(*words.split(";"))
    assert result.exit_code == code, result.output
    assert printed in result.output
    assert "Traceback" not in result.output


@pytest.mark.full
@pytest.mark.usefixtures("spark", "files")
def test_the_report_is_written_to_a_file() -> None:
    result = run("old.sel", "speed > 5", "m.jsonl", "--format", "markdown", "--output", "report.md")
    assert (result.exit_code, result.stdout) == (1, "")
    assert Path("report.md").read_text(encoding="utf-8").startswith(f"**{len(LINES_OF_FILE):,} messages: ")
