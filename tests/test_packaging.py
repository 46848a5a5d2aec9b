"""Users can install the distributions: wheel and sdist, with and without extras, with types for a type checker."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from transpiler import __version__

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[1]

#: A user's program. The comments contain what a type checker must report.
PROGRAM = """
from transpiler import Message, evaluate, transpile_selector

sql: str = transpile_selector("a = 1").sql
verdict: bool | None = evaluate("a = 1", Message.of(a=1))
wrong: int = transpile_selector("a = 1").sql
"""


def run(*command: str | Path, cwd: Path, code: int = 0) -> str:
    """Run ``command`` and return its output. Fail if its exit code is not ``code`` or if it prints a traceback."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


class Environment:
    """A fresh virtual environment. Commands run in its folder, so that no source of this project can be imported."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder, with_pip=True)

    def run(self, program: str, *arguments: str | Path, code: int = 0) -> str:
        return run(self.folder / "bin" / program, *arguments, cwd=self.folder, code=code)

    def install(self, *requirements: str | Path) -> None:
        self.run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements)


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    return dist / f"selector_sql-{__version__}-py3-none-any.whl"


def test_the_wheel_has_the_packages_and_their_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for package in ("transpiler", "spark_ext"):
        files = (ROOT / package).rglob("*")
        sources = [file for file in files if file.is_file() and "__pycache__" not in file.parts]
        assert {file.relative_to(ROOT).as_posix() for file in sources} <= names
    assert not any(name.startswith(("tests/", "docs/", "examples/")) for name in names)
    metadata = zipfile.ZipFile(wheel).read(f"selector_sql-{__version__}.dist-info/METADATA").decode()
    assert f"\nVersion: {__version__}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata


def test_the_sdist_builds_the_same_wheel(dist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(dist / f"selector_sql-{__version__}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    [source] = tmp_path.iterdir()
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "again", source, cwd=tmp_path)
    again = zipfile.ZipFile(tmp_path / "again" / wheel.name)
    assert sorted(again.namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_without_extras_the_core_works_and_commands_say_what_they_need(wheel: Path, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "core")
    environment.install(wheel)
    packages = json.loads(environment.run("python", "-m", "pip", "list", "--format", "json"))
    assert {package["name"] for package in packages} - {"pip", "setuptools"} == {"selector-sql", "sly"}
    script = "from transpiler import *; print(transpile_selector('a = 1').sql, evaluate('a = 1', {'a': 1}))"
    assert environment.run("python", "-c", script).endswith(" True\n")
    for command in ("selector-sql", "python -m transpiler"):
        program, *arguments = command.split()
        assert "pip install click rich" in environment.run(program, *arguments, "sql", "a = 1", code=2)
    assert "pip install 'pyspark>=4.0'" in environment.run("selector-spark", code=2)


def test_with_extras_the_commands_work(wheel: Path, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "all")
    environment.install(f"{wheel}[cli,spark]")
    assert environment.run("selector-sql", "--version") == f"selector-sql, version {__version__}\n"
    assert environment.run("python", "-m", "transpiler", "sql", "a = 1", "--schema", "a INT") == "(a = 1)\n"
    (environment.folder / "messages.jsonl").write_text('{"color": "red"}\n{"color": "blue"}\n', encoding="utf-8")
    printed = environment.run("selector-spark", "filter", "color = 'red'", "messages.jsonl")
    assert printed.startswith("1 of 2 messages match")


@pytest.mark.parametrize("editable", [False, True], ids=["installed", "editable"])
def test_type_checkers_see_the_types(wheel: Path, tmp_path: Path, editable: bool) -> None:
    environment = Environment(tmp_path / "types")
    environment.install("mypy", "pyright[nodejs]", *(("--editable", ROOT) if editable else (wheel,)))
    (environment.folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    text = environment.run("mypy", "--strict", "program.py", code=1)
    assert 'expression has type "str", variable has type "int"' in text
    assert "Found 1 error" in text
    text = environment.run("pyright", "--pythonpath", environment.folder / "bin" / "python", "program.py", code=1)
    assert "1 error, 0 warnings" in text
    assert '"str" is not assignable to "int"' in text
