"""Datasets of a declarative pipeline, which test_pipelines copies into a project and checks in a separate process."""

from collections.abc import Callable

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

from spark_ext import compile_selector, deliveries, route
from transpiler.base.errors import LayoutError
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Queue

spark = SparkSession.active()
COLUMNS = "color STRING, weight BIGINT, exchange STRING, routing_key STRING, `to` STRING"
SELECTORS = [{SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, f"color = 'blue{n}'")} for n in range(20)]
TOPOLOGY = Topology(
    QPID_JAVA,
    queues=(Queue("q1"), Queue("q2"), Queue("q3")),
    bindings=(
        Binding("amq.topic", "q1", "usd.*"),
        Binding("amq.direct", "q2", "usd.stock"),
        *(Binding("amq.fanout", "q3", "", arguments) for arguments in SELECTORS),
    ),
)
#: A topology whose constant tables are so large that they are sent to the server before the query.
LARGE = Topology(
    QPID_JAVA,
    queues=tuple(Queue(f"q{n}") for n in range(3_000)),
    bindings=tuple(Binding("amq.topic", f"q{n}", f"usd{n}.*.#") for n in range(3_000)),
)


@dp.materialized_view
def bronze() -> DataFrame:
    return spark.range(3).selectExpr(
        "CASE WHEN id = 1 THEN 'red' ELSE 'blue7' END AS color",
        "id AS weight",
        "'amq.topic' AS exchange",
        "'usd.stock' AS routing_key",
        "'amq.direct/usd.stock' AS `to`",
    )


@dp.materialized_view
def filtered() -> DataFrame:
    return spark.table("bronze").filter(compile_selector("color = 'red' AND weight > 0", COLUMNS))


@dp.materialized_view
def unanalyzed() -> DataFrame:
    messages = spark.table("bronze")
    calls: tuple[Callable[[], object], ...] = (
        lambda: compile_selector("color = 'red'", messages),
        lambda: route(messages, TOPOLOGY),
        lambda: route(messages, TOPOLOGY, messages),
    )
    for call in calls:
        try:
            call()
        except LayoutError as error:
            print(error.diagnostics[0].code, error.diagnostics[0].hint, flush=True)
    return messages


@dp.materialized_view
def routed() -> DataFrame:
    return route(spark.table("bronze"), TOPOLOGY, COLUMNS, outcome="outcome", exchange_column="published_to")


@dp.materialized_view
def delivered() -> DataFrame:
    messages = spark.table("bronze")
    return deliveries(route(messages, LARGE, COLUMNS, keys=messages, outcome="outcome"))


@dp.materialized_view
def relayed() -> DataFrame:
    return route(spark.table("bronze"), TOPOLOGY, COLUMNS, publish_to="to", outcome="outcome")


@dp.materialized_view
def sent() -> DataFrame:
    return route(spark.table("bronze"), TOPOLOGY, COLUMNS, address="amq.topic/usd.stock")


@dp.materialized_view
def canonical() -> DataFrame:
    return spark.range(1).selectExpr("named_struct('subject', 'usd.stock') AS properties")


@dp.materialized_view
def by_preset() -> DataFrame:
    # A preset uses the columns of its own schema.
    return route(spark.table("canonical"), TOPOLOGY, "amqp", exchange="amq.direct")
