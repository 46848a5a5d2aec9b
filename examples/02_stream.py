"""The same on Structured Streaming: a selector is a plain Column, so a stream takes it like a table does."""

import json
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from spark_ext import MESSAGE_SCHEMA, compile_selector, create_messages

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
lines = Path(__file__).with_name("data").joinpath("messages.jsonl").read_text(encoding="utf-8").splitlines()

with tempfile.TemporaryDirectory() as directory:
    create_messages(spark, map(json.loads, lines)).write.parquet(f"{directory}/archive")
    stream = spark.readStream.schema(MESSAGE_SCHEMA).parquet(f"{directory}/archive")
    query = (
        stream.filter(compile_selector("area = 'Viking' AND speed > 5 AND JMSPriority > 4"))
        .writeStream.format("memory")
        .queryName("matching")
        .option("checkpointLocation", f"{directory}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    print(spark.table("matching").count(), "messages came through the stream")
