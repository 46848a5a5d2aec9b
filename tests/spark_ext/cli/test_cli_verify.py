"""selector-spark verify as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from spark_ext.cli.commands import main

TABLES = Path(__file__).parents[2] / "data" / "stores"
KAFKA, MAP, CONFLUENT = (str(TABLES / f"{name}.parquet") for name in ("kafka_ibm_mq", "plain_map", "confluent_jms"))
LINES = '{"application_properties": {"color": "red", "weight": 2600}}\n{"application_properties": {"color": 5}}\n'

pytestmark = pytest.mark.usefixtures("spark")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["verify", *words])


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("color = 'red' AND JMSPriority > 4", CONFLUENT), "layout confluent-jms, dialect jms"),
        (("color = 'red'", KAFKA, "--layout", "kafka-headers", "--dialect", "artemis"), "dialect artemis"),
        (("weight > 5", MAP, "--layout", "text-map", "--layout-option", "types.weight=DOUBLE"), "layout text-map"),
    ],
)
def test_spark_and_the_reference_agree_on_files(words: tuple[str, ...], printed: str) -> None:
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "Spark and the reference agree on all 50 rows" in result.output
    assert printed in result.output


def test_a_sample_or_all_rows_are_compared() -> None:
    assert "agree on 10 of 50 rows" in run("weight > 5", CONFLUENT, "--sample", "10").output
    assert "agree on all 100 rows" in run("weight > 5", CONFLUENT, CONFLUENT, "--sample", "10", "--all").output


def test_message_json_is_verified(tmp_path: Path) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_text(LINES, encoding="utf-8")
    result = run("color = 'red' AND weight > 2500", str(file))
    assert result.exit_code == 0, result.output
    assert "Spark: 1 TRUE, 1 FALSE, 0 unknown" in result.output


def test_a_disagreement_is_exit_code_1(spark: SparkSession, tmp_path: Path) -> None:
    # A union whose type is not that of its value: Spark reads the value, the reference evaluator the type.
    file = str(tmp_path / "messages.parquet")
    union = "named_struct('type', 'string', 'boolean', CAST(NULL AS BOOLEAN), 'long', 5L, "
    union += "'double', CAST(NULL AS DOUBLE), 'string', CAST(NULL AS STRING), 'binary', CAST(NULL AS BINARY))"
    spark.sql(f"SELECT map('weight', {union}) AS application_properties").write.parquet(file)
    result = run("weight = 5", file)
    assert result.exit_code == 1, result.output
    assert "Spark and the reference disagree on 1 of 1 rows" in result.output
    assert "Spark TRUE, reference unknown\n  weight = NULL\n  row {" in result.output


@pytest.mark.parametrize(
    ("words", "expected_text"),
    [
        (("weight = = 5", CONFLUENT), "syntax.unexpected-token"),
        (("weight = 5", "nowhere.parquet"), "nowhere.parquet"),
        (("weight = 5", CONFLUENT, "--layout", "confluent-jsm"), "did you mean confluent-jms?"),
        (("weight = 5", CONFLUENT, "--layout-option", "types=json"), "add --layout NAME"),
        (("weight = 5", MAP), "the original types are lost"),
        (("weight = 5", CONFLUENT, "--sample", "0"), "0 is not in the range x>=1"),
    ],
)
def test_what_cannot_be_verified_is_an_error(words: tuple[str, ...], expected_text: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert expected_text in result.output
    assert "Traceback" not in result.output
