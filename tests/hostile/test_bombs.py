"""Ten megabytes or a hundred thousand levels end in an error or an answer, within a second and 200 MB.

``bombs`` contains the table and its limits, which the operating system enforces. ``bombs.json`` contains the expected
results.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.bombs import parts, table
from tests.sizes import sample

OUTCOMES: dict[str, str] = json.loads(Path(__file__).with_name("bombs.json").read_text(encoding="utf-8"))
PARTS = {name: part for part, bombs in parts().items() for name in bombs}
NAMES = sample(OUTCOMES, 40, PARTS.get)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.bombs", "--named", *NAMES], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {name: outcome for name, outcome, *_ in map(json.loads, done.stdout.splitlines())}


def test_every_bomb_of_the_table_has_an_outcome() -> None:
    assert set(table()) == set(OUTCOMES)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_a_bomb_ends_in_an_answer_or_in_our_error(outcomes: dict[str, str], name: str) -> None:
    assert outcomes[name] == OUTCOMES[name]
