"""Every command that accepts messages accepts them in every form of file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from transpiler.cli import main

TOPOLOGY = {
    "broker": "rabbitmq",
    "exchanges": [{"name": "orders", "type": "topic"}],
    "queues": ["eu", "us"],
    "bindings": [{"source": "orders", "queue": name, "key": f"{name}.*"} for name in ("eu", "us")],
}
COLORS = {"eu.new": "red", "us.new": "blue", "asia.new": "red"}
RULE = "=" * 80
EXAMPLES = Path(__file__).parents[2] / "examples" / "data"


def trace(key: str, color: str) -> dict[str, object]:
    properties = {"headers": {"color": color}, "delivery_mode": 2}
    routed = [key[:2]] if key != "asia.new" else []
    sent = {"exchange": "orders", "routing_keys": [key], "routed_queues": routed, "properties": properties}
    return {"type": "published", "payload": "", **sent}


def trace_text(key: str, color: str) -> str:
    queues = f'<<"{key[:2]}">>' if key != "asia.new" else ""
    head = f"{RULE}\n2026-01-02 3:04:05:678: Message published\n\nNode:         rabbit@host\nExchange:     orders\n"
    keys = f'Routing keys: [<<"{key}">>]\nRouted queues: [{queues}]\n'
    return (
        f'\n{head}{keys}Properties:   [{{<<"headers">>,table,[{{<<"color">>,longstr,<<"{color}">>}}]}}]\nPayload: \nx\n'
    )


def lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


PLAIN = [{"color": color, "exchange": "orders", "routing_key": key} for key, color in COLORS.items()]
SECTIONS = [
    {"application_properties": {"color": color}, "exchange": "orders", "routing_key": key}
    for key, color in COLORS.items()
]
ENTRIES = [trace(key, color) for key, color in COLORS.items()]
CSV = "color,exchange,routing_key\n" + "".join(f"{color},orders,{key}\n" for key, color in COLORS.items())

#: The same three messages in every form, by file name.
FORMS: dict[str, str] = {
    "sections.jsonl": lines(*SECTIONS),
    "subjects.jsonl": lines(
        *(
            {"properties": {"subject": key}, "application_properties": {"color": color}, "exchange": "orders"}
            for key, color in COLORS.items()
        )
    ),
    "plain.jsonl": lines(*PLAIN),
    "mixed": lines(PLAIN[0], SECTIONS[1], ENTRIES[2]),
    "array.json": json.dumps(PLAIN),
    "indented.json": json.dumps(SECTIONS, indent=2),
    "objects": "".join(json.dumps(entry, indent=2) + "\n" for entry in PLAIN),
    "trace.log": lines(*ENTRIES, trace("us.new", "red") | {"type": "received", "queue": "us"}),
    "text.log": "".join(trace_text(key, color) for key, color in COLORS.items()),
    "routed.jsonl": lines(*(plain | {"queues": ["x"], "outcome": "delivered"} for plain in PLAIN)),
    "cells.csv": CSV,
    "cells": CSV,
}


@pytest.fixture(autouse=True)
def in_a_directory_of_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("topology.json").write_text(json.dumps(TOPOLOGY), encoding="utf-8")
    Path("new.json").write_text(json.dumps(TOPOLOGY).replace("us.*", "*.new"), encoding="utf-8")
    for name, text in FORMS.items():
        Path(name).write_text(text, encoding="utf-8")


def run(*words: str, given: str = "") -> Result:
    return CliRunner().invoke(main, list(words), input=given)


@pytest.mark.parametrize("name", FORMS)
def test_every_command_takes_every_form(name: str) -> None:
    red = "color = 'red'"
    assert run("match", red, name, "--count").output == "2\n"
    assert run("match", red, "--count", given=FORMS[name]).output == "2\n"
    queues = json.loads(run("route", "topology.json", name, "--summary").stdout)["queues"]
    assert queues == {"eu": 1, "us": 1}
    changes = json.loads(run("diff", red, "color = 'blue'", name, "--format", "json").stdout)
    assert [changes[key] for key in ("messages", "gained", "lost")] == [3, 1, 2]
    changes = json.loads(run("diff", "topology.json", "new.json", name, "--format", "json").stdout)
    assert (changes["messages"], changes["gained"], changes["lost"]) == (3, {"us": 2}, {})
    explained = [
        json.loads(line)["matches"]
        for line in run("explain", red, "--message", name, "--format", "json").stdout.splitlines()
    ]
    assert explained == [True, False, True]
    assert (
        run("compare", red, "--message", name).stderr
        == f"{name} has 3 messages, but the dialects are compared on a single message: give a file with one message\n"
    )


@pytest.mark.parametrize("name", ["trace.log", "text.log"])
def test_a_log_is_backtested_without_spark(name: str) -> None:
    assert (run("backtest", name, "topology.json").exit_code, run("backtest", name, "new.json").exit_code) == (0, 1)
    found = json.loads(run("backtest", name, "new.json", "--format", "json").stdout)
    assert (found["messages"], found["agreed"], found["deliveries"]) == (3, 1, 2)
    assert found["extra"] == [{"exchange": "orders", "queue": "us", "messages": 2}]
    assert [(one["message"], one["routing_key"]) for one in found["examples"]] == [("1", "eu.new"), ("3", "asia.new")]


def test_a_backtest_is_of_the_brokers_own_log() -> None:
    words = ["backtest", str(EXAMPLES / "trace.jsonl.gz"), str(EXAMPLES / "definitions.json")]
    assert run(*words).stdout.splitlines()[:2] == [
        "the topology does not have the queue nobody (3)",
        "3,000 of 3,000 messages have exactly the broker's queues (8,145 deliveries)",
    ]


def test_queues_that_a_backtest_has_no_whole_record_of_are_not_extra() -> None:
    Path("read.jsonl").write_text(lines(PLAIN[0] | {"queue": "eu"}, PLAIN[1] | {"queue": "eu"}), encoding="utf-8")
    expected_text = "1 of 2 messages go to the queue that they were read from (2 deliveries)"
    for options in (["--partial", "--recorded", "queue"], ["--recorded-queue", "eu"]):
        assert run("backtest", "read.jsonl", "new.json", *options).stdout.startswith(expected_text)
    misspelt = run("backtest", "read.jsonl", "new.json", "--exchange", "typo")
    assert (misspelt.exit_code, "there is no exchange called 'typo'" in misspelt.stderr) == (2, True)
    result = run("backtest", "read.jsonl", "new.json")
    assert (result.exit_code, "read.jsonl contains no recorded queues" in result.stderr) == (2, True)


def test_what_match_prints_of_a_log_is_read_again() -> None:
    printed = run("match", "color = 'blue'", "text.log").stdout
    assert json.loads(printed)["routing_keys"] == ["us.new"]
    assert json.loads(run("route", "topology.json", given=printed).stdout)["queues"] == ["us"]
    assert json.loads(run("route", "topology.json", "cells.csv", "--unroutable").stdout)["color"] == "red"


def test_members_beside_plain_properties_are_properties_too() -> None:
    given = lines({"exchange": "NYSE", "outcome": "sold", "routing_key": 5})
    assert (
        run("match", "exchange = 'NYSE' AND outcome = 'sold' AND routing_key = 5", "--count", given=given).output
        == "1\n"
    )
    result = run("route", "topology.json", given=given)
    assert (result.exit_code, result.stderr) == (2, "-:1: message.routing-key: routing_key: expected text\n")


@pytest.mark.parametrize(
    ("name", "text", "expected_text"),
    [
        ("a.jsonl", lines({"headers": [{"key": "a", "value": "YQ=="}]}), "--layout kafka-headers"),
        ("a.jsonl", lines({"basicProperties": {"headers": {}}}), "--layout aws-rabbitmq"),
        (
            "a.xml",
            "<orders/>",
            "a.xml:1: <orders> is XML, and no export of Artemis: it begins with <activemq-journal>",
        ),
    ],
)
def test_what_cannot_be_read_names_the_layout_that_can(name: str, text: str, expected_text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    for words in (["match", "a = 1", name], ["route", "topology.json", name], ["explain", "a = 1", "--message", name]):
        result = run(*words)
        assert result.exit_code == 2
        assert expected_text in result.stderr


def test_a_message_without_an_exchange_is_reported_the_option() -> None:
    given = lines({"color": "red", "routing_key": "eu.new"}, {"color": "red"})
    for command in (["route", "topology.json"], ["diff", "topology.json", "new.json", "-"]):
        result = run(*command, given=given)
        assert result.exit_code == 2
        assert result.stderr.startswith("-:1: route.no-exchange: ")
        assert "hint: perhaps give --exchange NAME, where NAME is the exchange orders" in result.stderr
    result = run("route", "topology.json", "--exchange", "orders", given=given)
    assert (result.stderr, json.loads(result.stdout.splitlines()[0])["queues"]) == ("", ["eu"])


def test_messages_with_null_for_an_exchange_went_to_the_default_one() -> None:
    expected_text = (
        "1 message names no exchange and reached no queue from the default one\n  hint: --exchange NAME says"
    )
    result = run("route", "topology.json", given=lines({"exchange": None, "routing_key": "eu"}, {"exchange": None}))
    assert result.stderr.startswith(expected_text)
    assert [json.loads(line)["queues"] for line in result.stdout.splitlines()] == [["eu"], []]
    Path("sent.csv").write_text("exchange,routing_key\n,eu\norders,eu.new\n")
    routed = run("route", "topology.json", "sent.csv").stdout.splitlines()
    assert [json.loads(line)["queues"] for line in routed] == [["eu"], ["eu"]]


def test_an_option_comes_before_a_member_and_a_member_before_the_subject() -> None:
    given = lines(
        {"properties": {"subject": "us.new"}, "exchange": "nowhere", "routing_key": "eu.new"},
        {"properties": {"subject": "eu.new"}, "exchange": "nowhere", "routing_key": None},
    )
    routed = run("route", "topology.json", "--exchange", "orders", given=given).stdout.splitlines()
    assert [json.loads(line)["queues"] for line in routed] == [["eu"], ["eu"]]


def test_a_compressed_log_in_text_is_read() -> None:
    Path("text.log.gz").write_bytes(gzip.compress(FORMS["text.log"].encode()))
    assert run("match", "color = 'red'", "text.log.gz", "--count").output == "2\n"
