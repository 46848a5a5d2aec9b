"""The functions work in the query functions of a declarative pipeline, where Spark cannot analyse a DataFrame."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from tests.spark_ext.harness import java_options

ROOT = Path(__file__).parents[2]
SPARK_HOME = Path(pyspark.__file__).parent


@pytest.mark.full
def test_selectors_and_routes_are_datasets_of_a_pipeline(tmp_path: Path) -> None:
    (tmp_path / "transformations").mkdir()
    shutil.copy(Path(__file__).with_name("pipeline_script.py"), tmp_path / "transformations" / "datasets.py")
    (tmp_path / "spark-pipeline.yml").write_text(
        f"name: test\nstorage: {(tmp_path / 'storage').as_uri()}\n"
        "libraries:\n  - glob:\n      include: transformations/**\n",
        encoding="utf-8",
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    environment["SPARK_SUBMIT_OPTS"] = java_options()
    environment |= {"SPARK_HOME": str(SPARK_HOME), "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [SPARK_HOME / "bin" / "spark-pipelines", "dry-run"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output[-3000:]
    assert "Run is COMPLETED" in output
    advice = "perhaps set layout= to a schema, such as 'color STRING, weight BIGINT', or the name of a preset"
    hint = f"layout.no-analysis {advice}"
    assert output.count(hint) == 3
