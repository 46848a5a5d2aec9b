"""The JSON that commands print conforms to its schema, and the page of fields describes each member."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from tests.pages import ROOT
from transpiler.cli import main

SCHEMAS = ROOT / "docs" / "schemas"
DEFINITIONS, TRACE = (str(ROOT / "examples" / "data" / name) for name in ("definitions.json", "trace.jsonl.gz"))
OLD, NEW = (str(ROOT / "docs" / "data" / name) for name in ("orders.json", "orders_new.json"))
BROKEN = {
    "rabbitmq_version": "4.1.0",
    "queues": [{"name": "q", "arguments": {"x-dead-letter-exchange": "no"}}, {"name": "r"}],
    "exchanges": [{"name": "x", "type": "headers"}],
    "bindings": [
        {"source": "x", "destination": "q", "arguments": {"x-match": "any"}},
        {"source": "x", "destination": "r", "arguments": {"x-match": "all", "a": 1}},
    ],
}
LOG = """{"exchange": "x", "a": 1, "routed_queues": ["q"]}
{"exchange": "", "routing_key": "r", "routed_queues": ["r", "gone"]}
"""
BROKER = """<configuration><core><diverts><divert name="d"><address>a</address>
<forwarding-address>b</forwarding-address>
<filter string="x = 1"/></divert></diverts></core></configuration>"""
TTL = {"rabbitmq_version": "4.1.0", "queues": [{"name": "q", "arguments": {"x-message-ttl": 5}}, {"name": "r"}]}

FORMS: tuple[tuple[str, list[str], str], ...] = (
    ("topology-report", ["topology", DEFINITIONS, "--report", "--format", "json"], ""),
    ("topology-report", ["topology", "broken.json", "--report", "--format", "json"], ""),
    ("topology-answers", ["topology", DEFINITIONS, "--ask", "losses", "--format", "json"], ""),
    ("topology-answers", ["topology", DEFINITIONS, "--ask", "overlaps", "--format", "json"], ""),
    ("topology-answers", ["topology", DEFINITIONS, "--ask", "shapes", "--format", "json"], ""),
    ("topology-answers", ["topology", DEFINITIONS, "--ask", "retries", "--format", "json"], ""),
    ("topology-answers", ["topology", DEFINITIONS, "--fills", "orders.3", "--format", "json"], ""),
    ("topology-answers", ["topology", DEFINITIONS, "--reads", "area", "--format", "json"], ""),
    ("topology-answers", ["topology", DEFINITIONS, "broken.json", "--ask", "losses", "--format", "json"], ""),
    ("topology-reports", ["topology", DEFINITIONS, "broken.json", "--report", "--format", "json"], ""),
    ("topology-forms", ["topology", DEFINITIONS, "broken.json", "--format", "json"], ""),
    ("topology-diff", ["diff", OLD, NEW, "--format", "json"], ""),
    ("topology-diff", ["diff", "broken.json", "ttl.json", "--format", "json"], ""),
    ("selector-diff", ["diff", "a = 1", "a = 2 OR b <> 'x'", "--format", "json"], ""),
    ("selector-diff", ["diff", "a <> 5", "a <> 5", "--new-dialect", "activemq", "--format", "json"], ""),
    ("message-changes", ["diff", "a = 1", "a = 2", "-", "--format", "json"], '{"a": 1}\n{"a": 2}\n'),
    (
        "message-changes",
        ["diff", OLD, NEW, "-", "--exchange", "orders", "--format", "json"],
        '{"JMSType": "order.uk"}\n',
    ),
    ("route-summary", ["route", DEFINITIONS, TRACE, "--summary"], ""),
    ("route-line", ["route", "broken.json"], '{"exchange": "x", "a": 1}\n'),
    ("route-line", ["route", "broken.json", "--why", "--format", "json"], '{"exchange": "x", "a": 2}\n'),
    ("route-line", ["route", "broken.json", "--path", "--format", "json"], '{"exchange": "", "routing_key": "q"}\n'),
    ("route-line", ["route", "broken.json", "--why", "--path", "--format", "json"], '{"exchange": "x", "a": 1}\n'),
    ("check", ["check", "a = 1 AND a = 2", "-e", "a == 1", "--format", "json"], ""),
    ("check", ["check", "a = 1", "--format", "json"], ""),
    ("check-list", ["check", "broker.xml", "--list", "--format", "json"], ""),
    ("explain", ["explain", "NOT (a + 1 > 2) OR b LIKE 'x%'", "--message", '{"a": 1}', "--format", "json"], ""),
    ("explain", ["explain", "a - 1 > 2", "--message", '{"a": true}', "--dialect", "activemq", "--format", "json"], ""),
    ("explain", ["explain", "", "--message", '{"a": true}', "--format", "json"], ""),
    ("match-reasons", ["match", "a = 1 AND b > 2", "--reasons", "--format", "json"], '{"a": 2}\n{"b": 1}\n{"a": 1}\n'),
    (
        "match-reasons",
        ["match", "a - 1 > 2", "--reasons", "--dialect", "activemq", "--format", "json"],
        '{"a": true}\n{"a": 9}\n',
    ),
    (
        "port",
        ["port", "--file", "-", "--from", "jms", "--to", "rabbitmq", "--format", "json"],
        "a = 1\na <> 5\nJMSPriority > 4\na ==\n",
    ),
    ("backtest", ["backtest", "log.jsonl", "broken.json", "--format", "json"], ""),
)

#: JSON forms that only selector-spark prints. Its own tests compare them with their schemas.
OF_SPARK = {"match-explanation", "row-diff"}


def members(schema: dict[str, Any]) -> set[str]:
    """Return the names of all members in ``schema``, at any depth."""
    found: set[str] = set()
    for name, value in schema.items():
        if name == "properties":
            found |= value.keys()
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                found |= members(inner)
    return found


@pytest.mark.parametrize(("name", "words", "given"), FORMS)
def test_a_form_is_what_its_schema_says(
    name: str, words: list[str], given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, data in (("broken.json", BROKEN), ("ttl.json", TTL)):
        Path(file).write_text(json.dumps(data), encoding="utf-8")
    Path("log.jsonl").write_text(LOG, encoding="utf-8")
    Path("broker.xml").write_text(BROKER, encoding="utf-8")
    result = CliRunner().invoke(main, words, input=given)
    # A port that is impossible exits with code 2.
    assert result.exit_code in ((0, 2) if name == "port" else (0, 1)), result.output
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    printed = json.loads(result.stdout)
    jsonschema.validate(printed, schema, jsonschema.Draft202012Validator)
    assert all(one["version"] == 1 for one in (printed if isinstance(printed, list) else [printed]))


def test_a_member_version_of_a_message_stays() -> None:
    given = '{"exchange": "orders", "version": "2.4"}\n'
    assert json.loads(CliRunner().invoke(main, ["route", DEFINITIONS], input=given).stdout)["version"] == "2.4"


@pytest.mark.parametrize(
    ("given", "options", "expected_text"),
    [
        ('{"queues": ["mine"], "outcome": "mine"}', [], "-:1: route would overwrite queues and outcome of the message"),
        ('{"outcome": "delivered", "version": 1}', [], "-:1: route would overwrite outcome of the message"),
        ('{"path": "/a"}', ["--path", "--format", "json"], "-:1: route would overwrite path of the message"),
        ("queues,color,routing_key\na,red,x", [], "-:2: route would overwrite queues of the message"),
        ('{"queues": ["mine"], "path": "/a"}', ["--summary"], None),
        ('{"application_properties": {"queues": "mine"}, "why": "so"}', [], None),
    ],
)
def test_no_member_of_a_message_is_overwritten(given: str, options: list[str], expected_text: str | None) -> None:
    result = CliRunner().invoke(main, ["route", DEFINITIONS, "--exchange", "orders", *options], input=f"{given}\n")
    if expected_text is None:
        assert result.exit_code == 0, result.output
    else:
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{expected_text}" in result.stderr
        assert "give it another name there, or write plain properties" in result.stderr


def test_a_line_of_route_is_routed_anew() -> None:
    given = '{"exchange": "orders", "properties": {"subject": "new"}, "path": "/a"}\n'
    first = CliRunner().invoke(main, ["route", DEFINITIONS], input=given).stdout
    old = json.dumps({**json.loads(first), "queues": ["old"], "possible_queues": ["old"], "outcome": "undecided"})
    again = CliRunner().invoke(main, ["route", DEFINITIONS], input=f"{old}\n").stdout
    assert json.loads(again) == json.loads(first)
    assert json.loads(first)["path"] == "/a"


def test_every_member_of_a_schema_stands_on_the_page() -> None:
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    used = {name for name, _, _ in FORMS} | OF_SPARK
    assert {path.stem for path in SCHEMAS.glob("*.json")} == used
    for path in SCHEMAS.glob("*.json"):
        missing = {name for name in members(json.loads(path.read_text(encoding="utf-8"))) if name not in page}
        assert not missing, path.name
