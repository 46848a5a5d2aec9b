"""Files that brokers and tools write are read as the tables of ``tests/data/stores``, each value with its type."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from spark_ext import read_artemis_export, read_lambda_events, read_rabbitmq_get, read_rabbitmq_trace

STORES = Path(__file__).parents[2] / "data" / "stores"
RAW = STORES / "raw"
FAILED = (PySparkException, Py4JJavaError)
Reader = Callable[..., DataFrame]
READERS: list[tuple[Reader, str, str]] = [
    (read_rabbitmq_trace, "trace.jsonl", "rabbitmq_trace"),
    (read_rabbitmq_get, "get.json", "rabbitmq_management"),
    (read_artemis_export, "journal.xml", "artemis_xml"),
    (read_lambda_events, "lambda_amq.json", "aws_lambda_activemq"),
    (read_lambda_events, "lambda_rmq.json", "aws_lambda_rabbitmq"),
]

#: Columns that a reader adds to those of its file. All messages of the journal are in one queue.
ADDED = {"artemis_xml": {"routed_queues": "array('orders')"}}


def texts(frame: DataFrame) -> list[str]:
    """Return the sorted JSON of the rows, because a VARIANT cannot be compared directly."""
    return sorted(row.text for row in frame.selectExpr("to_json(struct(*)) AS text").collect())


@pytest.mark.parametrize(("read", "file", "store"), READERS, ids=[store for *_, store in READERS])
def test_a_file_reads_as_its_table(spark: SparkSession, read: Reader, file: str, store: str) -> None:
    table = spark.read.parquet(str(STORES / f"{store}.parquet")).drop("id")
    table = table.selectExpr("*", *(f"{text} AS {name}" for name, text in ADDED.get(store, {}).items()))
    found = read(spark, str(RAW / file))
    assert found.dtypes == table.dtypes
    assert texts(found) == texts(table)


@pytest.mark.parametrize(("read", "file", "store"), READERS, ids=[store for *_, store in READERS])
def test_directories_patterns_gzip_and_several_paths_are_read(
    spark: SparkSession, tmp_path: Path, read: Reader, file: str, store: str
) -> None:
    del store
    data = (RAW / file).read_bytes()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / file).write_bytes(data)
    (tmp_path / "a" / "_SUCCESS").write_bytes(b"")
    (tmp_path / f"{file}.gz").write_bytes(gzip.compress(data))
    count = read(spark, str(RAW / file)).count()
    for paths in (("a",), ("a/*",), (f"{file}.gz",), ("a", f"{file}.gz")):
        assert read(spark, *(str(tmp_path / path) for path in paths)).count() == count * len(paths)


@pytest.mark.parametrize(("read", "file", "store"), READERS, ids=[store for *_, store in READERS])
def test_a_file_of_another_kind_is_an_error_that_names_it(
    spark: SparkSession, tmp_path: Path, read: Reader, file: str, store: str
) -> None:
    del store
    (tmp_path / "other").write_bytes((RAW / file).read_bytes()[:-40] + b"{oops")
    with pytest.raises(FAILED, match=r"/other\b"):
        read(spark, str(tmp_path / "other")).collect()


def test_types_and_blanks_are_kept(spark: SparkSession) -> None:
    trace = read_rabbitmq_trace(spark, str(RAW / "trace.jsonl"))
    kinds = trace.selectExpr("schema_of_variant(try_variant_get(properties, '$.headers.color', 'variant')) AS kind")
    assert {"STRING", "BIGINT", "VOID"} <= {row.kind for row in kinds.collect()}
    journal = read_artemis_export(spark, str(RAW / "journal.xml")).selectExpr("inline(properties.property)")
    values = {row._value for row in journal.filter("_name = 'color'").collect()}
    assert {"red", "red "} <= values


def test_events_say_whose_they_are(spark: SparkSession, tmp_path: Path) -> None:
    files = {"activemq": str(RAW / "lambda_amq.json"), "rabbitmq": str(RAW / "lambda_rmq.json")}
    for broker, file in files.items():
        found = read_lambda_events(spark, file, broker=broker)  # type: ignore[arg-type]
        assert texts(found) == texts(read_lambda_events(spark, file))
    with pytest.raises(FAILED, match=r"lambda_amq.json: an event has no rmqMessagesByQueue"):
        read_lambda_events(spark, files["activemq"], broker="rabbitmq").collect()
    with pytest.raises(ValueError, match="broker must be activemq or rabbitmq"):
        read_lambda_events(spark, files["activemq"], broker="kafka")  # type: ignore[arg-type]
    (tmp_path / "other.json").write_text('{"eventSource": "aws:s3"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"other.json: the first event has neither messages nor rmqMessagesByQueue"):
        read_lambda_events(spark, str(tmp_path / "other.json"))
    whole = json.dumps(json.loads((RAW / "lambda_amq.json").read_text(encoding="utf-8")), indent=1)
    (tmp_path / "whole.json").write_text(whole, encoding="utf-8")
    found = read_lambda_events(spark, str(tmp_path / "whole.json"), multi_line=True)
    assert texts(found) == texts(read_lambda_events(spark, files["activemq"]))
