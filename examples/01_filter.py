"""A selector on a DataFrame, in ten lines."""

import json
from pathlib import Path

from pyspark.sql import SparkSession

from spark_ext import compile_selector, create_messages

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
lines = Path(__file__).with_name("data").joinpath("messages.jsonl").read_text(encoding="utf-8").splitlines()
messages = create_messages(spark, map(json.loads, lines))
# ~ before this Column would not select the other messages: result="boolean" is for that.
matching = messages.filter(compile_selector("area = 'Viking' AND speed > 5 AND JMSPriority > 4"))
print(matching.count(), "of", messages.count(), "messages match")
