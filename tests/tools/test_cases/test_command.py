"""selector-sql test as a user runs it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.tools.test_cases.test_reading import ORDERS
from transpiler.cli import main

FAILING = ORDERS.replace("expect: does not match", "expect: matches")


def run(*words: str, given: str | None = None) -> Result:
    return CliRunner().invoke(main, ["test", *words], input=given)


@pytest.fixture
def orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.selectors.yaml").write_text(FAILING, encoding="utf-8")
    (tmp_path / "good.yaml").write_text(ORDERS, encoding="utf-8")
    return tmp_path


def timeless(text: str) -> str:
    return re.sub(r"\d+\.\d\ds", "0.00s", text)


@pytest.mark.usefixtures("orders")
def test_the_report_is_as_pytests() -> None:
    result = run()
    assert result.exit_code == 1
    assert timeless(result.output) == (
        "orders.selectors.yaml .F...\n"
        "\n"
        "orders.selectors.yaml:10: case 2\n"
        "  expected a match, but the message does not match: color is 'blue', not 'red'; also JMSPriority is 4 "
        "(the default: the message has no priority), not above 4\n"
        "    1 | color = 'red' AND JMSPriority > 4\n"
        "      | ^^^^^^^^^^^^^\n"
        '    message: {"color": "blue"}\n'
        "\n"
        "4 passed, 1 failed in 0.00s\n"
    )


@pytest.mark.usefixtures("orders")
@pytest.mark.parametrize(
    ("words", "code", "printed"),
    [
        (["good.yaml"], 0, "good.yaml .....\n\n5 passed in 0.00s\n"),
        (["good.yaml", "good.yaml"], 0, "5 passed in 0.00s\n"),
        (["good.yaml", "."], 1, "9 passed, 1 failed in 0.00s\n"),
        (["-v", "good.yaml"], 0, "good.yaml::without a region[qpid-java] PASSED\n"),
        (["-v"], 1, "orders.selectors.yaml::case 2 FAILED\n"),
        (["-k", "REGION"], 0, "2 passed, 3 deselected in 0.00s\n"),
        (["-x"], 1, "1 passed, 1 failed in 0.00s\n"),
        (["-k", "nope"], 2, "no case has 'nope' in its file or name\n"),
        (["nowhere.yaml"], 2, "file 'nowhere.yaml' does not exist\n"),
        (["-"], 0, "- .....\n"),
        (["--help"], 0, "expect: matches"),
    ],
)
def test_the_command_answers(words: list[str], code: int, printed: str) -> None:
    result = run(*words, given=ORDERS)
    assert result.exit_code == code, result.output
    assert printed in timeless(result.output)
    assert "Traceback" not in result.output


def test_no_cases_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run()
    assert (result.exit_code, result.output) == (
        2,
        "no file is called *.selectors.yaml here: name a file of test cases\n",
    )
    (tmp_path / "a.selectors.yaml").write_text("cases: []", encoding="utf-8")
    result = run()
    assert (result.exit_code, result.output) == (2, "the files contain no test cases\n")


def test_a_file_that_cannot_be_read_is_an_error_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(ORDERS.replace("expect:", "expcet:", 1), encoding="utf-8")
    result = run(str(file))
    assert result.exit_code == 2
    assert result.output.startswith(f"{file}:9:5: cases.key: a case has no key 'expcet'\n")
    assert "hint: did you mean expect?" in result.output


@pytest.mark.usefixtures("orders")
@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_a_terminal_has_colours(monkeypatch: pytest.MonkeyPatch, no_color: str, coloured: bool) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm")
    result = CliRunner().invoke(main, ["test"], color=True)
    assert ("\x1b[31m" in result.output) is coloured


@pytest.mark.usefixtures("orders")
def test_a_selector_that_the_dialect_refuses_fails_its_case() -> None:
    result = run("-", given="selector: a = = 1\ncases: [{message: {}, expect: unknown}]")
    assert result.exit_code == 1
    assert "jms refuses the selector\n  selector:1:5: syntax.unexpected-token" in result.output
