"""Agreement, routing and plan tests on each supported PySpark and Python, each pair in an environment of its own.

``make matrix`` takes the Pythons on the PATH; ``ARGS="--spark 4.0 --python 3.11"`` takes some. Environments and
outcomes are kept in ``build/matrix``. A table of the tests passed, of all pairs that have been run, is printed as
Markdown; ``--write`` puts it into docs/versions.md.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "matrix"

#: Minor versions of PySpark. The newest patch release of each is installed.
SPARKS = ("4.0", "4.1", "4.2", "4.3")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")

#: The default run is every PySpark on the first Python, and the newest PySpark on every Python.
FIRST_PYTHON, NEWEST_SPARK = PYTHONS[0], SPARKS[-1]

TESTS = (
    "tests/spark_ext/test_agreement.py",
    "tests/spark_ext/test_dialect_agreement.py",
    "tests/spark_ext/reports/test_verification.py",
    "tests/spark_ext/test_plans.py",
    "tests/spark_ext/test_promoted.py",
    "tests/spark_ext/test_filters.py",
    "tests/spark_ext/test_long_selectors.py",
    "tests/spark_ext/test_connect.py",
    "tests/spark_ext/test_spark_versions.py",
    "tests/compiler/stores/test_tables.py",
    "tests/compiler/stores/test_plans.py",
    "tests/spark_ext/routing/test_route.py",
    "tests/spark_ext/routing/test_plan.py",
    "tests/spark_ext/routing/test_publish_outcomes.py",
    "tests/spark_ext/routing/test_compiled_spark.py",
    "tests/spark_ext/routing/test_route_stream.py",
)

#: Name of pytest's report file in the folder of an environment.
REPORT = "report.xml"

TABLE = re.compile(r"(<!-- versions -->\n).*?(<!-- end of versions -->\n)", re.DOTALL)


class Outcome(NamedTuple):
    """The versions of PySpark and Python in one environment, and how many tests passed, failed and were skipped."""

    spark: str
    python: str
    passed: int
    failed: int
    skipped: int

    def __str__(self) -> str:
        text = f"{self.passed} passed"
        return text + "".join(f", {n} {name}" for n, name in ((self.failed, "failed"), (self.skipped, "skipped")) if n)


def main() -> int:
    """Run the tests of all chosen pairs. Return 1 if a test failed, otherwise 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spark", action="append", choices=SPARKS, help="a version of PySpark; may be repeated")
    parser.add_argument("--python", action="append", choices=PYTHONS, help="a version of Python; may be repeated")
    parser.add_argument("--all", action="store_true", help="every PySpark on every Python")
    parser.add_argument("--write", action="store_true", help="put the table into docs/versions.md")
    arguments = parser.parse_args()
    failed = False
    for spark, python in pairs(arguments.spark, arguments.python, arguments.all):
        if not runs(f"python{python}"):
            print(f"PySpark {spark} on Python {python}: no python{python} runs here", file=sys.stderr)
            continue
        outcome = run(spark, python)
        failed |= outcome.failed > 0
        print(f"PySpark {outcome.spark} on Python {outcome.python}: {outcome}", file=sys.stderr, flush=True)
    known = {(spark, python): folder_of(spark, python) for spark in SPARKS for python in PYTHONS}
    table = markdown({pair: counted(folder) for pair, folder in known.items() if (folder / REPORT).exists()})
    print(table, end="")
    if arguments.write:
        page = ROOT / "docs" / "versions.md"
        text = page.read_text(encoding="utf-8")
        page.write_text(TABLE.sub(lambda match: match[1] + table + match[2], text), encoding="utf-8")
    return int(failed)


def pairs(sparks: list[str] | None, pythons: list[str] | None, every: bool) -> Iterator[tuple[str, str]]:
    """Yield the pairs of PySpark and Python versions to run."""
    for spark in sparks or SPARKS:
        for python in pythons or PYTHONS:
            if every or sparks or pythons or python == FIRST_PYTHON or spark == NEWEST_SPARK:
                yield spark, python


def runs(interpreter: str) -> bool:
    """Return True if the command ``interpreter`` starts a Python. A shim without a Python does not count."""
    return (
        shutil.which(interpreter) is not None
        and not subprocess.run([interpreter, "-c", ""], stderr=subprocess.DEVNULL).returncode
    )


def folder_of(spark: str, python: str) -> Path:
    """Return the folder of the environment for a pair of versions."""
    return FOLDER / f"spark{spark}-python{python}"


def run(spark: str, python: str) -> Outcome:
    """Run the tests of one pair of versions in its environment. Create the environment if it does not exist."""
    folder = folder_of(spark, python)
    own = folder / "bin" / "python"
    requirement = f"pyspark[connect]~={spark}.0"
    if not (folder / "installed").exists():
        subprocess.run([f"python{python}", "-m", "venv", folder], check=True)
        install = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # The development environment pins one PySpark, so that the other packages that the tests need are named here.
        tools = ["pytest>=8.3", "pytest-xdist>=3.6", "hypothesis>=6.130", "pika>=1.3"]
        subprocess.run([*install, "-e", f"{ROOT}[cli,yaml,picture]", requirement, *tools], check=True, cwd=ROOT)
        (folder / "installed").touch()
    report = folder / REPORT
    report.unlink(missing_ok=True)
    command = [own, "-m", "pytest", "--numprocesses", str(min(2, os.cpu_count() or 1)), f"--junit-xml={report}", *TESTS]
    # Without these variables Spark starts its workers with the python3 of the PATH.
    environment = os.environ | {"PYSPARK_PYTHON": str(own), "PYSPARK_DRIVER_PYTHON": str(own)}
    with (folder / "output.txt").open("w", encoding="utf-8") as output:
        subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, env=environment)
    return counted(folder)


def counted(folder: Path) -> Outcome:
    """Count the tests in pytest's report in ``folder``. A missing report counts as one failed test."""
    command = [folder / "bin" / "python", "-c"]
    script = "import platform, pyspark; print(pyspark.__version__, platform.python_version())"
    versions = subprocess.run([*command, script], capture_output=True, text=True, check=True)
    spark, python = versions.stdout.split()
    if not (folder / REPORT).exists():
        return Outcome(spark, python, 0, 1, 0)
    [suite] = ElementTree.parse(folder / REPORT).getroot().iter("testsuite")
    total, failed, errors, skipped = (int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped"))
    return Outcome(spark, python, total - failed - errors - skipped, failed + errors, skipped)


def markdown(outcomes: dict[tuple[str, str], Outcome]) -> str:
    """Return the Markdown table of ``outcomes``: one row for each PySpark, one column for each Python."""
    pythons = [python for python in PYTHONS if any(python == other for _, other in outcomes)]
    lines = [f"| | {' | '.join(f'Python {python}' for python in pythons)} |", f"|---|{'---|' * len(pythons)}"]
    for spark in SPARKS:
        row = [outcomes.get((spark, python)) for python in pythons]
        own = next((outcome.spark for outcome in row if outcome is not None), None)
        if own is not None:
            lines.append(f"| PySpark {own} | {' | '.join('' if cell is None else str(cell) for cell in row)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
