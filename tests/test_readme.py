"""Every block of the README is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

ROOT = Path(__file__).parent.parent
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


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
    assert {name for name, _ in BLOCKS} == {"python", "console", "sh"}


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
