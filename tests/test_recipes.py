"""Each recipe of CONTRIBUTING.md works for an example: a change in ``tests/recipes`` and a check that needs the change.

``NAME.diff`` is the change, without its pages and most of its tests. ``NAME.py`` passes after the change and fails
before it. If a change no longer applies, run ``git apply --3way``, repair it, and save it with ``git diff -U1``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT, read
from tests.sizes import sample

FOLDER = ROOT / "tests" / "recipes"

#: Maximum number of product files that each example changes or adds. If a change needs more, improve the mechanism
#: instead.
FILES = {
    "header-name": 1,
    "amqp-type": 3,
    "dialect": 2,
    "dialect-function": 3,
    # The type, its name and the value that a selector sees, its values in Python, and the SQL that converts days.
    "column-type": 4,
    # The store, its name in the room and in the interface, and the columns that identify it.
    "store": 4,
    # The law, and its position among the rules, whose order matters.
    "rewrite": 2,
    "like": 1,
    # The class with its condition, the table of descriptors, and the functions that read and write it.
    "filter-kind": 3,
    # The kind of exchange, the brokers that have it, and the importer of RabbitMQ, which maps this type to another
    # type.
    "exchange-type": 3,
    "command-option": 1,
    "error-text": 1,
}

#: The last output of each check before its change: the text of an error, or the failed assertion.
LACKING = {
    "header-name": "(properties.content_encoding = 'gzip')",
    "amqp-type": "there is no AMQP type called 'duration'",
    "dialect": "there is no dialect called 'hornetq'",
    "dialect-function": "a function call is not a condition",
    "column-type": "no message property has the type DATE",
    "store": "there is no layout called 'nifi-jms'",
    "rewrite": '.sql == "(a IS NOT NULL)"',
    "like": "(contains(color, 'red') AND",
    "filter-kind": "there is no filter with the descriptor 'amqp:message-annotations-filter'",
    "exchange-type": "'x-recent-history' is not an allowed value",
    "command-option": 'sql("--column", "is_one") ==',
    "error-text": '.message == "a selector has no OFFSET"',
}


def change(name: str) -> Path:
    return FOLDER / f"{name}.diff"


def product_files(name: str) -> list[str]:
    changed: list[str] = re.findall(
        r"^diff --git a/\S+ b/(\S+)$", change(name).read_text(encoding="utf-8"), re.MULTILINE
    )
    return [path for path in changed if not path.startswith(("tests/", "docs/"))]


def check(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the check of the recipe ``name`` with the packages in ``folder``. Its helpers are imported from ``tests``."""
    path = os.pathsep.join(map(str, (folder, ROOT)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    command = [sys.executable, str(FOLDER / f"{name}.py")]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def copied(folder: Path) -> Path:
    """Copy the packages that recipes change into ``folder``, with bytecode, so that few modules are compiled again."""
    for package in ("transpiler", "spark_ext"):
        # Other processes create temporary bytecode files, which may vanish during the copy.
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("*.pyc.*"))
    return folder


def test_every_example_is_a_change_with_its_check() -> None:
    assert {path.name for path in FOLDER.glob("*.*")} == {f"{name}.{end}" for name in FILES for end in ("diff", "py")}


@pytest.mark.parametrize("name", FILES)
def test_an_example_changes_as_many_files_as_its_recipe_has(name: str) -> None:
    assert len(product_files(name)) == FILES[name]


@pytest.mark.parametrize("name", FILES)
def test_a_recipe_names_the_files_of_its_example(name: str) -> None:
    [row] = [line for line in read("CONTRIBUTING.md").splitlines() if line.endswith(f"| `{name}` |")]
    for path in product_files(name):
        within = path.removeprefix("transpiler/")
        named = (within, f"{os.path.dirname(within)}/")
        assert any(f"`{file_name}`" in row for file_name in named), path


def apply(name: str, folder: Path, *options: str) -> None:
    # Inside a repository, git would interpret the paths relative to the root of that repository.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    command = ["git", "apply", *options, str(change(name))]
    applied = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert applied.returncode == 0, applied.stderr


@pytest.mark.parametrize("name", FILES)
def test_an_example_is_a_change_of_this_version(name: str) -> None:
    apply(name, ROOT, "--check")


@pytest.mark.full
@pytest.mark.parametrize("name", sample(FILES, 4))
def test_the_check_of_a_recipe_passes_after_the_change_alone(name: str, tmp_path: Path) -> None:
    before = check(name, ROOT)
    assert before.returncode == 1
    assert LACKING[name] in before.stderr
    folder = copied(tmp_path)
    apply(name, folder)
    done = check(name, folder)
    assert done.returncode == 0, done.stderr
