"""Run by test_connect in a process of its own: one process has either classic Spark or Spark Connect."""

from pyspark.sql import SparkSession

from spark_ext import compile_selector, create_messages

spark = SparkSession.builder.remote("local[1]").getOrCreate()
message = {
    "header": {"priority": 7},
    "application_properties": {"color": "blue"},
    "properties": {"creation_time": 1_750_772_279_000},
}
messages = create_messages(spark, [message, {}])
selector = "color = 'blue' AND JMSPriority > 6 AND JMSTimestamp >= 1750772279000"
typed = spark.createDataFrame([(1, "abc"), (2, "x")], "n BIGINT, s STRING")
print("canonical", messages.filter(compile_selector(selector)).count())
print("typed", typed.filter(compile_selector("n = 1 AND s LIKE 'a%c'", typed)).count())
print("others", messages.filter(~compile_selector(selector, result="boolean")).count())
spark.stop()
