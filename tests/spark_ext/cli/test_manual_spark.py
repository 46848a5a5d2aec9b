"""The examples in the help of ``selector-spark`` run."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from spark_ext.cli.commands import main as selector_spark
from tests.cli.test_manual import examples, make_files
from tests.sizes import sample
from transpiler.cli.manual import Example


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return make_files(tmp_path)


@pytest.mark.parametrize("example", sample(examples("selector-spark"), 1), ids=lambda example: example.command)
def test_an_example_of_selector_spark_runs(example: Example, folder: Path, spark: SparkSession) -> None:
    headers = "ARRAY<STRUCT<key: STRING, value: BINARY>>"
    record = f"SELECT CAST(array(struct('weight' AS key, CAST('2600' AS BINARY) AS value)) AS {headers}) AS headers"
    if ".parquet" in example.command.partition("--output")[0]:
        spark.sql(record).write.parquet(str(folder / "records.parquet"))
        spark.sql(record).write.parquet(str(folder / "day=1" / "records.parquet"))
    done = CliRunner().invoke(selector_spark, shlex.split(example.command)[1:])
    assert done.exit_code in (0, 1), done.output
