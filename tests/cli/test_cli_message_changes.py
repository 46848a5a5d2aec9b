"""selector-sql diff OLD NEW MESSAGES reports, without Spark, the messages that a changed selector gains and loses."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from transpiler.cli import main

LINES = ['{"speed": 5}', '{"application_properties": {"speed": 6}}', '{"speed": 1}', "{}"]
FORMS = {
    "a.jsonl": "\n".join(LINES),
    "a.json": f"[{', '.join(LINES)}]",
    "a.csv": "speed,other\n5,\n6,x\n1,\n,x\n",
}


def topology(**queues: str) -> str:
    bindings = [{"source": "e", "queue": queue, "key": key} for queue, key in queues.items()]
    exchanges = [{"name": "e", "type": "topic"}]
    return json.dumps({"broker": "qpid-java", "exchanges": exchanges, "queues": list(queues), "bindings": bindings})


@pytest.fixture(autouse=True)
def in_a_directory_of_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FORMS.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("a.jsonl.gz").write_bytes(gzip.compress(FORMS["a.jsonl"].encode()))


def diff(*words: str, given: str = "") -> Result:
    return CliRunner().invoke(main, ["diff", *words], input=given)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.jsonl.gz"])
def test_messages_of_every_form_are_counted(name: str) -> None:
    result = diff("speed > 5", "speed >= 5 AND speed < 6", name, "--format", "json")
    counts = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [counts[key] for key in ("messages", "changed", "gained", "lost")] == [4, 2, 1, 1]
    assert [one["change"] for one in counts["examples"]] == ["gained", "lost"]


def test_a_change_that_no_message_meets_ends_with_zero() -> None:
    result = diff("speed > 5", "speed > 5 AND speed <> 7", "a.jsonl")
    assert (result.exit_code, result.stdout) == (0, "none of 4 messages changes\n")


def test_examples_are_at_their_places_and_not_more_than_asked_for() -> None:
    result = diff("speed > 5", "speed < 6", "a.jsonl", "--examples", "2")
    assert result.stdout.splitlines() == [
        "3 of 4 messages change: 2 won, 1 lost",
        '+ a.jsonl:1: {"speed": 5}',
        '- a.jsonl:2: {"application_properties": {"speed": 6}}',
    ]


def test_one_selector_under_two_brokers_is_compared_too() -> None:
    result = diff("speed <> 'x'", "speed <> 'x'", "a.jsonl", "--new-dialect", "activemq", "--examples", "0")
    assert result.stdout == "3 of 4 messages change: 3 won, 0 lost\n"


def test_topologies_are_compared_by_queue() -> None:
    Path("old.json").write_text(topology(q="a.*", r="#", s="a.#"), encoding="utf-8")
    Path("new.json").write_text(topology(q="b.*", r="#", s="a.#"), encoding="utf-8")
    keys = ["a.x", "b.x", "c"]
    lines = [json.dumps({"properties": {"subject": key}, "exchange": "e"}) for key in keys]
    result = diff("old.json", "new.json", "-", given="\n".join(lines))
    assert (result.exit_code, result.stdout.splitlines()) == (
        1,
        ["2 of 3 messages change", "  q: 1 won, 1 lost", "-:1: -q", "-:2: +q"],
    )
    bare = "\n".join(json.dumps({"properties": {"subject": key}}) for key in keys)
    counts = json.loads(diff("old.json", "new.json", "-", "--exchange", "e", "--format", "json", given=bare).stdout)
    assert (counts["gained"], counts["lost"]) == ({"q": 1}, {"q": 1})


def test_an_exchange_is_one_of_either_topology() -> None:
    Path("old.json").write_text(topology(q="#"), encoding="utf-8")
    Path("new.json").write_text(topology(q="#").replace('"e"', '"events"'), encoding="utf-8")
    assert diff("old.json", "new.json", "a.jsonl", "--exchange", "events").stdout.startswith("4 of 4 messages change")
    result = diff("old.json", "new.json", "a.jsonl", "--exchange", "event")
    assert (result.exit_code, "did you mean events?" in result.output) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a = 1", "a = 2", "none.jsonl"), "'none.jsonl' does not exist"),
        (("a = 1", "a = 2", "-"), "-:1:1: this is not JSON"),
        (("a = 1", "a = 2", "--layout", "kafka-headers"), "name the files after NEW"),
    ],
)
def test_what_cannot_be_counted_is_an_error(words: tuple[str, ...], message: str) -> None:
    result = diff(*words, given="x")
    assert result.exit_code == 2
    assert message in result.output
