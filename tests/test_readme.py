"""Every block of the README is true."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_ext import infer_layout
from transpiler import Dialect, Message, transpile_selector

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for name, text in BLOCKS if name == language]


def console() -> list[tuple[str, str]]:
    steps = []
    for block in blocks("console"):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = step.partition("\n")
            steps.append((command, output))
    return steps


def test_the_readme_has_no_block_that_nothing_runs() -> None:
    assert {name for name, _ in BLOCKS} == {"python", "console", "sh", "json"}


COLUMNS = "weight BIGINT, color STRING, region STRING"
ROWS = re.findall(r"^\| (typed|amqp) \| `(.+?)` \| `(.+?)` \|$", README, re.MULTILINE)


def test_the_table_shows_the_sql_that_comes_out(spark: SparkSession) -> None:
    typed = infer_layout(spark.createDataFrame([], COLUMNS))
    layouts = {"typed": typed, "amqp": "amqp"}
    said = [(selector, sql) for _, selector, sql in ROWS]
    assert said == [(selector, transpile_selector(selector, layouts[name]).sql) for name, selector, _ in ROWS]
    assert len(ROWS) == 9


@pytest.mark.parametrize("block", blocks("json"))
def test_a_message_of_the_readme_is_a_message(block: str) -> None:
    assert Message.from_dict(json.loads(block)).to_dict() == json.loads(block)


def test_the_limits_are_those_of_the_default_dialect() -> None:
    limits = Dialect("jms")
    for limit in (limits.max_length, limits.max_nesting, limits.max_terms):
        assert f"{limit:,}" in README


@pytest.mark.parametrize("block", blocks("python"))
def test_a_python_block_runs(block: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme", "spark": spark})


@pytest.mark.parametrize(("command", "output"), console())
def test_a_command_prints_what_the_readme_says(command: str, output: str) -> None:
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env={"PATH": path}, capture_output=True, text=True)
    assert done.stdout + done.stderr == output


def test_the_make_targets_of_the_readme_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {target for block in blocks("sh") for target in re.findall(r"^make (\w+)", block, re.MULTILINE)}
    assert named == {"demo", "test"}
    assert named <= targets
