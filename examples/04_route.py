"""Who receives what: a broker's log through its own exchanges and bindings."""

from pathlib import Path

from pyspark.sql import SparkSession

from spark_ext import deliveries, route, trace_messages
from transpiler import read_topology

DATA = Path(__file__).with_name("data")

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
messages = trace_messages(spark.read.text(str(DATA / "trace.jsonl.gz")))
routed = route(messages, read_topology(DATA / "definitions.json"))
routed.select("exchange", "routing_keys", "queues").show(5, truncate=70)
busiest = deliveries(routed).groupBy("queue").count().orderBy("count", "queue", ascending=[False, True]).first()
print(routed.count(), "messages,", deliveries(routed).count(), "deliveries; the busiest queue is", busiest.queue)
