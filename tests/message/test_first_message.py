"""A newcomer's first message is accepted, or the error states what to write."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from transpiler import DecodeError, evaluate
from transpiler.cli import main


@pytest.mark.parametrize(
    "message",
    [
        {"color": "red"},
        {"properties": {"color": "red"}},
        {"application_properties": {"color": "red"}},
        {"color": "red", "body": "hello"},
        {"color": "red", "header": 5},
        {"color": "red", "properties": "none"},
    ],
)
def test_a_message_is_read_by_what_it_shows(message: dict[str, Any]) -> None:
    assert evaluate("color = 'red'", message) is True


def test_a_name_of_amqp_makes_properties_the_section() -> None:
    assert evaluate("JMSType = 'car'", {"properties": {"subject": "car"}}) is True
    with pytest.raises(DecodeError, match="there is no field called 'color'"):
        evaluate("color = 'red'", {"properties": {"subject": "car", "color": "red"}})


def test_a_name_that_is_no_text_is_reported() -> None:
    for name in (1, None, b"a"):
        with pytest.raises(DecodeError, match=f"the name of a property must be a string, not {name!r}"):
            evaluate("a = 1", {name: 1})


def test_the_command_notes_how_it_reads_properties_and_how_to_give_a_message() -> None:
    run = CliRunner().invoke(main, ["match", "color = 'red'", "--count"], input='{"properties": {"color": "red"}}\n')
    assert (run.exit_code, run.stdout) == (0, "1\n")
    assert "read as application properties" in run.stderr
    assert "--message" in CliRunner().invoke(main, ["explain", "color = 'red'"]).output
