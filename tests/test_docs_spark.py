"""The commands of ``selector-spark`` on the pages print what the page shows, and Python blocks that use Spark run."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.pages import Step, lay_out
from tests.test_docs import PYTHON, check_step, commands, needs_spark, run_python


@pytest.mark.parametrize(("page", "step"), commands("selector-spark"))
@pytest.mark.usefixtures("spark")
def test_a_spark_job_prints_what_the_page_says(
    page: str, step: Step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_step(page, step, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", [page for page in PYTHON if needs_spark(page)])
def test_the_python_of_a_page_runs_on_spark(
    page: str, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    run_python(page, {"__name__": "page", "spark": spark}, capsys)
