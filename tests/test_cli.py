"""selector-sql as a user runs it: what it prints, where, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from transpiler.cli import main

MESSAGE = '{"application_properties": {"color": "red", "n": 7}}\n'


@pytest.mark.parametrize(
    ("arguments", "given", "code", "printed"),
    [
        (["sql", "color = 'blue'"], "", 0, "application_properties['color'].string = 'blue'\n"),
        (["sql", "-"], "JMSPriority > 6\n", 0, "header.priority > 6\n"),
        (["sql", "a", "--result", "boolean"], "", 0, "application_properties['a'].boolean IS TRUE\n"),
        (["sql", "a = = 1"], "", 2, "syntax.unexpected-token"),
        (["sql", "a = 1", "--dialect", "jmx"], "", 2, "did you mean jms?"),
        (["sql", "a = 1", "--layout", "ampq"], "", 2, "did you mean amqp?"),
        (["compare", "a BETWEEN 1 AND 2"], "", 0, "* rabbitmq      refused   syntax.unexpected-token"),
        (["compare", "NOT a = 1"], "", 0, "reads: (NOT a) = 1"),
        (["compare", "a = = 1"], "", 0, "refused   syntax.unexpected-token"),
        (["match", "missing <> 5", "--dialect", "qpid-java", "--count"], MESSAGE, 0, "1\n"),
        (["check", "a LIKE 'x!' ESCAPE '!'", "--dialect", "activemq"], "", 1, "lint.like-without-wildcard"),
        (["check", "a = 'x'"], "", 0, ""),
        (["check", "a = '5'"], "", 1, "lint.quoted-number"),
        (["check", "a == 1"], "", 1, "syntax.operator"),
        (["check", "--file", "-"], "# note\n\na = 'x'\nb = '5'\n", 1, "standard input:4: "),
        (["check"], "", 2, "nothing to check"),
        (["check", "a == 1", "--format", "github"], "", 1, "::error title=syntax.operator::"),
        (["match", "n > 6"], MESSAGE, 0, MESSAGE),
        (["match", "n > 7"], MESSAGE, 0, ""),
        (["match", "n > 7", "--invert", "--count"], MESSAGE, 0, "1\n"),
        (["match", "n > 6"], "{oops", 2, "-:1:1:2: this is not JSON"),
        (["match", "n > 6"], '{"headers": {}}', 2, "did you mean header?"),
        (["explain", "color = 'red'"], "", 0, "optimized  application_properties['color'].string = 'red'\n"),
        (["explain", "color = 'red'", "--message", "-"], MESSAGE, 0, "verdict    TRUE: the message matches"),
        (["explain", "x = 1", "--message", "-"], MESSAGE, 0, "verdict    unknown: the message does not match"),
        (["nonsense"], "", 2, "No such command"),
    ],
)
def test_a_command_answers(arguments: list[str], given: str, code: int, printed: str) -> None:
    result = CliRunner().invoke(main, arguments, input=given)
    assert result.exit_code == code, result.output
    assert printed in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_machine_formats_are_json(form: str) -> None:
    result = CliRunner().invoke(main, ["check", "a == 1", "b = '5'", "--format", form])
    assert result.exit_code == 1
    data = json.loads(result.output)
    findings = data if form == "json" else data["runs"][0]["results"]
    assert len(findings) == 2


def test_explain_says_that_a_broker_would_have_thrown_and_what_that_does_there(tmp_path: Path) -> None:
    (tmp_path / "message.json").write_text(MESSAGE, encoding="utf-8")
    arguments = ["explain", "color - 1 = 0", "--message", str(tmp_path / "message.json"), "--dialect"]
    result = CliRunner().invoke(main, [*arguments, "artemis"])
    assert "artemis would have thrown here: - on what is no number" in result.output
    assert "the message does not match, and the broker logs an invalid filter" in result.output
    result = CliRunner().invoke(main, [*arguments, "rabbitmq"])
    assert "thrown" not in result.output


def test_compare_says_who_parts_and_by_which_rule(tmp_path: Path) -> None:
    (tmp_path / "message.json").write_text(MESSAGE, encoding="utf-8")
    result = CliRunner().invoke(main, ["compare", "missing <> 5", "--message", str(tmp_path / "message.json")])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "  jms           accepted  unknown"
    assert "* qpid-java     accepted  TRUE" in lines
    assert "rule: `=` with NULL: FALSE with NULL on one side, TRUE on both" in result.output


def test_a_schema_makes_typed_columns(tmp_path: Path) -> None:
    field = {"name": "weight", "type": "long", "nullable": True, "metadata": {}}
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"type": "struct", "fields": [field]}), encoding="utf-8")
    result = CliRunner().invoke(main, ["sql", "weight > 5", "--schema", str(schema)])
    assert (result.exit_code, result.output) == (0, "weight > 5\n")
    result = CliRunner().invoke(main, ["sql", "wieght > 5", "--schema", str(schema)])
    assert result.exit_code == 2
    assert "did you mean weight?" in result.output


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    result = CliRunner().invoke(main, ["match", "a = 1", str(tmp_path / "bytes")])
    assert result.exit_code == 2
    assert "not UTF-8" in result.output
