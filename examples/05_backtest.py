"""What the broker recorded against what the topology says, before and after a change of a binding."""

from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession

from spark_ext import backtest, route, trace_messages
from transpiler import read_topology

DATA = Path(__file__).with_name("data")

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
messages = trace_messages(spark.read.text(str(DATA / "trace.jsonl.gz"))).cache()
topology = read_topology(DATA / "definitions.json")
print(backtest(route(messages, topology)).render())

changed = [replace(binding, key="eu.#") if binding.key == "#.eu.#" else binding for binding in topology.bindings]
print("\nWith eu.# in place of #.eu.#:")
print(backtest(route(messages, replace(topology, bindings=changed)), max_examples=3).render())
