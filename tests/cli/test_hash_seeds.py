"""A command prints the same text in every process: its output does not depend on Python's hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.test_manual import ROOT, examples, make_files
from tests.sizes import sample

#: Program that runs the commands in its arguments and prints their output, with times removed.
PROGRAM = """
import json, re, shlex, sys
from click.testing import CliRunner
from transpiler.cli import main
outputs = {one: CliRunner().invoke(main, shlex.split(one)[1:]).output for one in sys.argv[1:]}
print(json.dumps({one: re.sub(r"[0-9.]+ ?s\\b", "", output) for one, output in outputs.items()}))
"""

#: Selectors with several names each, whose order the iteration over a set could change.
SELECTORS = (
    "color = 'red' AND weight > 2500",
    "NOT (region = 'EU' OR region = 'US') AND JMSPriority >= 7 AND symbol LIKE 'A%'",
    "(a = 1 OR b = 2) AND (c <> 'x' OR d IS NULL) AND e BETWEEN 1 AND f",
)
COMMANDS = [
    *(f'selector-sql {words} "{one}"' for words in ("cases", "check", "explain", "compare") for one in SELECTORS),
    *(f'selector-sql diff "{one}" "{other}"' for one, other in pairwise(SELECTORS)),
    *(f'selector-sql port "{one}" --to artemis' for one in SELECTORS),
    *(one.command for one in examples("selector-sql") if "|" not in one.command and ">" not in one.command),
]


def printed(commands: list[str], folder: Path, seed: int) -> dict[str, str]:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *commands], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    outputs: dict[str, str] = json.loads(done.stdout)
    return outputs


@pytest.mark.full
def test_a_command_prints_the_same_under_every_hash_seed(tmp_path: Path) -> None:
    commands, folder = sample(COMMANDS, 16), make_files(tmp_path)
    first, *others = (printed(commands, folder, seed) for seed in sample(range(1, 5), 2))
    # check prints nothing for most selectors.
    assert all(text for command, text in first.items() if " check " not in command)
    for other in others:
        assert other == first
