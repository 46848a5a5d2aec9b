"""The help of every command is complete like a manual page, and its examples run.

``tests/spark_ext/cli/test_manual_spark.py`` runs the examples of ``selector-spark``.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from spark_ext.cli.commands import main as selector_spark
from transpiler.cli import main as selector_sql
from transpiler.cli.manual import Example, ManualCommand

ROOT = Path(__file__).parents[2]
PROGRAMS = {"selector-sql": selector_sql, "selector-spark": selector_spark}

#: The files that the examples name: links to this project's examples, and small files.
LINKS = {
    "messages.jsonl": "examples/data/messages.jsonl",
    "trace.jsonl.gz": "examples/data/trace.jsonl.gz",
    "definitions.json": "examples/data/definitions.json",
    "old.json": "docs/data/orders.json",
    "new.json": "docs/data/orders_new.json",
}
FILES = {
    "message.json": '{"color": "red", "weight": 5}\n',
    "records.jsonl": '{"headers": [{"key": "weight", "value": "MjYwMA=="}]}\n',
    "routes.sel": "color = 'red'\nprice > 5 AND NOT weight > 3\n",
    "cases.selectors.yaml": "selector: color = 'red'\ncases:\n  - name: urgent\n    message: {color: red}\n"
    "    expect: matches\n",
}


def commands(program: str) -> list[ManualCommand]:
    group = PROGRAMS[program]
    context = click.Context(group)
    found = [group.get_command(context, name) for name in group.list_commands(context)]
    return [command for command in found if isinstance(command, ManualCommand)]


def examples(program: str) -> list[Example]:
    # The playground runs until it is interrupted. tests/playground tests it.
    return [example for command in commands(program) for example in command.examples if command.name != "playground"]


def make_files(folder: Path) -> Path:
    """Create the files that the examples name in ``folder``, and return ``folder``."""
    for name, target in LINKS.items():
        (folder / name).symlink_to(ROOT / target)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return make_files(tmp_path)


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_command_has_examples_of_its_own(program: str) -> None:
    group = PROGRAMS[program]
    assert [command.name for command in commands(program)] == group.list_commands(click.Context(group))
    for command in commands(program):
        assert command.examples
        for example in command.examples:
            assert f"{program} {command.name} " in f"{example.command} "
            assert not example.purpose.endswith(".")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_help_says_the_exit_codes_and_fits_a_terminal(program: str) -> None:
    for words in ([], *([command.name] for command in commands(program))):
        printed = CliRunner().invoke(PROGRAMS[program], [*words, "--help"], prog_name=program).output
        assert "\nExit codes:\n  0    " in printed
        assert "\n  130  interrupted\n" in printed
        assert [line for line in printed.splitlines() if len(line) > 80 and not line.startswith("    $ ")] == []


@pytest.mark.parametrize("example", examples("selector-sql"), ids=lambda example: example.command)
@pytest.mark.usefixtures("folder")
def test_an_example_of_selector_sql_runs(example: Example) -> None:
    given, _, last = example.command.rpartition(" | ")
    words = shlex.split(last.partition(" > topology.html")[0])
    data = f"{shlex.split(given)[1]}\n" if given else None
    done = CliRunner().invoke(selector_sql, words[1:], input=data)
    assert done.exit_code in (0, 1), done.output
    assert done.output
