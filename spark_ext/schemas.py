"""The canonical schema in Spark's types, layouts from schemas, and DataFrames from messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from transpiler import Layout, Message
from transpiler.errors import LayoutError
from transpiler.layouts.amqp import MAPS, SECTIONS, STRUCTS, UNION, AmqpLayout
from transpiler.layouts.columns import ColumnType, Kind
from transpiler.layouts.flat import layout_from_schema

_SPARK_TYPES: Mapping[Kind, DataType] = {
    Kind.BOOLEAN: BooleanType(),
    Kind.SMALLINT: ShortType(),
    Kind.BIGINT: LongType(),
    Kind.DOUBLE: DoubleType(),
    Kind.STRING: StringType(),
    Kind.BINARY: BinaryType(),
    Kind.TIMESTAMP: TimestampType(),
}

_UNION = StructType([StructField(name, _SPARK_TYPES[column.kind]) for name, column in UNION.items()])

#: Spark's TIMESTAMP holds microseconds in 64 bits, so not every millisecond that AMQP can say.
_MAX_MILLISECONDS = (2**63 - 1) // 1000


def _field_type(column: ColumnType | None, times: DataType) -> DataType:
    if column is None:
        return _UNION
    return times if column.kind is Kind.TIMESTAMP else _SPARK_TYPES[column.kind]


def _schema(times: DataType) -> StructType:
    fields = []
    for section in SECTIONS:
        if section in MAPS:
            fields.append(StructField(section, MapType(StringType(), _UNION)))
        else:
            inner = [StructField(name, _field_type(column, times)) for name, column in STRUCTS[section].items()]
            fields.append(StructField(section, StructType(inner)))
    return StructType(fields)


#: The canonical schema: one column a section of an AMQP 1.0 message.
MESSAGE_SCHEMA = _schema(TimestampType())

_TIMES = tuple(name for name, column in STRUCTS["properties"].items() if column and column.kind is Kind.TIMESTAMP)


def create_messages(spark: SparkSession, messages: Iterable[Message | Mapping[str, Any]]) -> DataFrame:
    """A DataFrame in ``MESSAGE_SCHEMA`` from messages or their JSON form, one row each, in order.

    ``DecodeError`` where a dict is no message. A time that TIMESTAMP cannot hold, such as an expiry of "never",
    becomes the nearest one that it can.
    """
    layout = AmqpLayout()
    rows = []
    for message in messages:
        if not isinstance(message, Message):
            message = Message.from_dict(message)
        rows.append(_bounded(layout.row(message)))
    # Times travel as numbers: a Python datetime ends at the year 9999 and depends on a time zone.
    staged = spark.createDataFrame(rows, _schema(LongType()), verifySchema=False)
    properties = sf.col("properties")
    for name in _TIMES:
        properties = properties.withField(name, sf.timestamp_millis(sf.col(f"properties.{name}")))
    return staged.withColumn("properties", properties).to(MESSAGE_SCHEMA)


def _bounded(row: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = row["properties"]
    if properties is not None:
        for name in _TIMES:
            if properties[name] is not None:
                properties[name] = max(-_MAX_MILLISECONDS, min(_MAX_MILLISECONDS, properties[name]))
    return row


def infer_layout(schema: StructType | DataFrame | Layout, struct: str | None = None) -> Layout:
    """The layout that a schema shows: ``amqp`` where it has a map of application properties, else typed columns.

    ``struct`` names a struct column whose fields are the properties. Whether names that differ only in case can be
    told apart is taken from the active session.
    """
    if isinstance(schema, DataFrame):
        schema = schema.schema
    elif isinstance(schema, Layout):
        return schema
    if not isinstance(schema, StructType):
        raise LayoutError.at(
            "layout.schema",
            f"expected a StructType or a DataFrame, found {type(schema).__name__}",
        )
    return layout_from_schema(schema.jsonValue(), struct, case_sensitive=_case_sensitive())


def _case_sensitive() -> bool:
    session = SparkSession.getActiveSession()
    return session is not None and session.conf.get("spark.sql.caseSensitive") == "true"
