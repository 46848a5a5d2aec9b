"""The messages of the benchmarks, stored as Parquet in three layouts."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_ext import MESSAGE_SCHEMA

#: The value of UTC() and the creation time of the newest message, in milliseconds since the epoch.
NOW = 1_760_000_000_000

_SUBJECTS = "array('order.shipped', 'order.paid', 'order.cancelled', 'stock.low', 'stock.new', 'user.seen')"
_REGIONS = "array('AMER', 'EMEA', 'APAC', 'LATAM', 'ANZ', 'NORD')"
_COLORS = "array('red', 'green', 'blue', 'black', 'white')"

#: The properties: SQL over the number of a message, and the field of the tagged union that holds the value.
PROPERTIES = {
    "region": (f"element_at({_REGIONS}, 1 + CAST(pmod(xxhash64(id, 1), 6) AS INT))", "string"),
    "color": (f"element_at({_COLORS}, 1 + CAST(pmod(xxhash64(id, 2), 5) AS INT))", "string"),
    "weight": ("pmod(xxhash64(id, 3), 10000)", "long"),
    "quantity": ("pmod(xxhash64(id, 4), 50)", "long"),
    "price": ("CAST(pmod(xxhash64(id, 5), 12000) AS DOUBLE) / 100", "double"),
    "premium_customer": ("pmod(xxhash64(id, 6), 10) = 0", "boolean"),
    "name": ("concat('order-', pmod(xxhash64(id, 7), 1000000))", "string"),
    "customer": ("concat('c', pmod(xxhash64(id, 8), 100000))", "string"),
    "tags": (
        "concat(',', concat_ws(',', pmod(xxhash64(id, 9), 100000), pmod(xxhash64(id, 10), 100000)), ',')",
        "string",
    ),
}
_TYPES = {"string": "STRING", "long": "BIGINT", "double": "DOUBLE", "boolean": "BOOLEAN"}
_AMQP = {"string": "string", "long": "long", "double": "double", "boolean": "boolean"}


def union(name: str, field: str) -> str:
    """Return SQL for the column ``name`` as the tagged union of the canonical schema, with the value in ``field``."""
    fields = [f"{name if other == field else f'CAST(NULL AS {kind})'} AS {other}" for other, kind in _KINDS]
    return f"struct('{_AMQP[field]}' AS type, {', '.join(fields)}, CAST(NULL AS BINARY) AS binary)"


_KINDS = (("boolean", "BOOLEAN"), ("long", "BIGINT"), ("double", "DOUBLE"), ("string", "STRING"))


def section(name: str, values: dict[str, str]) -> str:
    """Return SQL for a message section with the fields ``values``. All other fields are NULL."""
    section = MESSAGE_SCHEMA[name].dataType
    assert isinstance(section, StructType)
    fields = (
        f"CAST({values.get(field.name, 'NULL')} AS {field.dataType.simpleString()}) AS {field.name}"
        for field in section.fields
    )
    return f"struct({', '.join(fields)}) AS {name}"


def write_messages(spark: SparkSession, directory: Path, count: int) -> dict[str, DataFrame]:
    """Write ``count`` messages as typed columns, as fields of a struct, and in the canonical schema.

    Ten consecutive messages match the query that RabbitMQ published, as messages of the same time would.
    """
    rare = f"id >= {count // 2} AND id < {count // 2 + 10}"
    names = [f"{sql} AS {name}" for name, (sql, _) in PROPERTIES.items()]
    spark.range(count).selectExpr("id", *names).createOrReplaceTempView("benchmark_source")
    header = section("header", {"durable": "true", "priority": f"IF({rare}, 9, pmod(id, 8))"})
    subject = f"IF({rare}, 'order.created', element_at({_SUBJECTS}, 1 + CAST(pmod(id, 6) AS INT)))"
    created = f"timestamp_millis({NOW} - {count} + id)"
    properties = section("properties", {"subject": subject, "creation_time": created})
    region = f"IF({rare}, 'EMEA', region)"
    source = spark.table("benchmark_source").selectExpr(
        "id", header, properties, *(f"{region} AS region" if name == "region" else name for name in PROPERTIES)
    )
    unions = ", ".join(f"'{name}', {union(name, field)}" for name, (_, field) in PROPERTIES.items())
    layouts = {
        "typed": source.select("header", "properties", *PROPERTIES),
        "struct": source.selectExpr("header", "properties", f"struct({', '.join(PROPERTIES)}) AS p"),
        "canonical": source.selectExpr("header", "properties", f"map({unions}) AS application_properties"),
    }
    found = {}
    for name, frame in layouts.items():
        path = str(directory / name)
        writer = frame.coalesce(1).write.mode("overwrite")
        # RabbitMQ keeps a Bloom filter over the subject, too, for each chunk of a stream.
        writer = writer.option("parquet.bloom.filter.enabled#properties.subject", "true")
        writer.option("parquet.block.size", str(16 * 2**20)).parquet(path)
        found[name] = spark.read.parquet(path)
    return found
