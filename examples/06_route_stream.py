"""The same on Structured Streaming: one pass, append mode, no state; each delivery is a row."""

import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from spark_ext import deliveries, route, trace_messages
from transpiler import read_topology

DATA = Path(__file__).with_name("data")

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
topology = read_topology(DATA / "definitions.json")

with tempfile.TemporaryDirectory() as directory:
    lines = spark.readStream.text(str(DATA), pathGlobFilter="trace.jsonl.gz")
    query = (
        deliveries(route(trace_messages(lines), topology))
        .writeStream.format("memory")
        .queryName("delivered")
        .outputMode("append")
        .option("checkpointLocation", f"{directory}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    print(spark.table("delivered").count(), "deliveries came through the stream")
