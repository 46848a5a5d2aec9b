"""DataFrames in a store's schema from rows in Python, with JSON text for a VARIANT and milliseconds for a time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, MapType, StringType, StructField, StructType

#: Spark types that rows in Python contain in another type: the type in Python's rows by Spark's type.
_STAGED = {"variant": "string", "timestamp": "long"}


#: Collations under which texts are equal that differ in case, accents or blanks.
COLLATIONS = ("UTF8_LCASE", "UNICODE_CI_AI", "UTF8_BINARY_RTRIM", "UNICODE_CI", "tr_CI")


def make_frame(spark: SparkSession, rows: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> DataFrame:
    """Return the rows as a DataFrame in their order, with their index in the column ``number``."""
    staged = StructType.fromJson(_staged(schema))
    values = [_shaped(row, schema) for row in rows]
    frame = spark.createDataFrame(values, staged).coalesce(1)
    columns = [
        f"{_converted(_quoted(field['name']), field['type'])} AS {_quoted(field['name'])}" for field in schema["fields"]
    ]
    return frame.selectExpr(*columns).withColumn("number", sf.monotonically_increasing_id())


def collated(frame: DataFrame, collation: str) -> DataFrame:
    """Return ``frame`` with every text in ``collation``, including keys of maps and fields of structs."""

    def visit(data_type: DataType) -> DataType:
        match data_type:
            case StringType():
                return StringType(collation)
            case MapType():
                return MapType(visit(data_type.keyType), visit(data_type.valueType))
            case ArrayType():
                return ArrayType(visit(data_type.elementType))
            case StructType():
                return StructType([StructField(field.name, visit(field.dataType)) for field in data_type.fields])
            case _:
                return data_type

    columns = [sf.col(_quoted(field.name)).cast(visit(field.dataType)).alias(field.name) for field in frame.schema]
    return frame.select(*columns)


def _quoted(name: str) -> str:
    return f"`{name}`"


def _staged(spark_type: Any) -> Any:
    match spark_type:
        case str():
            return _STAGED.get(spark_type, spark_type)
        case list():
            return [{**field, "type": _staged(field["type"]), "nullable": True} for field in spark_type]
        case _:
            return {key: _staged(part) if key in _NESTED else part for key, part in spark_type.items()}


_NESTED = ("fields", "elementType", "keyType", "valueType")


def _shaped(value: Any, spark_type: Any) -> Any:
    """Return ``value`` with None for missing fields, and with JSON text for a VARIANT."""
    match spark_type:
        case _ if value is None:
            return None
        case "variant":
            return value if isinstance(value, str) else json.dumps(value)
        case {"type": "struct", "fields": fields}:
            return tuple(_shaped(value.get(field["name"]), field["type"]) for field in fields)
        case {"type": "array", "elementType": element}:
            return [_shaped(item, element) for item in value]
        case {"type": "map", "valueType": of_value}:
            return {key: _shaped(item, of_value) for key, item in value.items()}
        case _:
            return value


def _converted(column: str, spark_type: Any) -> str:
    match spark_type:
        case "variant":
            return f"parse_json({column})"
        case "timestamp":
            return f"timestamp_millis({column})"
        case {"type": "struct", "fields": fields} if "variant" in json.dumps(spark_type):
            names = [field["name"] for field in fields]
            converted = [_converted(f"{column}.{_quoted(field['name'])}", field["type"]) for field in fields]
            parts = ", ".join(f"'{name}', {sql}" for name, sql in zip(names, converted, strict=True))
            return f"IF({column} IS NULL, NULL, named_struct({parts}))"
        case _:
            return column
