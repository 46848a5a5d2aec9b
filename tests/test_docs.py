"""The pages under docs say what the tables say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from transpiler import DecodeError, Message, route_message, transpile_filter
from transpiler.cli import main
from transpiler.topology import topology_from_dict

FILTER = {"descriptor": "apache.org:legacy-amqp-headers-binding:map", "value": {"a": 1}}
DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("script", sorted(DOCS.glob("*.py")), ids=lambda path: path.stem)
def test_a_page_is_what_its_script_writes(script: Path) -> None:
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=DOCS.parent)
    assert done.stdout == script.with_suffix(".md").read_text(encoding="utf-8")


def steps(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page's console blocks, each with what it prints."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [
        (command, printed)
        for block in blocks
        for command, _, printed in (step.partition("\n") for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:])
    ]


def files(page: str) -> dict[str, str]:
    """Return the files that a page shows: blocks with a name behind their language."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


#: The pages whose console blocks are run, in a folder with their files and this project's examples and pages.
PAGES = ("commands.md", "explain-and-test.md", "topologies.md", "diff.md")


@pytest.mark.parametrize(("page", "command", "printed"), [(page, *step) for page in PAGES for step in steps(page)])
def test_a_command_of_a_page_prints_what_the_page_says(
    page: str, command: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("examples", "docs"):
        (tmp_path / folder).symlink_to(DOCS.parent / folder)
    for name, content in files(page).items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    given, _, last = command.rpartition(" | ")
    words = shlex.split(last)
    assert words[0] == "selector-sql"
    program, data = shlex.split(given) if given else ("", "")
    data = data.replace("\\n", "\n") if program == "printf" else f"{data}\n"
    output = CliRunner().invoke(main, words[1:], input=data).output
    assert re.sub(r"in \d\.\d\ds$", "in 0.01s", output, flags=re.MULTILINE) == printed


def test_the_python_of_the_page_on_explanations_runs(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DOCS / "explain-and-test.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python|text)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for language, block in blocks:
        if language == "text":
            assert capsys.readouterr().out == block
        else:
            exec(compile(block, "explain-and-test.md", "exec"), {"spark": spark})
    assert [language for language, _ in blocks].count("python") == 3


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/glossary.md"])
def test_a_page_for_contributors_names_modules_that_exist(page: str) -> None:
    root = DOCS.parent
    text = (root / page).read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]+)+(?:\.[a-z]+)?)(?:`|\.[A-Z])", text)
    assert len(named) > 8
    for name in named:
        paths = [top / name for top in (root, root / "transpiler")]
        assert any(path.exists() or path.with_name(f"{path.name}.py").exists() for path in paths), name


def test_a_headers_filter_demands_x_match_and_an_exchange_does_not() -> None:
    assert "`x-match` | demanded, for the document has a MUST there" in (DOCS / "filters.md").read_text("utf-8")
    with pytest.raises(DecodeError, match="x-match is missing"):
        transpile_filter(FILTER)
    message = Message.from_dict({"application_properties": {"a": 1}})
    bound = {"source": "amq.match", "queue": "q", "arguments": {"a": 1}}
    for broker in ("qpid-java", "rabbitmq"):
        topology = topology_from_dict({"broker": broker, "queues": ["q"], "bindings": [bound]})
        assert route_message(topology, message, "amq.match") == ("q",)


def test_the_selector_of_a_headers_binding_of_broker_j_is_asked() -> None:
    assert "direct, topic, fanout and\nheaders exchanges" in (DOCS / "dialects.md").read_text("utf-8")
    arguments = {"x-match": "all", "a": 1, "x-filter-jms-selector": "b = 2"}
    bound = {"source": "amq.match", "queue": "q", "arguments": arguments}
    topology = topology_from_dict({"broker": "qpid-java", "queues": ["q"], "bindings": [bound]})
    for b, queues in ((2, ("q",)), (3, ())):
        message = Message.from_dict({"application_properties": {"a": 1, "b": b}})
        assert route_message(topology, message, "amq.match") == queues
