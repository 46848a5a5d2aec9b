"""Filter sets as a client library encodes them in its attach frames, each as one native filter on a DataFrame."""

import base64
import json
from pathlib import Path

from pyspark.sql import SparkSession

from spark_ext import compile_filter, create_messages
from transpiler import transpile_filter

DATA = Path(__file__).with_name("data")

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
lines = (DATA / "messages.jsonl").read_text(encoding="utf-8").splitlines()
messages = create_messages(spark, map(json.loads, lines)).cache()
for line in (DATA / "filter_sets.jsonl").read_text(encoding="utf-8").splitlines():
    received = base64.b64decode(json.loads(line)["amqp"])
    # No-local filters ask which connection receives.
    matching = messages.filter(compile_filter(received, connection="receiver-1"))
    transpiled = transpile_filter(received, connection="receiver-1")
    print("in effect:", json.dumps(transpiled.in_effect.to_dict()))
    print("SQL:      ", transpiled.sql)
    print(matching.count(), "of", messages.count(), "messages pass\n")
