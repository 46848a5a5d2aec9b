"""Demo: selectors over a flat table, then over a log, which is routed as its broker did."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from rich.console import Console
from rich.table import Table

from spark_ext import backtest, compile_selector, create_messages, route, trace_messages
from transpiler import read_topology, transpile_selector

#: Selectors over a table with a column for each property.
ON_COLUMNS = ("color = 'blue' AND weight > 2500", "JMSPriority > 6 OR color LIKE 'b%'")

#: Selectors over messages in the canonical schema.
SELECTORS = (
    "area = 'Viking' AND speed > 5",
    "JMSPriority > 6 AND JMSDeliveryMode = 'PERSISTENT' AND JMSTimestamp >= 1750774000000",
    "JMSTimestamp BETWEEN 1750773000000 AND 1750774000000 AND NOT (code = 'red' OR code IS NULL)",
)

ARCHIVE = Path(__file__).with_name("data") / "messages.jsonl"


def main() -> None:
    """Read, write Parquet, filter, show, and route."""
    console = Console(width=110)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.maxMetadataStringLength", "10000")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    with tempfile.TemporaryDirectory() as directory:
        orders = spark.range(1_000).selectExpr(
            "CASE id % 3 WHEN 0 THEN 'blue' WHEN 1 THEN 'red' END AS color",
            "id * 7 % 5000 AS weight",
            "CAST(id % 10 AS INT) AS JMSPriority",
        )
        orders.coalesce(1).write.parquet(f"{directory}/orders")
        orders = spark.read.parquet(f"{directory}/orders")
        console.print("\n[bold]1,000 orders[/] in a table of one's own: a column for each property, as Parquet")
        for selector in ON_COLUMNS:
            matching = orders.filter(compile_selector(selector, orders))
            print_result(console, selector, transpile_selector(selector, orders.schema).sql, matching, orders.count())
        lines = ARCHIVE.read_text(encoding="utf-8").splitlines()
        create_messages(spark, map(json.loads, lines)).coalesce(1).write.parquet(f"{directory}/messages")
        messages = spark.read.parquet(f"{directory}/messages")
        total = messages.count()
        console.print(f"\n[bold]{total:,} messages[/] of a RabbitMQ broker's log, in the canonical schema, as Parquet")
        for selector in SELECTORS:
            matching = messages.filter(compile_selector(selector))
            print_result(console, selector, transpile_selector(selector).sql, matching, total)
            show(console, matching)
    console.print(f"\n[bold]{total:,} messages[/] through the broker's exchanges and bindings, against its own answers")
    trace = trace_messages(spark.read.text(str(ARCHIVE.with_name("trace.jsonl.gz"))))
    compared = backtest(route(trace, read_topology(ARCHIVE.with_name("definitions.json"))))
    console.print(compared.render(), highlight=False)
    spark.stop()


def print_result(console: Console, selector: str, sql: str, matching: DataFrame, total: int) -> None:
    """Print a selector, its SQL, what was pushed to Parquet, and how many messages match."""
    console.print(f"\n[bold cyan]{selector}[/]", highlight=False)
    console.print(f"  SQL     {sql}", highlight=False, soft_wrap=True)
    console.print(f"  pushed  {pushed_filters(matching)}", highlight=False, soft_wrap=True)
    console.print(f"  matches {matching.count():,} of {total:,}", highlight=False)


def pushed_filters(frame: object) -> str:
    """What the Parquet reader was told, from Spark's own plan."""
    plan = frame._jdf.queryExecution().executedPlan().toString()  # type: ignore[attr-defined]
    found = re.search(r"PushedFilters: \[(.*?)\], ReadSchema", plan, re.DOTALL)
    return found[1] if found and found[1] else "nothing"


def show(console: Console, frame: object) -> None:
    """The first three matches."""
    rows = (
        frame.select(  # type: ignore[attr-defined]
            sf.col("properties.message_id.string").alias("message id"),
            sf.col("properties.subject").alias("subject"),
            sf.col("header.priority").alias("priority"),
            sf.transform_values(
                "application_properties",
                lambda _, v: sf.coalesce(v.string, v.long.cast("string"), v.boolean.cast("string")),
            ).alias("properties"),
        )
        .limit(3)
        .collect()
    )
    table = Table(box=None, padding=(0, 2), header_style="dim", expand=True)
    for name in ("message id", "subject", "priority"):
        table.add_column(name, no_wrap=True)
    table.add_column("properties", overflow="ellipsis", no_wrap=True, ratio=1)
    for row in rows:
        properties = ", ".join(f"{key}={value}" for key, value in (row["properties"] or {}).items())
        priority = "" if row["priority"] is None else str(row["priority"])
        table.add_row(row["message id"], row["subject"], priority, properties)
    console.print(table)


if __name__ == "__main__":
    main()
