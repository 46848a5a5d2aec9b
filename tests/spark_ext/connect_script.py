"""Program that test_connect runs in its own process, because a process has either classic Spark or Spark Connect.

The argument is the number of binding keys with wildcards.
"""

import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pyspark.errors.exceptions.connect import SparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from spark_ext import compile_selector, create_messages, deliveries, route, route_stream
from tests.compiler.stores.tables import LAYOUTS, layout, path, queries, schema
from transpiler import Message, stores, transpile_selector
from transpiler.message.sections import Properties
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.topology.broker_rules import QPID_JAVA, RABBITMQ
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Queue

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
record = [("color", b"blue"), ("color", b"red"), ("weight", b"2600")]
records = spark.createDataFrame([(record,), ([],), (None,)], "headers ARRAY<STRUCT<key: STRING, value: BINARY>>")
weighed = "color = 'red' AND weight > 2500"
print("kafka", records.filter(compile_selector(weighed, stores.kafka_headers())).count())
print("inferred", records.filter(compile_selector(weighed, records)).count())
asked = right = 0
for table in LAYOUTS:
    rows = spark.read.parquet(path(table))
    for query in queries(table):
        found = rows.filter(transpile_selector(query.selector, layout(table, query.policy).over(schema(table))).sql)
        right += {row.id for row in found.select("id").collect()} == query.expected
        asked += 1
print("stores", asked - right, "of", asked, "differ")
bindings = [
    Binding("amq.topic", "q1", "usd.*"),
    Binding("amq.direct", "q2", "usd.stock"),
    *(
        Binding("amq.fanout", "q3", "", {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, f"color = 'blue{n}'")})
        for n in range(20)
    ),
]
topology = Topology(QPID_JAVA, queues=[Queue("q1"), Queue("q2"), Queue("q3")], bindings=bindings)
published = create_messages(
    spark,
    [{"properties": {"subject": "usd.stock"}}, {"application_properties": {"color": "blue7"}}],
)
for exchange in ("amq.topic", "amq.direct", "amq.fanout"):
    routed = deliveries(route(published, topology, exchange=exchange))
    print(exchange, [row.queue for row in routed.collect()])

draw = random.Random(0)


def drawn_key(wildcard: str) -> str:
    words = [f"w{draw.randrange(1000)}" for _ in range(draw.randrange(2, 6))]
    return ".".join([*words, wildcard, f"w{draw.randrange(1000)}", "#"][draw.randrange(2) :])


# Keys with two # need the automaton, which is sent with the query.
bindings = [Binding("amq.topic", f"q{number}", drawn_key(draw.choice("*#"))) for number in range(int(sys.argv[1]))]
queues = [Queue(binding.destination) for binding in bindings]
topology = Topology(RABBITMQ, queues=queues, bindings=bindings, default_exchange="amq.topic")
keys = [binding.key.replace("*", "any").replace("#", "any.any") for binding in bindings[:8]]
keyed = spark.createDataFrame([(key,) for key in keys], "routing_key STRING")
found = {row.routing_key: row.queues for row in route(keyed, topology, keyed).collect()}
for key in keys:
    expected = list(route_message(topology, Message(properties=Properties(subject=key)), "amq.topic"))
    assert found[key] == expected != [], (key, found[key], expected)
print("binding keys", len(found))


def when_connected(start: Callable[[], StreamingQuery]) -> StreamingQuery:
    """Start a query. Retry, because Spark waits only 10 seconds for the Python process of a batch's function."""
    for _ in range(5):
        try:
            return start()
        except SparkException as error:
            if "Python worker failed to connect back" not in str(error):
                raise
    return start()


# A stream that the server runs, with a filter and with a route by lookups.
with tempfile.TemporaryDirectory() as directory:
    keyed.coalesce(1).write.parquet(f"{directory}/archive")
    stream = spark.readStream.schema(keyed.schema).parquet(f"{directory}/archive")
    routed = route(stream.filter(compile_selector("routing_key <> 'none'", keyed)), topology, keyed)
    writer = routed.writeStream.format("parquet").option("checkpointLocation", f"{directory}/state")
    query = writer.trigger(availableNow=True).start(f"{directory}/routed")
    query.awaitTermination()
    streamed = {row.routing_key: row.queues for row in spark.read.parquet(f"{directory}/routed").collect()}
    assert streamed == found
    print("stream", len(streamed))

    # The server calls the function of a batch in its own process, which reads the topology's file.
    (file := Path(directory) / "topology.json").write_text(json.dumps(topology_to_dict(topology)))
    written = f"{directory}/by_version"

    def write(routed: DataFrame, _: int) -> None:
        routed.write.mode("append").parquet(written)

    def routed_stream() -> StreamingQuery:
        writer = route_stream(stream, file, write).option("checkpointLocation", f"{directory}/state_of_stream")
        return writer.trigger(availableNow=True).start()

    query = when_connected(routed_stream)
    query.awaitTermination()
    versions = {row.routing_key: (row.queues, row.topology_version) for row in spark.read.parquet(written).collect()}
    assert {key: found for key, (found, _) in versions.items()} == streamed
    assert len({version for _, version in versions.values()}) == 1
    print("route_stream", len(versions))
spark.stop()
